//! Records counted calls and callbacks that last, so that a trace tells where a program hung.
//!
//! Each thread notes which of them it is in. A thread of the probe looks at these notes from time to time
//! (`watched_threads`), and records the beginning of what has lasted for a second; the thread itself records its end.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use jvmti_wire::trace::{HotArg, HotBody, StepRef};

use super::call_sites;
use super::inspection::Inspection;
use super::note::{self, Note};
use crate::ffi;
use crate::ffi::stub::Entered;
use crate::marshal::{MOST_PARAMS, Passed};
use crate::recording::{clock, next_call, record_of};

/// Calls and callbacks within each other.
pub const FRAMES: usize = 8;
/// Words of a call: the environment and its arguments.
const WORDS: usize = 6;

/// How often the probe has to see the same before it records that.
const LOOKS: u32 = 4;

/// A counted call or callback that a thread is in.
struct Frame {
    note: Note,
    /// The number of the environment, and above it the slot or the number of the event.
    what: AtomicU64,
    /// Where the call returns to; 0 for a callback.
    caller: AtomicU64,
    words: [AtomicU64; WORDS],
    /// The number of the call, once it is recorded.
    call: AtomicU32,
}

/// What a thread is in, outermost first. Only the thread itself changes the depth.
pub struct Stack {
    depth: AtomicUsize,
    /// The number of recorded calls that the thread is in within the frames: they are in the trace first.
    within: AtomicU32,
    /// How many counted calls and callbacks there have been.
    passed: AtomicU64,
    frames: [Frame; FRAMES],
}

impl Frame {
    const fn new() -> Frame {
        Frame {
            note: Note::new(),
            what: AtomicU64::new(0),
            caller: AtomicU64::new(0),
            words: [const { AtomicU64::new(0) }; WORDS],
            call: AtomicU32::new(0),
        }
    }
}

thread_local! {
    /// How many counted calls there have been that no stack has seen.
    static PASSED: Cell<u64> = const { Cell::new(0) };
}

/// How many counted calls and callbacks there have been on this thread that no stack has seen.
pub fn passed() -> u64 {
    PASSED.get()
}

/// A counted call passes that no stack sees.
#[inline]
pub fn pass() {
    PASSED.set(PASSED.get() + 1);
}

impl Stack {
    /// The stack of a thread that is in nothing.
    pub const fn new() -> Stack {
        Stack {
            depth: AtomicUsize::new(0),
            within: AtomicU32::new(0),
            passed: AtomicU64::new(0),
            frames: [const { Frame::new() }; FRAMES],
        }
    }

    /// Another thread gets the stack: the one before may have ended within a call.
    pub fn clear(&self) {
        self.depth.store(0, Ordering::Relaxed);
        self.within.store(0, Ordering::Relaxed);
        self.frames.iter().for_each(|frame| _ = frame.note.erase());
    }

    /// How many counted calls and callbacks there have been.
    pub fn passed(&self) -> u64 {
        self.passed.load(Ordering::Relaxed)
    }

    /// A counted call or callback passes. The result is its number, from 1.
    #[inline]
    pub fn pass(&self) -> u64 {
        let passed = self.passed.load(Ordering::Relaxed) + 1;
        self.passed.store(passed, Ordering::Relaxed);
        passed
    }

    /// A counted call begins, which has no more than so many words.
    #[inline(always)]
    pub fn call(&'static self, environment: u32, entered: &Entered, words: usize) -> Option<Inside> {
        let what = u64::from(entered.slot) << 32 | u64::from(environment);
        self.enter(what, entered.caller, entered.words.get(..words)?)
    }

    /// A counted callback begins.
    #[inline]
    pub fn callback(&'static self, environment: u32, event: u16) -> Option<Inside> {
        self.enter(u64::from(event) << 32 | u64::from(environment), 0, &[])
    }

    #[inline(always)]
    fn enter(&'static self, what: u64, caller: u64, words: &[u64]) -> Option<Inside> {
        let depth = self.depth.load(Ordering::Relaxed);
        let frame = self.frames.get(depth)?;
        self.depth.store(depth + 1, Ordering::Relaxed);
        frame.what.store(what, Ordering::Relaxed);
        frame.caller.store(caller, Ordering::Relaxed);
        frame.words.iter().zip(words).for_each(|(place, word)| place.store(*word, Ordering::Relaxed));
        frame.note.make(self.pass());
        Some(Inside { stack: self, depth, frame })
    }

    /// A recorded call begins.
    #[inline]
    pub fn recorded(&'static self) -> Option<Recorded> {
        (self.depth.load(Ordering::Relaxed) > 0).then(|| {
            self.within.fetch_add(1, Ordering::AcqRel);
            Recorded(self)
        })
    }

    /// Looks at what the thread of that number is in, and records what it has been in for a while, after `before`. `seen` is
    /// what it was in before.
    pub fn look(&self, thread: u32, seen: &mut [Seen], inspection: &Inspection, before: impl Fn()) {
        for (frame, seen) in self.frames.iter().zip(seen) {
            let state = frame.note.state();
            *seen = if seen.0 == state { (state, seen.1 + 1) } else { (state, 1) };
            if state == note::NONE {
                break;
            }
            if !note::is_open(state) {
                continue;
            }
            if seen.1 <= LOOKS || self.within.load(Ordering::Acquire) > 0 {
                break;
            }
            let record = || {
                before();
                record_begin(frame, thread);
            };
            if !inspection.look(|| frame.note.record(state, record)).unwrap_or(false) {
                break;
            }
        }
    }
}

/// The thread is in a counted call or callback as long as this exists.
pub struct Inside {
    stack: &'static Stack,
    depth: usize,
    frame: &'static Frame,
}

impl Inside {
    /// As [`leave`](Inside::leave), if the probe has not recorded its beginning. `false`: it has, or is about to. Nobody looks at
    /// the notes meanwhile.
    #[inline]
    pub fn leave_unseen(&self) -> bool {
        let is_unseen = self.frame.note.erase_open();
        if is_unseen {
            self.stack.depth.store(self.depth, Ordering::Relaxed);
        }
        is_unseen
    }

    /// The call or callback has returned. If the probe has recorded its beginning, the result is its number; callbacks have
    /// 0.
    #[inline]
    pub fn leave(self) -> Option<u32> {
        self.stack.depth.store(self.depth, Ordering::Relaxed);
        self.frame.note.erase().then(|| self.frame.call.load(Ordering::Relaxed))
    }
}

/// The thread is in a recorded call as long as this exists.
pub struct Recorded(&'static Stack);

impl Drop for Recorded {
    fn drop(&mut self) {
        self.0.within.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The state of a frame, and how often it was seen.
pub type Seen = (u64, u32);

fn record_begin(frame: &Frame, thread: u32) {
    let what = frame.what.load(Ordering::Relaxed);
    let (number, environment) = ((what >> 32) as u16, what as u32);
    let caller = frame.caller.load(Ordering::Relaxed);
    if caller == 0 {
        return record_of(thread, clock::now(), &HotBody::Event { environment, event: number, args: &[] });
    }
    let Some(descriptor) = ffi::descriptor(number) else { return };
    let words: [u64; WORDS] = std::array::from_fn(|index| frame.words[index].load(Ordering::Relaxed));
    // SAFETY: the agent has passed these, and its call does not return before the frame is marked as recorded.
    let passed = unsafe { Passed::new(descriptor, &words[1..], 0) };
    let mut args = [HotArg::Null; MOST_PARAMS];
    let count = passed.args(&mut args);
    let call = next_call();
    frame.call.store(call, Ordering::Relaxed);
    let step = StepRef::Site { site: call_sites::number(caller) };
    let begin = HotBody::CallBegin { call, environment, function: number, step, args: &args[..count] };
    record_of(thread, clock::now(), &begin);
}
