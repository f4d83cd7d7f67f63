//! What an agent stores in an environment stays: tags, thread-local and environment-local storage.

use jvmti_spec::Edition;
use jvmti_wire::trace::{Body, Record};
use jvmti_wire::value::{ObjectId, Value};
use rustc_hash::FxHashMap;

use super::super::{Begun, Observed, Returned, UniversalRule};
use super::{Kept, by_slot};
use jvmti_traces::Names;

/// What is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Thing {
    Tag,
    OfThread,
    OfEnvironment,
}

#[derive(Clone, Copy)]
enum Role {
    /// Stores the argument of that index.
    Sets(Thing, usize),
    /// Returns what is stored in the output of that index.
    Tells(Thing, u16),
    /// May set any tag, in callbacks.
    Walks,
    Disposes,
}

const ROLES: [(&str, Role); 13] = [
    ("SetTag", Role::Sets(Thing::Tag, 1)),
    ("GetTag", Role::Tells(Thing::Tag, 1)),
    ("SetThreadLocalStorage", Role::Sets(Thing::OfThread, 1)),
    ("GetThreadLocalStorage", Role::Tells(Thing::OfThread, 1)),
    ("SetEnvironmentLocalStorage", Role::Sets(Thing::OfEnvironment, 0)),
    ("GetEnvironmentLocalStorage", Role::Tells(Thing::OfEnvironment, 0)),
    ("FollowReferences", Role::Walks),
    ("IterateThroughHeap", Role::Walks),
    ("IterateOverHeap", Role::Walks),
    ("IterateOverInstancesOfClass", Role::Walks),
    ("IterateOverReachableObjects", Role::Walks),
    ("IterateOverObjectsReachableFromObject", Role::Walks),
    ("DisposeEnvironment", Role::Disposes),
];

/// Environment, what, and of which object or thread.
type Key = (u32, Thing, Option<ObjectId>);

pub(in super::super) struct Storage {
    roles: FxHashMap<u16, Role>,
    kept: Kept<Key, u64>,
    /// Whether calls that store something were only counted.
    blind: bool,
    observed: Observed,
}

impl Storage {
    pub(in super::super) fn new(spec: &Edition) -> Self {
        Storage {
            roles: by_slot(spec, ROLES),
            kept: Kept::default(),
            blind: false,
            observed: Observed::default(),
        }
    }

    fn key(environment: u32, thing: Thing, args: &[Value]) -> Option<Key> {
        match (thing, args.first()) {
            (Thing::OfEnvironment, _) => Some((environment, thing, None)),
            (_, Some(Value::Object(object))) => Some((environment, thing, Some(*object))),
            // A null thread is the current one; which one it is, the trace does not always tell.
            _ => None,
        }
    }
}

fn word(value: Option<&Value>) -> Option<u64> {
    match value? {
        Value::Null => Some(0),
        Value::Int(value) => Some(*value as u64),
        Value::Pointer(value) => Some(*value),
        _ => None,
    }
}

/// What a call changes that cannot be told more exactly.
fn swept(role: Role, environment: u32) -> impl Fn(&Key) -> bool {
    move |(of, thing, _)| {
        *of == environment
            && match role {
                Role::Sets(set, _) => *thing == set,
                Role::Tells(..) => false,
                Role::Walks => *thing == Thing::Tag,
                Role::Disposes => true,
            }
    }
}

impl UniversalRule for Storage {
    fn assertion(&self) -> &'static str {
        "universal/storage-stays"
    }

    fn begun(&mut self, call: &Begun<'_>) {
        let Some(role) = self.roles.get(&call.function.slot).copied() else { return };
        let key = |thing| Storage::key(call.environment, thing, call.args);
        match role {
            Role::Sets(thing, _) if key(thing).is_some() => {
                key(thing).into_iter().for_each(|key| self.kept.begin(call.number, key, true));
            }
            Role::Tells(thing, _) => {
                key(thing).into_iter().for_each(|key| self.kept.begin(call.number, key, false));
            }
            _ => self.kept.begin_sweep(call.number, swept(role, call.environment)),
        }
    }

    fn returned(&mut self, call: &Returned<'_>) {
        let Some(role) = self.roles.get(&call.function.slot).copied() else { return };
        let Some(ended) = self.kept.end(call.call.number, swept(role, call.call.environment)) else { return };
        match role {
            Role::Sets(_, index) if call.code == 0 => {
                let stored = word(call.call.args.get(index)).filter(|_| ended.undisturbed);
                self.kept.set(ended.key, stored);
            }
            // Whether it has stored anything all the same is not known.
            Role::Sets(..) => self.kept.set(ended.key, None),
            Role::Tells(_, index) if call.code == 0 => {
                let (Some(told), Some(known)) = (word(call.output(index)), ended.known) else {
                    return;
                };
                self.observed.occasions += 1;
                if told != known {
                    let place = || call.place();
                    let expected = format!("{known:#x}, which was stored last");
                    self.observed.broken(place, &expected, || format!("{told:#x}"));
                }
            }
            _ => {}
        }
    }

    fn other(&mut self, record: &Record, _names: &Names<'_>) {
        self.blind |=
            matches!(&record.body, Body::CallsCounted { function, .. } if self.roles.contains_key(function));
    }

    fn observed(self: Box<Self>) -> Observed {
        if self.blind { Observed::default() } else { self.observed }
    }
}
