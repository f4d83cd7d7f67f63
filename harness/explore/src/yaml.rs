//! Writes sequences in the language of cases.

use jvmti_cases::invalid_name;
use jvmti_spec::edition::Function;
use jvmti_spec::{Release, Spec};
use jvmti_wire::plan::{Arg, OnThread};

use crate::cast;
use crate::finding::{Finding, Kind, step_name};
use crate::launches::{capability_names, tidied};
use crate::model::Tables;
use crate::sequence::{Call, EventHandler, Moment, Move, Sequence, name_of};
use crate::shrink::COPIES;

/// Where an argument is passed.
#[derive(Clone, Copy)]
pub struct Passed<'p> {
    /// The specification.
    pub tables: &'p Tables,
    /// The function that it is passed to.
    pub function: &'p Function,
    /// The event in whose callback, by number.
    pub event: Option<u16>,
}

/// An argument as case files write it.
pub fn arg(arg: &Arg, facts: Option<Passed<'_>>) -> String {
    let nested = |inner: &Arg| self::arg(inner, facts);
    match arg {
        Arg::Null => "null".to_owned(),
        Arg::Int(number) => number.to_string(),
        Arg::Float(number) => format!("{number:?}"),
        Arg::Str(text) => format!("{:?}", String::from_utf8_lossy(text)),
        Arg::Named(name) => format!("${name}"),
        Arg::CurrentThread => "$current_thread".to_owned(),
        Arg::Class(name) => quoted(&format!("class({name})")),
        Arg::Method { class, name, signature, is_static } => {
            let word = if *is_static { "static_method" } else { "method" };
            quoted(&format!("{word}({class}.{name}{signature})"))
        }
        Arg::Field { class, name, signature, is_static } => {
            let word = if *is_static { "static_field" } else { "field" };
            quoted(&format!("{word}({class}.{name}:{signature})"))
        }
        Arg::Output { step, path, .. } if !path.is_empty() => format!("${step}.length"),
        Arg::Output { step, param, .. } => match facts {
            // The other ones that are saved are class files.
            Some(at) if at.function.name != "RedefineClasses" => {
                format!("${step}.{}", saved_output(at.tables, at.function, *param))
            }
            _ => format!("${step}"),
        },
        Arg::EventParam(index) => {
            let event = facts.and_then(|at| at.tables.edition.event_by_number(at.event?));
            let param = event.and_then(|event| event.params.get(usize::from(*index)));
            param.map_or_else(|| format!("event.{index}"), |param| format!("event.{}", param.name))
        }
        Arg::List(list) => format!("[{}]", list.iter().map(nested).collect::<Vec<_>>().join(", ")),
        Arg::Struct(fields)
            if fields.iter().all(|(_, value)| *value == Arg::Int(1)) && !fields.is_empty() =>
        {
            format!("[{}]", fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "))
        }
        Arg::Struct(fields) => {
            let field = |(name, value): &(String, Arg)| format!("{name}: {}", nested(value));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        Arg::Callback(callback) if callback.returns.is_empty() => "callback".to_owned(),
        Arg::Callback(callback) => format!("{{returns: {:?}}}", callback.returns),
        Arg::Invalid(invalid) => format!("invalid({})", invalid_name(*invalid)),
        _ => "storage".to_owned(),
    }
}

fn saved_output(tables: &Tables, user: &Function, param: u16) -> String {
    let source = if user.name == "Deallocate" { "Allocate" } else { "CreateRawMonitor" };
    let function = tables.edition.function(source);
    let param = function.and_then(|function| function.params.get(usize::from(param)));
    param.map_or_else(|| "monitor_ptr".to_owned(), |param| param.name.clone())
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}

/// A file with the finding as its only case.
pub fn file(tables: &Tables, finding: &Finding, id: &str) -> String {
    // The id of the rule is that of its own verdict.
    let id = id.replace("universal/", "explored/universal-");
    let chapter = tables.edition.function(&finding.key.what).map_or("general", |function| &function.chapter);
    let sequence = tidied(tables, &finding.sequence);
    let mut text = format!("# Found by `jvmti-check explore`: {}.\n", finding.title());
    if !finding.before.is_empty() {
        text += "# It took other sequences before it in the same JVM, which this case does not make.\n";
    }
    text += &format!("chapter: {chapter}\n");
    if sequence.moment == Moment::Checkpoint {
        text += &format!("scenario: {}\n", cast::SCENARIO);
    }
    let first = first_release(tables, &sequence);
    if first > Release(8) {
        text += &format!("releases: {first}..\n");
    }
    text += &format!("at: {}\ncases:\n- id: {id}\n", sequence.moment.written());
    text += &format!("  about: {}\n", about(finding));
    if sequence.is_crowd() && sequence.moment == Moment::Checkpoint {
        text += &format!("  runs: {COPIES}\n");
    }
    if finding.key.permitted && !matches!(finding.kind, Kind::Breach(_)) {
        text += "  undefined: true\n";
    }
    text += &environments(tables, &sequence);
    text += &all_steps(tables, finding, &sequence);
    if let Kind::Breach(breach) = &finding.kind
        && let Some(event) = breach.of.strip_prefix("event ")
    {
        let expected = &breach.expected;
        text += &format!("  expect_events:\n    counts: [{{of: {{{event}: {{}}}}, is: {expected}}}]\n");
    }
    if let Some((param, event)) = parameter(finding) {
        text += &format!("  expect_events:\n    counts: [{{of: {{{event}: {{{param}: null}}}}, is: 0}}]\n");
    }
    let mut cites = finding.cites();
    if cites.is_empty() {
        let calls = sequence.calls().last();
        cites.extend(
            calls.map(|(place, _)| format!("{}#phase/live", step_name(tables, &sequence, place.into()))),
        );
    }
    text + &format!("  cites: [{}]\n", cites.iter().map(|cite| quoted(cite)).collect::<Vec<_>>().join(", "))
}

/// The parameter of an event that was null, and the event.
fn parameter(finding: &Finding) -> Option<(&str, &str)> {
    let Kind::Breach(breach) = &finding.kind else { return None };
    breach.of.strip_prefix("parameter ")?.split_once(" of ")
}

/// The first release that has all that the sequence uses.
fn first_release(tables: &Tables, sequence: &Sequence) -> Release {
    let names: Vec<String> =
        sequence.environments.iter().flat_map(|set| capability_names(tables, *set)).collect();
    let functions: Vec<&str> = sequence
        .all_calls()
        .filter_map(|call| tables.function(call.function))
        .map(|function| function.name.as_str())
        .collect();
    let is_virtual = sequence.all_calls().any(|call| format!("{:?}", call.args).contains("\"virtual_"));
    let has_all = |release: &Release| {
        let edition = Spec::embedded().at(*release);
        names.iter().all(|name| edition.capability(name).is_some())
            && functions.iter().all(|name| edition.function(name).is_some())
            && (!is_virtual || *release >= cast::VIRTUAL_SINCE)
    };
    let last = tables.edition.release;
    (8..=last.0).map(Release).find(has_all).unwrap_or(last)
}

/// What the case is about: the promise, not the finding.
fn about(finding: &Finding) -> String {
    let what = &finding.key.what;
    let text = match &finding.kind {
        Kind::Breach(breach) if breach.of == "error" => format!("{what} returns {} here", breach.expected),
        Kind::Breach(breach) if breach.of.starts_with("event ") => {
            format!("{} times {} comes here", breach.expected, breach.of)
        }
        Kind::Breach(breach) if breach.of.starts_with("parameter ") => format!("No {} is null", breach.of),
        Kind::Breach(breach) => format!("{what} sets {} as the calls before it require", breach.of),
        Kind::Crash { .. } => format!("{what} returns, and the JVM goes on"),
        Kind::Hang => format!("{what} returns"),
        Kind::Universal(_) => format!("{what} holds"),
    };
    quoted(&text)
}

fn environments(tables: &Tables, sequence: &Sequence) -> String {
    let names = |set: u128| capability_names(tables, set).join(", ");
    match sequence.environments.as_slice() {
        [one] => format!("  capabilities: [{}]\n", names(*one)),
        several => {
            let line = |(index, set): (usize, &u128)| {
                format!("  - {{name: {}, capabilities: [{}]}}\n", name_of(index), names(*set))
            };
            format!("  environments:\n{}", several.iter().enumerate().map(line).collect::<String>())
        }
    }
}

/// The steps and the handlers. A handler's call that shows the finding is a step itself, so that it can have an expectation.
fn all_steps(tables: &Tables, finding: &Finding, sequence: &Sequence) -> String {
    let several = sequence.environments.len() > 1;
    let judged = match (&finding.kind, finding.place.inside) {
        (Kind::Breach(_), Some((handler, last))) => sequence.handlers.get(handler).map(|h| (h, last)),
        _ => None,
    };
    let mut text = "  steps:\n".to_owned();
    for (index, step) in sequence.steps.iter().enumerate() {
        let mut line = self::step(tables, step, (several, None))
            + &expectation(finding, index, matches!(step, Move::Call(_)));
        if judged.is_some() && index == finding.place.step + 1 {
            line = line.replacen("- {", &format!("- {{at: {}, ", sequence.moment.written()), 1);
        }
        text += &line;
        if let Some((handler, last)) = judged.filter(|_| index == finding.place.step) {
            for (action, step) in handler.moves.iter().enumerate().take(last + 1) {
                let line = self::step(tables, step, (several, Some(handler.event)));
                let at = format!("- {{at: {}, ", trigger(tables, handler));
                text += &(line.replacen("- {", &at, 1) + &inside_expectation(finding, action == last));
            }
        }
    }
    let others = sequence.handlers.iter().filter(|other| judged.is_none_or(|(judged, _)| judged != *other));
    let lines: String = others.map(|handler| written_handler(tables, handler, several)).collect();
    if lines.is_empty() { text } else { text + "  handlers:\n" + &lines }
}

fn trigger(tables: &Tables, handler: &EventHandler) -> String {
    if let Some((of, callback)) = &handler.callback {
        return format!("{{callback: {callback}, of: {of}}}");
    }
    let Some(event) = tables.edition.event_by_number(handler.event) else { return String::new() };
    let condition = |(index, is): &(u16, Arg)| {
        let param = event.params.get(usize::from(*index))?;
        Some(format!("{}: {}", param.name, arg(is, None)))
    };
    let only: Vec<String> = handler.only.iter().filter_map(condition).collect();
    format!("{{{}: {{{}}}}}", event.name, only.join(", "))
}

fn written_handler(tables: &Tables, handler: &EventHandler, several: bool) -> String {
    let action = |step: &Move| {
        let text = self::step(tables, step, (several, Some(handler.event))) + "}";
        text.trim_start_matches(['-', ' ']).to_owned()
    };
    let actions: Vec<String> = handler.moves.iter().map(action).collect();
    let (at, times) = (trigger(tables, handler), handler.times);
    format!("  - {{at: {at}, times: {times}, do: [{}]}}\n", actions.join(", "))
}

/// A step without its end; `event`: in the callback of this event.
fn step(tables: &Tables, step: &Move, (several, event): (bool, Option<u16>)) -> String {
    let Call { environment, function, args, on, save } = match step {
        Move::Call(call) => call,
        Move::Java(action) => {
            let class = cast::SCENARIO_CLASS;
            return format!("  - {{jni: CallStaticVoidMethod, args: [\"{class}\", {action}]");
        }
        Move::Edit { file, by, save } => return format!("  - {{edit: ${file}, by: {by:?}, as: {save}"),
        Move::Reply(save) => {
            return format!(
                "  - {{reply: {{new_class_data: ${save}}}}}, {{reply: {{new_class_data_len: ${save}.length}}"
            );
        }
    };
    let Some(function) = tables.function(*function) else { return String::new() };
    let with: Vec<String> = function
        .params
        .iter()
        .zip(args)
        .filter(|(param, arg)| !(param.dir.is_output() && **arg == Arg::Storage))
        .map(|(param, arg)| {
            format!("{}: {}", param.name, self::arg(arg, Some(Passed { tables, function, event })))
        })
        .collect();
    let mut text = format!("  - {{call: {}", function.name);
    if !with.is_empty() {
        text += &format!(", with: {{{}}}", with.join(", "));
    }
    if several {
        text += &format!(", env: {}", name_of((*environment).into()));
    }
    if *on == OnThread::Attached {
        text += ", on: attached";
    }
    if let Some(save) = save {
        text += &format!(", as: {save}");
    }
    text
}

/// The expectation of the step that shows the finding; the others may come to what they like.
fn expectation(finding: &Finding, index: usize, is_call: bool) -> String {
    match &finding.kind {
        Kind::Breach(breach)
            if index == finding.place.step
                && finding.place.inside.is_none()
                && !breach.of.starts_with("event ")
                && parameter(finding).is_none() =>
        {
            let name = breach.of.trim_end_matches("_ptr");
            format!(", expect: {{{name}: {}}}}}\n", breach.expected)
        }
        _ if is_call => ", expect: any}\n".to_owned(),
        _ => "}\n".to_owned(),
    }
}

/// The same for a step in a callback.
fn inside_expectation(finding: &Finding, is_last: bool) -> String {
    match &finding.kind {
        Kind::Breach(breach) if is_last => {
            let name = breach.of.trim_end_matches("_ptr");
            format!(", expect: {{{name}: {}}}}}\n", breach.expected)
        }
        _ => ", expect: any}\n".to_owned(),
    }
}

#[cfg(test)]
mod tests;
