//! A rule on threads that an agent suspends and never resumes.

use std::collections::BTreeMap;

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use jvmti_wire::value::ObjectId;

use super::{End, Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, Frame, TraceEvent};

pub(super) static LEFT: Info = Info {
    id: "thread/left-suspended",
    severity: Severity::Warning,
    anchor: "SuspendThread",
    says: "resume each thread that you suspend: a thread that stays suspended may keep what others wait for",
};

pub(super) static WITHIN: Info = Info {
    id: "thread/suspended-with-others",
    severity: Severity::Warning,
    anchor: "SuspendThreadList",
    says: "leave the current thread out of the threads that it suspends: it goes on only when another thread resumes it",
};

/// An agent that still has this much time, in nanoseconds, could have resumed the thread.
const ENOUGH: u64 = 1_000_000_000;

/// An agent suspended a thread.
struct Suspended {
    site: u32,
    function: u16,
    when: When,
    /// Whether the code that suspended the thread has returned: the callback, or the thread.
    over: bool,
}

impl Suspended {
    /// Whether nobody was about to resume it at the last record.
    fn is_for_good(&self, last: When) -> bool {
        self.over || last.at.saturating_sub(self.when.at) >= ENOUGH
    }
}

/// What a call that has succeeded does to the suspension of threads.
pub(super) enum Change {
    /// It suspends these threads.
    Suspended(Vec<ObjectId>),
    /// It resumes these threads.
    Resumed(Vec<ObjectId>),
    /// It may have resumed any thread.
    ResumedSome,
    /// Nothing.
    None,
}

impl Change {
    pub(super) fn of(state: &AgentState<'_>, call: &Call, outputs: &[(u16, Value)]) -> Change {
        let name = state.names.function(call.function);
        let output = |param: u16| outputs.iter().find(|(of, _)| *of == param).map(|(_, value)| value);
        let threads: Option<Vec<ObjectId>> = match (name.as_ref(), output(0), output(1), output(2)) {
            ("SuspendThread" | "ResumeThread", Some(Value::Object(thread)), _, _) => Some(vec![*thread]),
            (
                "SuspendThreadList" | "ResumeThreadList",
                _,
                Some(Value::List(list)),
                Some(Value::List(codes)),
            ) => list.iter().zip(codes).filter_map(succeeded).collect(),
            _ => None,
        };
        match (name.as_ref(), threads) {
            ("SuspendThread" | "SuspendThreadList", Some(threads)) => Change::Suspended(threads),
            ("ResumeThread" | "ResumeThreadList", Some(threads)) => Change::Resumed(threads),
            ("ResumeThread" | "ResumeThreadList" | "ResumeAllVirtualThreads", None) => Change::ResumedSome,
            _ => Change::None,
        }
    }
}

/// Which thread has suspended which.
#[derive(Default)]
pub(super) struct Suspenders(BTreeMap<ObjectId, u32>);

impl Suspenders {
    /// A call of that thread has succeeded.
    pub(super) fn take(&mut self, thread: u32, change: Change) {
        match change {
            Change::Suspended(threads) => self.0.extend(threads.into_iter().map(|of| (of, thread))),
            Change::Resumed(threads) => self.0.retain(|of, _| !threads.contains(of)),
            Change::ResumedSome => self.0.clear(),
            Change::None => {}
        }
    }

    /// The thread that has suspended this one.
    pub(super) fn of(&self, state: &AgentState<'_>, thread: u32) -> Option<u32> {
        let object = state.names.definitions().thread_object(thread)?;
        self.0.get(&object).copied().filter(|by| *by != thread)
    }
}

#[derive(Default)]
pub(super) struct Suspensions {
    threads: BTreeMap<ObjectId, Suspended>,
    /// When each thread was last resumed.
    resumed: BTreeMap<ObjectId, u64>,
    /// All virtual threads but a few, if nobody has resumed all since then.
    all_virtual: Option<Suspended>,
}

impl Suspensions {
    fn returned(&mut self, state: &AgentState<'_>, record: &Record, call: &Call, outputs: &[(u16, Value)]) {
        let suspended =
            || Suspended { site: call.site, function: call.function, when: record.into(), over: false };
        match Change::of(state, call, outputs) {
            Change::Suspended(threads) => {
                // A thread that goes on after it has suspended itself was resumed before the call returned.
                let own = state.names.definitions().thread_object(call.thread);
                let meanwhile = |thread: &ObjectId| self.resumed.get(thread).is_some_and(|at| *at >= call.at);
                let left: Vec<_> =
                    threads.into_iter().filter(|of| Some(*of) != own && !meanwhile(of)).collect();
                self.threads.extend(left.into_iter().map(|thread| (thread, suspended())));
            }
            Change::Resumed(threads) => {
                self.threads.retain(|thread, _| !threads.contains(thread));
                self.resumed.extend(threads.into_iter().map(|thread| (thread, record.at)));
            }
            Change::ResumedSome => *self = Suspensions::default(),
            Change::None if state.names.function(call.function) == "SuspendAllVirtualThreads" => {
                self.all_virtual = Some(suspended());
            }
            Change::None => {}
        }
    }
}

/// The thread, if the call succeeded for it; `Some(None)` if it is not known which one it is.
fn succeeded((thread, code): (&Value, &Value)) -> Option<Option<ObjectId>> {
    match (thread, code) {
        (Value::Object(thread), Value::Int(0)) => Some(Some(*thread)),
        (_, Value::Int(0)) => Some(None),
        _ => None,
    }
}

/// The calls of that function that had lasted long enough for somebody to resume the thread when the trace ended.
fn unreturned<'s>(
    state: &'s AgentState<'_>,
    last: When,
    function: &'static str,
) -> impl Iterator<Item = (When, &'s Call)> {
    let calls = state.calls.values().filter(move |call| {
        state.names.function(call.function) == function && last.at.saturating_sub(call.at) >= ENOUGH
    });
    calls.map(|call| (When { thread: call.thread, at: call.at }, call))
}

/// Threads that have suspended themselves, which nobody has resumed: a thread of an agent may wait in that way, but the program has
/// to wait for a callback.
fn find_suspended_themselves(state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
    // The callback of an agent may wait for a thread of the agent. The end of a JVM cuts callbacks off.
    let waits = |stack: &Vec<Frame>| {
        stack.iter().any(|frame| {
            matches!(frame, Frame::Delivery(delivery) if last.at.saturating_sub(delivery.at) >= ENOUGH)
        })
    };
    let callback_waits = !end.is_orderly() && state.stacks.values().any(waits);
    for (when, call) in unreturned(state, last, "SuspendThread") {
        let of_itself = match call.args.first() {
            Some(Value::Null) => true,
            Some(Value::Object(thread)) => {
                state.names.definitions().thread_object(call.thread) == Some(*thread)
            }
            _ => false,
        };
        let in_callback = state.delivery(call.thread).is_some_and(|delivery| delivery.event.is_some());
        if !of_itself || !(in_callback || callback_waits) {
            continue;
        }
        found.add(&LEFT, (state, when), (call.site, "SuspendThread"), || {
            let thread = state.names.thread(call.thread);
            let who = if in_callback { "a callback" } else { "a thread of the agent" };
            format!("{who} suspended its own thread, {thread}, and nobody resumed it")
        });
    }
}

impl MisuseRule for Suspensions {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Returned { call, code: 0, outputs, .. } => {
                self.returned(state, record, call, outputs)
            }
            TraceEvent::Left { .. } => self.over(record.thread),
            TraceEvent::Other if record.body == Body::ThreadEnds => self.over(record.thread),
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, last: When, end: End, found: &mut Violations) {
        self.find_suspended_with_others(state, last, end, found);
        if end.gapless {
            find_suspended_themselves(state, last, end, found);
        }
        // A call that was only counted may have resumed them.
        let resumes = |(_, function): &(u32, u16)| state.names.function(*function).starts_with("Resume");
        if !end.gapless || state.counted.calls.keys().any(resumes) {
            return;
        }
        // Whoever resumes single threads may resume all that there are: if that lets the program end, there were no others.
        let some_resumed = |all: &Suspended| self.resumed.values().any(|at| *at >= all.when.at);
        let is_left = |all: &&Suspended| all.is_for_good(last) && (!some_resumed(all) || end.is_killed());
        if let Some(suspended) = self.all_virtual.as_ref().filter(is_left) {
            found.add(&LEFT, (state, suspended.when), (suspended.site, "SuspendAllVirtualThreads"), || {
                let ended = if some_resumed(suspended) { "not all of them were" } else { "never" };
                format!("virtual threads were suspended and {ended} resumed")
            });
        }
        for (thread, suspended) in &self.threads {
            if !suspended.is_for_good(last) {
                continue;
            }
            let function = state.names.function(suspended.function);
            found.add(&LEFT, (state, suspended.when), (suspended.site, &function), || {
                format!("{} was suspended and never resumed", state.names.value(&Value::Object(*thread)))
            });
        }
    }
}

impl Suspensions {
    /// Threads that were suspended by their own calls, along with others, and that nobody has resumed.
    fn find_suspended_with_others(
        &self,
        state: &AgentState<'_>,
        last: When,
        end: End,
        found: &mut Violations,
    ) {
        // The end of a JVM cuts calls off.
        if end.is_orderly() || !end.gapless {
            return;
        }
        for (when, call) in unreturned(state, last, "SuspendAllVirtualThreads") {
            // It waits for nothing else, so the callback is that of a virtual thread.
            if state.delivery(call.thread).is_some() {
                found.add(&WITHIN, (state, when), (call.site, "SuspendAllVirtualThreads"), || {
                    let thread = state.names.thread(call.thread);
                    format!("a callback on thread {thread} suspended all virtual threads, its own too, and nobody resumed it")
                });
            }
        }
        for (when, call) in unreturned(state, last, "SuspendThreadList") {
            if matches!(call.args.first(), Some(Value::Int(count)) if *count > 1) {
                found.add(&WITHIN, (state, when), (call.site, "SuspendThreadList"), || {
                    let thread = state.names.thread(call.thread);
                    format!("thread {thread} is among those that it suspended, and nobody resumed it")
                });
            }
        }
    }

    /// The outermost code of agents on this thread returns.
    fn over(&mut self, thread: u32) {
        let all = self.threads.values_mut().chain(&mut self.all_virtual);
        all.filter(|suspended| suspended.when.thread == thread).for_each(|suspended| suspended.over = true);
    }
}
