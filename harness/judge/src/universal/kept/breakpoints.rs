//! Breakpoints and field watches are there from the call that sets them to the one that clears them.
//!
//! Whether what another environment has set counts is not said: what two environments are at is not judged. A watch on an inherited
//! field may be named by several classes, which are not known to be related; nor is one judged that is named by several.

use jvmti_spec::Edition;
use jvmti_traces::Names;
use jvmti_wire::trace::{Body, Record};
use jvmti_wire::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

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
    environments: FxHashMap<Key, u32>,
    /// More than one environment is at it.
    shared: FxHashSet<Key>,
    /// The class by which a field was named in this run of a scenario, by kind of watch and field.
    classes: FxHashMap<(u8, u64), u64>,
    /// The fields that were named by more than one class in this run.
    inherited: FxHashSet<(u8, u64)>,
    /// The codes for what is there already, and for what is not there.
    codes: [Option<i32>; 2],
    blind: bool,
    observed: Observed,
}

impl Breakpoints {
    pub(in super::super) fn new(spec: &Edition) -> Self {
        Breakpoints {
            roles: by_slot(spec, ROLES),
            kept: Kept::default(),
            environments: FxHashMap::default(),
            shared: FxHashSet::default(),
            classes: FxHashMap::default(),
            inherited: FxHashSet::default(),
            codes: ["DUPLICATE", "NOT_FOUND"].map(|name| spec.error(name).map(|error| error.number)),
            blind: false,
            observed: Observed::default(),
        }
    }

    /// Whether one environment only is at it, and by one name.
    fn is_clear(&self, key: Key) -> bool {
        let (kind, _, field) = key;
        !self.shared.contains(&key) && !self.inherited.contains(&(kind, field))
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
                    if *self.environments.entry(key).or_insert(call.environment) != call.environment {
                        self.shared.insert(key);
                    }
                    let (kind, class, field) = key;
                    if kind != BREAKPOINT && *self.classes.entry((kind, field)).or_insert(class) != class {
                        self.inherited.insert((kind, field));
                    }
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
                self.classes.clear();
                self.inherited.clear();
            }
            Body::CallsCounted { function, .. } => self.blind |= self.roles.contains_key(function),
            _ => {}
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        if self.blind { Observed::default() } else { self.observed }
    }
}
