//! From the arguments of a plan to a C call, and from what the VM wrote to what is recorded.
//!
//! ```text
//! let mut call = Call::prepare(descriptor, &args, &mut resolver)?;
//! // record call.recorded_args()
//! let code = call.invoke(env)?;
//! // record call.outputs(&mut resolver)
//! call.map_references(&mut |local| global)   // if the outputs are to be kept
//! call.release(&mut |memory| deallocate, &mut |reference| delete)
//! ```
//!
//! A call whose outputs are referred to later is kept as a whole, and answers [`Call::raw_output`] until it is
//! released.

mod decode;
mod input;
mod marks;
mod memory;
mod output;
mod passed;
mod plain_blocks;
mod poison;
mod received;
mod references;
mod resolver;

#[cfg(test)]
mod tests;

use jvmti_wire::plan::{self, Arg};
use jvmti_wire::value::Value;

pub use marks::{deallocated_at, deallocated_by, is_mark, may_be_mark};
pub(crate) use memory::{borrowed, borrowed_c_string, c_string, copied, load_pointer};
pub use passed::{Blocks, MOST_PARAMS, Passed};
pub use plain_blocks::PlainBlocks;
pub use poison::{Sized, changed, fill};
pub use received::{callback_args, event_args, passed_bytes, reply};
pub use references::gives_references;
pub use resolver::{Reason, Resolver};

use crate::ffi::{
    self, CType, CallbackDescriptor, Count, Dir, Env, FunctionDescriptor, Missing, ParamDescriptor, ParamKind,
};
use input::{Marshaller, check_claim, unsuitable};
use memory::Arena;
use output::Storage;

/// Elements that the VM may write beyond the end of an array of the probe's, to be seen rather than to do harm.
const SPARE_ELEMENTS: usize = 4;
/// Longest output array that storage is made for, which takes time to fill; longer ones are only claimed.
const LONGEST_OUTPUT: usize = 1 << 17;

/// A call of a function of the interface, with the memory that its arguments point to.
#[derive(Debug)]
pub struct Call {
    descriptor: &'static FunctionDescriptor,
    /// Index of the user data, if that is left to the probe.
    own_data: Option<usize>,
    raw: Vec<u64>,
    recorded: Vec<Value>,
    storages: Vec<Storage>,
    callbacks: Vec<(&'static CallbackDescriptor, plan::Callback)>,
    code: Option<i32>,
    released: bool,
    /// Addresses of memory that has got another owner.
    disowned: Vec<u64>,
    /// Holds what `raw` and `storages` point to.
    _arena: Arena,
}

impl Call {
    /// Makes the arguments of a call ready: one per parameter after the environment; the `...` may be left out.
    pub fn prepare(
        descriptor: &'static FunctionDescriptor,
        args: &[Arg],
        resolver: &mut dyn Resolver,
    ) -> Result<Call, Reason> {
        let params: Vec<&'static ParamDescriptor> =
            descriptor.params.iter().filter(|param| param.kind != ParamKind::Varargs).collect();
        if args.len() != params.len() && args.len() != descriptor.params.len() {
            let takes = params.len();
            return Err(Reason(format!("{} takes {takes} arguments, not {}", descriptor.name, args.len())));
        }
        let mut arena = Arena::default();
        let mut callbacks = Vec::new();
        let mut raw = Vec::with_capacity(params.len());
        let mut recorded = Vec::with_capacity(params.len());
        for (param, arg) in params.iter().zip(args) {
            let mut marshaller =
                Marshaller { arena: &mut arena, resolver: &mut *resolver, callbacks: &mut callbacks };
            let (bits, value) = argument(&mut marshaller, param, arg).map_err(|r| r.within(param.name))?;
            raw.push(bits);
            recorded.push(value);
        }
        let mut storages = Vec::new();
        for (index, (param, arg)) in params.iter().zip(args).enumerate() {
            let count = int_param(&params, &raw, param.count);
            if let Some(claimed) = count {
                check_claim(param.ty, arg, claimed).map_err(|r| r.within(param.name))?;
            }
            if param.dir == Dir::InOpaque {
                continue;
            }
            if let (Arg::Storage, Some(bits), Ok(position)) = (arg, raw.get_mut(index), u16::try_from(index))
            {
                let storage = storage(&mut arena, param, position, count)?;
                *bits = storage.at;
                storages.push(storage);
            }
        }
        let is_own =
            |(param, arg): (&&ParamDescriptor, &Arg)| param.dir == Dir::InOpaque && *arg == Arg::Storage;
        let own_data = params.iter().zip(args).position(is_own);
        Ok(Call {
            descriptor,
            own_data,
            raw,
            recorded,
            storages,
            callbacks,
            code: None,
            released: false,
            disowned: Vec::new(),
            _arena: arena,
        })
    }

    /// The function to be called.
    pub fn descriptor(&self) -> &'static FunctionDescriptor {
        self.descriptor
    }

    /// Raw arguments for [`ffi::call`].
    pub fn raw(&self) -> &[u64] {
        &self.raw
    }

    /// The arguments as they are to be recorded. Prepared output storage is [`Value::Untouched`].
    pub fn recorded_args(&self) -> &[Value] {
        &self.recorded
    }

    /// The callbacks of the probe's that the VM is given with this call.
    pub fn callbacks(&self) -> &[(&'static CallbackDescriptor, plan::Callback)] {
        &self.callbacks
    }

    /// Passes that as the user data of the call's callbacks, so that they can be told apart. Does nothing, and gives
    /// `false`, if there are no callbacks or the plan does not leave the user data to the probe.
    pub fn set_user_data(&mut self, user_data: u64) -> bool {
        match self.own_data.and_then(|index| self.raw.get_mut(index)) {
            Some(bits) if !self.callbacks.is_empty() => {
                *bits = user_data;
                true
            }
            _ => false,
        }
    }

    /// Calls the function and notes the code that it returns.
    ///
    /// # Safety
    /// The JVM has to have given the environment. Whether it survives arguments that are wrong on purpose is its affair.
    pub unsafe fn invoke(&mut self, env: Env) -> Result<i32, Missing> {
        // SAFETY: the caller vouches for the environment; the arguments have been made for this function.
        let code = unsafe { ffi::call(env, self.descriptor.slot, &self.raw)? };
        self.returned(code);
        Ok(code)
    }

    /// Notes the code that the function returned, if it was not called through [`Call::invoke`].
    pub fn returned(&mut self, code: i32) {
        self.code = Some(code);
    }

    /// Whether the function has returned without an error, and what it gave is still there.
    fn succeeded(&self) -> bool {
        self.code == Some(ffi::error::NONE) && !self.released
    }
}

/// The bits of one argument; of output storage, 0 for now.
fn argument(
    marshaller: &mut Marshaller<'_>,
    param: &ParamDescriptor,
    arg: &Arg,
) -> Result<(u64, Value), Reason> {
    match arg {
        Arg::Storage if param.dir.is_output() => Ok((0, Value::Untouched)),
        Arg::Storage if param.dir == Dir::InOpaque => Ok((0, Value::Untouched)),
        Arg::Int(_) | Arg::Float(_) | Arg::Str(_) | Arg::Bytes(_) | Arg::List(_) | Arg::Struct(_)
            if param.dir.is_output() =>
        {
            Err(unsuitable(param.ty, "a literal"))
        }
        _ => marshaller.value(param.ty, arg),
    }
}

/// The value of the parameter that a count refers to, if it goes in.
fn int_param(params: &[&'static ParamDescriptor], raw: &[u64], count: Option<Count>) -> Option<i64> {
    let Some(Count::Value(index)) = count else { return None };
    let index = usize::from(index);
    params.get(index).filter(|param| param.ty.is_integer())?;
    raw.get(index).map(|bits| bits.cast_signed())
}

/// Storage for an output.
fn storage(
    arena: &mut Arena,
    param: &'static ParamDescriptor,
    index: u16,
    count: Option<i64>,
) -> Result<Storage, Reason> {
    let element: CType = param.ty.pointee().ok_or_else(|| unsuitable(param.ty, "output storage"))?;
    let elements = match param.dir {
        Dir::OutBuf => {
            let wanted = usize::try_from(count.unwrap_or(0)).unwrap_or(0);
            wanted.min(LONGEST_OUTPUT) + SPARE_ELEMENTS
        }
        _ => 1,
    };
    let at = arena.patterned(elements.saturating_mul(element.size()));
    Ok(Storage { param, index, at, element, elements })
}
