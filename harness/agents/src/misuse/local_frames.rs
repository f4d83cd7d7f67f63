//! A rule on callbacks that push local frames and do not pop them, or pop more than they pushed.

use jvmti_wire::trace::{Body, NativeCode, Record};
use rustc_hash::FxHashMap;

use super::{End, Info, MisuseRule, Place, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static UNPAIRED: Info = Info {
    id: "jni/local-frames",
    severity: Severity::Warning,
    anchor: "eventIntro",
    says: "pop each local frame that a callback pushes, on every way out, and no other",
};

/// A callback: whether the trace has what it does with local frames, and how many it has pushed and not popped.
#[derive(Clone, Copy, Default)]
struct Frames {
    watched: bool,
    pushed: u32,
}

/// A violation that counts only if the trace has no gaps.
struct Suspicion {
    when: When,
    place: Place,
    event: String,
    what: String,
}

#[derive(Default)]
pub(super) struct LocalFrames {
    /// The callbacks that each thread is in.
    threads: FxHashMap<u32, Vec<Frames>>,
    suspicions: Vec<Suspicion>,
}

impl LocalFrames {
    fn suspect(&mut self, record: &Record, (place, of): (Place, &str), what: String) {
        self.suspicions.push(Suspicion { when: record.into(), place, event: of.to_owned(), what });
    }
}

/// The native code that the thread is in: its place, what it is about, and what it is.
fn native_code(
    state: &AgentState<'_>,
    record: &Record,
    trace_event: &TraceEvent<'_>,
) -> Option<(Place, String, String)> {
    let delivery = match trace_event {
        TraceEvent::Left { delivery, .. } => Some(*delivery),
        _ => state.delivery(record.thread),
    };
    match (state.native_method(record.thread), delivery, trace_event) {
        (Some(method), _, TraceEvent::Other) => {
            Some((Place::Site(method.site), method.name.clone(), format!("native method {}", method.name)))
        }
        (_, Some(delivery), _) => {
            let place = Place::Callback(delivery.environment, delivery.event.unwrap_or(0));
            Some((place, delivery.name.clone(), format!("the callback of {}", delivery.name)))
        }
        _ => None,
    }
}

impl MisuseRule for LocalFrames {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        let callbacks = self.threads.entry(record.thread).or_default();
        match (trace_event, &record.body) {
            (TraceEvent::Entered(..), _) => callbacks.push(Frames::default()),
            (TraceEvent::Other, Body::Native(NativeCode::MethodEntered { .. })) => {
                callbacks.push(Frames::default());
            }
            (TraceEvent::Left { .. }, _) | (TraceEvent::Other, Body::Native(NativeCode::MethodLeft)) => {
                let left = callbacks.pop().filter(|frames| frames.watched && frames.pushed > 0);
                if let (Some(Frames { pushed, .. }), Some((place, of, native))) =
                    (left, native_code(state, record, trace_event))
                {
                    let what = format!("{native} pushed {pushed} local frames that it did not pop");
                    self.suspect(record, (place, &of), what);
                }
            }
            (TraceEvent::Other, Body::LocalsKnown { known: true }) => {
                callbacks.last_mut().into_iter().for_each(|frames| frames.watched = true);
            }
            (TraceEvent::Other, Body::Native(NativeCode::LocalFrame { pushed: true })) => {
                callbacks.last_mut().into_iter().for_each(|frames| frames.pushed += 1);
            }
            (TraceEvent::Other, Body::Native(NativeCode::LocalFrame { pushed: false })) => {
                let Some(frames) = callbacks.last_mut().filter(|frames| frames.watched) else { return };
                let is_own = frames.pushed > 0;
                frames.pushed = frames.pushed.saturating_sub(1);
                if let Some((place, of, native)) = native_code(state, record, trace_event).filter(|_| !is_own)
                {
                    let what = format!("{native} pops a local frame that it did not push");
                    self.suspect(record, (place, &of), what);
                }
            }
            (TraceEvent::Other, Body::Native(NativeCode::FramesOpen { site, open })) => {
                let what = format!(
                    "thread {} has pushed {open} local frames, and popped none of them",
                    state.names.thread(record.thread)
                );
                self.suspect(record, (Place::Site(*site), "PushLocalFrame"), what);
            }
            (TraceEvent::Other, Body::ThreadEnds) => callbacks.clear(),
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        for Suspicion { when, place, event, what } in self.suspicions.drain(..).filter(|_| end.gapless) {
            found.add(&UNPAIRED, (state, when), (place, &event), || what);
        }
    }
}
