//! Which integers are constants or sets of bits of the specification, and their names.

use jvmti_spec::Edition;
use jvmti_spec::edition::{Constant, ParamKind};

/// How an integer is to be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// Exactly one constant of this group.
    One(&'static str),
    /// Bits of this group.
    Bits(&'static str),
    /// A `jvmtiEvent`.
    Event,
    /// A `jvmtiError`.
    Error,
    /// A bit mask without names.
    Hex,
}

/// Parameters of plain integer type whose values the text names: function or `*`, parameter, how.
const PARAMS: [(&str, &str, Named); 13] = [
    ("GetThreadState", "thread_state_ptr", Named::Bits("jvmtiThreadState")),
    ("RunAgentThread", "priority", Named::One("jvmtiThreadPriority")),
    ("GetClassStatus", "status_ptr", Named::Bits("jvmtiClassStatus")),
    ("FollowReferences", "heap_filter", Named::Bits("jvmtiHeapFilter")),
    ("IterateThroughHeap", "heap_filter", Named::Bits("jvmtiHeapFilter")),
    ("*", "modifiers_ptr", Named::Hex),
    ("*", "results", Named::Error),
    ("GetVersionNumber", "version_ptr", Named::Hex),
    ("GetErrorName", "error", Named::Error),
    ("GetPhase", "phase_ptr", Named::One("jvmtiPhase")),
    ("GetJLocationFormat", "format_ptr", Named::One("jvmtiJlocationFormat")),
    ("SetVerboseFlag", "flag", Named::One("jvmtiVerboseFlag")),
    ("ResourceExhausted", "flags", Named::Bits("jvmtiResourceExhaustionFlags")),
];

/// Enumeration types and the groups of their values.
const TYPES: [(&str, Named); 12] = [
    ("jvmtiEventMode", Named::One("jvmtiEventMode")),
    ("jvmtiEvent", Named::Event),
    ("jvmtiError", Named::Error),
    ("jvmtiPhase", Named::One("jvmtiPhase")),
    ("jvmtiJlocationFormat", Named::One("jvmtiJlocationFormat")),
    ("jvmtiVerboseFlag", Named::One("jvmtiVerboseFlag")),
    ("jvmtiHeapObjectFilter", Named::One("jvmtiHeapObjectFilter")),
    ("jvmtiHeapReferenceKind", Named::One("jvmtiHeapReferenceKind")),
    ("jvmtiHeapRootKind", Named::One("jvmtiHeapRootKind")),
    ("jvmtiObjectReferenceKind", Named::One("jvmtiObjectReferenceKind")),
    ("jvmtiPrimitiveType", Named::One("jvmtiPrimitiveType")),
    ("jvmtiTimerKind", Named::One("jvmtiTimerKind")),
];

/// How the text names values of this function's parameter.
pub(super) fn of_function(spec: &Edition, slot: u16, param: u16) -> Option<Named> {
    let function = spec.function_at(slot)?;
    let param = function.params.get(usize::from(param))?;
    of(&function.name, &param.name, &param.c_type, param.kind)
}

/// How the text names values of this event's parameter.
pub(super) fn of_event(spec: &Edition, number: u16, param: u16) -> Option<Named> {
    let event = spec.event_by_number(number)?;
    let param = event.params.get(usize::from(param))?;
    of(&event.name, &param.name, &param.c_type, param.kind)
}

/// How the text names values of a structure's field.
pub(super) fn of_field(name: &str) -> Option<Named> {
    match name {
        "state" => Some(Named::Bits("jvmtiThreadState")),
        "kind" => Some(Named::One("jvmtiTimerKind")),
        _ => None,
    }
}

fn of(owner: &str, name: &str, c_type: &str, kind: ParamKind) -> Option<Named> {
    let listed = PARAMS.iter().find(|(o, n, _)| (*o == owner || *o == "*") && *n == name);
    let plain = c_type.trim_start_matches("const ").trim_end_matches(['*', ' ']);
    listed.map(|(_, _, named)| *named).or_else(|| {
        let known = matches!(kind, ParamKind::Enum | ParamKind::Pointer | ParamKind::Scalar);
        known.then(|| TYPES.iter().find(|(t, _)| *t == plain).map(|(_, named)| *named)).flatten()
    })
}

/// The integer by name, as far as it has one.
pub(super) fn show(spec: &Edition, named: Named, value: i64) -> String {
    match named {
        Named::Hex => format!("{value:#x}"),
        Named::Event => {
            let event = spec.events.iter().find(|e| i64::from(e.number) == value);
            event.map_or_else(|| value.to_string(), |e| e.name.clone())
        }
        Named::Error => {
            let error = spec.errors.iter().find(|e| i64::from(e.number) == value);
            error.map_or_else(|| value.to_string(), |e| e.name.clone())
        }
        Named::One(group) => {
            let constants = group_of(spec, group);
            let constant = constants.iter().find(|c| c.value == value);
            constant.map_or_else(|| value.to_string(), |c| short(&c.name, constants).to_owned())
        }
        Named::Bits(group) => bits(spec, group, value),
    }
}

/// A set of bits by name: `ALIVE | WAITING | SLEEPING (0xe1)`.
fn bits(spec: &Edition, group: &str, value: i64) -> String {
    match bit_names(spec, group, value).as_slice() {
        [] => "0".to_owned(),
        names => format!("{} ({:#x})", names.join(" | "), value & 0xffff_ffff),
    }
}

/// The names of the bits of a set; those without one, together, as a number.
pub(super) fn bit_names(spec: &Edition, group: &str, value: i64) -> Vec<String> {
    let constants = group_of(spec, group);
    let value = value & 0xffff_ffff;
    let single: Vec<&Constant> = constants.iter().filter(|c| c.value.count_ones() == 1).collect();
    let mut names: Vec<String> = single
        .iter()
        .filter(|c| value & c.value != 0)
        .map(|c| short(&c.name, constants).to_owned())
        .collect();
    let unnamed = value & !single.iter().fold(0, |all, c| all | c.value);
    if unnamed != 0 {
        names.push(format!("{unnamed:#x}"));
    }
    names
}

fn group_of<'a>(spec: &'a Edition, group: &str) -> &'a [Constant] {
    spec.constants.iter().find(|g| g.name == group).map_or(&[], |g| &g.constants)
}

/// The name without what all names of its group begin with.
fn short<'n>(name: &'n str, group: &[Constant]) -> &'n str {
    let shared = group.iter().fold(name.len(), |shared, c| {
        let same = name.bytes().zip(c.name.bytes()).take_while(|(a, b)| a == b).count();
        if c.name == name { shared } else { shared.min(same) }
    });
    let cut = name.get(..shared).and_then(|p| p.rfind('_')).map_or(0, |at| at + 1);
    name.get(cut..).filter(|n| !n.is_empty() && group.len() > 1).unwrap_or(name)
}
