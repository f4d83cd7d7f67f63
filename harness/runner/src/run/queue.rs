//! Launches waiting to be run. Running one may add others.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::plan::Launch;

/// One launch to be run.
#[derive(Clone, Debug)]
pub struct Job {
    /// Index of the subject.
    pub subject: usize,
    /// What to launch.
    pub launch: Launch,
    /// 1 for what the planner made, more for what was left over by a crash.
    pub attempt: u32,
}

/// The queue that the workers share. It is over when it is empty and nobody is at work who could add to it.
#[derive(Debug)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    waiting: VecDeque<Job>,
    at_work: usize,
}

impl Queue {
    /// A queue with these to begin with.
    pub fn new(jobs: impl Iterator<Item = Job>) -> Queue {
        Queue { state: Mutex::new(State { waiting: jobs.collect(), at_work: 0 }), changed: Condvar::new() }
    }

    /// The next job; waits while others are at work who may add some. `None`: all is done.
    pub fn take(&self) -> Option<Job> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(job) = state.waiting.pop_front() {
                state.at_work += 1;
                return Some(job);
            }
            if state.at_work == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A job that was taken is done, and left these to be run.
    pub fn done(&self, again: Vec<Job>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.at_work -= 1;
        // First: a case that is cut short should get its verdict before its JVM is forgotten.
        for job in again.into_iter().rev() {
            state.waiting.push_front(job);
        }
        self.changed.notify_all();
    }
}
