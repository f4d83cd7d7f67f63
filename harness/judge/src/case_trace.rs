//! What a trace tells of one case and of each of its steps.

use jvmti_cases::model::{Case, Step};
use jvmti_wire::trace::{Handed, MissingEntry, Record, StepRef};
use jvmti_wire::value::{ObjectId, Value};
use rustc_hash::FxHashMap;

use super::truth::Cause;

/// Records of one case that its story may have.
pub(super) const STORY: usize = 120;
/// Of these, events, callbacks and what handlers did: they may come by the million.
const STORY_BULK: usize = 40;

/// What came of one step.
#[derive(Default)]
pub(super) struct StepTrace {
    /// Place and thread of the call's beginning.
    pub begun: Option<(u64, u32)>,
    /// The thread that the call is about, if it is passed one.
    pub thread: Option<ObjectId>,
    pub end: Option<CallEnd>,
    /// Whether the call was refused because something is not modifiable, and the JVM said so when it was asked.
    pub unmodifiable: bool,
    /// Result of a JNI operation.
    pub jni: Option<Value>,
    /// Memory and references that the call gave, and what became of them.
    pub transferred: Transferred,
    /// Why the probe could not take it.
    pub not_taken: Option<NotTaken>,
    /// Whether the scenario passed its checkpoint before it was its turn.
    pub missed: bool,
    /// One per callback expectation of the step.
    pub callbacks: Vec<CallbackCount>,
    /// Callbacks in all, by type, where the probe only counted them.
    pub counted: FxHashMap<String, u64>,
}

impl StepTrace {
    /// Whether it has been taken, or found impossible.
    pub(super) fn is_over(&self) -> bool {
        self.end.is_some() || self.jni.is_some() || self.not_taken.is_some()
    }
}

/// Why the probe could not take a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotTaken {
    /// The JVM's function table does not have the function.
    FunctionMissing { function: u16, entry: MissingEntry },
    /// Anything else, in words.
    Impossible(String),
}

/// Memory and references that a call gave to its caller.
#[derive(Default)]
pub(super) struct Transferred {
    pub memory: Vec<Handed>,
    pub references: Vec<Handed>,
}

/// What a call came to.
pub(super) struct CallEnd {
    pub code: i32,
    pub outputs: Vec<(u16, Value)>,
}

impl CallEnd {
    pub(super) fn output(&self, param: u16) -> Option<&Value> {
        self.outputs.iter().find(|(i, _)| *i == param).map(|(_, v)| v)
    }
}

/// Invocations of a callback that satisfy the conditions of an expectation.
#[derive(Default)]
pub(super) struct CallbackCount {
    pub recorded: u64,
    pub hits: u64,
    /// Parameters of invocations that a fact stated later will decide.
    pub pending: Vec<Vec<Value>>,
    pub unknown: Option<Cause>,
}

/// What is known of one case.
#[derive(Default)]
pub(super) struct CaseTrace {
    pub steps: Vec<StepTrace>,
    /// Which of its handlers have acted.
    pub acted: Vec<bool>,
    /// Environments made: index and what `GetEnv` returned.
    pub made: Vec<(u8, i32)>,
    /// Calls of the setup that failed: index of the environment, function, code.
    pub setup_failed: Vec<(u8, u16, i32)>,
    /// Why something of the setup could not even be tried.
    pub setup_impossible: Vec<String>,
    /// Records for the story, with the function that a call's end belongs to.
    pub story: Vec<(Record, Option<u16>)>,
    bulk: usize,
    /// Records that the story leaves out.
    pub untold: u64,
    /// Times of its first and last record.
    pub span: Option<(u64, u64)>,
}

impl CaseTrace {
    /// Nothing of the case seen yet.
    pub(super) fn new(case: &Case) -> Self {
        let step = |step: &Step| {
            let callbacks = step.expect.iter().flat_map(|expect| &expect.callbacks);
            StepTrace {
                callbacks: callbacks.map(|_| CallbackCount::default()).collect(),
                ..StepTrace::default()
            }
        };
        CaseTrace {
            steps: case.steps.iter().map(step).collect(),
            acted: vec![false; case.handlers.len()],
            ..CaseTrace::default()
        }
    }

    /// Notes that a handler acts, if it is one.
    pub(super) fn acts(&mut self, step: StepRef) {
        if let StepRef::Handler { handler, .. } = step
            && let Some(acted) = self.acted.get_mut(handler as usize)
        {
            *acted = true;
        }
    }

    /// The first step that has not been taken.
    pub(super) fn next(&self) -> Option<usize> {
        self.steps.iter().position(|step| !step.is_over())
    }

    /// Notes that the scenario passes a checkpoint, for which the steps that are `due` there wait.
    pub(super) fn passes(&mut self, due: impl Fn(usize) -> bool) {
        let Some(next) = self.next().filter(|next| !due(*next)) else { return };
        for (index, step) in self.steps.iter_mut().enumerate().skip(next) {
            step.missed |= due(index);
        }
    }

    /// Notes a record of the case at that time.
    pub(super) fn touch(&mut self, at: u64) {
        let span = self.span.get_or_insert((at, at));
        span.1 = at;
    }

    /// Whether the story still takes such a record.
    fn tells(&mut self, bulk: bool) -> bool {
        let tells = self.story.len() < STORY && (!bulk || self.bulk < STORY_BULK);
        if tells {
            self.bulk += usize::from(bulk);
        } else {
            self.untold += 1;
        }
        tells
    }

    /// Takes a record into the story, if there is room. `bulk`: it is one of a kind that may come by the million.
    pub(super) fn tell(&mut self, record: &Record, function: Option<u16>, bulk: bool) {
        self.touch(record.at);
        if self.tells(bulk) {
            self.story.push((record.clone(), function));
        }
    }
}
