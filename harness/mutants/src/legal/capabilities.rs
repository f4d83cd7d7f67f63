//! Optional capabilities that a JVM does not offer: one by one, all of them, only before the live phase, and to one environment
//! at a time.

use jvmti_spec::Edition;
use jvmti_spec::edition::{Capability, Phase};

use super::{Variant, Variants};
use crate::mutant::Numbers;
use crate::mutation::{Mutation, Place};

/// Bytes of `jvmtiCapabilities`.
const BYTES: i64 = 16;
/// Where both functions take the capabilities.
const POTENTIAL: Place = Place { argument: 1, dereferences: 0, offset: 0 };

/// Adds those of one capability.
pub(super) fn add(of: &mut Variants<'_>, capability: &Capability) {
    let (edition, bit) = (of.edition, i64::from(capability.bit));
    of.add("absent", "is not offered", absent(edition, bit, &|m| m).into());
    let live = edition.phase(Phase::Live);
    let early = absent(edition, bit, &|m| m.phase(live));
    of.add("early-only", "is not offered in the live phase", early.into());
    let alone = absent(edition, bit, &|m| m.elsewhere(bit));
    of.add("exclusive", "is possessed by one environment at a time", alone.into());
}

/// None of the capabilities is offered.
pub(super) fn together(edition: &Edition) -> Variant {
    let unavailable = edition.code("NOT_AVAILABLE");
    let potential = edition.slot("GetPotentialCapabilities");
    let none = Mutation::default().function(potential).place(POTENTIAL).zero(BYTES);
    let ask = |bit: u16| Mutation::default().function(edition.slot("AddCapabilities")).asked(1, bit.into());
    let refuse = edition.capabilities.iter().map(|c| ask(c.bit).answer_instead(unavailable));
    let mutations = std::iter::once(none).chain(refuse).collect();
    Variant::new("capabilities/none", "no optional capability is offered", mutations)
}

/// GetPotentialCapabilities does not return the capability, and AddCapabilities refuses it.
fn absent(edition: &Edition, bit: i64, when: &dyn Fn(Mutation) -> Mutation) -> [Mutation; 2] {
    let of = |function| when(Mutation::default().function(edition.slot(function)));
    let unavailable = edition.code("NOT_AVAILABLE");
    [
        of("GetPotentialCapabilities").place(POTENTIAL).unset(bit),
        of("AddCapabilities").asked(1, bit).answer_instead(unavailable),
    ]
}
