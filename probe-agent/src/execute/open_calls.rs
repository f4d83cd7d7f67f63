//! Calls that were given callbacks of the probe's, from before they are made until their callbacks can come no more.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use jvmti_wire::plan;
use jvmti_wire::trace::Body;
use papaya::HashMap;
use rustc_hash::FxBuildHasher;

use super::step::RunningStep;
use crate::ffi::{CallbackDescriptor, Env, RawArg};
use crate::marshal::Call;
use crate::recording::record;
use crate::vm::environments;

/// Calls that were given functions of the probe's, by number.
static OPEN: OnceLock<HashMap<u32, Arc<Open>, FxBuildHasher>> = OnceLock::new();

fn open() -> &'static HashMap<u32, Arc<Open>, FxBuildHasher> {
    OPEN.get_or_init(HashMap::default)
}

/// A call that was given functions of the probe's.
pub struct Open {
    pub number: u32,
    /// Number of the environment that it is made through.
    pub environment: u32,
    pub case: u32,
    pub of: Option<String>,
    pub functions: Vec<Function>,
    /// Invocations of heap callbacks that have not returned.
    pub running: AtomicU32,
}

/// One of the functions.
pub struct Function {
    pub descriptor: &'static CallbackDescriptor,
    pub plan: plan::Callback,
    pub invocations: AtomicU64,
}

/// Makes it known that a call is about to be made, if it is given functions of the probe's.
pub fn begin(number: u32, environment: u32, step: &RunningStep<'_>, call: &mut Call) -> Opened {
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
    let of = step.save.map(str::to_owned);
    let made = Arc::new(Open {
        number,
        environment,
        case: step.case.index,
        of,
        functions,
        running: AtomicU32::new(0),
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

/// The call that the function was given to: by the user data, or if the plan passes its own, the newest that fits, of
/// the environment that the function is told if there is one.
pub fn find(descriptor: &CallbackDescriptor, user_data: *mut c_void, args: &[RawArg]) -> Option<Arc<Open>> {
    let calls = open().pin();
    let fits = |call: &&Arc<Open>| call.functions.iter().any(|function| function.descriptor == descriptor);
    // Heap callbacks come by the million, nearly all of them with the number.
    let by_number = u32::try_from(user_data.addr()).ok().and_then(|number| calls.get(&number));
    if let Some(call) = by_number.filter(fits) {
        return Some(Arc::clone(call));
    }
    let told = descriptor.param("jvmti_env").and_then(|index| args.get(index)).map(|env| number_of(*env));
    let newest =
        calls.values().filter(fits).max_by_key(|call| (Some(call.environment.into()) == told, call.number));
    newest.cloned()
}

/// Number of the environment of that pointer; 0 if the probe made none such.
pub fn number_of(env: RawArg) -> i64 {
    environments::of(Env(env.pointer())).map_or(0, |environment| environment.number.into())
}
