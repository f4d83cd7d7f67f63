//! The error tables of the specification, with their conditions in a form that can be evaluated.

use jvmti_spec::derived::{condition, error_assertion, error_strength};
use jvmti_spec::edition::{Function, NullRule, Phase};
use jvmti_spec::{Edition, Strength};

/// A condition of an error row. The numbers are indices of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The pointer is null.
    Null(usize),
    /// The environment lacks the capability, by bit.
    Lacks(u16),
    /// It is not a reference or id of its type.
    Invalid(usize),
    /// The thread is not alive.
    NotAlive(usize),
    /// The thread is neither suspended nor the current one; `false`: the current one counts, too.
    NotSuspended(usize, bool),
    /// The same, of virtual threads only.
    VirtualNotSuspended(usize),
    /// The thread is suspended.
    Suspended(usize),
    /// The number is negative.
    Negative(usize),
    /// The number is no value of the enumeration.
    NotIn(usize, Vec<i64>),
    /// A list contains 0.
    ContainsZero(usize),
    /// The event cannot be controlled by thread, and there is a thread.
    NotFilterable {
        /// The event.
        event: usize,
        /// The thread.
        thread: usize,
    },
    /// No event has the number.
    NoEvent(usize),
    /// The stack has no frame at the depth.
    NoFrame {
        /// The thread.
        thread: usize,
        /// The depth.
        depth: usize,
    },
    /// The stack has no frame where the trace is to start.
    NoStart {
        /// The thread.
        thread: usize,
        /// The start depth.
        depth: usize,
        /// Whether it is about start depths below 0.
        negative: bool,
    },
    /// The frame has no such slot.
    Slot(usize),
    /// The variable has another type.
    VariableType(usize),
    /// The bytecode has a breakpoint, or none.
    Breakpoint(bool),
    /// The field has a watch, or none.
    Watch {
        /// Whether there is one.
        set: bool,
        /// Whether it is for accesses.
        access: bool,
    },
    /// A frame pop has been requested for the frame.
    FramePop,
    /// The current thread does not own the raw monitor.
    NotOwner(usize),
    /// The thread has been interrupted.
    Interrupted,
    /// The priority is out of range.
    Priority(usize),
    /// The requested capabilities go beyond those possessed.
    MoreCapabilities(usize),
    /// The system property does not exist.
    NoProperty(usize),
    /// An array class or a primitive type.
    NoClassFile(usize),
    /// The method is native.
    Native(usize),
    /// The method has no such location.
    Location(usize),
    /// The module has no such package.
    NoPackage {
        /// The module.
        module: usize,
        /// Name of the package.
        package: usize,
    },
    /// The thread is virtual.
    Virtual(usize),
    /// It is this phase, in which the function may not be called.
    Phase(Phase),
    /// It is this phase, in which the text can be read either way.
    PerhapsPhase(Phase),
    /// It never holds for what sequences pass.
    Never,
    /// Only the JVM knows.
    Open,
}

/// A row of an error table, or one of its conditions.
#[derive(Clone, Debug)]
pub struct Row {
    /// The error's number.
    pub error: i32,
    /// Its short name.
    pub name: String,
    /// When it is due.
    pub when: Condition,
    /// Whether a JVM has to detect it.
    pub must: bool,
    /// The statement that promises it.
    pub cite: String,
}

/// The phases, as statements call them.
pub(super) const PHASES: [(Phase, &str); 5] = [
    (Phase::OnLoad, "onload"),
    (Phase::Primordial, "primordial"),
    (Phase::Start, "start"),
    (Phase::Live, "live"),
    (Phase::Dead, "dead"),
];

/// The rows of a function.
pub fn rows(edition: &Edition, function: &Function) -> Vec<Row> {
    let mut rows = Vec::new();
    for row in &function.errors {
        for text in &row.conditions {
            rows.extend(one(edition, function, &row.error, text));
        }
    }
    if let Some(error) = edition.error("WRONG_PHASE") {
        for (phase, word) in PHASES {
            let when = match function.phases.contains(&phase) {
                false => Condition::Phase(phase),
                // It says both that some functions may be called in any phase, and that none may once the JVM is dead.
                true if phase == Phase::Dead => Condition::PerhapsPhase(phase),
                true => continue,
            };
            let (name, cite) = (error.name.clone(), format!("{}#phase/{word}", function.name));
            rows.push(Row { error: error.number, name, when, must: false, cite });
        }
    }
    rows
}

fn one(edition: &Edition, function: &Function, error: &str, text: &str) -> Option<Row> {
    let number = edition.error(error)?.number;
    let what = condition(text);
    let when = parse(edition, function, error, what).unwrap_or(Condition::Open);
    let cite = match &when {
        Condition::Null(param) => format!("{}#null/{}", function.name, function.params.get(*param)?.name),
        Condition::Lacks(bit) => {
            let capability = edition.capabilities.iter().find(|c| c.bit == *bit)?;
            format!("{}#capability/{}", function.name, capability.name)
        }
        _ => error_assertion(function, error, text),
    };
    let must = error_strength(edition, error) == Strength::Must;
    Some(Row { error: number, name: error.to_owned(), when, must, cite })
}

fn parse(edition: &Edition, function: &Function, error: &str, what: &str) -> Option<Condition> {
    let param = |name: &str| function.params.iter().position(|p| p.name == name);
    let (subject, further) = what.split_once('@').map_or((what, None), |(s, f)| (s, Some(f)));
    let thread = || param("thread");
    Some(match (error, subject) {
        ("NULL_POINTER", name) if further.is_none() => {
            let index = param(name)?;
            match function.params[index].null {
                NullRule::Forbidden { .. } => Condition::Null(index),
                _ => Condition::Open,
            }
        }
        ("MUST_POSSESS_CAPABILITY", name) if further.is_none() => {
            Condition::Lacks(edition.capability(name)?.bit)
        }
        ("INVALID_CLASS", "klass_unloaded") => Condition::Never,
        ("THREAD_NOT_ALIVE", name) => Condition::NotAlive(param(name)?),
        ("THREAD_NOT_SUSPENDED", "not_current") => Condition::NotSuspended(thread()?, true),
        ("THREAD_NOT_SUSPENDED", "always") => Condition::NotSuspended(thread()?, false),
        ("THREAD_NOT_SUSPENDED", "virtual_and_not_current") => Condition::VirtualNotSuspended(thread()?),
        ("THREAD_SUSPENDED", _) => Condition::Suspended(thread()?),
        ("NO_MORE_FRAMES", "depth") => Condition::NoFrame { thread: thread()?, depth: param("depth")? },
        ("DUPLICATE", "breakpoint") => Condition::Breakpoint(true),
        ("NOT_FOUND", "breakpoint") => Condition::Breakpoint(false),
        ("DUPLICATE", "field_watch_accesses") => Condition::Watch { set: true, access: true },
        ("DUPLICATE", "field_watch_modifications") => Condition::Watch { set: true, access: false },
        ("NOT_FOUND", "field_watch_accesses") => Condition::Watch { set: false, access: true },
        ("NOT_FOUND", "field_watch_modifications") => Condition::Watch { set: false, access: false },
        ("DUPLICATE", "frame_pop_at_depth") => Condition::FramePop,
        ("NOT_MONITOR_OWNER", _) => Condition::NotOwner(param("monitor")?),
        ("INTERRUPT", _) => Condition::Interrupted,
        ("INVALID_PRIORITY", _) => Condition::Priority(param("priority")?),
        ("NOT_AVAILABLE", "capability_not_potential") => Condition::MoreCapabilities(0),
        ("NOT_AVAILABLE", "property_missing") => Condition::NoProperty(0),
        ("ABSENT_INFORMATION", "array_or_primitive_class") => Condition::NoClassFile(param("klass")?),
        ("NATIVE_METHOD", _) => Condition::Native(param("method")?),
        ("INVALID_SLOT", "slot") => Condition::Slot(param("slot")?),
        ("TYPE_MISMATCH", variable) if variable.starts_with("variable!=") => {
            Condition::VariableType(param("slot")?)
        }
        ("INVALID_LOCATION", _) => Condition::Location(param("method")?),
        ("UNSUPPORTED_OPERATION", "thread_virtual") => Condition::Virtual(thread()?),
        ("ILLEGAL_ARGUMENT" | "INVALID_EVENT_TYPE", _) => {
            return illegal(edition, function, subject, further);
        }
        (error, name) if error.starts_with("INVALID_") => Condition::Invalid(param(name)?),
        _ => return None,
    })
}

fn illegal(
    edition: &Edition,
    function: &Function,
    subject: &str,
    further: Option<&str>,
) -> Option<Condition> {
    let param = |name: &str| function.params.iter().position(|p| p.name == name);
    if let Some(name) = subject.strip_suffix("<0") {
        return Some(Condition::Negative(param(name)?));
    }
    if let Some((name, group)) = subject.split_once("_not_in_") {
        let values = match group {
            "jvmtiError" => edition.errors.iter().map(|error| error.number.into()).collect(),
            group => {
                let group = edition.constants.iter().find(|g| g.name == group)?;
                group.constants.iter().map(|constant| constant.value).collect()
            }
        };
        return Some(Condition::NotIn(param(name)?, values));
    }
    if subject.starts_with("start_depth") {
        let (thread, depth) = (param("thread")?, param("start_depth")?);
        return Some(Condition::NoStart { thread, depth, negative: subject.contains('-') });
    }
    match (subject, further) {
        ("pkg_name_not_in_module", _) => {
            Some(Condition::NoPackage { module: param("module")?, package: param("pkg_name")? })
        }
        ("tags_contains_0", _) => Some(Condition::ContainsZero(param("tags")?)),
        ("event_not_thread_controllable", Some(_)) => {
            Some(Condition::NotFilterable { event: param("event_type")?, thread: param("event_thread")? })
        }
        ("event_type", None) => Some(Condition::NoEvent(param("event_type")?)),
        _ => None,
    }
}
