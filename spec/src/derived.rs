//! Assertions derived from the tables of the specification. [`crate::registry`] lists the forms of their ids.

use std::collections::BTreeSet;

use crate::edition::*;
use crate::wording::Wording;
use crate::{Assertion, Edition, Promise, Release, Strength};

/// Chapter for events in coverage figures.
pub const EVENTS: &str = "events";
/// Chapter for error codes in coverage figures.
pub const ERRORS: &str = "errors";
/// Chapter for constants and structures in coverage figures.
pub const DATA_TYPES: &str = "data-types";

/// All assertions derived from the tables of an edition.
pub(crate) fn assertions(edition: &Edition, wording: &Wording) -> Vec<Assertion> {
    let mut out = Vec::with_capacity(4000);
    for function in &edition.functions {
        function_assertions(
            edition,
            wording,
            function,
            &mut subject(&function.name, &function.chapter, &function.since, &mut out),
        );
    }
    for event in &edition.events {
        event_assertions(event, wording, &mut subject(&event.name, EVENTS, &event.since, &mut out));
    }
    for capability in &edition.capabilities {
        let mut about = subject(&capability.name, "capability", &capability.since, &mut out);
        about.anchor = format!("jvmtiCapabilities.{}", capability.name);
        capability_laws(capability, &mut about);
    }
    numbers(edition, &mut out);
    for assertion in &mut out {
        let left = assertion.strength == Strength::ImplementationDefined;
        let of_the_header = wording.of_the_header.contains(&assertion.id);
        let own = wording.untestable.get(&assertion.id).cloned();
        assertion.untestable = (own.or_else(|| left.then(|| LEFT_TO_IMPLEMENTATION.to_owned())))
            .or_else(|| of_the_header.then(|| OF_THE_HEADER.to_owned()));
    }
    out
}

/// Why an assertion whose condition is left to the implementation cannot be tested.
const LEFT_TO_IMPLEMENTATION: &str = "only the implementation knows when this condition holds";

/// Collects the assertions about one function, event, capability or name.
struct About<'a> {
    name: &'a str,
    chapter: &'a str,
    anchor: String,
    since: Option<Release>,
    out: &'a mut Vec<Assertion>,
}

fn subject<'a>(name: &'a str, chapter: &'a str, since: &str, out: &'a mut Vec<Assertion>) -> About<'a> {
    let since = Release::of_since(since).filter(|first| *first > Release::REVIEWED[0]);
    About { name, chapter, anchor: name.into(), since, out }
}

impl About<'_> {
    fn says(&mut self, what: &str, strength: Strength, text: String) {
        self.promises(what, strength, Promise::Other, text);
    }

    /// The statement that a function returns an error.
    fn returns(&mut self, error: &str, what: &str, strength: Strength, text: String) {
        self.promises(what, strength, Promise::Error(error.to_owned()), text);
    }

    fn promises(&mut self, what: &str, strength: Strength, promise: Promise, text: String) {
        self.out.push(Assertion {
            id: format!("{}#{what}", self.name),
            chapter: self.chapter.into(),
            subject: Some(self.name.into()),
            text,
            anchor: self.anchor.clone(),
            strength,
            promise,
            since: self.since,
            until: None,
            untestable: None,
        });
    }
}

/// How strongly the specification requires an error that a table lists. The strength follows from the group of the
/// error in the section on error codes.
pub fn error_strength(edition: &Edition, error: &str) -> Strength {
    match edition.error(error).map(|e| e.group) {
        Some(ErrorGroup::FunctionRequired) => Strength::Must,
        _ => Strength::Should,
    }
}

/// Whether a VM need not keep what the function returns of a class file, so that `ABSENT_INFORMATION` is right for any class.
pub fn need_not_keep(function: &str) -> bool {
    matches!(
        function,
        "GetSourceFileName"
            | "GetSourceDebugExtension"
            | "GetLineNumberTable"
            | "GetLocalVariableTable"
            | "GetMethodLocation"
    )
}

/// The condition of an error that the implementation is unable to do what was asked, on whatever frame.
const UNABLE: &str = "impl_unable";

/// Whether a VM may return that error wherever it is unable to do what the function was asked to do.
pub fn may_be_unable(function: &Function, error: &str) -> bool {
    has_condition(function, error, UNABLE)
}

/// Whether a VM may return that error wherever it is unable to do so for a suspended virtual thread.
pub fn may_be_unable_if_virtual(function: &Function, error: &str) -> bool {
    has_condition(function, error, "suspended_virtual_thread_impl_unable")
}

fn has_condition(function: &Function, error: &str, wanted: &str) -> bool {
    let rows = function.errors.iter().filter(|row| row.error == error);
    rows.flat_map(|row| &row.conditions).any(|c| condition(c) == wanted)
}

/// The end of the condition of an error that an implementation need not support what was asked for.
const OPTIONAL: &str = "impl_optional";

/// Whether that error tells what the VM is unable or need not be able to do, and not of a mistake of the agent's.
pub fn tells_of_the_vm(function: &Function, error: &str) -> bool {
    let rows = function.errors.iter().filter(|row| row.error == error);
    let mut conditions = rows.flat_map(|row| &row.conditions).map(|c| condition(c));
    conditions.any(|condition| condition == UNABLE || condition.ends_with(OPTIONAL))
}

fn function_assertions(edition: &Edition, wording: &Wording, f: &Function, about: &mut About<'_>) {
    let name = &f.name;
    about.says("slot", Strength::Must, format!("{name} is at position {} in the function table.", f.slot));
    phase_cells(f, about);
    for param in &f.params {
        null_argument(name, param, wording, about);
        output(name, param, wording, about);
    }
    error_rows(edition, wording, f, about);
    for capability in &f.capabilities.required {
        about.returns(
            "MUST_POSSESS_CAPABILITY",
            &format!("capability/{capability}"),
            error_strength(edition, "MUST_POSSESS_CAPABILITY"),
            format!(
                "{name} returns MUST_POSSESS_CAPABILITY if the environment does not possess {capability}."
            ),
        );
    }
    for capability in &f.capabilities.optional {
        about.says(
            &format!("capability/{capability}"),
            Strength::Must,
            format!(
                "{capability} adds an optional feature to {name}, which also works without that capability."
            ),
        );
    }
    if f.callback_safe {
        about.says(
            "callback-safe",
            Strength::Must,
            format!("{name} can be called from heap, garbage collection and ObjectFree callbacks."),
        );
    }
}

fn phase_cells(f: &Function, about: &mut About<'_>) {
    let name = &f.name;
    for phase in Phase::ALL {
        let id = format!("phase/{}", phase.name());
        if !f.phases.contains(&phase) {
            let text = format!("{name} returns WRONG_PHASE in the {phase} phase.");
            about.returns("WRONG_PHASE", &id, Strength::Should, text);
            continue;
        }
        let (strength, text) = if phase == Phase::Dead {
            // The description of WRONG_PHASE says that every function returns it once the VM has completed running,
            // but the function's own table allows the call. Either behaviour follows the specification.
            let text = format!(
                "In the dead phase {name} can be called or returns WRONG_PHASE: its description and that of WRONG_PHASE \
                 disagree."
            );
            (Strength::May, text)
        } else {
            (Strength::Must, format!("{name} can be called in the {phase} phase."))
        };
        about.says(&id, strength, text);
    }
}

fn null_argument(function: &str, param: &Param, wording: &Wording, about: &mut About<'_>) {
    let p = &param.name;
    let row = format!("null/{p}");
    match &param.null {
        NullRule::Forbidden { error } => {
            let text = format!("{function} returns {error} if {p} is null.");
            about.returns(error, &row, Strength::Should, text);
        }
        NullRule::Means { meaning, unless } => {
            let but = unless.as_ref().map_or(String::new(), |u| {
                format!(", but {function} returns {} if {}", u.error, wording.null_condition(&u.when))
            });
            let text =
                format!("A null {p} passed to {function} means {}{but}.", wording.null_meaning(meaning));
            about.says(&row, Strength::Must, text);
        }
        // The specification does not mention null here; the error rows cover invalid references.
        NullRule::InvalidReference { .. } | NullRule::Inapplicable => {}
    }
}

fn output(function: &str, param: &Param, wording: &Wording, about: &mut About<'_>) {
    let p = &param.name;
    if matches!(param.dir, Dir::OutAlloc | Dir::OutAllocAlloc) || !param.alloc_fields.is_empty() {
        let what = match (param.dir, param.alloc_fields.as_slice()) {
            (Dir::OutAllocAlloc, _) => format!("{p} and each of its elements"),
            (Dir::OutAlloc, []) => p.clone(),
            (Dir::OutAlloc, fields) => format!("{p} and, within it, the fields {}", fields.join(", ")),
            (_, fields) => fields.join(", "),
        };
        let text = format!("{function} allocates {what}, which the agent frees with Deallocate.");
        about.says(&format!("output/{p}"), Strength::Must, text);
    }
    if param.local_ref || !param.local_ref_fields.is_empty() {
        let what = if param.local_ref { p.clone() } else { param.local_ref_fields.join(", ") };
        let text = format!("The references that {function} returns in {what} are JNI local references.");
        about.says(&format!("local-refs/{p}"), Strength::Must, text);
    }
    if let Some(when) = &param.returns_null_when {
        let text = format!("{function} sets {p} to null if {}.", wording.null_condition(when));
        about.says(&format!("null-output/{p}"), Strength::Must, text);
    }
}

fn error_rows(edition: &Edition, wording: &Wording, f: &Function, about: &mut About<'_>) {
    let mut seen = BTreeSet::new();
    for error in f.errors.iter().map(|row| row.error.as_str()).filter(|error| seen.insert(*error)) {
        let rows = f.errors.iter().filter(|row| row.error == error);
        let conditions: BTreeSet<&str> = rows.flat_map(|row| &row.conditions).map(String::as_str).collect();
        let strength = |of: &[&str]| match of.iter().all(|c| wording.left_to_implementation(c)) {
            true => Strength::ImplementationDefined,
            false => error_strength(edition, error),
        };
        let text = |of: &[&str]| {
            let clauses: Vec<String> = of.iter().map(|c| wording.condition(error, c)).collect();
            format!("{} returns {error} if {}.", f.name, clauses.join("; or "))
        };
        let all: Vec<&str> = conditions.iter().copied().collect();
        about.returns(error, &format!("errors/{error}"), strength(&all), text(&all));
        if has_own_assertions(error, all.len()) {
            for c in &all {
                let row = format!("errors/{error}/{}", slug(condition(c)));
                about.returns(error, &row, strength(&[c]), text(&[c]));
            }
        }
    }
}

/// Whether each condition of an error has its own assertion. Null arguments and missing capabilities do not need one:
/// they have the assertions `null/` and `capability/`.
fn has_own_assertions(error: &str, conditions: usize) -> bool {
    conditions > 1 && !matches!(error, "NULL_POINTER" | "MUST_POSSESS_CAPABILITY")
}

/// Id of the assertion that a function returns an error under one of the error's conditions.
pub fn error_assertion(f: &Function, error: &str, one: &str) -> String {
    let rows = f.errors.iter().filter(|row| row.error == error);
    let conditions: BTreeSet<&str> = rows.flat_map(|row| &row.conditions).map(String::as_str).collect();
    match has_own_assertions(error, conditions.len()) {
        true => format!("{}#errors/{error}/{}", f.name, slug(condition(one))),
        false => format!("{}#errors/{error}", f.name),
    }
}

/// A condition without the prefix that repeats the error code.
pub fn condition(c: &str) -> &str {
    c.split_once(':').map_or(c, |(_, what)| what)
}

/// A condition in the form used in ids: comparison signs become words, and any other character that is not a letter, a
/// digit or `_` becomes `-`.
pub fn slug(condition: &str) -> String {
    const SIGNS: [(&str, &str); 8] = [
        ("!=", "-ne-"),
        ("<=", "-le-"),
        (">=", "-ge-"),
        ("<", "-lt-"),
        (">", "-gt-"),
        ("=", "-eq-"),
        ("[]", "-element-"),
        ("-1", "minus-1"),
    ];
    let spelled = SIGNS.iter().fold(condition.to_string(), |text, (sign, word)| text.replace(sign, word));
    let parts = spelled.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// Id of the assertion that a function returns an error for a parameter, or an element of it, that is not valid.
pub fn parameter_assertion(f: &Function, error: &str, param: &str) -> String {
    let rows = f.errors.iter().filter(|row| row.error == error);
    let mut conditions = rows.flat_map(|row| &row.conditions).map(String::as_str);
    let names = |c: &str| condition(c).split(['[', '@', '.']).next() == Some(param);
    error_assertion(f, error, conditions.find(|c| names(c)).unwrap_or_default())
}

fn event_assertions(e: &Event, wording: &Wording, about: &mut About<'_>) {
    let name = &e.name;
    about.says(
        "phases",
        Strength::Must,
        format!("The VM sends {name} only in the {}.", phases_in_words(&e.phases)),
    );
    about.promises(
        "enable",
        wording.optional_events.get(name).copied().unwrap_or(Strength::Must),
        Promise::Sent,
        format!("The VM sends {name} to environments that have enabled it."),
    );
    about.promises(
        "disabled",
        Strength::Must,
        Promise::NotSent,
        format!("The VM does not send {name} to environments that have not enabled it."),
    );
    for capability in &e.capabilities.required {
        about.returns(
            "MUST_POSSESS_CAPABILITY",
            &format!("capability/{capability}"),
            Strength::Should,
            format!(
                "Enabling {name} in an environment without {capability} returns MUST_POSSESS_CAPABILITY."
            ),
        );
    }
    for capability in &e.capabilities.optional {
        about.says(
            &format!("capability/{capability}"),
            Strength::Must,
            format!("{capability} adds an optional feature to {name}, which the VM also sends without it."),
        );
    }
    if e.thread_filterable {
        let text = format!("{name} can be enabled for one thread; the VM then sends it for no other thread.");
        about.says("thread-filter", Strength::Must, text);
    } else {
        let text = format!("Enabling {name} for a single thread returns ILLEGAL_ARGUMENT.");
        about.returns("ILLEGAL_ARGUMENT", "thread-filter", Strength::Should, text);
    }
    for param in &e.params {
        let null = param
            .null_when
            .as_ref()
            .map_or(String::new(), |when| format!(", which is null if {}", wording.null_condition(when)));
        let text = format!("{name} passes the parameter {} of type {}{null}.", param.name, param.c_type);
        about.says(&format!("params/{}", param.name), Strength::Must, text);
    }
}

/// "live phase", "start and live phases", "primordial, start and live phases".
fn phases_in_words(phases: &[Phase]) -> String {
    let names: Vec<&str> = phases.iter().map(|p| p.name()).collect();
    match names.as_slice() {
        [before @ .., last] if !before.is_empty() => format!("{} and {last} phases", before.join(", ")),
        _ => format!("{} phase", names.concat()),
    }
}

fn capability_laws(c: &Capability, about: &mut About<'_>) {
    let name = &c.name;
    let laws = [
        ("initial", format!("A new environment does not possess {name}.")),
        (
            "potential",
            format!("AddCapabilities can add {name} whenever GetPotentialCapabilities returns it."),
        ),
        (
            "add",
            format!(
                "After adding {name} the environment possesses it in addition to its previous capabilities."
            ),
        ),
        (
            "unavailable",
            format!("AddCapabilities returns NOT_AVAILABLE for {name} if it is not potentially available."),
        ),
        (
            "relinquish",
            format!(
                "After relinquishing {name} the environment does not possess it, whether or not it did before."
            ),
        ),
    ];
    for (law, text) in laws {
        match law {
            "unavailable" => about.returns("NOT_AVAILABLE", law, Strength::Must, text),
            _ => about.says(law, Strength::Must, text),
        }
    }
}

/// Why no case can test some numbers and layouts: no function call depends on them visibly.
const OF_THE_HEADER: &str = "the header file defines this, not the VM; this project's own tests compare it \
     with the jvmti.h of each installed JDK";

fn numbers(edition: &Edition, out: &mut Vec<Assertion>) {
    let mut says = |id: String, chapter: &str, anchor: &str, text: String| {
        out.push(Assertion {
            id,
            chapter: chapter.into(),
            subject: None,
            text,
            anchor: anchor.into(),
            strength: Strength::Must,
            promise: Promise::Other,
            since: None,
            until: None,
            untestable: None,
        });
    };
    for e in &edition.errors {
        let name = format!("JVMTI_ERROR_{}", e.name);
        says(format!("{name}#number"), ERRORS, &name, format!("{name} has the value {}.", e.number));
    }
    for e in &edition.events {
        says(
            format!("{}#value", e.constant),
            DATA_TYPES,
            &e.name,
            format!("{} has the value {}.", e.constant, e.number),
        );
    }
    for group in &edition.constants {
        for c in &group.constants {
            let text = format!("{} has the value {}.", c.name, c.value);
            says(format!("{}#value", c.name), DATA_TYPES, &c.name, text);
        }
    }
    for s in edition.structs.iter().filter(|s| s.kind != StructKind::Enum) {
        let text = format!("{} has {} fields, with the specified types and order.", s.name, s.fields.len());
        says(format!("{}#layout", s.name), DATA_TYPES, &s.name, text);
    }
}
