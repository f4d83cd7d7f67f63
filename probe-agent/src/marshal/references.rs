//! The local references that a function gave to an agent. All that JVM TI functions give are local references.

use super::decode::field_count;
use super::memory;
use super::passed::Passed;
use crate::ffi::{CType, Dir, FunctionDescriptor};

/// Whether the function gives references to its caller.
pub fn gives_references(function: &FunctionDescriptor) -> bool {
    let leads = |ty: CType| ty.pointee().is_some_and(leads_to_reference);
    function.params.iter().any(|param| param.dir.is_output() && leads(param.ty))
}

impl Passed<'_> {
    /// After success: the references that the VM wrote, those in arrays and structures too; null is none.
    pub fn references(&self, found: &mut dyn FnMut(u64)) {
        for (_, param, word) in self.params().filter(|(_, param, word)| param.dir.is_output() && *word != 0) {
            let Some(element) = param.ty.pointee().filter(|element| leads_to_reference(*element)) else {
                continue;
            };
            let places = if param.dir == Dir::OutBuf { self.written(param).unwrap_or(0) } else { 1 };
            for i in 0..places {
                let at = word + (i * element.size()) as u64;
                // SAFETY: the VM has written as much as its specification says through the agent's pointer.
                unsafe { each(at, element, self.count(param), found) };
            }
        }
    }
}

fn leads_to_reference(ty: CType) -> bool {
    match ty {
        CType::Reference(_) => true,
        CType::Pointer(to) => leads_to_reference(*to),
        CType::Struct(layout) => {
            !layout.union && layout.fields.iter().any(|field| leads_to_reference(field.ty))
        }
        _ => false,
    }
}

/// What lies at a place and behind it.
///
/// # Safety
/// A value of the type has to be there, and what it points to.
unsafe fn each(at: u64, ty: CType, count: Option<usize>, found: &mut dyn FnMut(u64)) {
    match ty {
        CType::Reference(_) => {
            // SAFETY: the caller vouches for the value.
            let reference = unsafe { memory::load(at, ty) };
            if reference != 0 {
                found(reference);
            }
        }
        CType::Struct(layout) if leads_to_reference(ty) => {
            for field in layout.fields {
                // SAFETY: the caller vouches for the structure.
                unsafe {
                    let count = field_count(at, layout, field.count);
                    each(at + field.offset as u64, field.ty, count, found);
                }
            }
        }
        CType::Pointer(to) if leads_to_reference(*to) => {
            // SAFETY: the caller vouches for the pointer.
            let start = unsafe { memory::load(at, ty) };
            for i in 0..count.filter(|_| start != 0).unwrap_or(0) {
                // SAFETY: the caller vouches for that many elements.
                unsafe { each(start + (i * to.size()) as u64, *to, None, found) };
            }
        }
        _ => {}
    }
}
