//! Rules on monitors that others wait for: callbacks that return with a monitor entered, and nobody exits it, and threads that do
//! not come to exit one.

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, MonitorChange, NativeCode, Record};
use jvmti_wire::value::ObjectId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::held_monitors::{CONTENDED_ENTERED, Held, HeldMonitors, JAVA, told};
use super::{End, Info, MANY_CALLBACKS, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, Frame, TraceEvent};

pub(super) static LEFT: Info = Info {
    id: "monitor/left-entered",
    severity: Severity::Error,
    anchor: "RawMonitors",
    says: "exit a monitor on every way out of a callback, a native method or a round of a loop that enters it: other threads wait for it for good",
};

pub(super) static KEPT: Info = Info {
    id: "monitor/kept",
    severity: Severity::Warning,
    anchor: "RawMonitors",
    says: "exit a monitor before you wait for what other threads do, or run Java code: they may need the monitor for that",
};

#[derive(Default)]
pub(super) struct LeftEntered {
    held: HeldMonitors,
    /// Callbacks and native methods that returned while the thread held a monitor that it had entered in them: thread, monitor and when
    /// they began.
    returned: FxHashSet<(u32, u64, u64)>,
    /// The monitors that threads wait for.
    wanted: FxHashMap<u32, (u64, When)>,
    /// The monitors of Java objects that Java code has entered, as a callback tells that its thread is in.
    told: FxHashMap<u32, u64>,
}

impl MisuseRule for LeftEntered {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Begun(call) if state.names.function(call.function) == "RawMonitorEnter" => {
                if let Some(Value::Pointer(monitor)) = call.args.first() {
                    self.wanted.insert(record.thread, (*monitor, record.into()));
                }
            }
            TraceEvent::Returned { .. } => drop(self.wanted.remove(&record.thread)),
            TraceEvent::Other => {
                if let (Body::Native(NativeCode::MethodLeft), Some(method)) =
                    (&record.body, state.native_method(record.thread))
                {
                    self.leaves(record.thread, method.at);
                }
                if let Body::JavaMonitor { object, change, .. } = &record.body {
                    match change {
                        MonitorChange::Wanted => {
                            self.wanted.insert(record.thread, (JAVA | object.0, record.into()));
                        }
                        _ => drop(self.wanted.remove(&record.thread)),
                    }
                }
            }
            TraceEvent::Entered(delivery, args) => {
                let monitor = told(delivery, args).map(|object| (record.thread, JAVA | object.0));
                self.told.extend(monitor);
            }
            // An agent may keep others out when the JVM ends.
            TraceEvent::Left { delivery, .. } if delivery.name != "VMDeath" => {
                if delivery.name == CONTENDED_ENTERED {
                    self.told.remove(&record.thread);
                }
                self.leaves(record.thread, delivery.at);
            }
            _ => {}
        }
        self.held.take(state, record, trace_event);
    }

    fn stop(&self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        self.find_kept(state, last, end, found);
    }

    fn finish(&mut self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        self.find_kept(state, last, end, found);
        self.find_entered_again(state, last, end, found);
        for held in self.held.all().filter(|held| end.gapless && self.is_left(held, last, end)) {
            let Some(within) = &held.within else { continue };
            found.add(&LEFT, (state, held.when), (held.entries.site(), function(held)), || {
                let thread = state.names.thread(held.when.thread);
                let waits =
                    if self.is_wanted(held) { "; another thread waits for it at the end" } else { "" };
                format!(
                    "{} returned on thread {thread}, which has never exited the monitor that it entered here{waits}",
                    within.words
                )
            });
        }
    }
}

/// Whether the thread entered the monitor in native code that it reached otherwise.
fn is_in_no_callback(held: &Held) -> bool {
    held.within.as_ref().is_none_or(|within| within.is_method)
}

/// What has entered the monitor.
fn function(held: &Held) -> &'static str {
    if held.monitor & JAVA == 0 { "RawMonitorEnter" } else { "MonitorEnter" }
}

impl LeftEntered {
    /// The callback or native method that began then is about to return.
    fn leaves(&mut self, thread: u32, began: u64) {
        let held = self.held.of(thread).iter();
        let own = held.filter(|held| held.within.as_ref().is_some_and(|within| within.began == began));
        self.returned.extend(own.map(|held| (thread, held.monitor, began)));
    }

    /// Whether the callback or the native method has returned in which the thread entered the monitor.
    fn has_returned(&self, held: &Held) -> bool {
        let returned = |began| self.returned.contains(&(held.when.thread, held.monitor, began));
        held.within.as_ref().is_some_and(|within| returned(within.began))
    }

    /// Whether another thread waits for the monitor.
    fn is_wanted(&self, held: &Held) -> bool {
        self.wanted
            .iter()
            .any(|(thread, (monitor, _))| *monitor == held.monitor && *thread != held.when.thread)
    }

    /// Whether a callback or a native method has left the monitor entered for good. A thread that goes on may still exit what it holds,
    /// as long as nobody waits; for monitors of Java objects, Java code may wait unseen.
    fn is_left(&self, held: &Held, last: When, end: End) -> bool {
        let hangs = || end.is_cut_short() && held.monitor & JAVA != 0 && held.when.is_long_before(last);
        self.has_returned(held) && (end.is_orderly() || self.is_wanted(held) || hangs())
    }

    /// Threads that hold a monitor for which others wait when the program is killed, and that are in no call: they wait for
    /// something else, or run on.
    fn find_kept(&self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        if !end.is_cut_short() {
            return;
        }
        for held in self.held.all().filter(|held| held.when.is_long_before(last)) {
            let holder = held.when.thread;
            let waits = |(thread, (monitor, since)): &(&u32, &(u64, When))| {
                *monitor == held.monitor && **thread != holder && since.is_long_before(last)
            };
            let Some((waiting, _)) = self.wanted.iter().find(waits) else { continue };
            let who = match state.stack(holder).last() {
                Some(Frame::Delivery(within)) => format!("the callback of {} on thread", within.name),
                // A thread of the agent's, in no callback.
                None if is_in_no_callback(held) && !self.has_returned(held) && held.monitor & JAVA == 0 => {
                    "in no call of JVM TI, thread".to_owned()
                }
                _ => continue,
            };
            let wants = self.wanted.get(&holder).map(|(monitor, _)| *monitor);
            if wants.is_some_and(|monitor| !self.is_of_java_code(monitor)) {
                continue;
            }
            found.add(&KEPT, (state, held.when), (held.entries.site(), function(held)), || {
                let because = wants.map_or_else(String::new, |monitor| {
                    let object = state.names.value(&Value::Object(ObjectId(monitor & !JAVA)));
                    format!(", while it waited for the monitor of {object}, which Java code holds")
                });
                format!(
                    "{who} {} held the monitor that it entered here, and had not exited it when the program was ended{because}; \
                     thread {} waited for it",
                    state.names.thread(holder),
                    state.names.thread(*waiting)
                )
            });
        }
    }

    /// Threads that have entered a monitor again and again in no callback, such as in each round of a loop, and never exited it.
    fn find_entered_again(&self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        let again = |held: &&Held| {
            let is_often = held.entries.times() >= MANY_CALLBACKS;
            is_often && is_in_no_callback(held) && !self.is_left(held, last, end)
        };
        for held in self.held.all().filter(|held| end.gapless && again(held)) {
            found.add(&LEFT, (state, held.when), (held.entries.last(), function(held)), || {
                let thread = state.names.thread(held.when.thread);
                let times = held.entries.times();
                format!(
                    "thread {thread}, in no callback, entered the monitor {times} times more than it exited it"
                )
            });
        }
    }

    /// Whether it is the monitor of a Java object, and neither native code holds it nor a thread of which a callback tells that it
    /// does: another rule judges those.
    fn is_of_java_code(&self, monitor: u64) -> bool {
        let is_known = || {
            self.held.all().any(|held| held.monitor == monitor)
                || self.told.values().any(|told| *told == monitor)
        };
        monitor & JAVA != 0 && !is_known()
    }
}
