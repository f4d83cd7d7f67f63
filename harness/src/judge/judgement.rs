//! What the judge needs besides the records: it travels in the plan, hence in the trace.

use std::collections::HashMap;

use jvmti_reports::Verdict;
use jvmti_reports::results::Jvm;
use jvmti_spec::{Assertion, Release};
use jvmti_wire::trace::Exit;
use serde::{Deserialize, Serialize};

use crate::case::model::Case;

/// The part of a plan that only the judge reads; `Plan::judgement` is its JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Release whose text judges.
    pub release: Release,
    /// Version of the suite that planned.
    pub suite: String,
    /// The JVM, as far as known before the launch.
    pub jvm: Jvm,
    /// Name of the set of options that the JVM is started with, if that has one.
    #[serde(default)]
    pub configuration: Option<String>,
    /// Options given by the user.
    pub vm_options: Vec<String>,
    /// Command that runs a case again, with `{case}` where its id goes.
    pub reproduce: String,
    /// The cases, in the order of `Plan::cases`.
    pub cases: Vec<Case>,
}

impl Judgement {
    /// The command that runs this case again.
    pub fn reproduce(&self, case: &str) -> String {
        self.reproduce.replace("{case}", case)
    }
}

/// How a launch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedHow {
    /// How the process ended.
    pub exit: Exit,
    /// Records that the trace lacks, because it was full.
    pub lost: u64,
}

/// The statements that verdicts may cite, by id.
#[derive(Clone, Debug, Default)]
pub struct Assertions(HashMap<String, Assertion>);

impl Assertions {
    /// The assertion of that id.
    pub fn get(&self, id: &str) -> Option<&Assertion> {
        self.0.get(id)
    }
}

impl FromIterator<Assertion> for Assertions {
    fn from_iter<I: IntoIterator<Item = Assertion>>(all: I) -> Self {
        Assertions(all.into_iter().map(|a| (a.id.clone(), a)).collect())
    }
}

/// What came of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// Verdicts, with the index of their case in the plan.
    pub verdicts: Vec<(usize, Verdict)>,
    /// Cases that the end of the JVM cut short through no doing of their own, to be run again.
    pub unfinished: Vec<usize>,
    /// What the JVM was in when it ended abnormally, if it did and this is known.
    pub culprit: Option<Culprit>,
    /// Verdicts of the rules that hold for every trace.
    pub universal: Vec<Verdict>,
}

/// The call that was open when a JVM ended abnormally, or the case that was alone in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// Index of the case on whose behalf it was made; `None`: a foreign agent's.
    pub case: Option<usize>,
    /// Number of the call; `None`: none was open, and the case was the only one.
    pub call: Option<u32>,
    /// The call, readable.
    pub what: String,
    /// Thread that it was on.
    pub thread: u32,
}
