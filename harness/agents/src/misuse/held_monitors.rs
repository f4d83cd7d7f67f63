//! The monitors that each thread has entered and not exited: raw ones, and those of Java objects that it entered by JNI.

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, MonitorChange, Record};
use jvmti_wire::value::ObjectId;
use rustc_hash::FxHashMap;

use super::When;
use crate::agent_state::{AgentState, Call, Delivery, TraceEvent};

/// The bit of the key of a Java object's monitor; the others are the object's number. That of a raw monitor is its address.
pub(super) const JAVA: u64 = 1 << 63;

/// The event that tells that a thread has entered the monitor of a Java object.
pub(super) const CONTENDED_ENTERED: &str = "MonitorContendedEntered";

/// The Java object whose monitor the callback tells that Java code of its thread has entered.
pub(super) fn told(delivery: &Delivery, args: &[Value]) -> Option<ObjectId> {
    match args.last() {
        Some(Value::Object(object)) if delivery.name == CONTENDED_ENTERED => Some(*object),
        _ => None,
    }
}

/// From where a thread has entered a monitor that it holds, the first entry first.
#[derive(Clone)]
pub(super) struct Entries {
    sites: Vec<u32>,
    /// How many more there are.
    more: usize,
}

/// The number of entries whose places are remembered.
const MOST_ENTRIES: usize = 64;

impl Entries {
    /// The thread has entered the monitor for the first time.
    pub(super) fn new(site: u32) -> Entries {
        Entries { sites: vec![site], more: 0 }
    }

    /// The thread enters the monitor again.
    pub(super) fn add(&mut self, site: u32) {
        if self.sites.len() < MOST_ENTRIES { self.sites.push(site) } else { self.more += 1 }
    }

    /// Where the first entry is that the thread has not undone.
    pub(super) fn site(&self) -> u32 {
        self.sites.first().copied().unwrap_or_default()
    }

    /// Where the thread entered it last.
    pub(super) fn last(&self) -> u32 {
        self.sites.last().copied().unwrap_or_default()
    }

    /// How many entries the thread has not undone.
    pub(super) fn times(&self) -> usize {
        self.sites.len() + self.more
    }
}

/// Which entry each exit undoes, by call sites: an exit that is left out is told from the others by what they have undone before.
#[derive(Default)]
pub(super) struct Pairs(FxHashMap<u32, u32>);

impl Pairs {
    /// The thread exits the monitor at that place.
    pub(super) fn exit(&mut self, entries: &mut Entries, site: u32) {
        if entries.more > 0 {
            entries.more -= 1;
            return;
        }
        let usual = self.0.get(&site).filter(|_| site != 0);
        match usual.and_then(|usual| entries.sites.iter().rposition(|entry| entry == usual)) {
            Some(place) => drop(entries.sites.remove(place)),
            None => drop(entries.sites.pop().and_then(|entry| self.0.insert(site, entry))),
        }
    }
}

/// A monitor that a thread holds.
pub(super) struct Held {
    pub(super) monitor: u64,
    pub(super) entries: Entries,
    pub(super) when: When,
    pub(super) within: Option<Within>,
}

/// The callback or the native method in which a thread entered a monitor.
pub(super) struct Within {
    /// When it began.
    pub(super) began: u64,
    pub(super) words: String,
    pub(super) is_method: bool,
}

impl Within {
    fn of(state: &AgentState<'_>, thread: u32) -> Option<Within> {
        let method = state.native_method(thread).map(|method| Within {
            began: method.at,
            words: format!("native method {}", method.name),
            is_method: true,
        });
        method.or_else(|| {
            state.delivery(thread).map(|delivery| Within {
                began: delivery.at,
                words: format!("the callback of {}", delivery.name),
                is_method: false,
            })
        })
    }
}

/// What the threads hold.
#[derive(Default)]
pub(super) struct HeldMonitors {
    held: FxHashMap<u32, Vec<Held>>,
    pairs: Pairs,
}

impl HeldMonitors {
    /// What the thread holds.
    pub(super) fn of(&self, thread: u32) -> &[Held] {
        self.held.get(&thread).map_or(&[], Vec::as_slice)
    }

    /// What all threads hold.
    pub(super) fn all(&self) -> impl Iterator<Item = &Held> {
        self.held.values().flatten()
    }

    /// Takes the next trace event.
    pub(super) fn take(&mut self, state: &AgentState<'_>, record: &Record, trace_event: &TraceEvent<'_>) {
        match trace_event {
            TraceEvent::Returned { call, code: 0, .. } | TraceEvent::Brief(call) => {
                self.called(state, record, call);
            }
            TraceEvent::Other => match &record.body {
                Body::JavaMonitor { object, change, site } => match change {
                    MonitorChange::Entered => self.entered(state, record, (JAVA | object.0, *site)),
                    MonitorChange::Exited => self.exited(record.thread, (JAVA | object.0, *site)),
                    MonitorChange::Unfollowed => {
                        self.held.values_mut().for_each(|held| held.retain(|held| held.monitor & JAVA == 0));
                    }
                    MonitorChange::Wanted | MonitorChange::Refused => {}
                },
                // Another rule tells of raw monitors.
                Body::ThreadEnds => {
                    let held = self.held.entry(record.thread).or_default();
                    held.retain(|held| held.monitor & JAVA != 0);
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// A call has succeeded.
    fn called(&mut self, state: &AgentState<'_>, record: &Record, call: &Call) {
        let Some(Value::Pointer(monitor)) = call.args.first() else { return };
        match state.names.function(call.function).as_ref() {
            "RawMonitorEnter" => self.entered(state, record, (*monitor, call.site)),
            "RawMonitorExit" => self.exited(record.thread, (*monitor, call.site)),
            "DestroyRawMonitor" => {
                self.held.values_mut().for_each(|held| held.retain(|held| held.monitor != *monitor));
            }
            _ => {}
        }
    }

    fn entered(&mut self, state: &AgentState<'_>, record: &Record, (monitor, site): (u64, u32)) {
        // Threads that the probe cannot tell apart have the number 0.
        if record.thread == 0 {
            return;
        }
        let held = self.held.entry(record.thread).or_default();
        if let Some(again) = held.iter_mut().find(|held| held.monitor == monitor) {
            again.entries.add(site);
            return;
        }
        let within = Within::of(state, record.thread);
        held.push(Held { monitor, entries: Entries::new(site), when: record.into(), within });
    }

    fn exited(&mut self, thread: u32, (monitor, site): (u64, u32)) {
        let Some(held) = self.held.get_mut(&thread) else { return };
        for held in held.iter_mut().filter(|held| held.monitor == monitor) {
            self.pairs.exit(&mut held.entries, site);
        }
        held.retain(|held| held.entries.times() > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_undoes_the_entry_that_it_usually_does() {
        let (mut pairs, [outer, inner, inner_exit, outer_exit]) = (Pairs::default(), [1, 2, 3, 4]);
        let mut entries = Entries::new(outer);
        entries.add(inner);
        pairs.exit(&mut entries, inner_exit);
        pairs.exit(&mut entries, outer_exit);
        assert_eq!(entries.times(), 0);
        // The inner exit is left out.
        let mut entries = Entries::new(outer);
        entries.add(inner);
        pairs.exit(&mut entries, outer_exit);
        assert_eq!((entries.times(), entries.site()), (1, inner));
        // Of unknown places, the last entry is undone.
        let mut entries = Entries::new(outer);
        entries.add(inner);
        pairs.exit(&mut entries, 0);
        pairs.exit(&mut entries, 0);
        assert_eq!(entries.times(), 0);
    }

    #[test]
    fn many_entries_are_counted() {
        let (mut pairs, mut entries) = (Pairs::default(), Entries::new(1));
        (0..999).for_each(|_| entries.add(1));
        assert_eq!(entries.times(), 1000);
        (0..999).for_each(|_| pairs.exit(&mut entries, 2));
        assert_eq!((entries.times(), entries.last()), (1, 1));
    }
}
