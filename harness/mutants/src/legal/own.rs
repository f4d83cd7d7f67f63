//! What a JVM has of its own: threads, frames, and moments at which its timers change.

use jvmti_spec::Edition;
use jvmti_spec::edition::Capability;

use super::{Variant, outputs};
use crate::mutation::Mutation;

/// Adds those of a release.
pub(super) fn add(edition: &Edition, out: &mut Vec<Variant>) {
    let does = "a thread of the JVM loads classes, throws, waits and starts threads";
    out.push(Variant::new("own/thread", does, vec![Mutation::default().busy(1)]));
    let does = "each stack begins with a frame of a native method of the JVM";
    // For such a frame MethodExit would have to come.
    let exits = edition.capability("can_generate_method_exit_events");
    let launched = |exits: &Capability| vec![Mutation::default().launch(exits.bit.into())];
    out.extend(exits.map(|exits| Variant::new("own/frame", does, launched(exits))));
    out.push(outputs::coarse(edition));
}
