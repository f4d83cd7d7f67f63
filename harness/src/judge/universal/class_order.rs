//! ClassLoad of a class comes before its ClassPrepare.
//!
//! Judged for one environment and one thread: another thread may prepare a class while the one that loaded it is on its
//! way into the callback. And judged for hidden classes only: another class may have been created before ClassLoad was
//! enabled, and be sent a ClassLoad again when a further loader is asked for it.

use jvmti_wire::value::{ObjectId, Value};
use rustc_hash::FxHashSet;

use super::{Kind, Observed, Rule, Sent};

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
    let param = event.event.params.iter().position(|p| p.name == "klass")?;
    match event.args.get(param) {
        Some(Value::Object(class)) => Some(*class),
        _ => None,
    }
}

impl Rule for LoadBeforePrepare {
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
        if !event.names.class_signature(class).flatten().is_some_and(is_hidden) {
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
