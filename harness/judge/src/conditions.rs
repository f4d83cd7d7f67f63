//! Conditions in words, and what about a value does not satisfy them.

use jvmti_cases::model::{ErrorExpectation, EventPattern, Happening, Literal, Matcher, Reference};
use jvmti_traces::{Names, type_name};
use jvmti_wire::value::Value;

use super::thread_state;

/// `it came once`, `it came 2 times`.
pub fn came(n: impl TryInto<u64>) -> String {
    match n.try_into().unwrap_or(u64::MAX) {
        1 => "it came once".to_owned(),
        n => format!("it came {n} times"),
    }
}

/// The codes that are right.
pub(crate) fn error(expected: &ErrorExpectation) -> String {
    match expected {
        ErrorExpectation::OneOf(codes) if codes.len() == 1 => codes[0].clone(),
        ErrorExpectation::OneOf(codes) => format!("one of {}", codes.join(", ")),
        ErrorExpectation::NoneOf(codes) => format!("anything but {}", codes.join(", ")),
    }
}

/// The condition in words. `int` shows an integer of the parameter in question.
pub(crate) fn matcher(m: &Matcher, int: &dyn Fn(i64) -> String) -> String {
    let all = |ms: &[Matcher], by: &str| ms.iter().map(|m| matcher(m, int)).collect::<Vec<_>>().join(by);
    let plain = |m: &Matcher| matcher(m, &|i| i.to_string());
    match m {
        Matcher::Equals(Literal::Null) => "null".to_owned(),
        Matcher::Equals(Literal::Int(i)) => int(*i),
        Matcher::Equals(Literal::Float(f)) => format!("{f:?}"),
        Matcher::Equals(Literal::Str(s)) => format!("{s:?}"),
        Matcher::Is(r) => reference(r),
        Matcher::SameThreadState(r) => format!("{}, apart from the vendor's bits", reference(r)),
        Matcher::AtLeast(r) => format!("at least {}", reference(r)),
        Matcher::AtMost(r) => format!("at most {}", reference(r)),
        Matcher::Range(Some(low), Some(high)) => format!("{low} to {high}"),
        Matcher::Range(Some(low), None) => format!("at least {low}"),
        Matcher::Range(None, Some(high)) => format!("at most {high}"),
        Matcher::Range(None, None) => "any integer".to_owned(),
        Matcher::Bits { has, lacks } => {
            let names =
                |bits: &[(String, i64)]| bits.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>().join(", ");
            match (has.is_empty(), lacks.is_empty()) {
                (false, false) => format!("with {}; without {}", names(has), names(lacks)),
                (false, true) => format!("with {}", names(has)),
                (true, false) => format!("without {}", names(lacks)),
                (true, true) => "any bits".to_owned(),
            }
        }
        Matcher::ThreadState(None) => "a valid thread state".to_owned(),
        Matcher::ThreadState(Some(java)) => format!("a valid thread state that converts to {java}"),
        Matcher::Substring(part) => format!("a string that contains {part:?}"),
        Matcher::Constants(m) => format!("a constant pool with this count: {}", plain(m)),
        Matcher::Loads { text, of } => format!("code that loads {text:?}, by its index in {}", reference(of)),
        Matcher::ClassFile { files, .. } => format!("as the class file says, {}", reference(files)),
        Matcher::Length(m) => format!("of length {}", plain(m)),
        Matcher::Contains(m) => format!("an array that contains {}", matcher(m, int)),
        Matcher::Consecutive(ms) => format!("an array with [{}] in a row", all(ms, ", ")),
        Matcher::Plus(r, plus) => format!("{} plus {plus}", reference(r)),
        Matcher::Each(m) => format!("an array whose elements are all {}", matcher(m, int)),
        Matcher::Elements(ms) => format!("[{}]", all(ms, ", ")),
        Matcher::Set(ms) => format!("[{}] in any order", all(ms, ", ")),
        Matcher::Fields(fields) => {
            let fields: Vec<String> = fields.iter().map(|(n, m)| format!("{n}: {}", plain(m))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Matcher::All(ms) => all(ms, ", and "),
        Matcher::Any(ms) => all(ms, ", or "),
        Matcher::Not(m) => format!("not {}", matcher(m, int)),
        Matcher::Untouched => "left untouched".to_owned(),
        Matcher::NotNull => "not null".to_owned(),
        Matcher::ModifiedUtf8 => "valid modified UTF-8".to_owned(),
        Matcher::LocalReferences => "JNI local references".to_owned(),
        Matcher::Deallocated => "memory that Deallocate accepts".to_owned(),
    }
}

/// A call of an agent's function, or an event of the VM's life.
pub(crate) fn happening(wanted: &Happening) -> String {
    let plain = |m: &Matcher| matcher(m, &|i| i.to_string());
    let parts = [("options", &wanted.options), ("image", &wanted.image)];
    let parts: Vec<String> =
        parts.into_iter().filter_map(|(name, m)| Some(format!("{name}: {}", plain(m.as_ref()?)))).collect();
    let what = match parts.is_empty() {
        true => wanted.what.clone(),
        false => format!("{}({})", wanted.what, parts.join(", ")),
    };
    match &wanted.before {
        Some(later) => format!("{what} before {later}"),
        None => what,
    }
}

fn reference(r: &Reference) -> String {
    match r {
        Reference::Named(name) => format!("${name}"),
        Reference::Fact(key) => format!("the fact {key:?} of the scenario"),
        Reference::Output { step, .. } => format!("what {step:?} returned"),
        Reference::Class(signature) => format!("class {}", type_name(signature)),
        Reference::Method { class, name, signature } => {
            format!("{}.{name}{}", type_name(class), signature.as_deref().unwrap_or(""))
        }
    }
}

/// What of the value does not satisfy the condition, where the value alone does not tell at a glance.
pub(crate) fn shortfall(m: &Matcher, value: &Value) -> Option<String> {
    match (m, value) {
        (Matcher::Bits { has, lacks }, Value::Int(i)) => {
            let missing = has.iter().filter(|(_, b)| i & b != *b).map(|(n, _)| format!("{n} is missing"));
            let extra = lacks.iter().filter(|(_, b)| i & b != 0).map(|(n, _)| format!("{n} is set"));
            let all: Vec<String> = missing.chain(extra).collect();
            (!all.is_empty()).then(|| all.join(", "))
        }
        (Matcher::ThreadState(java), Value::Int(i)) => {
            let state = *i as u32;
            let broken: Vec<&str> = thread_state::violations(state).collect();
            let mut said = Vec::new();
            if !broken.is_empty() {
                said.push(format!("against {}", broken.join(", ")));
            }
            if let Some(java) = java
                && thread_state::java_state(state) != Some(java.as_str())
            {
                let converted = thread_state::java_state(state).unwrap_or("no java.lang.Thread.State");
                said.push(format!("converts to {converted}"));
            }
            (!said.is_empty()).then(|| said.join("; "))
        }
        (Matcher::All(all), value) => {
            let said: Vec<String> = all.iter().filter_map(|m| shortfall(m, value)).collect();
            (!said.is_empty()).then(|| said.join("; "))
        }
        (Matcher::Length(_), Value::List(items)) => Some(format!("its length is {}", items.len())),
        (Matcher::Length(_), Value::Str(bytes)) => Some(format!("its length is {}", bytes.len())),
        _ => None,
    }
}

/// An event pattern: `MonitorContendedEnter(thread: $blocked) after VMInit`.
pub(crate) fn pattern(names: &Names<'_>, p: &EventPattern) -> String {
    let mut text = if p.event.is_none() { "any event".to_owned() } else { p.name.clone() };
    if !p.params.is_empty() {
        let params: Vec<String> = p
            .params
            .iter()
            .map(|(i, name, m)| {
                let int = |value| match p.event {
                    Some(event) => names.event_parameter(event, *i, &Value::Int(value)),
                    None => value.to_string(),
                };
                format!("{name}: {}", matcher(m, &int))
            })
            .collect();
        text += &format!("({})", params.join(", "));
    }
    if let Some(after) = &p.after {
        text += &format!(" after {}", pattern(names, after));
    }
    text
}
