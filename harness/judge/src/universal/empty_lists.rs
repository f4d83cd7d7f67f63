//! Functions return an empty list as a null pointer, both in an output that the JVM allocates and in a field of one.

use jvmti_wire::value::Value;

use super::{Observed, Returned, UniversalRule};
use crate::counted;

/// Arrays within structures that functions return, with the fields that count them.
const IN_STRUCTURES: [(&str, &str); 5] = [
    ("frame_buffer", "frame_count"),
    ("waiters", "waiter_count"),
    ("notify_waiters", "notify_waiter_count"),
    ("params", "param_count"),
    ("errors", "error_count"),
];

#[derive(Default)]
pub(super) struct EmptyLists {
    observed: Observed,
}

/// Whether the value is an array without elements behind a pointer that is not null.
fn is_hollow(value: &Value) -> bool {
    match value {
        Value::List(items) => items.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        _ => false,
    }
}

/// Calls `found` with each empty array within the structures of the value.
fn each_within<'v>(value: &'v Value, found: &mut impl FnMut(&'static str, &'v Value)) {
    match value {
        Value::List(items) => items.iter().for_each(|item| each_within(item, found)),
        Value::Struct(fields) => {
            for (list, count) in IN_STRUCTURES {
                if value.field(count).and_then(Value::as_int) == Some(0)
                    && let Some(value) = value.field(list)
                {
                    found(list, value);
                }
            }
            fields.iter().for_each(|(_, field)| each_within(field, found));
        }
        _ => {}
    }
}

impl EmptyLists {
    fn list(&mut self, call: &Returned<'_>, name: &str, value: &Value) {
        self.observed.occasions += 1;
        if is_hollow(value) {
            let place = || call.place();
            self.observed.broken(place, "a null pointer for an empty list", || {
                format!("{name} is not null, though there are none")
            });
        }
    }
}

impl UniversalRule for EmptyLists {
    fn assertion(&self) -> &'static str {
        "universal/empty-list-is-null"
    }

    fn returned(&mut self, call: &Returned<'_>) {
        // After an error the outputs hold anything.
        if call.code != 0 {
            return;
        }
        for (i, output) in call.outputs {
            let Some(param) = call.function.params.get(usize::from(*i)) else { continue };
            if counted::elements(call.function, param, call.outputs) == Some(0) {
                self.list(call, &param.name, output);
            }
            each_within(output, &mut |list, value| self.list(call, list, value));
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
