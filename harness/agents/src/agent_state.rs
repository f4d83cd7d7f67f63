//! Follows a trace record by record, and knows at each record which agent calls which function, from which call site and
//! inside which callback.

use std::collections::BTreeMap;

use jvmti_spec::Edition;
use jvmti_spec::edition::Phase;
use jvmti_traces::Names;
use jvmti_wire::trace::{Body, CodePlace, EntryPoint, Record, StepRef};
use jvmti_wire::value::Value;
use rustc_hash::FxHashMap;

use crate::java_agents::JavaAgents;
use crate::native_methods::NativeMethod;
use crate::rounds::{Round, Rounds};
use crate::symbols::{Located, Symbols, file_name, without_wrapper_frames};

/// An environment that an agent asked for.
#[derive(Clone, Debug)]
pub struct AgentEnvironment {
    /// The call site that asked.
    pub site: u32,
    /// The version asked for.
    pub version: i32,
    /// What `GetEnv` returned.
    pub code: i32,
    /// Whether it has been disposed of.
    pub gone: bool,
}

/// A call that an agent makes.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its number in the trace.
    pub number: u32,
    /// The environment.
    pub environment: u32,
    /// Slot of the function.
    pub function: u16,
    /// The call site.
    pub site: u32,
    /// Arguments after the environment.
    pub args: Vec<Value>,
    /// The thread.
    pub thread: u32,
    /// When it began, in nanoseconds.
    pub at: u64,
    /// In which phase.
    pub phase: Phase,
    /// Memory that the JVM allocated for it, by parameter.
    pub blocks: Vec<(u16, u64)>,
}

/// A callback that an agent is in.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// The environment.
    pub environment: u32,
    /// The event's number; `None`: an extension event.
    pub event: Option<u16>,
    /// The event's name.
    pub name: String,
    /// When it began, in nanoseconds.
    pub at: u64,
}

/// What a thread is in, seen from the agent's side.
#[derive(Clone, Debug)]
pub enum Frame {
    /// A call of that number.
    Call(u32),
    /// A callback.
    Delivery(Delivery),
}

/// How long a call or callback took, in nanoseconds, without the recording of what happened within it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Took {
    /// From its beginning to its end; `None`: not known, as of a call that was only counted until it failed.
    pub wall: Option<u64>,
    /// How long its thread had the processor; `None`: not measured.
    pub cpu: Option<u64>,
}

/// What a record says about agents.
#[derive(Debug)]
pub enum TraceEvent<'r> {
    /// A call begins.
    Begun(&'r Call),
    /// A call of which only its subject, or the memory that it allocated, was recorded; it succeeded, unless
    /// [`TraceEvent::Returned`] follows.
    Brief(&'r Call),
    /// A call has returned.
    Returned {
        /// The call.
        call: &'r Call,
        /// The error code.
        code: i32,
        /// Outputs by parameter.
        outputs: &'r [(u16, Value)],
        /// How long it took.
        took: Took,
    },
    /// A callback is entered.
    Entered(&'r Delivery, &'r [Value]),
    /// A callback has returned.
    Left {
        /// The callback.
        delivery: &'r Delivery,
        /// How long it took.
        took: Took,
    },
    /// Anything else.
    Other,
}

/// Gets what a record means, with the state before it.
pub type Report<'a, 'f> = dyn FnMut(&AgentState<'a>, &Record, &TraceEvent<'_>) + 'f;

/// Calls and callbacks that the probe counted and did not record.
#[derive(Debug, Default)]
pub struct Counted {
    /// Calls, by call site and slot of the function.
    pub calls: BTreeMap<(u32, u16), u64>,
    /// Callbacks, by environment and number of the event.
    pub events: BTreeMap<(u32, u16), u64>,
}

/// What is known about the agents at a point of a trace.
pub struct AgentState<'a> {
    /// Names of what the trace has defined so far.
    pub names: Names<'a>,
    /// Environments of agents, by number.
    pub environments: BTreeMap<u32, AgentEnvironment>,
    /// Calls that have not returned, by number.
    pub calls: FxHashMap<u32, Call>,
    /// Per thread what it is in, outermost first.
    pub stacks: FxHashMap<u32, Vec<Frame>>,
    /// The phase, as the probe's own environment is told.
    pub phase: Phase,
    /// Calls and callbacks that the probe counted and did not record.
    pub counted: Counted,
    /// Source lines of places.
    pub symbols: Symbols,
    /// The Java agents.
    pub java_agents: JavaAgents,
    /// Whether the trace tells of all global references that are created.
    pub globals_known: bool,
    /// The folder of the JVM, which ends with a separator; empty: not known.
    pub(crate) java_home: String,
    rounds: Rounds,
    /// The native methods that each thread is in, outermost first.
    pub(crate) methods: FxHashMap<u32, Vec<NativeMethod>>,
    sites: FxHashMap<u32, Vec<CodePlace>>,
    /// Per environment the functions that its events are delivered to.
    callbacks: FxHashMap<u32, Vec<(u16, CodePlace)>>,
    made: FxHashMap<u32, i32>,
    /// Per thread the last call that was recorded in brief.
    briefs: FxHashMap<u32, Call>,
    /// Per thread where the call comes from that ends next, or the misuse of JNI that is recorded next.
    stack_of_failed: FxHashMap<u32, Vec<CodePlace>>,
    /// Per thread what is in the time of what ends next: nanoseconds of recording, and of the processor.
    spent: FxHashMap<u32, (u64, Option<u64>)>,
}

impl<'a> AgentState<'a> {
    /// The state before the first record.
    pub fn new(spec: &'a Edition) -> AgentState<'a> {
        AgentState {
            names: Names::new(spec),
            environments: BTreeMap::new(),
            calls: FxHashMap::default(),
            stacks: FxHashMap::default(),
            phase: Phase::OnLoad,
            counted: Counted::default(),
            symbols: Symbols::default(),
            java_agents: JavaAgents::default(),
            globals_known: false,
            java_home: String::new(),
            rounds: Rounds::default(),
            methods: FxHashMap::default(),
            sites: FxHashMap::default(),
            callbacks: FxHashMap::default(),
            made: FxHashMap::default(),
            briefs: FxHashMap::default(),
            stack_of_failed: FxHashMap::default(),
            spent: FxHashMap::default(),
        }
    }

    /// Takes the next record. `report` gets what it means, with the state before it.
    pub fn take(&mut self, record: &Record, report: &mut Report<'a, '_>) {
        match &record.body {
            Body::CallBegin { call, environment, function, step: StepRef::Site { site }, args } => {
                let call =
                    self.call(record, *call, (*environment, *function, *site), args.clone(), Vec::new());
                report(self, record, &TraceEvent::Begun(&call));
                if self.delivery(record.thread).is_none() {
                    self.rounds.called(self.names.function(*function).as_ref(), &call);
                }
                // From now on the agent may create references unseen.
                self.globals_known &= self.names.function(*function) != "SetJNIFunctionTable";
                self.stacks.entry(record.thread).or_default().push(Frame::Call(call.number));
                self.calls.insert(call.number, call);
            }
            Body::CallEnd { call, code, outputs, .. } => self.returned(record, *call, *code, outputs, report),
            Body::CallBrief { call, environment, function, site, about, blocks } => {
                let args = vec![about.clone()];
                let call = self.call(record, *call, (*environment, *function, *site), args, blocks.clone());
                report(self, record, &TraceEvent::Brief(&call));
                self.briefs.insert(record.thread, call);
            }
            Body::Event { environment, event, args } if self.environments.contains_key(environment) => {
                let name = self.names.event(*event);
                let at = record.at;
                let delivery = Delivery { environment: *environment, event: Some(*event), name, at };
                self.enter(record, delivery, args, report);
            }
            Body::ExtensionEvent { environment, id, args, .. } => {
                let delivery =
                    Delivery { environment: *environment, event: None, name: id.clone(), at: record.at };
                self.enter(record, delivery, args, report);
            }
            Body::EventEnd { event } => self.left(record, Some(*event), report),
            Body::ExtensionEventEnd { .. } => self.left(record, None, report),
            _ => self.other(record, report),
        }
        self.names.observe(record);
    }

    fn call(
        &self,
        record: &Record,
        number: u32,
        (environment, function, site): (u32, u16, u32),
        args: Vec<Value>,
        blocks: Vec<(u16, u64)>,
    ) -> Call {
        let (thread, at, phase) = (record.thread, record.at, self.phase);
        Call { number, environment, function, site, args, thread, at, phase, blocks }
    }

    fn returned(
        &mut self,
        record: &Record,
        call: u32,
        code: i32,
        outputs: &[(u16, Value)],
        report: &mut Report<'a, '_>,
    ) {
        let (call, took) = if let Some(call) = self.calls.remove(&call) {
            self.leave(record.thread, |frame| matches!(frame, Frame::Call(n) if *n == call.number));
            let took = self.took(record, call.at);
            (call, took)
        } else if self.briefs.get(&record.thread).is_some_and(|brief| brief.number == call)
            && let Some(call) = self.briefs.remove(&record.thread)
        {
            (call, Took::default())
        } else {
            return self.other(record, report);
        };
        report(self, record, &TraceEvent::Returned { call: &call, code, outputs, took });
        self.stack_of_failed.remove(&record.thread);
    }

    fn other(&mut self, record: &Record, report: &mut Report<'a, '_>) {
        report(self, record, &TraceEvent::Other);
        self.learn(record);
    }

    fn enter(&mut self, record: &Record, delivery: Delivery, args: &[Value], report: &mut Report<'a, '_>) {
        report(self, record, &TraceEvent::Entered(&delivery, args));
        self.stacks.entry(record.thread).or_default().push(Frame::Delivery(delivery));
    }

    fn left(&mut self, record: &Record, ended: Option<u16>, report: &mut Report<'a, '_>) {
        let left = self.leave(
            record.thread,
            |frame| matches!(frame, Frame::Delivery(Delivery { event, .. }) if *event == ended),
        );
        if let Some(Frame::Delivery(delivery)) = left {
            let took = self.took(record, delivery.at);
            report(self, record, &TraceEvent::Left { delivery: &delivery, took });
        }
    }

    /// How long what ends with this record took since it began.
    fn took(&mut self, record: &Record, began: u64) -> Took {
        let (recording, cpu) = self.spent.remove(&record.thread).unwrap_or_default();
        // The probe gives a call that it records only when it has returned one time for its beginning and its end.
        let wall =
            record.at.checked_sub(began).filter(|took| *took > 0).map(|took| took.saturating_sub(recording));
        Took { wall, cpu: wall.and_then(|wall| cpu.map(|cpu| cpu.min(wall))) }
    }

    /// Takes the innermost frame of that kind off the thread's stack, with what lies above: its end was lost.
    fn leave(&mut self, thread: u32, is: impl Fn(&Frame) -> bool) -> Option<Frame> {
        let stack = self.stacks.get_mut(&thread)?;
        let place = stack.iter().rposition(is)?;
        let frame = stack.get(place).cloned();
        stack.truncate(place);
        frame
    }

    fn learn(&mut self, record: &Record) {
        match &record.body {
            // It only grows; records of several threads may come in another order.
            Body::CallsCounted { site, function, count } => {
                let known = self.counted.calls.entry((*site, *function)).or_default();
                *known = (*known).max(*count);
            }
            Body::EventsCounted { environment, event, count } => {
                let known = self.counted.events.entry((*environment, *event)).or_default();
                *known = (*known).max(*count);
            }
            Body::Entry(EntryPoint::OnAttach) => self.phase = Phase::Live,
            Body::EntryReturned { entry: EntryPoint::OnLoad, .. } if self.phase == Phase::OnLoad => {}
            Body::Event { event, .. } => match self.names.event(*event).as_str() {
                "VMStart" => self.phase = Phase::Start,
                "VMInit" => self.phase = Phase::Live,
                _ => {}
            },
            Body::Entry(EntryPoint::OnUnload) => self.phase = Phase::Dead,
            Body::EnvironmentMade { environment, code, .. } => {
                self.made.insert(*environment, *code);
            }
            Body::AgentEnvironment { environment, site, version, .. } => {
                let code = self.made.get(environment).copied().unwrap_or_default();
                let made = AgentEnvironment { site: *site, version: *version, code, gone: false };
                self.environments.insert(*environment, made);
                if self.phase == Phase::OnLoad && self.library(*environment).starts_with("libinstrument.") {
                    self.java_agents.requested(*environment, *site);
                }
            }
            Body::EnvironmentGone { environment } => {
                if let Some(environment) = self.environments.get_mut(environment) {
                    environment.gone = true;
                }
            }
            Body::Identity { key, value } if key == "java.home" => self.in_folder(value),
            Body::GlobalsKnown { known } => self.globals_known = *known,
            Body::CallStack { stack, .. } => {
                self.stack_of_failed.insert(record.thread, stack.clone());
            }
            Body::JniMisused { .. } => drop(self.stack_of_failed.remove(&record.thread)),
            Body::ThreadEnds => self.rounds.ended(record.thread),
            Body::Native(native) => self.learn_native(record, native),
            Body::TimeSpent { recording, cpu } => {
                self.spent.insert(record.thread, (*recording, *cpu));
            }
            Body::CallbacksSet { environment, functions } => {
                self.callbacks.insert(*environment, functions.clone());
            }
            Body::SiteSeen { site, stack } => {
                self.sites.insert(*site, stack.clone());
            }
            Body::Blocks { call, blocks } => {
                if let Some(call) = self.calls.get_mut(call) {
                    call.blocks = blocks.clone();
                }
            }
            _ => {}
        }
    }

    /// Where calls from this call site return to, innermost first.
    pub fn site(&self, site: u32) -> &[CodePlace] {
        self.sites.get(&site).map_or(&[], Vec::as_slice)
    }

    /// The same for a call of that thread that ends now, or its misuse of JNI: if it has failed, its own stack, as far as it is known.
    pub fn stack_of_call(&self, site: u32, thread: u32) -> Vec<Located> {
        let located =
            |stack: &[CodePlace]| stack.iter().map(|place| self.symbols.locate(place)).collect::<Vec<_>>();
        let at_first = self.site(site);
        match self.stack_of_failed.get(&thread).filter(|own| own.first() == at_first.first()) {
            Some(own) => without_wrapper_frames(located(own)),
            // A wrapper that is not inlined may have other callers.
            None => located(at_first),
        }
    }

    /// The function that the environment's events of that number are delivered to.
    pub fn callback(&self, environment: u32, event: u16) -> Option<&CodePlace> {
        let functions = self.callbacks.get(&environment)?;
        functions.iter().find(|(of, _)| *of == event).map(|(_, place)| place)
    }

    /// The environment in whose callback for that event the thread is; the only one that has such a callback, if the trace
    /// does not tell.
    pub fn environment_of(&self, thread: u32, event: u16) -> Option<u32> {
        if let Some(delivery) = self.delivery(thread).filter(|delivery| delivery.event == Some(event)) {
            return Some(delivery.environment);
        }
        let mut all =
            self.callbacks.keys().filter(|environment| self.callback(**environment, event).is_some());
        all.next().copied().filter(|_| all.next().is_none())
    }

    /// A call site in words: `libfoo.so+0x11d3 (on_load)`, with its source line if that is known.
    pub fn site_text(&self, site: u32) -> String {
        self.site(site)
            .first()
            .map_or_else(|| "an unknown place".to_owned(), |place| self.symbols.locate(place).text())
    }

    /// File name of the library that asked for an environment.
    pub fn library(&self, environment: u32) -> String {
        let site = self.environments.get(&environment).map_or(0, |environment| environment.site);
        let path = self.site(site).first().map(|place| place.library.as_str()).unwrap_or_default();
        file_name(path).to_owned()
    }

    /// What the thread is in.
    pub fn stack(&self, thread: u32) -> &[Frame] {
        self.stacks.get(&thread).map_or(&[], Vec::as_slice)
    }

    /// Whether a callback for VMDeath has not returned: the agent may be about to give back what it holds.
    pub fn is_cleaning_up(&self) -> bool {
        let is_death =
            |frame: &Frame| matches!(frame, Frame::Delivery(delivery) if delivery.name == "VMDeath");
        self.stacks.values().flatten().any(is_death)
    }

    /// The round that the thread is in: its innermost callback, or one of a loop.
    pub(crate) fn round(&self, thread: u32) -> Option<Round> {
        let within = self.delivery(thread).map(|delivery| Round { at: delivery.at, after: None });
        within.or_else(|| self.rounds.of(thread))
    }

    /// As [`Rounds::are_enough`].
    pub(crate) fn are_enough_rounds(&self, after: Option<(u16, u32)>, keeping: usize) -> bool {
        self.rounds.are_enough(after, keeping)
    }

    /// The call that the thread is in, if it is in nothing within that.
    pub fn current_call(&self, thread: u32) -> Option<&Call> {
        let Some(Frame::Call(number)) = self.stack(thread).last() else { return None };
        self.calls.get(number)
    }

    /// The innermost callback that the thread is in.
    pub fn delivery(&self, thread: u32) -> Option<&Delivery> {
        self.stack(thread).iter().rev().find_map(|frame| match frame {
            Frame::Delivery(delivery) => Some(delivery),
            Frame::Call(_) => None,
        })
    }
}
