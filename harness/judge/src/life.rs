//! The life of an agent: the calls of its start-up and shutdown functions, and the process around them.

use jvmti_cases::model::{Happening, Matcher};
use jvmti_wire::plan::NOT_LOADABLE;
use jvmti_wire::trace::{Exit, Process};
use jvmti_wire::value::Value;

use super::grade::Grades;
use super::matching::Outcome;
use super::progress::Progress;
use super::{Assertions, conditions};

/// The events of the VM's life, which the probe listens to for itself.
pub(super) const LIFE_EVENTS: [&str; 3] = ["VMStart", "VMInit", "VMDeath"];

/// A call of a start-up or shutdown function, or an event of the VM's life.
#[derive(Clone, Debug)]
pub(super) struct Happened {
    /// The function or event.
    pub what: String,
    /// File name of what the function is in.
    pub image: Value,
    /// The options that it was passed.
    pub options: Value,
}

impl Happened {
    /// An event.
    pub(super) fn event(name: &str) -> Happened {
        Happened { what: name.to_owned(), image: Value::Null, options: Value::Null }
    }

    fn told(&self) -> String {
        let text = |value: &Value| match value {
            Value::Str(text) => format!("{:?}", String::from_utf8_lossy(text)),
            _ => "null".to_owned(),
        };
        match self.what.starts_with("Agent_On") && !self.what.starts_with("Agent_OnUnload") {
            true => format!("{}({}) in {}", self.what, text(&self.options), text(&self.image)),
            false => self.what.clone(),
        }
    }
}

/// Why the case does not apply to this JVM: another program cannot load its library.
pub(super) fn inapplicable(progress: &Progress<'_>, case: usize) -> Option<String> {
    let process = progress.process.as_ref()?;
    let embedded = progress.brief.cases[case].life.as_ref().is_some_and(|life| life.embedded);
    (embedded && process.exit == Exit::Code(NOT_LOADABLE))
        .then(|| format!("a launcher of ours cannot load this JVM: {}", process.stderr.trim()))
}

/// Judges what the case expects of the agent's life.
pub(super) fn judge(progress: &Progress<'_>, case: usize, assertions: &Assertions, grades: &mut Grades) {
    let written = &progress.brief.cases[case];
    let Some(expected) = &written.life_expected else { return };
    let Some(process) = &progress.process else {
        return grades.trouble("life", "the trace does not tell how the process ended");
    };
    for why in process.attached.iter().filter_map(|answer| answer.as_ref().err()) {
        grades.trouble("life", &format!("the JVM could not be asked to load the agent: {why}"));
    }
    let scope = progress.scope(case, u64::MAX);
    let check = |matcher: &Matcher, value: &Value| scope.check(matcher, value) == Outcome::Holds;
    let fits = |wanted: &Happening, happened: &Happened| {
        wanted.what == happened.what
            && wanted.options.as_ref().is_none_or(|m| check(m, &happened.options))
            && wanted.image.as_ref().is_none_or(|m| check(m, &happened.image))
    };
    let all = match progress.life.is_empty() {
        true => "nothing of it".to_owned(),
        false => progress.life.iter().map(Happened::told).collect::<Vec<_>>().join(", "),
    };
    let mut violation = |place: &str, expected: String, observed: String| {
        grades.violation(assertions, &written.cites, place, expected, observed);
    };
    let mut asserted = 0;

    if !expected.in_order.is_empty() {
        asserted += expected.in_order.len();
        let mut rest = progress.life.iter();
        if !expected.in_order.iter().all(|wanted| rest.any(|happened| fits(wanted, happened))) {
            let wanted: Vec<String> = expected.in_order.iter().map(conditions::happening).collect();
            violation("life", format!("in this order: {}", wanted.join(", then ")), all.clone());
        }
    }
    for unwanted in &expected.never {
        asserted += 1;
        if progress.life.iter().any(|happened| fits(unwanted, happened)) {
            violation("life", format!("never {}", conditions::happening(unwanted)), all.clone());
        }
    }
    for (wanted, count) in &expected.counts {
        asserted += 1;
        let times = progress.life.iter().filter(|happened| fits(wanted, happened)).count();
        if !check(count, &Value::Int(times as i64)) {
            let count = conditions::matcher(count, &|i| i.to_string());
            violation("life", format!("{}, times: {count}", conditions::happening(wanted)), all.clone());
        }
    }
    let texts =
        [("stdout", &expected.stdout, &process.stdout), ("stderr", &expected.stderr, &process.stderr)];
    for (place, matcher, text) in texts {
        let Some(matcher) = matcher else { continue };
        asserted += 1;
        if !check(matcher, &Value::Str(text.clone().into_bytes())) {
            violation(place, conditions::matcher(matcher, &|i| i.to_string()), format!("{text:?}"));
        }
    }
    if let (Some(matcher), Some(code)) = (&expected.exit, exit_code(process)) {
        asserted += 1;
        if !check(matcher, &Value::Int(code)) {
            let wanted = conditions::matcher(matcher, &|i| i.to_string());
            let said = format!("{}{}", process.stdout, process.stderr);
            violation("exit", wanted, format!("{code}\n{}", said.trim()));
        }
    }
    grades.asserted += u32::try_from(asserted).unwrap_or(u32::MAX);
}

/// The exit code as a shell tells it.
fn exit_code(process: &Process) -> Option<i64> {
    match process.exit {
        Exit::Code(code) => Some(code.into()),
        Exit::Signal(number) => Some(128 + i64::from(number)),
        Exit::TimedOut | Exit::Unknown => None,
    }
}
