//! One agent on two JVMs: what is different.

use std::collections::BTreeSet;

use jvmti_spec::Edition;
use serde::Serialize;

use super::behaviour::{Answers, Behaviour, Origin};
use super::show::time;
use crate::render::Names;

/// What sort of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A call that did not return.
    Hangs,
    /// Calls that succeeded, and now fail.
    Fails,
    /// A capability that was granted, and now is refused.
    Refused,
    /// An event that came, and comes no longer though it is enabled.
    Silent,
    /// A rule that was kept, and now is broken.
    Misuse,
    /// An output that was one thing, and now is another.
    Output,
    /// Calls that are no longer made.
    Dropped,
    /// Calls that take much longer.
    Slower,
    /// Calls that failed, and now succeed.
    Works,
    /// A capability that was refused, and now is granted.
    Granted,
    /// An event that did not come, and now does.
    Comes,
    /// Calls that were not made.
    Added,
}

impl Kind {
    /// Whether it speaks against the second recording.
    pub fn is_worse(self) -> bool {
        self <= Kind::Misuse
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Hangs => "does not return",
            Kind::Fails => "now fails",
            Kind::Refused => "now refused",
            Kind::Silent => "no longer comes",
            Kind::Misuse => "newly broken",
            Kind::Output => "other output",
            Kind::Dropped => "no longer called",
            Kind::Slower => "slower",
            Kind::Works => "now works",
            Kind::Granted => "now granted",
            Kind::Comes => "now comes",
            Kind::Added => "newly called",
        }
    }
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Difference {
    /// Its kind.
    pub kind: Kind,
    /// What is different.
    pub what: String,
    /// Where it comes from, for calls.
    pub place: String,
    /// How it was in the first recording.
    pub before: String,
    /// How it is in the second.
    pub after: String,
}

/// Times that differ less are taken for noise: by this factor, and by that many nanoseconds in all.
const SLOWER: (u64, u64) = (3, 2_000_000);

/// What is different in the second recording. Events and codes are named as in the edition of the second JVM.
pub fn compare(before: &Behaviour, after: &Behaviour, spec: &Edition) -> Vec<Difference> {
    let mut found = Vec::new();
    let names = Names::new(spec);
    calls(&mut found, before, after, &names);
    let plain = |kind, what: String, before: &str, after: &str| Difference {
        kind,
        what,
        place: String::new(),
        before: before.to_owned(),
        after: after.to_owned(),
    };
    for (library, name) in before.granted.intersection(&after.refused) {
        found.push(plain(Kind::Refused, format!("{name} of {library}"), "granted", "refused"));
    }
    for (library, name) in before.refused.intersection(&after.granted) {
        found.push(plain(Kind::Granted, format!("{name} of {library}"), "refused", "granted"));
    }
    for (key @ (library, event), count) in &before.events {
        // Whether an event is asked for is a question to the agent; whether it comes then, to the JVM.
        if !after.events.contains_key(key) && (after.enabled.contains(key) || !before.enabled.contains(key)) {
            found.push(plain(
                Kind::Silent,
                format!("{event} to {library}"),
                &format!("{count} times"),
                "never",
            ));
        }
    }
    for (key @ (library, event), count) in &after.events {
        if !before.events.contains_key(key) && (before.enabled.contains(key) || !after.enabled.contains(key))
        {
            found.push(plain(
                Kind::Comes,
                format!("{event} to {library}"),
                "never",
                &format!("{count} times"),
            ));
        }
    }
    for ((rule, place), what) in &after.misuse {
        if !before.misuse.keys().any(|(known, _)| known == rule) {
            found
                .push(Difference { place: place.clone(), ..plain(Kind::Misuse, rule.clone(), "kept", what) });
        }
    }
    for what in after.open.iter().filter(|_| before.open.is_empty()) {
        found.push(plain(Kind::Hangs, what.clone(), "returned", "had not returned when the trace ended"));
    }
    found.sort();
    found
}

/// Libraries that are not the same in both recordings, so that their offsets mean nothing: they have few in common.
fn rebuilt(before: &Behaviour, after: &Behaviour) -> BTreeSet<String> {
    let (before, after) = (before.places(), after.places());
    let is_rebuilt = |(library, places): (&&str, &BTreeSet<u64>)| {
        let others = after.get(*library)?;
        let common = places.intersection(others).count();
        (common * 2 < places.len().min(others.len())).then(|| (*library).to_owned())
    };
    before.iter().filter_map(is_rebuilt).collect()
}

fn calls(found: &mut Vec<Difference>, before: &Behaviour, after: &Behaviour, names: &Names<'_>) {
    let coarse = rebuilt(before, after);
    let (first, second) = (before.aligned(&coarse), after.aligned(&coarse));
    for (origin, was) in &first {
        match second.get(origin) {
            Some(is) => answers(found, origin, was, is, names),
            // On another thread is another question.
            None if second.keys().any(|other| same_place(other, origin)) => {}
            None => found.push(difference(Kind::Dropped, origin, counted(was), "never called".to_owned())),
        }
    }
    for (origin, is) in &second {
        if !first.keys().any(|other| same_place(other, origin)) {
            found.push(difference(Kind::Added, origin, "never called".to_owned(), counted(is)));
        }
    }
}

fn same_place(a: &Origin, b: &Origin) -> bool {
    (&a.library, a.offset, &a.function) == (&b.library, b.offset, &b.function)
}

fn counted(answers: &Answers) -> String {
    if answers.calls == 1 { "called once".to_owned() } else { format!("called {} times", answers.calls) }
}

fn difference(kind: Kind, origin: &Origin, before: String, after: String) -> Difference {
    let thread =
        if origin.thread.is_empty() { String::new() } else { format!(", thread {:?}", origin.thread) };
    let place = match origin.offset {
        0 => format!("{}{thread}", origin.library),
        offset => format!("{}+{offset:#x}{thread}", origin.library),
    };
    Difference { kind, what: origin.function.clone(), place, before, after }
}

fn answers(found: &mut Vec<Difference>, origin: &Origin, was: &Answers, is: &Answers, names: &Names<'_>) {
    let codes = |answers: &Answers| {
        let shown = answers.codes.iter().map(|(code, count)| format!("{count} × {}", names.error(*code)));
        shown.collect::<Vec<_>>().join(", ")
    };
    let failed = |answers: &Answers| answers.codes.keys().any(|code| *code != 0);
    let new = is.codes.keys().any(|code| *code != 0 && !was.codes.contains_key(code));
    if new {
        found.push(difference(Kind::Fails, origin, codes(was), codes(is)));
    } else if failed(was) && !failed(is) {
        found.push(difference(Kind::Works, origin, codes(was), codes(is)));
    }
    let facts = names.spec().functions.iter().find(|f| f.name == origin.function);
    for (param, value) in &was.outputs {
        // What differs within one recording tells nothing.
        let (Some(value), Some(Some(other))) = (value, is.outputs.get(param)) else { continue };
        if value != other && !is_volatile(&origin.function) {
            let name = facts.and_then(|f| f.params.get(usize::from(*param))).map(|p| p.name.as_str());
            let shown = |value: &str| format!("{}: {value}", name.unwrap_or("output"));
            found.push(difference(Kind::Output, origin, shown(value), shown(other)));
        }
    }
    let (factor, least) = SLOWER;
    let (slow, fast) = (is.median(), was.median());
    if fast > 0 && slow / fast >= factor && (slow - fast) * is.calls >= least {
        found.push(difference(Kind::Slower, origin, time(fast), time(slow)));
    }
}

/// Functions whose answers are another each time by their nature.
fn is_volatile(function: &str) -> bool {
    ["Time", "HashCode", "GetTag", "GetJLocationFormat", "LocalStorage", "GetAllThreads", "GetLoadedClasses"]
        .iter()
        .any(|part| function.contains(part))
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Spec;

    use super::*;

    fn origin(offset: u64, thread: &str) -> Origin {
        Origin { library: "liba.so".into(), offset, function: "GetPhase".into(), thread: thread.into() }
    }

    fn behaviour(calls: &[(u64, i32, &str)]) -> Behaviour {
        let mut behaviour = Behaviour::default();
        for (offset, code, output) in calls {
            let answers = behaviour.calls.entry(origin(*offset, "main")).or_default();
            answers.calls += 1;
            *answers.codes.entry(*code).or_default() += 1;
            answers.outputs.insert(0, Some((*output).to_owned()));
        }
        behaviour
    }

    fn kinds(before: &Behaviour, after: &Behaviour) -> Vec<Kind> {
        compare(before, after, &Spec::embedded().newest()).into_iter().map(|found| found.kind).collect()
    }

    #[test]
    fn nothing_is_different_from_itself() {
        let one = behaviour(&[(1, 0, "a"), (2, 112, "b")]);
        assert_eq!(kinds(&one, &one), []);
    }

    #[test]
    fn calls_are_aligned_by_place() {
        let before = behaviour(&[(1, 0, "a"), (2, 0, "b"), (3, 112, "c"), (4, 0, "d")]);
        let after = behaviour(&[(1, 112, "a"), (2, 0, "other"), (3, 0, "c"), (5, 0, "d")]);
        assert_eq!(
            kinds(&before, &after),
            [Kind::Fails, Kind::Output, Kind::Dropped, Kind::Works, Kind::Added]
        );
    }

    #[test]
    fn a_library_that_was_built_anew_is_aligned_by_function() {
        let before = behaviour(&[(1, 0, "a"), (2, 0, "a")]);
        let after = behaviour(&[(11, 0, "a"), (12, 0, "a")]);
        assert_eq!(kinds(&before, &after), []);
    }

    #[test]
    fn events_count_if_they_are_asked_for() {
        let key = || ("liba.so".to_owned(), "ThreadEnd".to_owned());
        let mut before = behaviour(&[]);
        before.events.insert(key(), 3);
        before.enabled.insert(key());
        let mut after = behaviour(&[]);
        assert_eq!(kinds(&before, &after), []);
        after.enabled.insert(key());
        assert_eq!(kinds(&before, &after), [Kind::Silent]);
        assert_eq!(kinds(&after, &before), [Kind::Comes]);
    }
}
