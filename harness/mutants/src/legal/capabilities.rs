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

/// JVMs that treat many capabilities in the same way: none is offered, or every other one, or all of them only before the live phase or
/// to one environment at a time.
pub(super) fn together(edition: &Edition) -> Vec<Variant> {
    let live = edition.phase(Phase::Live);
    let exclusive = edition.capabilities.iter().map(|c| i64::from(c.bit));
    let exclusive = exclusive.flat_map(|bit| absent(edition, bit, &|m| m.elsewhere(bit)));
    let every_other = |first: usize| {
        // Whoever offers `can_get_thread_cpu_time` in OnLoad offers this one, too.
        let free = edition.capabilities.iter().filter(|c| c.name != "can_get_current_thread_cpu_time");
        free.skip(first).step_by(2).flat_map(|c| absent(edition, c.bit.into(), &|m| m)).collect()
    };
    vec![
        Variant::new("capabilities/none", "no optional capability is offered", none(edition, &|m| m)),
        Variant::new(
            "capabilities/early-only",
            "no capability is offered in the live phase",
            none(edition, &|m| m.phase(live)),
        ),
        Variant::new(
            "capabilities/exclusive",
            "one environment at a time possesses a capability",
            exclusive.collect(),
        ),
        Variant::new("capabilities/odd", "every other capability is not offered", every_other(0)),
        Variant::new(
            "capabilities/even",
            "every other capability is not offered, from the second on",
            every_other(1),
        ),
    ]
}

/// None of the capabilities is offered.
fn none(edition: &Edition, when: &dyn Fn(Mutation) -> Mutation) -> Vec<Mutation> {
    let unavailable = edition.code("NOT_AVAILABLE");
    let of = |function| when(Mutation::default().function(edition.slot(function)));
    let refuse = |c: &Capability| of("AddCapabilities").asked(1, c.bit.into()).answer_instead(unavailable);
    let potential = of("GetPotentialCapabilities").place(POTENTIAL).zero(BYTES);
    std::iter::once(potential).chain(edition.capabilities.iter().map(refuse)).collect()
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
