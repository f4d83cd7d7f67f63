//! Whether the condition of an error holds, as far as the state tells.

use jvmti_spec::edition::{Function, NullRule};
use jvmti_wire::plan::{Arg, Invalid, OnThread};

use super::Model;
use super::rows::Condition;
use super::state::{ThreadArgument, Tri, int, saved, thing};
use crate::cast::{self, ClassKind, Code};
use crate::sequence::{Call, Moment};

/// A call, with the facts about its function.
#[derive(Clone, Copy)]
pub struct Calling<'c> {
    /// The call.
    pub call: &'c Call,
    /// The function.
    pub function: &'c Function,
}

impl<'c> Calling<'c> {
    /// The argument of that index.
    pub fn arg(&self, index: usize) -> &'c Arg {
        self.call.args.get(index).unwrap_or(&Arg::Storage)
    }

    /// The argument for the parameter of that name.
    pub fn named(&self, name: &str) -> &'c Arg {
        self.index(name).map_or(&Arg::Storage, |index| self.arg(index))
    }

    /// The index of the parameter of that name.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.function.params.iter().position(|param| param.name == name)
    }
}

impl Model<'_> {
    /// The thread that the parameter of that index stands for.
    pub fn target(&self, calling: Calling<'_>, index: usize) -> ThreadArgument {
        let null_is_current = calling.function.params.get(index).is_some_and(
            |param| matches!(&param.null, NullRule::Means { meaning, .. } if meaning == "current_thread"),
        );
        self.state.target(self.roles, calling.arg(index), null_is_current, calling.call.on)
    }

    /// Whether the condition holds for a call.
    pub fn holds(&self, when: &Condition, calling: Calling<'_>) -> Tri {
        let number = |index: usize| int(calling.arg(index));
        match when {
            Condition::Never => Tri::No,
            Condition::Open => Tri::Maybe,
            Condition::Phase(phase) => Tri::from(self.state.moment.phase() == *phase),
            Condition::PerhapsPhase(phase) => Tri::from(self.state.moment.phase() == *phase).and(Tri::Maybe),
            Condition::Null(index) => Tri::from(*calling.arg(*index) == Arg::Null),
            Condition::Lacks(bit) => self.lacks(*bit, calling),
            Condition::Invalid(index) => self.is_invalid(calling, *index),
            Condition::Negative(index) => {
                number(*index).map_or(Tri::Maybe, |n| Tri::from((n as i32) < 0 && n < 0))
            }
            Condition::NotIn(index, values) => {
                number(*index).map_or(Tri::Maybe, |n| Tri::from(!values.contains(&n)))
            }
            Condition::ContainsZero(index) => match calling.arg(*index) {
                Arg::List(tags) => Tri::from(tags.contains(&Arg::Int(0))),
                _ => Tri::Maybe,
            },
            Condition::NoEvent(index) => number(*index).map_or(Tri::Maybe, |n| {
                Tri::from(!self.tables.edition.events.iter().any(|e| i64::from(e.number) == n))
            }),
            Condition::NotFilterable { event, thread } => self.not_filterable(calling, *event, *thread),
            Condition::Priority(index) => {
                number(*index).map_or(Tri::Maybe, |n| Tri::from(!(1..=10).contains(&n)))
            }
            Condition::NoClassFile(index) => match cast::class_of(calling.arg(*index)) {
                Some(class) => Tri::from(matches!(class.kind, ClassKind::Array | ClassKind::Primitive)),
                None => Tri::Maybe,
            },
            Condition::Native(index) => {
                match cast::method_of(calling.arg(*index)).map(|method| method.code) {
                    Some(Code::Native) => Tri::Yes,
                    Some(Code::Some | Code::Known(..)) => Tri::No,
                    _ => Tri::Maybe,
                }
            }
            Condition::NoProperty(index) => match calling.arg(*index) {
                Arg::Str(name) if name == b"jvmticheck.none" => Tri::Yes,
                _ => Tri::Maybe,
            },
            Condition::MoreCapabilities(index) => self.more_capabilities(calling, *index),
            other => self.holds_by_state(other, calling),
        }
    }

    /// The same for conditions that depend on threads and on what earlier calls have set.
    fn holds_by_state(&self, when: &Condition, calling: Calling<'_>) -> Tri {
        let state = &self.state;
        let on = calling.call.on;
        match when {
            Condition::NotAlive(index) if *calling.arg(*index) == Arg::Null => Tri::No,
            Condition::NotAlive(index) => state.is_alive(self.target(calling, *index)).negated(),
            Condition::NotSuspended(index, current_is_fine) => {
                let target = self.target(calling, *index);
                let current =
                    if on == OnThread::Current { ThreadArgument::Main } else { ThreadArgument::Attached };
                match target {
                    ThreadArgument::None => Tri::Maybe,
                    target if target == current => Tri::from(!*current_is_fine),
                    target => state.is_suspended(target).negated(),
                }
            }
            Condition::VirtualNotSuspended(index) => {
                let target = self.target(calling, *index);
                self.is_virtual(target).and(state.is_suspended(target).negated())
            }
            Condition::Suspended(index) => state.is_suspended(self.target(calling, *index)),
            Condition::Virtual(index) => self.is_virtual(self.target(calling, *index)),
            Condition::NoFrame { thread, depth } => {
                let Some(depth) = int(calling.arg(*depth)) else { return Tri::Maybe };
                self.is_beyond(self.target(calling, *thread), depth)
            }
            Condition::NoStart { thread, depth, negative } => {
                let Some(depth) = int(calling.arg(*depth)) else { return Tri::Maybe };
                match (depth < 0, *negative) {
                    (true, true) => self.is_beyond(self.target(calling, *thread), -depth - 1),
                    (false, false) if depth > 0 => self.is_beyond(self.target(calling, *thread), depth),
                    _ => Tri::No,
                }
            }
            Condition::Slot(index) => self.no_slot(calling, *index),
            Condition::VariableType(index) => self.other_type(calling, *index),
            Condition::Breakpoint(set) => self.breakpoint(calling, *set),
            Condition::Watch { set, access } => self.watch(calling, *set, *access),
            Condition::FramePop => Tri::Maybe,
            Condition::NotOwner(index) => match self.monitor(calling.arg(*index)) {
                Some(monitor) if !monitor.destroyed => {
                    let destroys = calling.function.name == "DestroyRawMonitor";
                    if state.inside == Some(false) {
                        return Tri::Maybe;
                    }
                    let owned = on == OnThread::Current && monitor.entered > 0;
                    // Nobody else has to own what is destroyed.
                    Tri::from(!(owned || destroys && monitor.entered == 0))
                }
                _ => Tri::Maybe,
            },
            Condition::Interrupted => match on {
                OnThread::Current => state.interrupted.and(Tri::Maybe),
                _ => Tri::No,
            },
            Condition::Location(index) => self.location(calling, *index),
            Condition::NoPackage { module, package } => {
                no_package(calling.arg(*module), calling.arg(*package))
            }
            _ => Tri::Maybe,
        }
    }

    /// Whether the stack has no frame at this depth, counted from either end.
    fn is_beyond(&self, target: ThreadArgument, depth: i64) -> Tri {
        /// Frames that every thread of the cast has while it is where its part has put it, and the main thread.
        const LEAST: i64 = 4;
        let frames = match target {
            ThreadArgument::Main if self.state.inside.is_some() => None,
            ThreadArgument::Main => self.state.main_frames,
            target => self.state.thread(target).and_then(|thread| thread.frames),
        };
        let has_least = match self.state.thread(target) {
            Some(thread) => thread.undisturbed && thread.alive == Tri::Yes,
            None => target == ThreadArgument::Main,
        };
        match frames {
            _ if depth < 0 => Tri::Maybe,
            Some(frames) => Tri::from(depth >= frames),
            None if has_least && depth < LEAST => Tri::No,
            None => Tri::Maybe,
        }
    }

    /// Whether the call is about the method at the checkpoint, whose variables are known.
    pub(crate) fn is_about_checkpoint(&self, calling: Calling<'_>) -> bool {
        calling.call.on == OnThread::Current
            && self.target(calling, 0) == ThreadArgument::Main
            && int(calling.named("depth")) == Some(1)
            && self.state.inside.is_none()
    }

    /// Whether the method has no variable in the slot that is the argument of that index.
    pub(crate) fn no_slot(&self, calling: Calling<'_>, index: usize) -> Tri {
        /// More variables than any method of the cast, or of the class library on its stacks, has.
        const MANY: i64 = 1000;
        let Some(slot) = int(calling.arg(index)) else { return Tri::Maybe };
        let variable = cast::VARIABLES.iter().find(|(at, _)| *at == slot);
        match variable {
            _ if !(0..MANY).contains(&slot) => Tri::Yes,
            // A variable of two words may lie beyond the last one where one of one word does not.
            Some((_, kind)) if self.is_about_checkpoint(calling) => {
                Tri::from(!calling.function.name.ends_with(kind)).and(Tri::Maybe)
            }
            _ => Tri::Maybe,
        }
    }

    fn other_type(&self, calling: Calling<'_>, index: usize) -> Tri {
        // What is not there has no type.
        if self.no_slot(calling, index) == Tri::Yes {
            return Tri::No;
        }
        let slot = int(calling.arg(index));
        let variable = cast::VARIABLES.iter().find(|(at, _)| Some(*at) == slot);
        match variable {
            Some((_, kind)) if self.is_about_checkpoint(calling) => {
                Tri::from(!calling.function.name.ends_with(kind)).and(Tri::Maybe)
            }
            _ => Tri::Maybe,
        }
    }

    fn lacks(&self, bit: u16, calling: Calling<'_>) -> Tri {
        let environment = self.environment(calling.call);
        let has = environment.is_some_and(|environment| environment.capabilities >> bit & 1 == 1);
        Tri::from(!has)
    }

    fn is_virtual(&self, target: ThreadArgument) -> Tri {
        match target {
            ThreadArgument::Role(index) => Tri::from(self.roles[index].is_virtual),
            ThreadArgument::Busy | ThreadArgument::Unknown => Tri::Maybe,
            _ => Tri::No,
        }
    }

    /// Whether a reference or id is not what its type asks for.
    fn is_invalid(&self, calling: Calling<'_>, index: usize) -> Tri {
        let Some(param) = calling.function.params.get(index) else { return Tri::Maybe };
        let arg = calling.arg(index);
        let null = match &param.null {
            NullRule::Means { .. } => Tri::No,
            NullRule::InvalidReference { .. } => Tri::Yes,
            _ => Tri::Maybe,
        };
        match (param.c_type.as_str(), arg) {
            (_, Arg::Null) => null,
            (_, Arg::EventParam(_)) => Tri::Maybe,
            (_, Arg::Invalid(Invalid::PlainObject)) if param.c_type != "jobject" => Tri::Yes,
            (_, Arg::Invalid(_)) => Tri::Maybe,
            ("jthread", arg) => match self.state.target(self.roles, arg, false, calling.call.on) {
                ThreadArgument::None => Tri::Yes,
                ThreadArgument::Busy | ThreadArgument::Unknown => Tri::Maybe,
                _ => Tri::No,
            },
            ("jclass", arg) => match cast::class_of(arg) {
                // Whether a primitive type is a class that serves for this is not said.
                Some(class) if class.kind == ClassKind::Primitive && param.name != "klass" => Tri::Maybe,
                class => Tri::from(class.is_none()),
            },
            ("jmethodID", arg) => cast::method_of(arg).map_or(Tri::Maybe, |_| Tri::No),
            ("jfieldID", arg) => match (cast::field_of(arg), cast::class_of(calling.named("klass"))) {
                (Some(field), Some(class)) if class.reference == field.class => Tri::No,
                _ => Tri::Maybe,
            },
            ("jthreadGroup", Arg::Named(name)) => Tri::from(name != "group"),
            ("jobject", Arg::Named(_) | Arg::Class(_) | Arg::CurrentThread) => match param.name.as_str() {
                "module" | "to_module" => Tri::from(!is_module(arg)),
                // Any object will do.
                "object" => Tri::No,
                "exception" => Tri::from(thing(arg, calling.call.on) != "$throwable").and(Tri::Maybe),
                _ => Tri::Maybe,
            },
            ("jrawMonitorID", arg) => match self.monitor(arg) {
                Some(monitor) => Tri::from(monitor.destroyed),
                None => Tri::Maybe,
            },
            _ => Tri::Maybe,
        }
    }

    fn not_filterable(&self, calling: Calling<'_>, event: usize, thread: usize) -> Tri {
        let number = int(calling.arg(event));
        let found = self.tables.edition.events.iter().find(|e| Some(i64::from(e.number)) == number);
        match (calling.arg(thread), found) {
            (Arg::Null, _) => Tri::No,
            (_, None) => Tri::Maybe,
            (_, Some(event)) if event.thread_filterable => Tri::No,
            // The text speaks of events that cannot be controlled, and says nothing of disabling them.
            _ if int(calling.arg(0)) == Some(1) => Tri::Yes,
            _ => Tri::Maybe,
        }
    }

    fn more_capabilities(&self, calling: Calling<'_>, index: usize) -> Tri {
        let Some(environment) = self.environment(calling.call) else { return Tri::Maybe };
        match self.tables.set_of(calling.arg(index)) {
            Some(wanted) if wanted & !environment.capabilities == 0 => Tri::No,
            Some(wanted) => environment
                .potential
                .map_or(Tri::Maybe, |offered| Tri::from(wanted & !(offered | environment.capabilities) != 0)),
            None => Tri::Maybe,
        }
    }

    fn breakpoint(&self, calling: Calling<'_>, set: bool) -> Tri {
        let Some(location) = int(calling.arg(1)) else { return Tri::Maybe };
        let key = (thing(calling.arg(0), calling.call.on), location);
        self.is_only_one(calling, set, |environment| environment.breakpoints.contains(&key))
    }

    fn watch(&self, calling: Calling<'_>, set: bool, access: bool) -> Tri {
        let key = (access, thing(calling.arg(1), calling.call.on));
        self.is_only_one(calling, set, |environment| environment.watches.contains(&key))
    }

    /// The same of a breakpoint or a watch: the text does not say that it ends with its environment, and there can only be one. The
    /// sequence that sets them at the checkpoint runs before those at other moments.
    fn is_only_one(
        &self,
        calling: Calling<'_>,
        wanted: bool,
        has: impl Fn(&super::state::Environment) -> bool,
    ) -> Tri {
        let own = self.environment(calling.call).is_some_and(&has);
        if self.state.moment != Moment::Checkpoint && !own {
            return Tri::Maybe;
        }
        self.is_set(calling, wanted, has)
    }

    /// Whether the environment has set something, or has not; what others have set may count, too.
    fn is_set(
        &self,
        calling: Calling<'_>,
        wanted: bool,
        has: impl Fn(&super::state::Environment) -> bool,
    ) -> Tri {
        let Some(own) = self.environment(calling.call) else { return Tri::Maybe };
        if self.state.environments.iter().any(|environment| environment.blurred) {
            return Tri::Maybe;
        }
        let elsewhere = self.state.environments.iter().any(|other| !std::ptr::eq(other, own) && has(other));
        if elsewhere && !has(own) {
            return Tri::Maybe;
        }
        Tri::from(has(own) == wanted)
    }

    fn location(&self, calling: Calling<'_>, index: usize) -> Tri {
        let Some(location) = int(calling.named("location")) else { return Tri::Maybe };
        match cast::method_of(calling.arg(index)).map(|method| method.code) {
            Some(Code::Known(code, _)) => Tri::from(!(0..code.len() as i64).contains(&location)),
            Some(Code::Some) if location == 0 => Tri::No,
            Some(Code::Some) if location < 0 => Tri::Yes,
            _ => Tri::Maybe,
        }
    }

    /// The raw monitor that an argument stands for.
    pub fn monitor(&self, arg: &Arg) -> Option<super::state::RawMonitor> {
        saved(arg).and_then(|name| self.state.monitors.get(name)).copied()
    }
}

/// Whether the argument is a module of the cast.
fn is_module(arg: &Arg) -> bool {
    matches!(arg, Arg::Named(name) if cast::MODULES.iter().any(|(module, _)| module == name))
}

/// Whether a named module of the cast lacks the package.
fn no_package(module: &Arg, package: &Arg) -> Tri {
    let (Arg::Named(name), Arg::Str(package)) = (module, package) else { return Tri::Maybe };
    match cast::MODULES.iter().find(|(module, _)| module == name) {
        Some((_, Some(_))) if package == cast::NO_PACKAGE.as_bytes() => Tri::Yes,
        Some((_, Some(own))) if package == own.as_bytes() => Tri::No,
        _ => Tri::Maybe,
    }
}
