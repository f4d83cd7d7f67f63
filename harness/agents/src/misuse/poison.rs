//! Rules on undefined memory: outputs of failed calls, and memory after Deallocate. With `--poison` the probe fills both with
//! marks, and an agent that passes a mark to a function has used such memory. Other recordings contain no marks.

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, COUNTED_DEALLOCATION, NativeCode, Record};
use rustc_hash::FxHashMap;

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, Call, TraceEvent};

pub(super) static OUTPUT: Info = Info {
    id: "output/after-error",
    severity: Severity::Error,
    anchor: "functionReturn",
    says: "do not use the outputs of a failed call: they are undefined (checked in recordings with --poison)",
};
pub(super) static MEMORY: Info = Info {
    id: "memory/after-deallocate",
    severity: Severity::Error,
    anchor: "Deallocate",
    says: "do not read or write memory after deallocating it (checked in recordings with --poison)",
};

pub(super) static BEYOND: Info = Info {
    id: "memory/overrun",
    severity: Severity::Error,
    anchor: "Allocate",
    says: "write no more to memory than was allocated: a text needs a byte more than its length (checked in recordings with --poison)",
};

/// Where a mark comes from.
struct Origin {
    info: &'static Info,
    what: String,
}

#[derive(Default)]
pub(super) struct Poison {
    marks: FxHashMap<u64, Origin>,
    /// Calls of Deallocate whose memory got marks: the call site, and the memory.
    deallocated: FxHashMap<u32, (u32, String)>,
}

impl MisuseRule for Poison {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Begun(call) => {
                for (index, value) in call.args.iter().enumerate() {
                    if let Some(origin) = bits(value).and_then(|bits| self.origin(state, bits)) {
                        let name = state.names.function(call.function);
                        found.add(origin.info, (state, record), (call.site, &name), || {
                            let param = state.names.output_of(call.function, index as u16);
                            format!("{param} is {}", origin.what)
                        });
                    }
                }
            }
            TraceEvent::Returned { call, code, outputs, .. } if !outputs.is_empty() => {
                self.returned(state, call, *code, outputs);
            }
            TraceEvent::Other => {
                if let Body::Native(native) = &record.body {
                    added(state, record, native, found);
                }
                let (at, offset, site, what) = match &record.body {
                    Body::WrittenAfterDeallocate { call, at, offset } => match self.deallocated.get(call) {
                        Some((site, what)) => (at, offset, *site, what.clone()),
                        None => return,
                    },
                    Body::Native(NativeCode::WrittenAfterDeallocate { site, at, offset }) => {
                        (at, offset, *site, counted(state, *site))
                    }
                    _ => return,
                };
                found.add(&MEMORY, (state, record), (site, "Deallocate"), || {
                    format!("{at:#x} was written to at offset {offset} after {what}")
                });
            }
            _ => {}
        }
    }
}

/// What the probe has found out itself.
fn added(state: &AgentState<'_>, record: &Record, native: &NativeCode, found: &mut Violations) {
    match native {
        NativeCode::WrittenBeyond { site, at, size } => {
            found.add(&BEYOND, (state, record), (*site, "Allocate"), || {
                format!(
                    "the memory at {at:#x} was written to behind the {size} bytes that Allocate was asked for"
                )
            });
        }
        NativeCode::DeallocatedPassed { function, site, param } => {
            let name = state.names.function(*function);
            found.add(&MEMORY, (state, record), (*site, &name), || {
                let param = state.names.parameter_name(*function, *param);
                format!("{name} was passed an address in memory that had been deallocated ({param})")
            });
        }
        _ => {}
    }
}

/// A call of Deallocate from that call site which was only counted.
fn counted(state: &AgentState<'_>, site: u32) -> String {
    format!("a call of Deallocate at {}", state.site_text(site))
}

impl Poison {
    /// Where a value comes from, if it is a mark.
    fn origin(&mut self, state: &AgentState<'_>, bits: u64) -> Option<&Origin> {
        if bits >> 32 << 32 == COUNTED_DEALLOCATION {
            let what = || format!("the content of memory after {}", counted(state, bits as u32));
            self.marks.entry(bits).or_insert_with(|| Origin { info: &MEMORY, what: what() });
        }
        self.marks.get(&bits)
    }

    fn returned(&mut self, state: &AgentState<'_>, call: &Call, code: i32, outputs: &[(u16, Value)]) {
        let shown =
            || format!("{} at {}", state.names.call(call.function, &call.args), state.site_text(call.site));
        if code != 0 {
            let shown = format!("{}, which returned {}", shown(), state.names.error(code));
            for (param, value) in outputs {
                let Some(bits) = bits(value) else { continue };
                let output = state.names.parameter_name(call.function, *param);
                self.marks.insert(
                    bits,
                    Origin { info: &OUTPUT, what: format!("the content of {output} after {shown}") },
                );
            }
        } else if let ("Deallocate", [(0, Value::Pointer(mark))]) =
            (state.names.function(call.function).as_ref(), outputs)
        {
            let what = format!("the content of memory after {}", shown());
            self.marks.insert(*mark, Origin { info: &MEMORY, what });
            self.deallocated.insert(call.number, (call.site, shown()));
        }
    }
}

fn bits(value: &Value) -> Option<u64> {
    match value {
        Value::Pointer(bits) | Value::Method(bits) | Value::Field(bits) => Some(*bits),
        // Marks are negative, and few meaningful numbers are.
        Value::Int(int) if *int < 0 => Some(int.cast_unsigned()),
        _ => None,
    }
}
