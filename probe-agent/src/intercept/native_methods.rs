//! Intercepts native methods that are functions in the library of an agent: in its callback for NativeMethodBind the probe binds each
//! to a stub, which calls the function. So the trace tells when Java code calls it, with which references, and when it returns. The
//! agent's own callbacks for this event see the function.

use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use jvmti_wire::trace::{Body, NativeCode};
use smallvec::SmallVec;

use super::count::take;
use super::local_references::{self, Inside};
use super::{call_sites, environments, settings};
use crate::ffi::native_stub::{self, NativeArgs, Next, Place, STUBS};
use crate::ffi::stub::SUPPORTED;
use crate::ffi::{self, RawArg, event};
use crate::recording::{guarded, record};
use crate::vm::event::Event;
use crate::vm::jni::Jni;
use crate::vm::probe_environment::{self, ProbeEnvironment};
use crate::vm::stage;

/// A native method that is bound to a stub.
struct NativeMethod {
    function: u64,
    /// Class, name and descriptor.
    name: String,
    descriptor: String,
    references: Vec<Place>,
    words: usize,
    /// How many of its calls the probe has followed.
    followed: AtomicU32,
}

/// By the number of the stub.
static METHODS: [OnceLock<NativeMethod>; STUBS] = [const { OnceLock::new() }; STUBS];
/// The number of the next stub.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// What the thread is in, of the native methods that notice their end.
#[derive(Clone, Copy)]
struct Call {
    /// Whether the trace has it.
    told: bool,
    /// Whether it is native code as the probe counts it.
    inside: bool,
}

thread_local! {
    static CALLS: RefCell<Vec<Call>> = const { RefCell::new(Vec::new()) };
}

/// Positions of parameters of the event after the environment.
const METHOD: usize = 2;
const ADDRESS: usize = 3;
const NEW_ADDRESS: usize = 4;

/// Whether the JVM can tell the probe of native methods.
static POSSIBLE: AtomicBool = AtomicBool::new(false);

/// Interception begins: capabilities can be had now, but not in the start phase.
pub fn install() {
    native_stub::install(entered, left);
    let bit = ffi::capability_bit("can_generate_native_method_bind_events");
    if let (true, Some(bit), Some(environment)) =
        (SUPPORTED && local_references::is_possible(), bit, probe_environment::get())
    {
        POSSIBLE.store(environment.add_capabilities(&[bit]), Ordering::Release);
    }
}

/// The start phase has begun: asks the JVM to tell of native methods.
pub fn watch(environment: ProbeEnvironment) {
    if POSSIBLE.load(Ordering::Acquire) {
        environment.enable(event::NATIVE_METHOD_BIND);
    }
}

/// The JVM is about to bind a native method, and tells the probe first.
pub fn bound(event: &Event<'_>) {
    guarded(|| {
        let [_, _, method, address, new_address] = event.args() else { return };
        if let Some(stub) = in_place_of(event.jni(), method.0, address.0)
            && new_address.0 != 0
        {
            // SAFETY: the JVM passed a pointer to a function, for the callback to write.
            unsafe { new_address.pointer().cast::<*const c_void>().write(stub) };
        }
    });
}

/// The stub for the method, if it is one to be followed and is bound to this function.
fn in_place_of(jni: Option<Jni>, method: u64, function: u64) -> Option<*const c_void> {
    let place = call_sites::place(function);
    if place.library.is_empty() || !environments::is_agent(&place.library) || !local_references::is_possible()
    {
        return None;
    }
    let (jni, environment) = (jni?, probe_environment::get()?);
    let (class, name, descriptor) = environment.method(method)?;
    let signature = environment.class_signature(class).unwrap_or_default();
    jni.delete_local(class);
    let class = signature.trim_start_matches('L').trim_end_matches(';').replace('/', ".");
    let name = format!("{class}.{name}");
    let is_it = |known: &NativeMethod| {
        (known.function, &known.name, &known.descriptor) == (function, &name, &descriptor)
    };
    let known = METHODS.iter().position(|known| known.get().is_some_and(is_it));
    let number = known.or_else(|| Some(NEXT.fetch_add(1, Ordering::AcqRel)).filter(|next| *next < STUBS));
    if number.is_none() {
        local_references::unfollowed();
    }
    let number = number?;
    METHODS[number].get_or_init(|| {
        let (references, words) = native_stub::layout(&descriptor);
        NativeMethod { function, name, descriptor, references, words, followed: AtomicU32::new(0) }
    });
    Some(native_stub::stub(number))
}

/// Calls an agent's callback for NativeMethodBind by `forward` with the parameters that it gets without the probe. If it binds the method to
/// another function, that is followed in its turn.
pub fn deliver(event: &Event<'_>, forward: impl FnOnce(&[RawArg])) {
    let mut args: SmallVec<[RawArg; 8]> = SmallVec::from_slice(event.args());
    let known = args.get(ADDRESS).and_then(|address| METHODS.get(native_stub::number(address.0)?)?.get());
    let (Some(known), Some(place)) = (known, args.get(NEW_ADDRESS).filter(|place| place.0 != 0)) else {
        return forward(event.args());
    };
    let place = place.pointer().cast::<u64>();
    let mut address = known.function;
    args[ADDRESS] = RawArg(address);
    args[NEW_ADDRESS] = RawArg((&raw mut address).expose_provenance() as u64);
    forward(&args);
    if address != known.function {
        let stub = guarded(|| in_place_of(event.jni(), event.args()[METHOD].0, address)).flatten();
        let bound = stub.map_or(address, |stub| stub.expose_provenance() as u64);
        // SAFETY: the JVM passed a pointer to a function, for the callback to write.
        unsafe { place.write(bound) };
    }
}

/// Java code calls a native method.
fn entered(number: usize, args: &NativeArgs) -> Next {
    let Some(method) = METHODS.get(number).and_then(OnceLock::get) else { std::process::abort() };
    let function = RawArg(method.function).pointer().cast_const();
    let most = settings::get().map_or(0, |wanted| wanted.close);
    let closely = local_references::is_possible()
        && stage::objects_allowed()
        && take(&method.followed, u32::MAX, most).is_some();
    if !closely && !local_references::is_any_followed() {
        return Next::pass_on(function);
    }
    let call = guarded(|| {
        if closely {
            let word = |place: &Place| match *place {
                Place::Register(number) => args.register(number),
                Place::Stack(number) => args.stack(number),
            };
            let handles = method.references.iter().map(word).filter(|handle| *handle != 0).collect();
            // Places in code are taken for those behind a call.
            let (name, site) = (method.name.clone(), call_sites::number(method.function + 1));
            record(&Body::Native(NativeCode::MethodEntered { name, site, handles }));
        }
        let inside = local_references::native_method(closely).map(Inside::stay).is_some();
        Call { told: closely, inside }
    });
    let call = call.unwrap_or(Call { told: false, inside: false });
    let pushed = CALLS.try_with(|calls| calls.try_borrow_mut().map(|mut calls| calls.push(call)).is_ok());
    match pushed {
        Ok(true) => Next::call(function, method.words),
        _ => {
            end(call);
            Next::pass_on(function)
        }
    }
}

/// A native method has returned that notices its end.
fn left() {
    let call = CALLS.try_with(|calls| calls.try_borrow_mut().ok().and_then(|mut calls| calls.pop()));
    if let Ok(Some(call)) = call {
        end(call);
    }
}

fn end(call: Call) {
    guarded(|| {
        if call.inside {
            Inside::end();
        }
        if call.told {
            record(&Body::Native(NativeCode::MethodLeft));
        }
    });
}
