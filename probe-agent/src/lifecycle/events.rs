//! Events as they arrive: recorded first, then acted upon.

use jvmti_wire::trace::{Body, HotArg};

use super::vm_life;
use crate::execute::cases;
use crate::execute::occurrence::{EventAt, Firing, Occurrence};
use crate::ffi::{self, Env, RawArg, event};
use crate::intercept;
use crate::recording::{guarded, record, record_event};
use crate::vm::environments::{self, OwnEnvironment};
use crate::vm::event::{Event, MOST_PARAMS};
use crate::vm::jni::Jni;
use crate::vm::stage::{self, Restricted};

/// Receives every event of every environment, the probe's and those of the agents that it intercepts.
///
/// # Safety
/// The parameters have to be those that the JVM passed to a callback which has not returned.
pub unsafe fn dispatch(env: Env, number: u16, args: &[RawArg]) {
    let Some(descriptor) = ffi::event_descriptor(number) else { return };
    // SAFETY: the caller vouches for the parameters.
    let event = unsafe { Event::new(descriptor, args) };
    if intercept::is_on() && intercept::deliver(env, &event) {
        return;
    }
    guarded(|| own(env, event));
}

/// Receives an event of an environment of the probe's.
fn own(env: Env, event: Event<'_>) {
    let number = event.number();
    let Some(environment) = environments::of(env) else { return };
    let own = environment.case.is_none();
    if own && number == event::THREAD_END {
        return intercept::thread_ends();
    }
    if own && number == event::NATIVE_METHOD_BIND && intercept::is_on() {
        return intercept::bound(&event);
    }
    if own {
        vm_life::begins(number);
    }
    let _restricted = stage::is_restricting(number).then(Restricted::enter);
    let jni = event.jni();
    record_arrival(environment, &event, jni);
    let acted = match environment.case {
        None => {
            vm_life::act(number, jni);
            true
        }
        Some(case) => {
            let at = EventAt { environment, event };
            let firing = Firing { occurrence: Occurrence::Event(at), jni };
            cases::get().and_then(|cases| cases.case(case)).is_some_and(|case| firing.fire_for(case))
        }
    };
    // Most callbacks return at once: their end is recorded only where something happened in between.
    if acted || is_milestone(number) {
        record(&Body::EventEnd { event: number });
    }
}

fn is_milestone(number: u16) -> bool {
    matches!(number, event::VM_START | event::VM_INIT | event::VM_DEATH)
}

fn record_arrival(environment: &OwnEnvironment, event: &Event<'_>, jni: Option<Jni>) {
    let mut decoded = [HotArg::Null; MOST_PARAMS];
    let count = event.params().count().min(MOST_PARAMS);
    for (index, into) in decoded.iter_mut().enumerate().take(count) {
        if !event.decode(index, jni, into) {
            return record_in_full(environment, event, jni);
        }
    }
    record_event(environment.number, event.number(), &decoded[..count]);
}

#[cold]
fn record_in_full(environment: &OwnEnvironment, event: &Event<'_>, jni: Option<Jni>) {
    let args = event.values(jni);
    record(&Body::Event { environment: environment.number, event: event.number(), args });
}
