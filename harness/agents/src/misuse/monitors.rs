//! Rules on raw monitors: which thread holds which monitor, and in what order threads enter them.

use std::collections::BTreeMap;

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, TraceEvent};

pub(super) static HELD: Info = Info {
    id: "monitor/held-at-end",
    severity: Severity::Error,
    anchor: "RawMonitorEnter",
    says: "exit all raw monitors that a thread has entered before the thread ends",
};
pub(super) static ORDER: Info = Info {
    id: "monitor/order",
    severity: Severity::Warning,
    anchor: "RawMonitors",
    says: "enter two raw monitors in the same order on all threads, or while holding a third one; otherwise threads may \
           deadlock",
};

pub(super) static DESTROYED: Info = Info {
    id: "monitor/destroyed",
    severity: Severity::Error,
    anchor: "DestroyRawMonitor",
    says: "do not use a raw monitor after destroying it, whatever the JVM returns",
};

/// A monitor that a thread holds.
struct Held {
    monitor: u64,
    times: u32,
    site: u32,
    /// When the thread ended, if the trace says so.
    ended: Option<When>,
}

/// A thread entered one monitor while it held another.
struct Edge {
    site: u32,
    when: When,
    /// The other monitors that the thread held. Two threads that hold a common one cannot deadlock.
    under: Vec<u64>,
}

/// The rule tracks this many pairs of monitors at most.
const MOST_WAYS: usize = 32;

#[derive(Default)]
pub(super) struct Monitors {
    held: FxHashMap<u32, Vec<Held>>,
    /// By the monitor held and the one entered.
    edges: BTreeMap<(u64, u64), Vec<Edge>>,
    names: FxHashMap<u64, String>,
    /// Monitors that calls are destroying. Before the probe records the end of such a call, another monitor may be created at
    /// the same address.
    ending: FxHashSet<u64>,
    destroyed: FxHashSet<u64>,
}

impl Monitors {
    fn name(&self, monitor: u64) -> String {
        match self.names.get(&monitor) {
            Some(name) => format!("{name:?}"),
            None => format!("{monitor:#x}"),
        }
    }

    fn created(&mut self, state: &AgentState<'_>, call: &Call, outputs: &[(u16, Value)]) {
        if state.names.function(call.function) != "CreateRawMonitor" {
            return;
        }
        let monitor = outputs.iter().find_map(|(_, value)| match value {
            Value::Pointer(monitor) => Some(*monitor),
            _ => None,
        });
        if let Some(monitor) = monitor {
            self.ending.remove(&monitor);
            self.destroyed.remove(&monitor);
        }
        if let (Some(monitor), Some(Value::Str(name))) = (monitor, call.args.first()) {
            self.names.insert(monitor, String::from_utf8_lossy(name).into_owned());
        }
    }

    fn entered(&mut self, call: &Call, monitor: u64, record: &Record) {
        let held = self.held.entry(record.thread).or_default();
        if let Some(again) = held.iter_mut().find(|held| held.monitor == monitor) {
            again.times += 1;
            return;
        }
        let holds = |monitor: u64| held.iter().any(|held| held.monitor == monitor);
        for outer in held.iter() {
            let ways = self.edges.entry((outer.monitor, monitor)).or_default();
            let is_known =
                |way: &Edge| way.when.thread == record.thread && way.under.iter().all(|under| holds(*under));
            if ways.len() < MOST_WAYS && !ways.iter().any(is_known) {
                let under =
                    held.iter().map(|held| held.monitor).filter(|under| *under != outer.monitor).collect();
                ways.push(Edge { site: call.site, when: record.into(), under });
            }
        }
        held.push(Held { monitor, times: 1, site: call.site, ended: None });
    }

    fn exited(&mut self, thread: u32, monitor: u64, wholly: bool) {
        let Some(held) = self.held.get_mut(&thread) else { return };
        for held in held.iter_mut().filter(|held| held.monitor == monitor) {
            held.times = if wholly { 0 } else { held.times.saturating_sub(1) };
        }
        held.retain(|held| held.times > 0);
    }

    fn begun(&mut self, state: &AgentState<'_>, record: &Record, call: &Call, found: &mut Violations) {
        let Some(Value::Pointer(monitor)) = call.args.first() else { return };
        let name = state.names.function(call.function);
        if !name.contains("RawMonitor") || name == "CreateRawMonitor" {
            return;
        }
        if self.destroyed.contains(monitor) {
            found.add(&DESTROYED, (state, record), (call.site, &name), || {
                format!("{}, which was destroyed", state.names.call(call.function, &call.args))
            });
        } else if name == "DestroyRawMonitor" {
            self.ending.insert(*monitor);
        }
    }

    fn returned(&mut self, state: &AgentState<'_>, record: &Record, call: &Call, outputs: &[(u16, Value)]) {
        let Some(Value::Pointer(monitor)) = call.args.first() else {
            return self.created(state, call, outputs);
        };
        match state.names.function(call.function).as_ref() {
            "RawMonitorEnter" => self.entered(call, *monitor, record),
            "RawMonitorExit" => self.exited(record.thread, *monitor, false),
            "DestroyRawMonitor" => {
                self.exited(record.thread, *monitor, true);
                // The JVM may create another one at its address.
                self.edges.retain(|(a, b), _| a != monitor && b != monitor);
                self.names.remove(monitor);
                if self.ending.remove(monitor) {
                    self.destroyed.insert(*monitor);
                }
            }
            _ => {}
        }
    }

    /// The thread ends. Callbacks that still run on it may exit monitors.
    fn ends(&mut self, when: When) {
        let held = self.held.entry(when.thread).or_default();
        held.iter_mut().for_each(|held| held.ended = Some(when));
    }
}

/// Two threads that entered two monitors in opposite orders.
fn meeting<'e>(there: &'e [Edge], back: &'e [Edge]) -> Option<(&'e Edge, &'e Edge)> {
    let meets = |a: &Edge, b: &Edge| {
        a.when.thread != b.when.thread && !a.under.iter().any(|under| b.under.contains(under))
    };
    there.iter().find_map(|a| back.iter().find(|b| meets(a, b)).map(|b| (a, b)))
}

impl MisuseRule for Monitors {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Begun(call) => self.begun(state, record, call, found),
            TraceEvent::Returned { call, code: 0, outputs, .. } => {
                self.returned(state, record, call, outputs)
            }
            TraceEvent::Brief(call) => {
                self.begun(state, record, call, found);
                self.returned(state, record, call, &[]);
            }
            TraceEvent::Other if record.body == Body::ThreadEnds => self.ends(record.into()),
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, whole: bool, found: &mut Violations) {
        // A thread that has not ended may still exit what it holds.
        for held in self.held.values().flatten().filter(|_| whole) {
            let Some(when) = held.ended else { continue };
            let (name, thread) = (self.name(held.monitor), state.names.thread(when.thread));
            found.add(&HELD, (state, when), (held.site, "RawMonitorEnter"), || {
                format!("thread {thread} ended without exiting monitor {name}")
            });
        }
        for ((a, b), ways) in self.edges.iter().filter(|((a, b), _)| a < b) {
            let Some((edge, other)) = self.edges.get(&(*b, *a)).and_then(|back| meeting(ways, back)) else {
                continue;
            };
            let (first, second) = (self.name(*a), self.name(*b));
            found.add(&ORDER, (state, edge.when), (edge.site, "RawMonitorEnter"), || {
                format!(
                    "thread {} enters {second} while it holds {first}, thread {} enters {first} while it holds \
                     {second} at {}",
                    state.names.thread(edge.when.thread),
                    state.names.thread(other.when.thread),
                    state.site_text(other.site)
                )
            });
        }
    }
}
