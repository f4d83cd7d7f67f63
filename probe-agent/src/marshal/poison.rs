//! Values that mean nothing and are recognised: in outputs of calls that failed, whose content the specification leaves
//! undefined, and in memory that has been deallocated.
//!
//! A mark tells the call that left it. As an address it belongs to nobody, as a number it is negative.

use jvmti_wire::trace::HotArg;

use super::marks::{OUTPUT, ShortMarks};
use super::memory;
use super::passed::{Block, Passed};
use crate::ffi::{CType, Count, Dir, slot};
use crate::os::memory::write;

static SHORT_MARKS: ShortMarks = ShortMarks::new();
/// Elements of an array of the agent's that are marked.
const MARKED: usize = 64;

/// A block of memory that the VM gave, and its size in bytes.
pub type Sized = (u64, usize);

impl Passed<'_> {
    /// After failure: marks what the agent wanted to be told. Gives the marks, by parameter.
    pub fn mark_outputs(&self, call: u32) -> Vec<(u16, HotArg<'static>)> {
        let mut marks = Vec::new();
        for (index, param, word) in
            self.params().filter(|(_, param, word)| param.dir.is_output() && *word != 0)
        {
            let Some(element) = param.ty.pointee() else { continue };
            let elements = match param.dir {
                // A count that stands behind a pointer is not to be relied on.
                Dir::OutBuf if matches!(param.count, Some(Count::Value(_))) => {
                    self.count(param).unwrap_or(0).min(MARKED)
                }
                Dir::OutBuf => 0,
                _ => 1,
            };
            for i in 0..elements {
                let mut marking =
                    Marking { call, param: index as u16, next: marks.len() as u64, marks: &mut marks };
                marking.place(word + (i * element.size()) as u64, element);
            }
        }
        marks
    }

    /// After success: the memory that the VM gave, as far as its size is known.
    pub fn sized_blocks(&self, found: &mut dyn FnMut(Sized)) {
        if self.descriptor.slot == slot::ALLOCATE {
            // SAFETY: the VM has written the address through the agent's pointer.
            let at = unsafe { memory::load_pointer(self.words[1]) };
            return found((at, usize::try_from(self.words[0]).unwrap_or(0)));
        }
        self.each_block(&mut |block| found((block.at, size(&block))));
    }
}

fn size(block: &Block) -> usize {
    match (block.element, block.count) {
        // SAFETY: the VM gave a terminated string.
        (CType::Char, None) => unsafe { memory::c_string(block.at) }.len() + 1,
        (element, count) => element.size() * count.unwrap_or(1),
    }
}

struct Marking<'m> {
    call: u32,
    param: u16,
    next: u64,
    marks: &'m mut Vec<(u16, HotArg<'static>)>,
}

impl Marking<'_> {
    fn place(&mut self, at: u64, ty: CType) {
        match ty {
            CType::Struct(layout) if !layout.union && !layout.is_bits() => {
                for field in layout.fields {
                    self.place(at + field.offset as u64, field.ty);
                }
            }
            CType::Int => {
                if let Some(mark) = SHORT_MARKS.next().filter(|mark| write(at, &mark.to_ne_bytes())) {
                    self.marks.push((self.param, HotArg::Int(mark.into())));
                }
            }
            CType::Long
            | CType::Reference(_)
            | CType::Method
            | CType::Field
            | CType::Monitor
            | CType::Pointer(_) => {
                let mark = OUTPUT << 48 | (self.next & 0xffff) << 32 | u64::from(self.call);
                self.next += 1;
                if write(at, &mark.to_ne_bytes()) {
                    let value = if ty == CType::Long {
                        HotArg::Int(mark.cast_signed())
                    } else {
                        HotArg::Pointer(mark)
                    };
                    self.marks.push((self.param, value));
                }
            }
            _ => {}
        }
    }
}

/// Fills memory that has been deallocated with a mark.
///
/// # Safety
/// The memory has to be of that size, and nobody's.
pub unsafe fn fill((at, size): Sized, mark: u64) {
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::write(at, &pattern(mark, size)) };
}

/// How far behind the beginning of memory that was filled with a mark something else stands.
///
/// # Safety
/// The memory has to be readable.
pub unsafe fn changed((at, size): Sized, mark: u64) -> Option<usize> {
    // SAFETY: the caller vouches for the memory.
    let now = unsafe { memory::borrowed(at, size) };
    now.iter().zip(pattern(mark, size)).position(|(now, then)| *now != then)
}

fn pattern(mark: u64, size: usize) -> Vec<u8> {
    mark.to_ne_bytes().into_iter().cycle().take(size).collect()
}
