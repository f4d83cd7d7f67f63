//! A rule on addresses of memory that the agent has stored with threads, environments or objects, and deallocated since.

use jvmti_wire::Value;
use jvmti_wire::trace::Record;
use rustc_hash::FxHashMap;

use super::{End, Info, MisuseRule, Place, Related, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, TraceEvent};

pub(super) static STORED: Info = Info {
    id: "memory/stored",
    severity: Severity::Warning,
    anchor: "Deallocate",
    says: "replace the address in a tag or in local storage when you deallocate the memory: whoever gets it next uses the memory",
};

/// The functions that store a value, and which argument it is.
const STORES: [(&str, usize); 3] =
    [("SetThreadLocalStorage", 1), ("SetEnvironmentLocalStorage", 0), ("SetTag", 1)];
/// The functions that get it again.
const GETS: [&str; 3] = ["GetThreadLocalStorage", "GetEnvironmentLocalStorage", "GetTag"];

/// The use of an address after its memory was deallocated.
struct Suspicion {
    function: String,
    site: u32,
    when: When,
    address: u64,
    deallocated: u32,
}

#[derive(Default)]
pub(super) struct StoredPointers {
    /// Values that have been stored, and by which function.
    stored: FxHashMap<u64, &'static str>,
    /// Where memory was deallocated whose address was stored before, and not since.
    stale: FxHashMap<u64, (u32, &'static str)>,
    suspicions: Vec<Suspicion>,
}

impl MisuseRule for StoredPointers {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Begun(call) | TraceEvent::Brief(call) => self.begun(state, call),
            TraceEvent::Returned { call, code: 0, outputs, .. } => {
                let name = state.names.function(call.function);
                if GETS.contains(&name.as_ref()) {
                    for value in outputs.iter().filter_map(|(_, value)| word(value)) {
                        self.got(record, (&name, call.site), value);
                    }
                }
            }
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        // One that was only counted may have stored the address of other memory.
        let slot = |slot: u16| STORES.iter().any(|(name, _)| state.names.function(slot) == *name);
        let is_known = end.gapless && !state.counted.calls.keys().any(|(_, function)| slot(*function));
        for Suspicion { function, site, when, address, deallocated } in
            self.suspicions.drain(..).filter(|_| is_known)
        {
            found.add(&STORED, (state, when), (site, &function), || {
                format!(
                    "{function} gave {address:#x}, memory that was deallocated after its address was stored"
                )
            });
            found.relate(&STORED, (site, &function), || Related {
                what: "deallocated here".to_owned(),
                place: Place::Site(deallocated).stack(state),
            });
        }
    }
}

impl StoredPointers {
    fn begun(&mut self, state: &AgentState<'_>, call: &Call) {
        let name = state.names.function(call.function);
        if let Some((store, index)) = STORES.iter().find(|(store, _)| *store == name) {
            if let Some(value) = call.args.get(*index).and_then(word).filter(|value| *value != 0) {
                self.stale.remove(&value);
                self.stored.insert(value, store);
            }
        } else if name == "Deallocate"
            && let Some(value) = call.args.first().and_then(word)
            && let Some(store) = self.stored.remove(&value)
        {
            self.stale.insert(value, (call.site, store));
        }
    }

    /// A function has given the value.
    fn got(&mut self, record: &Record, (function, site): (&str, u32), address: u64) {
        let Some((deallocated, store)) = self.stale.get(&address) else { return };
        if store.trim_start_matches("Set") == function.trim_start_matches("Get") {
            let (function, when, deallocated) = (function.to_owned(), record.into(), *deallocated);
            self.suspicions.push(Suspicion { function, site, when, address, deallocated });
        }
    }
}

/// The bits of a pointer or number.
fn word(value: &Value) -> Option<u64> {
    match value {
        Value::Pointer(bits) => Some(*bits),
        Value::Int(int) => Some(int.cast_unsigned()),
        _ => None,
    }
}
