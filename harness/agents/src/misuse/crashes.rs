//! A rule on crashes of the JVM in code of an agent, or in what it has called, as the JVM's own error report tells.

use jvmti_wire::trace::{Body, CodePlace, Exit, NativeCode, Record};

use super::{End, Info, MisuseRule, Place, Severity, Violations, When};
use crate::agent_state::{AgentState, Frame, TraceEvent};
use crate::symbols::without_wrapper_frames;

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

/// SIGILL, SIGABRT, SIGBUS, SIGFPE and SIGSEGV.
const OF_CRASHES: [i32; 5] = [4, 6, 7, 8, 11];

#[derive(Default)]
pub(super) struct Crashes {
    /// Whether the JVM's error report shows that it was the agent.
    proved: bool,
}

impl MisuseRule for Crashes {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let (TraceEvent::Other, Body::Native(NativeCode::Crashed { words, stack })) =
            (trace_event, &record.body)
        else {
            return;
        };
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
        found.add_at(&CRASHED, (state, record), "", place, || format!("{what}: {}", words.join("; ")));
    }

    /// Which thread has crashed is not known if the JVM does not say; but if only one is in code of an agent, it is that one, most
    /// probably.
    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        let has_crashed = matches!(end.exit, Some(Exit::Signal(signal)) if OF_CRASHES.contains(&signal));
        if self.proved || !has_crashed || !end.gapless {
            return;
        }
        let within = state.stacks.iter().filter(|(thread, stack)| is_running(state, **thread, stack));
        let all: Vec<(&u32, &Vec<Frame>)> = within.collect();
        // Most of what goes wrong with memory shows when some is freed.
        let frees = all.iter().copied().filter(|(_, stack)| is_in(state, stack, "Deallocate"));
        let frees: Vec<(&u32, &Vec<Frame>)> = frees.collect();
        let (thread, stack) = match (all.as_slice(), frees.as_slice()) {
            ([one], _) | (_, [one]) => *one,
            _ => return,
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
