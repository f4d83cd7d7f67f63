//! Sequences: calls and actions, and the environments that they use.

use jvmti_wire::plan::{Action, Arg, JniOp, Made, OnThread, PlannedCase, PlannedEnvironment, Step, Trigger};

use crate::cast;

/// A set of capabilities, by bit.
pub type Capabilities = u128;

/// A sequence of calls and actions. It runs as a case does: with environments of its own, which are gone afterwards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequence {
    /// The capabilities of each of its environments, of which there is at least one.
    pub environments: Vec<Capabilities>,
    /// What is done.
    pub steps: Vec<Move>,
}

/// One step of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// A call of a function.
    Call(Call),
    /// A static method of the scenario.
    Java(&'static str),
}

/// A call of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Index of the environment.
    pub environment: u8,
    /// Slot of the function.
    pub function: u16,
    /// One per parameter after the environment.
    pub args: Vec<Arg>,
    /// The thread that makes it.
    pub on: OnThread,
    /// The name under which later calls refer to its outputs.
    pub save: Option<String>,
}

/// The bits of a set.
pub fn bits(set: Capabilities) -> impl Iterator<Item = u16> {
    (0..128).filter(move |bit| set >> bit & 1 == 1)
}

impl Sequence {
    /// The calls among the steps, with their places.
    pub fn calls(&self) -> impl Iterator<Item = (usize, &Call)> {
        self.steps.iter().enumerate().filter_map(|(place, step)| match step {
            Move::Call(call) => Some((place, call)),
            Move::Java(_) => None,
        })
    }

    /// The sequence as the probe executes it.
    pub fn planned(&self, id: String, turn: Option<u32>) -> PlannedCase {
        let environment = |(index, set): (usize, &Capabilities)| PlannedEnvironment {
            name: name_of(index).to_owned(),
            made: Made::FirstStep,
            enabled: Made::FirstStep,
            chain: None,
            version: None,
            capabilities: bits(*set).collect(),
            events: vec![],
        };
        PlannedCase {
            id,
            turn,
            environments: self.environments.iter().enumerate().map(environment).collect(),
            steps: self.steps.iter().map(Move::planned).collect(),
            handlers: vec![],
        }
    }
}

/// Name of the environment of that index.
pub fn name_of(index: usize) -> &'static str {
    ["main", "other", "third"].get(index).copied().unwrap_or("further")
}

impl Move {
    fn planned(&self) -> Step {
        let (action, save) = match self {
            Move::Call(Call { environment, function, args, on, save }) => {
                let (environment, function, args, on) = (*environment, *function, args.clone(), *on);
                (Action::Call { environment, function, args, on }, save.clone())
            }
            Move::Java(name) => {
                let args =
                    [cast::SCENARIO_CLASS, name].map(|text| Arg::Str(text.as_bytes().to_vec())).to_vec();
                (Action::Jni { op: JniOp::CallStaticVoidMethod, args, on: OnThread::Current }, None)
            }
        };
        Step { at: Trigger::Checkpoint(cast::CHECKPOINT.to_owned()), action, save }
    }
}
