//! Events that come in pairs: of two that are enabled throughout, the second comes only after the first. Collections also end
//! before the next one begins.

use jvmti_spec::Edition;
use jvmti_wire::value::{ObjectId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Begun, Observed, Returned, Sent, UniversalRule};

const FUNCTION: &str = "SetEventNotificationMode";

/// Whose pairs are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Of {
    /// The VM has one at a time.
    Vm,
    /// Of each thread and object.
    Thread(ObjectId, ObjectId),
}

/// Every event of a kind answers one of another kind, in each environment that gets both.
pub(super) struct Pairs {
    assertion: &'static str,
    first: u16,
    second: u16,
    /// Whether each thread and object has pairs of its own.
    per_thread: bool,
    enabled: FxHashSet<(u32, u16)>,
    /// What came last, since both have been enabled.
    last: FxHashMap<(u32, Of), u16>,
    observed: Observed,
}

impl Pairs {
    /// A thread that has waited for a monitor had attempted to enter it.
    pub(super) fn contended(spec: &Edition) -> Self {
        let (first, second) = ("MonitorContendedEnter", "MonitorContendedEntered");
        Pairs::of(spec, "universal/contended-enter-before-entered", first, second, true)
    }

    /// A thread that has finished waiting was about to.
    pub(super) fn waiting(spec: &Edition) -> Self {
        Pairs::of(spec, "universal/waited-after-wait", "MonitorWait", "MonitorWaited", true)
    }

    /// A collection that ends had begun, and none begins in between.
    pub(super) fn collections(spec: &Edition) -> Self {
        let (first, second) = ("GarbageCollectionStart", "GarbageCollectionFinish");
        Pairs::of(spec, "universal/collection-finish-after-start", first, second, false)
    }

    fn of(spec: &Edition, assertion: &'static str, first: &str, second: &str, per_thread: bool) -> Self {
        // No event has the number 0.
        let number = |name| spec.event(name).map_or(0, |event| event.number);
        let (first, second) = (number(first), number(second));
        let (enabled, last, observed) = Default::default();
        Pairs { assertion, first, second, per_thread, enabled, last, observed }
    }

    /// The mode and the event that the call is about, if it is about one of the two.
    fn asked(&self, function: &str, args: &[Value]) -> Option<(bool, u16, bool)> {
        match args {
            [Value::Int(mode), Value::Int(event), thread, ..] if function == FUNCTION => {
                let event = u16::try_from(*event).ok().filter(|e| [self.first, self.second].contains(e))?;
                Some((*mode != 0, event, *thread == Value::Null))
            }
            _ => None,
        }
    }

    fn forget(&mut self, environment: u32) {
        self.last.retain(|(of, _), _| *of != environment);
    }
}

impl UniversalRule for Pairs {
    fn assertion(&self) -> &'static str {
        self.assertion
    }

    fn begun(&mut self, call: &Begun<'_>) {
        if let Some((enable, event, _)) = self.asked(&call.function.name, call.args) {
            if !enable {
                self.enabled.remove(&(call.environment, event));
            }
            self.forget(call.environment);
        }
    }

    fn returned(&mut self, call: &Returned<'_>) {
        let environment = call.call.environment;
        if let Some((true, event, true)) = self.asked(&call.function.name, &call.call.args)
            && call.code == 0
        {
            self.enabled.insert((environment, event));
            self.forget(environment);
        }
    }

    fn sent(&mut self, event: &Sent<'_>) {
        let number = event.event.number;
        let other = if number == self.first { self.second } else { self.first };
        if number != self.first && number != self.second
            || !self.enabled.contains(&(event.environment, number))
            || !self.enabled.contains(&(event.environment, other))
        {
            return;
        }
        let of = match (event.thread, event.arg("object")) {
            _ if !self.per_thread => Of::Vm,
            (Some(thread), Some(Value::Object(object))) => Of::Thread(thread, *object),
            // Which thread or monitor it was could not be told.
            _ => return,
        };
        if let Some(last) = self.last.insert((event.environment, of), number) {
            self.observed.occasions += 1;
            // A thread that is interrupted, or that fails to enter or to wait, never gets to the second event.
            let need_not_follow = self.per_thread && number == self.first;
            if last == number && !need_not_follow {
                let place = || event.names.event_with(number, event.args);
                self.observed.broken(place, "the two events in alternation", || {
                    format!("{} came again without the other in between", event.event.name)
                });
            }
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
