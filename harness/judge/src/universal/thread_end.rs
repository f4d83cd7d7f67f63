//! The JVM sends no event on a thread after its ThreadEnd.
//!
//! Events that the probe causes inside a ThreadEnd callback do not come after it. Nor do those before the ThreadEnd of
//! another environment, since the JVM is still sending the event.

use jvmti_traces::Names;
use jvmti_wire::trace::{Body, Record};
use jvmti_wire::value::ObjectId;
use rustc_hash::FxHashMap;

use super::{Kind, Observed, Sent, UniversalRule};

/// A thread that has ended.
struct Ended {
    /// The native thread that it ran on.
    native: u32,
    /// The first event that came on it since.
    next: Option<(String, String)>,
}

#[derive(Default)]
pub(super) struct ThreadEnd {
    number: Option<u16>,
    ended: FxHashMap<ObjectId, Ended>,
    /// The last to have ended on a native thread.
    last_on: FxHashMap<u32, ObjectId>,
    occasions: u64,
}

impl UniversalRule for ThreadEnd {
    fn assertion(&self) -> &'static str {
        "universal/thread-end-last"
    }

    fn sent(&mut self, event: &Sent<'_>) {
        let Some(thread) = event.thread else { return };
        if event.kind == Kind::ThreadEnd {
            self.number = Some(event.event.number);
            self.occasions += 1;
            let native = event.record.thread;
            self.ended.insert(thread, Ended { native, next: None });
            self.last_on.insert(native, thread);
        } else if let Some(ended) = self.ended.get_mut(&thread)
            && ended.native == event.record.thread
            && ended.next.is_none()
        {
            let shown = event.names.event_with(event.event.number, event.args);
            ended.next = Some((shown, event.names.object(thread)));
        }
    }

    fn other(&mut self, record: &Record, _names: &Names<'_>) {
        if let Body::EventEnd { event } = record.body
            && Some(event) == self.number
            && let Some(ended) = self.last_on.get(&record.thread).and_then(|t| self.ended.get_mut(t))
        {
            // Whatever came so far came inside the callback.
            ended.next = None;
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        let mut observed = Observed { occasions: self.occasions, ..Observed::default() };
        let mut late: Vec<_> = self.ended.into_iter().collect();
        late.sort_by_key(|(thread, _)| *thread);
        for (shown, thread) in late.into_iter().filter_map(|(_, ended)| ended.next) {
            let expected = format!("no event on {thread} after its ThreadEnd");
            observed.broken(|| shown.clone(), &expected, || "it came".to_owned());
        }
        observed
    }
}
