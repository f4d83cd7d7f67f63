//! Intercepts the callbacks of agents: records each event, and calls the agent's callback.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use jni_sys::jint;
use jvmti_wire::trace::{Body, HotArg, HotBody};

use super::class_data::{self, ClassData};
use super::count::Decision;
use super::environments::{self, AgentEnvironment};
use super::forbidden_jni::Forbidden;
use super::last_calls;
use super::lasting;
use super::recording_cost::{self, Timer};
use super::sampling;
use super::settings;
use super::{
    allocations, call_sites, callback_stack, local_references, native_methods, poison, watched_threads,
};
use crate::ffi::stub::Entered;
use crate::ffi::{self, CType, Env, EventCallbacks, FIRST_EVENT, RawArg, error, event};
use crate::marshal;
use crate::recording::clock;
use crate::recording::{guarded, record, record_hot};
use crate::vm::event::{Event, MOST_PARAMS};
use crate::vm::jni::Jni;
use crate::vm::stage;

/// The probe copies this many bytes of an array at most.
const COPIED: usize = 64;

/// A `jvmtiEventCallbacks` that the probe passed in place of the agent's.
pub struct Replaced {
    /// Keeps the memory alive that the JVM reads.
    _table: EventCallbacks,
    /// The agent's earlier callbacks: event and function.
    before: Vec<(u16, *mut c_void)>,
    /// The agent's new callbacks.
    after: Vec<(u16, *mut c_void)>,
}

/// Replaces the callbacks that the agent passes to `SetEventCallbacks`.
///
/// # Safety
/// The arguments have to be those of a call of that function.
pub unsafe fn replace(agent: &AgentEnvironment, entered: &mut Entered) -> Option<Replaced> {
    let (at, claimed) = (entered.words[1], entered.words[2] as i32);
    let Ok(claimed) = usize::try_from(claimed) else { return None };
    // The JVM itself reads no more than its own structure is long, whatever the agent claims.
    let size = if at == 0 { 0 } else { claimed.min(EventCallbacks::size_at(ffi::vm_release())) };
    // SAFETY: the agent passes a structure of the size that it claims, or of the JVM's own, if that is smaller.
    let given = unsafe { marshal::copied(at, size) };
    let mut table: Vec<usize> = given.iter().map(|word| *word as usize).collect();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for descriptor in ffi::EVENTS {
        let index = usize::from(descriptor.number - FIRST_EVENT);
        let Some(place) = agent.function(descriptor.number) else { continue };
        // A pointer that the structure contains only partly does not count.
        let word = given.get(index).copied().filter(|_| (index + 1) * size_of::<u64>() <= size).unwrap_or(0);
        let function = ffi::RawArg(word).pointer();
        before.push((descriptor.number, place.load(Ordering::Acquire)));
        if word != 0 && is_wanted(descriptor.number) {
            // Until the JVM has copied the structure, it may call either.
            place.store(function, Ordering::Release);
            table[index] = descriptor.trampoline().expose_provenance();
            after.push((descriptor.number, function));
        }
    }
    let table = EventCallbacks::with(&table);
    if at != 0 {
        entered.words[1] = table.as_ptr().expose_provenance() as u64;
    }
    let functions = call_sites::functions(&after);
    record(&Body::CallbacksSet { environment: agent.number, functions });
    Some(Replaced { _table: table, before, after })
}

impl Replaced {
    /// `SetEventCallbacks` has returned.
    pub fn settle(self, agent: &AgentEnvironment, code: jint) {
        let settled = if code == error::NONE { &self.after } else { &self.before };
        for (event, _) in &self.before {
            let now = settled.iter().find(|(set, _)| set == event).map_or(std::ptr::null_mut(), |(_, f)| *f);
            if let Some(place) = agent.function(*event) {
                place.store(now, Ordering::Release);
            }
        }
    }
}

fn is_wanted(event: u16) -> bool {
    settings::get().and_then(|wanted| wanted.events.as_ref()).is_none_or(|listed| listed.contains(&event))
}

/// The JVM sends an event. `false`: it is not for an agent.
///
/// The agent's callback may leave by an exception of C++ or by `pthread_exit`, as it does without the probe. So nothing that catches
/// panics is around it, only around what the probe itself does before and after.
pub fn deliver(env: Env, event: &Event<'_>) -> bool {
    let Some(agent) = environments::of(env) else { return false };
    let number = event.number();
    let Some(function) = agent.function(number) else { return true };
    let function = function.load(Ordering::Acquire);
    if function.is_null() {
        return true;
    }
    // SAFETY: the agent set the function for this event, and the JVM passed the parameters, or they are as good.
    let call = |args: &[RawArg]| unsafe { (event.descriptor().forward)(function, env.0, args) };
    let forward = || match number {
        event::NATIVE_METHOD_BIND => native_methods::deliver(event, call),
        _ => call(event.args()),
    };
    let _calling = last_calls::calling(function);
    let restricted = stage::is_restricting(number).then(Forbidden::enter);
    let sampled = sampling::most().zip(agent.count(number));
    let decision = sampled.map(|(most, count)| count.next(most));
    if matches!(decision, Some(Decision::Count | Decision::Measure)) {
        let _inside = local_references::extension_callback();
        let lasting = guarded(|| watched_threads::own()?.calls.callback(agent.number, number)).flatten();
        let before = exception_pending(event);
        forward();
        if exception_pending(event) != before {
            guarded(|| record_exception(event, before));
        }
        if let (Some(_), Some((_, count))) = (lasting.and_then(lasting::Inside::leave), sampled) {
            count.recorded();
            guarded(|| record_hot(clock::now(), &HotBody::EventEnd { event: number }));
        }
        // Only in this event agents leave memory to the JVM, so every one matters.
        if number == event::CLASS_FILE_LOAD_HOOK {
            guarded(|| record_taken(event));
        }
        drop(restricted);
        return true;
    }
    let at = clock::now();
    let closely = guarded(|| arrived(at, agent, event)).flatten();
    let inside = guarded(|| local_references::callback(number, closely.is_some()));
    let before = exception_pending(event);
    let _within = guarded(|| watched_threads::known()?.calls.recorded()).flatten();
    let class_data = ClassData::of(event);
    let on_stack = callback_stack::enter();
    let timer = Timer::start(closely);
    forward();
    let took = timer.stop();
    drop(on_stack);
    drop(inside);
    guarded(|| {
        record_taken(event);
        class_data.into_iter().for_each(|data| data.record_changes(event));
        record_exception(event, before);
        took.record(at + took.wall);
        record_hot(at + took.wall, &HotBody::EventEnd { event: number });
        if let (Some(Decision::Report), Some((most, count))) = (decision, sampled) {
            sampling::record_callback_count(agent, number, count, most);
        }
    });
    drop(restricted);
    recording_cost::recorded(at, took.wall);
    true
}

/// Whether a JNI exception is pending in this thread; `None` where that cannot be asked.
fn exception_pending(event: &Event<'_>) -> Option<bool> {
    event.carried_jni().map(Jni::exception_pending)
}

/// Records that the callback has left an exception behind, or cleared one that it found.
fn record_exception(event: &Event<'_>, before: Option<bool>) {
    if let (Some(before), Some(pending)) = (before, exception_pending(event))
        && before != pending
    {
        record(&Body::ExceptionChanged { event: event.number(), pending });
    }
}

/// Records memory that the agent has stored in an output of the event, and that the JVM owns from now on.
fn record_taken(event: &Event<'_>) {
    for at in event.memory_left() {
        allocations::reveal(at);
        if event.number() == event::CLASS_FILE_LOAD_HOOK {
            class_data::record_left(event);
        }
        record(&Body::MemoryTaken { event: event.number(), at });
        poison::taken(at);
    }
}

/// Records the event; the result tells whether in detail, and how many were before.
fn arrived(at: u64, agent: &AgentEnvironment, event: &Event<'_>) -> Option<u32> {
    let close = agent.looks_closely(event.number());
    let jni = if close.is_some() { event.jni() } else { None };
    let mut values = [HotArg::Null; MOST_PARAMS];
    let mut handles = Vec::new();
    let count = event.params().count().min(MOST_PARAMS);
    for (index, into) in values.iter_mut().enumerate().take(count) {
        if let Some(bytes) = event.bytes(index, COPIED) {
            *into = HotArg::Bytes(bytes);
        } else if !event.decode(index, jni, into) {
            *into = HotArg::Pointer(event.args()[index].0);
        }
        if let Some((param, word)) = event.param(index)
            && matches!(param.ty, CType::Reference(_) | CType::JValue)
        {
            match into {
                HotArg::Opaque => *into = HotArg::Reference(word.0),
                HotArg::Object(_) => handles.push(word.0),
                _ => {}
            }
        }
    }
    record_hot(
        at,
        &HotBody::Event { environment: agent.number, event: event.number(), args: &values[..count] },
    );
    if !handles.is_empty() {
        record(&Body::ReferencesGiven { handles });
    }
    close
}

#[cfg(test)]
mod tests {
    use std::ptr::{null_mut, without_provenance_mut};

    use super::*;
    use crate::ffi::{event_descriptor, slot};

    const PAGE: usize = 4096;

    /// The address of a structure of that size with nothing readable behind it, its words numbered from 1 on.
    fn at_the_end_of_memory(size: usize) -> u64 {
        // SAFETY: new memory.
        let start = unsafe {
            libc::mmap(
                null_mut(),
                2 * PAGE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(start, libc::MAP_FAILED);
        let at = start.wrapping_byte_add(PAGE - size).cast::<u64>();
        for index in 0..size / 8 {
            // SAFETY: the first page has room for it.
            unsafe { at.add(index).write(index as u64 + 1) };
        }
        // SAFETY: nobody uses the second page.
        assert_eq!(unsafe { libc::mprotect(start.wrapping_byte_add(PAGE), PAGE, libc::PROT_NONE) }, 0);
        at.expose_provenance() as u64
    }

    #[test]
    fn no_more_is_read_than_the_jvm_reads_itself() {
        let env = Env(without_provenance_mut(0x5150));
        environments::add(77, env);
        let agent = environments::of(env).unwrap();
        let size = EventCallbacks::size_at(ffi::vm_release());
        let given = at_the_end_of_memory(size);
        for claimed in [size, 60_000, i32::MAX as usize] {
            let words = [env.0.addr() as u64, given, claimed as u64, 0, 0, 0];
            let mut entered = Entered { slot: slot::SET_EVENT_CALLBACKS, words, float: 0, caller: 0 };
            // SAFETY: the structure is as long as the JVM's own.
            let replaced = unsafe { replace(agent, &mut entered) }.expect("replaced");
            let index = usize::from(event::VM_DEATH - FIRST_EVENT);
            let function = agent.function(event::VM_DEATH).unwrap().load(Ordering::Acquire);
            assert_eq!(function.addr(), index + 1);
            // SAFETY: the probe's own structure.
            let passed = unsafe { marshal::copied(entered.words[1], size) };
            let trampoline = event_descriptor(event::VM_DEATH).unwrap().trampoline();
            assert_eq!(passed[index], trampoline.expose_provenance() as u64);
            replaced.settle(agent, error::NONE);
        }
    }
}
