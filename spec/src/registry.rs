//! The assertion registry of a release: the assertions derived from its tables ([`crate::derived`]) and those about its
//! prose ([`crate::prose`]).
//!
//! | Id | Statement |
//! | --- | --- |
//! | `F#slot` | function F is at its position in the function table |
//! | `F#phase/<phase>` | F can be called in that phase, or returns `WRONG_PHASE` |
//! | `F#null/<param>` | a null argument has its specified meaning, or F returns `NULL_POINTER` |
//! | `F#errors/<ERROR>` | F returns that error under the conditions in its error table |
//! | `F#errors/<ERROR>/<condition>` | F returns that error under one of several conditions |
//! | `F#capability/<capability>` | F requires that capability, or the capability extends F |
//! | `F#callback-safe` | F can be called from heap, garbage collection and ObjectFree callbacks |
//! | `F#output/<param>` | the output is allocated memory that the agent frees |
//! | `F#local-refs/<param>` | the output contains JNI local references |
//! | `F#null-output/<param>` | the output is null under the specified condition |
//! | `E#phases` | the VM sends event E only in its phases |
//! | `E#enable` | the VM sends E to environments that have enabled it |
//! | `E#disabled` | the VM does not send E to environments that have not enabled it |
//! | `E#capability/<capability>` | E requires that capability, or the capability extends E |
//! | `E#thread-filter` | E can be enabled for a single thread, or only globally |
//! | `E#params/<param>` | the parameter has its specified value, including null |
//! | `C#initial`, `C#potential`, `C#add`, `C#unavailable`, `C#relinquish` | capability C obeys the rules of its chapter |
//! | `JVMTI_ERROR_<NAME>#number`, `<CONSTANT>#value`, `<struct>#layout` | numbers and layouts |
//! | `<area>/<name>` | a statement of the prose, from `assertions/<area>.yaml` |
//!
//! If only the implementation knows whether a condition holds ("unable to pop this frame"), the assertion is
//! [implementation-defined](crate::Strength::ImplementationDefined). An error with several conditions has an assertion
//! for each of them, except `NULL_POINTER` and `MUST_POSSESS_CAPABILITY`: the assertions on null arguments and
//! capabilities already cover their conditions one by one.

use crate::{Assertion, Release, Spec, derived};

impl Spec {
    /// Every assertion that holds in that release, in the order of the specification: functions by chapter, events,
    /// capabilities, numbers, and then prose. Ids are unique.
    pub fn assertions(&self, release: Release) -> Vec<Assertion> {
        let release = release.clamped();
        let mut all = derived::assertions(&self.at(release), &self.facts.wording);
        all.extend(self.prose.iter().flat_map(|area| area.at(release)));
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::Strength;

    fn all(release: u16) -> Vec<Assertion> {
        Spec::embedded().assertions(Release(release))
    }

    fn strength(release: u16, id: &str) -> Strength {
        all(release).into_iter().find(|a| a.id == id).unwrap_or_else(|| panic!("{id}")).strength
    }

    #[test]
    fn ids_are_unique_in_every_release() {
        for release in 8..=28 {
            let mut seen = BTreeSet::new();
            for assertion in all(release) {
                assert!(seen.insert(assertion.id.clone()), "{} twice in release {release}", assertion.id);
            }
        }
    }

    #[test]
    fn prose_is_about_what_its_releases_have() {
        for release in Release::REVIEWED {
            let edition = Spec::embedded().at(release);
            let chapters = edition.chapters.iter().map(|c| c.id.as_str());
            let chapters: Vec<&str> =
                chapters.chain([derived::EVENTS, derived::ERRORS, derived::DATA_TYPES, "agents"]).collect();
            for a in Spec::embedded().assertions(release) {
                assert!(chapters.contains(&a.chapter.as_str()), "{}: no chapter {}", a.id, a.chapter);
                let subject = a.subject.as_deref().unwrap_or("GetPhase");
                let known = edition.function(subject).is_some()
                    || edition.event(subject).is_some()
                    || edition.capability(subject).is_some();
                assert!(known, "{} in release {release}: no {subject}", a.id);
            }
        }
    }

    #[test]
    fn texts_are_sentences_without_gaps() {
        for assertion in all(28) {
            assert!(assertion.text.ends_with('.'), "{}: {}", assertion.id, assertion.text);
            assert!(!assertion.text.contains("  ") && !assertion.anchor.is_empty(), "{}", assertion.id);
        }
    }

    #[test]
    fn only_required_errors_must_be_detected() {
        assert_eq!(strength(25, "SuspendThread#errors/THREAD_NOT_ALIVE"), Strength::Must);
        assert_eq!(strength(25, "SuspendThread#errors/INVALID_THREAD"), Strength::Should);
        assert_eq!(strength(25, "GetThreadState#null/thread_state_ptr"), Strength::Should);
        assert_eq!(strength(25, "GetThreadState#null/thread"), Strength::Must);
        assert_eq!(strength(25, "SuspendThread#phase/start"), Strength::Should);
        assert_eq!(strength(25, "SuspendThread#phase/live"), Strength::Must);
    }

    #[test]
    fn what_only_the_implementation_knows_is_left_to_it() {
        assert_eq!(strength(25, "RunAgentThread#errors/UNSUPPORTED_OPERATION"), Strength::Should);
        assert_eq!(
            strength(25, "GetThreadCpuTime#errors/UNSUPPORTED_OPERATION"),
            Strength::ImplementationDefined
        );
        assert_eq!(strength(25, "NotifyFramePop#errors/OPAQUE_FRAME"), Strength::Must);
        assert_eq!(strength(26, "NotifyFramePop#errors/OPAQUE_FRAME"), Strength::ImplementationDefined);
        assert_eq!(strength(25, "PopFrame#errors/OPAQUE_FRAME/impl_unable"), Strength::ImplementationDefined);
    }

    #[test]
    fn a_vm_may_be_unable_to_pop_a_frame() {
        let may = |release: u16, function, error| {
            let edition = Spec::embedded().at(Release(release));
            derived::may_be_unable(edition.function(function).unwrap(), error)
        };
        assert!(may(25, "PopFrame", "OPAQUE_FRAME"));
        assert!(!may(25, "PopFrame", "THREAD_NOT_SUSPENDED"));
        // On 25 only for suspended virtual threads.
        assert!(!may(25, "SetLocalInt", "OPAQUE_FRAME"));
        assert!(may(26, "SetLocalInt", "OPAQUE_FRAME"));
    }

    #[test]
    fn no_vm_has_to_send_what_it_may_not_have() {
        assert_eq!(strength(25, "DynamicCodeGenerated#enable"), Strength::May);
        assert_eq!(strength(25, "DynamicCodeGenerated#disabled"), Strength::Must);
        assert_eq!(strength(25, "MethodEntry#enable"), Strength::Must);
    }

    #[test]
    fn the_dead_phase_of_any_phase_functions_is_latitude() {
        assert_eq!(strength(25, "Allocate#phase/dead"), Strength::May);
    }

    #[test]
    fn tables_of_25_yield_the_expected_numbers() {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for assertion in all(25) {
            if let Some((_, rest)) = assertion.id.split_once('#') {
                *counts.entry(rest.split('/').next().unwrap_or(rest).to_string()).or_default() += 1;
            }
        }
        insta::assert_snapshot!(
            counts.iter().map(|(kind, n)| format!("{kind}: {n}")).collect::<Vec<_>>().join("\n")
        );
    }
}
