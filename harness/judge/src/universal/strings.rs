//! Strings that functions return and events pass are valid modified UTF-8.

use jvmti_traces::is_modified_utf8;
use jvmti_wire::value::Value;

use super::{Observed, Returned, Sent, UniversalRule};

#[derive(Default)]
pub(super) struct Strings {
    observed: Observed,
}

/// Calls `found` with each string in the value.
fn each_string<'v>(value: &'v Value, found: &mut impl FnMut(&'v Value, &'v [u8])) {
    match value {
        Value::Str(bytes) => found(value, bytes),
        Value::List(items) => items.iter().for_each(|item| each_string(item, found)),
        Value::Struct(fields) => fields.iter().for_each(|(_, field)| each_string(field, found)),
        _ => {}
    }
}

impl UniversalRule for Strings {
    fn assertion(&self) -> &'static str {
        "universal/strings-modified-utf8"
    }

    fn returned(&mut self, call: &Returned<'_>) {
        if call.code != 0 {
            return;
        }
        for (_, output) in call.outputs {
            each_string(output, &mut |value, bytes| {
                self.observed.occasions += 1;
                if !is_modified_utf8(bytes) {
                    let place = || call.place();
                    self.observed.broken(place, "a string in modified UTF-8", || call.names.value(value));
                }
            });
        }
    }

    fn sent(&mut self, event: &Sent<'_>) {
        for arg in event.args {
            each_string(arg, &mut |value, bytes| {
                self.observed.occasions += 1;
                if !is_modified_utf8(bytes) {
                    let place = || event.names.event_with(event.event.number, event.args);
                    self.observed.broken(place, "a string in modified UTF-8", || event.names.value(value));
                }
            });
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
