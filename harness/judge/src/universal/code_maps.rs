//! The map of compiled code, from addresses to locations, is about that code.

use jvmti_spec::Edition;
use jvmti_wire::value::Value;

use super::{Observed, Sent, UniversalRule};

/// Each entry of the map that CompiledMethodLoad passes begins where the code of the entry before it ends, inside the code.
pub(super) struct CodeMaps {
    event: u16,
    /// The places of `code_size`, `code_addr` and `map` among the parameters.
    places: [usize; 3],
    observed: Observed,
}

impl CodeMaps {
    pub(super) fn new(spec: &Edition) -> Self {
        let event = spec.event("CompiledMethodLoad");
        let place =
            |name| event.and_then(|e| e.params.iter().position(|p| p.name == name)).unwrap_or(usize::MAX);
        let places = ["code_size", "code_addr", "map"].map(place);
        // No event has the number 0.
        CodeMaps { event: event.map_or(0, |event| event.number), places, observed: Observed::default() }
    }
}

impl UniversalRule for CodeMaps {
    fn assertion(&self) -> &'static str {
        "universal/code-map-in-order"
    }

    fn sent(&mut self, event: &Sent<'_>) {
        if event.event.number != self.event {
            return;
        }
        let [size, begin, map] = self.places.map(|place| event.args.get(place));
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
