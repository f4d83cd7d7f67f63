//! What cannot change is told the same each time: hash codes, and what classes, methods and fields have from their beginning.

use jvmti_spec::Edition;
use jvmti_traces::Names;
use jvmti_wire::trace::{Body, Record};
use jvmti_wire::value::Value;
use rustc_hash::FxHashMap;

use super::super::{Observed, Returned, UniversalRule};
use super::by_slot;

/// Functions, and which of their outputs never change. Generic signatures are left out: another version of the class may have
/// others.
const LASTING: [(&str, &[u16]); 12] = [
    ("GetObjectHashCode", &[1]),
    ("GetClassSignature", &[1]),
    ("IsInterface", &[1]),
    ("IsArrayClass", &[1]),
    ("GetClassLoader", &[1]),
    ("GetFieldName", &[2, 3]),
    ("GetFieldDeclaringClass", &[2]),
    ("GetMethodName", &[1, 2]),
    ("GetMethodDeclaringClass", &[1]),
    ("GetArgumentsSize", &[1]),
    ("IsMethodNative", &[1]),
    ("GetErrorName", &[1]),
];

/// Arguments and outputs that are remembered. What comes later is not judged.
const MOST: usize = 1 << 18;

/// The function and what it is asked about.
type Key = (u16, u64, u64);

pub(in super::super) struct Lasting {
    outputs: FxHashMap<u16, &'static [u16]>,
    told: FxHashMap<(Key, u16), Value>,
    observed: Observed,
}

impl Lasting {
    pub(in super::super) fn new(spec: &Edition) -> Self {
        Lasting { outputs: by_slot(spec, LASTING), told: FxHashMap::default(), observed: Observed::default() }
    }
}

/// What the call is about. `None`: that is not known, or somebody else may get its id.
fn key(call: &Returned<'_>) -> Option<Key> {
    let slot = call.function.slot;
    match call.call.args.as_slice() {
        [Value::Object(class), Value::Field(field), ..] => Some((slot, class.0, *field)),
        [Value::Object(object), ..] => Some((slot, object.0, 0)),
        // Outside of scenarios nobody says when classes are unloaded.
        [Value::Method(method), ..] if call.of_case => Some((slot, *method, 0)),
        [Value::Int(error), ..] => Some((slot, *error as u64, 0)),
        _ => None,
    }
}

impl UniversalRule for Lasting {
    fn assertion(&self) -> &'static str {
        "universal/lasting-answers"
    }

    fn returned(&mut self, call: &Returned<'_>) {
        let Some(lasting) = self.outputs.get(&call.function.slot).filter(|_| call.code == 0) else { return };
        let Some(key) = key(call) else { return };
        for (index, value) in call.outputs.iter().filter(|(index, _)| lasting.contains(index)) {
            if matches!(value, Value::Untouched | Value::Opaque | Value::Reference(_)) {
                continue;
            }
            match self.told.get(&(key, *index)) {
                Some(before) => {
                    self.observed.occasions += 1;
                    if before != value {
                        let place = || call.place();
                        let shown = |value| call.names.parameter(call.function.slot, *index, value);
                        let expected = format!("{}, as before", shown(before));
                        self.observed.broken(place, &expected, || shown(value));
                    }
                }
                None if self.told.len() < MOST => drop(self.told.insert((key, *index), value.clone())),
                None => {}
            }
        }
    }

    fn other(&mut self, record: &Record, names: &Names<'_>) {
        // Classes are unloaded between two runs of scenarios, and the ids of their methods may be given to others.
        if let Body::RunBegin { .. } = record.body {
            let of_method = |slot| names.facts(slot).is_some_and(|f| f.params[0].c_type == "jmethodID");
            self.told.retain(|((slot, ..), _), _| !of_method(*slot));
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
