//! A model of the specification: what a JVM may answer to each call of a sequence, by the tables of the text and by what the
//! calls before it have brought about.
//!
//! [`rows`] has the error tables in a form that can be evaluated, [`conditions`] evaluates them, [`effects`] says what a call
//! changes, [`outputs`] what it must return, and [`state`] is what the model remembers. Where the model cannot know, it allows
//! everything: a false alarm is worse than silence.

mod answers;
pub mod callbacks;
pub mod conditions;
mod crowd;
mod effects;
pub mod events;
mod members;
pub mod outputs;
mod redefinition;
pub mod rows;
pub mod state;
#[cfg(test)]
mod tests;

use jvmti_spec::edition::Function;
use jvmti_spec::{Assertions, Edition, Release, Spec};
use jvmti_traces::Names;
use jvmti_wire::plan::Arg;
use jvmti_wire::value::Value;

use crate::cast::{self, Role};
use crate::sequence::{Call, Capabilities, EventHandler, Move, Sequence};
use conditions::Calling;
use rows::Row;
use state::{Environment, State, Tri};

/// The error `INTERNAL`.
const INTERNAL: &str = "INTERNAL";
/// The error `OUT_OF_MEMORY`, which any function may return when it is true.
const OUT_OF_MEMORY: &str = "OUT_OF_MEMORY";

/// The specification of a release, prepared for models.
#[derive(Debug)]
pub struct Tables {
    /// The specification.
    pub edition: Edition,
    /// The rows of each function, by slot.
    rows: Vec<Vec<Row>>,
    /// The index of each function, by slot.
    functions: Vec<Option<usize>>,
    /// The threads that the scenario brings into states.
    pub roles: Vec<Role>,
    /// The statements.
    pub assertions: Assertions,
}

impl Tables {
    /// The tables for JVMs of a release.
    pub fn new(release: Release) -> Tables {
        let edition = Spec::embedded().at(release);
        let most = edition.functions.iter().map(|function| usize::from(function.slot)).max().unwrap_or(0);
        let mut rows = vec![Vec::new(); most + 1];
        let mut functions = vec![None; most + 1];
        for (index, function) in edition.functions.iter().enumerate() {
            rows[usize::from(function.slot)] = rows::rows(&edition, function);
            functions[usize::from(function.slot)] = Some(index);
        }
        let assertions = Spec::embedded().assertions(release).into_iter().collect();
        Tables { rows, functions, roles: cast::roles(release), assertions, edition }
    }

    /// The function of a slot.
    pub fn function(&self, slot: u16) -> Option<&Function> {
        let index = self.functions.get(usize::from(slot)).copied().flatten()?;
        self.edition.functions.get(index)
    }

    /// The rows of the function's error table.
    pub fn rows(&self, function: &Function) -> &[Row] {
        self.rows.get(usize::from(function.slot)).map_or(&[], Vec::as_slice)
    }

    /// The capabilities that an argument names.
    pub fn set_of(&self, arg: &Arg) -> Option<Capabilities> {
        let Arg::Struct(fields) = arg else { return None };
        let bit = |(name, _): &(String, Arg)| self.edition.capability(name).map(|c| 1 << c.bit);
        fields.iter().map(bit).try_fold(0, |set, bit| Some(set | bit?))
    }

    /// The short name of an error.
    pub fn error(&self, code: i32) -> String {
        self.edition.error_by_number(code).map_or_else(|| code.to_string(), |error| error.name.clone())
    }
}

/// Something that a JVM did against the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The statements that it breaks.
    pub cites: Vec<String>,
    /// Whether the text obliges the JVM; if not, what it did is permitted.
    pub must: bool,
    /// What the expectation is about: `error`, or the name of an output.
    pub of: String,
    /// What was expected, as case files write it.
    pub expected: String,
    /// What was observed, for people.
    pub observed: String,
}

/// How a call ended.
#[derive(Clone, Copy, Debug)]
pub struct CallEnd<'r> {
    /// The error.
    pub code: i32,
    /// The outputs, by index of the parameter.
    pub outputs: &'r [(u16, Value)],
}

/// What the errors of a call have to be.
#[derive(Clone, Debug, Default)]
pub struct Allowed<'t> {
    /// Rows whose conditions hold.
    pub due: Vec<&'t Row>,
    /// Rows whose conditions may hold.
    pub possible: Vec<&'t Row>,
}

impl Allowed<'_> {
    /// Whether some error is due that a JVM need not detect: then the text leaves open what follows.
    pub fn is_open(&self) -> bool {
        self.due.iter().any(|row| !row.must)
    }

    /// Whether some error may be due that a JVM need not detect.
    pub fn may_be_open(&self) -> bool {
        self.is_open() || self.possible.iter().any(|row| !row.must)
    }
}

/// Follows one sequence.
#[derive(Clone, Debug)]
pub struct Model<'t> {
    pub(crate) tables: &'t Tables,
    pub(crate) roles: &'t [Role],
    /// What is known.
    pub state: State,
    /// What handlers may do at any time.
    pub handlers: Vec<EventHandler>,
}

impl<'t> Model<'t> {
    /// The model at the beginning of a sequence.
    pub fn new(tables: &'t Tables, sequence: &Sequence) -> Model<'t> {
        let handlers = sequence.handlers.clone();
        Model { tables, roles: &tables.roles, state: State::new(&tables.roles, sequence), handlers }
    }

    /// The environment that a call is made in.
    pub(crate) fn environment(&self, call: &Call) -> Option<&Environment> {
        self.state.environments.get(usize::from(call.environment))
    }

    /// What of the state matters to coverage, before a call.
    pub fn digest(&self, call: &Call) -> u32 {
        let function = self.tables.function(call.function);
        let target = function.and_then(|function| {
            let calling = Calling { call, function };
            let index = calling.index("thread").or(calling.index("event_thread"))?;
            Some(self.target(calling, index))
        });
        self.state.digest(call.environment, target.unwrap_or(state::ThreadArgument::None))
    }

    /// The errors that a call may return.
    pub fn allowed(&self, call: &Call) -> Allowed<'t> {
        let mut allowed = Allowed::default();
        let Some(function) = self.tables.function(call.function) else { return allowed };
        let calling = Calling { call, function };
        for row in self.tables.rows(function) {
            match self.holds(&row.when, calling) {
                Tri::Yes => allowed.due.push(row),
                Tri::Maybe => allowed.possible.push(row),
                Tri::No => {}
            }
        }
        self.by_event(calling, &mut allowed);
        self.by_edit(calling, &mut allowed);
        allowed
    }

    /// The rows of SetEventNotificationMode that its table states for all events at once.
    fn by_event(&self, calling: Calling<'_>, allowed: &mut Allowed<'t>) {
        if calling.function.name != "SetEventNotificationMode" {
            return;
        }
        // Which capabilities an event needs is in the table of the event.
        let lacks = |row: &&Row| row.name != "MUST_POSSESS_CAPABILITY";
        allowed.due.retain(lacks);
        allowed.possible.retain(lacks);
        let number = state::int(calling.arg(1));
        let event = self.tables.edition.events.iter().find(|e| Some(i64::from(e.number)) == number);
        let has = |name: &String| {
            let bit = self.tables.edition.capability(name).map(|c| c.bit);
            let environment = self.environment(calling.call);
            bit.zip(environment).is_some_and(|(bit, e)| e.capabilities >> bit & 1 == 1)
        };
        if event.is_some_and(|event| !event.capabilities.required.iter().all(has)) {
            let rows = self.tables.rows(calling.function).iter();
            let rows = rows.filter(|row| row.name == "MUST_POSSESS_CAPABILITY");
            // The text speaks of an agent that tries to enable the event.
            match state::int(calling.arg(0)) {
                Some(1) => allowed.due.extend(rows),
                _ => allowed.possible.extend(rows),
            }
        }
    }

    /// Follows a step whose effect is that of its expected outcome, before it is executed.
    pub fn foresee(&mut self, step: &Move) {
        match step {
            Move::Java(action) => self.acted(action),
            Move::Call(_) if self.is_crowd() => {}
            Move::Edit { file, by, save } => self.edited(file, by, save),
            Move::Reply(_) => {}
            Move::Call(call) => {
                let allowed = self.allowed(call);
                // An error that a JVM need not detect may not come.
                if allowed.due.iter().all(|row| !row.must) {
                    let before: Vec<Tri> = self.state.threads.iter().map(|thread| thread.suspended).collect();
                    self.take_effect(call, &CallEnd { code: 0, outputs: &[] });
                    if !allowed.due.is_empty() || !allowed.possible.is_empty() {
                        self.blur(&before);
                    }
                }
            }
        }
        if self.is_crowd() {
            self.blur_all();
        } else {
            self.foresee_handlers();
        }
    }

    /// Judges how a call ended, and follows it.
    pub fn judge(&mut self, call: &Call, ended: &CallEnd<'_>, names: &Names<'_>) -> Vec<Breach> {
        let Some(function) = self.tables.function(call.function) else { return vec![] };
        if self.state.lost {
            return vec![];
        }
        if self.is_crowd() {
            return self.judge_in_crowd(Calling { call, function }, ended);
        }
        let allowed = self.allowed(call);
        let mut breaches: Vec<Breach> =
            self.judge_error(Calling { call, function }, &allowed, ended.code).into_iter().collect();
        if ended.code == 0 {
            if allowed.is_open() {
                self.state.lost = true;
            } else if breaches.is_empty() {
                breaches.extend(self.judge_outputs(Calling { call, function }, ended, names));
            }
            self.take_effect(call, ended);
        }
        if breaches.iter().any(|breach| breach.of == "error") {
            // What the call has changed is not known.
            self.state.lost = true;
        }
        breaches
    }

    /// Whether a frame of the thread is to be left that may be left by force already: until the thread is resumed, the state of its stack
    /// is undefined.
    fn is_stack_undefined(&self, calling: Calling<'_>) -> bool {
        let name = calling.function.name.as_str();
        let leaves = name == "PopFrame" || name.starts_with("ForceEarlyReturn");
        leaves && self.state.thread(self.target(calling, 0)).is_some_and(|thread| thread.asked)
    }

    fn judge_error(&self, calling: Calling<'_>, allowed: &Allowed<'_>, code: i32) -> Option<Breach> {
        let name = self.tables.error(code);
        if code == 0 && allowed.due.is_empty() {
            return None;
        }
        let expected = allowed.due.iter().chain(&allowed.possible);
        if code != 0 && expected.clone().any(|row| row.error == code) || name == OUT_OF_MEMORY {
            return None;
        }
        if name == "NULL_POINTER" && calling.call.args.contains(&Arg::Null) && !allowed.due.is_empty() {
            return None;
        }
        if name == INTERNAL && self.is_stack_undefined(calling) {
            return None;
        }
        let mut names: Vec<&str> = expected.map(|row| row.name.as_str()).collect();
        let mut cites: Vec<String> = allowed.due.iter().map(|row| row.cite.clone()).collect();
        if allowed.due.is_empty() {
            names.insert(0, "NONE");
            let phase = self.state.moment.phase();
            let word = rows::PHASES.iter().find(|(of, _)| *of == phase).map_or("live", |(_, word)| word);
            cites.push(format!("{}#phase/{word}", calling.function.name));
        }
        names.dedup();
        cites.sort();
        cites.dedup();
        let expected = match names.as_slice() {
            [one] => (*one).to_owned(),
            several => format!("[{}]", several.join(", ")),
        };
        // A JVM that does not detect an error may come upon trouble of its own instead.
        let is_open = if name == INTERNAL { allowed.may_be_open() } else { allowed.is_open() };
        let must = !is_open;
        let observed = if name == INTERNAL { "INTERNAL, an internal error".to_owned() } else { name };
        Some(Breach { cites, must, of: "error".to_owned(), expected, observed })
    }
}
