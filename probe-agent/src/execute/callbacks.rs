//! The functions that calls were given: recorded, answered, and acted upon.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use jvmti_wire::Value;
use jvmti_wire::trace::Body;

use crate::execute::cases;
use crate::execute::occurrence::{Firing, Occurrence};
use crate::execute::open_calls::{Open, find, number_of};
use crate::ffi::{CType, CallbackDescriptor, RawArg};
use crate::marshal::{self};
use crate::recording::{guarded, record};
use crate::vm::jni::Jni;
use crate::vm::resolver::ReadOnlyResolver;
use crate::vm::stage::{self, Restricted};

/// `JVMTI_VISIT_OBJECTS`
const VISIT_OBJECTS: i64 = 0x100;
/// `JVMTI_ITERATION_CONTINUE`
const ITERATION_CONTINUE: i64 = 1;

/// An invocation of a heap callback, from its beginning to its end.
///
/// Heap callbacks come by the million, and most of them are only counted. So the probe does not record the beginning and
/// the end of each, but the fact that one begins while another has not returned; what that means is for the judge to say.
struct Invocation<'c>(&'c Open);

impl<'c> Invocation<'c> {
    fn begin(call: &'c Open, descriptor: &CallbackDescriptor) -> Self {
        if call.running.fetch_add(1, Ordering::AcqRel) > 0 {
            record(&Body::CallbacksOverlap { call: call.number, callback: descriptor.name.to_owned() });
        }
        Invocation(call)
    }
}

impl Drop for Invocation<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Receives every callback.
///
/// # Safety
/// The parameters have to be those that the JVM passed to a callback which has not returned.
pub unsafe fn dispatch(
    descriptor: &'static CallbackDescriptor,
    user_data: *mut c_void,
    args: &[RawArg],
) -> i64 {
    // 0 ends an iteration, or leaves a reference unfollowed: the safest answer after a panic.
    // SAFETY: the caller vouches for the parameters.
    guarded(|| unsafe { answer(descriptor, user_data, args) }).unwrap_or(0)
}

/// # Safety
/// As for `dispatch`.
unsafe fn answer(descriptor: &'static CallbackDescriptor, user_data: *mut c_void, args: &[RawArg]) -> i64 {
    let _restricted = descriptor.heap_callback.then(Restricted::enter);
    let Some(call) = find(descriptor, user_data, args) else { return go_on(descriptor) };
    let _invocation = descriptor.heap_callback.then(|| Invocation::begin(&call, descriptor));
    let Some(function) = call.functions.iter().find(|function| function.descriptor == descriptor) else {
        return go_on(descriptor);
    };
    let invocation = function.invocations.fetch_add(1, Ordering::Relaxed);
    let returns = &function.plan.returns;
    let chosen = usize::try_from(invocation).ok().and_then(|i| returns.get(i)).or(returns.last());
    let returned = chosen.copied().unwrap_or_else(|| go_on(descriptor));
    let jni = stage::objects_allowed().then(Jni::current).flatten();
    if function.plan.record.is_none_or(|most| invocation < u64::from(most)) {
        let mut resolver = ReadOnlyResolver { jni, methods_live: true };
        // SAFETY: the caller vouches for the parameters.
        let mut values = unsafe { marshal::callback_args(descriptor.params, args, &mut resolver) };
        if let Some(index) = descriptor.param("jvmti_env") {
            values[index] = Value::Int(number_of(args[index]));
        }
        let callback = descriptor.name.to_owned();
        record(&Body::Callback { call: call.number, callback, args: values, returned });
    }
    if let Some(tag) = function.plan.set_tag {
        // SAFETY: as above.
        unsafe { set_tag(descriptor, args, &["tag_ptr", "object_tag_ptr"], tag) };
    }
    if let Some(tag) = function.plan.set_referrer_tag {
        // SAFETY: as above.
        unsafe { set_tag(descriptor, args, &["referrer_tag_ptr"], tag) };
    }
    let case = cases::get().and_then(|cases| cases.case(call.case));
    if let (Some(case), Some(of)) = (case, &call.of) {
        let occurrence = Occurrence::Callback { case: call.case, of, callback: descriptor.name, args };
        Firing { occurrence, jni }.fire_for(case);
    }
    returned
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
///
/// # Safety
/// The parameters have to be those that the JVM passed.
unsafe fn set_tag(descriptor: &CallbackDescriptor, args: &[RawArg], names: &[&str], tag: i64) {
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
