//! Intercepts the calls that agents make: records the call, passes it to the JVM, and records the result.

use std::cell::Cell;
use std::ffi::c_void;
use std::hint::black_box;

use jni_sys::jint;
use jvmti_wire::trace::{Body, HotArg, HotBody, StepRef};

use super::allocations;
use super::count::{Count, Decision};
use super::counted_calls::{Counted, passed};
use super::environments::{self, AgentEnvironment};
use super::forbidden_jni::Forbidden;
use super::function_kinds::{Special, calls_back, changes_suspension, special};
use super::held_monitors;
use super::leases::Leased;
use super::recording_cost::{self, Timer};
use super::{
    agent_thread, call_numbers, call_sites, callback_stack, events, extension_events, extension_functions,
    freed_elsewhere, function_table, given_blocks, global_references, heap_walks, hot_calls,
    local_references, poison, red_zones, sampling, set_jni_table, watched_threads,
};
use crate::ffi::stub::Entered;
use crate::ffi::{self, Env, FunctionDescriptor, error, slot};
use crate::marshal::{self, MOST_PARAMS, Passed};
use crate::recording::clock;
use crate::recording::{guarded, record, record_at, record_hot};
use crate::vm::identity;
use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment;
use crate::vm::resolver::ReadOnlyResolver;
use crate::vm::stage;

thread_local! {
    /// Whether the probe has recorded which `java.lang.Thread` this is.
    static NAMED: Cell<bool> = const { Cell::new(false) };
}

/// An agent calls a JVM TI function.
#[inline]
pub fn made(entered: &Entered) -> jint {
    // SAFETY: the function is that of the slot that the agent called; the arguments are the agent's.
    hot_calls::made(entered, None, |function| unsafe { entered.forward(function) })
        .unwrap_or_else(|| made_once(entered))
}

/// An agent calls a JVM TI function, perhaps for the first time.
#[inline(never)]
fn made_once(entered: &Entered) -> jint {
    let Some(function) = function_table::original(entered.slot) else {
        return error::INVALID_ENVIRONMENT;
    };
    let Some(agent) = guarded(|| environments::of(Env(ffi::RawArg(entered.words[0]).pointer()))).flatten()
    else {
        // SAFETY: the function stands in the slot that the agent called; the arguments are the agent's.
        return unsafe { entered.forward(function) };
    };
    let sampled = if agent.is_gone() { None } else { sampling::calls(entered.slot, entered.caller) };
    let Some((count, most)) = sampled else { return recorded(agent, function, entered) };
    let decision = count.next(most);
    match decision {
        Decision::Record => recorded(agent, function, entered),
        Decision::Report => {
            let code = recorded(agent, function, entered);
            guarded(|| sampling::record_call_count(entered.slot, entered.caller, count, most));
            code
        }
        Decision::Count | Decision::Measure => match countable(entered) {
            Countable::No => {
                count.recorded();
                recorded(agent, function, entered)
            }
            Countable::Keeps(memory) => Counted::new(agent, entered, count).keeps(memory),
            Countable::Yes if decision == Decision::Measure => {
                measured(agent, function, entered, count, most)
            }
            Countable::Yes => counted(agent, function, entered, count, most),
        },
    }
}

/// Whether a call that comes over and over may only be counted.
enum Countable {
    Yes,
    /// It may, and it passes memory to Deallocate that the probe keeps in place of the JVM.
    Keeps(poison::Deallocated),
    /// It uses something that it must not use, or may do so.
    No,
}

fn countable(entered: &Entered) -> Countable {
    let args = &entered.words[1..];
    if global_references::is_first_use_after_deletion(entered.slot, args) || poison::may_be_taken(args) {
        return Countable::No;
    }
    if entered.slot != slot::DEALLOCATE || !poison::is_on() {
        return Countable::Yes;
    }
    guarded(|| poison::take(args[0])).flatten().map_or(Countable::No, Countable::Keeps)
}

/// Makes a call that the probe has counted. The following ones from its call site may be faster.
fn counted(
    agent: &'static AgentEnvironment,
    function: *const c_void,
    entered: &Entered,
    count: &'static Count,
    most: u64,
) -> jint {
    let counted = Counted::new(agent, entered, count);
    counted.lease(most);
    // SAFETY: the function stands in the slot that the agent called; the arguments are the agent's.
    counted.make(&|| unsafe { entered.forward(function) })
}

/// Makes a call that the probe only counts, and measures how long it takes to count it.
#[cold]
fn measured(
    agent: &'static AgentEnvironment,
    function: *const c_void,
    entered: &Entered,
    count: &'static Count,
    most: u64,
) -> jint {
    let counted = Counted::new(agent, entered, count);
    let took = Cell::new(0);
    let forward = |function: *const c_void| {
        let start = clock::now();
        // SAFETY: the function stands in the slot that the agent called; the arguments are the agent's.
        let code = unsafe { entered.forward(function) };
        took.set(clock::since(start));
        code
    };
    counted.lease(most);
    let began = clock::now();
    // What is done for other calls before is part of it.
    black_box(watched_threads::quick().and_then(|thread| thread.leases.of(entered)));
    let code = hot_calls::made(entered, Some(Leased::alone(agent, count, function, counted.brief)), forward);
    let code = code.unwrap_or_else(|| {
        black_box(environments::of(Env(ffi::RawArg(entered.words[0]).pointer())));
        black_box(sampling::calls(entered.slot, entered.caller));
        counted.make(&|| forward(function))
    });
    recording_cost::counted(began, took.get());
    code
}

/// Makes a call and records it completely.
fn recorded(agent: &'static AgentEnvironment, function: *const c_void, entered: &Entered) -> jint {
    let began = clock::now();
    let changes_monitors = held_monitors::is_changed_by(entered.slot);
    let thread = if changes_monitors { watched_threads::own() } else { watched_threads::known() };
    let monitors = thread.map(|thread| &thread.monitors);
    if changes_monitors {
        monitors.inspect(|monitors| monitors.reveal());
    }
    let begun = guarded(|| Begun::new(agent, entered, began)).flatten();
    let Some(begun) = begun else {
        // SAFETY: the function stands in the slot that the agent called; the arguments are the agent's.
        return unsafe { entered.forward(function) };
    };
    let _within = thread.and_then(|thread| thread.calls.recorded());
    let (code, took, replaced);
    if special(entered.slot) == Special::None {
        let timer = Timer::start(begun.close);
        // SAFETY: as above.
        code = unsafe { entered.forward(function) };
        took = timer.stop();
        replaced = None;
    } else {
        let mut entered = *entered;
        replaced = guarded(|| begun.replace(&mut entered)).flatten();
        let restricted = calls_back(entered.slot).then(Forbidden::enter);
        let timer = Timer::start(begun.close);
        // SAFETY: as above; the arguments are the agent's, or as good.
        code = unsafe { entered.forward(function) };
        took = timer.stop();
        drop(restricted);
    }
    guarded(|| {
        took.record(began + took.wall);
        begun.end(code, took.wall, replaced);
    });
    if changes_monitors && code == error::NONE {
        held_monitors::returned(monitors, agent.number, entered);
    }
    recording_cost::recorded(began, took.wall);
    code
}

/// Records a counted call that has failed.
#[cold]
pub fn failed(agent: &'static AgentEnvironment, entered: &Entered, code: jint) {
    let began = clock::now();
    guarded(|| {
        if let Some(begun) = Begun::new(agent, entered, began) {
            begun.end(code, 0, None);
        }
    });
    recording_cost::recorded(began, 0);
}

/// A call that has begun.
struct Begun<'e> {
    agent: &'static AgentEnvironment,
    descriptor: &'static FunctionDescriptor,
    passed: Passed<'e>,
    number: u32,
    site: u32,
    caller: u64,
    /// If it is recorded in detail: how many from its call site were before.
    close: Option<u32>,
    at: u64,
}

/// An argument that the probe has replaced.
enum Replaced {
    Callbacks(events::Replaced),
    Extension(extension_events::Replaced),
    Deallocated(poison::Deallocated),
    AgentThread(agent_thread::Replaced),
    Walk(heap_walks::Replaced),
    /// It asks for more memory than the agent.
    Lengthened,
}

impl<'e> Begun<'e> {
    fn new(agent: &'static AgentEnvironment, entered: &'e Entered, at: u64) -> Option<Begun<'e>> {
        let passed = passed(entered)?;
        if entered.slot == slot::DEALLOCATE {
            allocations::reveal(entered.words[1]);
            poison::reveal(entered.words[1]);
        }
        record_thread();
        let site = call_sites::number(entered.caller);
        let whatever = changes_suspension(entered.slot).then_some(u32::MAX);
        let close = call_sites::looks_closely(site).or(whatever);
        callback_stack::record_address(entered, site);
        poison::record_deallocated(&passed, site);
        let number = call_numbers::next();
        let mut args = [HotArg::Null; MOST_PARAMS];
        let count = passed.args(&mut args);
        // A thread that suspends itself may never return.
        if entered.slot == slot::SUSPEND_THREAD
            && let Some(own) = identity::own(Jni::current(), Ref::from_word(entered.words[1]))
        {
            args[0] = HotArg::Object(own);
        }
        record_hot(
            at,
            &HotBody::CallBegin {
                call: number,
                environment: agent.number,
                function: entered.slot,
                step: StepRef::Site { site },
                args: &args[..count],
            },
        );
        let (descriptor, caller) = (passed.descriptor(), entered.caller);
        Some(Begun { agent, descriptor, passed, number, site, caller, close, at })
    }

    /// Replaces the agent's functions in the arguments.
    fn replace(&self, entered: &mut Entered) -> Option<Replaced> {
        match self.descriptor.slot {
            // SAFETY: the function is that of the slot, the arguments are the agent's.
            slot::SET_EVENT_CALLBACKS => unsafe {
                events::replace(self.agent, entered).map(Replaced::Callbacks)
            },
            slot::SET_EXTENSION_EVENT_CALLBACK => {
                extension_events::replace(self.agent, entered).map(Replaced::Extension)
            }
            slot::ALLOCATE => {
                (freed_elsewhere::sees_all() && red_zones::lengthen(entered)).then_some(Replaced::Lengthened)
            }
            slot::DEALLOCATE => poison::replace(entered).map(Replaced::Deallocated),
            slot::RUN_AGENT_THREAD => agent_thread::replace(entered).map(Replaced::AgentThread),
            slot::GET_JNI_FUNCTION_TABLE | slot::SET_JNI_FUNCTION_TABLE => {
                // An agent with an early VMStart may call before the probe's own VMStart.
                if let Some(environment) = probe_environment::get() {
                    environment.keep_jni_functions();
                }
                local_references::end();
                if self.descriptor.slot == slot::SET_JNI_FUNCTION_TABLE {
                    set_jni_table::record_missing(entered.words[1]);
                }
                None
            }
            _ if calls_back(self.descriptor.slot) => heap_walks::replace(entered).map(Replaced::Walk),
            _ => None,
        }
    }

    /// The call has returned. The time of the end record excludes the time that recording took, so that the two records show
    /// the duration of the call itself.
    fn end(&self, code: jint, took: u64, replaced: Option<Replaced>) {
        let at = self.at + took;
        match replaced {
            Some(Replaced::Callbacks(replaced)) => replaced.settle(self.agent, code),
            Some(Replaced::Extension(replaced)) => replaced.settle(code),
            Some(Replaced::AgentThread(replaced)) => replaced.settle(code),
            Some(Replaced::Walk(walk)) => walk.settle(self.descriptor.slot),
            Some(Replaced::Deallocated(memory)) => {
                return self.record_end(at, code, &memory.settle(self.number, code));
            }
            Some(Replaced::Lengthened) if code == error::NONE => {
                let words = self.passed.words();
                // SAFETY: the JVM has written the address through the agent's pointer.
                red_zones::begin(unsafe { marshal::load_pointer(words[1]) }, words[0], self.site);
            }
            Some(Replaced::Lengthened) | None => {}
        }
        if code == error::NONE {
            self.record_success(at);
        } else {
            if self.descriptor.slot == slot::ADD_CAPABILITIES && stage::is_running() {
                probe_environment::record_offered_capabilities("capabilities.now");
            }
            call_sites::record_failed(self.number, self.caller);
            self.record_end(at, code, &poison::failed(&self.passed, self.number));
        }
        if code == error::NONE && self.descriptor.slot == slot::DISPOSE_ENVIRONMENT {
            self.agent.set_gone();
        }
    }

    fn record_end(&self, at: u64, code: jint, outputs: &[(u16, HotArg<'_>)]) {
        record_hot(at, &HotBody::CallEnd { call: self.number, code, outputs, exception: (false, false) });
    }

    fn record_success(&self, at: u64) {
        poison::succeeded(&self.passed);
        let most_told = if self.close.is_some() { MOST_HANDLES } else { 0 };
        local_references::returned(&self.passed, self.site, most_told);
        if let (slot::GET_EXTENSION_FUNCTIONS, [count, functions, ..]) =
            (self.descriptor.slot, self.passed.words())
        {
            // SAFETY: the call has succeeded, and the agent has not been told yet.
            unsafe { extension_functions::replace(*count, *functions) };
        }
        let blocks = self.passed.blocks();
        if !blocks.is_empty() {
            blocks.iter().for_each(|(_, block)| given_blocks::given(*block));
            record_hot(at, &HotBody::Blocks { call: self.number, blocks: &blocks });
        }
        // A disposed environment cannot be asked.
        if self.close.is_some() && self.descriptor.slot != slot::DISPOSE_ENVIRONMENT {
            let jni = stage::objects_allowed().then(Jni::current).flatten();
            let outputs = self.passed.outputs_closely(&mut ReadOnlyResolver { jni, methods_live: true });
            let exception = (false, false);
            self.record_handles();
            record_at(at, &Body::CallEnd { call: self.number, code: error::NONE, outputs, exception });
            return;
        }
        let mut outputs = [(0, HotArg::Null); MOST_PARAMS];
        let count = self.passed.outputs(&mut outputs);
        self.record_end(at, error::NONE, &outputs[..count]);
    }
}

impl Begun<'_> {
    /// Records the references that the call has returned; their identities are in the record of its end.
    fn record_handles(&self) {
        let mut handles = Vec::new();
        self.passed.references(&mut |handle| {
            if handle != 0 && handles.len() < MOST_HANDLES {
                handles.push(handle);
            }
        });
        if !handles.is_empty() {
            record(&Body::ReferencesGiven { handles });
        }
    }
}

/// The number of references from one call that the probe records.
const MOST_HANDLES: usize = 64;

/// This thread is about to end: records that if agents have made calls on it.
pub fn thread_ends() {
    recording_cost::thread_ends();
    if let Some(thread) = watched_threads::known() {
        thread.monitors.reveal();
    }
    if NAMED.try_with(Cell::get).unwrap_or(false) {
        record(&Body::ThreadEnds);
    }
}

/// Records as soon as possible which `java.lang.Thread` this thread is.
fn record_thread() {
    if NAMED.try_with(Cell::get).unwrap_or(true) || !stage::is_live() || stage::is_restricted() {
        return;
    }
    let Some(jni) = Jni::current() else { return };
    let _ = NAMED.try_with(|named| named.set(true));
    if let Some(thread) = probe_environment::get().and_then(|own| own.current_thread()) {
        identity::current_thread(Some(jni), Ref(thread.0));
        jni.delete_local(thread);
    }
}
