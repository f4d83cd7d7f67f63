//! The map of compiled code, from addresses to locations, is about that code.

use jvmti_wire::value::Value;

use super::{Kind, Observed, Sent, UniversalRule};

/// Each entry of the map that CompiledMethodLoad passes begins where the code of the entry before it ends, inside the code.
#[derive(Default)]
pub(super) struct CodeMaps {
    observed: Observed,
}

impl UniversalRule for CodeMaps {
    fn assertion(&self) -> &'static str {
        "universal/code-map-in-order"
    }

    fn sent(&mut self, event: &Sent<'_>) {
        if event.kind != Kind::CompiledMethodLoad {
            return;
        }
        let [size, begin, map] = ["code_size", "code_addr", "map"].map(|name| event.arg(name));
        let (Some(Value::Int(size)), Some(Value::Pointer(begin)), Some(Value::List(map))) =
            (size, begin, map)
        else {
            return;
        };
        let mut addresses = map.iter().filter_map(|entry| match entry.field("start_address") {
            Some(Value::Pointer(address)) => Some(*address),
            _ => None,
        });
        self.observed.occasions += 1;
        // The code may end with a call, and the entry of a call may be about the address to which it returns.
        let (mut last, end) = (*begin, begin.saturating_add(size.unsigned_abs()));
        let misplaced = addresses.find(|address| {
            let in_order = (last..=end).contains(address);
            last = *address;
            !in_order
        });
        if let Some(address) = misplaced {
            let place = || event.names.event_with(event.event.number, event.args);
            self.observed.broken(place, "addresses inside the code, in ascending order", || {
                format!("{address:#x} in a map of the code from {begin:#x} to {end:#x}")
            });
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
