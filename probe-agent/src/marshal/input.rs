//! From a plan's arguments to C values.

use jvmti_wire::plan::{self, Arg, Invalid};
use jvmti_wire::value::Value;

use super::decode::Decoder;
use super::memory::{self, Arena};
use super::resolver::{Reason, Resolver};
use crate::ffi::raw::Bits;
use crate::ffi::{self, CType, CallbackDescriptor, Count, EventCallbacks, FieldLayout, StructLayout};

/// Makes C values in an arena. Each value comes with what is recorded of it.
pub(super) struct Marshaller<'a> {
    pub(super) arena: &'a mut Arena,
    pub(super) resolver: &'a mut dyn Resolver,
    /// The probe's functions handed out so far.
    pub(super) callbacks: &'a mut Vec<(&'static CallbackDescriptor, plan::Callback)>,
}

impl Marshaller<'_> {
    /// The value of an argument where that type is wanted.
    pub(super) fn value(&mut self, ty: CType, arg: &Arg) -> Result<(u64, Value), Reason> {
        match arg {
            Arg::Null => match ty {
                _ if ty.is_integer() => Err(unsuitable(ty, "null")),
                CType::Float | CType::Double | CType::JValue | CType::Struct(_) => {
                    Err(unsuitable(ty, "null"))
                }
                _ => Ok((0, Value::Null)),
            },
            Arg::Int(number) => integer(ty, *number),
            Arg::Float(number) => float(ty, *number),
            Arg::Str(text) => self.string(ty, text),
            Arg::Bytes(content) => self.bytes(ty, content),
            Arg::List(elements) => self.list(ty, elements),
            Arg::Struct(fields) => self.structure(ty, fields),
            Arg::Callback(callback) => self.callback(ty, callback),
            Arg::EventCallbacks(events) => self.event_callbacks(ty, events),
            Arg::Storage => Err(unsuitable(ty, "output storage")),
            Arg::Named(_)
            | Arg::CurrentThread
            | Arg::Class(_)
            | Arg::Method { .. }
            | Arg::Field { .. }
            | Arg::Output { .. }
            | Arg::Linear { .. }
            | Arg::Position { .. }
            | Arg::EventParam(_)
            | Arg::Environment(_)
            | Arg::Invalid(_) => self.resolved(ty, arg),
        }
    }

    fn resolved(&mut self, ty: CType, arg: &Arg) -> Result<(u64, Value), Reason> {
        Ok(match ty {
            CType::Reference(_) => {
                let object = self.resolver.object(arg)?;
                // Nothing can be asked about a reference that is none.
                let dangling = matches!(arg, Arg::Invalid(invalid) if *invalid != Invalid::PlainObject);
                let value = match (object.is_null(), dangling) {
                    (true, _) => Value::Null,
                    (_, true) => Value::Opaque,
                    _ => self.resolver.identify(object),
                };
                (object.bits(), value)
            }
            CType::Method => {
                let method = self.resolver.method(arg)?;
                let value = match (method, arg) {
                    (0, _) => Value::Null,
                    (_, Arg::Invalid(_)) => Value::Pointer(method),
                    _ => self.resolver.identify_method(method),
                };
                (method, value)
            }
            CType::Field => {
                let field = self.resolver.field(arg)?;
                let value =
                    if matches!(arg, Arg::Invalid(_)) { Value::Pointer(field) } else { Value::Field(field) };
                (field, if field == 0 { Value::Null } else { value })
            }
            CType::Struct(_) | CType::Varargs => return Err(unsuitable(ty, "a single value")),
            _ => {
                let bits = memory::cut(ty, self.resolver.raw(arg)?);
                (bits, self.decoder().scalar(ty, bits))
            }
        })
    }

    /// Decodes without looking behind pointers.
    fn decoder(&mut self) -> Decoder<'_> {
        Decoder { resolver: self.resolver, trusted: false }
    }

    fn string(&mut self, ty: CType, text: &[u8]) -> Result<(u64, Value), Reason> {
        match ty.pointee() {
            Some(CType::Char | CType::UnsignedChar | CType::Void) => {
                Ok((self.arena.holding(text), Value::Str(text.to_vec())))
            }
            _ => Err(unsuitable(ty, "a string")),
        }
    }

    fn bytes(&mut self, ty: CType, content: &[u8]) -> Result<(u64, Value), Reason> {
        match ty.pointee() {
            Some(to) if to.pointee().is_none() => {
                // A structure is read whole, however little of it is given.
                let at = self.arena.zeroed(content.len().max(to.size()));
                // SAFETY: the block is at least as long as the content.
                unsafe { memory::write(at, content) };
                Ok((at, Value::Bytes(content.to_vec())))
            }
            _ => Err(unsuitable(ty, "raw memory")),
        }
    }

    fn list(&mut self, ty: CType, elements: &[Arg]) -> Result<(u64, Value), Reason> {
        let element = ty.pointee().filter(|to| to.size() > 0).ok_or_else(|| unsuitable(ty, "a list"))?;
        let start = self.arena.zeroed(elements.len().saturating_mul(element.size()));
        let mut values = Vec::with_capacity(elements.len());
        for (i, arg) in elements.iter().enumerate() {
            let at = start + (i * element.size()) as u64;
            values.push(self.place(at, element, arg).map_err(|r| r.within(&format!("[{i}]")))?);
        }
        Ok((start, Value::List(values)))
    }

    fn structure(&mut self, ty: CType, fields: &[(String, Arg)]) -> Result<(u64, Value), Reason> {
        let Some(to @ CType::Struct(_)) = ty.pointee() else {
            return Err(unsuitable(ty, "a structure"));
        };
        let at = self.arena.zeroed(to.size());
        let value = self.fill(at, to, fields)?;
        Ok((at, value))
    }

    /// Puts a value into memory of the arena's.
    fn place(&mut self, at: u64, ty: CType, arg: &Arg) -> Result<Value, Reason> {
        if let (CType::Struct(_), Arg::Struct(fields)) = (ty, arg) {
            return self.fill(at, ty, fields);
        }
        let (bits, value) = self.value(ty, arg)?;
        // SAFETY: callers pass places within a block that they made for the type.
        unsafe { memory::store(at, ty, bits) };
        Ok(value)
    }

    /// Fills zeroed memory with a structure.
    fn fill(&mut self, at: u64, ty: CType, fields: &[(String, Arg)]) -> Result<Value, Reason> {
        let CType::Struct(layout) = ty else {
            return Err(unsuitable(ty, "a structure"));
        };
        let mut values = Vec::new();
        for (name, arg) in fields {
            let field =
                layout.field(name).ok_or_else(|| Reason(format!("{} has no field {name}", layout.name)))?;
            if field.bit.is_some() {
                set_bit(at, field, arg)?;
            } else {
                let value =
                    self.place(at + field.offset as u64, field.ty, arg).map_err(|r| r.within(name))?;
                values.push((name.clone(), value));
            }
        }
        for (name, arg) in fields {
            check_length(at, layout, name, arg)?;
        }
        if layout.is_bits() {
            // SAFETY: the caller made the memory for this structure.
            return Ok(Value::Bytes(unsafe { memory::bytes(at, layout.size) }));
        }
        Ok(Value::Struct(values))
    }

    fn callback(&mut self, ty: CType, callback: &plan::Callback) -> Result<(u64, Value), Reason> {
        let CType::Callback(descriptor) = ty else {
            return Err(unsuitable(ty, "a callback of the probe's"));
        };
        self.callbacks.push((descriptor, callback.clone()));
        let address = descriptor.trampoline().cast_mut().bits();
        Ok((address, Value::Pointer(address)))
    }

    fn event_callbacks(&mut self, ty: CType, events: &[u16]) -> Result<(u64, Value), Reason> {
        match ty.pointee() {
            Some(to @ CType::Struct(layout)) if layout.size == EventCallbacks::size() => {
                let table = ffi::event_callbacks(events).into_table();
                let at = self.arena.zeroed(size_of_val(&*table));
                for (i, entry) in table.iter().enumerate() {
                    let entry_at = at + (i * size_of::<usize>()) as u64;
                    // SAFETY: the block has the table's size.
                    unsafe { memory::store(entry_at, CType::Pointer(&CType::Void), *entry as u64) };
                }
                Ok((at, self.decoder().storage(at, to, None)))
            }
            _ => Err(unsuitable(ty, "event callbacks")),
        }
    }
}

fn integer(ty: CType, number: i64) -> Result<(u64, Value), Reason> {
    let bits = memory::cut(ty, number.cast_unsigned());
    match ty {
        _ if ty.is_integer() => Ok((bits, Value::Int(bits.cast_signed()))),
        CType::Float | CType::Double => float(ty, number as f64),
        CType::JValue => Ok((bits, Value::Int(number))),
        // Opaque to the VM, so any bits will do.
        CType::Pointer(CType::Void) => Ok((bits, if bits == 0 { Value::Null } else { Value::Pointer(bits) })),
        _ => Err(unsuitable(ty, "an integer")),
    }
}

fn float(ty: CType, number: f64) -> Result<(u64, Value), Reason> {
    match ty {
        CType::Float => Ok(((number as f32).bits(), Value::Float(f64::from(number as f32)))),
        CType::Double | CType::JValue => Ok((number.bits(), Value::Float(number))),
        _ => Err(unsuitable(ty, "a floating-point number")),
    }
}

fn set_bit(at: u64, field: &FieldLayout, arg: &Arg) -> Result<(), Reason> {
    let Arg::Int(number) = arg else {
        return Err(Reason(format!("{}: a bit is 0 or 1", field.name)));
    };
    let unit_at = at + field.offset as u64;
    let bit = u64::from(*number != 0) << field.bit.unwrap_or(0);
    // SAFETY: the field lies within the structure that was allocated.
    unsafe { memory::store(unit_at, CType::Int, memory::load(unit_at, CType::Int) | bit) };
    Ok(())
}

/// Refuses an array shorter than the structure says, as the VM would read what is not the probe's.
fn check_length(at: u64, layout: &StructLayout, name: &str, arg: &Arg) -> Result<(), Reason> {
    let Some(field) = layout.field(name) else { return Ok(()) };
    let Some(Count::Value(index)) = field.count else { return Ok(()) };
    let Some(count) = layout.fields.get(usize::from(index)) else { return Ok(()) };
    // SAFETY: the count lies within the structure that was allocated.
    let claimed = unsafe { memory::load(at + count.offset as u64, count.ty) }.cast_signed();
    check_claim(field.ty, arg, claimed).map_err(|r| r.within(name))
}

/// Refuses an array of fewer elements than are claimed for it.
pub(super) fn check_claim(ty: CType, arg: &Arg, claimed: i64) -> Result<(), Reason> {
    let element = ty.pointee().map_or(1, CType::size).max(1);
    let given = match arg {
        Arg::List(elements) => elements.len(),
        Arg::Bytes(content) => content.len() / element,
        Arg::Str(text) => (text.len() + 1) / element,
        _ => return Ok(()),
    };
    match usize::try_from(claimed) {
        Ok(claimed) if claimed > given => {
            Err(Reason(format!("{given} elements where {claimed} are claimed")))
        }
        _ => Ok(()),
    }
}

pub(super) fn unsuitable(ty: CType, given: &str) -> Reason {
    Reason(format!("{given} is not suitable where {ty} is wanted"))
}
