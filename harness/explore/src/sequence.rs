//! Sequences: calls and actions, and the environments that they use.

use jvmti_spec::edition::Phase;
use jvmti_wire::plan::{
    Action, Arg, JniOp, Made, OnThread, PlannedCase, PlannedEnvironment, PlannedStep, Trigger,
};

use crate::cast;

/// A set of capabilities, by bit.
pub type Capabilities = u128;

/// When a sequence runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// In `Agent_OnLoad`.
    OnLoad,
    /// In the first event before VMStart, if there is one.
    Primordial,
    /// In the VMStart event.
    Start,
    /// While the scenario runs, with all of its cast.
    #[default]
    Checkpoint,
    /// In the VMDeath event.
    Death,
    /// In `Agent_OnUnload`.
    Unload,
}

impl Moment {
    /// All of them, in the order in which a JVM goes through them.
    pub const ALL: [Moment; 6] = [
        Moment::OnLoad,
        Moment::Primordial,
        Moment::Start,
        Moment::Checkpoint,
        Moment::Death,
        Moment::Unload,
    ];

    /// The phase that it lies in.
    pub fn phase(self) -> Phase {
        match self {
            Moment::OnLoad => Phase::OnLoad,
            Moment::Primordial => Phase::Primordial,
            Moment::Start => Phase::Start,
            Moment::Checkpoint | Moment::Death => Phase::Live,
            Moment::Unload => Phase::Dead,
        }
    }

    /// Whether classes of the class library can be referred to.
    pub fn has_classes(self) -> bool {
        matches!(self, Moment::Start | Moment::Checkpoint | Moment::Death)
    }

    /// How case files write it.
    pub fn written(self) -> String {
        match self {
            Moment::OnLoad => "on_load".to_owned(),
            Moment::Primordial => "primordial".to_owned(),
            Moment::Start => "vm_start".to_owned(),
            Moment::Checkpoint => format!("checkpoint({})", cast::CHECKPOINT),
            Moment::Death => "vm_death".to_owned(),
            Moment::Unload => "on_unload".to_owned(),
        }
    }

    /// For people: `in VMStart`; nothing at the checkpoint.
    pub fn shown(self) -> &'static str {
        match self {
            Moment::OnLoad => " in Agent_OnLoad",
            Moment::Primordial => " in the primordial phase",
            Moment::Start => " in VMStart",
            Moment::Checkpoint => "",
            Moment::Death => " in VMDeath",
            Moment::Unload => " in Agent_OnUnload",
        }
    }

    /// The moment at which a step waits to be done, if it is one of these.
    pub fn of(trigger: &Trigger) -> Option<Moment> {
        Moment::ALL.into_iter().find(|moment| moment.trigger() == *trigger)
    }

    fn trigger(self) -> Trigger {
        match self {
            Moment::OnLoad => Trigger::OnLoad,
            Moment::Primordial => Trigger::Primordial,
            Moment::Start => Trigger::VmStart,
            Moment::Checkpoint => Trigger::Checkpoint(cast::CHECKPOINT.to_owned()),
            Moment::Death => Trigger::VmDeath,
            Moment::Unload => Trigger::OnUnload,
        }
    }

    /// When its environments are made: later they could not be made, or could not be given capabilities.
    fn made(self) -> Made {
        match self {
            Moment::Primordial | Moment::Start | Moment::Unload => Made::OnLoad,
            _ => Made::FirstStep,
        }
    }
}

/// A sequence of calls and actions. It runs as a case does: with environments of its own, which are gone afterwards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequence {
    /// When it runs.
    pub moment: Moment,
    /// Whether its environments are made in `Agent_OnLoad`: some capabilities can be added only then, and possessed by one
    /// environment at a time.
    pub early: bool,
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
    pub fn planned(&self, id: String, run: u32) -> PlannedCase {
        let made = if self.early { Made::OnLoad } else { self.moment.made() };
        let environment = |(index, set): (usize, &Capabilities)| PlannedEnvironment {
            name: name_of(index).to_owned(),
            made,
            enabled: made,
            chain: None,
            version: None,
            capabilities: bits(*set).collect(),
            events: vec![],
        };
        PlannedCase {
            id,
            run: (self.moment == Moment::Checkpoint).then_some(run),
            environments: self.environments.iter().enumerate().map(environment).collect(),
            steps: self.steps.iter().map(|step| step.planned(self.moment)).collect(),
            handlers: vec![],
        }
    }
}

/// Name of the environment of that index.
pub fn name_of(index: usize) -> &'static str {
    ["main", "other", "third"].get(index).copied().unwrap_or("further")
}

impl Move {
    fn planned(&self, moment: Moment) -> PlannedStep {
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
        PlannedStep { at: moment.trigger(), action, save }
    }
}
