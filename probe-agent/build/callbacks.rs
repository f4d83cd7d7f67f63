//! Trampolines and descriptions of the events and of the agent callbacks.

use std::fmt::Write as _;

use jvmti_spec::Edition;
use jvmti_spec::edition::EventParam;

use crate::c_type::{self, Types, UnknownType, count_expression, is_data_pointer};

pub fn generate(edition: &Edition, types: &Types<'_>) -> Result<String, UnknownType> {
    let mut out = String::new();
    events(&mut out, edition, types)?;
    agent_callbacks(&mut out, edition, types)?;
    Ok(out)
}

fn events(out: &mut String, edition: &Edition, types: &Types<'_>) -> Result<(), UnknownType> {
    let mut events: Vec<_> = edition.events.iter().collect();
    events.sort_by_key(|e| e.number);
    for event in &events {
        let params = parameters(&event.params, types);
        let _ = writeln!(out, "event_trampoline!(event_{}, {}, ({params}));", event.name, event.number);
        let _ = writeln!(out, "event_forward!(forward_{}, ({params}));", event.name);
    }
    let _ = writeln!(out, "/// All events, by number.\npub static EVENTS: &[EventDescriptor] = &[");
    for event in &events {
        let carries_jni =
            event.params.first().is_some_and(|param| param.c_type.replace(' ', "") == "JNIEnv*");
        let _ = writeln!(
            out,
            "EventDescriptor {{ name: {:?}, number: {}, since: {:?}, carries_jni: {carries_jni}, \
             trampoline: Code(event_{} as *const c_void), forward: forward_{}, params: {} }},",
            event.name,
            event.number,
            event.since,
            event.name,
            event.name,
            describe(&event.params, types)?
        );
    }
    let first = edition.structure("jvmtiEventCallbacks").map_or(0, |s| s.fields.len());
    let lowest = events.first().map_or(0, |e| e.number);
    let _ = writeln!(
        out,
        "];\n/// Number of the event that `jvmtiEventCallbacks` begins with.\npub const FIRST_EVENT: u16 = {lowest};\n\
         /// Number of entries of `jvmtiEventCallbacks`.\npub const EVENT_SLOTS: usize = {first};",
    );
    Ok(())
}

fn agent_callbacks(out: &mut String, edition: &Edition, types: &Types<'_>) -> Result<(), UnknownType> {
    for callback in c_type::agent_callbacks(edition) {
        let name = &callback.name;
        // Of a function that ends in `...` the parameters that have names are taken.
        let named: Vec<EventParam> = callback.params.iter().filter(|p| p.c_type != "...").cloned().collect();
        let user_data = named.iter().rposition(|p| p.c_type == "void*");
        let params = parameters(&named, types);
        let returns = if callback.returns == "void" { "()" } else { "jint" };
        let described = describe(&named, types)?;
        let _ = writeln!(
            out,
            "callback_trampoline!(trampoline_{name}, CALLBACK_{name}, {user_data:?}, ({params}), {returns});\n\
             static CALLBACK_{name}: CallbackDescriptor = CallbackDescriptor {{ name: {name:?}, returns: {:?}, \
             heap_callback: {}, trampoline: Code(trampoline_{name} as *const c_void), params: {described} }};",
            callback.returns, callback.heap_callback,
        );
    }
    let _ = writeln!(
        out,
        "/// All types of function that an agent implements.\n\
         pub static CALLBACKS: &[&CallbackDescriptor] = &["
    );
    for callback in c_type::agent_callbacks(edition) {
        let _ = writeln!(out, "&CALLBACK_{},", callback.name);
    }
    let _ = writeln!(out, "];");
    Ok(())
}

fn parameters(params: &[EventParam], types: &Types<'_>) -> String {
    let typed = params.iter().enumerate().map(|(i, p)| format!("a{i}: {}", types.value(&p.c_type)));
    typed.collect::<Vec<_>>().join(", ")
}

fn describe(params: &[EventParam], types: &Types<'_>) -> Result<String, UnknownType> {
    let mut out = String::from("&[\n");
    for param in params {
        let ty = types.describe(&param.c_type)?;
        let count = count(params, param);
        let selector = selector(params, &ty, count.is_some());
        let _ = writeln!(
            out,
            "    CallbackParam {{ name: {:?}, c_type: {:?}, ty: {ty}, count: {}, selector: {selector:?} }},",
            param.name,
            param.c_type,
            count_expression(count),
        );
    }
    out.push(']');
    Ok(out)
}

/// The length of an array goes by the array's name: `class_data_len`, `map_length`, `element_count`.
fn count(params: &[EventParam], of: &EventParam) -> Option<(&'static str, usize)> {
    if !is_data_pointer(&of.c_type) {
        return None;
    }
    let stem = of.name.strip_suffix('s').unwrap_or(&of.name);
    let length = |p: &EventParam| {
        p.c_type == "jint"
            && ["_len", "_length", "_count"]
                .iter()
                .any(|ending| p.name.strip_suffix(ending).is_some_and(|name| name == stem || name == of.name))
    };
    params.iter().position(length).map(|index| ("Value", index))
}

/// What tells how to read a value of variable type.
fn selector(params: &[EventParam], ty: &str, counted: bool) -> Option<usize> {
    let by = |types: &[&str]| params.iter().position(|p| types.contains(&p.c_type.as_str()));
    match ty {
        "CType::JValue" => by(&["char", "jvmtiPrimitiveType"]),
        "CType::Pointer(&CType::Void)" if counted => by(&["jvmtiPrimitiveType"]),
        // One structure rather than an array of them: a union.
        _ if ty.starts_with("CType::Pointer(&CType::Struct") && !counted => by(&["jvmtiHeapReferenceKind"]),
        _ => None,
    }
}
