//! Records counted calls and callbacks that last, so that a trace tells where a program hung.
//!
//! Each thread notes which of them it is in. A thread of the probe looks at these notes from time to time, and records the
//! beginning of what has lasted for a second; the thread itself records its end.

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use jvmti_wire::trace::{HotArg, HotBody, StepRef};

use super::{call_sites, held_monitors, sampling};
use crate::ffi;
use crate::ffi::stub::Entered;
use crate::marshal::{MOST_PARAMS, Passed};
use crate::os::process::SignalsBlocked;
use crate::recording::{self, clock, guarded, next_call, record_of};

/// Threads that the probe watches at the same time.
const THREADS: usize = 1024;
/// Calls and callbacks within each other.
const FRAMES: usize = 8;
/// Words of a call: the environment and its arguments.
const WORDS: usize = 6;

/// How often the probe looks, and how often it has to see the same before it records that.
const LOOK: Duration = Duration::from_millis(250);
const LOOKS: u32 = 4;

/// A frame is free.
const FREE: u64 = 0;
/// The probe records the frame at this moment.
const CLAIMED: u64 = 1;
/// The probe has recorded the frame.
const RECORDED: u64 = 3;
/// The low bits of a state. Above them is the number of the frame among those of its thread, from 1.
const MARKS: u64 = 3;

/// A counted call or callback that a thread is in.
struct Frame {
    state: AtomicU64,
    /// The number of the environment, and above it the slot or the number of the event.
    what: AtomicU64,
    /// Where the call returns to; 0 for a callback.
    caller: AtomicU64,
    words: [AtomicU64; WORDS],
    /// The number of the call, once it is recorded.
    call: AtomicU32,
}

/// What a thread is in, outermost first.
struct Stack {
    /// The thread's number in the trace; 0: nobody has the stack.
    thread: AtomicU32,
    /// The number of recorded calls that the thread is in within the frames: they are in the trace first.
    within: AtomicU32,
    frames: [Frame; FRAMES],
}

static STACKS: [Stack; THREADS] = [const { Stack::new() }; THREADS];

impl Stack {
    const fn new() -> Stack {
        Stack {
            thread: AtomicU32::new(0),
            within: AtomicU32::new(0),
            frames: [const { Frame::new() }; FRAMES],
        }
    }
}

impl Frame {
    const fn new() -> Frame {
        Frame {
            state: AtomicU64::new(FREE),
            what: AtomicU64::new(0),
            caller: AtomicU64::new(0),
            words: [const { AtomicU64::new(0) }; WORDS],
            call: AtomicU32::new(0),
        }
    }
}

/// A thread's stack.
struct Own {
    stack: Cell<Option<&'static Stack>>,
    /// Whether the thread has looked for a stack.
    asked: Cell<bool>,
    depth: Cell<usize>,
    turn: Cell<u64>,
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(stack) = self.stack.get() {
            stack.thread.store(0, Ordering::Release);
        }
    }
}

thread_local! {
    static OWN: Own =
        const { Own { stack: Cell::new(None), asked: Cell::new(false), depth: Cell::new(0), turn: Cell::new(0) } };
}

impl Own {
    fn stack(&self) -> Option<&'static Stack> {
        if !self.asked.replace(true) {
            self.stack.set(Own::take());
        }
        self.stack.get()
    }

    /// Takes a stack that nobody has.
    #[cold]
    fn take() -> Option<&'static Stack> {
        let thread = Some(recording::thread()).filter(|thread| *thread != 0)?;
        let take = |stack: &&'static Stack| {
            stack.thread.compare_exchange(0, thread, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let stack = STACKS.iter().find(take)?;
        // Its thread may have ended within a call.
        stack.within.store(0, Ordering::Relaxed);
        stack.frames.iter().for_each(|frame| frame.state.store(FREE, Ordering::Relaxed));
        Some(stack)
    }
}

/// How many counted calls and callbacks there have been on this thread.
pub fn passed() -> u64 {
    OWN.try_with(|own| own.turn.get()).unwrap_or(0)
}

/// A counted call passes that nobody has to look at: it is recorded before it begins.
pub fn pass() {
    let _ = OWN.try_with(|own| own.turn.set(own.turn.get() + 1));
}

/// The thread is in a counted call or callback as long as this exists.
pub struct Inside(&'static Frame);

/// A counted call begins.
#[inline]
pub fn call(environment: u32, entered: &Entered) -> Option<Inside> {
    enter(u64::from(entered.slot) << 32 | u64::from(environment), entered.caller, &entered.words)
}

/// A counted callback begins.
#[inline]
pub fn callback(environment: u32, event: u16) -> Option<Inside> {
    enter(u64::from(event) << 32 | u64::from(environment), 0, &[])
}

#[inline]
fn enter(what: u64, caller: u64, words: &[u64]) -> Option<Inside> {
    OWN.try_with(|own| {
        let stack = own.stack()?;
        let frame = stack.frames.get(own.depth.get())?;
        own.depth.set(own.depth.get() + 1);
        own.turn.set(own.turn.get() + 1);
        frame.what.store(what, Ordering::Relaxed);
        frame.caller.store(caller, Ordering::Relaxed);
        frame.words.iter().zip(words).for_each(|(place, word)| place.store(*word, Ordering::Relaxed));
        frame.state.store(own.turn.get() << 2, Ordering::Release);
        Some(Inside(frame))
    })
    .ok()?
}

impl Inside {
    /// The call or callback has returned. If the probe has recorded its beginning, the result is its number; callbacks have
    /// 0.
    #[inline]
    pub fn leave(self) -> Option<u32> {
        let _ = OWN.try_with(|own| own.depth.set(own.depth.get() - 1));
        let Inside(frame) = self;
        let open = frame.state.load(Ordering::Relaxed) & !MARKS;
        if frame.state.compare_exchange(open, FREE, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            return None;
        }
        while frame.state.load(Ordering::Acquire) & MARKS != RECORDED {
            std::thread::yield_now();
        }
        let call = frame.call.load(Ordering::Relaxed);
        frame.state.store(FREE, Ordering::Release);
        Some(call)
    }
}

/// The thread is in a recorded call as long as this exists.
pub struct Recorded(&'static Stack);

/// A recorded call begins.
#[inline]
pub fn recorded() -> Option<Recorded> {
    let stack = OWN.try_with(|own| own.stack.get().filter(|_| own.depth.get() > 0)).ok()??;
    stack.within.fetch_add(1, Ordering::AcqRel);
    Some(Recorded(stack))
}

impl Drop for Recorded {
    fn drop(&mut self) {
        self.0.within.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Starts the thread that looks.
pub fn install() {
    static STARTED: Once = Once::new();
    if sampling::most().is_some() {
        STARTED.call_once(|| {
            guarded(|| {
                let _blocked = SignalsBlocked::new();
                let _ = std::thread::Builder::new().name("jvmti-check".to_owned()).spawn(look);
            });
        });
    }
}

/// What a frame was seen in, and how often.
type Seen = (u64, u32);

fn look() {
    let mut seen: Vec<Seen> = vec![(FREE, 0); THREADS * FRAMES];
    loop {
        std::thread::sleep(LOOK);
        for (stack, seen) in STACKS.iter().zip(seen.chunks_mut(FRAMES)) {
            guarded(|| look_at(stack, seen));
        }
    }
}

fn look_at(stack: &Stack, seen: &mut [Seen]) {
    let thread = stack.thread.load(Ordering::Acquire);
    for (frame, seen) in stack.frames.iter().zip(seen).take_while(|_| thread != 0) {
        let state = frame.state.load(Ordering::Acquire);
        *seen = if seen.0 == state { (state, seen.1 + 1) } else { (state, 1) };
        if state == FREE {
            break;
        }
        if state & MARKS != 0 {
            continue;
        }
        if seen.1 <= LOOKS
            || stack.within.load(Ordering::Acquire) > 0
            || frame
                .state
                .compare_exchange(state, state | CLAIMED, Ordering::AcqRel, Ordering::Relaxed)
                .is_err()
        {
            break;
        }
        guarded(|| held_monitors::reveal(thread));
        guarded(|| record_begin(frame, thread));
        frame.state.store(state | RECORDED, Ordering::Release);
    }
}

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
