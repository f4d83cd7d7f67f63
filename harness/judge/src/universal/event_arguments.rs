//! Events pass the threads, classes, objects and methods that they are about.

use jvmti_spec::Edition;
use jvmti_spec::edition::{Event, ParamKind};
use jvmti_wire::value::Value;
use rustc_hash::FxHashMap;

use super::{Observed, Sent, UniversalRule};

/// Parameters of which the descriptions leave open whether they can be null: a class need not have a protection domain, and a
/// field may be accessed by native code that no method has called. While the JVM starts, and while a thread is attached, the
/// current thread has no object yet.
const LEFT_OPEN: [(&str, &str); 8] = [
    ("ClassFileLoadHook", "protection_domain"),
    ("FieldAccess", "method"),
    ("FieldModification", "method"),
    ("NativeMethodBind", "thread"),
    ("ClassLoad", "thread"),
    ("ClassPrepare", "thread"),
    ("VMObjectAlloc", "thread"),
    ("SampledObjectAlloc", "thread"),
];

pub(super) struct EventArguments<'a> {
    /// By event: the parameters that are never null, with their places.
    given: FxHashMap<u16, Vec<(usize, &'a str)>>,
    observed: Observed,
}

impl<'a> EventArguments<'a> {
    pub(super) fn new(spec: &'a Edition) -> Self {
        let given = spec.events.iter().map(|event| (event.number, given(event))).collect();
        EventArguments { given, observed: Observed::default() }
    }
}

fn given(event: &Event) -> Vec<(usize, &str)> {
    let names = event.params.iter().enumerate().filter_map(|(at, param)| {
        let refers = matches!(param.kind, ParamKind::JniRef | ParamKind::Id);
        (refers && param.null_when.is_none()).then_some((at, param.name.as_str()))
    });
    names.filter(|(_, name)| !LEFT_OPEN.contains(&(event.name.as_str(), name))).collect()
}

impl UniversalRule for EventArguments<'_> {
    fn assertion(&self) -> &'static str {
        "universal/event-arguments-given"
    }

    fn sent(&mut self, event: &Sent<'_>) {
        for (at, name) in self.given.get(&event.event.number).map_or(&[][..], Vec::as_slice) {
            let Some(arg) = event.args.get(*at) else { continue };
            self.observed.occasions += 1;
            if matches!(arg, Value::Null | Value::Method(0) | Value::Field(0)) {
                let place = || event.names.event_with(event.event.number, event.args);
                self.observed.broken(place, &format!("{name} to be given"), || format!("{name}: null"));
            }
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
