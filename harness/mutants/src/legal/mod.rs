//! JVMs that do what the specification permits otherwise, as data: the counterpart of the mutants, which break it.
//!
//! A [`Variant`] uses one latitude of the text: it does not offer an optional capability, does not detect an error that need
//! not be detected, returns a list in another order, and so on. The variants follow from the tables of the specification. A
//! verdict that blames one of them is a defect of the suite.

mod capabilities;
mod errors;
mod events;
mod groups;
mod modifiable;
mod outputs;
mod own;
mod settings;
mod trial;

use jvmti_spec::{Assertions, Edition, Release, Spec};

use crate::mutation::Mutation;

pub use groups::groups;
pub use trial::{Blame, Latitude, Legal, Trials, Tried};

/// A JVM that uses a latitude of the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Stable id (`GetLoadedClasses/order/classes_ptr`).
    pub id: String,
    /// What it does, one line.
    pub does: String,
    /// The same for the library that does it: each mutation has a copy of the library to itself.
    pub mutations: Vec<Mutation>,
    /// Options of the JVM.
    pub options: Vec<String>,
    /// The functions, events and capabilities that behave differently; empty: anything may.
    pub touches: Vec<String>,
    /// Whether a JVM may do it besides the same of other functions without hiding what they do.
    pub joins: bool,
}

impl Variant {
    /// One that may make anything behave differently, and is not joined with others.
    fn new(id: impl Into<String>, does: impl Into<String>, mutations: Vec<Mutation>) -> Variant {
        let (id, does) = (id.into(), does.into());
        Variant { id, does, mutations, options: Vec::new(), touches: Vec::new(), joins: false }
    }
}

/// Collects the variants of one function, event or capability.
struct Variants<'a> {
    edition: &'a Edition,
    assertions: &'a Assertions,
    subject: &'a str,
    out: &'a mut Vec<Variant>,
}

impl Variants<'_> {
    /// Adds a variant. `what` follows the subject's name in its id, `does` in its description.
    fn add(&mut self, what: &str, does: &str, mutations: Vec<Mutation>) {
        let subject = self.subject.to_owned();
        let (id, does) = (format!("{subject}/{what}"), format!("{subject} {does}"));
        self.out.push(Variant { touches: vec![subject], ..Variant::new(id, does, mutations) });
    }

    /// Adds a variant that differs only where the real JVM returns an error.
    fn add_undetected(&mut self, what: &str, does: &str, mutation: Mutation) {
        self.add(what, does, vec![mutation]);
        self.out.last_mut().expect("it has just been added").joins = true;
    }
}

/// All variants of a release.
pub fn variants(release: Release) -> Vec<Variant> {
    let edition = &Spec::embedded().at(release);
    let assertions = &Spec::embedded().assertions(release).into_iter().collect();
    let mut out = settings::variants(release);
    for function in &edition.functions {
        let mut of = Variants { edition, assertions, subject: &function.name, out: &mut out };
        errors::add(&mut of, function);
        outputs::add(&mut of, function);
    }
    for event in &edition.events {
        events::add(&mut Variants { edition, assertions, subject: &event.name, out: &mut out }, event);
    }
    for capability in &edition.capabilities {
        let mut of = Variants { edition, assertions, subject: &capability.name, out: &mut out };
        capabilities::add(&mut of, capability);
    }
    out.extend(capabilities::together(edition));
    modifiable::add(edition, &mut out);
    own::add(edition, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_release_has_hundreds_and_their_ids_are_unique() {
        for release in Release::REVIEWED {
            let all = variants(release);
            let ids: BTreeSet<&str> = all.iter().map(|variant| variant.id.as_str()).collect();
            assert_eq!(ids.len(), all.len());
            assert!(all.len() >= 300, "{} in {release:?}", all.len());
        }
    }

    #[test]
    fn every_variant_does_something() {
        for variant in variants(Release::NEWEST) {
            assert!(!variant.mutations.is_empty() || !variant.options.is_empty(), "{}", variant.id);
        }
    }
}
