//! The life of an agent: the calls of its start-up and shutdown functions, and the process around them.

use jvmti_cases::LateStart;
use jvmti_cases::model::{Happening, LifeExpectation, Matcher, is_of_every_jvm};
use jvmti_wire::plan::NOT_LOADABLE;
use jvmti_wire::trace::{Exit, Process};
use jvmti_wire::value::Value;

use super::basis::Expected;
use super::conditions;
use super::happened::Happened;
use super::progress::JudgePass;
use super::references::Scope;
use super::truth::Truth;
use super::verdict_builder::VerdictBuilder;

/// The number of the signal that asks a process to end.
pub(super) const SIGTERM: i32 = 15;

/// Why the case does not apply to this JVM: another program cannot load its library, it lets SIGTERM end it at once, or it gave up on the
/// options of the case before it loaded any agent.
pub(super) fn inapplicable(progress: &JudgePass<'_>, case: usize) -> Option<String> {
    let process = progress.process()?;
    let written = &progress.brief.cases[case];
    let life = written.life.as_ref()?;
    if life.embedded && process.exit == Exit::Code(NOT_LOADABLE) {
        return Some(format!("a launcher of ours cannot load this JVM: {}", process.stderr.trim()));
    }
    let ended_at_once = process.exit == Exit::Signal(SIGTERM) && !progress.shut_down();
    if ended_at_once && written.ends_by_sigterm() {
        return Some("this JVM leaves SIGTERM to the operating system, which ends it at once".to_owned());
    }
    let gave_up = matches!(process.exit, Exit::Code(1..)) && progress.life().is_empty();
    (gave_up && !life.options.iter().all(|option| is_of_every_jvm(option))).then(|| {
        format!("this JVM does not load agents with {}: {}", life.options.join(" "), process.stderr.trim())
    })
}

/// What came of asking the JVM to start agents in the live phase.
pub(super) fn late_start(progress: &JudgePass<'_>) -> LateStart {
    let Some(process) = progress.process() else { return LateStart::Unknown };
    if progress.life().iter().any(|happened| happened.what.starts_with("Agent_OnAttach")) {
        return LateStart::Happened;
    }
    match (process.attached.first(), process.exit) {
        (Some(Ok(said)), Exit::Code(_)) => LateStart::Failed(format!("it answered {:?}", said.trim())),
        (Some(Err(why)), Exit::Code(_)) => LateStart::Failed(why.clone()),
        _ => LateStart::Unknown,
    }
}

/// Judges what the case expects of the agent's life.
pub(super) fn judge(progress: &JudgePass<'_>, case: usize, builder: &mut VerdictBuilder<'_>) {
    let written = &progress.brief.cases[case];
    let Some(expected) = &written.life_expected else { return };
    let Some(process) = progress.process() else {
        return builder.trouble("life", "the trace does not tell how the process ended");
    };
    if let Some(why) = process.attached.iter().find_map(|answer| answer.as_ref().err()) {
        return builder.trouble("life", &format!("the JVM could not be asked to load the agent: {why}"));
    }
    let all = match progress.life().is_empty() {
        true => "nothing of it".to_owned(),
        false => progress.life().iter().map(Happened::told).collect::<Vec<_>>().join(", "),
    };
    let scope = progress.scope(case, u64::MAX);
    let mut checked = LifeCheck { happened: progress.life(), all, scope, cites: &written.cites, builder };
    checked.happenings(expected);
    checked.process(expected, process);
}

/// What became of the agent and the process, being checked.
struct LifeCheck<'p, 'b, 'a> {
    happened: &'p [Happened],
    /// What happened, in words.
    all: String,
    scope: Scope<'p>,
    cites: &'p [String],
    builder: &'b mut VerdictBuilder<'a>,
}

impl LifeCheck<'_, '_, '_> {
    /// Counts an expectation as checked, and reports what it comes to unless it holds.
    fn check(&mut self, place: &str, truth: Truth, expected: String, observed: impl FnOnce(&str) -> String) {
        self.builder.assert(1);
        match truth {
            Truth::Holds => {}
            Truth::Unknown(cause) => self.builder.trouble(place, &cause.to_string()),
            Truth::Fails => {
                let basis = (Expected::Other, self.cites);
                self.builder.violation(basis, place, expected, observed(&self.all));
            }
        }
    }

    fn happenings(&mut self, expected: &LifeExpectation) {
        if !expected.in_order.is_empty() {
            self.builder.assert(expected.in_order.len() - 1);
            let wanted: Vec<String> = expected.in_order.iter().map(conditions::happening).collect();
            let wanted = format!("in this order: {}", wanted.join(", then "));
            self.check("life", self.in_order(&expected.in_order), wanted, str::to_owned);
        }
        for unwanted in &expected.never {
            let all = 0..self.happened.len();
            let came = all.fold(Truth::Fails, |so_far, at| so_far.or(|| self.fits(unwanted, at)));
            let wanted = format!("never {}", conditions::happening(unwanted));
            self.check("life", came.not(), wanted, str::to_owned);
        }
        for (wanted, count) in &expected.counts {
            let times = conditions::matcher(count, &|i| i.to_string());
            let expected = format!("{}, times: {times}", conditions::happening(wanted));
            self.check("life", self.count(wanted, count), expected, str::to_owned);
        }
    }

    fn process(&mut self, expected: &LifeExpectation, process: &Process) {
        let written =
            [("stdout", &expected.stdout, &process.stdout), ("stderr", &expected.stderr, &process.stderr)];
        for (place, matcher, text) in written {
            let Some(matcher) = matcher else { continue };
            let truth = self.scope.check(matcher, &Value::Str(text.clone().into_bytes()));
            let wanted = conditions::matcher(matcher, &|i| i.to_string());
            self.check(place, truth, wanted, |_| format!("{text:?}"));
        }
        if let (Some(matcher), Some(code)) = (&expected.exit, exit_code(process)) {
            let truth = self.scope.check(matcher, &Value::Int(code));
            let wanted = conditions::matcher(matcher, &|i| i.to_string());
            let said = format!("{}{}", process.stdout, process.stderr);
            self.check("exit", truth, wanted, |_| format!("{code}\n{}", said.trim()));
        }
    }

    /// Whether what happened at that position is the wanted one.
    fn fits(&self, wanted: &Happening, at: usize) -> Truth {
        let (earlier, happened) = (&self.happened[..at], &self.happened[at]);
        let check = |matcher: &Option<Matcher>, value| {
            matcher.as_ref().map_or(Truth::Holds, |matcher| self.scope.check(matcher, value))
        };
        Truth::from(wanted.what == happened.what)
            .and(|| check(&wanted.options, &happened.options))
            .and(|| check(&wanted.image, &happened.image))
            .and(|| wanted.before.as_ref().is_none_or(|b| earlier.iter().all(|e| e.what != *b)).into())
    }

    /// Whether all of these came, in this order.
    fn in_order(&self, wanted: &[Happening]) -> Truth {
        let came = |counts: &dyn Fn(&Truth) -> bool| {
            let mut rest = 0..self.happened.len();
            wanted.iter().all(|wanted| rest.any(|at| counts(&self.fits(wanted, at))))
        };
        let unknown = || {
            let pairs = wanted.iter().flat_map(|w| (0..self.happened.len()).map(move |at| (w, at)));
            pairs.map(|(w, at)| self.fits(w, at)).find(|truth| matches!(truth, Truth::Unknown(_)))
        };
        if came(&|truth| *truth == Truth::Holds) {
            Truth::Holds
        } else if came(&|truth| *truth != Truth::Fails) {
            unknown().unwrap_or(Truth::Fails)
        } else {
            Truth::Fails
        }
    }

    /// Whether as many of these came as the matcher says.
    fn count(&self, wanted: &Happening, is: &Matcher) -> Truth {
        let mut times = 0;
        for at in 0..self.happened.len() {
            match self.fits(wanted, at) {
                Truth::Holds => times += 1,
                Truth::Fails => {}
                unknown => return unknown,
            }
        }
        self.scope.check(is, &Value::Int(times))
    }
}

/// The exit code as a shell tells it.
fn exit_code(process: &Process) -> Option<i64> {
    match process.exit {
        Exit::Code(code) => Some(code.into()),
        Exit::Signal(number) => Some(128 + i64::from(number)),
        Exit::TimedOut | Exit::Unknown => None,
    }
}
