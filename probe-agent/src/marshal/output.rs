//! What the VM gave: decoded, referred to later, and given back.

use std::collections::BTreeSet;

use jni_sys::jobject;
use jvmti_wire::plan::PathPart;
use jvmti_wire::value::Value;

use super::decode::{Decoder, field_count, sane_count};
use super::memory;
use super::{Call, Resolver};
use crate::ffi::raw::Bits;
use crate::ffi::{CType, Count, Dir, ParamDescriptor, error};

/// Memory of the probe's that an output parameter points to.
#[derive(Debug)]
pub(super) struct Storage {
    pub(super) param: &'static ParamDescriptor,
    /// Index of the parameter.
    pub(super) index: u16,
    pub(super) at: u64,
    /// Type of what lies there.
    pub(super) element: CType,
    /// How many of them, more than one only if the parameter is an array of the caller's.
    pub(super) elements: usize,
}

impl Storage {
    fn is_untouched(&self) -> bool {
        // SAFETY: the storage holds one element at least.
        unsafe { memory::is_untouched(self.at, self.element.size()) }
    }

    fn bits(&self) -> u64 {
        // SAFETY: as above.
        unsafe { memory::load(self.at, self.element) }
    }
}

/// The memory in which the value of an output lies.
#[derive(Clone, Copy)]
struct Location {
    at: u64,
    ty: CType,
    /// Number of elements behind it, if it is a pointer.
    count: Option<usize>,
}

impl Call {
    /// The outputs by parameter index, decoded. After an error nothing is followed that the VM may have left undone.
    pub fn outputs(&self, resolver: &mut dyn Resolver) -> Vec<(u16, Value)> {
        let mut decoder = Decoder { resolver, trusted: self.succeeded() };
        let decode = |storage: &Storage| {
            let value = match storage.param.dir {
                Dir::OutBuf => decoder.storage_array(storage.at, storage.element, storage.elements),
                _ if is_raw_memory(storage.param) => {
                    let mut unfollowed = Decoder { resolver: &mut *decoder.resolver, trusted: false };
                    unfollowed.storage(storage.at, storage.element, None)
                }
                _ => decoder.storage(storage.at, storage.element, self.count(storage.param)),
            };
            (storage.index, value)
        };
        self.storages.iter().map(decode).collect()
    }

    /// The number of elements of the array that a parameter gives.
    fn count(&self, param: &ParamDescriptor) -> Option<usize> {
        let count = match param.count? {
            Count::Value(index) => *self.raw.get(usize::from(index))?,
            Count::Pointee(index) => {
                let storage = self.storages.iter().find(|s| s.index == index && s.element.is_integer())?;
                if storage.is_untouched() {
                    return None;
                }
                storage.bits()
            }
        };
        sane_count(count.cast_signed())
    }

    /// The bits of an output, or of what lies in it at the end of the path. `None` if the VM has not written it, the
    /// path leads nowhere, what it leads to has been released, or the function returned an error, after which an output
    /// may be anything.
    pub fn raw_output(&self, param: u16, path: &[PathPart]) -> Option<u64> {
        if self.code.is_some_and(|code| code != error::NONE) {
            return None;
        }
        let storage = self.storages.iter().find(|s| s.index == param)?;
        let mut place = Location { at: storage.at, ty: storage.element, count: self.count(storage.param) };
        let mut path = path.iter();
        if storage.param.dir == Dir::OutBuf {
            let Some(PathPart::Index(index)) = path.next() else { return None };
            let index = usize::try_from(*index).ok().filter(|index| *index < storage.elements)?;
            place.at += (index * storage.element.size()) as u64;
        }
        // SAFETY: the place is within the probe's storage.
        if unsafe { memory::is_untouched(place.at, place.ty.size()) } {
            return None;
        }
        for part in path {
            place = self.step(place, part)?;
        }
        match place.ty {
            CType::Struct(_) => None,
            // SAFETY: every step stayed within what the VM gave.
            ty => Some(unsafe { memory::load(place.at, ty) }),
        }
    }

    /// One step into a place.
    fn step(&self, place: Location, part: &PathPart) -> Option<Location> {
        match (place.ty, part) {
            (CType::Pointer(to), PathPart::Index(index)) => {
                let index =
                    usize::try_from(*index).ok().filter(|index| place.count.is_some_and(|n| *index < n))?;
                let start = self.followed(place)?;
                Some(Location { at: start + (index * to.size()) as u64, ty: *to, count: None })
            }
            (CType::Struct(layout), PathPart::Field(name)) => {
                let field = layout.field(name).filter(|field| field.bit.is_none())?;
                // SAFETY: the place holds a structure of this layout.
                let count = unsafe { field_count(place.at, layout, field.count) };
                Some(Location { at: place.at + field.offset as u64, ty: field.ty, count })
            }
            _ => None,
        }
    }

    /// Where the pointer at a place leads, if it may be followed.
    fn followed(&self, place: Location) -> Option<u64> {
        // SAFETY: a place is readable as its type.
        let to = unsafe { memory::load(place.at, place.ty) };
        (self.succeeded() && is_given(place) && !self.disowned.contains(&to)).then_some(to)
    }

    /// Puts another reference in place of each JNI local reference that the VM gave: a global one that outlives the
    /// native method, say. Does nothing after an error.
    pub fn map_references(&mut self, replace: &mut dyn FnMut(jobject) -> jobject) {
        for (_, at) in self.given().references {
            // SAFETY: what the VM gives belongs to the caller; the place holds a reference.
            unsafe {
                let old: jobject = Bits::of_bits(memory::load(at, REFERENCE));
                memory::store(at, REFERENCE, replace(old).bits());
            }
        }
    }

    /// Leaves that memory of the VM's to somebody else: it is not followed or deallocated any more.
    pub fn disown(&mut self, memory: u64) {
        self.disowned.push(memory);
    }

    /// Shows what the VM gave, with the index of its parameter: memory, inner blocks first, and references.
    pub fn show_given(&self, memory: &mut dyn FnMut(u16, u64), reference: &mut dyn FnMut(u16, jobject)) {
        let given = self.given();
        let mut shown = BTreeSet::new();
        given
            .memory
            .iter()
            .filter(|(_, block)| shown.insert(*block))
            .for_each(|(param, block)| memory(*param, *block));
        for (param, at) in given.references {
            // SAFETY: what the VM gives belongs to the caller, and nothing has been deallocated yet.
            reference(param, Bits::of_bits(unsafe { memory::load(at, REFERENCE) }));
        }
    }

    /// Gives back what the VM gave: memory, inner blocks first, each once, and references, each once. What
    /// [`Allocate`-like](is_raw_memory) functions return stays with the plan. Does nothing after an error or a second
    /// time.
    pub fn release(&mut self, deallocate: &mut dyn FnMut(u64), delete: &mut dyn FnMut(jobject)) {
        let given = self.given();
        let mut deleted = BTreeSet::new();
        for (_, at) in given.references {
            // SAFETY: nothing has been deallocated yet.
            let reference = unsafe { memory::load(at, REFERENCE) };
            if deleted.insert(reference) {
                delete(Bits::of_bits(reference));
            }
        }
        let mut freed = BTreeSet::new();
        for (_, memory) in given.memory {
            if freed.insert(memory) {
                deallocate(memory);
            }
        }
        self.released = true;
    }

    /// What the VM gave and nobody has taken away.
    fn given(&self) -> OwnedByCaller<'_> {
        let mut given = OwnedByCaller { call: self, param: 0, memory: Vec::new(), references: Vec::new() };
        if self.succeeded() {
            for storage in self.storages.iter().filter(|s| !s.is_untouched() && !is_raw_memory(s.param)) {
                let place =
                    Location { at: storage.at, ty: storage.element, count: self.count(storage.param) };
                given.param = storage.index;
                let allocated = matches!(storage.param.dir, Dir::OutAlloc | Dir::OutAllocAlloc);
                given.place(place, storage.param, allocated, storage.param.local_ref);
            }
        }
        given
    }
}

/// Whether the pointer or reference at a place is one: neither null nor left as the probe had prepared it.
fn is_given(place: Location) -> bool {
    // SAFETY: a place is readable as its type.
    unsafe { memory::load(place.at, place.ty) != 0 && !memory::is_untouched(place.at, place.ty.size()) }
}

const REFERENCE: CType = CType::Reference("jobject");

/// Memory whose content the specification leaves open and whose length the caller names: it is asked for by the plan,
/// which has to deallocate it.
fn is_raw_memory(param: &ParamDescriptor) -> bool {
    let bytes = matches!(param.ty, CType::Pointer(CType::Pointer(CType::UnsignedChar)));
    param.dir == Dir::OutAlloc && bytes && matches!(param.count, Some(Count::Value(_)))
}

/// What the caller owns after the call: memory to deallocate, and references to delete.
struct OwnedByCaller<'a> {
    call: &'a Call,
    /// Index of the parameter that is looked at.
    param: u16,
    /// Addresses to be deallocated, inner ones first, by parameter.
    memory: Vec<(u16, u64)>,
    /// Places of JNI references, by parameter.
    references: Vec<(u16, u64)>,
}

impl OwnedByCaller<'_> {
    /// Collects what lies at a place and behind it. `allocated`: what it points to is the caller's to free;
    /// `referring`: the references in it are the caller's.
    fn place(&mut self, place: Location, param: &ParamDescriptor, allocated: bool, referring: bool) {
        match place.ty {
            CType::Reference(_) if referring && is_given(place) => {
                self.references.push((self.param, place.at))
            }
            CType::Struct(layout) if !layout.union => {
                for field in layout.fields.iter().filter(|field| field.bit.is_none()) {
                    let path = format!("{}.{}", layout.name, field.name);
                    let among = |fields: &[&str]| fields.contains(&path.as_str());
                    // SAFETY: the place holds a structure of this layout.
                    let count = unsafe { field_count(place.at, layout, field.count) };
                    let inner = Location { at: place.at + field.offset as u64, ty: field.ty, count };
                    self.place(inner, param, among(param.alloc_fields), among(param.local_ref_fields));
                }
            }
            CType::Pointer(to) => {
                let Some(start) = self.call.followed(place) else { return };
                // Elements that are pointers themselves were each allocated: `char**` of system properties.
                let each_allocated = allocated && to.pointee().is_some();
                for i in 0..place.count.unwrap_or(0) {
                    let element = Location { at: start + (i * to.size()) as u64, ty: *to, count: None };
                    self.place(element, param, each_allocated, referring);
                }
                if allocated {
                    self.memory.push((self.param, start));
                }
            }
            _ => {}
        }
    }
}
