//! Rules on the binary interface: the size and the entries of `jvmtiEventCallbacks`, JNI function tables, and the version that an agent requests.

use std::collections::BTreeSet;

use jvmti_spec::{Edition, Release, Spec};
use jvmti_traces::code_place;
use jvmti_wire::Value;
use jvmti_wire::trace::{Body, CodePlace, NO_CODE, NativeCode, Record};

use super::{Info, MisuseRule, Severity, Violations};
use crate::agent_state::{AgentState, TraceEvent};
use crate::symbols::bare;

pub(super) static SIZE: Info = Info {
    id: "abi/callbacks-size",
    severity: Severity::Error,
    anchor: "SetEventCallbacks",
    says: "pass SetEventCallbacks a size that is not negative",
};
pub(super) static PART: Info = Info {
    id: "abi/callbacks-part",
    severity: Severity::Warning,
    anchor: "SetEventCallbacks",
    says: "pass SetEventCallbacks the size that jvmtiEventCallbacks has in some version: the JVM sends no event whose callback lies \
           beyond it",
};
pub(super) static CODE: Info = Info {
    id: "abi/callbacks-code",
    severity: Severity::Warning,
    anchor: "SetEventCallbacks",
    says: "let each entry of jvmtiEventCallbacks be a function or null: clear the structure before you fill it in, because the JVM \
           ends as soon as it sends such an event",
};
pub(super) static HEAP_CODE: Info = Info {
    id: "abi/heap-callbacks-code",
    severity: Severity::Warning,
    anchor: "jvmtiHeapCallbacks",
    says: "let each heap callback be a function or null: clear jvmtiHeapCallbacks before you fill it in, because the JVM ends as soon \
           as it calls such a one",
};
pub(super) static TABLE: Info = Info {
    id: "abi/jni-table",
    severity: Severity::Error,
    anchor: "SetJNIFunctionTable",
    says: "set a JNI function table that has all functions: change entries of the one that GetJNIFunctionTable returns",
};
pub(super) static NEWER: Info = Info {
    id: "abi/callbacks-newer",
    severity: Severity::Note,
    anchor: "SetEventCallbacks",
    says: "build the agent for the JVM that it runs on: this JVM does not send events that later versions added",
};
pub(super) static VERSION: Info = Info {
    id: "abi/version",
    severity: Severity::Note,
    anchor: "environments",
    says: "request a version of JVM TI that has the functions that you call",
};

pub(super) struct Abi {
    /// The sizes that `jvmtiEventCallbacks` has in all releases, in bytes.
    sizes: BTreeSet<i64>,
}

impl Default for Abi {
    fn default() -> Abi {
        let spec = Spec::embedded();
        Abi {
            sizes: (8..=Release::NEWEST.0).filter_map(|release| size(&spec.at(Release(release)))).collect(),
        }
    }
}

/// Major and minor number of a version in the form that an agent passes to `GetEnv`.
fn asked(version: i32) -> (i32, i32) {
    ((version >> 16) & 0xfff, (version >> 8) & 0xff)
}

/// Major and minor number of a version as it is printed: `1.2`, `21`.
fn printed(since: &str) -> Option<(i32, i32)> {
    let (major, minor) = since.split_once('.').unwrap_or((since, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The size of `jvmtiEventCallbacks` in that release, in bytes.
fn size(spec: &Edition) -> Option<i64> {
    let fields = spec.structure("jvmtiEventCallbacks")?.fields.len();
    i64::try_from(fields * size_of::<usize>()).ok()
}

impl Abi {
    /// The rule that a size of the callbacks breaks. None forbids a size of 0, which sets no callback, nor that of an earlier
    /// version.
    fn broken(&self, passed: i64, known: i64) -> Option<&'static Info> {
        match passed {
            ..0 => Some(&SIZE),
            0 => None,
            _ if passed > known => Some(&NEWER),
            _ if !self.sizes.contains(&passed) => Some(&PART),
            _ => None,
        }
    }
}

/// The name of a heap callback of that function: a field of the structure that it takes, or one of its parameters.
fn heap_callback(spec: &Edition, function: u16, index: u16) -> Option<&str> {
    let params = &spec.function_at(function)?.params;
    if params.iter().any(|param| param.c_type.contains("jvmtiHeapCallbacks")) {
        let fields = &spec.structure("jvmtiHeapCallbacks")?.fields;
        return fields.get(usize::from(index))?.name.as_deref();
    }
    let mut callbacks = params.iter().filter(|param| param.c_type.ends_with("Callback"));
    Some(&callbacks.nth(usize::from(index))?.name)
}

/// The environment sets entries that are no functions.
fn find_no_code(
    state: &AgentState<'_>,
    record: &Record,
    functions: &[(u16, CodePlace)],
    found: &mut Violations,
) {
    let mut none = functions.iter().filter(|(_, place)| place.symbol == NO_CODE);
    let (Some((event, first)), Some(call)) = (none.next(), state.current_call(record.thread)) else { return };
    let count = 1 + none.count();
    found.add(&CODE, (state, record), (call.site, "SetEventCallbacks"), || {
        let event = state.names.event(*event);
        let place = code_place(&bare(first));
        format!("SetEventCallbacks with {count} entries that are no functions: that of {event} is {place}, where there is no code")
    });
}

impl MisuseRule for Abi {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        if let Body::Native(NativeCode::TableLacks { function, count }) = &record.body
            && let Some(call) = state.current_call(record.thread)
        {
            found.add(&TABLE, (state, record), (call.site, "SetJNIFunctionTable"), || {
                let first = jvmti_traces::jni::name(*function);
                format!("SetJNIFunctionTable with a table in which {count} functions are null, {first} first")
            });
        }
        if let Body::Native(NativeCode::NoHeapCallback { index, place, count }) = &record.body
            && let Some(call) = state.current_call(record.thread)
        {
            let name = state.names.function(call.function);
            found.add(&HEAP_CODE, (state, record), (call.site, &name), || {
                let callback =
                    heap_callback(state.names.spec(), call.function, *index).unwrap_or("a callback");
                let place = code_place(&bare(place));
                let others = if *count > 1 { format!(", and {} more", count - 1) } else { String::new() };
                format!("{name} with {callback} at {place}, where there is no code{others}")
            });
        }
        if let Body::CallbacksSet { functions, .. } = &record.body {
            find_no_code(state, record, functions, found);
        }
        let TraceEvent::Begun(call) = trace_event else { return };
        let spec = state.names.spec();
        let name = state.names.function(call.function);
        if let ("SetEventCallbacks", Some(Value::Pointer(_)), Some(Value::Int(passed))) =
            (name.as_ref(), call.args.first(), call.args.get(1))
        {
            let known = size(spec).unwrap_or(i64::MAX);
            if let Some(info) = self.broken(*passed, known) {
                found.add(info, (state, record), (call.site, &name), || {
                    format!("the size is {passed} bytes; in this JVM it is {known}")
                });
            }
        }
        let Some(environment) = state.environments.get(&call.environment) else { return };
        let since = state.names.facts(call.function);
        let newer = |since: &&String| printed(since).is_some_and(|since| since > asked(environment.version));
        if let Some(since) = since.map(|function| &function.since).filter(newer) {
            found.add(&VERSION, (state, record), (call.site, &name), || {
                format!(
                    "{name} was added in version {since}; the requested version of the environment is {:#x}",
                    environment.version
                )
            });
        }
    }
}
