//! The JVM sends an event only while it is enabled, globally or for the thread that generates it.

use jvmti_wire::value::{ObjectId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Begun, Observed, Returned, Sent, UniversalRule};

/// What one environment asked for of one event.
#[derive(Default)]
struct Asked {
    globally: bool,
    threads: FxHashSet<ObjectId>,
    /// Enabled for a thread that the probe could not identify.
    unknown: bool,
    /// Calls on their way that may enable it.
    coming: u32,
    /// Whether it has ever been disabled after being enabled, and the thread that did so last.
    disabled_on: Option<u32>,
    /// Threads that may have been on their way into a callback when it was disabled, and have got there since.
    late: FxHashSet<u32>,
}

impl Asked {
    fn allows(&self, thread: Option<ObjectId>) -> bool {
        self.globally
            || self.unknown
            || self.coming > 0
            || match thread {
                Some(thread) => self.threads.contains(&thread),
                None => !self.threads.is_empty(),
            }
    }
}

#[derive(Default)]
pub(super) struct Enabled {
    asked: FxHashMap<(u32, u16), Asked>,
    /// Environments whose calls are recorded. The probe makes its own calls without telling.
    known: FxHashSet<u32>,
    observed: Observed,
}

const FUNCTION: &str = "SetEventNotificationMode";

/// Mode, event, thread.
fn request(args: &[Value]) -> Option<(bool, u16, &Value)> {
    match args {
        [Value::Int(mode), Value::Int(event), thread, ..] => {
            Some((*mode != 0, u16::try_from(*event).ok()?, thread))
        }
        _ => None,
    }
}

impl UniversalRule for Enabled {
    fn assertion(&self) -> &'static str {
        "universal/event-only-when-enabled"
    }

    fn begun(&mut self, call: &Begun<'_>) {
        self.known.insert(call.environment);
        if call.function.name == FUNCTION
            && let Some((true, event, _)) = request(call.args)
        {
            // The event may come before the call returns.
            self.asked.entry((call.environment, event)).or_default().coming += 1;
        }
    }

    fn returned(&mut self, call: &Returned<'_>) {
        if call.function.name != FUNCTION {
            return;
        }
        let Some((enable, event, thread)) = request(&call.call.args) else { return };
        let asked = self.asked.entry((call.call.environment, event)).or_default();
        if enable {
            asked.coming = asked.coming.saturating_sub(1);
        }
        if call.code != 0 {
            return;
        }
        match (thread, enable) {
            (Value::Null, _) => asked.globally = enable,
            (Value::Object(thread), true) => {
                asked.threads.insert(*thread);
            }
            (Value::Object(thread), false) => {
                asked.threads.remove(thread);
            }
            // Which thread it was is not known: from here on anything may be enabled.
            (_, true) => asked.unknown = true,
            (_, false) => {}
        }
        if !enable {
            asked.disabled_on = Some(call.record.thread);
            asked.late.clear();
        }
    }

    fn sent(&mut self, event: &Sent<'_>) {
        if !event.of_case && !self.known.contains(&event.environment) {
            return;
        }
        self.observed.occasions += 1;
        let number = event.event.number;
        let asked = self.asked.entry((event.environment, number)).or_default();
        if asked.allows(event.thread) {
            return;
        }
        let here = event.record.thread;
        // What another thread disabled may have been on its way already: the next one wasn't. The same holds for what came to the case that had
        // the environment before: the probe has disabled that without telling.
        let elsewhere = asked.disabled_on.map_or(event.passes_on, |thread| thread != here);
        if elsewhere && asked.late.insert(here) {
            return;
        }
        let what = match (asked.disabled_on, asked.threads.is_empty()) {
            (_, false) => "it is enabled for other threads only",
            (Some(_), true) => "it has been disabled",
            (None, true) => "it was never enabled",
        };
        let place = || event.names.event_with(number, event.args);
        let expected = format!("no {} in environment {}", event.event.name, event.environment);
        self.observed.broken(place, &expected, || format!("it came, though {what}"));
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
