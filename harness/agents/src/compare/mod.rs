//! One agent on two JVMs: what is different.

mod results;

use std::collections::BTreeSet;

use jvmti_spec::Edition;
use jvmti_traces::Names;
pub use results::results;
use serde::Serialize;

use crate::behaviour::{Answers, Behaviour, Origin};
use crate::digest::{Open, ending};
use crate::times::duration;

/// The kinds of differences, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The program ended well, and now ends in another way.
    Ends,
    /// A call or callback that did not return.
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
    /// A capability that is no longer asked for.
    Unasked,
    /// Calls that take much longer.
    Slower,
    /// The program ended badly, and now ends in another way.
    EndsOtherwise,
    /// Calls that failed, and now succeed.
    Works,
    /// A capability that was refused, and now is granted.
    Granted,
    /// An event that did not come, and now does.
    Comes,
    /// Calls that were not made.
    Added,
    /// A capability that was not asked for.
    Asked,
}

impl Kind {
    /// Whether the second recording is worse.
    pub fn is_worse(self) -> bool {
        self <= Kind::Misuse
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Ends => "ends differently",
            Kind::Hangs => "does not return",
            Kind::Fails => "now fails",
            Kind::Refused => "now refused",
            Kind::Silent => "no longer comes",
            Kind::Misuse => "newly broken",
            Kind::Output => "different output",
            Kind::Dropped => "no longer called",
            Kind::Unasked => "no longer requested",
            Kind::Slower => "slower",
            Kind::EndsOtherwise => "also ends differently",
            Kind::Works => "now works",
            Kind::Granted => "now granted",
            Kind::Comes => "now comes",
            Kind::Added => "newly called",
            Kind::Asked => "newly requested",
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

/// Smaller differences of time count as noise: the factor, and nanoseconds in all.
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
            found.push(plain(Kind::Silent, format!("{event} to {library}"), &times(*count), "never"));
        }
    }
    for (key @ (library, event), count) in &after.events {
        if !before.events.contains_key(key) && (before.enabled.contains(key) || !after.enabled.contains(key))
        {
            found.push(plain(Kind::Comes, format!("{event} to {library}"), "never", &times(*count)));
        }
    }
    for ((rule, place), what) in &after.misuse {
        if !before.misuse.keys().any(|(known, _)| known == rule) {
            found
                .push(Difference { place: place.clone(), ..plain(Kind::Misuse, rule.clone(), "kept", what) });
        }
    }
    for ((library, name), kind, was, is) in unasked(before, after).chain(asked(before, after)) {
        found.push(plain(kind, format!("{name} of {library}"), was, is));
    }
    found.extend(ends(before, after));
    for open in after.open.iter().filter(|open| hangs(open, before, after)) {
        let is = format!("had not returned after {} when the trace ended", duration(open.lasted));
        found.push(plain(Kind::Hangs, open.shown.clone(), "returned", &is));
    }
    found.sort();
    found
}

/// A capability of a library, what became of it, how it was and how it is.
type Wish<'b> = (&'b (String, String), Kind, &'static str, &'static str);

fn unasked<'b>(before: &'b Behaviour, after: &'b Behaviour) -> impl Iterator<Item = Wish<'b>> {
    let gone = before.asked.difference(&after.asked);
    gone.map(|key| (key, Kind::Unasked, "requested", "not requested"))
}

fn asked<'b>(before: &'b Behaviour, after: &'b Behaviour) -> impl Iterator<Item = Wish<'b>> {
    let come = after.asked.difference(&before.asked);
    come.map(|key| (key, Kind::Asked, "not requested", "requested"))
}

/// The process ended in another way.
fn ends(before: &Behaviour, after: &Behaviour) -> Option<Difference> {
    let (Some(_), Some(_)) = (before.ended, after.ended) else { return None };
    if before.ended == after.ended {
        return None;
    }
    let kind = if after.ended_badly() { Kind::Ends } else { Kind::EndsOtherwise };
    // Where it was is what matters: the innermost of each thread.
    let open: Vec<&str> = after.open.iter().map(|open| open.shown.as_str()).take(1).collect();
    let what = match open.as_slice() {
        _ if kind == Kind::EndsOtherwise => "the program".to_owned(),
        [] => "the program, outside of calls and callbacks".to_owned(),
        open => format!("the program, in {}", open.join("; in ")),
    };
    let (before, after) = (ending(before.ended), ending(after.ended));
    Some(Difference { kind, what, place: String::new(), before, after })
}

/// What is open at the end of a process that ended as it should was merely overtaken by that, if it was not open for long.
const LONG: u64 = 100_000_000;

fn hangs(open: &Open, before: &Behaviour, after: &Behaviour) -> bool {
    !before.open.iter().any(|known| known.key == open.key) && (open.lasted >= LONG || after.ended_badly())
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
    format!("called {}", times(answers.calls))
}

/// `once`, `2 times`.
fn times(n: u64) -> String {
    if n == 1 { "once".to_owned() } else { format!("{n} times") }
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
        found.push(difference(Kind::Slower, origin, duration(fast), duration(slow)));
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
    use jvmti_wire::trace::Exit;

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

    fn open(name: &str, lasted: u64) -> Open {
        let key = (name.to_owned(), "liba.so".to_owned());
        Open { key, thread: 1, shown: format!("{name}() from liba.so+0x1 on thread main"), lasted }
    }

    #[test]
    fn how_the_program_ended_comes_first_and_says_where_it_was() {
        let mut before = behaviour(&[(1, 0, "a")]);
        before.ended = Some(Exit::Code(0));
        let mut after = behaviour(&[(1, 112, "a")]);
        after.ended = Some(Exit::Signal(6));
        after.open = vec![open("GetStackTrace", 10)];
        let found = compare(&before, &after, &Spec::embedded().newest());
        let kinds: Vec<Kind> = found.iter().map(|found| found.kind).collect();
        assert_eq!(kinds, [Kind::Ends, Kind::Hangs, Kind::Fails]);
        assert!(found[0].what.contains("GetStackTrace"), "{}", found[0].what);
        assert_eq!(found[0].after, "ended by signal 6 (SIGABRT)");
        assert_eq!(self::kinds(&after, &before), [Kind::EndsOtherwise, Kind::Works]);
    }

    #[test]
    fn what_the_end_of_a_program_merely_overtook_does_not_hang() {
        let mut before = behaviour(&[]);
        before.ended = Some(Exit::Code(0));
        let mut after = behaviour(&[]);
        after.ended = Some(Exit::Code(0));
        after.open = vec![open("VMInit", LONG - 1)];
        assert_eq!(kinds(&before, &after), []);
        after.open = vec![open("VMInit", LONG)];
        assert_eq!(kinds(&before, &after), [Kind::Hangs]);
        before.open = vec![open("VMInit", 1)];
        assert_eq!(kinds(&before, &after), []);
    }

    #[test]
    fn capabilities_that_are_asked_for_or_not_are_told() {
        let mut before = behaviour(&[]);
        before.asked.insert(("liba.so".to_owned(), "can_tag_objects".to_owned()));
        assert_eq!(kinds(&before, &behaviour(&[])), [Kind::Unasked]);
        assert_eq!(kinds(&behaviour(&[]), &before), [Kind::Asked]);
    }
}
