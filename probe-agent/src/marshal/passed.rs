//! What an agent that nobody here wrote passed to a function, and what the VM gave it.

use jvmti_wire::trace::HotArg;
use jvmti_wire::value::Value;
use smallvec::SmallVec;

use super::decode::{Context, Decoder, field_count, sane_count};
use super::resolver::Resolver;
use super::{marks, memory};
use crate::ffi::{CType, Count, Dir, FunctionDescriptor, ParamDescriptor};

/// More than any function has parameters.
pub const MOST_PARAMS: usize = 8;
/// Elements of an array that are looked at.
const LOOKED_AT: usize = 64;
/// Bytes of raw memory that are copied.
const COPIED: usize = 256;

/// Memory that the VM gave: index of the parameter, and address. Most functions give a few blocks at the most.
pub type Blocks = SmallVec<[(u16, u64); 8]>;

/// The words of a call that an agent made.
#[derive(Clone, Copy)]
pub struct Passed<'a> {
    /// The function.
    pub(super) descriptor: &'static FunctionDescriptor,
    /// One word per parameter after the environment.
    pub(super) words: &'a [u64],
    /// The bits of the floating-point argument, if the function takes one.
    float: u64,
}

impl<'a> Passed<'a> {
    /// The words of a call of that function.
    ///
    /// # Safety
    /// They have to be what the agent passes to the function. What is said to be looked at after success or failure may be
    /// asked for only then.
    pub unsafe fn new(descriptor: &'static FunctionDescriptor, words: &'a [u64], float: u64) -> Passed<'a> {
        Passed { descriptor, words, float }
    }

    /// The function.
    pub fn descriptor(&self) -> &'static FunctionDescriptor {
        self.descriptor
    }

    /// One word per parameter after the environment.
    pub fn words(&self) -> &'a [u64] {
        self.words
    }

    pub(super) fn params(&self) -> impl Iterator<Item = (usize, &'static ParamDescriptor, u64)> + use<'a> {
        let words = self.words;
        let params = self.descriptor.params.iter().filter(|param| param.ty != CType::Varargs);
        params.zip(words).enumerate().map(|(index, (param, word))| (index, param, *word))
    }

    /// The arguments: numbers, strings and bits as they are, pointers and ids by value. Of references only whether
    /// they are null: what they refer to is for the VM to find out first. Gives how many there are.
    pub fn args<'s>(&self, into: &mut [HotArg<'s>; MOST_PARAMS]) -> usize {
        let mut count = 0;
        for ((_, param, word), into) in self.params().zip(into) {
            self.arg(param, word, into);
            count += 1;
        }
        count
    }

    // Written where it is to be: copying what has just been written in parts would have to wait for them.
    #[inline]
    fn arg<'s>(&self, param: &ParamDescriptor, word: u64, into: &mut HotArg<'s>) {
        match (param.ty, param.dir) {
            (CType::Float, _) => *into = HotArg::Float(f32::from_bits(self.float as u32).into()),
            (CType::Double, _) => *into = HotArg::Float(f64::from_bits(self.float)),
            (ty, _) if ty.is_integer() => *into = HotArg::Int(memory::cut(ty, word).cast_signed()),
            _ if word == 0 => *into = HotArg::Null,
            (CType::Reference(_), _) if !marks::is_mark(word) => *into = HotArg::Reference(word),
            (CType::Method, _) => *into = HotArg::Method(word),
            (CType::Field, _) => *into = HotArg::Field(word),
            (_, Dir::InString) if !marks::is_mark(word) => {
                // SAFETY: by the specification the agent passes a terminated string here.
                *into = HotArg::Str(unsafe { memory::borrowed_c_string(word) });
            }
            (CType::Pointer(CType::Struct(layout)), Dir::InPtr)
                if layout.is_bits() && !marks::is_mark(word) =>
            {
                // SAFETY: by the specification the agent passes such a structure.
                *into = HotArg::Bytes(unsafe { memory::borrowed(word, layout.size) });
            }
            _ => *into = HotArg::Pointer(word),
        }
    }

    /// After success: what the VM wrote, as far as it can be told without looking behind references and structures.
    pub fn outputs<'s>(&self, into: &mut [(u16, HotArg<'s>); MOST_PARAMS]) -> usize {
        let mut count = 0;
        for (index, param, word) in self.params() {
            if word == 0 || !param.dir.is_output() || param.dir == Dir::OutBuf {
                continue;
            }
            let (CType::Pointer(element), Some((at, into))) = (param.ty, into.get_mut(count)) else {
                continue;
            };
            if matches!(element, CType::Struct(_)) {
                continue;
            }
            *at = index as u16;
            // SAFETY: the VM has written a value of this type through the agent's pointer.
            let bits = unsafe { memory::load(word, *element) };
            match *element {
                ty if ty.is_integer() => *into = HotArg::Int(bits.cast_signed()),
                CType::Float => *into = HotArg::Float(f32::from_bits(bits as u32).into()),
                CType::Double => *into = HotArg::Float(f64::from_bits(bits)),
                _ if bits == 0 => *into = HotArg::Null,
                CType::Reference(_) => *into = HotArg::Reference(bits),
                CType::Method => *into = HotArg::Method(bits),
                CType::Field => *into = HotArg::Field(bits),
                CType::Pointer(CType::Char) => {
                    // SAFETY: the VM gave a terminated string.
                    *into = HotArg::Str(unsafe { memory::borrowed_c_string(bits) });
                }
                _ => *into = HotArg::Pointer(bits),
            }
            count += 1;
        }
        count
    }

    /// After success: what the VM wrote, references identified, and what the references that went in refer to.
    pub fn outputs_closely(&self, resolver: &mut dyn Resolver) -> Vec<(u16, Value)> {
        let mut decoder = Decoder { resolver, trusted: true };
        let mut outputs = Vec::new();
        for (index, param, word) in self.params().filter(|(_, _, word)| *word != 0) {
            let value = match (param.ty, param.ty.pointee()) {
                (CType::Reference(_) | CType::Method, _) => decoder.scalar(param.ty, word),
                (_, Some(element)) if param.dir.is_output() => {
                    let count = self.written(param).map(|count| count.min(LOOKED_AT));
                    // SAFETY: the VM has written as much as its specification says through the agent's pointer.
                    unsafe { output(&mut decoder, param, word, element, count) }
                }
                (_, Some(element @ CType::Reference(_))) if param.dir == Dir::InBuf => {
                    let count = self.count(param).map(|count| count.min(LOOKED_AT));
                    let context = Context { count, selector: None };
                    let array = CType::Pointer(reference(element));
                    // SAFETY: the VM has read that many references from the agent's array.
                    unsafe { decoder.value(array, word, context) }
                }
                _ => continue,
            };
            outputs.push((index as u16, value));
        }
        outputs
    }

    /// The number of elements that the VM has written. Of an array of the agent's it may have filled less than there
    /// is room for: another output tells how much.
    pub(super) fn written(&self, param: &ParamDescriptor) -> Option<usize> {
        let room = self.count(param);
        let told = self.params().find(|(_, other, word)| {
            *word != 0 && other.dir == Dir::Out && other.ty == CType::Pointer(&CType::Int)
        });
        match (param.dir, told) {
            (Dir::OutBuf, Some((_, other, word))) => {
                // SAFETY: the VM has written the count through the agent's pointer.
                let count = unsafe { memory::load(word, other.ty.pointee()?) };
                Some(sane_count(count.cast_signed())?.min(room?))
            }
            _ => room,
        }
    }

    /// The number of elements of the array that a parameter is or gives.
    pub(super) fn count(&self, param: &ParamDescriptor) -> Option<usize> {
        let bits = match param.count? {
            Count::Value(index) => {
                let word = *self.words.get(usize::from(index))?;
                memory::cut(CType::Int, word)
            }
            Count::Pointee(index) => {
                let place = *self.words.get(usize::from(index))?;
                let ty = self.descriptor.params.get(usize::from(index))?.ty.pointee()?;
                if place == 0 || !ty.is_integer() {
                    return None;
                }
                // SAFETY: the VM has written the count through the agent's pointer.
                unsafe { memory::load(place, ty) }
            }
        };
        sane_count(bits.cast_signed())
    }

    /// After success: the memory that the VM gave, inner blocks too, with the index of the parameter.
    pub fn blocks(&self) -> Blocks {
        let mut blocks = Blocks::new();
        self.each_block(&mut |block| blocks.push((block.param, block.at)));
        blocks
    }

    /// The addresses of memory of the caller's that the function reads or writes, with the indices of the parameters.
    pub fn addresses(&self) -> impl Iterator<Item = (u16, u64)> + use<'a> {
        let is_memory = |param: &ParamDescriptor| {
            !matches!(param.ty, CType::Pointer(CType::Void)) && matches!(param.ty, CType::Pointer(_))
        };
        let of_memory = self.params().filter(move |(_, param, word)| *word != 0 && is_memory(param));
        of_memory.map(|(index, _, word)| (index as u16, word))
    }

    /// As [`Passed::blocks`], with what the blocks are made of.
    pub(super) fn each_block(&self, found: &mut dyn FnMut(Block)) {
        for (index, param, word) in
            self.params().filter(|(_, param, word)| *word != 0 && param.gives_memory())
        {
            let allocates = matches!(param.dir, Dir::OutAlloc | Dir::OutAllocAlloc);
            let Some(element) = param.ty.pointee() else { continue };
            let mut walk = Walk { param, index: index as u16, found: &mut *found };
            // SAFETY: the VM has written values of this type through the agent's pointer.
            unsafe { walk.place(word, element, self.count(param), allocates) };
        }
    }
}

/// The type of a reference behind a pointer.
fn reference(_: CType) -> &'static CType {
    &CType::Reference("jobject")
}

/// What the VM wrote through a pointer of the agent's.
///
/// # Safety
/// It has to have written as much as its specification says.
unsafe fn output(
    decoder: &mut Decoder<'_>,
    param: &ParamDescriptor,
    at: u64,
    element: CType,
    count: Option<usize>,
) -> Value {
    let context = Context { count, selector: None };
    match (param.dir, element) {
        (Dir::OutBuf, _) => {
            let places = (0..count.unwrap_or(0)).map(|i| at + (i * element.size()) as u64);
            // SAFETY: the caller vouches for the array.
            Value::List(places.map(|at| unsafe { decoder.at(at, element, Context::default()) }).collect())
        }
        // Memory of unknown content.
        (_, CType::Pointer(CType::UnsignedChar)) if matches!(param.count, Some(Count::Value(_))) => {
            // SAFETY: the caller vouches for the pointer.
            decoder.scalar(element, unsafe { memory::load(at, element) })
        }
        (_, CType::Pointer(CType::UnsignedChar)) => {
            let context = Context { count: count.map(|count| count.min(COPIED)), selector: None };
            // SAFETY: as above.
            unsafe { decoder.at(at, element, context) }
        }
        // SAFETY: as above.
        _ => unsafe { decoder.at(at, element, context) },
    }
}

/// Memory that the VM gave.
pub(super) struct Block {
    /// Index of the parameter.
    pub(super) param: u16,
    /// Its address.
    pub(super) at: u64,
    /// What it holds.
    pub(super) element: CType,
    /// How many of them; `None`: one, or a string.
    pub(super) count: Option<usize>,
}

/// Finds memory that the VM gave.
struct Walk<'w> {
    param: &'static ParamDescriptor,
    index: u16,
    found: &'w mut dyn FnMut(Block),
}

impl Walk<'_> {
    /// What lies at a place and behind it, inner blocks first. `allocated`: what the pointer there points to is the
    /// caller's to free.
    ///
    /// # Safety
    /// A value of the type has to be there, and what it points to.
    unsafe fn place(&mut self, at: u64, ty: CType, count: Option<usize>, allocated: bool) {
        match ty {
            CType::Struct(layout) if !layout.union && !layout.is_bits() => {
                for field in layout.fields {
                    let allocated = self.param.alloc_fields.iter().any(|path| {
                        path.strip_prefix(layout.name).and_then(|rest| rest.strip_prefix('.'))
                            == Some(field.name)
                    });
                    // SAFETY: the caller vouches for the structure.
                    unsafe {
                        let count = field_count(at, layout, field.count);
                        self.place(at + field.offset as u64, field.ty, count, allocated);
                    }
                }
            }
            CType::Pointer(to) => {
                // SAFETY: the caller vouches for the pointer.
                let start = unsafe { memory::load(at, ty) };
                if start == 0 {
                    return;
                }
                let each_allocated = allocated && to.pointee().is_some();
                if each_allocated || matches!(to, CType::Struct(_)) {
                    for i in 0..count.unwrap_or(0) {
                        // SAFETY: the caller vouches for that many elements.
                        unsafe { self.place(start + (i * to.size()) as u64, *to, None, each_allocated) };
                    }
                }
                if allocated {
                    (self.found)(Block { param: self.index, at: start, element: *to, count });
                }
            }
            _ => {}
        }
    }
}
