//! Openings of sequences: steps that random choices would rarely put together.

use jvmti_wire::plan::{Arg, OnThread};

use crate::chance::Chance;
use crate::model::Tables;
use crate::model::events;
use crate::sequence::{Call, Move};

/// Events that the actions bring about.
const EVENTS: [&str; 12] = [
    "Exception",
    "ExceptionCatch",
    "MethodEntry",
    "MethodExit",
    "SingleStep",
    "ClassFileLoadHook",
    "ThreadStart",
    "ThreadEnd",
    "ClassLoad",
    "ClassPrepare",
    "MonitorWait",
    "MonitorWaited",
];
/// An event that takes as long as some hundred calls to bring about, and how rarely it is chosen.
const SLOW_EVENT: (&str, usize) = ("ResourceExhausted", 80);

/// The first steps of a sequence: none for most.
pub fn opening(tables: &Tables, chance: &mut Chance) -> Vec<Move> {
    match chance.below(12) {
        0..=2 => about_event(tables, chance),
        3 | 4 => about_thread(tables, chance),
        5 => about_capabilities(tables, chance),
        _ => vec![],
    }
}

/// A call in the first environment; `None`: the release has no such function.
pub(super) fn called(tables: &Tables, name: &str, args: Vec<Arg>) -> Option<Call> {
    let function = tables.edition.function(name)?.slot;
    Some(Call { environment: 0, function, args, on: OnThread::Current, save: None })
}

pub(super) fn call(tables: &Tables, name: &str, args: Vec<Arg>) -> Option<Move> {
    called(tables, name, args).map(Move::Call)
}

/// Relinquishes a few capabilities and adds them again, or the other way round, and asks in between.
pub fn about_capabilities(tables: &Tables, chance: &mut Chance) -> Vec<Move> {
    let mut steps: Vec<Move> =
        call(tables, "GetPotentialCapabilities", vec![Arg::Storage]).into_iter().collect();
    for _ in 0..2 {
        let capability = chance.pick(&tables.edition.capabilities).name.clone();
        let set = || vec![Arg::Struct(vec![(capability.clone(), Arg::Int(1))])];
        let order = ["RelinquishCapabilities", "AddCapabilities"];
        let first = chance.below(2);
        for name in [order[first], order[1 - first]] {
            steps.extend(call(tables, name, set()));
            steps.extend(call(tables, "GetCapabilities", vec![Arg::Storage]));
        }
    }
    steps
}

/// Enables a few events, long before they can happen.
pub fn about_events(tables: &Tables, chance: &mut Chance) -> Vec<Move> {
    let numbers = (0..4).map(|_| chance.pick(&tables.edition.events).number);
    let enable = |number: u16| {
        call(tables, "SetEventNotificationMode", vec![Arg::Int(1), Arg::Int(number.into()), Arg::Null])
    };
    numbers.filter_map(enable).collect()
}

/// Enables an event, and lets it happen; sometimes disables it, and lets it happen again.
fn about_event(tables: &Tables, chance: &mut Chance) -> Vec<Move> {
    let (slow, rarely) = SLOW_EVENT;
    let event = if chance.one_in(rarely) { slow } else { *chance.pick(&EVENTS) };
    about(event, tables, chance)
}

/// An event that a handler acts on.
pub struct Handled {
    /// Its name.
    pub event: &'static str,
    /// The environment that it is sent to.
    pub environment: u8,
    /// Whether it is enabled for the main thread only.
    pub on_main: bool,
    /// Whether the environment is not there any more once it has been handled.
    pub once: bool,
}

/// The same with an event that is handled.
pub fn about_handled(about: &Handled, tables: &Tables, chance: &mut Chance) -> Vec<Move> {
    let thread = if about.on_main { Arg::Named("main".to_owned()) } else { Arg::Null };
    let twice = chance.one_in(2) && !about.once;
    let mut steps = about_thread_of(about.event, thread, twice, tables);
    for step in &mut steps {
        if let Move::Call(call) = step {
            call.environment = about.environment;
        }
    }
    steps
}

/// The same with an event that needs a place to be set.
pub fn about_early_event(tables: &Tables, chance: &mut Chance) -> Vec<Move> {
    let event = *chance.pick(&["Breakpoint", "FieldAccess", "FieldModification"]);
    about(event, tables, chance)
}

fn about(event: &str, tables: &Tables, chance: &mut Chance) -> Vec<Move> {
    let thread = match chance.below(5) {
        0 | 1 => Arg::Null,
        2 | 3 => Arg::Named("main".to_owned()),
        // It happens on another thread.
        _ => Arg::Named("parked".to_owned()),
    };
    about_thread_of(event, thread, chance.one_in(2), tables)
}

fn about_thread_of(event: &str, thread: Arg, twice: bool, tables: &Tables) -> Vec<Move> {
    let Some(number) = tables.edition.event(event).map(|event| event.number) else { return vec![] };
    let mode = |mode| {
        call(
            tables,
            "SetEventNotificationMode",
            vec![Arg::Int(mode), Arg::Int(number.into()), thread.clone()],
        )
    };
    let actions: Vec<&'static str> = events::actions_of(event).collect();
    let mut steps = Vec::new();
    if let Some((function, args)) = events::setting(event) {
        steps.extend(call(tables, function, args));
    }
    steps.extend(mode(1));
    steps.extend(actions.iter().map(|action| Move::Java(action)));
    if twice {
        steps.extend(mode(0));
        steps.extend(actions.iter().map(|action| Move::Java(action)));
    }
    steps
}

/// Suspends a thread, sometimes together with others.
fn about_thread(tables: &Tables, chance: &mut Chance) -> Vec<Move> {
    let thread = Arg::Named(chance.pick(&tables.roles).name.clone());
    let suspend = match chance.below(3) {
        0 => call(tables, "SuspendThreadList", vec![Arg::Int(1), Arg::List(vec![thread]), Arg::Storage]),
        1 => call(tables, "SuspendAllVirtualThreads", vec![Arg::Int(0), Arg::Null]),
        _ => call(tables, "SuspendThread", vec![thread]),
    };
    let mut steps: Vec<Move> = suspend.into_iter().collect();
    if chance.one_in(4) {
        steps.push(Move::Java(super::action(chance)));
    }
    steps
}
