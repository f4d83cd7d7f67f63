//! The results of a run. `results.json` is their serialised form, with the format version [`SCHEMA`].

mod deviation;
mod jvm;

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use deviation::{CrashReport, KnownDeviation, without_process};
pub use jvm::Jvm;

/// Version of the results format. A reader accepts older ones.
pub const SCHEMA: u32 = 2;

/// The merged verdict on a universal rule keeps this many findings at most.
const UNIVERSAL_FINDINGS: usize = 20;

/// The results of one run, or of several merged ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Results {
    /// Format version; new files have [`SCHEMA`].
    pub schema: u32,
    /// The suite that judged the JVMs.
    pub suite: Suite,
    /// When the run started, in RFC 3339.
    pub started: String,
    /// Wall time in milliseconds; for merged results the sum.
    pub wall_ms: u64,
    /// One run per JVM and configuration.
    pub runs: Vec<JvmRun>,
    /// JVMs in configurations that do not apply to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// The statements of the specification for the releases of the tested JVMs. Verdicts cite them by id. The list includes
    /// those that no verdict cites, so that reports can count coverage.
    pub assertions: Vec<AssertionInfo>,
    /// Chapters in the order of the specification, for titles and links. Reports show a missing chapter by its id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chapters: Vec<ChapterInfo>,
    /// The known deviations that verdicts name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<KnownDeviation>,
}

impl Results {
    /// Whether a JVM of this release is among those tested.
    pub fn tells_of(&self, release: u16) -> bool {
        self.runs.iter().any(|run| run.jvm.release == release)
    }

    /// The statements that a case judged on some JVM of this release. A statement counts as tested only if it is among them.
    pub fn judged(&self, release: u16) -> BTreeSet<&str> {
        let runs = self.runs.iter().filter(|run| run.jvm.release == release);
        let verdicts = runs.flat_map(|run| &run.verdicts).filter(|verdict| verdict.status.is_judged());
        verdicts.flat_map(Verdict::cited).collect()
    }
}

/// The suite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Suite {
    /// Version of jvmti-check.
    pub version: String,
    /// The commit that it was built from, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// SHA-256 over the names and texts of the case files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<String>,
}

/// The results of one JVM in one configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JvmRun {
    /// The JVM, as it says itself.
    pub jvm: Jvm,
    /// Name of the configuration, if the user chose one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
    /// All options given by the user, those of the configuration first.
    pub vm_options: Vec<String>,
    /// The machine that it ran on: operating system, architecture, cores.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// When it began, in RFC 3339.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub started: String,
    /// The shard, if the run was divided; merging combines the shards again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The number of JVMs started.
    pub launches: u32,
    /// Time from the first start to the last verdict, in milliseconds; for merged shards the sum.
    pub wall_ms: u64,
    /// The start-up time of this JVM without the probe, in milliseconds.
    pub bare_start_ms: Option<u64>,
    /// What was tested, by digest: whoever has the same build can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    /// One verdict per case.
    pub verdicts: Vec<Verdict>,
}

impl JvmRun {
    /// A name for narrow columns, with the configuration if there is one: `25.0.1 Temurin, zgc`.
    pub fn short(&self) -> String {
        match &self.configuration {
            Some(name) => format!("{}, {name}", self.jvm.short()),
            None => self.jvm.short(),
        }
    }
}

/// The files of a JVM, by SHA-256.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Build {
    /// Of the JVM's library.
    pub vm: String,
    /// Of the file `release` in the Java home, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
}

/// One of several parts of a run, such as `2/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Shard {
    /// Its number, from 1.
    pub index: u32,
    /// The number of shards.
    pub count: u32,
}

impl Display for Shard {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// The error for a text that is not a shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "write the number of the shard and the number of all shards, such as 2/8; the first is 1/8, the last 8/8"
)]
pub struct NoShard;

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let (index, count) = text.split_once('/').ok_or(NoShard)?;
        let number = |digits: &str| digits.parse().map_err(|_| NoShard);
        let shard = Shard { index: number(index)?, count: number(count)? };
        if (1..=shard.count).contains(&shard.index) { Ok(shard) } else { Err(NoShard) }
    }
}

/// A JVM with a set of options that does not apply to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// The JVM, as it says itself without these options.
    pub jvm: Jvm,
    /// Name of the configuration.
    pub configuration: String,
    /// All options given by the user, those of the configuration first.
    pub vm_options: Vec<String>,
    /// Why it does not apply: what the JVM wrote about the options.
    pub reason: String,
}

/// The status of a verdict.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The JVM did what the specification says.
    Pass,
    /// The JVM did not do what the specification requires.
    Fail,
    /// The JVM ended abnormally during this case.
    Crash,
    /// The JVM timed out during this case.
    Timeout,
    /// The JVM did not do what the specification recommends, but may do otherwise.
    Permitted,
    /// The case does not apply to this JVM; the reason says why.
    Inapplicable,
    /// The case fails as a known deviation says.
    Known,
    /// The case passes although a known deviation lists it.
    Fixed,
    /// The harness could not carry out the case.
    #[default]
    Error,
}

impl Status {
    /// All, in order of display.
    pub const ALL: [Status; 9] = [
        Status::Pass,
        Status::Fail,
        Status::Crash,
        Status::Timeout,
        Status::Permitted,
        Status::Known,
        Status::Fixed,
        Status::Inapplicable,
        Status::Error,
    ];

    /// Whether a verdict with this status is unexpected.
    pub fn is_unexpected(self) -> bool {
        matches!(self, Status::Fail | Status::Crash | Status::Timeout | Status::Error)
    }

    /// Whether the case was judged, so that the statements it cites count as tested.
    pub fn is_judged(self) -> bool {
        !matches!(self, Status::Inapplicable | Status::Error)
    }

    /// Lower-case name, as in files.
    pub fn name(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Fail => "fail",
            Status::Crash => "crash",
            Status::Timeout => "timeout",
            Status::Permitted => "permitted",
            Status::Inapplicable => "inapplicable",
            Status::Known => "known",
            Status::Fixed => "fixed",
            Status::Error => "error",
        }
    }
}

/// The verdict on one case on one JVM.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Case id.
    pub case: String,
    /// What the case checks, one line.
    pub about: String,
    /// Chapter.
    pub chapter: String,
    /// The function or event that the case is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The verdict.
    pub status: Status,
    /// The assertions that it rests on.
    pub cites: Vec<String>,
    /// Where the case is written: `file:line`.
    pub source: String,
    /// Number of asserted statements in the case.
    pub asserted: u32,
    /// Why, where it is not a pass: one finding per expectation that did not hold, or a reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The id of the known deviation that explains it, if it is known or fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<String>,
    /// What the JVM itself wrote about its crash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<CrashReport>,
    /// What happened, for people; kept if the verdict is not a pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub story: Vec<StoryLine>,
    /// The command that runs this case again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reproduce: String,
    /// Time from its first to its last record, in microseconds.
    #[serde(default)]
    pub micros: u64,
    /// Trace file, if kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

impl Verdict {
    /// Whether it only says that the run was stopped before the case could begin or end.
    pub fn is_unreached(&self) -> bool {
        let observed = self.findings.first().map(|finding| finding.observed.as_str()).unwrap_or_default();
        let said = [Finding::INTERRUPTED, Finding::NOT_RUN];
        self.status == Status::Error && said.contains(&observed.lines().next().unwrap_or_default())
    }

    /// Whether it blames the JVM because a function had no memory, which each function may say if there is none.
    pub fn lacked_memory(&self) -> bool {
        let mut observed = self.findings.iter().map(|finding| &finding.observed);
        self.status == Status::Fail && observed.any(|text| text.starts_with(Finding::NO_MEMORY))
    }

    /// Merges the verdict of another shard on the same universal rule: a JVM obeys the rule if all shards say so.
    pub fn unite(&mut self, part: &Verdict) {
        let gravity = |status: Status| match status {
            Status::Inapplicable => 0,
            Status::Pass => 1,
            Status::Fixed => 2,
            Status::Permitted => 3,
            Status::Known => 4,
            Status::Error => 5,
            Status::Timeout | Status::Crash => 6,
            Status::Fail => 7,
        };
        if gravity(part.status) > gravity(self.status) {
            self.status = part.status;
        }
        self.asserted = self.asserted.saturating_add(part.asserted);
        self.micros = self.micros.saturating_add(part.micros);
        let room = UNIVERSAL_FINDINGS.saturating_sub(self.findings.len());
        self.findings.extend(part.findings.iter().take(room).cloned());
        self.story.extend(part.story.iter().take(room).cloned());
        if self.reproduce.is_empty() {
            self.reproduce.clone_from(&part.reproduce);
        }
        if self.trace.is_none() {
            self.trace.clone_from(&part.trace);
        }
        if self.crash.is_none() {
            self.crash.clone_from(&part.crash);
        }
    }

    /// Whether the verdict is on a universal rule rather than on a case.
    pub fn is_universal(&self) -> bool {
        self.case.starts_with("universal/")
    }

    /// Each assertion that the case or a finding cites, once. A finding may cite an assertion on all calls, beyond what the
    /// case is about.
    pub fn cited(&self) -> Vec<&str> {
        let mut cited: Vec<&str> = Vec::new();
        for id in self.cites.iter().chain(self.findings.iter().flat_map(|f| &f.cites)) {
            if !cited.contains(&id.as_str()) {
                cited.push(id);
            }
        }
        cited
    }
}

/// One expectation that did not hold, or one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The assertions that are not met.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<String>,
    /// The step or part of the case (`GetThreadState(thread: $sleeper)`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The expectation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub expected: String,
    /// What was observed, or the reason.
    pub observed: String,
}

impl Finding {
    /// What is observed of a case that had not begun when the run was stopped.
    pub const NOT_RUN: &str = "not run: interrupted";
    /// How what is observed begins of a case that had not ended when the run was stopped.
    pub const INTERRUPTED: &str = "interrupted";
    /// How what is observed begins if a function had no memory.
    pub const NO_MEMORY: &str = "OUT_OF_MEMORY";
    /// Its place, if it repeats what a list of known deviations says of a verdict that fails as listed.
    pub const KNOWN: &str = "known deviation";
    /// Its place, if the verdict is listed and passes.
    pub const FIXED: &str = "listed as a known deviation";

    /// Whether it repeats what a list of known deviations says, rather than what was found.
    pub fn tells_of_list(&self) -> bool {
        [Finding::KNOWN, Finding::FIXED].contains(&self.place.as_str())
    }
}

/// One line about what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoryLine {
    /// Microseconds since the agent was loaded.
    pub at_us: u64,
    /// The thread that it happened on.
    pub thread: String,
    /// What happened, readable.
    pub text: String,
}

/// What reports show of a statement of the specification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssertionInfo {
    /// Id.
    pub id: String,
    /// Chapter.
    pub chapter: String,
    /// The function or event that it is about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The statement, in the words of this project.
    pub text: String,
    /// Anchor in the published HTML, without the `#`.
    pub anchor: String,
    /// `must`, `should`, `may`, `implementation-defined`.
    pub strength: String,
    /// Why it cannot be tested, if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untestable: Option<String>,
    /// The first feature release that states it, unless all do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u16>,
    /// The last feature release that states it, unless all do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u16>,
}

impl AssertionInfo {
    /// Whether the specification of that release states it.
    pub fn holds_in(&self, release: u16) -> bool {
        self.since.is_none_or(|first| first <= release) && self.until.is_none_or(|last| release <= last)
    }
}

/// A chapter of the specification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChapterInfo {
    /// Id, as verdicts and assertions name it.
    pub id: String,
    /// Title as published.
    pub title: String,
    /// Anchor in the published HTML, without the `#`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub anchor: String,
}

#[cfg(test)]
mod tests;
