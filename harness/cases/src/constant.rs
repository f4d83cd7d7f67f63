//! Names for numbers: constants, events, error codes.

use jvmti_spec::Edition;
use jvmti_spec::edition::ConstantGroup;

use super::context::Context;
use super::source::Span;

/// Groups whose constants are passed as plain `jint`, by the name of the parameter or field.
const GROUPS_OF_INTS: [(&str, &str); 6] = [
    ("thread_state_ptr", THREAD_STATE),
    ("state", THREAD_STATE),
    ("status_ptr", "jvmtiClassStatus"),
    ("heap_filter", "jvmtiHeapFilter"),
    ("priority", "jvmtiThreadPriority"),
    ("flags", "jvmtiResourceExhaustionFlags"),
];

const THREAD_STATE: &str = "jvmtiThreadState";

/// The group whose constants a parameter or field of that name and C type takes.
pub fn group<'e>(edition: &'e Edition, name: &str, c_type: &str) -> Option<&'e ConstantGroup> {
    let wanted = group_name(name, c_type)?;
    edition.constants.iter().find(|g| g.name == wanted)
}

fn group_name<'n>(name: &str, c_type: &'n str) -> Option<&'n str> {
    match c_type {
        "jint" => GROUPS_OF_INTS.iter().find(|(of, _)| *of == name).map(|(_, group)| *group),
        other => Some(other),
    }
}

/// Whether a parameter or field of that name and C type is a thread state.
pub fn is_thread_state(name: &str, c_type: &str) -> bool {
    group_name(name, c_type) == Some(THREAD_STATE)
}

/// The number that a name stands for where a value of that C type is expected.
pub fn value(cx: &Context<'_>, text: &str, name: &str, c_type: &str, span: Span) -> Option<i64> {
    let edition = cx.edition;
    match c_type {
        "jvmtiEvent" => {
            let by_constant = edition
                .events
                .iter()
                .find(|e| e.constant == text || e.constant.strip_prefix("JVMTI_EVENT_") == Some(text));
            return by_constant.or_else(|| cx.event(text, span)).map(|e| i64::from(e.number));
        }
        "jvmtiError" => {
            let short = text.strip_prefix("JVMTI_ERROR_").unwrap_or(text);
            return error(cx, short, span).map(i64::from);
        }
        _ => {}
    }
    let group = group(edition, name, c_type);
    let found = match group {
        Some(group) => edition.constant(Some(&group.name), text),
        None if text.starts_with("JVMTI_") => edition.constant(None, text),
        None => None,
    };
    if found.is_none() {
        let all = edition.constants.iter().filter(|g| group.is_none_or(|wanted| wanted.name == g.name));
        let names = all.flat_map(|g| g.constants.iter().map(|c| c.name.as_str()));
        cx.unknown(span, "constant", text, tails(names.collect()).iter().copied());
    }
    found
}

/// The name of a number of that C type, if it is an event, an error code or a constant of an enumeration.
pub fn name(edition: &Edition, c_type: &str, number: i64) -> Option<String> {
    match c_type {
        "jvmtiEvent" => edition.events.iter().find(|e| i64::from(e.number) == number).map(|e| e.name.clone()),
        "jvmtiError" => edition.errors.iter().find(|e| i64::from(e.number) == number).map(|e| e.name.clone()),
        _ => {
            let group = edition.constants.iter().find(|g| g.name == c_type)?;
            group.constants.iter().find(|c| c.value == number).map(|c| c.name.clone())
        }
    }
}

/// The number of an error code by short name.
pub fn error(cx: &Context<'_>, name: &str, span: Span) -> Option<i32> {
    let found = cx.edition.error(name);
    if found.is_none() {
        cx.unknown(span, "error code", name, cx.newest.errors.iter().map(|e| e.name.as_str()));
    }
    found.map(|e| e.number)
}

/// Names without the words that they all begin with.
fn tails(names: Vec<&str>) -> Vec<&str> {
    let shared = |at: usize| names.iter().all(|n| n.get(..=at) == names[0].get(..=at));
    let Some(first) = names.first() else { return names };
    let cut = first.match_indices('_').map(|(at, _)| at).take_while(|at| shared(*at)).last();
    names.iter().map(|n| cut.map_or(*n, |at| &n[at + 1..])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_drop_the_shared_words() {
        let names = vec!["JVMTI_THREAD_STATE_ALIVE", "JVMTI_THREAD_STATE_WAITING_INDEFINITELY"];
        assert_eq!(tails(names), ["ALIVE", "WAITING_INDEFINITELY"]);
        assert_eq!(tails(vec![]), Vec::<&str>::new());
    }
}
