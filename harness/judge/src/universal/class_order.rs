//! The JVM sends ClassLoad for a class once, and before ClassPrepare.
//!
//! The rule on the order compares events of one environment on one thread: another thread may prepare a class while the
//! thread that loaded it is about to enter the callback. It covers hidden classes only, since no event of theirs can come
//! before the agent enabled it. A ClassLoad for another class that is prepared already is a second one, for the other rule.

use jvmti_wire::value::{ObjectId, Value};
use rustc_hash::FxHashSet;

use super::{Kind, Observed, Sent, UniversalRule};

#[derive(Default)]
pub(super) struct LoadBeforePrepare {
    prepared: FxHashSet<(u32, u32, ObjectId)>,
    observed: Observed,
}

/// Whether a class of that signature is hidden: no other has a dot in it.
fn is_hidden(signature: &str) -> bool {
    signature.contains('.')
}

fn class(event: &Sent<'_>) -> Option<ObjectId> {
    match event.arg("klass") {
        Some(Value::Object(class)) => Some(*class),
        _ => None,
    }
}

impl UniversalRule for LoadBeforePrepare {
    fn assertion(&self) -> &'static str {
        "universal/class-load-before-prepare"
    }

    fn sent(&mut self, event: &Sent<'_>) {
        let prepare = match event.kind {
            Kind::ClassPrepare => true,
            Kind::ClassLoad => false,
            _ => return,
        };
        let Some(class) = class(event) else { return };
        if !event.names.definitions().class_signature(class).flatten().is_some_and(is_hidden) {
            return;
        }
        let key = (event.environment, event.record.thread, class);
        if prepare {
            self.prepared.insert(key);
            return;
        }
        self.observed.occasions += 1;
        if self.prepared.contains(&key) {
            let place = || event.names.event_with(event.event.number, event.args);
            self.observed.broken(place, "ClassLoad before ClassPrepare", || {
                format!("{} had been prepared on this thread before", event.names.object(class))
            });
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}

/// No class but a hidden one is sent ClassLoad after the environment has seen it loaded or prepared.
#[derive(Default)]
pub(super) struct LoadOnce {
    loaded: FxHashSet<(u32, ObjectId)>,
    prepared: FxHashSet<(u32, u32, ObjectId)>,
    observed: Observed,
}

impl UniversalRule for LoadOnce {
    fn assertion(&self) -> &'static str {
        "universal/class-load-once"
    }

    fn sent(&mut self, event: &Sent<'_>) {
        if !matches!(event.kind, Kind::ClassLoad | Kind::ClassPrepare) {
            return;
        }
        let Some(class) = class(event) else { return };
        if event.names.definitions().class_signature(class).flatten().is_some_and(is_hidden) {
            return;
        }
        let on_thread = (event.environment, event.record.thread, class);
        if event.kind == Kind::ClassPrepare {
            self.prepared.insert(on_thread);
            return;
        }
        self.observed.occasions += 1;
        let again = !self.loaded.insert((event.environment, class));
        if again || self.prepared.contains(&on_thread) {
            let place = || event.names.event_with(event.event.number, event.args);
            self.observed.broken(place, "ClassLoad once, when the class is created", || {
                let before = if again { "loaded" } else { "prepared" };
                format!("{} had been {before} before", event.names.object(class))
            });
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
