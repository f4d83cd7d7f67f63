//! Whether a JVM still makes progress, by what it records and by its own time.
//!
//! The clock alone cannot tell a JVM that hangs from one that the machine does not let run. A JVM's own time therefore stands
//! still while a thread of it would go on but gets no processor.

use std::fmt;
use std::time::{Duration, Instant};

use super::Status;
use super::usage;
use crate::os::Thread;

/// How often a JVM's threads are looked at.
const PERIOD: Duration = Duration::from_millis(250);
/// A JVM that hardly gets any processor time is waited for this many times as long.
const PATIENCE: u32 = 10;
/// A JVM that computes for less than this part of a period only waits.
const WORK: u32 = 16;
/// Names of threads that are told.
const NAMES: usize = 5;

/// How a JVM spends the time, as far as it was watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spent {
    /// Some thread ran.
    running: Duration,
    /// No thread wanted to go on.
    waiting: Duration,
    /// Some thread wanted to go on, and got no processor.
    starved: Duration,
}

impl Spent {
    /// The JVM's own time.
    fn own(&self) -> Duration {
        self.running + self.waiting
    }

    fn all(&self) -> Duration {
        self.own() + self.starved
    }

    /// Adds what happened in a span of time in which it took so much processor time.
    fn add(&mut self, wall: Duration, cpu: Duration, wants_to_go_on: bool) {
        let ran = cpu.min(wall);
        self.running += ran;
        match wants_to_go_on {
            true => self.starved += wall - ran,
            false => self.waiting += wall - ran,
        }
    }
}

/// What a JVM did from its last record on until it was given up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Silence {
    spent: Spent,
    /// The threads that wanted to go on when it was looked at last.
    running: Vec<String>,
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spent { running, waiting, starved } = self.spent;
        let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
        write!(f, "the JVM recorded nothing for {}: it ", seconds(self.spent.all()))?;
        let what = if running > waiting { "computed" } else { "waited" };
        write!(f, "{what} (computing {}, waiting {}", seconds(running), seconds(waiting))?;
        if starved >= PERIOD {
            write!(f, ", without a processor {}", seconds(starved))?;
        }
        match self.running.is_empty() {
            true => f.write_str("; no thread was running in the end)"),
            false => write!(f, "; running in the end: {})", self.running.join(", ")),
        }
    }
}

/// Watches one JVM.
pub(super) struct Progress {
    pid: u32,
    idle: Duration,
    total: Duration,
    seen: Option<u64>,
    looked: Instant,
    cpu: Duration,
    /// Since the last record.
    silent: Spent,
    /// Since the start.
    life: Spent,
    /// Whether it only waited when it was looked at last.
    waits: bool,
    threads: Vec<Thread>,
}

impl Progress {
    /// Begins to watch that process.
    pub(super) fn new(pid: u32, idle: Duration, total: Duration) -> Progress {
        Progress {
            pid,
            idle,
            total,
            seen: None,
            looked: Instant::now(),
            cpu: Duration::ZERO,
            silent: Spent::default(),
            life: Spent::default(),
            waits: false,
            threads: Vec::new(),
        }
    }

    /// Whether it is time to give up. `tail` is how far the trace has got, if it `records`.
    pub(super) fn is_over(&mut self, tail: Option<u64>, records: bool) -> bool {
        if self.looked.elapsed() >= PERIOD {
            self.look();
        }
        if tail != self.seen {
            self.seen = tail;
            self.silent = Spent::default();
        }
        let is_over =
            |spent: &Spent, limit: Duration| spent.own() >= limit || spent.all() >= limit * PATIENCE;
        is_over(&self.life, self.total) || records && is_over(&self.silent, self.idle)
    }

    /// The time since the last look was the harness's own.
    pub(super) fn skip(&mut self) {
        self.looked = Instant::now();
    }

    fn look(&mut self) {
        let wall = self.looked.elapsed();
        self.looked = Instant::now();
        // Of a process that has ended nothing more is known; that it ended is noticed elsewhere.
        let cpu = usage::of_process(self.pid).unwrap_or(self.cpu);
        let taken = cpu.saturating_sub(self.cpu);
        self.cpu = cpu;
        self.threads = usage::threads(self.pid);
        let wants = self.threads.iter().any(Thread::wants_to_go_on);
        self.waits = !wants && taken < wall / WORK;
        self.silent.add(wall, taken, wants);
        self.life.add(wall, taken, wants);
    }

    /// Whether it hardly computed in the last period, and no thread wanted to go on at its end.
    pub(super) fn waits(&self) -> bool {
        self.waits
    }

    /// How the JVM is given up.
    pub(super) fn status(&self) -> Status {
        let hangs = self.silent.own() >= self.idle || self.life.own() >= self.total;
        if hangs { Status::TimedOut } else { Status::Starved }
    }

    /// What it did since its last record.
    pub(super) fn silence(&self) -> Silence {
        let running = self.threads.iter().filter(|thread| thread.wants_to_go_on());
        let running = running.take(NAMES).map(|thread| thread.name.clone()).collect();
        Silence { spent: self.silent, running }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn time_without_a_processor_is_not_a_jvms_own() {
        let mut spent = Spent::default();
        spent.add(SECOND, SECOND / 10, true);
        assert_eq!((spent.own(), spent.starved), (SECOND / 10, SECOND * 9 / 10));
        spent.add(SECOND, Duration::ZERO, false);
        spent.add(SECOND, SECOND * 2, true);
        assert_eq!(spent.own(), SECOND / 10 + SECOND * 2);
    }

    fn progress(silent: Spent) -> Progress {
        Progress { silent, life: silent, ..Progress::new(u32::MAX, SECOND * 20, SECOND * 300) }
    }

    #[test]
    fn a_jvm_that_gets_no_processor_is_waited_for_and_not_blamed() {
        let starved = |seconds| Spent { starved: SECOND * seconds, ..Spent::default() };
        assert!(!progress(starved(199)).is_over(None, true));
        let mut patient = progress(starved(200));
        assert!(patient.is_over(None, true));
        assert_eq!(patient.status(), Status::Starved);
        let mut records = progress(starved(200));
        assert!(!records.is_over(Some(8), true));
    }

    #[test]
    fn spinning_and_sleeping_are_told_apart() {
        let mut spinning = progress(Spent { running: SECOND * 20, ..Spent::default() });
        spinning.threads = vec![Thread { name: "main".to_owned(), state: 'R' }];
        assert!(spinning.is_over(None, true));
        assert_eq!(spinning.status(), Status::TimedOut);
        let text = spinning.silence().to_string();
        assert!(text.contains("it computed") && text.ends_with("running in the end: main)"), "{text}");
        let sleeping = progress(Spent { waiting: SECOND * 20, ..Spent::default() });
        assert!(sleeping.silence().to_string().contains("it waited"), "{}", sleeping.silence());
    }

    #[test]
    fn a_process_that_sleeps_spends_its_own_time() {
        let mut child = std::process::Command::new("sleep").arg("30").spawn().unwrap();
        let mut progress = Progress::new(child.id(), SECOND / 2, SECOND * 30);
        while !progress.is_over(None, true) {
            std::thread::sleep(PERIOD / 2);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(progress.waits());
        assert!(progress.silence().spent.waiting >= SECOND / 4, "{}", progress.silence());
    }
}
