//! A case as the planner and the judge see it: read from YAML, checked against the specification of one release,
//! with every name resolved. Rule files expand to many of these.
//!
//! A case is serialised into the trace of the launch that ran it, so that a trace can be judged by itself.

mod events;
mod life;
#[cfg(test)]
mod tests;

use jvmti_spec::Release;
use jvmti_wire::plan;
use serde::{Deserialize, Serialize};

pub use self::events::{CountBetween, EventPattern, Exactly};
pub use self::life::{Attachment, Ending, Happening, Life, LifeExpectation};

/// Whether a JVM that refuses this option breaks a promise: those that start agents are of JVM TI, and every launcher sets
/// properties. No text says which others a JVM has.
pub fn is_of_every_jvm(option: &str) -> bool {
    option.starts_with("-agent") || option.starts_with("-D")
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// One case, for one release.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Stable id (`thread/get-thread-state/sleeping`, `SuspendThread#phase/start`).
    pub id: String,
    /// One line for people: what is checked.
    pub about: String,
    /// Chapter under which reports show it (`thread`, `events`, …).
    pub chapter: String,
    /// Function or event that it is about.
    pub subject: Option<String>,
    /// Where it is written.
    pub source: Source,
    /// Releases for which it is meant: first and last, inclusive.
    pub releases: (Option<Release>, Option<Release>),
    /// Java scenario that it needs, by simple class name.
    pub scenario: Option<String>,
    /// What it may share.
    pub sharing: Sharing,
    /// The name of the cases among which its JVM is shared, if not among all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<String>,
    /// How often its scenario runs again for it, in the same JVM: what threads do at the same time shows now and then only.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeats: u32,
    /// Whether the text leaves open what becomes of a VM that doesn't detect what is wrong in it: a crash or hang is
    /// no violation then. Such cases share no JVM with others.
    #[serde(default)]
    pub undefined: bool,
    /// Whether the text gives no time for what it waits for: a VM that is given up meanwhile violates nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untimed: bool,
    /// Whether it names a place in a method by an index in its bytecode: where locations have another format, it does not apply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bytecode_indices: bool,
    /// Options that its JVM needs beyond the user's.
    pub vm_options: Vec<String>,
    /// Its environments; at least one.
    pub environments: Vec<Environment>,
    /// The sequence of steps.
    pub steps: Vec<Step>,
    /// What is done each time.
    pub handlers: Vec<plan::Handler>,
    /// Indices of the handlers without which the case tests nothing: if the trigger of one never fires, it does not apply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub awaited: Vec<u32>,
    /// What its environments' events must look like as a whole.
    pub events: Option<EventExpectation>,
    /// What the scenario must have stated for the case to apply, by key: the proof that what the case is about happened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub occasion: Vec<(String, Matcher)>,
    /// What the scenario must have stated in the end, by key.
    #[serde(default)]
    pub facts: Vec<(String, Matcher)>,
    /// Assertions cited by the case as a whole (steps may cite their own).
    pub cites: Vec<String>,
    /// How agents get into its JVM and how that ends, where this is what the case is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub life: Option<Life>,
    /// What must become of the agent and the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub life_expected: Option<LifeExpectation>,
}

impl Case {
    /// Whether its JVM is ended by SIGTERM.
    pub fn ends_by_sigterm(&self) -> bool {
        self.life.as_ref().is_some_and(|life| life.ending == Ending::Sigterm)
    }

    /// Every assertion that the case or one of its steps cites.
    pub fn citations(&self) -> impl Iterator<Item = &str> {
        self.cites.iter().chain(self.steps.iter().flat_map(|step| &step.cites)).map(String::as_str)
    }

    /// The assertions that one of its steps rests on.
    pub fn cites_of<'c>(&'c self, step: &'c Step) -> &'c [String] {
        if step.cites.is_empty() { &self.cites } else { &step.cites }
    }
}

/// Place in a case file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Path relative to the cases folder.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// What a case may share with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// One run of its scenario with others (the default).
    #[default]
    Scenario,
    /// A run of its scenario of its own, in a shared JVM: it changes what the scenario does.
    Jvm,
    /// A JVM of its own: it changes global state for good, or may end the VM.
    Nothing,
}

/// A JVM TI environment that a case needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// Name within the case; `main` if not named.
    pub name: String,
    /// When to make it; `None`: the planner decides by the steps and by when the capabilities are available.
    pub made: Option<plan::Made>,
    /// `GetEnv` version; `None`: the newest.
    pub version: Option<i32>,
    /// Capabilities (names).
    pub capabilities: Vec<String>,
    /// Events enabled globally from the start (names).
    pub events: Vec<String>,
}

/// One step with what it must achieve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What the agent does, and when.
    pub plan: plan::PlannedStep,
    /// What must come of it.
    pub expect: Option<Expect>,
    /// Assertions that this step's expectation rests on; empty: the case's.
    pub cites: Vec<String>,
    /// Whether the step only prepares or tidies up, so that no assertion rests on its success: its `expect` was not
    /// written, and the case expects something else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub helper: bool,
    /// The step as written, for people (`GetThreadState(thread: $sleeper)`).
    pub text: String,
}

/// What a call must achieve. All parts given must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expect {
    /// Only there; elsewhere the call may achieve what it likes.
    #[serde(default)]
    pub when: Option<Condition>,
    /// The error code.
    pub error: Option<ErrorExpectation>,
    /// Outputs, by index and name of the parameter.
    pub outputs: Vec<OutputExpectation>,
    /// Agent callbacks invoked during the call (heap callbacks).
    pub callbacks: Vec<CallbackExpectation>,
}

/// Where an expectation counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Where the moment comes at all: an event that no VM has to send.
    Comes,
    /// Where something recorded earlier is as described.
    Output {
        /// What.
        of: Reference,
        /// As written, for people.
        name: String,
        /// What it must be.
        is: Box<Matcher>,
    },
}

/// Which error codes are right (short names).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorExpectation {
    /// One of these.
    OneOf(Vec<String>),
    /// Any but these.
    NoneOf(Vec<String>),
}

impl ErrorExpectation {
    /// The errors of which the call must return one; `None` if it may succeed.
    pub fn errors(&self) -> Option<&[String]> {
        match self {
            ErrorExpectation::OneOf(codes) if codes.iter().all(|code| code != "NONE") => Some(codes),
            _ => None,
        }
    }
}

/// What an output must be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputExpectation {
    /// Index of the parameter after the environment.
    pub param: u16,
    /// Its name.
    pub name: String,
    /// What it must be.
    pub matcher: Matcher,
}

/// How agent callbacks of one type must have come during a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallbackExpectation {
    /// C type name.
    pub callback: String,
    /// Conditions by parameter index and name; invocations for which all hold are counted.
    pub params: Vec<(u16, String, Matcher)>,
    /// How many of those there must be.
    pub count: Matcher,
}

/// A condition on a recorded value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matcher {
    /// Equal to this.
    Equals(Literal),
    /// The same as what this refers to.
    Is(Reference),
    /// Integer in this range, inclusive; an end may be open.
    Range(Option<i64>, Option<i64>),
    /// Integer not less than what this refers to.
    AtLeast(Reference),
    /// Integer not greater than what this refers to.
    AtMost(Reference),
    /// Integer with these bits set and those not (names kept for messages).
    Bits {
        /// Must be set.
        has: Vec<(String, i64)>,
        /// Must not be set.
        lacks: Vec<(String, i64)>,
    },
    /// A thread state that keeps every rule of the text; and, if given, whose conversion to `java.lang.Thread.State`
    /// is the named one.
    ThreadState(Option<String>),
    /// A thread state that equals this in all but the vendor's bits, which mean what each VM chooses.
    SameThreadState(Reference),
    /// String that contains this.
    Substring(String),
    /// Constant pool whose count of entries, in the way of the class file, satisfies this.
    Constants(Box<Matcher>),
    /// Bytecodes that load a string constant, by its index in that constant pool.
    Loads {
        /// The string.
        text: String,
        /// The constant pool.
        of: Reference,
    },
    /// Survey of classes that agrees with these class files.
    ClassFile {
        /// The class files.
        files: Reference,
        /// An earlier survey, and the class files of then: what it already answered otherwise is not told again.
        since: Option<(Reference, Reference)>,
    },
    /// Array or string whose length satisfies this.
    Length(Box<Matcher>),
    /// Array with at least one such element.
    Contains(Box<Matcher>),
    /// Array in which elements such as these follow each other.
    Consecutive(Vec<Matcher>),
    /// Integer that is what this refers to, plus a number.
    Plus(Reference, i64),
    /// Array all of whose elements are such.
    Each(Box<Matcher>),
    /// Array with exactly these elements, in order.
    Elements(Vec<Matcher>),
    /// Array with exactly these elements, in any order.
    Set(Vec<Matcher>),
    /// Structure whose named fields are such.
    Fields(Vec<(String, Matcher)>),
    /// All of these.
    All(Vec<Matcher>),
    /// Any of these.
    Any(Vec<Matcher>),
    /// Not that.
    Not(Box<Matcher>),
    /// The storage was left as the probe had prepared it.
    Untouched,
    /// Not null.
    NotNull,
    /// Valid modified UTF-8.
    ModifiedUtf8,
    /// All references in the output, at least one, are JNI local references.
    LocalReferences,
    /// All memory that the output hands over, at least one block, could be deallocated.
    Deallocated,
}

/// A value written in a case file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Literal {
    /// Null pointer or reference.
    Null,
    /// Integer, boolean (0 or 1), constant.
    Int(i64),
    /// `jfloat`, `jdouble`. NaN stands for each NaN, and the zeros differ.
    Float(#[serde(with = "plan::exact")] f64),
    /// String, compared with the recorded bytes as modified UTF-8.
    Str(String),
}

/// Something recorded elsewhere in the same trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reference {
    /// The object that the scenario bound to this name (the latest before the step), or a saved JNI result.
    Named(String),
    /// What the scenario stated by `Probe.fact` under this key (the latest before the step, else the first after).
    Fact(String),
    /// An output of an earlier step.
    Output {
        /// Name under which the step was saved.
        step: String,
        /// Index of the parameter.
        param: u16,
        /// Way into it.
        path: Vec<plan::PathPart>,
    },
    /// A class by signature (`Ljava/lang/String;`).
    Class(String),
    /// A method, by signature of the class and name, descriptor optional.
    Method {
        /// Signature of the declaring class.
        class: String,
        /// Name.
        name: String,
        /// Descriptor; `None`: any.
        signature: Option<String>,
    },
}

/// What the events sent to a case's environments must look like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventExpectation {
    /// These came, in this order, others in between allowed.
    pub in_order: Vec<EventPattern>,
    /// None of these came.
    pub never: Vec<EventPattern>,
    /// So many of these came.
    pub counts: Vec<(EventPattern, Matcher)>,
    /// Of all events of some sort these came, in this order, and no others.
    #[serde(default)]
    pub exactly: Vec<Exactly>,
    /// So many of some sort came between two others.
    #[serde(default)]
    pub between: Vec<CountBetween>,
    /// Of every pair on one thread, the first kind never comes after the second kind has come on that thread.
    pub per_thread_before: Vec<(EventPattern, EventPattern)>,
}

impl EventExpectation {
    /// Every sort of event that it is about.
    pub fn patterns(&self) -> impl Iterator<Item = &EventPattern> {
        let lists = self.in_order.iter().chain(&self.never).chain(self.counts.iter().map(|(of, _)| of));
        lists
            .chain(self.exactly.iter().flat_map(|exactly| exactly.of.iter().chain(&exactly.are)))
            .chain(self.between.iter().flat_map(|between| [&between.from, &between.to, &between.of]))
            .chain(self.per_thread_before.iter().flat_map(|(first, then)| [first, then]))
    }
}
