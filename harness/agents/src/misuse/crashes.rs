//! A rule on crashes of the JVM in code of an agent, or in what it has called, as the JVM's own error report tells.

use jvmti_wire::trace::{Body, CodePlace, Exit, NativeCode, Record};

use super::{End, Info, MisuseRule, Place, Severity, Violations, When};
use crate::agent_state::{AgentState, Frame, TraceEvent};
use crate::symbols::{Located, without_runtime_frames, without_wrapper_frames};

pub(super) static CRASHED: Info = Info {
    id: "crash/agent",
    severity: Severity::Error,
    anchor: "whatIs",
    says: "an agent runs in the process of the JVM: an invalid address that it uses, or passes on, ends the program",
};

pub(super) static WITHIN: Info = Info {
    id: "crash/callback",
    severity: Severity::Warning,
    anchor: "whatIs",
    says: "look for what an agent does wrong with memory: the program was ended by a signal while code of the agent, or what it had \
           called, was running",
};

pub(super) static UNLOADED: Info = Info {
    id: "crash/unloaded",
    severity: Severity::Warning,
    anchor: "whatIs",
    says: "unload no library while a thread runs its code, or has thread-local data of it: their destructor is called when the thread ends",
};

/// SIGILL, SIGABRT, SIGBUS, SIGFPE and SIGSEGV.
const OF_CRASHES: [i32; 5] = [4, 6, 7, 8, 11];

#[derive(Default)]
pub(super) struct Crashes {
    /// Whether the JVM's error report shows that it was the agent.
    proved: bool,
    /// What the stack of the thread holds, if the JVM could not follow its frames: code of the agent, and the cause.
    held: Option<(When, Vec<CodePlace>)>,
    /// Where a thread has ended the program by SIGABRT: code of the agent, and what it had called.
    aborted: Option<(When, Vec<CodePlace>, String)>,
    /// What the JVM says.
    words: String,
}

impl MisuseRule for Crashes {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let (words, stack) = match (trace_event, &record.body) {
            (TraceEvent::Other, Body::Native(NativeCode::Crashed { words, stack })) => (words, stack),
            (TraceEvent::Other, Body::Native(NativeCode::CrashStack { stack })) => {
                return self.holds(state, record, stack, found);
            }
            (TraceEvent::Other, Body::Native(NativeCode::Aborted { stack })) => {
                return self.aborts(state, record, stack);
            }
            (TraceEvent::Other, Body::Native(NativeCode::FatalError { site })) if state.is_agents(*site) => {
                self.proved = true;
                return found.add(&CRASHED, (state, record), (*site, "FatalError"), || {
                    "the agent ended the program by FatalError".to_owned()
                });
            }
            _ => return,
        };
        self.words = words.join("; ");
        let Some(first) = stack.iter().position(|place| state.is_library_of_agent(&place.library)) else {
            return;
        };
        let agents = stack[first..].iter().take_while(|place| state.is_library_of_agent(&place.library));
        let place = without_wrapper_frames(agents.map(|place| state.symbols.locate(place)).collect());
        let what = match stack[..first].split_first() {
            None => "the JVM crashed in code of the agent".to_owned(),
            Some((innermost, _)) => {
                format!("the JVM crashed in {}, which code of the agent had called", named(innermost))
            }
        };
        self.proved = true;
        found.add_at(&CRASHED, (state, record), "", place, || format!("{what}: {}", self.words));
    }

    /// Which thread has crashed is not known if the JVM does not say; but if only one is in code of an agent, it is that one, most
    /// probably.
    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        // The JVM may hang while it writes its report.
        let has_crashed = !self.words.is_empty()
            || matches!(end.exit, Some(Exit::Signal(signal)) if OF_CRASHES.contains(&signal));
        if self.proved || !has_crashed {
            return;
        }
        if let Some((when, places, what)) = &self.aborted {
            // A call of what does not return may be the last instruction of its function: all of these are behind one.
            let place = places.iter().map(|place| {
                let before = CodePlace { offset: place.offset.saturating_sub(1), ..place.clone() };
                Located { code: place.clone(), ..state.symbols.locate(&before) }
            });
            let place = place.collect();
            let place = without_runtime_frames(without_wrapper_frames(place));
            return found.add_at(&CRASHED, (state, *when), "", place, || what.clone());
        }
        if !end.gapless {
            return;
        }
        let within = state.stacks.iter().filter(|(thread, stack)| is_running(state, **thread, stack));
        let all: Vec<(&u32, &Vec<Frame>)> = within.collect();
        // Most of what goes wrong with memory shows when some is freed.
        let frees = all.iter().copied().filter(|(_, stack)| is_in(state, stack, "Deallocate"));
        let frees: Vec<(&u32, &Vec<Frame>)> = frees.collect();
        let (thread, stack) = match (all.as_slice(), frees.as_slice()) {
            ([one], _) | (_, [one]) => *one,
            // Whatever goes wrong there, does so on each thread.
            ([one, others @ ..], _)
                if others.iter().all(|other| place(state, other.1) == place(state, one.1)) =>
            {
                *one
            }
            _ => return self.tell_held(state, found),
        };
        let (place, of, what, at) = match stack.last() {
            Some(Frame::Delivery(delivery)) => {
                let place = Place::Callback(delivery.environment, delivery.event.unwrap_or(0));
                (place, delivery.name.clone(), format!("in the callback of {}", delivery.name), delivery.at)
            }
            Some(Frame::Call(number)) => {
                let Some(call) = state.calls.get(number) else { return };
                let name = state.names.function(call.function).into_owned();
                let what = format!("in {}", state.names.call(call.function, &call.args));
                (Place::Site(call.site), name, what, call.at)
            }
            None => return,
        };
        let when = When { thread: *thread, at };
        found.add(&WITHIN, (state, when), (place, &of), || {
            format!(
                "the program was ended by a signal, while thread {} was {what}",
                state.names.thread(*thread)
            )
        });
    }
}

impl Crashes {
    /// The thread ends the program by SIGABRT, or the JVM does after a crash on this thread.
    fn aborts(&mut self, state: &AgentState<'_>, record: &Record, stack: &[CodePlace]) {
        let is_agents = |place: &CodePlace| state.is_library_of_agent(&place.library);
        let Some(first) = stack.iter().position(is_agents) else { return };
        let agents = stack[first..].iter().take_while(|place| is_agents(place));
        let what = match &stack[..first] {
            [] => "the program was ended in code of the agent".to_owned(),
            called => {
                // The C library raises the signal in functions of its own.
                let aborts = |place: &&CodePlace| place.symbol == "abort";
                let of = called.iter().find(aborts).or(called.first()).map(named).unwrap_or_default();
                format!("the program was ended in {of}, which code of the agent had called")
            }
        };
        self.aborted = Some((record.into(), agents.cloned().collect(), what));
    }

    /// The stack of the thread that crashed holds these places.
    fn holds(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        stack: &[CodePlace],
        found: &mut Violations,
    ) {
        if self.proved {
            return;
        }
        if let Some(gone) = stack.first().filter(|first| first.library.is_empty()) {
            self.proved = true;
            found.add(&UNLOADED, (state, record), (0u32, ""), || {
                let at = gone.offset;
                format!("a thread that the JVM does not know, or no longer, jumped to {at:#x}, where there is no code any more: {}", self.words)
            });
            return;
        }
        let Some(first) = stack.iter().position(|place| state.is_library_of_agent(&place.library)) else {
            return;
        };
        let agents = stack[first..].iter().take_while(|place| state.is_library_of_agent(&place.library));
        self.held = Some((record.into(), agents.cloned().collect()));
    }

    /// No other thread tells more than the stack.
    fn tell_held(&self, state: &AgentState<'_>, found: &mut Violations) {
        let Some((when, places)) = &self.held else { return };
        let place = without_wrapper_frames(places.iter().map(|place| state.symbols.locate(place)).collect());
        found.add_at(&WITHIN, (state, *when), "", place, || {
            format!("the JVM crashed, and the stack of the thread holds a place to return to in code of the agent: {}", self.words)
        });
    }
}

/// Where the thread is: at a call site, or in the callback of an environment for an event.
fn place(state: &AgentState<'_>, stack: &[Frame]) -> Option<Place> {
    match stack.last()? {
        Frame::Delivery(delivery) => Some(Place::Callback(delivery.environment, delivery.event.unwrap_or(0))),
        Frame::Call(number) => state.calls.get(number).map(|call| Place::Site(call.site)),
    }
}

/// Whether a thread is in a call of the function of that name.
fn is_in(state: &AgentState<'_>, stack: &[Frame], function: &str) -> bool {
    let Some(Frame::Call(number)) = stack.last() else { return false };
    state.calls.get(number).is_some_and(|call| state.names.function(call.function) == function)
}

/// Whether the thread is in code of an agent, or in what it has called, and does not wait there.
fn is_running(state: &AgentState<'_>, thread: u32, stack: &[Frame]) -> bool {
    let waits = |frame: &Frame| match frame {
        Frame::Call(number) => state.calls.get(number).is_none_or(|call| {
            let name = state.names.function(call.function);
            name.starts_with("RawMonitor") || name.starts_with("Suspend")
        }),
        Frame::Delivery(_) => false,
    };
    thread != 0 && stack.last().is_some_and(|frame| !waits(frame))
}

/// The library, with the function if that is known.
fn named(place: &CodePlace) -> String {
    let library = crate::symbols::file_name(&place.library);
    match place.symbol.as_str() {
        "" => library.to_owned(),
        function => format!("{function} of {library}"),
    }
}
