//! What is shown while cases run: a progress bar, and verdicts as they come.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jvmti_reports::Verdict;
use jvmti_reports::terminal::{self, Style};
use jvmti_runner::launch::Stop;
use jvmti_runner::run::{LaunchCost, Subject, Watcher};

use super::terminal::{print, style};
use super::timings::Timings;

/// Shows a progress bar, and prints verdicts as they come.
pub struct Progress {
    bar: ProgressBar,
    lines: Lines,
    style: Style,
    failures: AtomicUsize,
    /// Where the time of the run goes.
    pub timings: Timings,
    /// Is asked to stop at the first unexpected verdict.
    fail_fast: Option<Stop>,
}

/// Which verdicts get a line when they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// All of them.
    Every,
    /// Unexpected ones.
    Unexpected,
    /// None: something else is printed in the end.
    None,
}

impl Progress {
    /// With a bar if it is wanted and somebody can see it.
    pub fn new(wanted: bool, lines: Lines, fail_fast: Option<Stop>) -> Progress {
        let shown = wanted && std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let template = "{elapsed_precise} {wide_bar} {pos}/{len}, {eta} left{msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress {
            bar,
            lines,
            style: style(),
            failures: AtomicUsize::new(0),
            timings: Timings::default(),
            fail_fast,
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watcher for Progress {
    fn scheduled(&self, _: &Subject, cases: usize, _: usize) {
        self.bar.inc_length(cases as u64);
    }

    fn launched(&self, subject: &Subject, cost: &LaunchCost) {
        self.timings.add(subject.short(), cost.clone());
    }

    fn verdict(&self, jvm: &str, verdict: &Verdict) {
        self.bar.inc(1);
        if verdict.is_unreached() {
            return;
        }
        let unexpected = verdict.status.is_unexpected();
        if self.lines == Lines::Every || (self.lines == Lines::Unexpected && unexpected) {
            let line = terminal::verdict_line(jvm, verdict, self.style);
            // A closed standard output is reported when the summary is printed.
            let _ = self.bar.suspend(|| print(&(line + "\n")));
        }
        let before = self.failures.fetch_add(usize::from(unexpected), Ordering::Relaxed);
        let failures = before + usize::from(unexpected);
        let failed = if failures > 0 { format!(", {failures} unexpected") } else { String::new() };
        self.bar.set_message(format!("{failed}, {jvm}"));
        if let (true, Some(stop)) = (unexpected, &self.fail_fast) {
            stop.ask();
        }
    }
}
