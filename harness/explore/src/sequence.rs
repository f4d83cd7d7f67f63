//! Sequences: calls and actions, and the environments that they use.

use jvmti_spec::edition::Phase;
use jvmti_wire::plan::{
    Action, Arg, Filter, Handler, JniOp, Made, OnThread, PathPart, PlannedCase, PlannedEnvironment,
    PlannedStep, Trigger,
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
    /// What is done in the callbacks of events.
    pub handlers: Vec<EventHandler>,
}

/// What is done in the callbacks of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventHandler {
    /// Number of the event.
    pub event: u16,
    /// The name under which a call was saved, and the type of a function that it was given: it is done in that function instead. If
    /// that is the start function of an agent thread, the sequence goes on meanwhile.
    pub callback: Option<(String, &'static str)>,
    /// Conditions on its parameters, by index.
    pub only: Vec<(u16, Arg)>,
    /// How often at the most.
    pub times: u32,
    /// What is done. A reply comes last.
    pub moves: Vec<Move>,
}

impl EventHandler {
    /// Whether it acts on an agent thread, while the sequence goes on.
    pub fn is_on_agent_thread(&self) -> bool {
        self.callback.as_ref().is_some_and(|(_, callback)| *callback == START_FUNCTION)
    }

    /// Whether it acts in the callbacks of a heap function, while the main thread waits for that to return.
    pub fn is_on_heap(&self) -> bool {
        self.callback.is_some() && !self.is_on_agent_thread()
    }

    /// Whether it acts on the main thread only, between two steps of the sequence.
    pub fn is_on_main(&self) -> bool {
        self.only.iter().any(|(_, is)| *is == Arg::Named("main".to_owned()))
    }
}

/// One step of a sequence, or of a handler.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// A call of a function.
    Call(Call),
    /// A static method of the scenario.
    Java(&'static str),
    /// The class file of a class of the cast is edited.
    Edit {
        /// The name that the class file is bound to.
        file: &'static str,
        /// How, as class files are edited.
        by: &'static str,
        /// The name under which later steps refer to the result.
        save: String,
    },
    /// The ClassFileLoadHook event is replied to with the class file that was saved under the name.
    Reply(String),
}

/// A step, or an action of a handler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Index of the step.
    pub step: usize,
    /// The handler that acts meanwhile, and its action, by index.
    pub inside: Option<(usize, usize)>,
}

impl From<usize> for Place {
    fn from(step: usize) -> Place {
        Place { step, inside: None }
    }
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
    /// Whether several threads act at the same time.
    pub fn is_crowd(&self) -> bool {
        self.handlers.iter().any(EventHandler::is_on_agent_thread)
    }

    /// The calls among the steps, with their places.
    pub fn calls(&self) -> impl Iterator<Item = (usize, &Call)> {
        self.steps.iter().enumerate().filter_map(|(place, step)| match step {
            Move::Call(call) => Some((place, call)),
            _ => None,
        })
    }

    /// The calls among the steps and in handlers.
    pub fn all_calls(&self) -> impl Iterator<Item = &Call> {
        let inside = self.handlers.iter().flat_map(|handler| &handler.moves);
        self.steps.iter().chain(inside).filter_map(|step| match step {
            Move::Call(call) => Some(call),
            _ => None,
        })
    }

    /// What is done at a place.
    pub fn at(&self, place: Place) -> Option<&Move> {
        match place.inside {
            Some((handler, action)) => self.handlers.get(handler)?.moves.get(action),
            None => self.steps.get(place.step),
        }
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
            handlers: self.handlers.iter().map(EventHandler::planned).collect(),
        }
    }
}

impl EventHandler {
    fn trigger(&self) -> Trigger {
        let only = self.only.iter().map(|(param, is)| Filter { param: *param, is: is.clone() }).collect();
        match &self.callback {
            Some((of, callback)) => Trigger::Callback { of: of.clone(), callback: (*callback).to_owned() },
            None => Trigger::Event { event: self.event, environment: None, only },
        }
    }

    fn planned(&self) -> Handler {
        Handler {
            on: self.trigger(),
            times: Some(self.times),
            actions: self.moves.iter().flat_map(Move::actions).collect(),
        }
    }
}

/// C type name of the function that an agent thread executes.
pub const START_FUNCTION: &str = "jvmtiStartFunction";

/// Name of the environment of that index.
pub fn name_of(index: usize) -> &'static str {
    ["main", "other", "third"].get(index).copied().unwrap_or("further")
}

/// The class file that was saved under a name: its bytes, and their number.
pub fn file_of(save: &str) -> (Arg, Arg) {
    let output = |path| Arg::Output { step: save.to_owned(), param: 0, path };
    (output(vec![]), output(vec![PathPart::Field("length".to_owned())]))
}

impl Move {
    fn planned(&self, moment: Moment) -> PlannedStep {
        let save = match self {
            Move::Call(call) => call.save.clone(),
            Move::Edit { save, .. } => Some(save.clone()),
            Move::Java(_) | Move::Reply(_) => None,
        };
        // Only handlers reply.
        let action = self.actions().swap_remove(0);
        PlannedStep { at: moment.trigger(), action, save }
    }

    /// What the probe does; at least one action.
    fn actions(&self) -> Vec<Action> {
        /// Indices of the parameters of ClassFileLoadHook that are written.
        const LENGTH: u16 = 7;
        const DATA: u16 = 8;
        let texts = |texts: [&str; 2]| texts.map(|text| Arg::Str(text.as_bytes().to_vec())).to_vec();
        let jni = |op, args| Action::Jni { op, args, on: OnThread::Current };
        match self {
            Move::Call(Call { environment, function, args, on, .. }) => {
                let (environment, function, args, on) = (*environment, *function, args.clone(), *on);
                vec![Action::Call { environment, function, args, on }]
            }
            Move::Java(name) => {
                vec![jni(JniOp::CallStaticVoidMethod, texts([cast::SCENARIO_CLASS, name]))]
            }
            Move::Edit { file, by, .. } => {
                let args = vec![Arg::Named((*file).to_owned()), Arg::Str(by.as_bytes().to_vec())];
                vec![jni(JniOp::EditClassFile, args)]
            }
            Move::Reply(save) => {
                let (data, length) = file_of(save);
                vec![
                    Action::Reply { param: DATA, value: data },
                    Action::Reply { param: LENGTH, value: length },
                ]
            }
        }
    }
}
