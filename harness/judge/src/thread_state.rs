//! The rules on the bits that GetThreadState returns ("Get Thread State", "Rules").
//!
//! All reviewed releases state the same rules, so there is one set of them.

/// Bits of `jvmtiThreadState`.
pub mod bit {
    /// The thread has started and not ended.
    pub const ALIVE: u32 = 0x1;
    /// It has ended.
    pub const TERMINATED: u32 = 0x2;
    /// It is runnable.
    pub const RUNNABLE: u32 = 0x4;
    /// It waits without a timeout.
    pub const WAITING_INDEFINITELY: u32 = 0x10;
    /// It waits with a timeout.
    pub const WAITING_WITH_TIMEOUT: u32 = 0x20;
    /// It is in `Thread.sleep`.
    pub const SLEEPING: u32 = 0x40;
    /// It waits.
    pub const WAITING: u32 = 0x80;
    /// It is in `Object.wait`.
    pub const IN_OBJECT_WAIT: u32 = 0x100;
    /// It is parked.
    pub const PARKED: u32 = 0x200;
    /// It waits to enter a monitor.
    pub const BLOCKED_ON_MONITOR_ENTER: u32 = 0x400;
    /// It is suspended.
    pub const SUSPENDED: u32 = 0x10_0000;
    /// It has been interrupted.
    pub const INTERRUPTED: u32 = 0x20_0000;
    /// It runs native code.
    pub const IN_NATIVE: u32 = 0x40_0000;
    /// Bits that a vendor may define.
    pub const VENDOR: u32 = 0x7000_0000;
}

use bit::*;
use jvmti_cases::model::Matcher;

/// All bits that mean something.
pub const DEFINED: u32 = ALIVE
    | TERMINATED
    | RUNNABLE
    | BLOCKED_ON_MONITOR_ENTER
    | WAITING
    | WAITING_INDEFINITELY
    | WAITING_WITH_TIMEOUT
    | SLEEPING
    | IN_OBJECT_WAIT
    | PARKED
    | SUSPENDED
    | INTERRUPTED
    | IN_NATIVE
    | VENDOR;

const ACTIVITY: u32 = RUNNABLE | BLOCKED_ON_MONITOR_ENTER | WAITING;
const DURATION: u32 = WAITING_INDEFINITELY | WAITING_WITH_TIMEOUT;
const REASON: u32 = IN_OBJECT_WAIT | PARKED | SLEEPING;
/// The bits that a JVM may not know, as cases name them.
const UNKNOWN: [&str; 4] = ["IN_OBJECT_WAIT", "PARKED", "SLEEPING", "IN_NATIVE"];
const MODIFIERS: u32 = SUSPENDED | INTERRUPTED | IN_NATIVE;

/// A rule: the assertion that states it, and the test that a lawful state passes.
#[derive(Clone, Copy)]
pub struct StateRule {
    /// Id in the registry.
    pub assertion: &'static str,
    holds: fn(u32) -> bool,
}

impl StateRule {
    /// Whether the state keeps the rule.
    pub fn holds(&self, state: u32) -> bool {
        (self.holds)(state)
    }
}

fn at_most_one(state: u32, of: u32) -> bool {
    (state & of).count_ones() <= 1
}

/// If any bit of `some` is set, all of `all` are.
fn implies(state: u32, some: u32, all: u32) -> bool {
    state & some == 0 || state & all == all
}

/// Every rule, in the order of the text.
pub const RULES: [StateRule; 11] = [
    StateRule { assertion: "thread-state/one-activity", holds: |s| at_most_one(s, ACTIVITY) },
    StateRule {
        assertion: "thread-state/alive-has-activity",
        holds: |s| s & ALIVE == 0 || s & ACTIVITY != 0,
    },
    StateRule { assertion: "thread-state/activity-needs-alive", holds: |s| implies(s, ACTIVITY, ALIVE) },
    StateRule { assertion: "thread-state/one-wait-duration", holds: |s| at_most_one(s, DURATION) },
    StateRule {
        assertion: "thread-state/waiting-has-duration",
        holds: |s| s & WAITING == 0 || s & DURATION != 0,
    },
    StateRule {
        assertion: "thread-state/duration-needs-waiting",
        holds: |s| implies(s, DURATION, ALIVE | WAITING),
    },
    StateRule { assertion: "thread-state/one-wait-reason", holds: |s| at_most_one(s, REASON) },
    StateRule {
        assertion: "thread-state/reason-needs-waiting",
        holds: |s| implies(s, REASON, ALIVE | WAITING),
    },
    StateRule {
        assertion: "thread-state/sleeping-is-timed",
        holds: |s| implies(s, SLEEPING, WAITING_WITH_TIMEOUT),
    },
    StateRule { assertion: "thread-state/modifier-needs-alive", holds: |s| implies(s, MODIFIERS, ALIVE) },
    StateRule {
        assertion: "thread-state/alive-or-terminated",
        holds: |s| s & (ALIVE | TERMINATED) != ALIVE | TERMINATED,
    },
];

/// The rule on bits that are neither defined nor the vendor's.
pub const RESERVED: StateRule =
    StateRule { assertion: "thread-state/reserved-bits-zero", holds: |s| s & !DEFINED == 0 };

/// The assertions that this state violates.
pub fn violations(state: u32) -> impl Iterator<Item = &'static str> {
    RULES.iter().chain([&RESERVED]).filter(move |rule| !rule.holds(state)).map(|rule| rule.assertion)
}

/// The `java.lang.Thread.State` that the text's conversion masks give; `None`: they give none.
pub fn java_state(state: u32) -> Option<&'static str> {
    const BLOCKED: u32 = ALIVE | BLOCKED_ON_MONITOR_ENTER;
    const RUNNING: u32 = ALIVE | RUNNABLE;
    const INDEFINITE: u32 = ALIVE | WAITING | WAITING_INDEFINITELY;
    const TIMED: u32 = ALIVE | WAITING | WAITING_WITH_TIMEOUT;
    match state & (TERMINATED | ALIVE | ACTIVITY | DURATION) {
        0 => Some("NEW"),
        TERMINATED => Some("TERMINATED"),
        RUNNING => Some("RUNNABLE"),
        BLOCKED => Some("BLOCKED"),
        INDEFINITE => Some("WAITING"),
        TIMED => Some("TIMED_WAITING"),
        _ => None,
    }
}

/// The same condition without the bits that a JVM may leave out, because the text lets it not know the answer: why a thread waits, and
/// whether it runs native code. That all other bits are there is promised for Java SE. `None`: it has no such bits.
pub(crate) fn without_answers(matcher: &Matcher) -> Option<Matcher> {
    let mut weaker = matcher.clone();
    leave_out(&mut weaker).then_some(weaker)
}

fn leave_out(matcher: &mut Matcher) -> bool {
    let all = |matchers: &mut Vec<Matcher>| matchers.iter_mut().fold(false, |some, m| leave_out(m) | some);
    match matcher {
        Matcher::Bits { has, .. } => {
            let count = has.len();
            has.retain(|(name, _)| !UNKNOWN.contains(&name.trim_start_matches("JVMTI_THREAD_STATE_")));
            has.len() < count
        }
        Matcher::Contains(inner) | Matcher::Each(inner) => leave_out(inner),
        Matcher::Consecutive(matchers)
        | Matcher::Elements(matchers)
        | Matcher::Set(matchers)
        | Matcher::All(matchers)
        | Matcher::Any(matchers) => all(matchers),
        Matcher::Fields(fields) => fields.iter_mut().fold(false, |some, (_, m)| leave_out(m) | some),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
