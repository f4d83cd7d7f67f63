//! From C values to what is recorded of them.

use jvmti_wire::value::Value;

use super::memory;
use super::resolver::Resolver;
use crate::ffi::raw::Bits;
use crate::ffi::{CType, Count, StructLayout};

/// Longest array that is looked into; a longer one is taken for a wrong count.
const LONGEST_ARRAY: i64 = 1 << 24;

/// Reads values by their description.
pub(super) struct Decoder<'a> {
    pub(super) resolver: &'a mut dyn Resolver,
    /// Whether pointers and references may be followed: not after a failed call.
    pub(super) trusted: bool,
}

/// What an array or a value of variable type is read by.
#[derive(Clone, Copy, Default)]
pub(super) struct Context {
    /// Number of elements behind a pointer, if known.
    pub(super) count: Option<usize>,
    /// Value of the enumeration that selects a union's member.
    pub(super) selector: Option<i64>,
}

impl Decoder<'_> {
    /// A value that is no structure, from its bits, without looking behind it if it is a pointer.
    pub(super) fn scalar(&mut self, ty: CType, bits: u64) -> Value {
        match ty {
            _ if ty.is_integer() => Value::Int(bits.cast_signed()),
            CType::JValue => Value::Int(bits.cast_signed()),
            CType::Float => Value::Float(f64::from(f32::of_bits(bits))),
            CType::Double => Value::Float(f64::of_bits(bits)),
            _ if bits == 0 => Value::Null,
            CType::Reference(_) if self.trusted => self.resolver.identify(Bits::of_bits(bits)),
            CType::Reference(_) => Value::Opaque,
            CType::Method if self.trusted => self.resolver.identify_method(bits),
            CType::Method => Value::Method(bits),
            CType::Field => Value::Field(bits),
            _ => Value::Pointer(bits),
        }
    }

    /// A value from its bits, looking behind pointers.
    ///
    /// # Safety
    /// If pointers are trusted, this one has to be good for what the type and the context say.
    pub(super) unsafe fn value(&mut self, ty: CType, bits: u64, context: Context) -> Value {
        match ty {
            CType::Pointer(to) if self.trusted && bits != 0 => {
                // SAFETY: the caller vouches for the pointer.
                unsafe { self.behind(bits, *to, context) }
            }
            _ => self.scalar(ty, bits),
        }
    }

    /// What a pointer of that value leads to.
    unsafe fn behind(&mut self, at: u64, to: CType, context: Context) -> Value {
        match (to, context.count) {
            // SAFETY: by the specification a `char*` is a terminated string.
            (CType::Char, None) => Value::Str(unsafe { memory::c_string(at) }),
            // SAFETY: the caller vouches for the count.
            (CType::UnsignedChar, Some(count)) => Value::Bytes(unsafe { memory::bytes(at, count) }),
            (_, Some(count)) if to.size() > 0 => {
                // SAFETY: as above.
                unsafe { self.array(at, to, count) }
            }
            // SAFETY: a pointer to a union leads to one of them; arrays of structures have counts.
            (CType::Struct(layout), None) if layout.union => unsafe { self.at(at, to, context) },
            _ => Value::Pointer(at),
        }
    }

    unsafe fn array(&mut self, at: u64, element: CType, count: usize) -> Value {
        let places = (0..count).map(|i| at + (i * element.size()) as u64);
        // SAFETY: the caller vouches for that many elements.
        Value::List(places.map(|place| unsafe { self.at(place, element, Context::default()) }).collect())
    }

    /// The value that lies at an address.
    ///
    /// # Safety
    /// A value of that type has to be readable there.
    pub(super) unsafe fn at(&mut self, at: u64, ty: CType, context: Context) -> Value {
        match ty {
            CType::Struct(layout) if layout.is_bits() => {
                // SAFETY: the caller vouches for the structure.
                Value::Bytes(unsafe { memory::bytes(at, layout.size) })
            }
            // SAFETY: as above.
            CType::Struct(layout) if layout.union => unsafe { self.member(at, layout, context.selector) },
            CType::Struct(layout) => {
                let mut fields = Vec::with_capacity(layout.fields.len());
                for field in layout.fields {
                    // SAFETY: as above; the count is one of the structure's own fields.
                    let value = unsafe {
                        let context = Context { count: field_count(at, layout, field.count), selector: None };
                        self.at(at + field.offset as u64, field.ty, context)
                    };
                    fields.push((field.name.to_owned(), value));
                }
                Value::Struct(fields)
            }
            // SAFETY: the caller vouches for the value.
            _ => unsafe { self.value(ty, memory::load(at, ty), context) },
        }
    }

    /// The member of a union that goes with the selector.
    unsafe fn member(&mut self, at: u64, layout: &StructLayout, selector: Option<i64>) -> Value {
        let index =
            layout.members.iter().find(|(value, _)| Some(*value) == selector).map(|(_, index)| *index);
        match index.and_then(|index| layout.fields.get(usize::from(index))) {
            Some(field) => {
                // SAFETY: the caller vouches for the union; its selector tells which member is valid.
                let value = unsafe { self.at(at + field.offset as u64, field.ty, Context::default()) };
                Value::Struct(vec![(field.name.to_owned(), value)])
            }
            None => Value::Pointer(at),
        }
    }

    /// The value in the probe's own storage, which may be [`Value::Untouched`] as a whole or in parts. Of bits, the
    /// bytes at the end that the VM left untouched are left out: VMs write no more than they have capabilities for.
    pub(super) fn storage(&mut self, at: u64, ty: CType, count: Option<usize>) -> Value {
        // SAFETY: the probe made the storage for this type, and it lives as long as the call.
        if unsafe { memory::is_untouched(at, ty.size()) } {
            return Value::Untouched;
        }
        match ty {
            CType::Struct(layout) if !layout.is_bits() && !layout.union => {
                let fields = layout.fields.iter().map(|field| {
                    // SAFETY: as above; a count that is untouched or absurd counts for nothing.
                    let count = unsafe { field_count(at, layout, field.count) };
                    (field.name.to_owned(), self.storage(at + field.offset as u64, field.ty, count))
                });
                Value::Struct(fields.collect())
            }
            CType::Struct(layout) if layout.is_bits() => {
                // SAFETY: as above.
                Value::Bytes(unsafe { memory::touched_bytes(at, layout.size) })
            }
            // SAFETY: as above; what the VM wrote after success is good by the specification.
            _ => unsafe { self.at(at, ty, Context { count, selector: None }) },
        }
    }

    /// The probe's own array, without the elements at its end that the VM left untouched.
    pub(super) fn storage_array(&mut self, at: u64, element: CType, count: usize) -> Value {
        let places = (0..count).map(|i| at + (i * element.size()) as u64);
        // SAFETY: the probe made storage for that many elements.
        let touched = places.clone().rposition(|at| !unsafe { memory::is_untouched(at, element.size()) });
        match touched {
            None => Value::Untouched,
            Some(last) => {
                Value::List(places.take(last + 1).map(|at| self.storage(at, element, None)).collect())
            }
        }
    }
}

/// The number of elements that a field of a structure is said to have.
///
/// # Safety
/// The structure has to be readable at the address.
pub(super) unsafe fn field_count(at: u64, layout: &StructLayout, count: Option<Count>) -> Option<usize> {
    let Some(Count::Value(index)) = count else { return None };
    let field = layout.fields.get(usize::from(index))?;
    // SAFETY: the caller vouches for the structure.
    sane_count(unsafe { memory::load(at + field.offset as u64, field.ty) }.cast_signed())
}

/// A count that can be one.
pub(super) fn sane_count(count: i64) -> Option<usize> {
    (0..=LONGEST_ARRAY).contains(&count).then(|| usize::try_from(count).ok()).flatten()
}
