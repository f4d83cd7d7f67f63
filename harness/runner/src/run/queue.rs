//! Launches waiting to be run. Running one may add others.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use jvmti_results::Verdict;

use crate::plan::Launch;

/// One launch to be run.
#[derive(Clone, Debug)]
pub struct Job {
    /// Index of the subject.
    pub subject: usize,
    /// What to launch.
    pub launch: Launch,
    /// Verdicts that were reached without a launch, for the trace of this one to carry.
    pub inapplicable: Vec<Verdict>,
    /// 1 for what the planner made, more for what was left over by a crash.
    pub attempt: u32,
    /// How many times in a row someone outside has ended the JVM of this very launch.
    pub interruptions: u32,
    /// Whether it is to run while no other does, after all others.
    pub alone: bool,
    /// The planner's launch that this one came from.
    planned: Arc<Planned>,
}

#[derive(Debug)]
struct Planned {
    name: String,
    /// How many launches have come from it.
    relaunches: AtomicU32,
}

impl Job {
    /// A launch as the planner made it.
    pub fn planned(subject: usize, launch: Launch) -> Job {
        let planned = Arc::new(Planned { name: launch.name.clone(), relaunches: AtomicU32::new(0) });
        Job { subject, launch, inapplicable: Vec::new(), attempt: 1, interruptions: 0, alone: false, planned }
    }

    /// A launch of what this one has left over, under a name of its own.
    pub fn leftover(&self, launch: Launch) -> Job {
        let number = self.planned.relaunches.fetch_add(1, Ordering::Relaxed) + 1;
        let launch = Launch { name: format!("{}.{number}", self.planned.name), ..launch };
        let attempt = self.attempt + 1;
        Job { launch, inapplicable: Vec::new(), attempt, interruptions: 0, alone: false, ..self.clone() }
    }

    /// The same, to be run while no other job is.
    pub fn by_itself(self) -> Job {
        Job { alone: true, ..self }
    }

    /// The same launch, after someone outside has ended its JVM.
    pub fn undisturbed(&self) -> Job {
        Job { interruptions: self.interruptions + 1, ..self.leftover(self.launch.clone()) }
    }
}

/// The queue that the workers share. It is over when it is empty and nobody is at work who could add to it.
#[derive(Debug)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// How many JVMs may compute at the same time.
    slots: usize,
}

#[derive(Debug)]
struct State {
    waiting: VecDeque<Job>,
    at_work: usize,
    /// How many of those at work have lent their slots.
    lent: usize,
    /// Whether a job is at work that is to run alone.
    alone: bool,
}

impl State {
    /// The next job that may begin now.
    fn next(&mut self, slots: usize) -> Option<Job> {
        if self.alone || self.at_work - self.lent >= slots {
            return None;
        }
        let next = self.waiting.iter().position(|job| !job.alone);
        let next = next.or_else(|| (self.at_work == 0 && !self.waiting.is_empty()).then_some(0))?;
        let job = self.waiting.remove(next)?;
        self.alone = job.alone;
        self.at_work += 1;
        Some(job)
    }
}

impl Queue {
    /// A queue with these to begin with, for so many JVMs at the same time.
    pub fn new(jobs: impl Iterator<Item = Job>, slots: usize) -> Queue {
        let state = State { waiting: jobs.collect(), at_work: 0, lent: 0, alone: false };
        Queue { state: Mutex::new(state), changed: Condvar::new(), slots: slots.max(1) }
    }

    /// How many workers it can employ: as many again as there are slots, for those whose JVMs wait.
    pub fn workers(&self) -> usize {
        self.slots * 2
    }

    /// The slot of a job that was taken.
    pub fn slot(&self) -> JobSlot<'_> {
        JobSlot { queue: self, lent: false }
    }

    /// The next job; waits while others are at work who may add some. `None`: all is done.
    pub fn take(&self) -> Option<Job> {
        let mut state = self.state();
        loop {
            if let Some(job) = state.next(self.slots) {
                return Some(job);
            }
            if state.at_work == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Until this is dropped, a job that was taken is being done, even by a thread that panics: nobody shall wait for it for ever.
    pub fn doing(&self) -> Doing<'_> {
        Doing { queue: self, again: Vec::new() }
    }

    fn done(&self, again: Vec<Job>) {
        let mut state = self.state();
        state.at_work -= 1;
        state.alone = false;
        // First: a case that is cut short should get its verdict before its JVM is forgotten.
        for job in again.into_iter().rev() {
            state.waiting.push_front(job);
        }
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The slot of a job at work. While its JVM only waits, another job may have it.
#[derive(Debug)]
pub struct JobSlot<'a> {
    queue: &'a Queue,
    lent: bool,
}

impl JobSlot<'_> {
    /// Lends the slot if the JVM `waits`, or takes it back.
    pub fn lend(&mut self, waits: bool) {
        if waits == self.lent {
            return;
        }
        self.lent = waits;
        let mut state = self.queue.state();
        match waits {
            true => state.lent += 1,
            false => state.lent -= 1,
        }
        self.queue.changed.notify_all();
    }
}

/// A job that is being done.
#[derive(Debug)]
pub struct Doing<'a> {
    queue: &'a Queue,
    again: Vec<Job>,
}

impl Doing<'_> {
    /// It is done, and left these to be run.
    pub fn leaves(mut self, again: Vec<Job>) {
        self.again = again;
    }
}

impl Drop for Doing<'_> {
    fn drop(&mut self) {
        self.queue.done(std::mem::take(&mut self.again));
    }
}

impl Drop for JobSlot<'_> {
    fn drop(&mut self) {
        self.lend(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relaunches_are_numbered_however_many_there_are() {
        let first = Job::planned(0, Launch { name: "objects-1".to_owned(), ..Launch::default() });
        let other = first.leftover(Launch::default());
        let last = (0..200).fold(first.clone(), |job, _| job.leftover(Launch::default()));
        assert_eq!((other.launch.name.as_str(), other.attempt), ("objects-1.1", 2));
        assert_eq!((last.launch.name.as_str(), last.attempt), ("objects-1.201", 201));
        let again = last.undisturbed().undisturbed();
        assert_eq!((again.interruptions, again.leftover(Launch::default()).interruptions), (2, 0));
    }

    #[test]
    fn what_is_to_run_alone_waits_until_nobody_is_at_work() {
        let job = |name: &str, alone| {
            let launch = Launch { name: name.to_owned(), ..Launch::default() };
            Job { alone, ..Job::planned(0, launch) }
        };
        let jobs = [job("alone", true), job("first", false), job("second", false)];
        let queue = Queue::new(jobs.into_iter(), 2);
        let name = |job: Option<Job>| job.map(|job| job.launch.name);
        assert_eq!(name(queue.take()).as_deref(), Some("first"));
        assert_eq!(name(queue.take()).as_deref(), Some("second"));
        queue.done(Vec::new());
        assert_eq!(name(queue.state().next(2)), None);
        queue.done(vec![job("left over", false)]);
        assert_eq!(name(queue.take()).as_deref(), Some("left over"));
        queue.done(Vec::new());
        assert_eq!(name(queue.take()).as_deref(), Some("alone"));
        assert_eq!(name(queue.state().next(2)), None);
        queue.done(Vec::new());
        assert_eq!(name(queue.take()), None);
    }

    #[test]
    fn a_slot_is_lent_while_its_jvm_waits() {
        let job = |name: &str| Job::planned(0, Launch { name: name.to_owned(), ..Launch::default() });
        let queue = Queue::new([job("first"), job("second"), job("third")].into_iter(), 1);
        let next = || queue.state().next(1).map(|job| job.launch.name);
        assert_eq!(next().as_deref(), Some("first"));
        let mut slot = queue.slot();
        assert_eq!(next(), None);
        slot.lend(true);
        slot.lend(true);
        assert_eq!(next().as_deref(), Some("second"));
        assert_eq!(next(), None);
        drop(slot);
        queue.done(Vec::new());
        assert_eq!(next(), None);
        queue.done(Vec::new());
        assert_eq!(next().as_deref(), Some("third"));
    }
}
