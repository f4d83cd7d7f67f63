//! Makes visible what an agent must not rely on: outputs of calls that failed, and memory that it has deallocated.
//!
//! Memory is not given back to the JVM at once: it is filled with a mark and kept for a while, so that its further use
//! is use of the mark, and writing to it is seen when its time has come.

use std::collections::VecDeque;
use std::sync::{LazyLock, Mutex, PoisonError};

use jni_sys::jint;
use jvmti_wire::trace::{Body, HotArg};
use papaya::HashMap;
use rustc_hash::FxBuildHasher;

use super::wanted;
use crate::ffi::stub::Entered;
use crate::ffi::{error, slot};
use crate::marshal::{self, Passed, Sized};
use crate::recorder::record;
use crate::registrar;

/// How many blocks, and how many bytes in all, are kept before they go back to the JVM.
const BLOCKS: usize = 4096;
const BYTES: usize = 32 << 20;

/// Outputs that were marked, by parameter.
pub type Marks = Vec<(u16, HotArg<'static>)>;

/// Sizes of the memory that agents hold, by address.
static SIZES: LazyLock<HashMap<u64, usize, FxBuildHasher>> = LazyLock::new(HashMap::default);
static KEPT: Mutex<Kept> = Mutex::new(Kept { blocks: VecDeque::new(), bytes: 0 });

/// Memory on its way back to the JVM.
struct Kept {
    blocks: VecDeque<Block>,
    bytes: usize,
}

struct Block {
    memory: Sized,
    call: u32,
    mark: u64,
}

/// Memory that an agent passes to Deallocate, and that the JVM is not told of yet.
pub struct Deallocated(Sized);

fn is_on() -> bool {
    wanted().is_some_and(|wanted| wanted.poison)
}

/// A call has succeeded: the sizes of what the JVM gave are remembered.
pub fn succeeded(passed: &Passed<'_>) {
    if is_on() {
        let sizes = SIZES.pin();
        passed.sized_blocks(&mut |(at, size)| {
            sizes.insert(at, size);
        });
    }
}

/// A call has failed: the outputs are marked.
pub fn failed(passed: &Passed<'_>, call: u32) -> Marks {
    if is_on() { passed.mark_outputs(call) } else { Vec::new() }
}

/// An agent has left memory to the JVM.
pub fn taken(at: u64) {
    if is_on() {
        SIZES.pin().remove(&at);
    }
}

/// Puts null, which Deallocate does nothing with, into the place of memory that is kept back.
pub fn replace(entered: &mut Entered) -> Option<Deallocated> {
    let at = entered.words[1];
    let size = if is_on() { *SIZES.pin().remove(&at)? } else { return None };
    entered.words[1] = 0;
    Some(Deallocated((at, size)))
}

impl Deallocated {
    /// The JVM has answered.
    pub fn settle(self, call: u32, code: jint) -> Marks {
        if code != error::NONE {
            SIZES.pin().insert(self.0.0, self.0.1);
            return Vec::new();
        }
        // SAFETY: the JVM gave the memory with that size, and the agent has no right to it any more.
        let mark = unsafe { marshal::fill(self.0, call) };
        keep(Block { memory: self.0, call, mark });
        vec![(0, HotArg::Pointer(mark))]
    }
}

fn keep(block: Block) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.bytes += block.memory.1;
    kept.blocks.push_back(block);
    while kept.blocks.len() > BLOCKS || kept.bytes > BYTES {
        let Some(block) = kept.blocks.pop_front() else { break };
        kept.bytes -= block.memory.1;
        block.inspect();
        if let Some(registrar) = registrar::get() {
            registrar.call(slot::DEALLOCATE, &[block.memory.0]);
        }
    }
}

impl Block {
    /// Records that it has been written to, if so.
    fn inspect(&self) {
        // SAFETY: the memory is the JVM's until it is given back.
        if let Some(offset) = unsafe { marshal::changed(self.memory, self.mark) } {
            let (at, offset) = (self.memory.0, offset as u64);
            record(&Body::WrittenAfterDeallocate { call: self.call, at, offset });
        }
    }
}

/// The JVM ends: what is still kept is looked at, and stays.
pub fn finish() {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.blocks.drain(..).for_each(|block| block.inspect());
}
