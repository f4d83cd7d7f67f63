//! Looks for the errors that prove a violation.

use jvmti_spec::edition::Phase;
use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::FxHashSet;

use super::capabilities::Lacking;
use super::error_table::{NULL_REFERENCE, REFERENCES, Row, TABLE};
use super::{MisuseRule, Violations};
use crate::agent_state::{AgentState, Call, TraceEvent};
use crate::digest::named_in;

/// The rules of the table.
#[derive(Default)]
pub(super) struct Errors {
    /// The method ids that the JVM has given to the agent.
    methods: FxHashSet<u64>,
    /// The thread on which the JVM ends, once it does.
    ending: Option<u32>,
    lacking: Lacking,
    /// Whether a class has been changed.
    redefines: bool,
}

impl MisuseRule for Errors {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        let (call, code) = match trace_event {
            _ if is_death(state, trace_event, &record.body) => {
                self.ending = Some(record.thread);
                return;
            }
            TraceEvent::Returned { call, code: 0, outputs, .. } => {
                self.know(&call.args);
                let name = state.names.function(call.function);
                self.redefines |= matches!(name.as_ref(), "RedefineClasses" | "RetransformClasses");
                if let Some(added) = named_in(state, call, "AddCapabilities") {
                    self.lacking.added(call.environment, added);
                }
                outputs.iter().for_each(|(_, value)| self.know(std::slice::from_ref(value)));
                return resumed(state, record, (call, outputs), found);
            }
            TraceEvent::Entered(_, args) => return self.know(args),
            TraceEvent::Returned { call, code, .. } => (call, *code),
            _ => return,
        };
        let Some(error) = state.names.spec().error_by_number(code) else { return };
        let name = state.names.function(call.function);
        let fits = |row: &&Row| {
            row.errors.contains(&error.name.as_str())
                && (row.functions.is_empty() || row.functions.contains(&name.as_ref()))
                && self.applies(row, state, call)
        };
        if let Some(row) = TABLE.iter().find(fits) {
            let (site, of) = match row.info.id {
                "capability/missing" => self.lacking.first(state, call, &name),
                _ => (call.site, name.clone().into_owned()),
            };
            found.add(&row.info, (state, record), (site, &of), || {
                let elsewhere = match row.info.id {
                    "capability/missing" => self.lacking.elsewhere(state, call),
                    _ => String::new(),
                };
                format!(
                    "{} → {}{elsewhere}",
                    state.names.call(call.function, &call.args),
                    state.names.error(code)
                )
            });
        }
    }
}

/// ResumeThreadList has succeeded: it tells for each thread whether it was suspended.
fn resumed(
    state: &AgentState<'_>,
    record: &Record,
    (call, outputs): (&Call, &[(u16, Value)]),
    found: &mut Violations,
) {
    let name = state.names.function(call.function);
    if name != "ResumeThreadList" {
        return;
    }
    let number = state.names.spec().error("THREAD_NOT_SUSPENDED").map(|error| i64::from(error.number));
    let row = TABLE.iter().find(|row| row.errors == ["THREAD_NOT_SUSPENDED"]);
    let codes = outputs.iter().find_map(|(param, value)| match value {
        Value::List(codes) if *param == 2 => Some(codes),
        _ => None,
    });
    let (Some(row), Some(number), Some(codes)) = (row, number, codes) else { return };
    if let Some(index) = codes.iter().position(|code| *code == Value::Int(number)) {
        found.add(&row.info, (state, record), (call.site, &name), || {
            format!(
                "{} → results[{index}]: THREAD_NOT_SUSPENDED",
                state.names.call(call.function, &call.args)
            )
        });
    }
}

/// Whether the JVM tells an agent that it ends, or the probe itself.
pub(super) fn is_death(state: &AgentState<'_>, trace_event: &TraceEvent<'_>, body: &Body) -> bool {
    match trace_event {
        TraceEvent::Entered(delivery, _) => delivery.name == "VMDeath",
        TraceEvent::Other => {
            matches!(body, Body::Event { event, .. } if state.names.event(*event) == "VMDeath")
        }
        _ => false,
    }
}

/// Whether a JVM returns the error of that name to reject a reference.
pub(super) fn rejects_reference(error: &str) -> bool {
    TABLE.iter().any(|row| row.errors.contains(&error) && REFERENCES.contains(&row.info.id))
}

/// Whether the argument is a reference that is not null. Null may stand for the current thread, for which some JVMs have no
/// object early on.
fn is_reference(arg: &Value) -> bool {
    matches!(arg, Value::Opaque | Value::Reference(_) | Value::Object(_))
}

impl Errors {
    fn know(&mut self, values: &[Value]) {
        for value in values {
            match value {
                Value::Method(id) => drop(self.methods.insert(*id)),
                Value::List(items) => self.know(items),
                Value::Struct(fields) => {
                    fields.iter().for_each(|(_, value)| self.know(std::slice::from_ref(value)));
                }
                _ => {}
            }
        }
    }

    /// Whether the rule is about a call that has failed with one of its errors.
    fn applies(&self, row: &Row, state: &AgentState<'_>, call: &Call) -> bool {
        match row.info.id {
            "method/gone" => self.knows(&call.args),
            "class/not-prepared" => {
                state.delivery(call.thread).is_some_and(|delivery| delivery.name == "ClassLoad")
            }
            "event/not-set" => !self.redefines,
            "phase/over" => self.outlives(state, call.thread),
            // A JVM that has ended may refuse even what may be called in any phase.
            "phase/wrong" => state
                .names
                .facts(call.function)
                .is_none_or(|function| !function.phases.contains(&Phase::Dead)),
            id if REFERENCES.contains(&id) => call.args.iter().any(is_reference),
            NULL_REFERENCE => call.args.first() == Some(&Value::Null),
            _ => true,
        }
    }

    /// Whether the thread goes on in code of the agent although the JVM ends.
    fn outlives(&self, state: &AgentState<'_>, thread: u32) -> bool {
        let is_within = state.delivery(thread).is_some_and(|delivery| delivery.name != "VMDeath");
        self.ending.is_some_and(|ending| ending != thread || is_within)
    }

    /// Whether an argument is a method id that the JVM gave to the agent. Any other value never was a method id.
    fn knows(&self, args: &[Value]) -> bool {
        args.iter().any(|arg| matches!(arg, Value::Method(id) if self.methods.contains(id)))
    }
}
