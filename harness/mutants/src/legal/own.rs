//! What a JVM has of its own: threads and what they do, frames, other agents, native code in which threads wait, an uneven pace, and moments at
//! which its timers change.

use jvmti_spec::Edition;
use jvmti_spec::edition::Capability;

use super::{Variant, outputs};
use crate::mutation::Mutation;

/// What a thread of the JVM's own does, by the numbers that `own_thread.c` gives to it.
const THREADS: [(i64, &str, &str); 4] = [
    (1, "thread", "a thread of the JVM loads classes, throws, waits and starts threads"),
    (2, "unparking", "parked threads wake for no reason again and again"),
    (3, "linking", "a thread of the JVM links classes that nothing has used yet"),
    (4, "collecting", "a thread of the JVM collects garbage again and again"),
];

/// One call of so many takes long.
const PACE: i64 = 100;

/// Adds those of a release.
pub(super) fn add(edition: &Edition, out: &mut Vec<Variant>) {
    for (number, what, does) in THREADS {
        out.push(Variant::new(format!("own/{what}"), does, vec![Mutation::default().busy(number)]));
    }
    let resting = [
        (1, "rest", "threads wait, sleep and are parked in native code"),
        (2, "unknown-wait", "it is not known why threads wait, nor whether they run native code"),
    ];
    for (number, what, does) in resting {
        let touches =
            ["GetThreadState", "GetAllStackTraces", "GetThreadListStackTraces"].map(str::to_owned).into();
        let mutations = vec![Mutation::default().rest(number)];
        out.push(Variant { touches, ..Variant::new(format!("own/{what}"), does, mutations) });
    }
    let does = "one call of a hundred takes 20 ms";
    out.push(Variant::new("own/pace", does, vec![Mutation::default().pace(PACE)]));
    let does = "another agent possesses most capabilities and has enabled most events";
    out.push(Variant::new("own/company", does, vec![Mutation::default().company(1)]));
    let does = "each stack begins with a frame of a native method of the JVM";
    // For such a frame MethodExit would have to come.
    let exits = edition.capability("can_generate_method_exit_events");
    let launched = |exits: &Capability| vec![Mutation::default().launch(exits.bit.into())];
    out.extend(exits.map(|exits| Variant::new("own/frame", does, launched(exits))));
    out.push(outputs::coarse(edition));
    out.push(outputs::no_properties(edition));
}
