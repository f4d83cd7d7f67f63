//! Rules over the conditions of error rows: what makes a function answer with an error.

use std::collections::BTreeSet;

use jvmti_spec::derived;
use jvmti_spec::edition::Function;

use super::selector::{Element, Selector};
use crate::constant;
use crate::context::Context;
use crate::source::Span;
use crate::yaml::Node;

/// `{error: THREAD_NOT_ALIVE, is: [thread, "event_thread*"], or: THREAD_NOT_SUSPENDED}`: the conditions of that error,
/// all of them or those that are listed, where `*` stands for anything. `or`: errors that would be right as well where a
/// function lists them, for what they are about holds too.
///
/// Binds `error`, `answers` (`error` and those others), `condition`, `row` (the id of the assertion that says so) and, if
/// the condition names a parameter, `param`.
pub struct ConditionSelector<'n> {
    error: String,
    is: Option<Vec<(String, Span)>>,
    or: Vec<String>,
    selector: Selector<'n>,
}

impl<'n> ConditionSelector<'n> {
    /// Reads the selector. `names` and `except` go by function.
    pub fn read(cx: &Context<'_>, node: &'n Node) -> Option<Self> {
        let selector = Selector::read(cx, node, &["error", "is", "or"])?;
        let Some(error) = selector.get("error") else {
            cx.error(node.span, "`condition` needs `error`");
            return None;
        };
        let name = cx.text(error, "the name of an error code")?.into_owned();
        constant::error(cx, &name, error.span)?;
        let is = selector.get("is").map(|n| cx.texts(n, "a condition"));
        let or = selector.get("or").map(|n| cx.texts(n, "the name of an error code")).unwrap_or_default();
        let or = or.into_iter().map(|(code, span)| constant::error(cx, &code, span).map(|_| code));
        let read = ConditionSelector { error: name, is, or: or.collect::<Option<_>>()?, selector };
        read.check(cx);
        Some(read)
    }

    /// Notes what the release doesn't have.
    fn check(&self, cx: &Context<'_>) {
        self.selector.check_names(cx, cx.newest.functions.iter().map(|f| f.name.as_str()));
        let all: BTreeSet<&str> = cx.edition.functions.iter().flat_map(|f| self.conditions(f)).collect();
        let known = || all.iter().map(|c| derived::condition(c));
        for (pattern, span) in self.is.iter().flatten() {
            if !known().any(|c| matches(pattern, c)) {
                cx.unknown(*span, &format!("condition of {}", self.error), pattern, known());
            }
        }
    }

    /// One element per condition of the function that is meant.
    pub fn elements(&self, function: &Function, element: &Element) -> Vec<Element> {
        if !self.selector.names(&function.name) {
            return Vec::new();
        }
        let is_meant = |c: &&str| {
            let c = derived::condition(c);
            self.is.as_ref().is_none_or(|is| is.iter().any(|(pattern, _)| matches(pattern, c)))
        };
        let lists = |error: &&String| function.errors.iter().any(|row| row.error == **error);
        let answers: Vec<&str> =
            std::iter::once(&self.error).chain(self.or.iter().filter(lists)).map(String::as_str).collect();
        let bound = |c: &str| {
            let what = derived::condition(c);
            let row = derived::error_assertion(function, &self.error, c);
            let element = element
                .with("error", &self.error, self.selector.exception(&function.name))
                .with("answers", &answers.join("|"), None)
                .with("condition", &derived::slug(what), None)
                .with("row", &row, None);
            match parameter(function, what) {
                Some(name) => element.with("param", name, None),
                None => element,
            }
        };
        self.conditions(function).into_iter().filter(is_meant).map(bound).collect()
    }

    fn conditions<'f>(&self, function: &'f Function) -> BTreeSet<&'f str> {
        let rows = function.errors.iter().filter(|row| row.error == self.error);
        rows.flat_map(|row| &row.conditions).map(String::as_str).collect()
    }
}

/// The parameter that a condition is about: `depth<0`, `classes[]`, `mode_not_in_jvmtiEventMode`.
fn parameter<'f>(function: &'f Function, condition: &str) -> Option<&'f str> {
    let begins = |name: &&str| {
        condition
            .strip_prefix(name)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    function.params.iter().map(|p| p.name.as_str()).filter(begins).max_by_key(|name| name.len())
}

/// Whether a text is as the pattern says; `*` stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => {
            let rests = |rest: &str| {
                (0..=rest.len()).any(|at| rest.get(at..).is_some_and(|rest| matches(tail, rest)))
            };
            text.strip_prefix(head).is_some_and(rests)
        }
    }
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Spec;

    use super::*;

    #[test]
    fn patterns() {
        assert!(matches("*<0", "depth<0"));
        assert!(matches("thread", "thread"));
        assert!(matches("variable*Object", "variable!=Object"));
        assert!(!matches("thread", "thread_list[]"));
        assert!(!matches("*<0", "depth"));
    }

    #[test]
    fn conditions_name_parameters() {
        let edition = Spec::embedded().newest();
        let of = |function: &str, condition: &str| {
            edition.function(function).and_then(|f| parameter(f, condition)).map(str::to_owned)
        };
        assert_eq!(of("GetFrameLocation", "depth<0").as_deref(), Some("depth"));
        assert_eq!(of("RetransformClasses", "classes[]").as_deref(), Some("classes"));
        assert_eq!(of("SetEventNotificationMode", "event_thread@non_null").as_deref(), Some("event_thread"));
        assert_eq!(of("GetNamedModule", "class_loader_not_a_loader").as_deref(), Some("class_loader"));
        assert_eq!(of("PopFrame", "fewer_than_2_frames"), None);
    }
}
