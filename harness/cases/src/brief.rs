//! What the launching side and the judging side hand to each other: the [`Brief`] that travels inside the trace, how the
//! launch ended, and what was judged.

use jvmti_results::{Jvm, Verdict};
use jvmti_spec::Release;
use jvmti_wire::trace::Exit;
use serde::{Deserialize, Serialize};

use crate::model::Case;

/// The part of a plan that only the judge reads. `Plan::brief` is its JSON, so that a trace alone can be judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// The release of the specification that the JVM is judged by.
    pub release: Release,
    /// Version of the suite that made the plan.
    pub suite: String,
    /// The JVM, as far as it was known before the launch.
    pub jvm: Jvm,
    /// Name of the set of options that the JVM is started with, if it has one.
    #[serde(default)]
    pub configuration: Option<String>,
    /// The JVM options that the user gave.
    pub vm_options: Vec<String>,
    /// The command that runs a case again, with `{case}` in place of its id.
    pub reproduce: String,
    /// The cases, in the order of `Plan::cases`.
    pub cases: Vec<Case>,
    /// Verdicts that were reached without a launch: on the cases that do not apply to the JVM. The first launch of a run
    /// carries them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inapplicable: Vec<Verdict>,
}

impl Brief {
    /// The command that runs this case again.
    pub fn reproduce(&self, case: &str) -> String {
        self.reproduce.replace("{case}", case)
    }
}

/// How a launch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchEnd {
    /// How the process ended.
    pub exit: Exit,
    /// Number of records that the trace lacks because it was full.
    pub lost: u64,
}

/// The universal rule that a JVM goes on until its program or an agent ends it. A case that was left may turn out to answer
/// for a breach.
pub const JVM_GOES_ON: &str = "universal/jvm-goes-on";

/// What was judged over the trace of one launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// Verdicts, with the index of their case in the plan.
    pub verdicts: Vec<(usize, Verdict)>,
    /// Cases that the end of the JVM interrupted through no fault of their own; they are to be run again.
    pub unfinished: Vec<usize>,
    /// Whether someone outside seems to have ended the JVM before its time.
    pub interrupted: bool,
    /// What the JVM was doing when it ended abnormally, if it did and this is known.
    pub culprit: Option<Culprit>,
    /// Verdicts of the universal rules.
    pub universal: Vec<Verdict>,
    /// What came of asking the JVM to start agents in the live phase.
    pub late_start: LateStart,
}

/// What came of asking a JVM to start agents in the live phase, for which it need not have a way. One launch alone cannot tell
/// a JVM without a way from one whose way fails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LateStart {
    /// It was not asked, or did not end by itself.
    #[default]
    Unknown,
    /// It has called the start-up function of one.
    Happened,
    /// It has started none, for this reason.
    Failed(String),
}

/// The call that was open when a JVM ended abnormally, or the only case of the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// Index of the case that made the call; `None`: a foreign agent made it.
    pub case: Option<usize>,
    /// Number of the call; `None`: no call was open, and the case was the only one.
    pub call: Option<u32>,
    /// The call as text.
    pub what: String,
    /// The thread that made the call.
    pub thread: u32,
}
