//! One pass over a trace: how far each case got, and what came of its steps. Keeps what some case cares about.

use jvmti_spec::Edition;
use jvmti_traces::Names;
use jvmti_wire::Plan;
use jvmti_wire::plan::Trigger;
use jvmti_wire::trace::{Body, EntryPoint, OpenCall, Process, Record, StepRef};
use jvmti_wire::value::{ObjectId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::case_trace::{CallEnd, CaseTrace, NotTaken, Transferred};
use super::happened::{Happened, LIFE_EVENTS};
use super::references::{LACKING, Scope, Statements};
use super::refusals::Refusals;
use super::scenario_runs::ScenarioRuns;
use super::truth::Truth;
use super::watch::{Seen, ThreadKey, Watch};
use super::{Brief, capabilities};

/// Key under which the Java side states that a scenario threw.
const SCENARIO_FAILED: &str = "scenario-failed";

/// The state of the pass.
pub(super) struct JudgePass<'a> {
    plan: &'a Plan,
    pub brief: &'a Brief,
    pub names: Names<'a>,
    statements: Statements,
    pub cases: Vec<CaseTrace>,
    watches: Vec<Option<Box<Watch<'a>>>>,
    /// Cases whose watch has events that wait for something to be said.
    waiting: FxHashSet<usize>,
    scenario_runs: ScenarioRuns,
    /// Capabilities that some environment was granted for its case.
    granted: FxHashSet<&'a str>,
    unloaded: bool,
    vm_died: bool,
    /// What happened to the agent as such.
    life: Vec<Happened>,
    /// How the process ended.
    process: Option<Process>,
    vm_death: Option<u16>,
    /// Events of the VM's life, by number.
    life_events: FxHashMap<u16, &'a str>,
    add_capabilities: Option<u16>,
    refusals: Refusals,
    saved: Vec<Vec<Option<&'a str>>>,
    thread_params: FxHashMap<u16, usize>,
}

impl<'a> JudgePass<'a> {
    pub(super) fn new(plan: &'a Plan, brief: &'a Brief, spec: &'a Edition) -> Self {
        let cases = &brief.cases;
        let thread_params = spec.events.iter().filter_map(|e| {
            let param = e.params.iter().position(|p| p.name == "thread" && p.c_type == "jthread")?;
            Some((e.number, param))
        });
        JudgePass {
            plan,
            brief,
            names: Names::new(spec),
            statements: Statements::wanted_by(cases),
            cases: cases.iter().map(CaseTrace::new).collect(),
            watches: cases.iter().map(|c| c.events.as_ref().map(|e| Box::new(Watch::new(e)))).collect(),
            waiting: FxHashSet::default(),
            scenario_runs: ScenarioRuns::default(),
            granted: FxHashSet::default(),
            unloaded: false,
            vm_died: false,
            life: Vec::new(),
            process: None,
            life_events: LIFE_EVENTS
                .into_iter()
                .filter_map(|name| spec.event(name).map(|event| (event.number, name)))
                .collect(),
            vm_death: spec.event("VMDeath").map(|e| e.number),
            add_capabilities: spec.function("AddCapabilities").map(|f| f.slot),
            refusals: Refusals::new(spec),
            saved: cases.iter().map(|c| c.steps.iter().map(|s| s.plan.save.as_deref()).collect()).collect(),
            thread_params: thread_params.collect(),
        }
    }

    /// The scenario run in which the case's checkpoints count.
    pub(super) fn run_of(&self, case: usize) -> Option<u32> {
        self.plan.cases.get(case).and_then(|c| c.run)
    }

    /// What the scenario threw in the case's run of it, if it did.
    pub(super) fn thrown_in(&self, case: usize) -> Option<&Value> {
        self.scenario_runs.thrown_in(self.run_of(case))
    }

    /// Whether the scenario run in which the case's checkpoints count has ended.
    pub(super) fn run_ended(&self, case: usize) -> bool {
        self.run_of(case).is_some_and(|run| self.scenario_runs.has_ended(run))
    }

    /// The scenario run that has begun and not ended.
    pub(super) fn run_under_way(&self) -> Option<u32> {
        self.scenario_runs.under_way()
    }

    /// Whether the case's scenario is running.
    pub(super) fn is_under_way(&self, case: usize) -> bool {
        self.run_under_way().is_some_and(|run| self.run_of(case) == Some(run))
    }

    /// Records of the scenario that the stories of all cases of the case's scenario run share.
    pub(super) fn shared(&self, case: usize) -> &[Record] {
        self.scenario_runs.records(self.run_of(case))
    }

    /// Whether some environment was granted the capability for its case.
    pub(super) fn is_granted(&self, capability: &str) -> bool {
        self.granted.contains(capability)
    }

    /// Whether the JVM has come to its live phase: it sent VMInit.
    pub(super) fn has_started(&self) -> bool {
        self.life.iter().any(|happened| happened.what == "VMInit")
    }

    /// Whether the JVM said that it ends: it sent VMDeath, or called Agent_OnUnload.
    pub(super) fn shut_down(&self) -> bool {
        self.vm_died || self.unloaded
    }

    /// What happened to the agent as such.
    pub(super) fn life(&self) -> &[Happened] {
        &self.life
    }

    /// How the process ended, if the trace tells.
    pub(super) fn process(&self) -> Option<&Process> {
        self.process.as_ref()
    }

    /// What came of the case's event expectations.
    pub(super) fn watch(&self, case: usize) -> Option<&Watch<'a>> {
        self.watches.get(case)?.as_deref()
    }

    /// The case's point of view at a moment.
    pub(super) fn scope(&self, case: usize, seq: u64) -> Scope<'_> {
        Scope {
            names: &self.names,
            statements: &self.statements,
            steps: self.cases.get(case).map_or(&[], |c| &c.steps),
            saved: self.saved.get(case).map_or(&[], |s| s),
            run: self.run_of(case),
            seq,
        }
    }

    /// Takes the next record.
    pub(super) fn record(&mut self, record: Record) {
        let ended = self.names.observe(&record);
        match &record.body {
            Body::Event { .. } => self.event(record),
            Body::CallBegin { .. } => self.call_begin(&record),
            Body::CallEnd { .. } => self.call_end(record, ended),
            Body::Callback { .. } => self.callback(record),
            Body::CallbacksCounted { .. }
            | Body::Jni { .. }
            | Body::Given { .. }
            | Body::StepFailed { .. }
            | Body::FunctionMissing { .. } => self.step_record(&record),
            Body::EnvironmentMade { case: Some(case), index, code, .. } => {
                if let Some(trace) = self.cases.get_mut(*case as usize) {
                    trace.made.push((*index, *code));
                    trace.touch(record.at);
                }
            }
            Body::EnvironmentGone { environment } => {
                if let Some((case, _)) = self.owner(*environment)
                    && let Some(trace) = self.cases.get_mut(case)
                {
                    trace.touch(record.at);
                }
            }
            Body::RunBegin { .. }
            | Body::RunEnd { .. }
            | Body::Checkpoint { .. }
            | Body::Bind { .. }
            | Body::Fact { .. } => self.scenario_record(record),
            Body::Entry(EntryPoint::OnUnload) => self.unloaded = true,
            Body::AgentCalled { function, image, options } => self.life.push(Happened {
                what: function.clone(),
                image: Value::Str(image.clone().into_bytes()),
                options: options.clone(),
            }),
            Body::Ended(process) => self.process = Some(process.clone()),
            _ => {}
        }
    }

    /// Takes a record about a step, apart from its call.
    fn step_record(&mut self, record: &Record) {
        match &record.body {
            Body::CallbacksCounted { call, callback, count } => {
                if let Some((case, step)) = self.step_of_call(*call) {
                    self.cases[case].steps[step].counted.insert(callback.clone(), *count);
                    self.cases[case].tell(record, None, false);
                }
            }
            Body::Jni { step, result } => match self.place(*step) {
                Some((case, Some(step))) => {
                    self.cases[case].steps[step].jni = Some(result.clone());
                    self.cases[case].tell(record, None, false);
                    self.settle();
                }
                Some((case, None)) => self.cases[case].acts(*step),
                None => {}
            },
            Body::Given { step, memory, references, .. } => {
                if let Some((case, Some(step))) = self.place(*step) {
                    let transferred = Transferred { memory: memory.clone(), references: references.clone() };
                    self.cases[case].steps[step].transferred = transferred;
                }
            }
            Body::StepFailed { step, reason } => {
                self.not_taken(*step, NotTaken::Impossible(reason.clone()), record);
            }
            Body::FunctionMissing { step, function, entry } => {
                let why = NotTaken::FunctionMissing { function: *function, entry: *entry };
                self.not_taken(*step, why, record);
            }
            _ => {}
        }
    }

    /// Takes a record about a scenario run.
    fn scenario_record(&mut self, record: Record) {
        match &record.body {
            Body::RunBegin { run } => self.scenario_runs.begin(*run),
            Body::RunEnd { run } => {
                let run = *run;
                self.scenario_runs.keep(record);
                return self.scenario_runs.end(run);
            }
            Body::Checkpoint { name, .. } => self.checkpoint(name),
            Body::Bind { name, value } if self.statements.wants(name) => {
                self.statements.bind(name.clone(), record.seq, self.scenario_runs.under_way(), value.clone());
                self.settle();
            }
            Body::Fact { key, value } => {
                if key == SCENARIO_FAILED || key == LACKING {
                    self.scenario_runs.throw(value.clone());
                }
                if self.statements.wants(key) {
                    self.statements.state(
                        key.clone(),
                        record.seq,
                        self.scenario_runs.under_way(),
                        value.clone(),
                    );
                    self.settle();
                }
            }
            _ => {}
        }
        self.scenario_runs.keep(record);
    }

    /// Tells the cases of the run that the scenario passes a checkpoint.
    fn checkpoint(&mut self, passed: &str) {
        let run = self.scenario_runs.under_way();
        for ((trace, plan), case) in self.cases.iter_mut().zip(&self.plan.cases).zip(&self.brief.cases) {
            if plan.run == run {
                let due = |step: usize| matches!(&case.steps[step].plan.at, Trigger::Checkpoint(name) if name == passed);
                trace.passes(due);
            }
        }
    }

    fn not_taken(&mut self, step: StepRef, why: NotTaken, record: &Record) {
        let Some((case, index)) = self.place(step) else { return };
        let trace = &mut self.cases[case];
        trace.tell(record, None, index.is_none());
        match index {
            Some(index) => trace.steps[index].not_taken = Some(why),
            None if matches!(step, StepRef::Setup { .. }) => trace.setup_impossible.push(match why {
                NotTaken::FunctionMissing { entry, .. } => entry.to_string(),
                NotTaken::Impossible(reason) => reason,
            }),
            None => {}
        }
    }

    /// Lets events that waited for something to be said or saved be decided.
    fn settle(&mut self) {
        for case in std::mem::take(&mut self.waiting) {
            self.settle_case(case);
        }
    }

    /// Lets the case's watch act, if the case has one.
    pub(super) fn with_watch(&mut self, case: usize, act: impl FnOnce(&mut Watch<'a>, Scope<'_>)) {
        let Some(mut watch) = self.watches.get_mut(case).and_then(Option::take) else { return };
        act(&mut watch, self.scope(case, 0));
        if watch.is_waiting() {
            self.waiting.insert(case);
        }
        self.watches[case] = Some(watch);
    }

    fn place(&self, step: StepRef) -> Option<(usize, Option<usize>)> {
        let case = step.case()? as usize;
        let trace = self.cases.get(case)?;
        let index = match step {
            StepRef::Step { step, .. } => Some(step as usize).filter(|i| *i < trace.steps.len()),
            _ => None,
        };
        Some((case, index))
    }

    /// Whether the environment of a case with that index there passes from case to case.
    pub(super) fn passes_on(&self, (case, index): (usize, u8)) -> bool {
        let planned = self.plan.cases.get(case).and_then(|case| case.environments.get(usize::from(index)));
        planned.is_some_and(|planned| planned.chain.is_some())
    }

    /// The case that an environment was made for, and its index there.
    pub(super) fn owner(&self, environment: u32) -> Option<(usize, u8)> {
        let owner = self.names.definitions().owner(environment)?;
        Some((owner.case? as usize, owner.index))
    }

    fn step_of_call(&self, call: u32) -> Option<(usize, usize)> {
        let (case, step) = self.place(self.names.calls().get(call)?.step)?;
        Some((case, step?))
    }

    fn call_begin(&mut self, record: &Record) {
        let Body::CallBegin { step, function, args, .. } = &record.body else { return };
        let Some((case, index)) = self.place(*step) else { return };
        self.cases[case].acts(*step);
        if !matches!(step, StepRef::Setup { .. }) {
            self.cases[case].tell(record, None, matches!(step, StepRef::Handler { .. }));
        }
        if let Some(index) = index {
            let thread = self.thread_passed(*function, args);
            let trace = &mut self.cases[case].steps[index];
            (trace.begun, trace.thread) = (Some((record.seq, record.thread)), thread);
        }
    }

    /// The thread that a call is about.
    fn thread_passed(&self, function: u16, args: &[Value]) -> Option<ObjectId> {
        let params = &self.names.facts(function)?.params;
        match args.get(params.iter().position(|param| param.name == "thread")?) {
            Some(Value::Object(thread)) => Some(*thread),
            _ => None,
        }
    }

    fn call_end(&mut self, record: Record, ended: Option<OpenCall>) {
        let (Body::CallEnd { code, outputs, .. }, Some(open)) = (&record.body, ended) else { return };
        if open.step == StepRef::None
            && let Some((case, step)) = self.refusals.asked(record.thread, open.function, *code, outputs)
        {
            self.cases[case].steps[step].unmodifiable = true;
        }
        let Some((case, index)) = self.place(open.step) else { return };
        let owner = self.owner(open.environment);
        let trace = &mut self.cases[case];
        match open.step {
            StepRef::Setup { .. } => {
                let index = owner.map_or(0, |(_, index)| index);
                if *code != 0 {
                    trace.setup_failed.push((index, open.function, *code));
                } else if Some(open.function) == self.add_capabilities {
                    let environment = self.brief.cases[case].environments.get(usize::from(index));
                    let names = environment.into_iter().flat_map(|e| &e.capabilities);
                    self.granted.extend(names.map(String::as_str));
                }
            }
            step => trace.tell(&record, Some(open.function), matches!(step, StepRef::Handler { .. })),
        }
        if let Some(index) = index
            && let Body::CallEnd { code, mut outputs, .. } = record.body
        {
            self.refusals.ended(record.thread, case, index, code);
            capabilities::by_name(self.names.spec(), open.function, &mut outputs);
            trace.steps[index].end = Some(CallEnd { code, outputs });
            self.settle_case(case);
        }
    }

    fn settle_case(&mut self, case: usize) {
        self.with_watch(case, |watch, scope| watch.settle(scope));
    }

    fn callback(&mut self, record: Record) {
        let Body::Callback { call, callback, args, .. } = &record.body else { return };
        let Some((case, step)) = self.step_of_call(*call) else { return };
        let expectations =
            self.brief.cases[case].steps[step].expect.iter().flat_map(|e| &e.callbacks).enumerate();
        let mut counts = std::mem::take(&mut self.cases[case].steps[step].callbacks);
        let scope = self.scope(case, record.seq);
        for (i, expectation) in expectations.filter(|(_, e)| e.callback == *callback) {
            counts[i].recorded += 1;
            match scope.check_params(&expectation.params, args) {
                Truth::Holds => counts[i].hits += 1,
                Truth::Fails => {}
                Truth::Unknown(cause) if cause.may_settle() => counts[i].pending.push(args.clone()),
                Truth::Unknown(cause) => counts[i].unknown = Some(cause),
            }
        }
        let trace = &mut self.cases[case];
        trace.steps[step].callbacks = counts;
        trace.tell(&record, None, true);
    }

    fn event(&mut self, record: Record) {
        let Body::Event { environment, event, args } = &record.body else { return };
        self.vm_died |= Some(*event) == self.vm_death;
        let Some((case, index)) = self.owner(*environment) else {
            if let Some(name) = self.life_events.get(event) {
                self.life.push(Happened::event(name));
            }
            return;
        };
        let Some(trace) = self.cases.get_mut(case) else { return };
        trace.tell(&record, None, true);
        if self.watches[case].as_ref().is_none_or(|watch| !watch.cares_for(*event)) {
            return;
        }
        let thread = match self.thread_params.get(event).and_then(|i| args.get(*i)) {
            Some(Value::Object(object)) => ThreadKey::Object(*object),
            _ => match self.names.definitions().thread_object(record.thread) {
                Some(object) => ThreadKey::Object(object),
                None => ThreadKey::Native(record.thread),
            },
        };
        let (seq, event) = (record.seq, *event);
        let Record { body: Body::Event { args, .. }, .. } = record else { return };
        let seen = Seen { seq, thread, environment: index, event, args };
        self.with_watch(case, |watch, scope| watch.offer(seen, scope));
    }
}
