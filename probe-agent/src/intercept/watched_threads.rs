//! The threads of agents that the probe watches: what they are in, and what they hold.

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::count::Count;
use super::environments::AgentEnvironment;
use super::held_monitors::HeldMonitors;
use super::inspection::{self, Inspection};
use super::lasting::{FRAMES, Seen, Stack};
use super::leases::Leases;
use super::{note, settings};
use crate::ffi::stub::Entered;
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
    /// The calls that it may make without counting them.
    pub leases: Leases,
    /// Who is at its notes.
    pub inspection: Inspection,
}

static ALL: [WatchedThread; THREADS] = [const {
    WatchedThread {
        number: AtomicU32::new(0),
        calls: Stack::new(),
        monitors: HeldMonitors::new(),
        leases: Leases::new(),
        inspection: Inspection::new(),
    }
}; THREADS];

/// The current thread's place.
struct Own {
    place: Cell<Option<&'static WatchedThread>>,
    /// Whether the thread has looked for one.
    asked: Cell<bool>,
}

thread_local! {
    static OWN: Own = const { Own { place: Cell::new(None), asked: Cell::new(false) } };
    /// The same place, once the thread may change its notes without a barrier.
    static QUICK: Cell<Option<&'static WatchedThread>> = const { Cell::new(None) };
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(thread) = self.place.get() {
            QUICK.set(None);
            thread.monitors.reveal();
            thread.leases.give_back();
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

/// The current thread, if it is watched already and may change its notes without a barrier.
#[inline]
pub fn quick() -> Option<&'static WatchedThread> {
    QUICK.get()
}

/// From now on the current thread may change its notes without a barrier, if that is possible.
#[cold]
pub fn hurry() -> Option<&'static WatchedThread> {
    let own = own().filter(|_| inspection::is_possible());
    QUICK.set(own);
    own
}

/// Records which raw monitors all threads have entered unseen.
pub fn reveal_monitors() {
    for (thread, _) in all().filter(|(thread, _)| thread.monitors.holds_any()) {
        thread.inspection.look(|| thread.monitors.reveal());
    }
}

/// How many calls of a call site are counted that threads have not made yet.
pub fn leased(count: &Count) -> u64 {
    all().map(|(thread, _)| thread.leases.left(count)).sum()
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

impl WatchedThread {
    /// Its number in the trace.
    #[inline]
    pub fn number(&self) -> u32 {
        self.number.load(Ordering::Relaxed)
    }

    /// Takes calls from the count of a call site for the current thread, which this is.
    pub fn lease(
        &self,
        entered: &Entered,
        agent: &'static AgentEnvironment,
        count: &'static Count,
        most: u64,
    ) {
        if self.inspection.change() {
            self.leases.fill(entered, agent, count, most);
            self.inspection.changed();
        }
    }
}

/// Starts the thread that looks at the others.
pub fn install() {
    static STARTED: Once = Once::new();
    if settings::get().is_some_and(|wanted| wanted.sample.is_some()) {
        STARTED.call_once(|| {
            guarded(|| {
                let _blocked = SignalsBlocked::new();
                let _ = std::thread::Builder::new().name("jvmti-check".to_owned()).spawn(look);
            });
        });
    }
}

fn look() {
    inspection::prepare();
    let mut seen: Vec<[Seen; FRAMES]> = vec![[(note::NONE, 0); FRAMES]; THREADS];
    loop {
        std::thread::sleep(LOOK);
        for (thread, seen) in ALL.iter().zip(&mut seen) {
            let number = thread.number.load(Ordering::Acquire);
            if number != 0 {
                guarded(|| thread.calls.look(number, seen, &thread.inspection, || thread.monitors.reveal()));
            }
        }
    }
}
