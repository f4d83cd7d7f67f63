//! Events on their way to an agent's functions.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use jni_sys::jint;
use jvmti_wire::trace::{Body, HotArg, HotBody};

use super::count::Decision;
use super::environments::{self, AgentEnvironment};
use super::forbidden_jni::Forbidden;
use super::sampling;
use super::settings;
use super::{allocations, call_sites, local_references, poison};
use crate::ffi::stub::Entered;
use crate::ffi::{self, Env, EventDescriptor, FIRST_EVENT, error, event};
use crate::marshal;
use crate::recording::clock;
use crate::recording::{guarded, record, record_hot};
use crate::vm::event::{Event, MOST_PARAMS};
use crate::vm::stage;

/// More than a `jvmtiEventCallbacks` of any version is long, in bytes.
const LONGEST: i64 = 1 << 16;
/// Bytes of an array that are copied.
const COPIED: usize = 64;

/// A `jvmtiEventCallbacks` that was passed in place of the agent's.
pub struct Replaced {
    /// Holds what the VM reads; as many words as the agent's has.
    _table: Box<[u64]>,
    /// What the agent's functions were before: event and function.
    before: Vec<(u16, *mut c_void)>,
    /// What they are to be.
    after: Vec<(u16, *mut c_void)>,
}

/// Puts the probe's functions into the place of those that the agent passes to `SetEventCallbacks`.
pub fn replace(agent: &AgentEnvironment, entered: &mut Entered) -> Option<Replaced> {
    let (at, size) = (entered.words[1], i64::from(entered.words[2] as i32));
    if !(0..LONGEST).contains(&size) {
        return None;
    }
    let size = if at == 0 { 0 } else { usize::try_from(size).ok()? };
    // SAFETY: the agent passes a structure of that size.
    let given = unsafe { marshal::copied(at, size) };
    let mut table = given.clone();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for descriptor in ffi::EVENTS {
        let index = usize::from(descriptor.number - FIRST_EVENT);
        let Some(place) = agent.function(descriptor.number) else { continue };
        // A word that the structure ends within is none.
        let word = given.get(index).copied().filter(|_| (index + 1) * size_of::<u64>() <= size).unwrap_or(0);
        let function = ffi::RawArg(word).pointer();
        before.push((descriptor.number, place.load(Ordering::Acquire)));
        if word != 0 && is_wanted(descriptor.number) {
            // Until the VM has taken it over, either may be called.
            place.store(function, Ordering::Release);
            table[index] = trampoline(descriptor);
            after.push((descriptor.number, function));
        }
    }
    let table = table.into_boxed_slice();
    if at != 0 {
        entered.words[1] = table.as_ptr().expose_provenance() as u64;
    }
    let functions = after.iter().map(|(event, f)| (*event, call_sites::place(f.expose_provenance() as u64)));
    record(&Body::CallbacksSet { environment: agent.number, functions: functions.collect() });
    Some(Replaced { _table: table, before, after })
}

impl Replaced {
    /// The VM has answered.
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

/// The probe's own function for an event.
fn trampoline(descriptor: &EventDescriptor) -> u64 {
    descriptor.trampoline().expose_provenance() as u64
}

/// An event comes. `false`: it is not for an agent.
pub fn deliver(env: Env, event: &Event<'_>) -> bool {
    let Some(agent) = environments::of(env) else { return false };
    let number = event.number();
    let Some(function) = agent.function(number) else { return true };
    let function = function.load(Ordering::Acquire);
    if function.is_null() {
        return true;
    }
    // SAFETY: the agent set the function for this event, and the JVM passed the parameters.
    let forward = || unsafe { (event.descriptor().forward)(function, env.0, event.args()) };
    let restricted = stage::is_restricting(number).then(Forbidden::enter);
    let sampled = sampling::most().zip(agent.count(number));
    let decision = sampled.map(|(most, count)| count.next(most));
    if decision == Some(Decision::Count) {
        let _inside = local_references::extension_callback();
        forward();
        // The one event in which memory is left to the JVM: it matters each time.
        if number == event::CLASS_FILE_LOAD_HOOK {
            guarded(|| record_taken(event));
        }
        drop(restricted);
        return true;
    }
    let at = clock::now();
    let closely = guarded(|| arrived(at, agent, event)).unwrap_or(false);
    let inside = local_references::callback(number, closely);
    let start = clock::now();
    forward();
    let took = clock::since(start);
    drop(inside);
    guarded(|| {
        record_taken(event);
        record_hot(at + took, &HotBody::EventEnd { event: number });
        if let (Some(Decision::Report), Some((most, count))) = (decision, sampled) {
            sampling::record_callback_count(agent, number, count, most);
        }
    });
    drop(restricted);
    true
}

/// Records memory that the agent has left in an output of the event: the JVM owns it from now on.
fn record_taken(event: &Event<'_>) {
    for at in event.memory_left() {
        allocations::reveal(at);
        record(&Body::MemoryTaken { event: event.number(), at });
        poison::taken(at);
    }
}

/// Records the event. Gives whether it is looked at closely.
fn arrived(at: u64, agent: &AgentEnvironment, event: &Event<'_>) -> bool {
    let close = agent.looks_closely(event.number());
    let jni = if close { event.jni() } else { None };
    let mut values = [HotArg::Null; MOST_PARAMS];
    let count = event.params().count().min(MOST_PARAMS);
    for (index, into) in values.iter_mut().enumerate().take(count) {
        if let Some(bytes) = event.bytes(index, COPIED) {
            *into = HotArg::Bytes(bytes);
        } else if !event.decode(index, jni, into) {
            *into = HotArg::Pointer(event.args()[index].0);
        }
    }
    record_hot(
        at,
        &HotBody::Event { environment: agent.number, event: event.number(), args: &values[..count] },
    );
    close
}

/// All of the probe's functions have to exist for what is passed to the VM.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::event_callbacks;

    #[test]
    fn each_event_has_a_function_of_the_probes() {
        let all = event_callbacks(&ffi::EVENTS.iter().map(|event| event.number).collect::<Vec<_>>());
        for descriptor in ffi::EVENTS {
            let index = usize::from(descriptor.number - FIRST_EVENT);
            // SAFETY: the structure has an entry for each event.
            let entry = unsafe { all.as_ptr().cast::<u64>().add(index).read() };
            assert_eq!(entry, trampoline(descriptor), "{}", descriptor.name);
        }
    }
}
