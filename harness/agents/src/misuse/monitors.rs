//! Rules on raw monitors: which thread holds which monitor and waits for which, and in what order threads enter them.

mod java;

use std::collections::BTreeSet;

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::FxHashMap;

use super::held_monitors::{CONTENDED_ENTERED, Entries, Pairs};
use super::monitor_graph::{Cycles, Edge, Waiting, deadlocks};
use super::nested_waits::{Hopeless, NESTED, NestedWait, NestedWaits};
use super::suspensions::{Change, Suspenders};
use super::{End, Info, MisuseRule, Place, Related, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, TraceEvent};

pub(super) static HELD: Info = Info {
    id: "monitor/held-at-end",
    severity: Severity::Error,
    anchor: "RawMonitorEnter",
    says: "exit all raw monitors that a thread has entered before the thread ends",
};
pub(super) static DEADLOCK: Info = Info {
    id: "monitor/deadlock",
    severity: Severity::Error,
    anchor: "RawMonitors",
    says: "do not let threads wait for each other: each of these threads waits for a raw monitor that the next one holds, or \
           one that holds it was suspended by the next one",
};
pub(super) static ORDER: Info = Info {
    id: "monitor/order",
    severity: Severity::Warning,
    anchor: "RawMonitors",
    says: "enter raw monitors in the same order on all threads, or while holding another one that all of them hold; \
           otherwise threads may deadlock; the monitors of Java objects, entered by JNI, count too",
};

pub(super) static DESTROYED: Info = Info {
    id: "monitor/destroyed",
    severity: Severity::Error,
    anchor: "DestroyRawMonitor",
    says: "do not use a raw monitor after destroying it, whatever the JVM returns",
};

pub(super) static AWAITED: Info = Info {
    id: "monitor/awaited",
    severity: Severity::Warning,
    anchor: "DestroyRawMonitor",
    says: "destroy a raw monitor only when no thread waits for it or on it any more",
};

/// A monitor that a thread holds.
#[derive(Clone)]
struct Held {
    monitor: u64,
    entries: Entries,
    /// When the thread ended, if the trace says so.
    ended: Option<When>,
    /// When the callback for MonitorContendedEntered began that tells that Java code of this thread has entered the monitor.
    told: Option<u64>,
}

#[derive(Default)]
pub(super) struct Monitors {
    held: FxHashMap<u32, Vec<Held>>,
    pairs: Pairs,
    /// What a thread gave up for the duration of a RawMonitorWait.
    given_up: FxHashMap<u32, Held>,
    /// The monitor that each thread is about to enter, or to enter again.
    waiting: FxHashMap<u32, Waiting>,
    /// In which orders threads entered monitors.
    orders: Cycles,
    names: FxHashMap<u64, String>,
    /// How many monitors have been destroyed at each address that are still in `orders`.
    generations: FxHashMap<u64, u16>,
    /// How many that are in all.
    remembered: u16,
    /// Monitors that calls are destroying, by address, and on which threads. Before the probe records the end of such a call,
    /// another monitor may be created at the same address.
    ending: FxHashMap<u64, u32>,
    /// By address, with their names.
    destroyed: FxHashMap<u64, String>,
    nested_waits: NestedWaits,
    suspenders: Suspenders,
}

/// The bits of an address. Above them, a monitor's key says how many there were before at its address that are remembered.
const ADDRESS: u64 = 0xffff_ffff_ffff;
/// The bit of the key of a Java object's monitor; the others are the object's number.
const JAVA: u64 = 1 << 63;
/// The number of destroyed monitors whose orders are remembered.
const MOST_REMEMBERED: u16 = 4096;

impl Monitors {
    /// What stands for the monitor at that address, also after it is destroyed and another one is created there.
    fn key(&self, address: u64) -> u64 {
        let generation = self.generations.get(&address).copied().unwrap_or_default();
        address & ADDRESS | u64::from(generation) << ADDRESS.count_ones()
    }

    fn name(&self, monitor: u64) -> String {
        match self.names.get(&monitor) {
            Some(name) if monitor & JAVA != 0 => name.clone(),
            Some(name) => format!("{name:?}"),
            None => format!("{:#x}", monitor & ADDRESS),
        }
    }

    /// A thread has destroyed the monitor at that address.
    fn ended(&mut self, address: u64, thread: u32) {
        let monitor = self.key(address);
        self.held.entry(thread).or_default().retain(|held| held.monitor != monitor);
        if self.remembered < MOST_REMEMBERED && self.orders.contains(monitor) {
            self.remembered += 1;
            *self.generations.entry(address).or_default() += 1;
        } else {
            self.orders.forget(monitor);
            self.names.remove(&monitor);
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
        let Some(address) = monitor else { return };
        if let Some(thread) = self.ending.remove(&address) {
            self.ended(address, thread);
        }
        self.destroyed.remove(&address);
        if let Some(Value::Str(name)) = call.args.first() {
            self.names.insert(self.key(address), String::from_utf8_lossy(name).into_owned());
        }
    }

    /// The thread wants the monitor, whether or not it ever gets it.
    fn wants(&mut self, site: u32, monitor: u64, record: &Record) {
        let held = self.held.entry(record.thread).or_default();
        // Threads that the probe cannot tell apart have the number 0.
        if record.thread == 0 || held.iter().any(|held| held.monitor == monitor) {
            return;
        }
        let all: Vec<u64> = held.iter().map(|held| held.monitor).collect();
        for outer in &all {
            let edge = Edge { to: monitor, site, when: record.into(), held: all.clone() };
            self.orders.add(*outer, edge);
        }
        self.waiting.insert(record.thread, Waiting { monitor, site, when: record.into() });
    }

    fn entered(&mut self, site: u32, monitor: u64, record: &Record) {
        self.waiting.remove(&record.thread);
        let held = self.held.entry(record.thread).or_default();
        match held.iter_mut().find(|held| held.monitor == monitor) {
            Some(again) => again.entries.add(site),
            None => held.push(Held { monitor, entries: Entries::new(site), ended: None, told: None }),
        }
    }

    fn exited(&mut self, thread: u32, (monitor, site): (u64, u32)) {
        let Some(held) = self.held.get_mut(&thread) else { return };
        for held in held.iter_mut().filter(|held| held.monitor == monitor) {
            self.pairs.exit(&mut held.entries, site);
        }
        held.retain(|held| held.entries.times() > 0);
    }

    /// The thread begins to wait: it exits the monitor until it is notified, and enters it again then.
    fn waits(&mut self, call: &Call, monitor: u64, record: &Record) {
        let held = self.held.entry(record.thread).or_default();
        let Some(place) = held.iter().position(|held| held.monitor == monitor) else { return };
        let gives_up = held.remove(place);
        let others = self.held.entry(record.thread).or_default().iter().map(|held| held.monitor).collect();
        let when = record.into();
        self.nested_waits.waits(NestedWait { monitor, held: others, site: call.site, when });
        self.wants(call.site, monitor, record);
        self.given_up.insert(record.thread, gives_up);
    }

    /// A RawMonitorWait has returned, whatever its code.
    fn waited(&mut self, thread: u32) {
        self.waiting.remove(&thread);
        if let Some(held) = self.given_up.remove(&thread) {
            self.held.entry(thread).or_default().push(held);
        }
    }

    fn begun(&mut self, state: &AgentState<'_>, record: &Record, call: &Call, found: &mut Violations) {
        let Some(Value::Pointer(address)) = call.args.first() else { return };
        let name = state.names.function(call.function);
        let monitor = self.key(*address);
        match name.as_ref() {
            "DestroyRawMonitor" => drop(self.ending.insert(*address, record.thread)),
            "RawMonitorEnter" => self.wants(call.site, monitor, record),
            "RawMonitorWait" => self.waits(call, monitor, record),
            _ => {}
        }
        let uses = name.starts_with("RawMonitor") || name == "DestroyRawMonitor";
        if let Some(shown) = self.destroyed.get(address).filter(|_| uses) {
            found.add(&DESTROYED, (state, record), (call.site, &name), || {
                format!("{name} of {shown}, which was destroyed")
            });
        }
    }

    /// A monitor has been destroyed that other threads wait for.
    fn awaited(
        &self,
        state: &AgentState<'_>,
        record: &Record,
        (call, monitor): (&Call, u64),
        found: &mut Violations,
    ) {
        let others = self.waiting.values().filter(|waiting| waiting.monitor == monitor);
        for waiting in others.filter(|waiting| waiting.when.thread != record.thread) {
            let thread = state.names.thread(waiting.when.thread);
            found.add(&AWAITED, (state, record), (call.site, "DestroyRawMonitor"), || {
                format!("DestroyRawMonitor of {}, while thread {thread} waits for it", self.name(monitor))
            });
            found.relate(&AWAITED, (call.site, "DestroyRawMonitor"), || Related {
                what: format!("thread {thread} waits"),
                place: Place::Site(waiting.site).stack(state),
            });
        }
    }

    /// A call has succeeded.
    fn returned(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        (call, outputs): (&Call, &[(u16, Value)]),
        found: &mut Violations,
    ) {
        self.created(state, call, outputs);
        self.suspenders.take(record.thread, Change::of(state, call, outputs));
        let Some(Value::Pointer(address)) = call.args.first() else { return };
        let monitor = self.key(*address);
        match state.names.function(call.function).as_ref() {
            "RawMonitorEnter" => self.entered(call.site, monitor, record),
            "RawMonitorExit" => self.exited(record.thread, (monitor, call.site)),
            "RawMonitorWait" => self.waited(record.thread),
            "RawMonitorNotify" | "RawMonitorNotifyAll" => {
                let held = self.held.entry(record.thread).or_default().iter();
                self.nested_waits.notified(monitor, held.map(|held| held.monitor).collect());
            }
            // Another one may have been created at its address before this record.
            "DestroyRawMonitor" if self.ending.remove(address).is_some() => {
                self.awaited(state, record, (call, monitor), found);
                self.destroyed.insert(*address, self.name(monitor));
                self.ended(*address, record.thread);
            }
            _ => {}
        }
    }

    /// A call has failed.
    fn failed(&mut self, state: &AgentState<'_>, thread: u32, call: &Call) {
        match state.names.function(call.function).as_ref() {
            "RawMonitorEnter" => drop(self.waiting.remove(&thread)),
            "RawMonitorWait" => self.waited(thread),
            _ => {}
        }
    }

    /// The thread ends. Callbacks that still run on it may exit monitors.
    fn ends(&mut self, when: When) {
        self.has_no_java(when.thread);
        let held = self.held.entry(when.thread).or_default();
        held.iter_mut().for_each(|held| held.ended = Some(when));
    }

    fn holder(&self, monitor: u64) -> Option<(u32, &Held)> {
        self.held.iter().find_map(|(thread, held)| {
            held.iter().find(|held| held.monitor == monitor).map(|held| (*thread, held))
        })
    }

    /// Threads that wait for each other at the end of the trace.
    fn find_deadlocks(&self, state: &AgentState<'_>, found: &mut Violations) -> Vec<BTreeSet<u64>> {
        let holder = |monitor| {
            let (thread, _) = self.holder(monitor)?;
            // A thread that waits goes on waiting when it is resumed.
            let waits = self.waiting.contains_key(&thread);
            self.suspenders.of(state, thread).filter(|_| !waits).or(Some(thread))
        };
        let cycles = deadlocks(&self.waiting, holder);
        for cycle in &cycles {
            let Some((first, others)) = cycle.split_first() else { continue };
            let shown = |waiting: &Waiting| {
                let name = self.name(waiting.monitor);
                let by = self.holder(waiting.monitor);
                let by = by.map_or_else(String::new, |(holder, held)| {
                    let thread = state.names.thread(holder);
                    let by =
                        self.suspenders.of(state, holder).filter(|_| !self.waiting.contains_key(&holder));
                    let by =
                        by.map(|by| format!(", and which thread {} has suspended", state.names.thread(by)));
                    let entered = match held.told {
                        Some(_) => format!("Java code (it is in the callback of {CONTENDED_ENTERED})"),
                        None => state.site_text(held.entries.site()),
                    };
                    format!(", which thread {thread} entered in {entered}{}", by.unwrap_or_default())
                });
                format!("thread {} waits for monitor {name}{by}", state.names.thread(waiting.when.thread))
            };
            let all: Vec<String> = cycle.iter().map(|waiting| shown(waiting)).collect();
            found.add(&DEADLOCK, (state, first.when), (first.site, "RawMonitorEnter"), || all.join("; "));
            for other in others {
                found.relate(&DEADLOCK, (first.site, "RawMonitorEnter"), || Related {
                    what: shown(other),
                    place: Place::Site(other.site).stack(state),
                });
            }
        }
        cycles.iter().map(|cycle| cycle.iter().map(|waiting| waiting.monitor).collect()).collect()
    }

    /// Threads that wait on a monitor, and keep those out that would notify it.
    fn find_nested_waits(&self, state: &AgentState<'_>, end: End, found: &mut Violations) {
        let stuck = |kept: u64, wait: &NestedWait| {
            let waits = self.waiting.get(&wait.when.thread)?;
            let other = self.waiting.values().find(|other| other.monitor == kept);
            other.filter(|_| waits.site == wait.site && end.gapless).map(|other| other.when.thread)
        };
        for Hopeless { wait, kept, stuck } in self.nested_waits.hopeless(stuck) {
            found.add(&NESTED, (state, wait.when), (wait.site, "RawMonitorWait"), || {
                let thread = state.names.thread(wait.when.thread);
                let (monitor, kept) = (self.name(wait.monitor), self.name(kept));
                let because = match stuck {
                    Some(other) => format!("thread {} waits for that one", state.names.thread(other)),
                    None => format!("whoever notified {monitor} held that one"),
                };
                format!("thread {thread} waits on {monitor} while it holds {kept}; {because}")
            });
        }
    }

    /// Threads that entered monitors in orders that do not go together, unless these monitors are `known` to have caused a
    /// deadlock.
    fn find_orders(&self, state: &AgentState<'_>, known: &[BTreeSet<u64>], found: &mut Violations) {
        for cycle in self.orders.find() {
            if known.contains(&cycle.iter().map(|(monitor, _)| *monitor).collect()) {
                continue;
            }
            let Some(((_, edge), others)) = cycle.split_first() else { continue };
            let shown = |(from, edge): &(u64, &Edge)| {
                let thread = state.names.thread(edge.when.thread);
                format!("thread {thread} enters {} while it holds {}", self.name(edge.to), self.name(*from))
            };
            found.add(&ORDER, (state, edge.when), (edge.site, "RawMonitorEnter"), || {
                cycle.iter().map(shown).collect::<Vec<_>>().join(", ")
            });
            for other in others {
                found.relate(&ORDER, (edge.site, "RawMonitorEnter"), || Related {
                    what: shown(other),
                    place: Place::Site(other.1.site).stack(state),
                });
            }
        }
    }
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
                self.returned(state, record, (call, outputs), found)
            }
            TraceEvent::Returned { call, .. } => self.failed(state, record.thread, call),
            TraceEvent::Brief(call) => {
                self.begun(state, record, call, found);
                self.returned(state, record, (call, &[]), found);
            }
            TraceEvent::Other => match &record.body {
                Body::ThreadEnds => self.ends(record.into()),
                Body::JavaMonitor { object, change, site } => {
                    self.java(state, record, (*object, *change, *site));
                }
                _ => {}
            },
            TraceEvent::Entered(delivery, args) => self.java_code(state, record, (delivery, args)),
            TraceEvent::Left { delivery, .. } => {
                self.java_code_goes_on(record.thread, delivery);
                if state.stack(record.thread).is_empty() {
                    self.has_no_java(record.thread);
                }
            }
        }
    }

    fn stop(&self, state: &AgentState<'_>, _: When, _: End, found: &mut Violations) {
        self.find_deadlocks(state, found);
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        // A thread that has not ended may still exit what it holds.
        for held in self.held.values().flatten().filter(|_| end.whole) {
            let Some(when) = held.ended else { continue };
            let (name, thread) = (self.name(held.monitor), state.names.thread(when.thread));
            found.add(&HELD, (state, when), (held.entries.site(), "RawMonitorEnter"), || {
                format!("thread {thread} ended without exiting monitor {name}")
            });
        }
        let known = if end.gapless { self.find_deadlocks(state, found) } else { Vec::new() };
        self.find_orders(state, &known, found);
        self.find_nested_waits(state, end, found);
    }
}
