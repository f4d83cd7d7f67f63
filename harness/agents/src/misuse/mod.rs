//! Rules that agents have to follow. A trace of an agent's calls and callbacks shows whether it does.
//!
//! A rule is a value of [`Info`] (id, severity, what it says, where the specification says so) and something that
//! implements [`MisuseRule`]: it watches the trace go by as [`TraceEvent`]s and adds a [`Violation`] where it proves a violation.
//! What only the code of a returned error tells is a row of the table in [`errors`].

mod abi;
mod all;
mod attachments;
mod callbacks;
mod capabilities;
mod causes;
mod collection_monitors;
mod compiled_methods;
mod crashes;
mod disabled_elsewhere;
mod error_table;
mod errors;
mod events;
mod exceptions;
mod forks;
mod functions;
mod globals;
mod growing_monitors;
mod growing_references;
mod growth;
mod handles;
mod heap_answers;
mod held_monitors;
mod kept_contents;
mod late;
mod left_class_data;
mod left_entered;
mod lifetimes;
mod local_frames;
mod lost_notifications;
mod memory;
mod monitor_graph;
mod monitors;
mod moving_frames;
mod nested_events;
mod nested_waits;
mod other_environments;
mod poison;
mod references;
mod results;
mod signals;
mod stack_addresses;
mod stored_pointers;
mod stuck;
mod suspensions;
mod unheard;
mod unmade_threads;

pub use all::rules;
pub use references::ENSURED as ENSURED_REFERENCES;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::str::FromStr;

use jvmti_runner::shell;
use jvmti_wire::trace::{Exit, Record, Summary};
use serde::Serialize;

use crate::agent_state::{AgentState, TraceEvent};
use crate::symbols::Located;

/// The severity of a misuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The misuse is permitted, or has no effect on this JVM.
    Note,
    /// The misuse costs time or memory, or fails on other JVMs.
    Warning,
    /// The misuse violates the specification: the JVM may do anything.
    Error,
}

impl FromStr for Severity {
    type Err = UnknownSeverity;

    fn from_str(name: &str) -> Result<Severity, UnknownSeverity> {
        let found = Severity::ALL.into_iter().find(|severity| severity.name() == name);
        found.ok_or_else(|| UnknownSeverity(name.to_owned()))
    }
}

/// The error for a name that is not a severity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a severity: use note, warning or error")]
pub struct UnknownSeverity(String);

impl Severity {
    /// All severities, the mildest first.
    pub const ALL: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// The description of a rule.
#[derive(Debug, Serialize)]
pub struct Info {
    /// Its id: `memory/double-free`.
    pub id: &'static str,
    /// The severity of a violation.
    pub severity: Severity,
    /// Anchor in the published specification, without the `#`; empty: that of the function.
    pub anchor: &'static str,
    /// What agents have to do, in one sentence.
    pub says: &'static str,
}

/// A violation of a rule at one call site.
#[derive(Clone, Debug, Serialize)]
pub struct Violation {
    /// The rule.
    pub rule: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// Anchor in the published specification, without the `#`.
    pub anchor: String,
    /// What the rule says.
    pub says: &'static str,
    /// The function, the event or the capabilities that the violation is about.
    pub of: String,
    /// What the agent did, the first time.
    pub what: String,
    /// Where the call returns to, innermost first.
    pub place: Vec<Located>,
    /// Other places that have to do with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// The name of the thread.
    pub thread: String,
    /// When the agent did it first, in nanoseconds since the JVM loaded the probe.
    pub at: u64,
    /// How often the agent did it at this call site.
    pub count: u64,
    /// A command that shows more about it; `None` until the path of the trace is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Another place that has to do with a violation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Related {
    /// What happened there.
    pub what: String,
    /// Where the call returns to, innermost first.
    pub place: Vec<Located>,
}

/// The end of a trace.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// All calls of all agents are in the trace, from the start to the end of the program.
    pub whole: bool,
    /// All calls are in the trace up to the point at which it ends.
    pub gapless: bool,
    /// How the program ended, if the trace says so.
    pub exit: Option<Exit>,
}

impl End {
    /// What a program comes to that does not end.
    const TIMED_OUT: End = End { whole: false, gapless: true, exit: Some(Exit::TimedOut) };

    /// The end of a trace that the probe recorded with all functions (`complete`), or not.
    pub fn of(summary: Summary, complete: bool, exit: Option<Exit>) -> End {
        let gapless = complete && summary.lost == 0;
        End { whole: gapless && summary.torn == 0 && !summary.truncated && summary.sealed, gapless, exit }
    }

    /// Whether the program came to its end by itself. An agent may have been about to do what is missing in the trace if a
    /// crash or a kill ended the program.
    fn is_orderly(self) -> bool {
        self.whole && matches!(self.exit, None | Some(Exit::Code(_)))
    }

    /// Whether the program was ended because it did not end, and the trace has all that was before.
    fn is_killed(self) -> bool {
        const SIGKILL: i32 = 9;
        const SIGTERM: i32 = 15;
        let exit = self.exit;
        let is_killed =
            matches!(exit, Some(Exit::TimedOut | Exit::Unknown | Exit::Signal(SIGKILL | SIGTERM)));
        self.gapless && is_killed
    }

    /// Whether a crash or a kill ended the program, and the trace has all that was before.
    fn is_cut_short(self) -> bool {
        self.gapless && !self.is_orderly()
    }
}

/// The thread and the time in nanoseconds of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct When {
    thread: u32,
    at: u64,
}

impl When {
    /// Whether what began then had lasted for so long at the last record of the trace that the agent was not about to end it.
    fn is_long_before(self, last: When) -> bool {
        last.at.saturating_sub(self.at) >= LONG
    }
}

impl From<&Record> for When {
    fn from(record: &Record) -> When {
        When { thread: record.thread, at: record.at }
    }
}

/// Where a violation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A call site.
    Site(u32),
    /// The callback of an environment for an event.
    Callback(u32, u16),
}

impl From<u32> for Place {
    fn from(site: u32) -> Place {
        Place::Site(site)
    }
}

impl Place {
    /// Where it is, and where the call of that thread that ends now came from.
    fn stack_of_call(self, state: &AgentState<'_>, thread: u32) -> Vec<Located> {
        match self {
            Place::Site(site) => state.stack_of_call(site, thread),
            Place::Callback(..) => self.stack(state),
        }
    }

    /// Where it is, and where the first call came from.
    fn stack(self, state: &AgentState<'_>) -> Vec<Located> {
        let located = |place| state.symbols.locate(place);
        match self {
            Place::Site(site) => state.site(site).iter().map(located).collect(),
            Place::Callback(environment, event) => {
                state.callback(environment, event).into_iter().map(located).collect()
            }
        }
    }
}

/// Violations with the same key count as one finding.
type Key = (std::cmp::Reverse<Severity>, &'static str, String, Place);

/// The violations found so far.
#[derive(Default)]
struct Violations(BTreeMap<Key, Violation>);

impl Violations {
    /// Adds a violation at a place, or counts it if there is a like one. `of` is the function or event concerned.
    fn add(
        &mut self,
        info: &'static Info,
        (state, when): (&AgentState<'_>, impl Into<When>),
        (place, of): (impl Into<Place>, &str),
        what: impl FnOnce() -> String,
    ) {
        let (when, place) = (when.into(), place.into());
        let key = (std::cmp::Reverse(info.severity), info.id, of.to_owned(), place);
        let finding = self.0.entry(key).or_insert_with(|| Violation {
            rule: info.id,
            severity: info.severity,
            anchor: if info.anchor.is_empty() { of.to_owned() } else { info.anchor.to_owned() },
            says: info.says,
            of: of.to_owned(),
            what: what(),
            place: place.stack_of_call(state, when.thread),
            related: Vec::new(),
            thread: state.names.thread(when.thread),
            at: when.at,
            count: 0,
            next: None,
        });
        finding.count += 1;
    }

    /// Adds a violation at a place that is no call site.
    fn add_at(
        &mut self,
        info: &'static Info,
        (state, when): (&AgentState<'_>, impl Into<When>),
        of: &str,
        place: Vec<Located>,
        what: impl FnOnce() -> String,
    ) {
        self.add(info, (state, when), (0u32, of), what);
        let key = (std::cmp::Reverse(info.severity), info.id, of.to_owned(), Place::Site(0));
        if let Some(finding) = self.0.get_mut(&key) {
            finding.place = place;
        }
    }

    /// Adds other violations, except those that it has.
    fn add_other(&mut self, other: Violations) {
        for (key, violation) in other.0 {
            self.0.entry(key).or_insert(violation);
        }
    }

    /// Adds a place that has to do with the violation of that rule at that place, unless it has enough.
    fn relate(
        &mut self,
        info: &'static Info,
        (place, of): (impl Into<Place>, &str),
        related: impl FnOnce() -> Related,
    ) {
        let key = (std::cmp::Reverse(info.severity), info.id, of.to_owned(), place.into());
        let Some(finding) = self.0.get_mut(&key).filter(|finding| finding.related.len() < MOST_RELATED)
        else {
            return;
        };
        let related = related();
        if !finding.related.contains(&related) {
            finding.related.push(related);
        }
    }
}

/// The number of other places that a finding names at most.
const MOST_RELATED: usize = 8;

/// As many callbacks that each keep something show that it grows with the work.
const MANY_CALLBACKS: usize = 32;

/// What has lasted for this long when a program is killed, in nanoseconds, was not about to end.
const LONG: u64 = 2_000_000_000;

/// A rule that observes a trace.
trait MisuseRule {
    /// Takes the next trace event; `state` is the agent state before it.
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    );
    /// Takes the point up to `last` at which the program is told to end, before it does what it does then: what keeps it from going on
    /// may be gone at the end of the trace. What is found counts if that was because the program did not end.
    fn stop(&self, _state: &AgentState<'_>, _last: When, _end: End, _found: &mut Violations) {}
    /// Takes the end of the trace.
    fn finish(&mut self, _state: &AgentState<'_>, _last: When, _end: End, _found: &mut Violations) {}
}

/// All rules.
pub struct Misuse {
    rules: Vec<Box<dyn MisuseRule>>,
    found: Violations,
    /// What was found when the program was told to end.
    stopped: Violations,
    last: When,
}

impl Default for Misuse {
    fn default() -> Misuse {
        let [found, stopped] = [Violations::default(), Violations::default()];
        Misuse { rules: all::watchers(), found, stopped, last: When::default() }
    }
}

/// Stands between several names that a violation is about.
const SEPARATOR: &str = ", ";

/// Adds to the violations in a trace the commands that show more about them.
pub fn add_next_commands(findings: &mut [Violation], trace: &Path) {
    for finding in findings.iter_mut().filter(|finding| finding.rule == capabilities::UNUSED.id) {
        let trace = trace.display().to_string();
        let mut words = vec!["jvmti-check", "agent", "price", &trace];
        words.extend(finding.of.split(SEPARATOR).flat_map(|name| ["--capability", name]));
        finding.next = Some(shell::command(words));
    }
}

/// The capabilities that the agent added and never used.
pub fn unused_capabilities(findings: &[Violation]) -> BTreeSet<&str> {
    let unused = findings.iter().filter(|finding| finding.rule == capabilities::UNUSED.id);
    unused.flat_map(|finding| finding.of.split(SEPARATOR)).collect()
}

/// Whether the JVM begins to end: a thread starts that handles SIGTERM, or the JVM tells that it ends.
fn is_told_to_end(state: &AgentState<'_>, record: &Record, trace_event: &TraceEvent<'_>) -> bool {
    let handles = |thread| state.names.thread(thread).contains("SIGTERM handler");
    match trace_event {
        TraceEvent::Entered(delivery, _) if delivery.name == "ThreadStart" => handles(record.thread),
        _ => errors::is_death(state, trace_event, &record.body),
    }
}

impl Misuse {
    /// Takes the next trace event.
    pub fn observe(&mut self, state: &AgentState<'_>, record: &Record, trace_event: &TraceEvent<'_>) {
        if is_told_to_end(state, record, trace_event) {
            let mut stopped = Violations::default();
            for rule in &self.rules {
                rule.stop(state, record.into(), End::TIMED_OUT, &mut stopped);
            }
            self.stopped.add_other(stopped);
        }
        for rule in &mut self.rules {
            rule.observe(state, record, trace_event, &mut self.found);
        }
        self.last = record.into();
    }

    /// Takes the end of the trace, and returns the violations, the worst first.
    pub fn finish(mut self, state: &AgentState<'_>, end: End) -> Vec<Violation> {
        for rule in &mut self.rules {
            rule.finish(state, self.last, end, &mut self.found);
        }
        if end.gapless && end.exit == Some(Exit::TimedOut) {
            self.found.add_other(self.stopped);
        }
        self.found.keep_causes();
        self.found.0.into_values().collect()
    }
}
