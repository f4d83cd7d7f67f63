//! Follows a trace, one model for each sequence.

use jvmti_runner::launch::{Ended, Status};
use jvmti_traces::Names;
use jvmti_wire::trace::{Body, Exit, OpenCall, Record, StepRef};
use jvmti_wire::value::Value;
use rustc_hash::FxHashSet;

use crate::against::Answer;
use crate::coverage::Reached;
use crate::model::callbacks::is_quiet;
use crate::model::events::Came;
use crate::model::state::thing;
use crate::model::{self, Breach, Model, Tables};
use crate::sequence::{Call, Moment, Move, Place, Sequence};

/// What a sequence came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SequenceEnd {
    /// It was not run, or its environments could not be made.
    #[default]
    NotRun,
    /// Its calls returned.
    Done(Vec<Observation>),
    /// The JVM crashed, or hung.
    Ended(Culprit),
}

/// Something that a step did against the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Where.
    pub place: Place,
    /// What.
    pub breach: Breach,
}

/// What a JVM was doing when it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Culprit {
    /// The step that had begun and not ended, or the last one.
    pub place: Place,
    /// Whether the JVM hung, rather than crash.
    pub hung: bool,
    /// How it ended, for people.
    pub how: String,
    /// Whether some error was due, in this step or before, that a JVM need not detect.
    pub permitted: bool,
}

/// The exit code of a scenario that cannot bring a thread back to its state.
const BEYOND_REPAIR: i32 = 86;

/// The most events between two steps that are looked at.
const MOST_EVENTS: usize = 10_000;

/// Follows the trace of a launch. The first case of its plan is no sequence.
pub struct Follower<'t> {
    tables: &'t Tables,
    sequences: &'t [Sequence],
    names: Names<'t>,
    at: Option<At<'t>>,
    /// Sequences whose environments could not be made as planned.
    spoiled: FxHashSet<usize>,
    /// Environments that were refused their capabilities: the sequence, and the place among its environments.
    refused: FxHashSet<(usize, usize)>,
    over: bool,
    /// The last sequence at the checkpoint that has begun.
    last_at_checkpoint: Option<usize>,
    /// The sequence whose environments were made last, or disposed of.
    made: Option<usize>,
    /// What each sequence came to.
    pub outcomes: Vec<SequenceEnd>,
    /// How the calls of each sequence ended, if that is wanted.
    pub answers: Vec<Vec<Answer>>,
    keeps: bool,
    /// What was reached.
    pub coverage: Reached,
    /// Calls that returned.
    pub calls: u64,
}

/// The sequence that runs.
struct At<'t> {
    sequence: usize,
    model: Model<'t>,
    /// The last step that has begun, and whether it has ended.
    step: (usize, bool),
    /// Events since the last step ended.
    came: Vec<Came>,
    /// Calls of handlers that have begun and not ended.
    inside: Vec<(usize, usize)>,
    /// Whether a handler has done something since then that events may depend on.
    acted: bool,
}

impl At<'_> {
    /// The step that is being taken. Of an action it is recorded only that it has ended.
    fn step_now(&self, sequences: &[Sequence]) -> usize {
        let (last, has_ended) = self.step;
        let next = sequences[self.sequence].steps.get(last + 1);
        if has_ended && matches!(next, Some(Move::Java(_))) { last + 1 } else { last }
    }
}

impl<'t> Follower<'t> {
    /// Nothing has happened yet.
    pub fn new(tables: &'t Tables, sequences: &'t [Sequence], keeps: bool) -> Follower<'t> {
        Follower {
            tables,
            sequences,
            names: Names::new(&tables.edition),
            at: None,
            spoiled: FxHashSet::default(),
            refused: FxHashSet::default(),
            over: false,
            last_at_checkpoint: None,
            made: None,
            outcomes: vec![SequenceEnd::NotRun; sequences.len()],
            answers: vec![vec![]; sequences.len()],
            keeps,
            coverage: Reached::default(),
            calls: 0,
        }
    }

    /// Takes the next record.
    pub fn record(&mut self, record: &Record) {
        let ended = self.names.observe(record);
        match &record.body {
            Body::CallBegin { step: StepRef::Handler { case, handler, action }, .. } => {
                if let Some(at) = self.at_case(*case) {
                    at.inside.push((*handler as usize, *action as usize));
                }
            }
            Body::CallBegin { step, .. } => match place(*step) {
                Some((sequence, Some(step))) => self.begin(sequence, step),
                Some((sequence, None)) => self.made = Some(sequence),
                None => {}
            },
            Body::CallEnd { code, outputs, .. } => {
                let Some(ended) = ended else { return };
                if let StepRef::Handler { case, handler, action } = ended.step {
                    let place = (handler as usize, action as usize);
                    return self.end_inside(case, place, &model::CallEnd { code: *code, outputs });
                }
                match place(ended.step) {
                    Some((sequence, Some(step))) => {
                        self.end(sequence, step, &model::CallEnd { code: *code, outputs });
                    }
                    Some((sequence, None)) if *code != 0 => self.refuse(sequence, &ended),
                    _ => {}
                }
            }
            Body::Jni { step: StepRef::Handler { case, .. }, .. } => {
                if let Some(at) = self.at_case(*case) {
                    at.acted = true;
                }
            }
            Body::Jni { step, .. } => {
                if let Some((sequence, Some(step))) = place(*step) {
                    self.begin(sequence, step);
                    self.acted(step);
                }
            }
            Body::StepFailed { step: StepRef::Handler { .. }, .. } => {}
            Body::StepFailed { step, .. } | Body::FunctionMissing { step, .. } => {
                if let Some((sequence, step)) = place(*step) {
                    self.begin(sequence, step.unwrap_or(0));
                    self.spoil(sequence);
                }
            }
            Body::Event { environment, event, args } => self.event(*environment, *event, args),
            Body::RunEnd { .. } => self.over = true,
            _ => {}
        }
    }

    fn begin(&mut self, sequence: usize, step: usize) {
        if self.at.as_ref().is_none_or(|at| at.sequence != sequence) {
            let Some(planned) = self.sequences.get(sequence) else { return };
            if planned.moment == Moment::Checkpoint {
                self.last_at_checkpoint = Some(sequence);
            }
            let mut model = Model::new(self.tables, planned);
            model.state.lost = self.spoiled.contains(&sequence);
            for (index, environment) in model.state.environments.iter_mut().enumerate() {
                if self.refused.contains(&(sequence, index)) {
                    environment.capabilities = 0;
                }
            }
            let (came, inside) = (vec![], vec![]);
            self.at = Some(At { sequence, model, step: (step, false), came, inside, acted: false });
            self.outcomes[sequence] = SequenceEnd::Done(vec![]);
        }
        if let Some(at) = &mut self.at {
            at.step = (step, false);
        }
    }

    /// If the last sequence is over, and the environments of the next one have been made, its first action was under way.
    fn begin_unseen(&mut self) {
        let Some(at) = &self.at else { return };
        let next = at.sequence + 1;
        let is_over = at.step == (self.sequences[at.sequence].steps.len().saturating_sub(1), true);
        let first = self.sequences.get(next).and_then(|sequence| sequence.steps.first());
        if is_over && self.made == Some(next) && matches!(first, Some(Move::Java(_))) {
            self.begin(next, 0);
        }
    }

    fn call(&self, sequence: usize, step: usize) -> Option<&'t Call> {
        match self.sequences.get(sequence)?.steps.get(step)? {
            Move::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The sequence of that case, if it runs.
    fn at_case(&mut self, case: u32) -> Option<&mut At<'t>> {
        let sequence = case.checked_sub(1)? as usize;
        self.at.as_mut().filter(|at| at.sequence == sequence)
    }

    fn end(&mut self, sequence: usize, step: usize, ended: &model::CallEnd<'_>) {
        self.calls += 1;
        let Some(call) = self.call(sequence, step) else { return };
        let Some(at) = self.at.as_mut().filter(|at| at.sequence == sequence) else { return };
        at.step = (step, true);
        at.acted = false;
        let came = std::mem::take(&mut at.came);
        let wrong = at.model.judge_parameters(&came);
        let triple = (call.function, ended.code, at.model.digest(call));
        self.coverage.count(triple);
        if self.keeps && !at.model.state.lost {
            let outputs = comparable(self.tables, call, ended, &self.names);
            self.answers[sequence].push(Answer { step, code: ended.code, outputs });
        }
        let breaches = wrong.into_iter().chain(at.model.judge(call, ended, &self.names));
        if let SequenceEnd::Done(observations) = &mut self.outcomes[sequence] {
            observations.extend(breaches.map(|breach| Observation { place: step.into(), breach }));
        }
    }

    /// A call in a callback has ended.
    fn end_inside(&mut self, case: u32, inside: (usize, usize), ended: &model::CallEnd<'_>) {
        self.calls += 1;
        let tables = self.tables;
        let Some(at) = self.at.as_mut().filter(|at| case.checked_sub(1) == Some(at.sequence as u32)) else {
            return;
        };
        if let Some(open) = at.inside.iter().rposition(|open| *open == inside) {
            at.inside.remove(open);
        }
        let place = Place { step: at.step_now(self.sequences), inside: Some(inside) };
        let sequence = &self.sequences[at.sequence];
        let (Some(handler), Some(Move::Call(call))) = (sequence.handlers.get(inside.0), sequence.at(place))
        else {
            return;
        };
        at.acted |= tables.function(call.function).is_none_or(|function| !is_quiet(&function.name));
        let breaches = at.model.judge_inside(call, ended, &self.names, handler);
        self.coverage.count((call.function, ended.code, at.model.digest_inside(call, handler.is_on_main())));
        if let SequenceEnd::Done(observations) = &mut self.outcomes[at.sequence] {
            observations.extend(breaches.into_iter().map(|breach| Observation { place, breach }));
        }
    }

    fn acted(&mut self, step: usize) {
        let Some(at) = &mut self.at else { return };
        at.step = (step, true);
        let came = std::mem::take(&mut at.came);
        let disturbed = std::mem::take(&mut at.acted) || at.model.is_crowd();
        match self.sequences[at.sequence].steps.get(step) {
            Some(Move::Java(action)) => {
                let wrong = at.model.judge_parameters(&came);
                let events = match disturbed {
                    true => vec![],
                    false => at.model.judge_events(action, &came, &self.names),
                };
                let breaches = wrong.into_iter().chain(events);
                if let SequenceEnd::Done(observations) = &mut self.outcomes[at.sequence] {
                    observations.extend(breaches.map(|breach| Observation { place: step.into(), breach }));
                }
                at.model.acted(action);
            }
            Some(Move::Edit { file, by, save }) => at.model.edited(file, by, save),
            _ => {}
        }
    }

    fn event(&mut self, environment: u32, event: u16, args: &[Value]) {
        let owner = self.names.definitions().owner(environment);
        let Some((case, environment)) = owner.and_then(|owner| Some((owner.case?, owner.index))) else {
            return;
        };
        if let Some(at) = &mut self.at
            && case.checked_sub(1).is_some_and(|sequence| sequence as usize == at.sequence)
            && at.came.len() < MOST_EVENTS
        {
            at.came.push(Came { environment, event, args: args.to_vec() });
        }
    }

    /// A call that makes an environment of the sequence failed. Without its capabilities the environment is judged nevertheless.
    fn refuse(&mut self, sequence: usize, call: &OpenCall) {
        let adds = self.tables.function(call.function).is_some_and(|f| f.name == "AddCapabilities");
        let owner = self.names.definitions().owner(call.environment);
        match owner {
            Some(owner) if adds && self.at.as_ref().is_none_or(|at| at.sequence != sequence) => {
                self.refused.insert((sequence, usize::from(owner.index)));
            }
            _ => self.spoil(sequence),
        }
    }

    /// What follows in the sequence cannot be judged.
    fn spoil(&mut self, sequence: usize) {
        self.spoiled.insert(sequence);
        if let Some(at) = self.at.as_mut().filter(|at| at.sequence == sequence) {
            at.model.state.lost = true;
        }
    }

    /// How many sequences the JVM has been through. If it has ended by itself, the last of them is to blame.
    pub fn conclude(&mut self, ended: &Ended) -> usize {
        let orderly = ended.status == Status::Exited(0);
        if self.over && orderly {
            return self.sequences.len();
        }
        self.begin_unseen();
        let Some(at) = &self.at else { return 0 };
        if ended.status == Status::Exited(BEYOND_REPAIR) {
            // Sequences at the JVM's death have run before their time.
            return self.last_at_checkpoint.map_or(at.sequence, |last| last) + 1;
        }
        // Nobody is to blame.
        if Exit::from(ended.status).is_from_outside() {
            return at.sequence + 1;
        }
        let hung = ended.status == Status::TimedOut;
        let report = ended.crash_report.as_deref().and_then(problem);
        let how = match report {
            Some(problem) => format!("{}: {problem}", ended.status),
            None => ended.status.to_string(),
        };
        let place = Place { step: at.step_now(self.sequences), inside: at.inside.last().copied() };
        let sequence = &self.sequences[at.sequence];
        let open = match sequence.at(place) {
            // Of several threads, nobody knows whose call it was.
            _ if at.model.is_crowd() => sequence.all_calls().any(|call| at.model.allowed(call).is_open()),
            Some(Move::Call(call)) => at.model.allowed(call).may_be_open(),
            _ => false,
        };
        let permitted = at.model.state.lost || open;
        self.outcomes[at.sequence] = SequenceEnd::Ended(Culprit { place, hung, how, permitted });
        at.sequence + 1
    }
}

/// The outputs about classes, methods and fields: numbers and texts on which JVMs should agree.
fn comparable(tables: &Tables, call: &Call, ended: &model::CallEnd<'_>, names: &Names<'_>) -> String {
    const CHAPTERS: [&str; 3] = ["class", "method", "field"];
    let function = tables.function(call.function);
    // Class libraries differ.
    let is_of_library = call.args.iter().any(|arg| thing(arg, call.on).contains("java/lang/"));
    if is_of_library || !function.is_some_and(|function| CHAPTERS.contains(&function.chapter.as_str())) {
        return String::new();
    }
    let is_plain = |(_, value): &&(u16, Value)| matches!(value, Value::Int(_) | Value::Str(_));
    ended.outputs.iter().filter(is_plain).map(|(_, value)| names.value(value) + " ").collect()
}

/// The sequence and the step that a record is about.
fn place(step: StepRef) -> Option<(usize, Option<usize>)> {
    let sequence = step.case()?.checked_sub(1)? as usize;
    match step {
        StepRef::Step { step, .. } => Some((sequence, Some(step as usize))),
        _ => Some((sequence, None)),
    }
}

/// The frame in which a JVM crashed, as its report says.
fn problem(report: &str) -> Option<&str> {
    let mut lines = report.lines().skip_while(|line| !line.contains("Problematic frame"));
    lines.nth(1).map(|line| line.trim_start_matches(['#', ' ']))
}
