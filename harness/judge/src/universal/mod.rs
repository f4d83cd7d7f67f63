//! Universal rules: the judge checks them for every call and event of every trace.
//!
//! A rule reports a violation only if the order of the records proves it. Records of two threads race: a thread may be about
//! to enter a callback when another thread records that it has disabled the event. So what a thread does affects its own
//! events at once, and those of another thread only from the second event after it.

mod after;
mod callback_environment;
mod calls;
mod class_order;
mod code_maps;
mod empty_lists;
mod enabled;
mod event_arguments;
mod goes_on;
mod kept;
mod method_ids;
mod one_at_a_time;
mod pairs;
mod phases;
mod returned_resources;
mod strings;
mod thread_end;
mod thread_states;

#[cfg(test)]
mod tests;

pub(super) use self::goes_on::goes_on;

use jvmti_results::{Finding, Verdict};
use jvmti_spec::Edition;
use jvmti_spec::edition::{Event, Function};
use jvmti_traces::Names;
use jvmti_wire::trace::{Body, OpenCall, Record};
use jvmti_wire::value::{ObjectId, Value};
use rustc_hash::FxHashMap;

use super::basis::Expected;
use super::progress::JudgePass;
use super::verdict_builder::VerdictBuilder;
use super::{Assertions, Brief};

/// A call that has returned.
struct Returned<'r> {
    record: &'r Record,
    call: &'r OpenCall,
    function: &'r Function,
    code: i32,
    outputs: &'r [(u16, Value)],
    exception: (bool, bool),
    /// Whether the environment belongs to a case.
    of_case: bool,
    names: &'r Names<'r>,
}

impl Returned<'_> {
    /// The call with its arguments, in words.
    fn place(&self) -> String {
        self.names.call(self.function.slot, &self.call.args)
    }

    /// What it wrote to the output of that index.
    fn output(&self, index: u16) -> Option<&Value> {
        self.outputs.iter().find(|(output, _)| *output == index).map(|(_, value)| value)
    }
}

/// A call that begins.
struct Begun<'r> {
    number: u32,
    environment: u32,
    function: &'r Function,
    args: &'r [Value],
}

/// Events that some rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    VmStart,
    VmInit,
    VmDeath,
    ThreadEnd,
    ClassLoad,
    ClassPrepare,
    CompiledMethodLoad,
    Other,
}

impl Kind {
    fn of(event: &Event) -> Kind {
        match event.name.as_str() {
            "VMStart" => Kind::VmStart,
            "VMInit" => Kind::VmInit,
            "VMDeath" => Kind::VmDeath,
            "ThreadEnd" => Kind::ThreadEnd,
            "ClassLoad" => Kind::ClassLoad,
            "ClassPrepare" => Kind::ClassPrepare,
            "CompiledMethodLoad" => Kind::CompiledMethodLoad,
            _ => Kind::Other,
        }
    }
}

/// What is looked up about an event each time one comes.
struct Facts<'a> {
    event: &'a Event,
    kind: Kind,
    /// Index of the parameter that is the event's own thread.
    thread: Option<usize>,
}

/// An event that was sent.
struct Sent<'r> {
    record: &'r Record,
    environment: u32,
    event: &'r Event,
    kind: Kind,
    args: &'r [Value],
    /// The thread that the event itself names as its own.
    thread: Option<ObjectId>,
    /// Whether the environment belongs to a case; else it is the probe's own or a foreign agent's.
    of_case: bool,
    /// Whether the environment passes from case to case.
    passes_on: bool,
    /// Whether any call is open, on whatever thread.
    in_call: bool,
    names: &'r Names<'r>,
}

impl<'r> Sent<'r> {
    /// What it passed as the parameter of this name.
    fn arg(&self, name: &str) -> Option<&'r Value> {
        let index = self.event.params.iter().position(|param| param.name == name)?;
        self.args.get(index)
    }
}

/// A rule, watching a trace go by.
trait UniversalRule {
    /// The assertion that it judges.
    fn assertion(&self) -> &'static str;
    /// A call begins.
    fn begun(&mut self, _call: &Begun<'_>) {}
    /// A call has returned.
    fn returned(&mut self, _call: &Returned<'_>) {}
    /// An event was sent.
    fn sent(&mut self, _event: &Sent<'_>) {}
    /// Any other record.
    fn other(&mut self, _record: &Record, _names: &Names<'_>) {}
    /// What it found.
    fn observed(self: Box<Self>) -> Observed;
}

/// What a rule has found.
#[derive(Default)]
struct Observed {
    /// Times that the rule applied.
    occasions: u64,
    /// Times that it was violated.
    violations: u64,
    findings: Vec<Finding>,
}

impl Observed {
    const MOST: usize = 10;

    /// A violation; of many, and of like ones, only the first are told.
    fn broken(&mut self, place: impl FnOnce() -> String, expected: &str, observed: impl FnOnce() -> String) {
        self.violations += 1;
        if self.findings.len() >= Self::MOST {
            return;
        }
        let finding =
            Finding { cites: vec![], place: place(), expected: expected.to_owned(), observed: observed() };
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }
}

/// All rules, and the tables that they look things up in.
pub(super) struct Watchers<'a> {
    functions: FxHashMap<u16, &'a Function>,
    events: FxHashMap<u16, Facts<'a>>,
    rules: Vec<Box<dyn UniversalRule + 'a>>,
}

impl<'a> Watchers<'a> {
    pub(super) fn new(spec: &'a Edition) -> Self {
        let facts = |event: &'a Event| {
            let own = |name: &str| matches!(name, "thread" | "virtual_thread");
            let thread = event.params.iter().position(|p| own(&p.name));
            (event.number, Facts { event, kind: Kind::of(event), thread })
        };
        Watchers {
            functions: spec.functions.iter().map(|f| (f.slot, f)).collect(),
            events: spec.events.iter().map(facts).collect(),
            rules: vec![
                Box::new(calls::ListedErrors::new(spec)),
                Box::new(calls::PendingException::kept()),
                Box::new(calls::PendingException::not_thrown()),
                Box::new(thread_states::ThreadStates::default()),
                Box::new(strings::Strings::default()),
                Box::new(phases::Phases::default()),
                Box::new(event_arguments::EventArguments::new(spec)),
                Box::new(enabled::Enabled::default()),
                Box::new(after::AfterDispose::default()),
                Box::new(after::AfterVmDeath::default()),
                Box::new(thread_end::ThreadEnd::default()),
                Box::new(class_order::LoadBeforePrepare::default()),
                Box::new(class_order::LoadOnce::default()),
                Box::new(returned_resources::ReturnedResources::references()),
                Box::new(returned_resources::ReturnedResources::memory()),
                Box::new(empty_lists::EmptyLists::default()),
                Box::new(method_ids::MethodIds::new(spec)),
                Box::new(pairs::Pairs::contended(spec)),
                Box::new(pairs::Pairs::waiting(spec)),
                Box::new(pairs::Pairs::collections(spec)),
                Box::new(code_maps::CodeMaps::default()),
                Box::new(one_at_a_time::OneAtATime::new(spec)),
                Box::new(callback_environment::CallbackEnvironment::default()),
                Box::new(kept::Storage::new(spec)),
                Box::new(kept::Breakpoints::new(spec)),
                Box::new(kept::Suspension::new(spec)),
                Box::new(kept::RawMonitors::new(spec)),
                Box::new(kept::Possessed::new(spec)),
                Box::new(kept::Lasting::new(spec)),
            ],
        }
    }

    /// The assertions that the rules judge.
    pub(super) fn assertions(&self) -> Vec<&'static str> {
        self.rules.iter().map(|rule| rule.assertion()).collect()
    }

    /// Takes the next record, before `progress` does.
    pub(super) fn record(&mut self, record: &Record, progress: &JudgePass<'_>) {
        match &record.body {
            Body::Event { environment, event, args } => {
                let Some(facts) = self.events.get(event) else { return };
                let thread = match facts.thread.and_then(|i| args.get(i)) {
                    Some(Value::Object(object)) => Some(*object),
                    _ => None,
                };
                let owner = progress.owner(*environment);
                let sent = Sent {
                    record,
                    environment: *environment,
                    event: facts.event,
                    kind: facts.kind,
                    args,
                    thread,
                    of_case: owner.is_some(),
                    passes_on: owner.is_some_and(|owner| progress.passes_on(owner)),
                    in_call: progress.names.calls().iter().next().is_some(),
                    names: &progress.names,
                };
                self.rules.iter_mut().for_each(|rule| rule.sent(&sent));
            }
            Body::CallBegin { call, environment, function, args, .. } => {
                let Some(function) = self.functions.get(function) else { return };
                let begun = Begun { number: *call, environment: *environment, function, args };
                self.rules.iter_mut().for_each(|rule| rule.begun(&begun));
            }
            Body::CallEnd { call, code, outputs, exception } => {
                let Some(open) = progress.names.calls().get(*call) else { return };
                let Some(function) = self.functions.get(&open.function) else { return };
                let (code, exception) = (*code, *exception);
                let (names, of_case) = (&progress.names, progress.owner(open.environment).is_some());
                let returned =
                    Returned { record, call: open, function, code, outputs, exception, of_case, names };
                self.rules.iter_mut().for_each(|rule| rule.returned(&returned));
            }
            _ => self.rules.iter_mut().for_each(|rule| rule.other(record, &progress.names)),
        }
    }

    /// The verdicts of the rules that had occasion to judge.
    pub(super) fn verdicts(self, assertions: &Assertions, brief: &Brief) -> Vec<Verdict> {
        self.rules.into_iter().filter_map(|rule| verdict(rule, assertions, brief)).collect()
    }
}

fn verdict(rule: Box<dyn UniversalRule + '_>, assertions: &Assertions, brief: &Brief) -> Option<Verdict> {
    let id = rule.assertion();
    verdict_on(id, &rule.observed(), assertions, brief)
}

/// The verdict on an assertion that a rule judges, if the rule applied.
fn verdict_on(id: &str, observed: &Observed, assertions: &Assertions, brief: &Brief) -> Option<Verdict> {
    let assertion = assertions.get(id);
    if observed.occasions == 0 {
        return None;
    }
    let cites = vec![id.to_owned()];
    let mut builder = VerdictBuilder::new(assertions);
    for finding in &observed.findings {
        let (expected, seen) = (finding.expected.clone(), finding.observed.clone());
        builder.violation((Expected::Other, &cites), &finding.place, expected, seen);
    }
    if observed.violations > observed.findings.len() as u64
        && let Some(last) = builder.findings.last_mut()
    {
        last.observed += &format!(" (one of {} violations)", observed.violations);
    }
    let case = format!("universal/{}", id.rsplit('/').next().unwrap_or(id));
    Some(Verdict {
        about: assertion.map_or_else(String::new, |a| a.text.clone()),
        chapter: assertion.map_or_else(|| "general".to_owned(), |a| a.chapter.clone()),
        subject: assertion.and_then(|a| a.subject.clone()),
        status: builder.status(),
        cites,
        asserted: u32::try_from(observed.occasions).unwrap_or(u32::MAX),
        findings: builder.findings,
        reproduce: brief.reproduce(&case),
        case,
        ..Verdict::default()
    })
}
