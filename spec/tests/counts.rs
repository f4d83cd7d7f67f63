//! Counts the facts about the specification of JDK 25.

use jvmti_spec::edition::{Dir, ErrorGroup, NullRule, Phase};
use jvmti_spec::{Edition, Release, Spec};

fn jdk25() -> Edition {
    Spec::embedded().at(Release(25))
}

#[test]
fn functions_and_their_phases() {
    let spec = jdk25();
    assert_eq!(spec.functions.len(), 151);
    let allowed: usize = spec.functions.iter().map(|f| f.phases.len()).sum();
    assert_eq!(allowed, 290);
    assert_eq!(spec.functions.len() * Phase::ALL.len() - allowed, 465);
    assert_eq!(spec.functions.iter().filter(|f| f.callback_safe).count(), 15);
}

#[test]
fn parameters_and_nulls() {
    let spec = jdk25();
    let count = |wanted: fn(&NullRule) -> bool| {
        spec.functions.iter().flat_map(|f| &f.params).filter(|p| wanted(&p.null)).count()
    };
    assert_eq!(count(|n| matches!(n, NullRule::Forbidden { error } if error == "NULL_POINTER")), 144);
    assert_eq!(count(|n| matches!(n, NullRule::Means { .. })), 67);
    assert_eq!(count(|n| matches!(n, NullRule::InvalidReference { .. })), 66);
    let params = || spec.functions.iter().flat_map(|f| &f.params);
    assert_eq!(params().count(), 341);
    assert_eq!(params().filter(|p| matches!(p.dir, Dir::OutAlloc | Dir::OutAllocAlloc)).count(), 37);
    assert_eq!(params().filter(|p| p.local_ref || !p.local_ref_fields.is_empty()).count(), 24);
}

#[test]
fn capabilities() {
    let spec = jdk25();
    assert_eq!(spec.capabilities.len(), 45);
    assert_eq!(spec.functions.iter().map(|f| f.capabilities.required.len()).sum::<usize>(), 66);
    assert_eq!(spec.functions.iter().map(|f| f.capabilities.optional.len()).sum::<usize>(), 8);
    assert_eq!(spec.events.iter().filter(|e| !e.capabilities.required.is_empty()).count(), 23);
}

#[test]
fn errors() {
    let spec = jdk25();
    assert_eq!(spec.errors.len(), 53);
    assert_eq!(spec.universal_errors().count(), 8);
    let rows = || spec.functions.iter().flat_map(|f| &f.errors);
    assert_eq!(rows().count(), 583);
    let must = |error: &str| spec.error(error).is_some_and(|e| e.group == ErrorGroup::FunctionRequired);
    assert_eq!(rows().filter(|row| must(&row.error)).count(), 146);
}

#[test]
fn events() {
    let spec = jdk25();
    assert_eq!(spec.events.len(), 34);
    assert_eq!(spec.events.iter().filter(|e| e.thread_filterable).count(), 25);
}

#[test]
fn releases_without_a_text_of_their_own_are_clamped() {
    let spec = Spec::embedded();
    assert_eq!(spec.at(Release(99)), spec.newest());
    assert_eq!(spec.at(Release(5)), spec.at(Release(8)));
    assert_eq!(spec.at(Release(13)).release, Release(13));
}
