//! The functions that calls were given: recorded, answered, and acted upon.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use jvmti_wire::trace::Body;
use jvmti_wire::{Value, plan};
use papaya::HashMap;

use crate::executor::Asked;
use crate::ffi::{CType, CallbackDescriptor, Env, RawArg};
use crate::firing::{Firing, Moment};
use crate::jni::Jni;
use crate::marshal::{self, Call};
use crate::onlooker::Onlooker;
use crate::recorder::record;
use crate::stage::{self, Restricted};
use crate::{cases, environments};

/// `JVMTI_VISIT_OBJECTS`
const VISIT_OBJECTS: i64 = 0x100;
/// `JVMTI_ITERATION_CONTINUE`
const ITERATION_CONTINUE: i64 = 1;

/// Calls that were given functions of the probe's, by number.
static OPEN: OnceLock<HashMap<u32, Arc<Open>>> = OnceLock::new();

fn open() -> &'static HashMap<u32, Arc<Open>> {
    OPEN.get_or_init(HashMap::new)
}

/// A call that was given functions of the probe's.
struct Open {
    number: u32,
    /// Number of the environment that it is made through.
    environment: u32,
    case: u32,
    of: Option<String>,
    functions: Vec<Function>,
    /// Heap callbacks that have been entered and not left.
    inside: AtomicU32,
}

/// An invocation of a heap callback, from its beginning to its end.
struct Inside<'c>(&'c Open);

impl<'c> Inside<'c> {
    /// Records it if there is another one.
    fn enter(call: &'c Open, descriptor: &CallbackDescriptor) -> Self {
        if call.inside.fetch_add(1, Ordering::AcqRel) > 0 {
            record(&Body::CallbacksOverlap { call: call.number, callback: descriptor.name.to_owned() });
        }
        Inside(call)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::AcqRel);
    }
}

/// One of the functions.
struct Function {
    descriptor: &'static CallbackDescriptor,
    plan: plan::Callback,
    invocations: AtomicU64,
}

/// Makes it known that a call is about to be made, if it is given functions of the probe's.
pub fn begin(number: u32, environment: u32, asked: &Asked<'_>, call: &mut Call) -> Opened {
    if call.callbacks().is_empty() {
        return Opened(None);
    }
    let function = |(descriptor, plan): &(&'static CallbackDescriptor, plan::Callback)| Function {
        descriptor,
        plan: plan.clone(),
        invocations: AtomicU64::new(0),
    };
    let functions = call.callbacks().iter().map(function).collect();
    call.set_user_data(number.into());
    let of = asked.save.map(str::to_owned);
    let made = Arc::new(Open {
        number,
        environment,
        case: asked.case.index,
        of,
        functions,
        inside: AtomicU32::new(0),
    });
    open().pin().insert(number, Arc::clone(&made));
    Opened(Some(made))
}

/// A call that has been made known.
pub struct Opened(Option<Arc<Open>>);

impl Opened {
    /// The call has returned: what was not recorded is counted.
    pub fn end(self) {
        let Some(call) = self.0 else { return };
        for function in &call.functions {
            let count = function.invocations.load(Ordering::Relaxed);
            if function.plan.record.is_some_and(|most| count > u64::from(most)) {
                let callback = function.descriptor.name.to_owned();
                record(&Body::CallbacksCounted { call: call.number, callback, count });
            }
        }
        // Functions that are no heap callbacks are invoked later.
        if call.functions.iter().all(|function| function.descriptor.heap_callback) {
            open().pin().remove(&call.number);
        }
    }
}

/// Receives every callback.
pub fn dispatch(descriptor: &'static CallbackDescriptor, user_data: *mut c_void, args: &[RawArg]) -> i64 {
    let _restricted = descriptor.heap_callback.then(Restricted::enter);
    let Some(call) = find(descriptor, user_data, args) else { return go_on(descriptor) };
    let _inside = descriptor.heap_callback.then(|| Inside::enter(&call, descriptor));
    let Some(function) = call.functions.iter().find(|function| function.descriptor == descriptor) else {
        return go_on(descriptor);
    };
    let invocation = function.invocations.fetch_add(1, Ordering::Relaxed);
    let returns = &function.plan.returns;
    let chosen = usize::try_from(invocation).ok().and_then(|i| returns.get(i)).or(returns.last());
    let returned = chosen.copied().unwrap_or_else(|| go_on(descriptor));
    let jni = stage::objects_allowed().then(Jni::current).flatten();
    if function.plan.record.is_none_or(|most| invocation < u64::from(most)) {
        let mut values =
            marshal::callback_args(descriptor.params, args, &mut Onlooker { jni, methods_live: true });
        if let Some(index) = descriptor.param("jvmti_env") {
            values[index] = Value::Int(number_of(args[index]));
        }
        let callback = descriptor.name.to_owned();
        record(&Body::Callback { call: call.number, callback, args: values, returned });
    }
    if let Some(tag) = function.plan.set_tag {
        set_tag(descriptor, args, &["tag_ptr", "object_tag_ptr"], tag);
    }
    if let Some(tag) = function.plan.set_referrer_tag {
        set_tag(descriptor, args, &["referrer_tag_ptr"], tag);
    }
    let case = cases::get().and_then(|cases| cases.case(call.case));
    if let (Some(case), Some(of)) = (case, &call.of) {
        let moment = Moment::Callback { case: call.case, of, callback: descriptor.name, args };
        Firing { moment, jni }.fire_for(case);
    }
    returned
}

/// The call that the function was given to: by the user data, or if the plan passes its own, the newest that fits, of
/// the environment that the function is told if there is one.
fn find(descriptor: &CallbackDescriptor, user_data: *mut c_void, args: &[RawArg]) -> Option<Arc<Open>> {
    let calls = open().pin();
    let fits = |call: &&Arc<Open>| call.functions.iter().any(|function| function.descriptor == descriptor);
    let by_number = u32::try_from(user_data.addr()).ok().and_then(|number| calls.get(&number)).filter(fits);
    let told = descriptor.param("jvmti_env").and_then(|index| args.get(index)).map(|env| number_of(*env));
    let newest = || {
        calls.values().filter(fits).max_by_key(|call| (Some(call.environment.into()) == told, call.number))
    };
    by_number.or_else(newest).cloned()
}

/// Number of the environment of that pointer; 0 if the probe made none such.
fn number_of(env: RawArg) -> i64 {
    environments::of(Env(env.pointer())).map_or(0, |environment| environment.number.into())
}

/// What makes the VM carry on.
fn go_on(descriptor: &CallbackDescriptor) -> i64 {
    match descriptor.returns {
        "jint" => VISIT_OBJECTS,
        "jvmtiIterationControl" => ITERATION_CONTINUE,
        _ => 0,
    }
}

/// Writes the tag through the pointer that has one of these names.
fn set_tag(descriptor: &CallbackDescriptor, args: &[RawArg], names: &[&str], tag: i64) {
    let place = names.iter().find_map(|name| descriptor.param(name)).filter(|index| {
        let param = descriptor.params.get(*index);
        param.is_some_and(|param| param.ty == CType::Pointer(&CType::Long))
    });
    let place = place.and_then(|index| args.get(index)).map(|arg| arg.pointer().cast::<i64>());
    if let Some(place) = place.filter(|place| !place.is_null()) {
        // SAFETY: the VM passed a pointer to the object's tag, for the callback to write.
        unsafe { place.write(tag) };
    }
}
