//! Calls that agents make: recorded, handed to the JVM, and recorded again with what came of them.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::LazyLock;

use jni_sys::jint;
use jvmti_wire::trace::{Body, HotArg, HotBody, StepRef};

use super::agents::{self, Agent};
use super::balance::{self, Given};
use super::jni_use::Forbidden;
use super::sampling::{self, Count, Turn};
use super::{
    agent_thread, delivery, extension, extension_function, guarded, poison, references, sites, table,
};
use crate::clock;
use crate::executor;
use crate::ffi::stub::Entered;
use crate::ffi::{self, CType, Env, FunctionDescriptor, ParamDescriptor, error, slot};
use crate::identity;
use crate::jni::{Jni, Ref};
use crate::marshal::{MOST_PARAMS, Passed};
use crate::onlooker::Onlooker;
use crate::recorder::{self, record, record_at, record_hot};
use crate::registrar;
use crate::stage;

thread_local! {
    /// Whether it has been recorded which `java.lang.Thread` this is.
    static NAMED: Cell<bool> = const { Cell::new(false) };
    /// Numbers for this thread's next calls: the next one, and the one beyond the last.
    static NUMBERS: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
}

/// A call of a function of JVM TI.
pub fn made(entered: &Entered) -> jint {
    let Some(function) = table::original(entered.slot) else {
        return error::INVALID_ENVIRONMENT;
    };
    let Some(agent) = guarded(|| agents::of(Env(ffi::RawArg(entered.words[0]).pointer()))).flatten() else {
        // SAFETY: the function stands in the slot that the agent called; the arguments are the agent's.
        return unsafe { entered.forward(function) };
    };
    let sampled = if agent.is_gone() { None } else { sampling::calls(entered.slot, entered.caller) };
    match sampled {
        None => recorded(agent, function, entered),
        Some((count, most)) => match count.next(most) {
            Turn::Recorded => recorded(agent, function, entered),
            Turn::Told => {
                let code = recorded(agent, function, entered);
                guarded(|| sampling::tell_calls(entered.slot, entered.caller, count, most));
                code
            }
            Turn::Counted => counted(agent, function, entered, count),
        },
    }
}

/// Makes a call that is counted. If it fails it is recorded nevertheless.
fn counted(agent: &'static Agent, function: *const c_void, entered: &Entered, count: &Count) -> jint {
    let brief = brief(entered.slot);
    // SAFETY: the function stands in the slot that the agent called; the arguments are the agent's.
    let forward = || unsafe { entered.forward(function) };
    let released = if brief == Brief::Returns { balance::release(entered.words[1]) } else { None };
    if matches!(brief, Brief::Returns | Brief::Before) && released.is_none() {
        let call = next_number();
        guarded(|| record_brief(agent, entered, call, &[]));
        let code = forward();
        if code != error::NONE {
            count.recorded();
            let end = HotBody::CallEnd { call, code, outputs: &[], exception: (false, false) };
            guarded(|| record_hot(clock::now(), &end));
        }
        return code;
    }
    let code = forward();
    if code != error::NONE {
        if let Some(given) = released {
            guarded(|| given.record(entered.words[1]));
        }
        count.recorded();
        failed(agent, entered, code);
        return code;
    }
    match brief {
        Brief::Gives | Brief::Held => drop(guarded(|| record_given(agent, entered, brief))),
        Brief::After => drop(guarded(|| record_brief(agent, entered, next_number(), &[]))),
        Brief::No | Brief::Before | Brief::Returns => {}
    }
    code
}

fn passed(entered: &Entered) -> Option<Passed<'_>> {
    let descriptor = ffi::descriptor(entered.slot)?;
    Some(Passed { descriptor, words: &entered.words[1..], float: entered.float })
}

/// Takes account of the memory that a call which is counted gave; what there is no room for is recorded.
fn record_given(agent: &Agent, entered: &Entered, brief: Brief) {
    let Some(mut blocks) = passed(entered).map(|passed| passed.blocks()).filter(|blocks| !blocks.is_empty())
    else {
        return;
    };
    let call = next_number();
    if brief == Brief::Held {
        let (environment, function, site) = (agent.number, entered.slot, sites::number(entered.caller));
        let (thread, about) = (recorder::thread(), entered.words[1]);
        blocks.retain(|(param, at)| {
            let given = Given { thread, call, environment, site, function, param: *param, about };
            !balance::hold(*at, &given)
        });
    }
    if !blocks.is_empty() {
        record_brief(agent, entered, call, &blocks);
    }
}

/// Records what a call that is counted does with memory or a raw monitor.
fn record_brief(agent: &Agent, entered: &Entered, call: u32, blocks: &[(u16, u64)]) {
    let Some(passed) = passed(entered) else { return };
    let mut args = [HotArg::Null; MOST_PARAMS];
    passed.args(&mut args);
    let [about, ..] = args;
    let (environment, function, site) = (agent.number, entered.slot, sites::number(entered.caller));
    record_hot(clock::now(), &HotBody::CallBrief { call, environment, function, site, about, blocks });
}

/// Makes a call and records it whole.
fn recorded(agent: &'static Agent, function: *const c_void, entered: &Entered) -> jint {
    let begun = guarded(|| Begun::new(agent, entered)).flatten();
    let Some(begun) = begun else {
        // SAFETY: the function stands in the slot that the agent called; the arguments are the agent's.
        return unsafe { entered.forward(function) };
    };
    let (code, took, replaced);
    if special(entered.slot) == Special::None {
        let start = clock::now();
        // SAFETY: as above.
        code = unsafe { entered.forward(function) };
        took = clock::since(start);
        replaced = None;
    } else {
        let mut entered = *entered;
        replaced = guarded(|| begun.replace(&mut entered)).flatten();
        let restricted = calls_back(entered.slot).then(Forbidden::enter);
        let start = clock::now();
        // SAFETY: as above; the arguments are the agent's, or as good.
        code = unsafe { entered.forward(function) };
        took = clock::since(start);
        drop(restricted);
    }
    guarded(|| begun.end(code, took, replaced));
    code
}

/// Records a call that was only to be counted, and has failed.
#[cold]
fn failed(agent: &'static Agent, entered: &Entered, code: jint) {
    guarded(|| {
        if let Some(begun) = Begun::new(agent, entered) {
            begun.end(code, 0, None);
        }
    });
}

/// A call that has begun.
struct Begun<'e> {
    agent: &'static Agent,
    descriptor: &'static FunctionDescriptor,
    passed: Passed<'e>,
    number: u32,
    site: u32,
    close: bool,
    at: u64,
}

/// What the probe has put into the place of an agent's argument.
enum Replaced {
    Callbacks(delivery::Replaced),
    Extension(extension::Replaced),
    Deallocated(poison::Deallocated),
    AgentThread(agent_thread::Replaced),
}

impl<'e> Begun<'e> {
    fn new(agent: &'static Agent, entered: &'e Entered) -> Option<Begun<'e>> {
        let passed = passed(entered)?;
        if entered.slot == slot::DEALLOCATE {
            balance::reveal(entered.words[1]);
        }
        tell_thread();
        let at = clock::now();
        let site = sites::number(entered.caller);
        let close = sites::looks_closely(site);
        let number = next_number();
        let mut args = [HotArg::Null; MOST_PARAMS];
        let count = passed.args(&mut args);
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
        Some(Begun { agent, descriptor: passed.descriptor, passed, number, site, close, at })
    }

    /// Puts functions of the probe's into the place of the agent's.
    fn replace(&self, entered: &mut Entered) -> Option<Replaced> {
        match self.descriptor.slot {
            slot::SET_EVENT_CALLBACKS => delivery::replace(self.agent, entered).map(Replaced::Callbacks),
            slot::SET_EXTENSION_EVENT_CALLBACK => {
                extension::replace(self.agent, entered).map(Replaced::Extension)
            }
            slot::DEALLOCATE => poison::replace(entered).map(Replaced::Deallocated),
            slot::RUN_AGENT_THREAD => agent_thread::replace(entered).map(Replaced::AgentThread),
            slot::GET_JNI_FUNCTION_TABLE | slot::SET_JNI_FUNCTION_TABLE => {
                references::end();
                None
            }
            _ => None,
        }
    }

    /// The call has returned. Its end gets the time at which it would have come without recording, so that the
    /// time between begin and end is the call's own.
    fn end(&self, code: jint, took: u64, replaced: Option<Replaced>) {
        let at = self.at + took;
        match replaced {
            Some(Replaced::Callbacks(replaced)) => replaced.settle(self.agent, code),
            Some(Replaced::Extension(replaced)) => replaced.settle(code),
            Some(Replaced::AgentThread(replaced)) => replaced.settle(code),
            Some(Replaced::Deallocated(memory)) => {
                return self.record_end(at, code, &memory.settle(self.number, code));
            }
            None => {}
        }
        if code == error::NONE {
            self.record_success(at);
        } else {
            if self.descriptor.slot == slot::ADD_CAPABILITIES && stage::is_running() {
                super::tell_capabilities("capabilities.now");
            }
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
        references::given(&self.passed, self.site);
        if let (slot::GET_EXTENSION_FUNCTIONS, [count, functions, ..]) =
            (self.descriptor.slot, self.passed.words)
        {
            extension_function::replace(*count, *functions);
        }
        let blocks = self.passed.blocks();
        if !blocks.is_empty() {
            record_hot(at, &HotBody::Blocks { call: self.number, blocks: &blocks });
        }
        // An environment that is gone leaves nothing to ask.
        if self.close && self.descriptor.slot != slot::DISPOSE_ENVIRONMENT {
            let jni = stage::objects_allowed().then(Jni::current).flatten();
            let outputs = self.passed.outputs_closely(&mut Onlooker { jni, methods_live: true });
            let exception = (false, false);
            record_at(at, &Body::CallEnd { call: self.number, code: error::NONE, outputs, exception });
            return;
        }
        let mut outputs = [(0, HotArg::Null); MOST_PARAMS];
        let count = self.passed.outputs(&mut outputs);
        self.record_end(at, error::NONE, &outputs[..count]);
    }
}

/// What there is to do about a function beside recording its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    None,
    /// It calls back where nothing but callback-safe functions are allowed.
    CallsBack,
    /// Something is done before, mostly in that what the agent passes is replaced.
    Replaced,
}

/// More than any slot.
const SLOTS: usize = 256;

static SPECIAL: LazyLock<[Special; SLOTS]> = LazyLock::new(|| {
    let mut special = [Special::None; SLOTS];
    for function in ffi::FUNCTIONS {
        special[usize::from(function.slot)] = match function.slot {
            slot::SET_EVENT_CALLBACKS
            | slot::SET_EXTENSION_EVENT_CALLBACK
            | slot::DEALLOCATE
            | slot::RUN_AGENT_THREAD
            | slot::GET_JNI_FUNCTION_TABLE
            | slot::SET_JNI_FUNCTION_TABLE => Special::Replaced,
            _ if is_restricting(function) => Special::CallsBack,
            _ => Special::None,
        };
    }
    special
});

fn special(slot: u16) -> Special {
    SPECIAL.get(usize::from(slot)).copied().unwrap_or(Special::None)
}

/// Whether calls of the function of that slot may be counted as far as [`Special`] is concerned.
pub fn is_plain(slot: u16) -> bool {
    special(slot) == Special::None || slot == ffi::slot::DEALLOCATE
}

/// Whether the function of that slot calls back where nothing but callback-safe functions are allowed.
pub fn calls_back(slot: u16) -> bool {
    special(slot) == Special::CallsBack
}

/// What becomes of a call that is counted, where every such call matters: to who holds memory, and raw monitors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Brief {
    /// Nothing.
    No,
    /// What it gives up is recorded, before anybody else can have it.
    Before,
    /// What it takes is recorded.
    After,
    /// The memory that it gives is recorded.
    Gives,
    /// Account is kept of the memory that it gives.
    Held,
    /// It gives memory back: of that which account is kept of nothing is recorded.
    Returns,
}

static BRIEF: LazyLock<[Brief; SLOTS]> = LazyLock::new(|| {
    let mut brief = [Brief::No; SLOTS];
    for function in ffi::FUNCTIONS {
        brief[usize::from(function.slot)] = match function.slot {
            slot::DEALLOCATE => Brief::Returns,
            slot::RAW_MONITOR_EXIT => Brief::Before,
            slot::RAW_MONITOR_ENTER => Brief::After,
            _ if !function.params.iter().any(ParamDescriptor::gives_memory) => Brief::No,
            _ if balance::is_for(function) => Brief::Held,
            _ => Brief::Gives,
        };
    }
    brief
});

fn brief(slot: u16) -> Brief {
    BRIEF.get(usize::from(slot)).copied().unwrap_or(Brief::No)
}

fn is_restricting(descriptor: &FunctionDescriptor) -> bool {
    descriptor.params.iter().any(|param| match param.ty {
        CType::Callback(callback) => callback.heap_callback,
        CType::Pointer(CType::Struct(layout)) => layout.name == "jvmtiHeapCallbacks",
        _ => false,
    })
}

/// This thread ends: recorded if agents have made calls on it.
pub fn thread_ends() {
    if NAMED.try_with(Cell::get).unwrap_or(false) {
        record(&Body::ThreadEnds);
    }
}

/// Number of the next call, unique in the trace. A thread takes many at a time.
fn next_number() -> u32 {
    const MANY: u32 = 64;
    NUMBERS
        .try_with(|numbers| {
            let (next, end) = numbers.get();
            let (next, end) = if next == end {
                let first = executor::next_calls(MANY);
                (first, first.wrapping_add(MANY))
            } else {
                (next, end)
            };
            numbers.set((next.wrapping_add(1), end));
            next
        })
        .unwrap_or_else(|_| executor::next_call())
}

/// Records at the first occasion which `java.lang.Thread` this thread is.
fn tell_thread() {
    if NAMED.try_with(Cell::get).unwrap_or(true) || !stage::is_live() || stage::is_restricted() {
        return;
    }
    let Some(jni) = Jni::current() else { return };
    let _ = NAMED.try_with(|named| named.set(true));
    if let Some(thread) = registrar::get().and_then(|registrar| registrar.current_thread()) {
        identity::current_thread(Some(jni), Ref(thread.0));
        jni.delete_local(thread);
    }
}
