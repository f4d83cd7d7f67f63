//! Poisons what an agent must not rely on: outputs of failed calls, and memory that it has deallocated.
//!
//! The probe does not return memory to the JVM at once. It fills the memory with a mark and keeps it for a while: an agent
//! that reads it gets the mark, and when the probe returns the memory, it sees whether the agent has written to it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use jni_sys::jint;
use jvmti_wire::trace::{Body, HotArg, HotBody, NativeCode};

use super::allocations::{self, Allocation};
use super::{call_numbers, red_zones, settings};
use crate::ffi::stub::Entered;
use crate::ffi::{error, slot};
use crate::marshal::{self, Passed, Sized};
use crate::recording::{clock, record, record_hot};
use crate::vm::probe_environment;

/// The probe keeps this many blocks and bytes at most before it returns them to the JVM.
const BLOCKS: usize = 4096;
const BYTES: usize = 32 << 20;

/// Outputs that the probe has marked, by parameter.
pub type Marks = Vec<(u16, HotArg<'static>)>;

/// Memory that the JVM allocated and that has not been returned to it, by address. The table uses no thread-local storage:
/// agents free memory even after a thread has lost its own.
static GIVEN: RwLock<BTreeMap<u64, KnownBlock>> = RwLock::new(BTreeMap::new());
static KEPT: Mutex<Kept> = Mutex::new(Kept { blocks: VecDeque::new(), bytes: 0 });

/// Memory that the probe keeps before it returns it to the JVM.
struct Kept {
    blocks: VecDeque<Block>,
    bytes: usize,
}

struct KnownBlock {
    size: usize,
    /// An agent has deallocated it.
    kept: bool,
}

struct Block {
    memory: Sized,
    mark: u64,
    by: DeallocatedBy,
}

/// What has deallocated memory.
enum DeallocatedBy {
    /// The call of that number.
    Call(u32),
    /// A counted call.
    Counted {
        /// Its call site.
        site: u32,
        /// What allocated the memory, if neither that nor this call is recorded.
        unseen: Option<Allocation>,
    },
}

/// Memory that an agent passes to Deallocate, and that the probe keeps for now.
pub struct Deallocated(Sized);

/// Whether the probe poisons.
#[inline]
pub fn is_on() -> bool {
    settings::get().is_some_and(|wanted| wanted.poison)
}

/// A call has succeeded: remembers the sizes of the memory that it allocated.
pub fn succeeded(passed: &Passed<'_>) {
    if is_on() {
        passed.sized_blocks(&mut |(at, size)| {
            given_mut().insert(at, KnownBlock { size, kept: false });
        });
    }
}

/// A call has failed: marks the outputs.
pub fn failed(passed: &Passed<'_>, call: u32) -> Marks {
    if is_on() { passed.mark_outputs(call) } else { Vec::new() }
}

/// Whether an argument of a call, which the probe would only count, may come from undefined memory.
#[inline]
pub fn may_be_taken(args: &[u64]) -> bool {
    is_on() && args.iter().any(|word| marshal::may_be_mark(*word))
}

/// An agent has left memory to the JVM.
pub fn taken(at: u64) {
    if is_on() {
        red_zones::end(at);
        given_mut().remove(&at);
    }
}

/// Whether an agent has deallocated the memory that this address lies in.
pub fn is_deallocated(at: u64) -> bool {
    is_on() && around(&given(), at).is_some_and(|(_, memory)| memory.kept)
}

/// An agent is about to make a call from that place: records that it passes an address in memory that an agent has deallocated.
pub fn record_deallocated(passed: &Passed<'_>, site: u32) {
    let function = passed.descriptor().slot;
    if !is_on() || function == slot::DEALLOCATE {
        return;
    }
    let param = passed.addresses().find(|(_, address)| is_deallocated(*address)).map(|(param, _)| param);
    if let Some(param) = param {
        record(&Body::Native(NativeCode::DeallocatedPassed { function, site, param }));
    }
}

/// The memory that this address lies in, and its address.
fn around(given: &BTreeMap<u64, KnownBlock>, at: u64) -> Option<(u64, &KnownBlock)> {
    let (start, memory) = given.range(..=at).next_back()?;
    (at - start < memory.size.max(1) as u64).then_some((*start, memory))
}

/// The size of memory that the JVM allocated, and that an agent holds or the probe keeps; `None`: it is no such memory.
pub fn size(at: u64) -> Option<usize> {
    if is_on() { given().get(&at).map(|given| given.size) } else { None }
}

fn given() -> RwLockReadGuard<'static, BTreeMap<u64, KnownBlock>> {
    GIVEN.read().unwrap_or_else(PoisonError::into_inner)
}

fn given_mut() -> RwLockWriteGuard<'static, BTreeMap<u64, KnownBlock>> {
    GIVEN.write().unwrap_or_else(PoisonError::into_inner)
}

/// Puts null, which Deallocate does nothing with, into the place of memory that is kept back, and of
/// addresses that the JVM may not survive: those within memory, and of what has been deallocated before.
pub fn replace(entered: &mut Entered) -> Option<Deallocated> {
    let at = entered.words[1];
    if !is_on() {
        return None;
    }
    // An output of a failed call, or the content of deallocated memory: the JVM may not survive that either.
    if marshal::is_mark(at) {
        entered.words[1] = 0;
        return None;
    }
    around(&given(), at)?;
    entered.words[1] = 0;
    take(at)
}

/// Takes memory that an agent passes to Deallocate, which is then not to be made with it. `None`: no memory that an agent holds begins
/// there.
pub fn take(at: u64) -> Option<Deallocated> {
    let mut given = given_mut();
    let memory = given.get_mut(&at).filter(|memory| !memory.kept)?;
    memory.kept = true;
    let size = memory.size;
    drop(given);
    red_zones::end(at);
    Some(Deallocated((at, size)))
}

impl Deallocated {
    /// A counted call from that call site has deallocated it; `unseen`: the allocation, if neither is recorded.
    pub fn settle_counted(self, site: u32, unseen: Option<Allocation>) {
        self.fill_and_keep(marshal::deallocated_at(site), DeallocatedBy::Counted { site, unseen });
    }

    fn fill_and_keep(self, mark: u64, by: DeallocatedBy) {
        // SAFETY: the JVM gave the memory with that size, and the agent has no right to it any more.
        unsafe { marshal::fill(self.0, mark) };
        keep(Block { memory: self.0, mark, by });
    }

    /// Deallocate has returned.
    pub fn settle(self, call: u32, code: jint) -> Marks {
        if code != error::NONE {
            given_mut().insert(self.0.0, KnownBlock { size: self.0.1, kept: false });
            return Vec::new();
        }
        let mark = marshal::deallocated_by(call);
        self.fill_and_keep(mark, DeallocatedBy::Call(call));
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
        given_mut().remove(&block.memory.0);
        // SAFETY: the JVM gave the memory, and the agent has no right to it any more.
        unsafe { probe_environment::deallocate(block.memory.0) };
    }
}

/// A recorded call is about memory that this address lies in: records by which counted calls it was allocated and deallocated.
pub fn reveal(at: u64) {
    if !is_on() {
        return;
    }
    let Some(start) = around(&given(), at).map(|(start, _)| start) else { return };
    allocations::reveal(start);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let block = kept.blocks.iter_mut().rev().find(|block| block.memory.0 == start);
    if let Some(DeallocatedBy::Counted { site, unseen }) = block.map(|block| &mut block.by)
        && let Some(given) = unseen.take()
    {
        given.record(start);
        let (call, environment) = (call_numbers::next(), given.environment);
        let (function, about) = (slot::DEALLOCATE, HotArg::Pointer(start));
        let body = HotBody::CallBrief { call, environment, function, site: *site, about, blocks: &[] };
        record_hot(clock::now(), &body);
    }
}

impl Block {
    /// Records it if the agent has written to the memory.
    fn inspect(&self) {
        // SAFETY: the memory is the JVM's until it is given back.
        if let Some(offset) = unsafe { marshal::changed(self.memory, self.mark) } {
            let (at, offset) = (self.memory.0, offset as u64);
            record(&match self.by {
                DeallocatedBy::Call(call) => Body::WrittenAfterDeallocate { call, at, offset },
                DeallocatedBy::Counted { site, .. } => {
                    Body::Native(NativeCode::WrittenAfterDeallocate { site, at, offset })
                }
            });
        }
    }
}

/// The JVM is ending: checks the memory that is still kept, and leaves it.
pub fn finish() {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.blocks.drain(..).for_each(|block| block.inspect());
}
