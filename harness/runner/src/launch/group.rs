//! Ends a process, alone or with all that it started.

use std::time::{Duration, Instant};

use crate::os::process::Group;

/// Ends all of the group: it is asked to, and killed after `grace`. `has_ended` waits so long for the leader, and says whether
/// it has ended.
pub(super) fn end(group: &Group, grace: Duration, mut has_ended: impl FnMut(Duration) -> bool) {
    group.ask_to_end();
    let begun = Instant::now();
    while begun.elapsed() < grace {
        if has_ended(Duration::from_millis(20)) {
            break;
        }
    }
    group.kill(has_ended(Duration::ZERO));
    has_ended(Duration::from_secs(10));
}
