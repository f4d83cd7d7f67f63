//! What the VM passes to events and agent callbacks, decoded, and replies written through their output parameters.

use jvmti_wire::plan::Arg;
use jvmti_wire::value::Value;

use super::decode::{Context, Decoder, sane_count};
use super::memory;
use super::resolver::{Reason, Resolver};
use crate::ffi::raw::Bits;
use crate::ffi::{CType, CallbackParam, Count, RawArg};

/// The parameters of an event: references identified, strings and arrays copied. What the callback may write through
/// is given as a pointer.
///
/// # Safety
/// `args` have to be those that the JVM passed to a callback which has not returned.
pub unsafe fn event_args(
    params: &[CallbackParam],
    args: &[RawArg],
    resolver: &mut dyn Resolver,
) -> Vec<Value> {
    // SAFETY: the caller vouches for the parameters.
    unsafe { received(params, args, resolver, |param| param.c_type.starts_with("const ")) }
}

/// The parameters of an agent callback, as [`event_args`] gives an event's; of a pointer to a tag, the tag.
///
/// # Safety
/// As for [`event_args`].
pub unsafe fn callback_args(
    params: &[CallbackParam],
    args: &[RawArg],
    resolver: &mut dyn Resolver,
) -> Vec<Value> {
    let is_tag = |param: &CallbackParam| param.ty.pointee() == Some(CType::Long);
    // SAFETY: the caller vouches for the parameters.
    unsafe { received(params, args, resolver, |param| param.c_type.starts_with("const ") || is_tag(param)) }
}

/// # Safety
/// As for [`event_args`].
unsafe fn received(
    params: &[CallbackParam],
    args: &[RawArg],
    resolver: &mut dyn Resolver,
    readable: impl Fn(&CallbackParam) -> bool,
) -> Vec<Value> {
    let int = |index: u16| args.get(usize::from(index)).map(|arg| arg.int());
    let mut decoder = Decoder { resolver, trusted: true };
    let decode = |(param, arg): (&CallbackParam, &RawArg)| {
        let count = match param.count {
            Some(Count::Value(index)) => int(index).and_then(sane_count),
            _ => None,
        };
        let selector = param.selector.and_then(int);
        let behind = if readable(param) && arg.0 != 0 { param.ty.pointee() } else { None };
        match (param.ty, behind) {
            (CType::JValue, _) => {
                let ty = selector.or_else(|| i64::from(returned_type(params, args, &mut decoder)?).into());
                variable(&mut decoder, ty.and_then(described_by), arg.0)
            }
            (_, Some(CType::Void)) => match selector.and_then(described_by) {
                // SAFETY: the VM passed an array of that many elements of the type it names.
                Some(element) => unsafe {
                    decoder.value(CType::Pointer(element), arg.0, Context { count, selector })
                },
                None => Value::Pointer(arg.0),
            },
            // A tag.
            // SAFETY: the VM passed a pointer to it.
            (_, Some(CType::Long)) => unsafe { decoder.at(arg.0, CType::Long, Context::default()) },
            // SAFETY: the VM passed constant data of this type and length.
            (_, Some(_)) => unsafe { decoder.value(param.ty, arg.0, Context { count, selector }) },
            _ => decoder.scalar(param.ty, arg.0),
        }
    };
    params.iter().zip(args).map(decode).collect()
}

/// The type of a returned value, by the method it is returned from. After an exception there is no such value, and
/// it must not be taken for a reference.
fn returned_type(params: &[CallbackParam], args: &[RawArg], decoder: &mut Decoder<'_>) -> Option<u8> {
    let by_exception = params.iter().zip(args).any(|(param, arg)| param.ty == CType::Boolean && arg.0 != 0);
    let (_, method) = params.iter().zip(args).find(|(param, _)| param.ty == CType::Method)?;
    if by_exception { None } else { decoder.resolver.return_type(method.0) }
}

/// A value of the type that the first character of a descriptor tells.
fn variable(decoder: &mut Decoder<'_>, ty: Option<&'static CType>, bits: u64) -> Value {
    match ty {
        Some(ty) => {
            let held = bits.to_ne_bytes();
            // SAFETY: a union's members all begin at its address.
            let bits = unsafe { memory::load(held.as_ptr().expose_provenance() as u64, *ty) };
            decoder.scalar(*ty, bits)
        }
        None => decoder.scalar(CType::JValue, bits),
    }
}

/// The C type that the first character of a descriptor, or a `jvmtiPrimitiveType`, stands for.
fn described_by(character: i64) -> Option<&'static CType> {
    Some(match u8::try_from(character).ok()? {
        b'Z' => &CType::Boolean,
        b'B' => &CType::Byte,
        b'C' => &CType::JChar,
        b'S' => &CType::Short,
        b'I' => &CType::Int,
        b'J' => &CType::Long,
        b'F' => &CType::Float,
        b'D' => &CType::Double,
        b'L' | b'[' => &CType::Reference("jobject"),
        _ => return None,
    })
}

/// The bytes that a parameter of an event points to, where another parameter says how many these are.
///
/// # Safety
/// As for [`event_args`].
pub unsafe fn passed_bytes(params: &[CallbackParam], args: &[RawArg], index: u16) -> Option<Vec<u8>> {
    let (param, at) = (params.get(usize::from(index))?, args.get(usize::from(index))?.0);
    let Some(Count::Value(count)) = param.count else { return None };
    let length = sane_count(args.get(usize::from(count))?.int())?;
    let is_bytes = at != 0 && param.ty.pointee().is_some_and(|to| to.size() == 1);
    // SAFETY: the VM passed that many bytes.
    is_bytes.then(|| unsafe { memory::bytes(at, length) })
}

/// Writes through an output parameter of an event (`new_class_data` and its length). `allocate` gets memory from the
/// VM, by size in bytes; bytes are copied into such memory, of which the VM becomes the owner.
///
/// # Safety
/// `arg` has to be what the JVM passed for that parameter to a callback which has not returned, and `allocate` has to give
/// as much memory as it is asked for.
pub unsafe fn reply(
    param: &CallbackParam,
    arg: RawArg,
    value: &Arg,
    resolver: &mut dyn Resolver,
    allocate: &mut dyn FnMut(usize) -> Option<*mut u8>,
) -> Result<(), Reason> {
    let place = if arg.0 == 0 || param.c_type.starts_with("const ") { None } else { param.ty.pointee() };
    let Some(to) = place.filter(|to| to.size() > 0) else {
        return Err(Reason(format!("{} is not written through", param.name)));
    };
    let bits = match value {
        Arg::Null => 0,
        Arg::Int(number) if to.is_integer() => number.cast_unsigned(),
        Arg::Bytes(content) if to.pointee().is_some() => {
            let memory = allocate(content.len())
                .filter(|memory| !memory.is_null())
                .ok_or_else(|| Reason::new("the JVM gives no memory"))?;
            let at = memory.cast::<std::ffi::c_void>().bits();
            // SAFETY: the VM allocated as much.
            unsafe { memory::write(at, content) };
            at
        }
        Arg::Output { .. } | Arg::EventParam(_) | Arg::Named(_) => match to {
            CType::Reference(_) => resolver.object(value)?.bits(),
            _ => resolver.raw(value)?,
        },
        other => return Err(Reason(format!("{other:?} cannot be written to {}", param.name))),
    };
    // SAFETY: the VM passed a pointer to a value of this type for the callback to write.
    unsafe { memory::store(arg.0, to, bits) };
    Ok(())
}
