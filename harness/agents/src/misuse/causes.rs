//! Tells one finding for each cause: leaves out what another finding explains.

use std::collections::BTreeSet;

use super::{Place, Severity, Violation, Violations, crashes, error_table, stuck};

/// Rules that explain why others are broken at the same place.
static EXPLAINED: [(&[&str], &[&str]); 12] = [
    (&["reference/other-thread"], &["reference/returned"]),
    // Values come again: what is deleted there was another one's, too.
    (&["reference/returned"], &["reference/deleted"]),
    (
        &["memory/class-data", "memory/class-data-length", "memory/class-data-written"],
        &["class/left-malformed"],
    ),
    // A JVM may run heap callbacks on a thread of its own.
    (&["callback/unsafe"], &["thread/unattached", "reference/other-thread"]),
    (&["abi/callbacks-size"], &["argument/illegal"]),
    (&["capability/refusal-ignored"], &["capability/missing"]),
    (&["environment/disposed"], &["environment/invalid"]),
    (&["monitor/destroyed"], &["monitor/invalid", "result/ignored"]),
    // What was freed in another way is still held, as far as the trace tells.
    (&["memory/foreign-free"], &["memory/growing", "memory/leak", "memory/held"]),
    (
        &["reference/deleted", "reference/returned", "reference/cleared", "reference/other-thread"],
        &error_table::REFERENCES,
    ),
    (&error_table::REFERENCES, &["crash/callback"]),
    (
        &["output/after-error", "memory/after-deallocate"],
        &["memory/other-allocator", "memory/double-free", "argument/illegal"],
    ),
];

/// Rules that explain why a program hangs, wherever it does.
static HANGS: [&str; 11] = [
    "crash/agent",
    "crash/callback",
    "crash/unloaded",
    "monitor/deadlock",
    "monitor/kept",
    "monitor/left-entered",
    "monitor/lost-notify",
    "monitor/collection",
    "thread/left-suspended",
    "thread/suspended-with-others",
    "thread/user",
];

impl Violations {
    /// Drops findings that another one at the same place explains.
    pub(super) fn keep_causes(&mut self) {
        let explained: BTreeSet<(&'static str, String, Place)> = self
            .0
            .keys()
            .flat_map(|(_, cause, of, place)| {
                let effects = EXPLAINED.iter().filter(|(causes, _)| causes.contains(cause));
                effects.flat_map(|(_, effects)| *effects).map(|effect| (*effect, of.clone(), *place))
            })
            .collect();
        self.0.retain(|(_, rule, of, place), _| !explained.contains(&(*rule, of.clone(), *place)));
        if self.0.keys().any(|(_, rule, ..)| HANGS.contains(rule)) {
            self.0.retain(|(_, rule, ..), _| *rule != stuck::STUCK.id);
        }
        self.drop_explained_crashes();
    }

    /// Drops a crash in a callback, or in a call, in which something else went wrong before.
    fn drop_explained_crashes(&mut self) {
        let crashes = self.0.values().filter(|found| found.rule == crashes::WITHIN.id);
        let crashes: Vec<(String, u64)> = crashes.map(|found| (found.thread.clone(), found.at)).collect();
        let explains = |found: &Violation| {
            let is_there = |(thread, at): &(String, u64)| found.thread == *thread && found.at >= *at;
            found.rule == "event/endless"
                || (found.rule != crashes::WITHIN.id
                    && found.severity >= Severity::Warning
                    && crashes.iter().any(is_there))
        };
        if self.0.values().any(explains) {
            self.0.retain(|(_, rule, ..), _| *rule != crashes::WITHIN.id);
        }
    }
}
