//! A rule on agents that ignore the errors of functions.

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use rustc_hash::FxHashMap;

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, Call, TraceEvent};

pub(super) static IGNORED: Info = Info {
    id: "result/ignored",
    severity: Severity::Warning,
    anchor: "functionReturn",
    says: "do not end what could not be begun: check the error of the function that begins it",
};

/// Pairs of functions: one begins something, the other ends it; both get the same arguments.
const PAIRS: [(&str, &str); 7] = [
    ("RawMonitorEnter", "RawMonitorExit"),
    ("RawMonitorEnter", "RawMonitorWait"),
    ("RawMonitorEnter", "RawMonitorNotify"),
    ("RawMonitorEnter", "RawMonitorNotifyAll"),
    ("SetBreakpoint", "ClearBreakpoint"),
    ("SetFieldAccessWatch", "ClearFieldAccessWatch"),
    ("SetFieldModificationWatch", "ClearFieldModificationWatch"),
];

/// A call that failed.
struct Failed {
    site: u32,
    code: i32,
}

/// Failed calls by environment, by what they should have begun, and by its ids; also by thread if it belongs to one.
#[derive(Default)]
pub(super) struct Results(FxHashMap<(u32, &'static str, Vec<u64>), Failed>);

impl MisuseRule for Results {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let (call, code) = match trace_event {
            TraceEvent::Returned { call, code, .. } => (*call, *code),
            TraceEvent::Brief(call) => (*call, 0),
            _ => return,
        };
        let name = state.names.function(call.function);
        if let Some((begins, _)) = PAIRS.iter().find(|(begins, _)| *begins == name) {
            let key = (call.environment, *begins, ids(begins, call));
            if code == 0 {
                self.0.remove(&key);
            } else {
                self.0.insert(key, Failed { site: call.site, code });
            }
            return;
        }
        // The ending function fails, too: that proves it.
        let Some((begins, _)) = PAIRS.iter().find(|(_, ends)| *ends == name && code != 0) else { return };
        if let Some(failed) = self.0.get(&(call.environment, *begins, ids(begins, call))) {
            // A capability that the environment lacks explains both.
            let error = state.names.spec().error_by_number(code);
            if failed.code == code && error.is_some_and(|error| error.name == "MUST_POSSESS_CAPABILITY") {
                return;
            }
            found.add(&IGNORED, (state, record), (call.site, &name), || {
                format!(
                    "{} → {}, after {begins} for the same object at {} had returned {}",
                    state.names.call(call.function, &call.args),
                    state.names.error(code),
                    state.site_text(failed.site),
                    state.names.error(failed.code)
                )
            });
        }
    }
}

/// The arguments that identify what the call is about, if the trace has their values.
fn ids(begins: &str, call: &Call) -> Vec<u64> {
    let owner = begins.starts_with("RawMonitor").then_some(u64::from(call.thread));
    let values = call.args.iter().filter_map(|arg| match arg {
        Value::Pointer(bits) | Value::Method(bits) | Value::Field(bits) => Some(*bits),
        // The location of a breakpoint counts, a timeout does not.
        Value::Int(int) if !begins.starts_with("RawMonitor") => Some(int.cast_unsigned()),
        _ => None,
    });
    owner.into_iter().chain(values).collect()
}
