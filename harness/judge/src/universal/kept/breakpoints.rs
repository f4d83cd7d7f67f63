//! Breakpoints and field watches are there from the call that sets them to the one that clears them.
//!
//! Whether what another environment has set counts is not said: what two environments are at is not judged. A watch on an inherited
//! field may be named by several classes, which are not known to be related; nor is one judged that is named by several.

use std::hash::Hash;

use jvmti_spec::Edition;
use jvmti_traces::Names;
use jvmti_wire::trace::{Body, Record};
use jvmti_wire::value::Value;
use rustc_hash::FxHashMap;

use super::super::{Begun, Observed, Returned, UniversalRule};
use super::{Kept, by_slot};

#[derive(Clone, Copy)]
enum Role {
    /// Sets what has this number, or clears it.
    Changes { kind: u8, sets: bool },
    /// May change anything.
    Sweeps,
}

const ROLES: [(&str, Role); 10] = [
    ("SetBreakpoint", Role::Changes { kind: BREAKPOINT, sets: true }),
    ("ClearBreakpoint", Role::Changes { kind: BREAKPOINT, sets: false }),
    ("SetFieldAccessWatch", Role::Changes { kind: 1, sets: true }),
    ("ClearFieldAccessWatch", Role::Changes { kind: 1, sets: false }),
    ("SetFieldModificationWatch", Role::Changes { kind: 2, sets: true }),
    ("ClearFieldModificationWatch", Role::Changes { kind: 2, sets: false }),
    ("RedefineClasses", Role::Sweeps),
    ("RetransformClasses", Role::Sweeps),
    ("RelinquishCapabilities", Role::Sweeps),
    ("DisposeEnvironment", Role::Sweeps),
];

/// The kind of breakpoints.
const BREAKPOINT: u8 = 0;

/// Breakpoint: method and location. Watch: class and field.
type Key = (u8, u64, u64);

pub(in super::super) struct Breakpoints {
    roles: FxHashMap<u16, Role>,
    kept: Kept<Key, bool>,
    /// The environment that is at it.
    environments: Sole<Key, u32>,
    /// The class by which a field was named in this run of a scenario, by kind of watch and field.
    classes: Sole<(u8, u64), u64>,
    /// The codes for what is there already, and for what is not there.
    codes: [Option<i32>; 2],
    blind: bool,
    observed: Observed,
}

/// What goes with each key, as long as it is one and the same.
struct Sole<K, V>(FxHashMap<K, Option<V>>);

impl<K, V> Default for Sole<K, V> {
    fn default() -> Self {
        Sole(FxHashMap::default())
    }
}

impl<K: Eq + Hash, V: Copy + PartialEq> Sole<K, V> {
    fn note(&mut self, key: K, value: V) {
        let known = self.0.entry(key).or_insert(Some(value));
        *known = known.filter(|known| *known == value);
    }

    fn has_one(&self, key: K) -> bool {
        self.0.get(&key).is_some_and(Option::is_some)
    }
}

impl Breakpoints {
    pub(in super::super) fn new(spec: &Edition) -> Self {
        Breakpoints {
            roles: by_slot(spec, ROLES),
            kept: Kept::default(),
            environments: Sole::default(),
            classes: Sole::default(),
            codes: ["DUPLICATE", "NOT_FOUND"].map(|name| spec.error(name).map(|error| error.number)),
            blind: false,
            observed: Observed::default(),
        }
    }

    /// Whether one environment only is at it, and by one name.
    fn is_clear(&self, key: Key) -> bool {
        let (kind, _, field) = key;
        self.environments.has_one(key) && (kind == BREAKPOINT || self.classes.has_one((kind, field)))
    }
}

fn key(kind: u8, args: &[Value]) -> Option<Key> {
    match args {
        [Value::Method(method), Value::Int(location), ..] => Some((kind, *method, *location as u64)),
        [Value::Object(class), Value::Field(field), ..] => Some((kind, class.0, *field)),
        _ => None,
    }
}

impl UniversalRule for Breakpoints {
    fn assertion(&self) -> &'static str {
        "universal/set-until-cleared"
    }

    fn begun(&mut self, call: &Begun<'_>) {
        match self.roles.get(&call.function.slot) {
            Some(Role::Changes { kind, .. }) => match key(*kind, call.args) {
                Some(key) => {
                    let (kind, class, field) = key;
                    self.environments.note(key, call.environment);
                    self.classes.note((kind, field), class);
                    self.kept.begin(call.number, key, true);
                }
                None => self.kept.begin_sweep(call.number, |_| true),
            },
            Some(Role::Sweeps) => self.kept.begin_sweep(call.number, |_| true),
            None => {}
        }
    }

    fn returned(&mut self, call: &Returned<'_>) {
        let Some(role) = self.roles.get(&call.function.slot) else { return };
        let Some(ended) = self.kept.end(call.call.number, |_| true) else { return };
        let Role::Changes { sets, .. } = *role else { return };
        let [duplicate, not_found] = self.codes;
        let refusal = if sets { duplicate } else { not_found };
        let is_refused = Some(call.code) == refusal;
        if let Some(is_set) = ended.known.filter(|_| self.is_clear(ended.key))
            && (call.code == 0 || is_refused)
        {
            self.observed.occasions += 1;
            let refused = is_set == sets;
            if refused != is_refused {
                let place = || call.place();
                let state = if is_set { "it is set" } else { "it is not set" };
                let code = if refused { refusal.unwrap_or(0) } else { 0 };
                let expected = format!("{}, because {state}", call.names.error(code));
                self.observed.broken(place, &expected, || call.names.error(call.code));
            }
        }
        match call.code {
            0 => self.kept.set(ended.key, ended.undisturbed.then_some(sets)),
            _ if is_refused => {}
            _ => self.kept.set(ended.key, None),
        }
    }

    fn other(&mut self, record: &Record, _names: &Names<'_>) {
        match &record.body {
            // Classes are unloaded between two runs of scenarios, and their ids may be given to others.
            Body::RunBegin { .. } => {
                self.kept.sweep(|_| true);
                self.classes = Sole::default();
            }
            Body::CallsCounted { function, .. } => self.blind |= self.roles.contains_key(function),
            _ => {}
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        if self.blind { Observed::default() } else { self.observed }
    }
}
