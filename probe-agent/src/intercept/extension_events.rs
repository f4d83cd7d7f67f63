//! Intercepts the callbacks of agents for extension events, whose parameters the JVM describes.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use jni_sys::jint;
use jvmti_wire::Value;
use jvmti_wire::trace::Body;

use super::environments::AgentEnvironment;
use super::last_calls;
use super::local_references;
use super::recording_cost::{self, Timer};
use crate::ffi::extension::{IN_REGISTERS, kind, ty};
use crate::ffi::stub::{Entered, FIRST_EXTENSION};
use crate::ffi::{self, RawArg, error};
use crate::marshal;
use crate::recording::{clock, guarded, record_at, trouble};
use crate::vm::probe_environment::{self, ExtensionEvent};

/// The number of callbacks that stubs can replace.
const PLACES: usize = 64;

/// The callback of an agent for an extension event, which a stub replaces.
struct AgentCallback {
    environment: u32,
    event: &'static ExtensionEvent,
}

static PLACE: [OnceLock<AgentCallback>; PLACES] = [const { OnceLock::new() }; PLACES];
static FUNCTION: [AtomicPtr<c_void>; PLACES] = [const { AtomicPtr::new(null_mut()) }; PLACES];
static SETTING: Mutex<()> = Mutex::new(());

/// A function that the probe passed in place of the agent's.
pub struct Replaced {
    place: usize,
    before: *mut c_void,
}

/// Replaces the function that the agent passes to `SetExtensionEventCallback`.
pub fn replace(agent: &AgentEnvironment, entered: &mut Entered) -> Option<Replaced> {
    let (index, function) = (entered.words[1] as i32, RawArg(entered.words[2]).pointer());
    if function.is_null() {
        return None;
    }
    let _setting = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
    let event = events().iter().find(|event| event.index == index)?;
    if event.params.len() > IN_REGISTERS {
        trouble(format!("extension event {} has too many parameters to be recorded", event.id));
        return None;
    }
    let is_own = |place: &AgentCallback| place.environment == agent.number && place.event.index == index;
    let place = PLACE.iter().position(|place| place.get().is_none_or(is_own));
    let Some((place, stub)) = place.and_then(|i| Some((i, ffi::stub_of(FIRST_EXTENSION + i as u16)?))) else {
        trouble(format!("there are too many functions for extension events to record {}", event.id));
        return None;
    };
    let _ = PLACE[place].set(AgentCallback { environment: agent.number, event });
    let before = FUNCTION[place].swap(function, Ordering::AcqRel);
    entered.words[2] = stub.0.expose_provenance() as u64;
    Some(Replaced { place, before })
}

impl Replaced {
    /// `SetExtensionEventCallback` has returned.
    pub fn settle(self, code: jint) {
        if code != error::NONE {
            FUNCTION[self.place].store(self.before, Ordering::Release);
        }
    }
}

/// The JVM's extension events.
fn events() -> &'static [ExtensionEvent] {
    static EVENTS: OnceLock<Vec<ExtensionEvent>> = OnceLock::new();
    EVENTS.get_or_init(|| probe_environment::get().map(|own| own.extension_events()).unwrap_or_default())
}

/// The JVM sends an extension event.
pub fn deliver(entered: &Entered) -> jint {
    let index = usize::from(entered.slot - FIRST_EXTENSION);
    let Some(place) = PLACE.get(index).and_then(OnceLock::get) else { return 0 };
    let function = FUNCTION[index].load(Ordering::Acquire);
    if function.is_null() {
        return 0;
    }
    let began = clock::now();
    guarded(|| record_at(began, &arrived(place, entered)));
    let inside = local_references::extension_callback();
    let calling = last_calls::calling(function);
    let timer = Timer::start(None);
    // SAFETY: the agent set the function for this event, whose parameters are all in registers.
    let returned = unsafe { entered.forward(function) };
    let took = timer.stop();
    drop(calling);
    drop(inside);
    guarded(|| {
        took.record(began + took.wall);
        record_at(began + took.wall, &Body::ExtensionEventEnd { index: place.event.index });
    });
    recording_cost::recorded(began, took.wall);
    returned
}

fn arrived(place: &AgentCallback, entered: &Entered) -> Body {
    let value = |(param, word): (&(i32, i32), &u64)| match *param {
        _ if *word == 0 => Value::Null,
        (kind::IN_POINTER, ty::CHARACTERS) => {
            // SAFETY: the VM says that it passes a terminated string.
            Value::Str(unsafe { marshal::c_string(*word) })
        }
        _ => Value::Pointer(*word),
    };
    Body::ExtensionEvent {
        environment: place.environment,
        index: place.event.index,
        id: place.event.id.clone(),
        args: place.event.params.iter().zip(&entered.words[1..]).map(value).collect(),
    }
}
