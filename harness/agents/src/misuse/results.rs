//! Errors that an agent took no notice of.

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

/// What begins something, and what ends it, by the same arguments.
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

/// By environment, what was to begin, and the ids that it was about; per thread where threads own it.
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
        // That it fails as well is the proof.
        let Some((begins, _)) = PAIRS.iter().find(|(_, ends)| *ends == name && code != 0) else { return };
        if let Some(failed) = self.0.get(&(call.environment, *begins, ids(begins, call))) {
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

/// What the call is about, as far as that is recorded by value.
fn ids(begins: &str, call: &Call) -> Vec<u64> {
    let owner = begins.starts_with("RawMonitor").then_some(u64::from(call.thread));
    let values = call.args.iter().filter_map(|arg| match arg {
        Value::Pointer(bits) | Value::Method(bits) | Value::Field(bits) => Some(*bits),
        // Where a breakpoint is, not how long to wait.
        Value::Int(int) if !begins.starts_with("RawMonitor") => Some(int.cast_unsigned()),
        _ => None,
    });
    owner.into_iter().chain(values).collect()
}
