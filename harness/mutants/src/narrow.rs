//! Narrow mutants: they break a rule only where something else holds, too: for threads in one state, for native methods, from the
//! second call on. A suite that tries each function once does not detect them.

use jvmti_spec::ctype::pointee;
use jvmti_spec::edition::{Dir, Function, Param, Phase};
use jvmti_spec::{Edition, Release, Spec};

use crate::contradiction::{contradicts, is_dead};
use crate::layout;
use crate::mutant::{Mutant, Numbers};
use crate::mutation::Mutation;
use crate::rules::Rules;

/// States of threads: a name, the bits that are set, the bits that are not.
const STATES: &[(&str, &[&str], &[&str])] = &[
    ("new", &[], &["ALIVE", "TERMINATED"]),
    ("running", &["RUNNABLE"], &["IN_NATIVE", "SUSPENDED"]),
    ("in-native", &["IN_NATIVE"], &[]),
    ("sleeping", &["SLEEPING"], &[]),
    ("waiting", &["IN_OBJECT_WAIT", "WAITING_INDEFINITELY"], &[]),
    ("waiting-timed", &["IN_OBJECT_WAIT", "WAITING_WITH_TIMEOUT"], &[]),
    ("parked", &["PARKED", "WAITING_INDEFINITELY"], &[]),
    ("parked-timed", &["PARKED", "WAITING_WITH_TIMEOUT"], &[]),
    ("blocked", &["BLOCKED_ON_MONITOR_ENTER"], &[]),
    ("interrupted", &["INTERRUPTED"], &[]),
    ("suspended", &["SUSPENDED"], &[]),
    ("suspended-waiting", &["SUSPENDED", "WAITING"], &[]),
    ("suspended-running", &["SUSPENDED", "RUNNABLE"], &[]),
    ("ended", &["TERMINATED"], &[]),
];

/// Kinds of classes and of objects, with the numbers that `conditions.c` gives to them.
const CLASSES: &[(&str, i64)] =
    &[("array", 0), ("interface", 1), ("primitive", 2), ("of-boot-loader", 3), ("of-other-loader", 4)];
const OBJECTS: &[(&str, i64)] = &[("array", 0), ("string", 5), ("class", 6), ("thread", 7)];

/// Kinds of methods and of fields: modifiers that are set, modifiers that are not.
const METHODS: &[(&str, i64, i64)] = &[
    ("static", 0x8, 0),
    ("instance", 0, 0x8),
    ("native", 0x100, 0),
    ("abstract", 0x400, 0),
    ("synchronized", 0x20, 0),
    ("private", 0x2, 0),
];
const FIELDS: &[(&str, i64, i64)] =
    &[("static", 0x8, 0), ("instance", 0, 0x8), ("private", 0x2, 0), ("final", 0x10, 0)];

/// What holds where a narrow mutant breaks its rule.
struct Condition {
    id: String,
    holds: String,
    mutation: Mutation,
    /// The argument that it is about, and of which kind that is.
    of: Option<(String, String)>,
}

/// All narrow mutants of a release, in the order of the text.
pub fn narrow_mutants(release: Release) -> Vec<Mutant> {
    let edition = Spec::embedded().at(release);
    let mut bases = crate::mutants(release);
    bases.extend(refusing(&edition));
    bases.retain(|base| is_narrowed(&base.id));
    bases.iter().flat_map(|base| narrowed(&edition, base)).collect()
}

/// Mutants that answer INTERNAL to calls that the JVM would carry out.
fn refusing(edition: &Edition) -> Vec<Mutant> {
    let live = edition.functions.iter().filter(|function| function.phases.contains(&Phase::Live));
    let mutant = |function: &Function| Mutant {
        id: format!("{}/refused", function.name),
        does: format!("{} answers INTERNAL instead of NONE", function.name),
        mutation: Mutation::default()
            .function(function.slot.into())
            .phase(edition.phase(Phase::Live))
            .error(0)
            .answer(edition.code("INTERNAL")),
        breaks: Rules::of(&function.name),
        subject: function.name.clone(),
    };
    live.map(mutant).collect()
}

/// Errors about what holds for a call whatever its arguments are, or about one argument alone, so that no other condition adds to
/// them.
const ALONE: [&str; 5] =
    ["MUST_POSSESS_CAPABILITY", "NULL_POINTER", "NOT_AVAILABLE", "WRONG_PHASE", "UNSUPPORTED_OPERATION"];

/// Whether mutants of that id are worth narrowing: what they do depends on the arguments.
fn is_narrowed(id: &str) -> bool {
    let what = id.split_once('/').map_or("", |(_, what)| what);
    let whole = ["suppressed", "refused", "dropped", "twice", "thread-filter/ignored"].contains(&what);
    let error = what.strip_prefix("errors/").and_then(|rest| rest.strip_suffix("/none"));
    let error = error.is_some_and(|e| !ALONE.contains(&e) && !e.starts_with("INVALID_"));
    let output = ["output/", "null-output/", "params/"].iter().any(|start| what.starts_with(start));
    whole || error || (output && !what.contains("jni_env") && !what.ends_with("/alien"))
}

fn narrowed<'e, 'm>(edition: &'e Edition, base: &'m Mutant) -> impl Iterator<Item = Mutant> + use<'e, 'm> {
    let function = edition.function(&base.subject);
    let params: Vec<(&str, &str)> = match (function, edition.event(&base.subject)) {
        (Some(f), _) => f.params.iter().map(|p| (p.name.as_str(), p.c_type.as_str())).collect(),
        (None, Some(e)) => e.params.iter().map(|p| (p.name.as_str(), p.c_type.as_str())).collect(),
        (None, None) => Vec::new(),
    };
    let mut conditions = vec![Condition {
        id: "later".to_owned(),
        holds: "after the first time in an environment".to_owned(),
        mutation: Mutation::default().later(1),
        of: None,
    }];
    if function.is_some_and(|f| f.phases.contains(&Phase::Live)) && edition.release >= Release(21) {
        conditions.push(Condition {
            id: "caller-virtual".to_owned(),
            holds: "when a virtual thread calls it".to_owned(),
            mutation: Mutation::default().caller(1),
            of: None,
        });
    }
    let mut before = "";
    for (argument, param) in (1..).zip(&params) {
        of_argument(edition, function.is_none(), argument, *param, before, &mut conditions);
        before = param.1;
    }
    for output in function.iter().flat_map(|f| &f.params).filter(|param| param.dir != Dir::In) {
        let element = |end| base.id.contains(&format!("/output/{}{end}", output.name));
        if element('[') || element('.') {
            conditions.extend(last(edition, output));
        }
    }
    let what = base.id.strip_prefix(&base.subject).map_or("", |rest| rest.trim_start_matches('/'));
    conditions.retain(|c| {
        let contradicted =
            |(param, kind): &(String, String)| contradicts(edition, &base.subject, what, param, kind);
        base.mutation.goes_with(&c.mutation) && !c.of.as_ref().is_some_and(contradicted)
    });
    conditions.into_iter().map(move |c| Mutant {
        id: format!("{}@{}", base.id, c.id),
        does: format!("{}, {}", base.does, c.holds),
        breaks: broken(base, function, c.of.as_ref()),
        mutation: base.mutation.clone().then(c.mutation),
        ..base.clone()
    })
}

/// What a mutant breaks. One that does nothing to a thread that is not alive hides that error.
fn broken(base: &Mutant, function: Option<&Function>, of: Option<&(String, String)>) -> Rules {
    let is_dead = of.is_some_and(|(_, kind)| is_dead(kind));
    let says = |f: &Function| f.errors.iter().any(|row| row.error == "THREAD_NOT_ALIVE");
    match base.id.ends_with("/suppressed") && is_dead && function.is_some_and(says) {
        true => Rules::ids([format!("{}#errors/THREAD_NOT_ALIVE*", base.subject)]),
        false => base.breaks.clone(),
    }
}

/// For an array: that the last of several elements is meant.
fn last(edition: &Edition, param: &Param) -> Option<Condition> {
    let size = layout::size(edition, pointee(&param.c_type))? as i64;
    param.count.as_ref()?;
    Some(Condition {
        id: "last".to_owned(),
        holds: format!("in the last of several elements of {}", param.name),
        mutation: Mutation::default().last(size),
        of: None,
    })
}

/// Adds the conditions for an argument of that name and type; `before` is the type of the argument before
/// it.
fn of_argument(
    edition: &Edition,
    of_event: bool,
    argument: i64,
    (name, c_type): (&str, &str),
    before: &str,
    out: &mut Vec<Condition>,
) {
    let mut add = |kind: &str, holds: String, mutation: Mutation| {
        let of = Some((name.to_owned(), kind.to_owned()));
        out.push(Condition { id: format!("{name}-{kind}"), holds, mutation, of });
    };
    let m = Mutation::default;
    let is = |kind: &str| format!("where {name} is {kind}");
    match c_type {
        "jthread" => {
            let bits = |names: &[&str]| {
                let bit = |bit| edition.constant(None, &format!("JVMTI_THREAD_STATE_{bit}"));
                names.iter().filter_map(bit).fold(0, |all, bit| all | bit)
            };
            if !of_event {
                add("own", is("the calling thread"), m().own(argument));
            }
            add("platform", is("a platform thread"), m().platform(argument));
            let kinds: &[(&str, bool)] = match edition.release >= Release(21) {
                true => &[("", false), ("virtual-", true)],
                false => &[("", false)],
            };
            if kinds.len() > 1 {
                add("virtual", is("a virtual thread"), m().vthread(argument));
            }
            for (kind, is_virtual) in kinds {
                // The thread of an event is the one that the JVM sends it on.
                for (state, set, clear) in
                    STATES.iter().filter(|(state, ..)| !of_event || *state == "interrupted")
                {
                    let mutation = m().state(argument, bits(set), bits(clear));
                    let mutation = if *is_virtual { mutation.vthread(argument) } else { mutation };
                    add(&format!("{kind}{state}"), is(&format!("{kind}{state}")), mutation);
                }
            }
        }
        "jclass" => {
            CLASSES.iter().for_each(|(kind, number)| add(kind, is(kind), m().class(argument, *number)));
        }
        "jobject" => {
            OBJECTS.iter().for_each(|(kind, number)| add(kind, is(kind), m().object(argument, *number)));
        }
        "jmethodID" => {
            for (kind, set, clear) in METHODS {
                add(kind, is(kind), m().method(argument, *set, *clear));
            }
            add("obsolete", is("obsolete"), m().obsolete(argument));
        }
        "jfieldID" if before == "jclass" => {
            FIELDS
                .iter()
                .for_each(|(kind, set, clear)| add(kind, is(kind), m().field(argument, *set, *clear)));
        }
        "jint" | "jlong" | "jlocation" => {
            for bound in [0, 1] {
                let holds = format!("where {name} is greater than {bound}");
                add(&format!("over-{bound}"), holds, m().over(argument, bound));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_name_the_mutant_that_is_narrowed() {
        for release in [Release::REVIEWED[0], Release::NEWEST] {
            let bases: BTreeSet<String> = crate::mutants(release).into_iter().map(|m| m.id).collect();
            let mut ids = BTreeSet::new();
            for mutant in narrow_mutants(release) {
                assert!(ids.insert(mutant.id.clone()), "{} twice in {release:?}", mutant.id);
                let (base, _) = mutant.id.split_once('@').unwrap();
                assert!(bases.contains(base) || base.ends_with("/refused"), "{base}");
            }
        }
    }

    #[test]
    fn conditions_follow_from_the_types_of_arguments() {
        let all: BTreeSet<String> = narrow_mutants(Release(25)).into_iter().map(|m| m.id).collect();
        for id in [
            "GetFrameLocation/suppressed@thread-virtual-parked",
            "GetFrameLocation/output/location_ptr/more@depth-over-0",
            "GetMethodModifiers/refused@method-native",
            "GetThreadListStackTraces/output/stack_info_ptr.frame_count/more@last",
            "MethodEntry/dropped@method-static",
        ] {
            assert!(all.contains(id), "{id}");
        }
        assert!(!narrow_mutants(Release(17)).iter().any(|m| m.id.contains("virtual")));
    }
}
