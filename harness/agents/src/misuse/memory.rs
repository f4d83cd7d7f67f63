//! Memory that the JVM gives: to be deallocated by it, once.

use std::collections::BTreeMap;
use std::rc::Rc;

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, TraceEvent};

pub(super) static DOUBLE_FREE: Info = Info {
    id: "memory/double-free",
    severity: Severity::Error,
    anchor: "Deallocate",
    says: "deallocate memory only once",
};
pub(super) static FOREIGN: Info = Info {
    id: "memory/other-allocator",
    severity: Severity::Error,
    anchor: "memory",
    says: "pass Deallocate only memory that JVM TI allocated",
};
pub(super) static FREED_ELSEWHERE: Info = Info {
    id: "memory/foreign-free",
    severity: Severity::Error,
    anchor: "memory",
    says: "free memory that JVM TI allocated only with Deallocate (checked in recordings with --poison)",
};
pub(super) static LEAK: Info = Info {
    id: "memory/leak",
    severity: Severity::Warning,
    anchor: "",
    says: "deallocate the memory of a result that is no longer needed: here the call was repeated, and the earlier result was \
           never deallocated",
};
pub(super) static HELD: Info = Info {
    id: "memory/held",
    severity: Severity::Note,
    anchor: "",
    says: "deallocate the memory that functions return before the JVM ends",
};

/// Where memory comes from.
struct Allocation {
    call: u32,
    function: u16,
    site: u32,
    when: When,
    /// The output that it came in.
    param: u16,
    /// What the call was passed, references by what they refer to as far as that is known.
    args: Rc<[Value]>,
}

impl Allocation {
    /// The output that it came in, and the call.
    fn shown(&self, state: &AgentState<'_>) -> String {
        let output = state.names.parameter_name(self.function, self.param);
        format!("{output} of {}", state.names.call(self.function, &self.args))
    }

    /// Its size in bytes, if the call tells.
    fn size(&self, state: &AgentState<'_>) -> Option<u64> {
        match self.args.first() {
            Some(Value::Int(size)) if is_allocate(state, self) => u64::try_from(*size).ok(),
            _ => None,
        }
    }

    /// What was asked: two calls that asked the same from the same place got the same answer twice. `None`: not known.
    fn question(&self, state: &AgentState<'_>) -> Option<(u16, u32, String)> {
        let params = state.names.facts(self.function)?.params.len();
        let inputs = (0..params).filter(|param| !state.names.is_output(self.function, *param));
        // Of a call that was recorded in brief only the first one is known.
        let inputs: Vec<&Value> = inputs.map(|param| self.args.get(param)).collect::<Option<_>>()?;
        let is_known = |value: &&Value| !matches!(value, Value::Opaque | Value::Pointer(_) | Value::List(_));
        // Null may stand for the current thread.
        let thread = inputs.contains(&&Value::Null).then_some(self.when.thread);
        inputs.iter().all(is_known).then(|| (self.function, self.site, format!("{thread:?} {inputs:?}")))
    }
}

#[derive(Default)]
pub(super) struct Memory {
    live: BTreeMap<u64, Allocation>,
    freed: FxHashSet<u64>,
    /// By thread, the memory that it deallocated last, and in which call.
    last: FxHashMap<u32, (u32, u64, Allocation)>,
    /// Whether functions were called that the trace knows nothing of, and that may give memory.
    blind: bool,
    /// Deallocations of what the trace has not seen given.
    unknown: Vec<(u32, u64, When)>,
}

impl Memory {
    fn given(&mut self, record: &Record, call: &Call, outputs: &[(u16, Value)]) {
        if call.blocks.is_empty() {
            return;
        }
        let args: Rc<[Value]> = identified(&call.args, outputs).collect();
        for (param, block) in &call.blocks {
            self.freed.remove(block);
            let given = Allocation {
                call: call.number,
                function: call.function,
                site: call.site,
                when: record.into(),
                param: *param,
                args: Rc::clone(&args),
            };
            self.live.insert(*block, given);
        }
    }

    /// Memory is being deallocated. It may be given to another thread before the end of the call is recorded.
    fn deallocated(&mut self, state: &AgentState<'_>, record: &Record, call: &Call, found: &mut Violations) {
        let Some(Value::Pointer(block)) = call.args.first() else { return };
        if let Some(given) = self.live.remove(block) {
            self.freed.insert(*block);
            self.last.insert(call.thread, (call.number, *block, given));
        } else if self.freed.contains(block) {
            found.add(&DOUBLE_FREE, (state, record), (call.site, "Deallocate"), || {
                format!("Deallocate({block:#x}), which was already deallocated")
            });
        } else if let Some((offset, around)) = self.around(state, *block) {
            found.add(&FOREIGN, (state, record), (call.site, "Deallocate"), || {
                let around = around.shown(state);
                format!("Deallocate({block:#x}), which points {offset} bytes into {around}")
            });
        } else {
            self.unknown.push((call.site, *block, record.into()));
        }
    }

    /// The memory that an address lies in, and how far; not that which begins there.
    fn around(&self, state: &AgentState<'_>, address: u64) -> Option<(u64, &Allocation)> {
        let (block, given) = self.live.range(..address).next_back()?;
        let offset = address - block;
        given.size(state).is_some_and(|size| offset < size).then_some((offset, given))
    }

    /// A call has failed: if it was to deallocate memory, the agent still has it.
    fn kept(&mut self, call: &Call) {
        if let Some((_, block, given)) = self.last.remove(&call.thread).filter(|last| last.0 == call.number)
            && self.freed.remove(&block)
        {
            self.live.insert(block, given);
        }
    }
}

fn is_deallocate(state: &AgentState<'_>, call: &Call) -> bool {
    state.names.function(call.function) == "Deallocate"
}

impl MisuseRule for Memory {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Returned { call, code: 0, outputs, .. } => {
                self.given(record, call, outputs);
                self.blind |= state.names.function(call.function) == "GetExtensionFunctions";
            }
            TraceEvent::Returned { call, .. } => self.kept(call),
            TraceEvent::Begun(call) | TraceEvent::Brief(call) if is_deallocate(state, call) => {
                self.deallocated(state, record, call, found);
            }
            TraceEvent::Brief(call) => self.given(record, call, &[]),
            TraceEvent::Other => match &record.body {
                Body::MemoryTaken { at, .. } => drop(self.live.remove(at)),
                Body::FreedElsewhere { site, function, at } => {
                    let given = self.live.remove(at);
                    let before = !self.freed.insert(*at);
                    found.add(&FREED_ELSEWHERE, (state, record), (*site, function), || match given {
                        Some(given) => format!("{function}({at:#x}), {}", given.shown(state)),
                        None if before => format!("{function}({at:#x}), which was already freed"),
                        None => format!("{function}({at:#x}), which the JVM allocated"),
                    });
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, whole: bool, found: &mut Violations) {
        if !whole {
            return;
        }
        for (site, block, when) in self.unknown.drain(..).filter(|_| !self.blind) {
            found.add(&FOREIGN, (state, when), (site, "Deallocate"), || {
                // The allocation of memory by sampled call sites is not recorded if the memory was deallocated.
                let or =
                    if state.counted.calls.is_empty() { "" } else { ", or which was already deallocated" };
                format!("Deallocate({block:#x}), which no function returned{or}")
            });
        }
        let mut left: Vec<_> = std::mem::take(&mut self.live).into_iter().collect();
        left.sort_by_key(|(_, given)| given.when.at);
        let mut asked: FxHashMap<_, FxHashSet<u32>> = FxHashMap::default();
        for (_, given) in left.iter().filter(|(_, given)| !is_allocate(state, given)) {
            if let Some(question) = given.question(state) {
                asked.entry(question).or_default().insert(given.call);
            }
        }
        for (block, given) in left {
            let times =
                given.question(state).and_then(|question| asked.get(&question)).map_or(0, FxHashSet::len);
            let name = state.names.function(given.function);
            let info = if times > 1 { &LEAK } else { &HELD };
            found.add(info, (state, given.when), (given.site, &name), || {
                let shown = given.shown(state);
                let again =
                    if times > 1 { format!("; the same call was made {times} times") } else { String::new() };
                format!("{block:#x}, {shown}, was never deallocated{again}")
            });
        }
    }
}

/// Memory that the agent asked for is no answer.
fn is_allocate(state: &AgentState<'_>, given: &Allocation) -> bool {
    state.names.function(given.function) == "Allocate"
}

/// The arguments, references by what they refer to where a call that succeeded has told it.
fn identified<'v>(args: &'v [Value], outputs: &'v [(u16, Value)]) -> impl Iterator<Item = Value> + 'v {
    args.iter().enumerate().map(|(i, arg)| match arg {
        Value::Opaque => {
            outputs.iter().find(|(param, _)| usize::from(*param) == i).map_or(arg, |(_, told)| told).clone()
        }
        _ => arg.clone(),
    })
}
