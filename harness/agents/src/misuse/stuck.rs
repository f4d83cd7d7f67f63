//! A rule on callbacks that do not come back.

use jvmti_spec::edition::Phase;
use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::FxHashSet;

use super::{End, Info, MisuseRule, Place, Related, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, Delivery, Frame, TraceEvent};

pub(super) static STUCK: Info = Info {
    id: "callback/stuck",
    severity: Severity::Warning,
    anchor: "eventIntro",
    says: "return from a callback: the thread of the program waits for it. A lock of the agent's that the thread holds already, or that \
           others hold in another order, or a condition that nobody signals any more, keeps it for good",
};

#[derive(Default)]
pub(super) struct Stuck {
    /// The threads of agents: those that have called functions outside callbacks, and have not ended.
    own: FxHashSet<u32>,
}

/// A call of RawMonitorWait that has not returned.
struct Wait<'s> {
    call: &'s Call,
    monitor: u64,
    has_timeout: bool,
}

/// The wait for a notification that the thread is in.
fn wait<'s>(state: &'s AgentState<'_>, thread: u32) -> Option<Wait<'s>> {
    let call =
        state.current_call(thread).filter(|of| state.names.function(of.function) == "RawMonitorWait")?;
    match call.args.as_slice() {
        [Value::Pointer(monitor), Value::Int(timeout), ..] => {
            Some(Wait { call, monitor: *monitor, has_timeout: *timeout != 0 })
        }
        _ => None,
    }
}

/// The same, if it lasts until there is a notification.
fn endless_wait<'s>(state: &'s AgentState<'_>, thread: u32) -> Option<Wait<'s>> {
    wait(state, thread).filter(|wait| !wait.has_timeout)
}

impl MisuseRule for Stuck {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        let thread = record.thread;
        match (trace_event, &record.body) {
            (TraceEvent::Begun(_) | TraceEvent::Brief(_), _) => {
                let is_program = state.delivery(thread).is_some()
                    || state.methods.get(&thread).is_some_and(|methods| !methods.is_empty());
                // A thread that loads an agent is the program's.
                if thread != 0 && !is_program && state.phase != Phase::OnLoad {
                    self.own.insert(thread);
                }
            }
            (_, Body::ThreadEnds) => drop(self.own.remove(&thread)),
            _ => {}
        }
    }

    fn stop(&self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        self.find(state, last, end, found);
    }

    fn finish(&mut self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        self.find(state, last, end, found);
    }
}

impl Stuck {
    fn find(&self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        if !end.is_killed() {
            return;
        }
        for (thread, stack) in &state.stacks {
            let when = |at| When { thread: *thread, at };
            match (stack.last(), state.delivery(*thread)) {
                (Some(Frame::Delivery(delivery)), _) if when(delivery.at).is_long_before(last) => {
                    self.find_running(state, when(delivery.at), (delivery, stack), found);
                }
                // In a call of JVM TI it waits for the JVM, or for what other rules tell of, or for a thread of the agent's.
                (Some(Frame::Call(_)), Some(delivery)) => {
                    // With a time-out, it waits again and again.
                    let since = |wait: &Wait<'_>| if wait.has_timeout { delivery.at } else { wait.call.at };
                    let wait = wait(state, *thread).filter(|wait| when(since(wait)).is_long_before(last));
                    if let Some(wait) = wait.filter(|_| self.all_wait(state, *thread)) {
                        self.find_waiting(state, &wait, delivery, found);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether no thread of an agent's is there that could notify a monitor, except that one.
    fn all_wait(&self, state: &AgentState<'_>, except: u32) -> bool {
        let waits = |thread: &&u32| **thread == except || endless_wait(state, **thread).is_some();
        self.own.iter().all(|thread| waits(&thread))
    }

    /// A callback is in no call of JVM TI.
    fn find_running(
        &self,
        state: &AgentState<'_>,
        when: When,
        (delivery, stack): (&Delivery, &[Frame]),
        found: &mut Violations,
    ) {
        let of_same = |frame: &&Frame| matches!(frame, Frame::Delivery(outer) if outer.name == delivery.name);
        let within = match stack.iter().filter(of_same).count() {
            1 => "",
            _ => ", within another one for this event",
        };
        let place = Place::Callback(delivery.environment, delivery.event.unwrap_or(0));
        found.add(&STUCK, (state, when), (place, &delivery.name), || {
            format!(
                "the callback of {} on thread {} had not returned when the program was killed{within}, and was in no call of JVM TI",
                delivery.name,
                state.names.thread(when.thread)
            )
        });
        self.relate_waits(state, (place, &delivery.name), found);
    }

    /// A callback waits for a notification.
    fn find_waiting(
        &self,
        state: &AgentState<'_>,
        wait: &Wait<'_>,
        delivery: &Delivery,
        found: &mut Violations,
    ) {
        let Wait { call, monitor, .. } = wait;
        let when = When { thread: call.thread, at: call.at };
        let (place, of) = (Place::Site(call.site), "RawMonitorWait");
        found.add(&STUCK, (state, when), (place, of), || {
            format!(
                "the callback of {} on thread {} waited until the program was killed for a notification of {monitor:#x}, and no thread \
                 of the agent is left that does not wait itself",
                delivery.name,
                state.names.thread(call.thread)
            )
        });
        self.relate_waits(state, (place, of), found);
    }

    /// Tells where threads of agents wait meanwhile.
    fn relate_waits(&self, state: &AgentState<'_>, (place, of): (Place, &str), found: &mut Violations) {
        for Wait { call, .. } in self.own.iter().filter_map(|thread| endless_wait(state, *thread)) {
            found.relate(&STUCK, (place, of), || Related {
                what: format!("thread {} waits for a notification", state.names.thread(call.thread)),
                place: Place::Site(call.site).stack(state),
            });
        }
    }
}
