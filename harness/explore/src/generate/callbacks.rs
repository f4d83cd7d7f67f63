//! Calls in the callbacks of events.

use jvmti_spec::edition::{Event, Function};
use jvmti_wire::plan::{Arg, OnThread};

use super::{Generator, Pools, hazards};
use crate::cast::{METHODS, SCENARIO_CLASS};
use crate::chance::Chance;
use crate::model::Model;
use crate::model::callbacks::is_quiet;
use crate::sequence::{Call, EventHandler, Move};

/// Events that actions bring about on the main thread.
const ON_MAIN: [&str; 10] = [
    "SingleStep",
    "MethodEntry",
    "MethodExit",
    "Exception",
    "ExceptionCatch",
    "ClassLoad",
    "ClassPrepare",
    "MonitorWait",
    "MonitorWaited",
    "SampledObjectAlloc",
];
/// Others on the main thread, which need capabilities from `Agent_OnLoad` on.
const EARLY: [&str; 3] = ["Breakpoint", "FieldAccess", "FieldModification"];
/// Events on other threads.
const ELSEWHERE: [&str; 5] =
    ["ThreadStart", "ThreadEnd", "ClassFileLoadHook", "GarbageCollectionStart", "GarbageCollectionFinish"];
/// Events whose method can be left by force, with an action's method in which they come.
const LEFT_BY_FORCE: [(&str, &str); 5] = [
    ("Breakpoint", "twice"),
    ("SingleStep", "twice"),
    ("MethodEntry", "twice"),
    ("FieldAccess", "fields"),
    ("FieldModification", "fields"),
];
/// Actions that a handler may take.
const ACTIONS: [&str; 4] = ["call", "fields", "fling", "allocate"];

impl Generator<'_> {
    /// A handler for some event, and the event's name; `None`: nothing fits.
    pub(super) fn handler(
        &self,
        environment: u8,
        chance: &mut Chance,
        pools: &Pools<'_>,
        model: &mut Model<'_>,
    ) -> Option<(&'static str, EventHandler)> {
        let on_main = chance.below(4) != 0;
        let name = if on_main { *chance.pick(&ON_MAIN) } else { *chance.pick(&ELSEWHERE) };
        self.handler_of(name, on_main, environment, chance, pools, model).map(|handler| (name, handler))
    }

    /// Handlers that act many times, for a sequence with all capabilities.
    pub(super) fn early_handlers(
        &self,
        chance: &mut Chance,
        pools: &Pools<'_>,
        model: &mut Model<'_>,
    ) -> Vec<EventHandler> {
        /// How often each acts at the most.
        const TIMES: u32 = 12;
        let some = (0..3).filter_map(|_| {
            let name = *chance.pick(&EARLY);
            self.handler_of(name, true, 0, chance, pools, model)
        });
        let (mut last, mut all): (Vec<EventHandler>, Vec<EventHandler>) = some
            .map(|handler| EventHandler { times: TIMES, ..handler })
            .partition(|handler| handler.moves.iter().any(|step| self.leaves(step)));
        // After it, the state of the stack is not defined.
        last.truncate(1);
        all.append(&mut last);
        all
    }

    fn handler_of(
        &self,
        name: &str,
        on_main: bool,
        environment: u8,
        chance: &mut Chance,
        pools: &Pools<'_>,
        model: &mut Model<'_>,
    ) -> Option<EventHandler> {
        let event = self.tables.edition.event(name)?;
        let thread = event.params.iter().position(|param| param.name == "thread");
        let mut only = Vec::new();
        if on_main {
            only.push((thread? as u16, Arg::Named("main".to_owned())));
        }
        if let Some((_, method)) = LEFT_BY_FORCE.iter().find(|(of, _)| *of == name)
            && let Some(index) = event.params.iter().position(|param| param.name == "method")
        {
            only.push((index as u16, method_of_action(method)));
        }
        model.state.inside = Some(on_main);
        let moves = (0..1 + chance.below(3))
            .filter_map(|_| self.inside(event, on_main, environment, chance, pools, model))
            .collect::<Vec<Move>>();
        model.state.inside = None;
        if moves.is_empty() {
            return None;
        }
        let mut handler = EventHandler {
            event: event.number,
            callback: None,
            only,
            times: 1 + chance.below(3) as u32,
            moves,
        };
        if let Some(last) = handler.moves.iter().position(|step| self.is_disposal(step)) {
            handler.moves.truncate(last + 1);
            handler.times = 1;
        }
        // What the stack is like from then on is not defined.
        if let Some(last) = handler.moves.iter().position(|step| self.leaves(step)) {
            handler.moves.truncate(last + 1);
        }
        Some(handler)
    }

    /// Whether a step is to leave a frame by force.
    fn leaves(&self, step: &Move) -> bool {
        let Move::Call(call) = step else { return false };
        self.tables.function(call.function).is_some_and(|function| leaves(&function.name))
    }

    /// What is done in a callback.
    fn inside(
        &self,
        event: &Event,
        on_main: bool,
        environment: u8,
        chance: &mut Chance,
        pools: &Pools<'_>,
        model: &Model<'_>,
    ) -> Option<Move> {
        if on_main && chance.one_in(10) {
            return Some(Move::Java(ACTIONS[chance.below(ACTIONS.len())]));
        }
        /// Choices after which nothing is done.
        const TRIES: usize = 12;
        for _ in 0..TRIES {
            let slot = if on_main && chance.one_in(3) {
                *chance.pick(&self.forcing)
            } else {
                *chance.pick(&self.functions)
            };
            let Some(function) = self.tables.function(slot) else { continue };
            if !fits(event, function, on_main) || function.name == "DisposeEnvironment" && environment == 0 {
                continue;
            }
            let Some(mut args) = pools.arguments(function, chance, model) else { continue };
            about_event(event, function, &mut args, on_main, chance);
            let step =
                Move::Call(Call { environment, function: slot, args, on: OnThread::Current, save: None });
            if hazards::is_safe(model, &step, self.undefined) {
                return Some(step);
            }
        }
        None
    }
}

fn method_of_action(name: &str) -> Arg {
    match METHODS.iter().find(|method| method.name == name) {
        Some(method) => method.arg(),
        None => Arg::Method {
            class: SCENARIO_CLASS.to_owned(),
            name: name.to_owned(),
            signature: "()V".to_owned(),
            is_static: true,
        },
    }
}

/// Whether the callback may call the function, and whatever waits for the callback goes on.
fn fits(event: &Event, function: &Function, on_main: bool) -> bool {
    let name = function.name.as_str();
    if name.starts_with("RawMonitor") || name == "RunAgentThread" || name == "RedefineClasses" {
        return false;
    }
    if event.callback_safe_only {
        return function.callback_safe && is_quiet(name);
    }
    // What it changes on another thread, it changes at any time.
    if !on_main && !is_quiet(name) {
        return false;
    }
    !leaves(name) || LEFT_BY_FORCE.iter().any(|(of, _)| *of == event.name)
}

/// Whether a function leaves a frame by force.
fn leaves(name: &str) -> bool {
    name.starts_with("ForceEarlyReturn") || name == "PopFrame"
}

/// Puts what the event is about into the arguments.
fn about_event(event: &Event, function: &Function, args: &mut [Arg], on_main: bool, chance: &mut Chance) {
    let name = function.name.as_str();
    let forces = leaves(name) || name == "NotifyFramePop";
    for (param, arg) in function.params.iter().zip(args) {
        let is_input = !param.dir.is_output() && !matches!(arg, Arg::Invalid(_) | Arg::Null);
        if !is_input || !chance.one_in(2) {
            continue;
        }
        let index =
            |c_type: &str| event.params.iter().position(|of| of.c_type == c_type && of.null_when.is_none());
        match param.c_type.as_str() {
            "jthread" if on_main && (forces || is_quiet(name)) => *arg = Arg::CurrentThread,
            // A field goes with its class.
            "jclass" if super::arguments::has_field(function) => {}
            "jthread" | "jmethodID" | "jclass" if is_quiet(name) => {
                if let Some(index) = index(&param.c_type) {
                    *arg = Arg::EventParam(index as u16);
                }
            }
            "jobject" if is_quiet(name) && param.name == "object" => {
                if let Some(index) = index("jobject") {
                    *arg = Arg::EventParam(index as u16);
                }
            }
            "jint" if forces && param.name == "depth" => *arg = Arg::Int(0),
            _ => {}
        }
    }
}
