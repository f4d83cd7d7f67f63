//! What a JVM has of its own: threads, frames, and moments at which its timers change.

use jvmti_spec::Edition;

use super::{Variant, outputs};
use crate::mutation::Mutation;

/// Adds those of a release.
pub(super) fn add(edition: &Edition, out: &mut Vec<Variant>) {
    let of = |id: &str, does: &str, mutation: Mutation| Variant {
        id: id.to_owned(),
        does: does.to_owned(),
        mutations: vec![mutation],
        options: Vec::new(),
        touches: Vec::new(),
        joins: false,
    };
    let does = "a thread of the JVM loads classes, throws, waits and starts threads";
    out.push(of("own/thread", does, Mutation::default().busy(1)));
    let does = "each stack begins with a frame of a native method of the JVM";
    // For such a frame MethodExit would have to come.
    let exits = edition.capability("can_generate_method_exit_events");
    out.extend(exits.map(|exits| of("own/frame", does, Mutation::default().launch(exits.bit.into()))));
    out.push(outputs::coarse(edition));
}
