//! Intercepts extension functions, whose parameters the JVM describes. Agents get their addresses from
//! `GetExtensionFunctions`, so the probe replaces these by addresses of stubs.

use std::ffi::{c_char, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

use jni_sys::jint;
use jvmti_wire::trace::{Body, HotArg, HotBody, StepRef};

use super::recording_cost::{self, Timer};
use super::{call_sites, environments, local_references};
use crate::ffi::extension::{IN_REGISTERS, ParamInfo, described, kind, kinds, ty};
use crate::ffi::stub::{Entered, FIRST_FUNCTION};
use crate::ffi::{self, Env, RawArg, error};
use crate::marshal;
use crate::recording::clock;
use crate::recording::next_call;
use crate::recording::{guarded, record, record_hot, trouble};

/// The number of functions that stubs can replace.
const PLACES: usize = 64;

/// `jvmtiExtensionFunctionInfo`
#[repr(C)]
struct FunctionInfo {
    function: *mut c_void,
    id: *mut c_char,
    description: *mut c_char,
    param_count: jint,
    params: *mut ParamInfo,
    error_count: jint,
    errors: *mut jint,
}

/// An extension function of the JVM that a stub replaces.
struct ExtensionFunction {
    function: RawArg,
    /// Kind and type of the parameters.
    params: Vec<(i32, i32)>,
}

static PLACE: [OnceLock<ExtensionFunction>; PLACES] = [const { OnceLock::new() }; PLACES];
static SETTING: Mutex<()> = Mutex::new(());

/// `GetExtensionFunctions(env, jint*, jvmtiExtensionFunctionInfo**)` has succeeded: replaces the functions by stubs.
///
/// # Safety
/// They have to be the arguments of that call.
pub unsafe fn replace(count: u64, functions: u64) {
    if count == 0 || functions == 0 {
        return;
    }
    // SAFETY: the VM has written both through the agent's pointers.
    let (count, first) = unsafe {
        let count = std::ptr::with_exposed_provenance::<jint>(count as usize).read();
        (count, std::ptr::with_exposed_provenance::<*mut FunctionInfo>(functions as usize).read())
    };
    let Some(count) = usize::try_from(count).ok().filter(|_| !first.is_null()) else { return };
    let _setting = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the VM gave that many structures; the agent has not been told of them yet.
    for info in unsafe { std::slice::from_raw_parts_mut(first, count) } {
        stand_in(info);
    }
}

fn stand_in(info: &mut FunctionInfo) {
    // SAFETY: the VM describes that many parameters, and the agent has not been told of them yet.
    let params = kinds(unsafe { described(info.param_count, info.params) });
    // SAFETY: the VM gave a terminated string, if it gave one.
    let id = unsafe { marshal::c_string(info.id.expose_provenance() as u64) };
    let id = String::from_utf8_lossy(&id).into_owned();
    if params.len() > IN_REGISTERS
        || params.iter().any(|(k, t)| *k == kind::IN && matches!(*t, ty::FLOAT | ty::DOUBLE | ty::VALUE))
    {
        return trouble(format!("extension function {id} has parameters that keep it from being recorded"));
    }
    let own = |place: &ExtensionFunction| place.function.pointer() == info.function;
    let index = PLACE.iter().position(|place| place.get().is_none_or(own));
    let Some((index, stub)) = index.and_then(|i| Some((i, ffi::stub_of(FIRST_FUNCTION + i as u16)?))) else {
        return trouble(format!("there are too many extension functions to record {id}"));
    };
    let function = RawArg(info.function.expose_provenance() as u64);
    if PLACE[index].set(ExtensionFunction { function, params }).is_ok() {
        record(&Body::ExtensionFunctionSeen { function: FIRST_FUNCTION + index as u16, id });
    }
    info.function = stub.0.cast_mut();
}

/// An agent calls an extension function.
pub fn called(entered: &Entered) -> jint {
    let Some(place) = PLACE.get(usize::from(entered.slot - FIRST_FUNCTION)).and_then(OnceLock::get) else {
        return error::INTERNAL;
    };
    let began = clock::now();
    let begun = guarded(|| begin(place, entered, began)).flatten();
    let timer = Timer::start(None);
    // SAFETY: the agent calls this function of the VM's, whose parameters are all in registers.
    let code = unsafe { entered.forward(place.function.pointer()) };
    let took = timer.stop();
    if let Some(call) = begun {
        guarded(|| {
            local_references::unknown();
            let outputs = if code == error::NONE { outputs(place, entered) } else { Vec::new() };
            let body = HotBody::CallEnd { call, code, outputs: &outputs, exception: (false, false) };
            took.record(began + took.wall);
            record_hot(began + took.wall, &body);
        });
        recording_cost::recorded(began, took.wall);
    }
    code
}

/// Records the call; returns its number.
fn begin(place: &ExtensionFunction, entered: &Entered, at: u64) -> Option<u32> {
    let agent = environments::of(Env(RawArg(entered.words[0]).pointer()))?;
    let step = StepRef::Site { site: call_sites::number(entered.caller) };
    let call = next_call();
    let value = |(param, word): (&(i32, i32), &u64)| match *param {
        (kind::IN, ty::INT) => HotArg::Int((*word as i32).into()),
        (kind::IN, ty::BOOLEAN) => HotArg::Int((*word as u8).into()),
        (kind::IN, ty::LONG) => HotArg::Int(word.cast_signed()),
        _ if *word == 0 => HotArg::Null,
        // SAFETY: by the VM's description the agent passes a terminated string.
        (kind::IN_POINTER, ty::CHARACTERS) => HotArg::Str(unsafe { marshal::borrowed_c_string(*word) }),
        (kind::IN, _) => HotArg::Opaque,
        _ => HotArg::Pointer(*word),
    };
    let args: Vec<HotArg<'_>> = place.params.iter().zip(&entered.words[1..]).map(value).collect();
    let (environment, function) = (agent.number, entered.slot);
    record_hot(at, &HotBody::CallBegin { call, environment, function, step, args: &args });
    Some(call)
}

/// The numbers that the function has written to its outputs.
fn outputs(place: &ExtensionFunction, entered: &Entered) -> Vec<(u16, HotArg<'static>)> {
    let params = place.params.iter().zip(&entered.words[1..]).enumerate();
    let value = |(index, ((kind, ty), word)): (usize, (&(i32, i32), &u64))| {
        let at = usize::try_from(*word).ok().filter(|at| *kind == kind::OUT && *at != 0)?;
        // SAFETY: by its description the VM has written a value of that type through the agent's pointer.
        let value: i64 = unsafe {
            match *ty {
                ty::INT => std::ptr::with_exposed_provenance::<i32>(at).read_unaligned().into(),
                ty::LONG => std::ptr::with_exposed_provenance::<i64>(at).read_unaligned(),
                ty::BOOLEAN => std::ptr::with_exposed_provenance::<u8>(at).read().into(),
                _ => return None,
            }
        };
        Some((index as u16, HotArg::Int(value)))
    };
    params.filter_map(value).collect()
}
