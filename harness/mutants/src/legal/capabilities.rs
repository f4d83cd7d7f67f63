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
    let unavailable = edition.code("NOT_AVAILABLE");
    let potential = edition.slot("GetPotentialCapabilities");
    let none = Mutation::default().function(potential).place(POTENTIAL).zero(BYTES);
    let ask = |bit: u16| Mutation::default().function(edition.slot("AddCapabilities")).asked(1, bit.into());
    let refuse = edition.capabilities.iter().map(|c| ask(c.bit).answer_instead(unavailable));
    let none = std::iter::once(none).chain(refuse).collect();
    // Whoever offers `can_get_thread_cpu_time` in OnLoad offers this one, too.
    let free = |c: &&Capability| c.name != "can_get_current_thread_cpu_time";
    let each = |first: usize, step: usize, when: &dyn Fn(Mutation, i64) -> Mutation| {
        let capabilities = edition.capabilities.iter().filter(free);
        let bits = capabilities.skip(first).step_by(step).map(|c| i64::from(c.bit));
        bits.flat_map(|bit| absent(edition, bit, &|m| when(m, bit))).collect::<Vec<_>>()
    };
    let live = edition.phase(Phase::Live);
    let variant = |name: &str, what: &str, mutations| Variant::new(name, what, mutations);
    vec![
        variant("capabilities/none", "no optional capability is offered", none),
        variant(
            "capabilities/early-only",
            "no capability is offered in the live phase",
            each(0, 1, &|m, _| m.phase(live)),
        ),
        variant(
            "capabilities/exclusive",
            "one environment at a time possesses a capability",
            each(0, 1, &|m, bit| m.elsewhere(bit)),
        ),
        variant("capabilities/odd", "every other capability is not offered", each(0, 2, &|m, _| m)),
        variant(
            "capabilities/even",
            "every other capability is not offered, from the second on",
            each(1, 2, &|m, _| m),
        ),
    ]
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
