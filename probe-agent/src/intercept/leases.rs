//! Counts calls from hot call sites without what threads share: a thread takes many calls at once from the count of a call site
//! and uses them up on its own. What it has not used when it ends, it gives back.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};

use super::call_sites;
use super::count::Count;
use super::environments::AgentEnvironment;
use super::function_kinds::{Brief, brief};
use super::function_table;
use super::key_table::hash;
use crate::ffi::stub::Entered;

/// Call sites for which a thread has calls in advance. A power of two.
const SITES: usize = 32;
/// More than a thread takes at once.
const MOST_AT_ONCE: u32 = 1 << 9;

/// Calls of one function from one call site that the thread may make, and that are counted already.
struct Lease {
    /// What tells call sites and environments apart; 0: none.
    key: AtomicU64,
    /// How many are left.
    left: AtomicU32,
    /// Where they end, by the count of the call site.
    end: AtomicU64,
    agent: AtomicPtr<AgentEnvironment>,
    count: AtomicPtr<Count>,
    /// Where the JVM's table has the function.
    function: AtomicPtr<*const c_void>,
    brief: AtomicU8,
    /// The number of the call site.
    site: AtomicU32,
}

/// What a thread may call without counting.
pub struct Leases([Lease; SITES]);

/// A call that is counted already.
#[derive(Clone, Copy)]
pub struct Leased {
    /// The environment that it is made with.
    pub agent: &'static AgentEnvironment,
    /// The count of the call site.
    pub count: &'static Count,
    /// The JVM's function.
    pub function: *const c_void,
    /// What it does with memory or raw monitors.
    pub brief: Brief,
    /// The number of its call site, if it is known here.
    pub site: Option<u32>,
    /// `None`: the call has been counted on its own.
    lease: Option<&'static Lease>,
}

// A signal may interrupt the thread between any two of its steps; what the handler calls finds no calls here then
// (`inspection`).
impl Leases {
    /// None.
    pub const fn new() -> Leases {
        Leases(
            [const {
                Lease {
                    key: AtomicU64::new(0),
                    left: AtomicU32::new(0),
                    end: AtomicU64::new(0),
                    agent: AtomicPtr::new(null_mut()),
                    count: AtomicPtr::new(null_mut()),
                    function: AtomicPtr::new(null_mut()),
                    brief: AtomicU8::new(0),
                    site: AtomicU32::new(0),
                }
            }; SITES],
        )
    }

    /// The two places where that key may be.
    #[inline]
    fn places(&self, key: u64) -> [&Lease; 2] {
        let index = hash(key, SITES.trailing_zeros()) % SITES;
        [&self.0[index], &self.0[index ^ 1]]
    }

    #[inline]
    fn find(&self, key: u64) -> Option<&Lease> {
        self.places(key).into_iter().find(|lease| lease.key.load(Ordering::Relaxed) == key)
    }

    /// What the call may be made by. It is used up with [`Leased::take`] only.
    #[inline]
    pub fn of(&'static self, entered: &Entered) -> Option<Leased> {
        let lease = self.find(key(entered)).filter(|lease| lease.left.load(Ordering::Relaxed) > 0)?;
        // SAFETY: only this thread writes these, to places that are never freed, before the key.
        let (agent, count, function) = unsafe {
            let agent = lease.agent.load(Ordering::Relaxed).as_ref()?;
            let count = lease.count.load(Ordering::Relaxed).as_ref()?;
            (agent, count, *lease.function.load(Ordering::Relaxed).as_ref()?)
        };
        let is_usable = agent.is_at(entered.words[0]) && !agent.is_gone() && !function.is_null();
        let brief = Brief::of(lease.brief.load(Ordering::Relaxed));
        let site = Some(lease.site.load(Ordering::Relaxed));
        is_usable.then_some(Leased { agent, count, function, brief, site, lease: Some(lease) })
    }

    /// Takes calls from the count of a call site, if it has any that are not to be recorded or measured.
    #[cold]
    pub fn fill(
        &self,
        entered: &Entered,
        agent: &'static AgentEnvironment,
        count: &'static Count,
        most: u64,
    ) {
        let Some(function) = function_table::place(entered.slot) else { return };
        let key = key(entered);
        // What is left is not given back for more: counts would grow faster than calls are made.
        if self.find(key).is_some_and(|lease| {
            lease.left.load(Ordering::Relaxed) > 0 && std::ptr::eq(lease.agent.load(Ordering::Relaxed), agent)
        }) {
            return;
        }
        let [first, second] = self.places(key);
        let is_unused = first.left.load(Ordering::Relaxed) == 0;
        let lease = self.find(key).unwrap_or(if is_unused { first } else { second });
        lease.give_back();
        lease.agent.store(std::ptr::from_ref(agent).cast_mut(), Ordering::Relaxed);
        lease.count.store(std::ptr::from_ref(count).cast_mut(), Ordering::Relaxed);
        lease.function.store(function, Ordering::Relaxed);
        lease.brief.store(brief(entered.slot) as u8, Ordering::Relaxed);
        lease.site.store(call_sites::number(entered.caller), Ordering::Relaxed);
        lease.key.store(key, Ordering::Relaxed);
        // Who reads meanwhile how many were made may think of too few, but not of too many.
        lease.left.store(MOST_AT_ONCE, Ordering::Release);
        let (end, taken) = count.take(most);
        lease.end.store(end, Ordering::Relaxed);
        lease.left.store(taken, Ordering::Release);
    }

    /// How many calls of that call site the thread has not made yet, though they are counted.
    pub fn left(&self, count: &Count) -> u64 {
        let of_site = |lease: &&Lease| std::ptr::eq(lease.count.load(Ordering::Acquire), count);
        self.0.iter().filter(of_site).map(|lease| u64::from(lease.left.load(Ordering::Acquire))).sum()
    }

    /// The thread ends.
    pub fn give_back(&self) {
        self.0.iter().for_each(Lease::give_back);
    }
}

/// What tells call sites and environments apart.
#[inline]
fn key(entered: &Entered) -> u64 {
    call_sites::key(entered.slot, entered.caller) ^ entered.words[0].rotate_left(20)
}

impl Lease {
    fn give_back(&self) {
        let left = self.left.load(Ordering::Relaxed);
        // SAFETY: counts are never freed.
        if let Some(count) = unsafe { self.count.load(Ordering::Relaxed).as_ref() }.filter(|_| left > 0) {
            count.give_back(self.end.load(Ordering::Relaxed), left);
        }
        self.left.store(0, Ordering::Release);
    }
}

impl Leased {
    /// A call that has been counted on its own.
    pub fn alone(
        agent: &'static AgentEnvironment,
        count: &'static Count,
        function: *const c_void,
        brief: Brief,
    ) -> Leased {
        Leased { agent, count, function, brief, site: None, lease: None }
    }

    /// The call is made.
    #[inline]
    pub fn take(&self) {
        if let Some(Lease { left, .. }) = self.lease {
            left.store(left.load(Ordering::Relaxed).saturating_sub(1), Ordering::Relaxed);
        }
    }
}
