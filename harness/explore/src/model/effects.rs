//! What calls and actions change.

use jvmti_wire::plan::{Arg, OnThread};
use jvmti_wire::value::Value;

use super::conditions::Calling;
use super::state::{Environment, RawMonitor, ThreadArgument, Tri, int, saved, thing};
use super::{CallEnd, Model};
use crate::cast::{self, Part};
use crate::edits::{self, Edited};
use crate::sequence::Call;

impl Model<'_> {
    /// What follows from a call that succeeded.
    pub(super) fn take_effect(&mut self, call: &Call, ended: &CallEnd<'_>) {
        let tables = self.tables;
        let Some(function) = tables.function(call.function) else { return };
        let calling = Calling { call, function };
        match function.name.as_str() {
            "SuspendThread" | "ResumeThread" => {
                let target = self.target(calling, 0);
                self.set_suspended(target, Tri::from(function.name == "SuspendThread"));
            }
            "SuspendThreadList" => self.list(calling, ended, Tri::Yes),
            "ResumeThreadList" => self.list(calling, ended, Tri::No),
            "SuspendAllVirtualThreads" => self.all_virtual(calling, Tri::Yes),
            "ResumeAllVirtualThreads" => self.all_virtual(calling, Tri::No),
            "StopThread" | "PopFrame" | "NotifyFramePop" | "ClearAllFramePops" | "InterruptThread" => {
                self.disturb(calling);
            }
            name if name.starts_with("ForceEarlyReturn") || name.starts_with("SetLocal") => {
                self.disturb(calling);
            }
            "RunAgentThread" => {
                let target = self.target(calling, 0);
                if let Some(thread) = self.state.thread_mut(target) {
                    thread.alive = Tri::Maybe;
                    thread.undisturbed = false;
                    thread.has_own_priority = true;
                }
            }
            "CreateRawMonitor" | "DestroyRawMonitor" | "RawMonitorEnter" | "RawMonitorExit"
            | "RawMonitorWait" => {
                self.raw_monitor(calling);
            }
            "RedefineClasses" | "RetransformClasses" => self.redefined(calling),
            _ => self.environment_effect(calling),
        }
    }

    /// What follows in the environment.
    fn environment_effect(&mut self, calling: Calling<'_>) {
        let call = calling.call;
        let set = self.tables.set_of(calling.arg(0));
        let on = call.on;
        let target =
            calling.index("thread").or(calling.index("event_thread")).map(|i| self.target(calling, i));
        if matches!(calling.function.name.as_str(), "AddCapabilities" | "RelinquishCapabilities") {
            // What one environment possesses, another may be unable to possess.
            let own = usize::from(call.environment);
            let others = self.state.environments.iter_mut().enumerate().filter(|(index, _)| *index != own);
            others.for_each(|(_, other)| other.potential = None);
        }
        let is_another = self.is_another_each_time(calling);
        let Some(environment) = self.state.environments.get_mut(usize::from(call.environment)) else {
            return;
        };
        match calling.function.name.as_str() {
            "AddCapabilities" => environment.capabilities |= set.unwrap_or(0),
            "RelinquishCapabilities" => {
                environment.capabilities &= !set.unwrap_or(0);
                environment.blurred = true;
            }
            "SetEnvironmentLocalStorage" => environment.storage = int(calling.arg(0)).unwrap_or(0),
            "SetThreadLocalStorage" => {
                if let Some(target) = target {
                    environment.thread_storage.insert(target, int(calling.arg(1)).unwrap_or(0));
                }
            }
            "SetTag" if is_another => environment.blurred = true,
            "SetTag" => {
                let tag = int(calling.arg(1)).unwrap_or(0);
                environment.tags.insert(thing(calling.arg(0), on), tag);
            }
            "SetBreakpoint" | "ClearBreakpoint" => {
                let key = (thing(calling.arg(0), on), int(calling.arg(1)).unwrap_or(0));
                put(&mut environment.breakpoints, key, calling.function.name.starts_with("Set"));
            }
            "DisposeEnvironment" => {
                // Nothing that it has set remains.
                *environment = Environment { disposed: true, ..Environment::default() };
                self.state.environments.iter_mut().for_each(|other| other.potential = None);
            }
            name if name.ends_with("Watch") => {
                let key = (name.contains("Access"), thing(calling.arg(1), on));
                put(&mut environment.watches, key, name.starts_with("Set"));
            }
            "SetEventNotificationMode" => mode(environment, calling, target),
            _ => {}
        }
    }

    /// Breakpoints in redefined classes are cleared.
    fn redefined(&mut self, calling: Calling<'_>) {
        let classes: Vec<String> = match (edits::definition(calling.arg(1)), calling.arg(1)) {
            (Some((class, _)), _) => vec![class.to_owned()],
            (None, Arg::List(classes)) => classes.iter().filter_map(class_name).collect(),
            _ => vec![],
        };
        for environment in &mut self.state.environments {
            environment.breakpoints.retain(|(method, _)| {
                !classes.iter().any(|class| {
                    method.strip_prefix(class.as_str()).is_some_and(|rest| rest.starts_with('.'))
                })
            });
        }
    }

    /// A class file was edited.
    pub fn edited(&mut self, file: &str, by: &str, save: &str) {
        if let Some(edited) = Edited::of(file, by) {
            self.state.edited.insert(save.to_owned(), edited);
        }
    }

    fn set_suspended(&mut self, target: ThreadArgument, suspended: Tri) {
        if let Some(thread) = self.state.thread_mut(target) {
            thread.suspended = suspended;
            thread.frames = None;
        }
    }

    /// Suspends or resumes the threads of a list for which it succeeded.
    fn list(&mut self, calling: Calling<'_>, ended: &CallEnd<'_>, suspended: Tri) {
        let Arg::List(threads) = calling.arg(1) else { return };
        let results = ended.outputs.iter().find(|(index, _)| *index == 2).map(|(_, value)| value);
        for (place, arg) in threads.iter().enumerate() {
            let target = self.state.target(self.roles, arg, false, calling.call.on);
            let code = match results {
                Some(Value::List(results)) => results.get(place).and_then(Value::as_int),
                _ => None,
            };
            let foreseen = results.is_none() && self.state.is_alive(target) == Tri::Yes;
            match code {
                Some(0) => self.set_suspended(target, suspended),
                None if foreseen => self.set_suspended(target, suspended),
                None => self.set_suspended(target, Tri::Maybe),
                Some(_) => {}
            }
        }
    }

    fn all_virtual(&mut self, calling: Calling<'_>, suspended: Tri) {
        let except = match calling.arg(1) {
            Arg::List(threads) => threads.clone(),
            _ => vec![],
        };
        let excepted: Vec<ThreadArgument> =
            except.iter().map(|arg| self.state.target(self.roles, arg, false, calling.call.on)).collect();
        for index in 0..self.roles.len() {
            let target = ThreadArgument::Role(index);
            if !self.roles[index].is_virtual || excepted.contains(&target) {
                continue;
            }
            match self.state.is_alive(target) {
                Tri::Yes => self.set_suspended(target, suspended),
                Tri::Maybe if self.state.is_suspended(target) != suspended => {
                    self.set_suspended(target, Tri::Maybe);
                }
                Tri::Maybe | Tri::No => {}
            }
        }
    }

    /// The thread is no longer just where its part has put it.
    fn disturb(&mut self, calling: Calling<'_>) {
        let target = self.target(calling, 0);
        let name = calling.function.name.as_str();
        if target == ThreadArgument::Main && name == "InterruptThread" {
            self.state.interrupted = Tri::Maybe;
        }
        if target == ThreadArgument::Main
            && self.state.inside.is_none()
            && name.starts_with("SetLocal")
            && int(calling.named("depth")) == Some(1)
        {
            let value =
                if calling.function.name == "SetLocalInt" { int(calling.named("value")) } else { None };
            if let Some(slot) = int(calling.named("slot")) {
                self.state.locals.insert(slot, value);
                // A variable of two words lies over the next one, and under the one before.
                self.state.locals.insert(slot + 1, None);
                self.state.locals.insert(slot - 1, None);
            }
        }
        if self.state.inside == Some(true) && name.starts_with("SetLocal") {
            // It is not known how many frames are above the one at the checkpoint.
            self.forget_locals();
        }
        let Some(thread) = self.state.thread_mut(target) else { return };
        match name {
            "NotifyFramePop" | "ClearAllFramePops" => {}
            name if name.starts_with("SetLocal") => {}
            "InterruptThread" => {
                thread.undisturbed = false;
                thread.interrupted = Tri::Maybe;
            }
            _ => {
                thread.undisturbed = false;
                thread.asked = true;
                thread.frames = None;
                thread.alive = thread.alive.and(Tri::Maybe);
            }
        }
    }

    /// The variables at the checkpoint may have any values.
    pub(super) fn forget_locals(&mut self) {
        self.state.locals.extend(cast::VARIABLES.iter().map(|(slot, _)| (*slot, None)));
    }

    fn raw_monitor(&mut self, calling: Calling<'_>) {
        let name = calling.function.name.as_str();
        if name == "CreateRawMonitor" {
            if let Some(save) = &calling.call.save {
                self.state.monitors.insert(save.clone(), RawMonitor::default());
            }
            return;
        }
        let monitor = saved(calling.arg(0)).and_then(|saved| self.state.monitors.get_mut(saved));
        let Some(monitor) = monitor else { return };
        match (name, calling.call.on) {
            ("DestroyRawMonitor", _) => monitor.destroyed = true,
            ("RawMonitorEnter", OnThread::Current) => monitor.entered += 1,
            ("RawMonitorExit", OnThread::Current) => monitor.entered = monitor.entered.saturating_sub(1),
            ("RawMonitorWait", _) => self.state.interrupted = self.state.interrupted.and(Tri::Maybe),
            _ => {}
        }
    }

    /// Whether a call that may have failed has suspended or resumed threads is not known. Before it they were as given.
    pub(super) fn blur(&mut self, before: &[Tri]) {
        for (thread, before) in self.state.threads.iter_mut().zip(before) {
            if thread.suspended != *before {
                thread.suspended = Tri::Maybe;
            }
        }
    }

    /// What follows from an action of the scenario.
    pub fn acted(&mut self, action: &str) {
        for (role, thread) in self.roles.iter().zip(&mut self.state.threads) {
            let wakes = match action {
                "wake" => matches!(role.part, Part::Parked | Part::Waiting),
                "interrupt" => matches!(role.part, Part::Parked | Part::Sleeping | Part::Waiting),
                _ => false,
            };
            if wakes {
                thread.undisturbed = false;
                thread.interrupted = if action == "interrupt" { Tri::Maybe } else { thread.interrupted };
                if thread.suspended != Tri::Yes {
                    thread.frames = None;
                }
            }
        }
        if action == "collect" || action == "pause" {
            self.state.interrupted = self.state.interrupted.and(Tri::Maybe);
        }
    }
}

fn class_name(arg: &Arg) -> Option<String> {
    match arg {
        Arg::Class(name) => Some(name.clone()),
        _ => None,
    }
}

fn put<T: Eq + std::hash::Hash>(into: &mut rustc_hash::FxHashSet<T>, what: T, there: bool) {
    if there {
        into.insert(what);
    } else {
        into.remove(&what);
    }
}

fn mode(environment: &mut Environment, calling: Calling<'_>, thread: Option<ThreadArgument>) {
    let (Some(mode), Some(event)) = (int(calling.arg(0)), int(calling.arg(1))) else { return };
    match (calling.arg(2), thread) {
        (Arg::Null, _) => put(&mut environment.global, event, mode == 1),
        (_, Some(thread)) => put(&mut environment.local, (event, thread), mode == 1),
        _ => {}
    }
}
