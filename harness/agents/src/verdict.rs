//! Whether an agent behaved as its case expects.

use std::collections::BTreeMap;

use jvmti_results::{Finding, Status};
use jvmti_runner::launch;
use regex::{Regex, RegexBuilder};

use super::Digest;
use super::case::{AgentCase, Bounds, Expect, Happenings};
use super::times::duration;
use crate::misuse;
use crate::symbols::Located;

/// What came of a case, to be compared with what it expects.
pub struct ObservedBehaviour<'o> {
    /// How the program ended.
    pub status: launch::Status,
    /// Its standard output.
    pub stdout: &'o str,
    /// Its standard error.
    pub stderr: &'o str,
    /// What the agents did.
    pub digest: &'o Digest,
    /// Functions called and events delivered.
    pub sequence: &'o ObservedCalls,
    /// Rules broken.
    pub misuse: &'o [misuse::Violation],
    /// The name of an error code.
    pub error: &'o dyn Fn(i32) -> String,
}

/// Calls and callbacks, compared as they come with what a case expects.
#[derive(Debug, Default)]
pub struct ObservedCalls {
    /// Functions called.
    pub calls: Happened,
    /// Events delivered.
    pub events: Happened,
}

impl ObservedCalls {
    /// Nothing has happened yet.
    pub fn expecting(expect: &Expect) -> ObservedCalls {
        ObservedCalls {
            calls: Happened::expecting(&expect.calls),
            events: Happened::expecting(&expect.events),
        }
    }
}

/// Calls or callbacks: how many by name, and how far their order is as expected.
#[derive(Debug, Default)]
pub struct Happened {
    counts: BTreeMap<String, u64>,
    in_order: Vec<String>,
    reached: usize,
}

impl Happened {
    fn expecting(expected: &Happenings) -> Happened {
        Happened { in_order: expected.in_order.clone(), ..Happened::default() }
    }

    /// One more.
    pub fn observe(&mut self, name: &str) {
        match self.counts.get_mut(name) {
            Some(count) => *count += 1,
            None => drop(self.counts.insert(name.to_owned(), 1)),
        }
        if self.in_order.get(self.reached).is_some_and(|next| next == name) {
            self.reached += 1;
        }
    }

    fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }
}

/// How a case was judged.
#[derive(Clone, Debug)]
pub struct JudgedBehaviour {
    /// The verdict.
    pub status: Status,
    /// What was not as expected.
    pub findings: Vec<Finding>,
    /// How many expectations were checked.
    pub asserted: u32,
}

/// A pattern for a program's output, in which `^` and `$` are the ends of a line.
pub fn line_pattern(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).multi_line(true).crlf(true).build()
}

/// Compares what came of a case with what it expects.
pub fn judge(case: &AgentCase, outcome: &ObservedBehaviour<'_>) -> JudgedBehaviour {
    let mut judging = Judging { findings: Vec::new(), asserted: 0 };
    let expect = &case.expect;
    judging.assert("exit code", &expect.exit.to_string(), &|| match outcome.status {
        launch::Status::Exited(code) if code == expect.exit => None,
        other => Some(how(other, outcome)),
    });
    for (what, patterns, text) in [
        ("standard output", &expect.stdout, outcome.stdout),
        ("standard error", &expect.stderr, outcome.stderr),
    ] {
        for pattern in patterns {
            let matches = line_pattern(pattern).is_ok_and(|pattern| pattern.is_match(text));
            let observed = || (!matches).then(|| format!("{:?}", last_lines(text)));
            judging.assert(what, &format!("text that matches {pattern}"), &observed);
        }
    }
    judging.happenings("call", &expect.calls, &outcome.sequence.calls);
    judging.happenings("event", &expect.events, &outcome.sequence.events);
    if let Some(allowed) = &expect.errors {
        for (function, cost) in &outcome.digest.functions {
            for (code, count) in &cost.errors {
                let name = (outcome.error)(*code);
                let may = allowed.get(function).is_some_and(|errors| errors.contains(&name));
                let observed = || (!may).then(|| format!("{count} × {name}"));
                judging.assert(function, "no error but those allowed", &observed);
            }
        }
    }
    let worst = case.worst();
    for finding in outcome.misuse.iter().filter(|finding| finding.severity >= worst) {
        let place = finding.place.first().map(Located::text).unwrap_or_default();
        judging.assert(&format!("{} at {place}", finding.rule), finding.says, &|| Some(finding.what.clone()));
    }
    judging.budget(case, outcome.digest);
    let status = match outcome.status {
        launch::Status::TimedOut => Status::Timeout,
        launch::Status::Signalled(_) => Status::Crash,
        _ if judging.findings.is_empty() => Status::Pass,
        _ => Status::Fail,
    };
    JudgedBehaviour { status, findings: judging.findings, asserted: judging.asserted }
}

/// How the program ended, and what is known of why.
fn how(status: launch::Status, outcome: &ObservedBehaviour<'_>) -> String {
    let digest = outcome.digest;
    let mut text = status.to_string();
    if digest.stillborn {
        let last = digest.last.as_deref().unwrap_or("none");
        text.push_str(&format!("; the JVM never came to VMStart; last call: {last}"));
    }
    for open in digest.open.iter().take(3) {
        text.push_str(&format!("; had not returned: {}", open.shown));
    }
    let said = [outcome.stdout, outcome.stderr].map(last_lines).join("\n");
    match said.trim() {
        "" => text,
        said => format!("{text}\n{said}"),
    }
}

struct Judging {
    findings: Vec<Finding>,
    asserted: u32,
}

impl Judging {
    /// One more expectation; `observed` is what came instead.
    fn assert(&mut self, place: &str, expected: &str, observed: &dyn Fn() -> Option<String>) {
        self.asserted += 1;
        if let Some(observed) = observed() {
            let (place, expected) = (place.to_owned(), expected.to_owned());
            self.findings.push(Finding { cites: Vec::new(), place, expected, observed });
        }
    }

    fn happenings(&mut self, what: &str, expected: &Happenings, seen: &Happened) {
        for (index, name) in expected.in_order.iter().enumerate() {
            let after = index.checked_sub(1).and_then(|i| expected.in_order.get(i));
            let order = after.map_or_else(String::new, |after| format!(" after {after}"));
            let observed = || (index >= seen.reached).then(|| format!("none{order}"));
            self.assert(&format!("{what} {name}"), &format!("one{order}"), &observed);
        }
        for name in &expected.never {
            let came = seen.count(name);
            self.assert(&format!("{what} {name}"), "none", &|| (came > 0).then(|| format!("{came}")));
        }
        for (name, span) in &expected.count {
            let came = seen.count(name);
            let fits = Bounds::parse(span).is_some_and(|span| span.has(came));
            self.assert(&format!("{what} {name}"), span, &|| (!fits).then(|| format!("{came}")));
        }
    }

    fn budget(&mut self, case: &AgentCase, digest: &Digest) {
        let budget = &case.expect.budget;
        let calls: u64 = digest.functions.values().map(|cost| cost.count).sum();
        if let Some(most) = budget.calls {
            let observed = || (calls > most).then(|| calls.to_string());
            self.assert("calls", &format!("{most} at most"), &observed);
        }
        let spent = digest.agents as f64 / 1e6;
        if let Some(most) = budget.milliseconds {
            let observed = || (spent > most).then(|| duration(digest.agents));
            self.assert("time of the agents", &format!("{most} ms at most"), &observed);
        }
        if let Some(most) = budget.share {
            let observed = || (digest.share() > most).then(|| format!("{:.3}", digest.share()));
            self.assert("share of the run", &format!("{most} at most"), &observed);
        }
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(5)..].join("\n")
}
