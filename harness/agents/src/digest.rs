//! A summary of what agents did: environments, capabilities, functions, callbacks, and how long it all took.

use std::collections::{BTreeMap, BTreeSet};

use jvmti_spec::Edition;
use jvmti_spec::edition::Phase;
use jvmti_wire::trace::{Body, Exit, NativeCode, Record, Summary};
use jvmti_wire::value::Value;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::agent_state::{AgentState, Call, Frame, Took, TraceEvent};
use super::symbols::file_name;
use super::times::Times;

/// How often something was done, and how long it took.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    /// How often, those that were only counted among them.
    pub count: u64,
    /// How often it was only counted: it had no error.
    pub counted: u64,
    /// How often its time is not known: it was only counted, or recorded only when it had failed.
    pub untimed: u64,
    /// How often with an error; callbacks have none.
    pub errors: BTreeMap<i32, u64>,
    /// Nanoseconds in all, of those whose time is known.
    pub total: u64,
    /// The time of each.
    pub times: Times,
    /// Nanoseconds of the processor in all, of those that this was measured of.
    pub cpu_total: u64,
    /// The time of the processor that each of these took.
    pub cpu_times: Times,
}

impl Cost {
    fn add(&mut self, took: Took) {
        self.count += 1;
        match took.wall {
            Some(wall) => {
                self.total += wall;
                self.times.add(wall);
            }
            None => self.untimed += 1,
        }
        if let Some(cpu) = took.cpu {
            self.cpu_total += cpu;
            self.cpu_times.add(cpu);
        }
    }

    fn add_counted(&mut self, count: u64) {
        self.count += count;
        self.counted += count;
        self.untimed += count;
    }

    /// What all of it took, in nanoseconds: those whose time is not known are taken to be like most of the others.
    pub fn estimate(&self) -> u64 {
        let (typical, _) = self.times.typical();
        self.total.saturating_add((typical * self.untimed as f64) as u64)
    }

    /// What all of it took of the processor, in nanoseconds, and whether that is an estimate: those that it was not measured
    /// of are taken to be like most of the others. `None`: it was not measured of any.
    pub fn cpu(&self) -> Option<(u64, bool)> {
        let others = self.count.saturating_sub(self.cpu_times.count());
        let (typical, _) = self.cpu_times.typical();
        let estimate = self.cpu_total.saturating_add((typical * others as f64) as u64);
        (self.cpu_times.count() > 0).then_some((estimate.min(self.estimate()), others > 0))
    }

    /// Twice the standard error of the estimate, as a part of it; 0 if all times are known.
    pub fn uncertainty(&self) -> f64 {
        let (_, error) = self.times.typical();
        2.0 * error * self.untimed as f64 / (self.estimate().max(1) as f64)
    }

    /// How many had an error.
    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }
}

/// An environment and what was done with it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EnvironmentDigest {
    /// Number in the trace.
    pub number: u32,
    /// File name of the library that asked for it.
    pub library: String,
    /// The jar of the Java agent that has it, with the agent's class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub java_agent: Option<String>,
    /// The version asked for.
    pub version: i32,
    /// What `GetEnv` returned.
    pub code: i32,
    /// Capabilities requested.
    pub asked: BTreeSet<String>,
    /// Capabilities granted.
    pub granted: BTreeSet<String>,
    /// Whether the agent disposed of it.
    pub disposed: bool,
}

/// A call or callback that had not returned when the trace ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The function or event, and the library that calls it or that it is told to.
    pub key: (String, String),
    /// Number of the thread.
    pub thread: u32,
    /// What, from where, on which thread, within what.
    pub shown: String,
    /// How long ago it began, in nanoseconds.
    pub lasted: u64,
}

/// What it took to record what agents did, as the probe measured it while it did so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingCost {
    /// How many calls and callbacks were recorded.
    pub recorded: u64,
    /// How long all threads computed for that, in nanoseconds.
    pub took: u64,
    /// How long it takes to count a call, in nanoseconds; `None`: not measured.
    pub counting: Option<u64>,
}

/// What a trace says about agents.
#[derive(Debug, Default)]
pub struct Digest {
    /// The environments, by number.
    pub environments: BTreeMap<u32, EnvironmentDigest>,
    /// Calls by function.
    pub functions: BTreeMap<String, Cost>,
    /// Callbacks by event.
    pub events: BTreeMap<String, Cost>,
    /// Calls and callbacks that had not returned when the trace ended.
    pub open: Vec<Open>,
    /// How the process ended, if the trace says so.
    pub ended: Option<Exit>,
    /// What the JVM's error report says, if it has crashed.
    pub crash: Vec<String>,
    /// Nanoseconds from the loading of the probe to the last record.
    pub run: u64,
    /// Nanoseconds spent in agents' callbacks and in calls made outside of them, all threads together, but for waiting.
    pub agents: u64,
    /// What recording took, if the trace says so.
    pub recording: Option<RecordingCost>,
    /// Problems that the probe reported.
    pub trouble: Vec<String>,
    /// The JVM never came to VMStart: an agent crashed, hung, gave up or ended the process while it was loaded.
    pub stillborn: bool,
    /// The call that was made last while agents were loaded: what, and from where.
    pub last: Option<String>,
    /// State of the trace.
    pub trace: Summary,
    /// When the last of it was recorded, in nanoseconds.
    end: u64,
    /// Function and call site of the call that was made last while agents were loaded.
    last_call: Option<(u16, u32)>,
    /// Nanoseconds that a thread has waited within what it is in.
    waited: FxHashMap<u32, u64>,
}

/// A thread in this function does nothing, and may do so when the JVM ends.
const WAIT: &str = "RawMonitorWait";

impl Digest {
    /// Takes the next trace event.
    pub fn observe(&mut self, state: &AgentState<'_>, record: &Record, trace_event: &TraceEvent<'_>) {
        match &record.body {
            // Told from outside, by another clock.
            Body::Ended(process) => self.ended = Some(process.exit),
            _ => self.run = self.run.max(record.at),
        }
        self.end = self.end.max(record.at);
        match trace_event {
            TraceEvent::Begun(call) => self.begun(state, call),
            TraceEvent::Returned { call, code, took, .. } => {
                self.returned(state, call, *code, *took);
                self.add_outermost(state, record.thread, *took);
            }
            TraceEvent::Left { delivery, took } => {
                self.events.entry(delivery.name.clone()).or_default().add(*took);
                self.add_outermost(state, record.thread, *took);
            }
            // It is among those that are counted.
            TraceEvent::Brief(_) | TraceEvent::Entered(..) => {}
            TraceEvent::Other => self.other(state, &record.body),
        }
    }

    fn begun(&mut self, state: &AgentState<'_>, call: &Call) {
        if state.phase == Phase::OnLoad {
            self.last_call = Some((call.function, call.site));
        }
        if let Some(asked) = named_in(state, call, "AddCapabilities") {
            self.environment(call.environment, state).asked.extend(asked);
        }
    }

    fn returned(&mut self, state: &AgentState<'_>, call: &Call, code: i32, took: Took) {
        let function = state.names.function(call.function).into_owned();
        if function == WAIT {
            *self.waited.entry(call.thread).or_default() += took.wall.unwrap_or_default();
        }
        let cost = self.functions.entry(function).or_default();
        cost.add(took);
        if code != 0 {
            *cost.errors.entry(code).or_default() += 1;
        }
        if let Some(granted) = named_in(state, call, "AddCapabilities").filter(|_| code == 0) {
            self.environment(call.environment, state).granted.extend(granted);
        }
    }

    fn other(&mut self, state: &AgentState<'_>, body: &Body) {
        match body {
            Body::AgentEnvironment { environment, site, version, .. } => {
                let library = state.site(*site).first().map(|place| place.library.clone());
                let library = library.unwrap_or_default();
                let known = self.environments.entry(*environment).or_default();
                known.number = *environment;
                known.version = *version;
                known.library = file_name(&library).to_owned();
            }
            Body::EnvironmentMade { environment, code, .. } if *code != 0 => {
                self.environments.entry(*environment).or_default().code = *code;
            }
            Body::EnvironmentGone { environment } => {
                if let Some(environment) = self.environments.get_mut(environment) {
                    environment.disposed = true;
                }
            }
            Body::Trouble { message } => self.trouble.push(message.clone()),
            Body::Native(NativeCode::Crashed { words, .. }) => self.crash.clone_from(words),
            Body::RecordingCost { recorded, took, counting } => {
                let (recorded, took, counting) = (*recorded, *took, *counting);
                self.recording = Some(RecordingCost { recorded, took, counting });
            }
            _ => {}
        }
    }

    /// Takes the end of the trace.
    pub fn finish(&mut self, state: &AgentState<'_>, trace: Summary) {
        for ((_, function), count) in &state.counted.calls {
            self.functions
                .entry(state.names.function(*function).into_owned())
                .or_default()
                .add_counted(*count);
        }
        for ((_, event), count) in &state.counted.events {
            self.events.entry(state.names.event(*event)).or_default().add_counted(*count);
        }
        for (number, environment) in &mut self.environments {
            environment.java_agent = state.java_agents.agent(*number).map(|agent| {
                let class = agent.class.as_ref().map(|class| format!(" (class {class})"));
                format!("{}{}", agent.jar, class.unwrap_or_default())
            });
        }
        self.trace = trace;
        self.stillborn = state.phase == Phase::OnLoad;
        self.last = self.last_call.map(|(function, site)| {
            format!("{} from {}", state.names.function(function), state.site_text(site))
        });
        let mut stacks: Vec<_> = state.stacks.iter().collect();
        stacks.sort_by_key(|(thread, _)| **thread);
        // The end of a call may be what is missing.
        let overtaken = trace.lost > 0 && matches!(self.ended, Some(Exit::Code(_)));
        for (thread, stack) in stacks.into_iter().filter(|_| !overtaken) {
            self.open.extend(open(state, *thread, stack, self.end));
        }
    }

    /// How many calls and callbacks were only counted.
    pub fn counted(&self) -> u64 {
        self.functions.values().chain(self.events.values()).map(|cost| cost.counted).sum()
    }

    fn environment(&mut self, number: u32, state: &AgentState<'_>) -> &mut EnvironmentDigest {
        let library = state.library(number);
        let environment = self.environments.entry(number).or_default();
        if environment.library.is_empty() {
            (environment.number, environment.library) = (number, library);
        }
        environment
    }

    /// Time counts once: not again for what lies within.
    fn add_outermost(&mut self, state: &AgentState<'_>, thread: u32, took: Took) {
        let within = state.stack(thread);
        if !within.iter().any(|frame| matches!(frame, Frame::Call(_) | Frame::Delivery(_))) {
            let waited = self.waited.remove(&thread).unwrap_or(0);
            self.agents += took.wall.unwrap_or_default().saturating_sub(waited);
        }
    }

    /// Part of the run that agents took, from 0; more than 1 if several threads were busy at once.
    pub fn share(&self) -> f64 {
        if self.run == 0 { 0.0 } else { self.agents as f64 / self.run as f64 }
    }
}

/// What a thread is in at the end of a trace, innermost first; nothing if it waits.
fn open(state: &AgentState<'_>, number: u32, stack: &[Frame], end: u64) -> Vec<Open> {
    let thread = state.names.thread(number);
    let mut open = Vec::new();
    let mut within = String::new();
    for frame in stack {
        let (key, what, since) = match frame {
            Frame::Call(number) => {
                let Some(call) = state.calls.get(number) else { continue };
                let function = state.names.function(call.function).into_owned();
                if function == WAIT {
                    return Vec::new();
                }
                let library = state.site(call.site).first().map(|place| place.library.as_str());
                let what = state.names.call(call.function, &call.args);
                let key = (function, file_name(library.unwrap_or_default()).to_owned());
                (key, format!("{what} from {}", state.site_text(call.site)), call.at)
            }
            Frame::Delivery(delivery) => {
                let library = state.library(delivery.environment);
                let what = format!("callback {} of {library}", delivery.name);
                ((delivery.name.clone(), library), what, delivery.at)
            }
        };
        let shown = format!("{what} on thread {thread}{within}");
        within = format!(", within {}", what.split(" from ").next().unwrap_or_default());
        open.push(Open { key, thread: number, shown, lasted: end.saturating_sub(since) });
    }
    open.reverse();
    open
}

/// How a process ended, in words.
pub fn ending(exit: Option<Exit>) -> String {
    match exit {
        Some(Exit::Code(code)) => format!("exit code {code}"),
        Some(Exit::Signal(signal)) => match SIGNALS.iter().find(|(number, _)| *number == signal) {
            Some((_, name)) => format!("ended by signal {signal} ({name})"),
            None => format!("ended by signal {signal}"),
        },
        Some(Exit::TimedOut) => "ended because its time was up".to_owned(),
        Some(Exit::Unknown) => "interrupted".to_owned(),
        None => "not known".to_owned(),
    }
}

/// Names of the signals by which a process ends.
const SIGNALS: [(i32, &str); 8] = [
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (15, "SIGTERM"),
];

/// The capabilities that a call of this function names; `None`: it is a call of another one.
pub fn named_in(state: &AgentState<'_>, call: &Call, function: &str) -> Option<BTreeSet<String>> {
    match call.args.first() {
        Some(Value::Bytes(bits)) if state.names.function(call.function) == function => {
            Some(capabilities(state.names.spec(), bits))
        }
        _ => None,
    }
}

/// Names of the capabilities whose bits are set.
pub fn capabilities(spec: &Edition, bits: &[u8]) -> BTreeSet<String> {
    spec.capabilities_in(bits).map(|c| c.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use jvmti_spec::{Release, Spec};
    use jvmti_wire::trace::StepRef;

    use super::*;

    #[test]
    fn calls_that_were_recorded_when_they_had_failed_have_no_time() {
        let spec = Spec::embedded().at(Release(25));
        let function = spec.function("GetLocalInt").expect("it exists").slot;
        let (mut state, mut digest) = (AgentState::new(&spec), Digest::default());
        for (call, (began, ended)) in
            [(0, 1000), (2000, 3000), (4000, 4000), (5000, 5000)].into_iter().enumerate()
        {
            let (call, step) = (call as u32, StepRef::Site { site: 1 });
            let begin = Body::CallBegin { call, environment: 1, function, step, args: Vec::new() };
            let end = Body::CallEnd { call, code: 35, outputs: Vec::new(), exception: (false, false) };
            for (at, body) in [(began, begin), (ended, end)] {
                let record = Record { seq: at, at, thread: 1, body };
                state.take(&record, &mut |state, record, event| digest.observe(state, record, event));
            }
        }
        let cost = &digest.functions["GetLocalInt"];
        assert_eq!((cost.count, cost.failed(), cost.counted, cost.untimed, cost.total), (4, 4, 0, 2, 2000));
        // To two digits.
        assert!(cost.times.percentile(1.0) >= 990 && (3980..4020).contains(&cost.estimate()), "{cost:?}");
    }
}
