//! All mutants of a release.

use jvmti_spec::{Release, Spec};

use crate::mutant::Mutant;
use crate::of_function::OfFunction;
use crate::{capabilities, events, functions, outputs};

/// All mutants of a release, in the order of the text, that break some testable statement.
pub fn mutants(release: Release) -> Vec<Mutant> {
    let edition = Spec::embedded().at(release);
    let assertions = Spec::embedded().assertions(release);
    let mut all = Vec::new();
    for function in &edition.functions {
        let mut of = OfFunction { edition: &edition, function, out: &mut all };
        functions::add(&mut of);
        outputs::add(&mut of);
    }
    all.extend(events::mutants(&edition));
    all.extend(capabilities::mutants(&edition));
    all.retain(|mutant| !mutant.breaks.among(&assertions).is_empty());
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_every_function_and_event_is_broken_somehow() {
        for release in [Release::REVIEWED[0], Release::NEWEST] {
            let all = mutants(release);
            let mut ids = BTreeSet::new();
            for mutant in &all {
                assert!(ids.insert(&mutant.id), "{} twice in {release:?}", mutant.id);
            }
            let subjects: BTreeSet<&str> = all.iter().map(|m| m.subject.as_str()).collect();
            let edition = Spec::embedded().at(release);
            let names =
                edition.functions.iter().map(|f| &f.name).chain(edition.events.iter().map(|e| &e.name));
            for name in names {
                assert!(subjects.contains(name.as_str()), "{name} of {release:?} has no mutant");
            }
        }
    }
}
