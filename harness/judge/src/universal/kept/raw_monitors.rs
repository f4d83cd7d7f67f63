//! A raw monitor belongs to the thread that has entered it, as often as it has entered it, until it has exited as often.
//!
//! Only the thread's own calls change that, so nothing races. A trace tells native threads apart. What a virtual thread has
//! entered stays its own when another native thread carries it, so calls of threads that carry virtual ones are not judged. What has
//! been entered in the OnLoad phase is the main thread's later on, and the trace does not tell which native thread that is.

use jvmti_spec::Edition;
use jvmti_traces::Names;
use jvmti_wire::trace::{Body, Record};
use jvmti_wire::value::{ObjectId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::{Observed, Returned, Sent, UniversalRule};
use super::by_slot;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Creates,
    Destroys,
    Enters,
    Exits,
    /// Needs the monitor, and leaves it as it is.
    Uses,
}

const ROLES: [(&str, Role); 7] = [
    ("CreateRawMonitor", Role::Creates),
    ("DestroyRawMonitor", Role::Destroys),
    ("RawMonitorEnter", Role::Enters),
    ("RawMonitorExit", Role::Exits),
    ("RawMonitorWait", Role::Uses),
    ("RawMonitorNotify", Role::Uses),
    ("RawMonitorNotifyAll", Role::Uses),
];

pub(in super::super) struct RawMonitors {
    roles: FxHashMap<u16, Role>,
    /// Monitors whose creation is in the trace.
    created: FxHashSet<u64>,
    /// By thread and monitor, how often it is entered.
    entered: FxHashMap<(u32, u64), u32>,
    /// Whether an event has been sent: before the first one, an agent runs in the OnLoad phase.
    any_event: bool,
    /// The `java.lang.Thread` that each native thread has been, and those that have been several: these carry virtual threads.
    seen: FxHashMap<u32, ObjectId>,
    carriers: FxHashSet<u32>,
    not_owner: Option<i32>,
    interrupt: Option<i32>,
    blind: bool,
    observed: Observed,
}

impl RawMonitors {
    pub(in super::super) fn new(spec: &Edition) -> Self {
        RawMonitors {
            roles: by_slot(spec, ROLES),
            created: FxHashSet::default(),
            entered: FxHashMap::default(),
            any_event: false,
            seen: FxHashMap::default(),
            carriers: FxHashSet::default(),
            not_owner: spec.error("NOT_MONITOR_OWNER").map(|error| error.number),
            interrupt: spec.error("INTERRUPT").map(|error| error.number),
            blind: false,
            observed: Observed::default(),
        }
    }

    fn forget(&mut self, monitor: u64) {
        self.entered.retain(|(_, of), _| *of != monitor);
    }
}

/// Whether the thread that made the call carries virtual threads, as far as the trace tells.
fn may_be_virtual(call: &Returned<'_>) -> bool {
    let definitions = call.names.definitions();
    definitions.thread_object(call.record.thread).is_some_and(|thread| {
        let carries =
            |class: &str| ["CarrierThread;", "ForkJoinWorkerThread;"].iter().any(|end| class.ends_with(end));
        call.names.is_virtual_thread(thread) || definitions.class_of(thread).is_some_and(carries)
    })
}

impl UniversalRule for RawMonitors {
    fn assertion(&self) -> &'static str {
        "universal/raw-monitor-owner"
    }

    fn returned(&mut self, call: &Returned<'_>) {
        let Some(role) = self.roles.get(&call.function.slot).copied() else { return };
        if role == Role::Creates {
            if let (0, Some(Value::Pointer(monitor))) = (call.code, call.output(1)) {
                self.forget(*monitor);
                self.created.insert(*monitor);
            }
            return;
        }
        let Some(Value::Pointer(monitor)) = call.call.args.first() else { return };
        if role == Role::Destroys {
            if call.code == 0 {
                self.forget(*monitor);
                self.created.remove(monitor);
            }
            return;
        }
        if call.record.thread != call.call.thread
            || call.record.thread == 0
            || !self.created.contains(monitor)
            || self.carriers.contains(&call.record.thread)
            || may_be_virtual(call)
        {
            return;
        }
        let entered = self.entered.entry((call.record.thread, *monitor)).or_default();
        let is_owner = *entered > 0;
        let is_refused = Some(call.code) == self.not_owner;
        let is_done = call.code == 0 || role == Role::Uses && Some(call.code) == self.interrupt;
        match role {
            Role::Enters if call.code == 0 => *entered += 1,
            Role::Exits if call.code == 0 => *entered = entered.saturating_sub(1),
            _ => {}
        }
        if role != Role::Enters && (is_done || is_refused) {
            self.observed.occasions += 1;
            if is_refused == is_owner {
                let place = || call.place();
                let expected = if is_owner { "a thread that owns the monitor" } else { "NOT_MONITOR_OWNER" };
                self.observed.broken(place, expected, || call.names.error(call.code));
            }
        }
    }

    fn sent(&mut self, _event: &Sent<'_>) {
        if !std::mem::replace(&mut self.any_event, true) {
            for ((_, monitor), times) in std::mem::take(&mut self.entered) {
                if times > 0 {
                    self.created.remove(&monitor);
                }
            }
        }
    }

    fn other(&mut self, record: &Record, _names: &Names<'_>) {
        if let Body::ThreadSeen { object: Some(object), .. } = &record.body
            && self.seen.insert(record.thread, *object).is_some_and(|before| before != *object)
        {
            self.carriers.insert(record.thread);
        }
        if let Body::CallsCounted { function, .. } | Body::CallBrief { function, .. } = &record.body {
            self.blind |= self.roles.contains_key(function);
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        if self.blind { Observed::default() } else { self.observed }
    }
}
