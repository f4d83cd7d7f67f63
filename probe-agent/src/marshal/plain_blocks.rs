//! Memory that the VM gives through pointers that lie where they always lie: as outputs, or in structures that the agent
//! provides. All there is to it is to read them, which takes a fraction of the time that [`Passed::blocks`] takes.
//!
//! [`Passed::blocks`]: super::Passed::blocks

use super::Blocks;
use super::memory;
use crate::ffi::{CType, Dir, FunctionDescriptor, ParamDescriptor};

/// Where a function gives memory: the index of a parameter, and the offset from where it points to.
#[derive(Debug)]
pub struct PlainBlocks(Vec<(u16, usize)>);

impl PlainBlocks {
    /// Those of a function; `None`: it gives blocks within blocks.
    pub fn of_function(function: &FunctionDescriptor) -> Option<PlainBlocks> {
        let mut places = Vec::new();
        for (index, param) in function.params.iter().enumerate().filter(|(_, param)| param.gives_memory()) {
            let offsets = offsets(param)?;
            places.extend(offsets.into_iter().map(|offset| (index as u16, offset)));
        }
        Some(PlainBlocks(places))
    }

    /// The blocks that a call has given.
    ///
    /// # Safety
    /// The call of the function with these words has succeeded.
    #[inline]
    pub unsafe fn of(&self, words: &[u64]) -> Blocks {
        let mut blocks = Blocks::new();
        for (param, offset) in &self.0 {
            let place = words.get(usize::from(*param)).copied().unwrap_or(0);
            if place != 0 {
                // SAFETY: the VM has written a pointer there.
                let at = unsafe { memory::load_pointer(place + *offset as u64) };
                if at != 0 {
                    blocks.push((*param, at));
                }
            }
        }
        blocks
    }
}

/// Where the memory lies that a parameter gives.
fn offsets(param: &ParamDescriptor) -> Option<Vec<usize>> {
    let is_plain = |to: &CType| to.pointee().is_none() && !matches!(to, CType::Struct(_));
    match param.ty.pointee()? {
        CType::Pointer(to) if is_plain(to) && param.dir == Dir::OutAlloc => Some(vec![0]),
        CType::Struct(layout) if !layout.union && !layout.is_bits() && param.dir == Dir::Out => {
            let mut offsets = Vec::new();
            for field in layout.fields {
                let is_given = param.alloc_fields.iter().any(|path| {
                    path.strip_prefix(layout.name).and_then(|rest| rest.strip_prefix('.')) == Some(field.name)
                });
                match field.ty {
                    CType::Pointer(to) if !is_plain(to) => return None,
                    CType::Struct(_) => return None,
                    CType::Pointer(_) if is_given => offsets.push(field.offset),
                    _ => {}
                }
            }
            Some(offsets)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::{self, slot};
    use crate::marshal::Passed;

    #[test]
    fn plain_blocks_are_those_that_a_walk_finds() {
        let mut plain = Vec::new();
        for function in ffi::FUNCTIONS {
            let Some(blocks) = PlainBlocks::of_function(function).filter(|blocks| !blocks.0.is_empty())
            else {
                continue;
            };
            plain.push(function.slot);
            let memory: Vec<Vec<u64>> = (0..6u64)
                .map(|param| (0..16).map(|word| 0x1000 + param * 0x100 + word * 8).collect())
                .collect();
            let words: Vec<u64> =
                memory.iter().map(|words| words.as_ptr().expose_provenance() as u64).collect();
            // SAFETY: there is memory wherever the function may write.
            let (plain, walked) = unsafe { (blocks.of(&words), Passed::new(function, &words, 0).blocks()) };
            assert_eq!(plain, walked, "{}", function.name);
        }
        for slot in [slot::ALLOCATE, slot::GET_THREAD_INFO, slot::GET_CLASS_SIGNATURE, slot::GET_METHOD_NAME]
        {
            assert!(plain.contains(&slot), "{slot}");
        }
    }
}
