//! The threads of agents that the probe watches: what they are in, and what they hold.

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::held_monitors::HeldMonitors;
use super::lasting::{FRAMES, Seen, Stack};
use super::{note, sampling};
use crate::os::process::SignalsBlocked;
use crate::recording::{self, guarded};

/// Threads that the probe watches at the same time.
const THREADS: usize = 1024;
/// How often the probe looks at them.
const LOOK: Duration = Duration::from_millis(250);

/// A thread that the probe watches.
pub struct WatchedThread {
    /// Its number in the trace; 0: the place is free.
    number: AtomicU32,
    /// The counted calls and callbacks that it is in.
    pub calls: Stack,
    /// The raw monitors that it holds.
    pub monitors: HeldMonitors,
}

static ALL: [WatchedThread; THREADS] = [const {
    WatchedThread { number: AtomicU32::new(0), calls: Stack::new(), monitors: HeldMonitors::new() }
}; THREADS];

/// The current thread's place.
struct Own {
    place: Cell<Option<&'static WatchedThread>>,
    /// Whether the thread has looked for one.
    asked: Cell<bool>,
}

thread_local! {
    static OWN: Own = const { Own { place: Cell::new(None), asked: Cell::new(false) } };
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(thread) = self.place.get() {
            thread.monitors.reveal();
            thread.number.store(0, Ordering::Release);
        }
    }
}

/// The current thread, which is watched from now on if there is room.
#[inline]
pub fn own() -> Option<&'static WatchedThread> {
    let take = |own: &Own| {
        if !own.asked.replace(true) {
            own.place.set(WatchedThread::take());
        }
        own.place.get()
    };
    OWN.try_with(take).ok().flatten()
}

/// The current thread, if it is watched already.
#[inline]
pub fn known() -> Option<&'static WatchedThread> {
    OWN.try_with(|own| own.place.get()).ok().flatten()
}

/// Records which raw monitors all threads have entered unseen.
pub fn reveal_monitors() {
    all().for_each(|(thread, _)| thread.monitors.reveal());
}

/// All that are watched, with their numbers.
fn all() -> impl Iterator<Item = (&'static WatchedThread, u32)> {
    let numbered = ALL.iter().map(|thread| (thread, thread.number.load(Ordering::Acquire)));
    numbered.filter(|(_, number)| *number != 0)
}

impl WatchedThread {
    /// Takes a place that nobody has.
    #[cold]
    fn take() -> Option<&'static WatchedThread> {
        // Threads that the probe cannot tell apart have the number 0.
        let number = Some(recording::thread()).filter(|number| *number != 0)?;
        let take = |thread: &&WatchedThread| {
            thread.number.compare_exchange(0, number, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let thread = ALL.iter().find(take)?;
        thread.calls.clear();
        thread.monitors.begin(number);
        Some(thread)
    }
}

/// Starts the thread that looks at the others.
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

fn look() {
    let mut seen: Vec<[Seen; FRAMES]> = vec![[(note::NONE, 0); FRAMES]; THREADS];
    loop {
        std::thread::sleep(LOOK);
        for (thread, seen) in ALL.iter().zip(&mut seen) {
            let number = thread.number.load(Ordering::Acquire);
            if number != 0 {
                guarded(|| thread.calls.look(number, seen, || thread.monitors.reveal()));
            }
        }
    }
}
