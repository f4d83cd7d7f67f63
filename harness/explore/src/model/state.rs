//! What a model knows of a JVM at a point of a sequence.

use jvmti_wire::plan::{Arg, OnThread};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cast::{self, Part, Role};
use crate::edits::Edited;
use crate::sequence::{Capabilities, Moment, Sequence};

/// Whether something holds, as far as the model knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tri {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// The model does not know.
    Maybe,
}

impl From<bool> for Tri {
    fn from(holds: bool) -> Tri {
        if holds { Tri::Yes } else { Tri::No }
    }
}

impl Tri {
    /// Whether both hold.
    pub fn and(self, other: Tri) -> Tri {
        match (self, other) {
            (Tri::No, _) | (_, Tri::No) => Tri::No,
            (Tri::Yes, Tri::Yes) => Tri::Yes,
            _ => Tri::Maybe,
        }
    }

    /// Whether it does not hold.
    pub fn negated(self) -> Tri {
        match self {
            Tri::Yes => Tri::No,
            Tri::No => Tri::Yes,
            Tri::Maybe => Tri::Maybe,
        }
    }
}

/// A thread that an argument stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadArgument {
    /// The thread that makes the call, which is attached for it.
    Attached,
    /// The main thread, which runs the sequence.
    Main,
    /// A thread of the cast, by index.
    Role(usize),
    /// No thread.
    None,
    /// A thread that calls, throws, locks and waits, or that makes calls for the agent.
    Busy,
    /// The model does not know.
    Unknown,
}

/// A thread of the cast.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Whether it is alive.
    pub alive: Tri,
    /// Whether it is suspended.
    pub suspended: Tri,
    /// Whether it still is where its part has put it.
    pub undisturbed: bool,
    /// Whether it was asked for something that may come to it only when it goes on: to throw an exception, to leave a frame.
    pub asked: bool,
    /// Whether it has the interrupt status.
    pub interrupted: Tri,
    /// Whether an agent has started it, which gives it a priority.
    pub has_own_priority: bool,
    /// The number of its frames, as long as it is suspended and was asked.
    pub frames: Option<i64>,
}

/// An environment.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The capabilities that it possesses.
    pub capabilities: Capabilities,
    /// The capabilities that it could possess when it was last asked.
    pub potential: Option<Capabilities>,
    /// Whether the model has lost track of what it has set.
    pub blurred: bool,
    /// Whether it is disposed of.
    pub disposed: bool,
    /// Its storage.
    pub storage: i64,
    /// Its storage in each thread.
    pub thread_storage: FxHashMap<ThreadArgument, i64>,
    /// The tags of objects.
    pub tags: FxHashMap<String, i64>,
    /// Breakpoints.
    pub breakpoints: FxHashSet<(String, i64)>,
    /// Watched fields: whether for accesses, and the field.
    pub watches: FxHashSet<(bool, String)>,
    /// Events that are enabled globally.
    pub global: FxHashSet<i64>,
    /// Events that are enabled for a thread.
    pub local: FxHashSet<(i64, ThreadArgument)>,
    /// Frame pops that were requested.
    pub pops: FxHashSet<(ThreadArgument, i64)>,
}

/// A raw monitor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawMonitor {
    /// How often the main thread has entered it.
    pub entered: u32,
    /// Whether it is destroyed.
    pub destroyed: bool,
}

/// All that the model knows.
#[derive(Clone, Debug)]
pub struct State {
    /// When the sequence runs.
    pub moment: Moment,
    /// The threads of the cast.
    pub threads: Vec<Thread>,
    /// The environments of the sequence.
    pub environments: Vec<Environment>,
    /// Raw monitors, by the name under which their creation was saved; `None`: it failed.
    pub monitors: FxHashMap<String, RawMonitor>,
    /// Hash codes that were returned.
    pub hashes: FxHashMap<String, i64>,
    /// The number of frames of the main thread, if it was asked.
    pub main_frames: Option<i64>,
    /// Whether the main thread has the interrupt status.
    pub interrupted: Tri,
    /// Variables of the frame at the checkpoint that were set: slot and value.
    pub locals: FxHashMap<i64, Option<i64>>,
    /// Edited class files, by the name under which they were saved.
    pub edited: FxHashMap<String, Edited>,
    /// Whether the call is made in the callback of an event: whether that is on the main thread.
    pub inside: Option<bool>,
    /// Whether the text leaves open what follows.
    pub lost: bool,
}

impl State {
    /// The state in which a sequence begins.
    pub fn new(roles: &[Role], sequence: &Sequence) -> State {
        let thread = |role: &Role| Thread {
            alive: Tri::from(!matches!(role.part, Part::Fresh | Part::Ended)),
            suspended: Tri::No,
            undisturbed: true,
            has_own_priority: false,
            asked: false,
            // These two do not look at it, so that the status stays that an earlier sequence has given them.
            interrupted: match role.part {
                Part::Blocked | Part::InNative => Tri::Maybe,
                _ => Tri::No,
            },
            frames: None,
        };
        let environment = |set: &Capabilities| Environment { capabilities: *set, ..Environment::default() };
        State {
            moment: sequence.moment,
            threads: roles.iter().map(thread).collect(),
            environments: sequence.environments.iter().map(environment).collect(),
            monitors: FxHashMap::default(),
            hashes: FxHashMap::default(),
            main_frames: None,
            interrupted: Tri::No,
            locals: FxHashMap::default(),
            edited: FxHashMap::default(),
            inside: None,
            lost: false,
        }
    }

    /// The thread that an argument of the type `jthread` stands for.
    pub fn target(&self, roles: &[Role], arg: &Arg, null_is_current: bool, on: OnThread) -> ThreadArgument {
        let current = match on {
            OnThread::Current if self.moment == Moment::Checkpoint && self.inside != Some(false) => {
                ThreadArgument::Main
            }
            // Some thread of the JVM.
            OnThread::Current => ThreadArgument::Unknown,
            _ => ThreadArgument::Attached,
        };
        match arg {
            Arg::Null if null_is_current => current,
            Arg::CurrentThread => current,
            Arg::Named(name) if name == "main" => ThreadArgument::Main,
            Arg::Named(name) if cast::AGENTS.iter().chain(&cast::STIRRED).any(|busy| busy == name) => {
                ThreadArgument::Busy
            }
            Arg::Named(name) => roles
                .iter()
                .position(|role| role.name == *name)
                .map_or(ThreadArgument::None, ThreadArgument::Role),
            Arg::Null | Arg::Class(_) | Arg::Invalid(_) => ThreadArgument::None,
            _ => ThreadArgument::Unknown,
        }
    }

    /// The thread of the cast.
    pub fn thread(&self, target: ThreadArgument) -> Option<&Thread> {
        match target {
            ThreadArgument::Role(index) => self.threads.get(index),
            _ => None,
        }
    }

    /// The thread of the cast, to change what is known of it.
    pub fn thread_mut(&mut self, target: ThreadArgument) -> Option<&mut Thread> {
        match target {
            ThreadArgument::Role(index) => self.threads.get_mut(index),
            _ => None,
        }
    }

    /// Whether the thread is suspended.
    pub fn is_suspended(&self, target: ThreadArgument) -> Tri {
        match target {
            ThreadArgument::Role(_) => self.thread(target).map_or(Tri::Maybe, |thread| thread.suspended),
            ThreadArgument::Main | ThreadArgument::Attached => Tri::No,
            ThreadArgument::None => Tri::No,
            ThreadArgument::Busy | ThreadArgument::Unknown => Tri::Maybe,
        }
    }

    /// Whether the thread is alive.
    pub fn is_alive(&self, target: ThreadArgument) -> Tri {
        match target {
            ThreadArgument::Role(_) => self.thread(target).map_or(Tri::Maybe, |thread| thread.alive),
            ThreadArgument::Main | ThreadArgument::Attached => Tri::Yes,
            ThreadArgument::None => Tri::Yes,
            ThreadArgument::Busy | ThreadArgument::Unknown => Tri::Maybe,
        }
    }
}

/// What an argument refers to, as text: the same object, method or field always has the same one.
pub fn thing(arg: &Arg, on: OnThread) -> String {
    match arg {
        Arg::CurrentThread if on == OnThread::Current => "$main".to_owned(),
        Arg::Named(name) => format!("${name}"),
        Arg::Class(name) => format!("class {name}"),
        Arg::Method { class, name, signature, .. } => format!("{class}.{name}{signature}"),
        Arg::Field { class, name, .. } => format!("{class}.{name}"),
        other => format!("{other:?}"),
    }
}

/// The integer, if the argument is one.
pub fn int(arg: &Arg) -> Option<i64> {
    match arg {
        Arg::Int(number) => Some(*number),
        _ => None,
    }
}

/// The name under which the output was saved, if the argument is one.
pub fn saved(arg: &Arg) -> Option<&str> {
    match arg {
        Arg::Output { step, .. } => Some(step),
        _ => None,
    }
}

impl State {
    /// What of the state matters to coverage, in a few bits.
    pub fn digest(&self, environment: u8, target: ThreadArgument) -> u32 {
        let mut bits = 0u32;
        let mut put = |value: u32, width: u32| bits = bits << width | value & ((1 << width) - 1);
        let tri = |tri: Tri| tri as u32;
        put(tri(self.is_suspended(target)), 2);
        put(tri(self.is_alive(target)), 2);
        if let ThreadArgument::Role(index) = target {
            put(index as u32 + 1, 5);
        } else {
            put(0, 5);
        }
        if let Some(environment) = self.environments.get(usize::from(environment)) {
            put((!environment.breakpoints.is_empty()).into(), 1);
            put((!environment.watches.is_empty()).into(), 1);
            put((!environment.tags.is_empty()).into(), 1);
            put((!environment.global.is_empty()).into(), 1);
            put((!environment.local.is_empty()).into(), 1);
        }
        put(self.monitors.values().map(|monitor| monitor.entered).max().unwrap_or(0), 2);
        put(self.lost.into(), 1);
        put(self.moment as u32, 3);
        put(self.inside.map_or(0, |on_main| 1 + u32::from(on_main)), 2);
        bits
    }
}
