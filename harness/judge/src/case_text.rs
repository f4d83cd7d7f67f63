//! A case in words: its steps, its expectations, and the statements that it cites.

use std::fmt::Write as _;

use jvmti_cases::model::{
    Case, Condition, Ending, Environment, EventExpectation, EventPattern, Expect, Life, LifeExpectation,
    Matcher, Sharing,
};
use jvmti_spec::{Assertion, Edition};
use jvmti_traces::Names;
use jvmti_wire::plan::{Made, Trigger};

use crate::conditions;

/// All of a case, for a JVM of the edition's release.
pub fn describe(case: &Case, edition: &Edition, assertions: &[Assertion]) -> String {
    let names = Names::new(edition);
    let mut out = format!("{}\n  {}\n\n", case.id, case.about);
    let mut line = |label: &str, text: String| {
        if !text.is_empty() {
            let _ = writeln!(out, "{label:<12}{text}");
        }
    };
    line("chapter", case.chapter.clone());
    line("subject", case.subject.clone().unwrap_or_default());
    line("releases", releases(case));
    line("scenario", case.scenario.clone().unwrap_or_else(|| "none".to_owned()));
    line("shares", sharing(case.sharing).to_owned());
    line("apart", case.apart.clone().unwrap_or_default());
    line("options", case.vm_options.join(" "));
    line("source", format!("{}:{}", case.source.file, case.source.line));
    if let Some(life) = &case.life {
        self::life(life).into_iter().for_each(|(label, text)| line(label, text));
    }
    for environment in &case.environments {
        line("environment", self::environment(environment));
    }
    out.push_str("\nsteps\n");
    for (i, step) in case.steps.iter().enumerate() {
        let _ = writeln!(out, "  {}. {}: {}", i + 1, trigger(&step.plan.at, edition), step.text);
        for condition in step.expect.iter().flat_map(|e| expectation(e, step_function(step), &names)) {
            let _ = writeln!(out, "       → {condition}");
        }
    }
    if !case.handlers.is_empty() {
        let _ = writeln!(out, "  and {} each time", plural(case.handlers.len(), "handler"));
    }
    if let Some(events) = &case.events {
        out.push_str("\nevents\n");
        for condition in self::events(events, &names) {
            let _ = writeln!(out, "  {condition}");
        }
    }
    if let Some(expected) = &case.life_expected {
        out.push_str("\nlife cycle of the agent\n");
        for condition in life_expectation(expected) {
            let _ = writeln!(out, "  {condition}");
        }
    }
    cites(&mut out, case, edition, assertions);
    out
}

/// The statements that the case cites, each once.
fn cites(out: &mut String, case: &Case, edition: &Edition, assertions: &[Assertion]) {
    out.push_str("\ncites\n");
    let mut cited: Vec<&str> = Vec::new();
    for id in case.citations() {
        if !cited.contains(&id) {
            cited.push(id);
        }
    }
    for id in cited {
        let _ = writeln!(out, "  {id}");
        match assertions.iter().find(|a| a.id == id) {
            Some(assertion) => {
                let _ = writeln!(out, "      {}", assertion.text);
                let _ = writeln!(out, "      ({}, section #{})", assertion.strength, assertion.anchor);
            }
            None => {
                let _ = writeln!(out, "      (not a statement of release {})", edition.release);
            }
        }
    }
}

fn life(life: &Life) -> Vec<(&'static str, String)> {
    let variables = life.environment.iter().map(|(name, value)| format!("{name}={value:?}"));
    let attached = life.attach.iter().map(|a| format!("{} with {:?}", a.library, a.options));
    let returns = life.returns.iter().map(i32::to_string);
    let joined = |texts: &mut dyn Iterator<Item = String>| texts.collect::<Vec<_>>().join(", ");
    vec![
        (
            "launcher",
            if life.embedded { "jvmti-check, with the statically linked agent `probe`" } else { "" }
                .to_owned(),
        ),
        ("options", life.options.join(" ")),
        ("variables", joined(&mut variables.into_iter())),
        ("attached", joined(&mut attached.into_iter())),
        ("returns", joined(&mut returns.into_iter())),
        (
            "ending",
            match life.ending {
                Ending::Return => String::new(),
                Ending::Exit(code) => format!("System.exit({code})"),
                Ending::Halt(code) => format!("Runtime.halt({code})"),
                Ending::Uncaught => "an uncaught exception".to_owned(),
                Ending::Sigterm => "SIGTERM".to_owned(),
            },
        ),
    ]
}

fn life_expectation(expected: &LifeExpectation) -> Vec<String> {
    let plain = |m: &Matcher| conditions::matcher(m, &|i| i.to_string());
    let mut lines = Vec::new();
    if !expected.in_order.is_empty() {
        let all: Vec<String> = expected.in_order.iter().map(conditions::happening).collect();
        lines.push(format!("in this order: {}", all.join(", then ")));
    }
    lines.extend(expected.never.iter().map(|h| format!("never {}", conditions::happening(h))));
    let counts = expected.counts.iter();
    lines.extend(counts.map(|(h, m)| format!("{}, times: {}", conditions::happening(h), plain(m))));
    let outside = [("exit", &expected.exit), ("stdout", &expected.stdout), ("stderr", &expected.stderr)];
    lines.extend(outside.iter().filter_map(|(name, m)| Some(format!("{name}: {}", plain(m.as_ref()?)))));
    lines
}

fn plural(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

fn releases(case: &Case) -> String {
    match case.releases {
        (None, None) => "all".to_owned(),
        (Some(first), None) => format!("{first} and later"),
        (None, Some(last)) => format!("up to {last}"),
        (Some(first), Some(last)) if first == last => first.to_string(),
        (Some(first), Some(last)) => format!("{first} to {last}"),
    }
}

fn sharing(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::Scenario => "its scenario run, with other cases",
        Sharing::Jvm => "its JVM, but not its scenario run",
        Sharing::Nothing => "nothing: it has its own JVM",
    }
}

fn environment(environment: &Environment) -> String {
    let mut text = environment.name.clone();
    if let Some(made) = environment.made {
        let when = match made {
            Made::OnLoad => "in OnLoad",
            Made::VmStart => "at VMStart",
            Made::VmInit => "at VMInit",
            Made::ScenarioRun => "when the scenario run begins",
            Made::FirstStep => "right before the first step",
            Made::Inherited => "in OnLoad, for a case before it",
        };
        let _ = write!(text, ", made {when}");
    }
    if let Some(version) = environment.version {
        let _ = write!(text, ", version {version:#x}");
    }
    for (what, names) in [("capabilities", &environment.capabilities), ("events", &environment.events)] {
        if !names.is_empty() {
            let _ = write!(text, "; {what}: {}", names.join(", "));
        }
    }
    text
}

fn trigger(trigger: &Trigger, edition: &Edition) -> String {
    match trigger {
        Trigger::OnLoad => "in Agent_OnLoad".to_owned(),
        Trigger::OnAttach => "in Agent_OnAttach".to_owned(),
        Trigger::OnUnload => "in Agent_OnUnload".to_owned(),
        Trigger::Primordial => "in the primordial phase".to_owned(),
        Trigger::VmStart => "at VMStart".to_owned(),
        Trigger::VmInit => "at VMInit".to_owned(),
        Trigger::VmDeath => "at VMDeath".to_owned(),
        Trigger::RunBegin => "before the scenario".to_owned(),
        Trigger::RunEnd => "after the scenario".to_owned(),
        Trigger::Checkpoint(name) => format!("at \"{name}\""),
        Trigger::Event { event, .. } => {
            let named = edition.event_by_number(*event);
            format!("on {}", named.map_or_else(|| format!("event {event}"), |e| e.name.clone()))
        }
        Trigger::Callback { of, callback } => format!("in {callback} of {of}"),
    }
}

/// The function that a step calls, by slot.
fn step_function(step: &jvmti_cases::model::Step) -> u16 {
    match &step.plan.action {
        jvmti_wire::plan::Action::Call { function, .. } => *function,
        _ => 0,
    }
}

fn expectation(expect: &Expect, function: u16, names: &Names<'_>) -> Vec<String> {
    use jvmti_wire::Value;
    let mut lines: Vec<String> = expect.error.iter().map(conditions::error).collect();
    for output in &expect.outputs {
        let int = |i| names.parameter(function, output.param, &Value::Int(i));
        lines.push(format!("{}: {}", output.name, conditions::matcher(&output.matcher, &int)));
    }
    match &expect.when {
        Some(Condition::Output { name, is, .. }) => {
            let is = conditions::matcher(is, &|i| i.to_string());
            lines.insert(0, format!("only where {name} is {is}:"));
        }
        Some(Condition::Comes) => lines.insert(0, "only if this comes:".to_owned()),
        None => {}
    }
    for callback in &expect.callbacks {
        let plain = |i: i64| i.to_string();
        let params: Vec<String> = callback
            .params
            .iter()
            .map(|(_, name, matcher)| format!("{name}: {}", conditions::matcher(matcher, &plain)))
            .collect();
        let count = conditions::matcher(&callback.count, &plain);
        lines.push(format!("{}({}) comes {count} times", callback.callback, params.join(", ")));
    }
    lines
}

fn patterns(names: &Names<'_>, any: &[EventPattern]) -> String {
    any.iter().map(|p| conditions::pattern(names, p)).collect::<Vec<_>>().join(" and ")
}

fn events(events: &EventExpectation, names: &Names<'_>) -> Vec<String> {
    let pattern = |p: &EventPattern| conditions::pattern(names, p);
    let mut lines: Vec<String> =
        events.in_order.iter().enumerate().map(|(i, p)| format!("{}. {}", i + 1, pattern(p))).collect();
    lines.extend(events.never.iter().map(|p| format!("never {}", pattern(p))));
    for (p, count) in &events.counts {
        lines.push(format!("{}: {} times", pattern(p), conditions::matcher(count, &|i| i.to_string())));
    }
    for exactly in &events.exactly {
        lines.push(format!("exactly, of all {}:", patterns(names, &exactly.of)));
        lines.extend(exactly.are.iter().enumerate().map(|(i, p)| format!("  {}. {}", i + 1, pattern(p))));
    }
    for between in &events.between {
        let is = conditions::matcher(&between.is, &|i| i.to_string());
        let [from, to, of] = [&between.from, &between.to, &between.of].map(pattern);
        lines.push(format!("between {from} and {to}: {of}, {is} times"));
    }
    for (first, second) in &events.per_thread_before {
        lines.push(format!("on each thread, no {} after {}", pattern(first), pattern(second)));
    }
    lines
}
