//! Reads an [`Edition`] from one JSON file of independently extracted facts.

use std::collections::BTreeMap;

use jvmti_spec::edition::*;
use jvmti_spec::{Edition, Release};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The edition that the file describes.
pub fn edition(json: &Value) -> Edition {
    let chapters: Vec<Chapter> = list(&json["categories"]).map(chapter).collect();
    let chapter_ids: BTreeMap<&str, &str> =
        chapters.iter().map(|c| (c.name.as_str(), c.id.as_str())).collect();
    Edition {
        release: Release(to(&json["spec"]["jdk"])),
        functions: list(&json["functions"]).map(|f| function(f, &chapter_ids)).collect(),
        events: list(&json["events"]).map(event).collect(),
        capabilities: list(&json["capabilities"]).map(to).collect(),
        errors: list(&json["errors"])
            .map(|e| ErrorCode { name: error(&e["name"]), number: to(&e["number"]), group: to(&e["group"]) })
            .collect(),
        constants: map(&json["constants"]).map(|(name, values)| constant_group(name, values)).collect(),
        callbacks: list(&json["callback_types"]).map(callback).collect(),
        structs: map(&json["structs"])
            .map(|(name, s)| structure(name, s, &json["struct_null_fields"]))
            .collect(),
        chapters,
    }
}

fn chapter(c: &Value) -> Chapter {
    let name: String = to(&c["name"]);
    let id = name.to_lowercase().replace(['(', ')'], "").replace(' ', "-");
    Chapter { id, name, anchor: to(&c["id"]), deprecated: to(&c["deprecated"]) }
}

fn function(f: &Value, chapters: &BTreeMap<&str, &str>) -> Function {
    Function {
        name: to(&f["name"]),
        title: to(&f["title"]),
        chapter: chapters[text(&f["category"])].into(),
        slot: to(&f["position"]),
        since: to(&f["since"]),
        phases: phases(&f["phases"]),
        callback_safe: to(&f["callback_safe"]),
        capabilities: capabilities(&f["capabilities"]),
        params: list(&f["params"]).map(param).collect(),
        errors: list(&f["errors"])
            .map(|row| ErrorRow { error: error(&row["error"]), conditions: to(&row["conditions"]) })
            .collect(),
        thread_state_rule: to(&f["thread_state_rule"]),
        heap_frozen: is(&f["heap_frozen_during_call"]),
        deprecated: is(&f["deprecated"]),
        preview_sensitive: is(&f["preview_sensitive"]),
        mentions_virtual_threads: is(&f["mentions_virtual_threads"]),
    }
}

fn param(p: &Value) -> Param {
    Param {
        name: to(&p["name"]),
        c_type: to(&p["type"]),
        kind: to(&p["kind"]),
        dir: to(&p["dir"]),
        count: to(&p["count"]),
        null: null_rule(p),
        returns_null_when: to(&p["returns_null_when"]),
        local_ref: is(&p["local_ref"]),
        local_ref_fields: or_empty(&p["local_ref_fields"]),
        alloc_fields: or_empty(&p["alloc_fields"]),
    }
}

fn null_rule(p: &Value) -> NullRule {
    let error = || error(&p["null_error"]);
    match text(&p["nullable"]) {
        "n/a" => NullRule::Inapplicable,
        "no" => NullRule::Forbidden { error: error() },
        "invalid_ref" => NullRule::InvalidReference { error: error() },
        "yes" => NullRule::Means {
            meaning: to(&p["null_meaning"]),
            unless: p["null_error"].as_str().map(|_| {
                let error = error();
                let (code, when) = error.split_once('@').expect("a condition");
                NullUnless { error: code.into(), when: when.into() }
            }),
        },
        other => panic!("nullable: {other}"),
    }
}

fn capabilities(c: &Value) -> Capabilities {
    Capabilities {
        mandatory: text(&c["functionality"]) == "required",
        required: to(&c["required"]),
        optional: to(&c["optional"]),
        event_enabling: c.get("event_enabling").map(to).unwrap_or_default(),
    }
}

fn event(e: &Value) -> Event {
    Event {
        name: to(&e["name"]),
        title: to(&e["title"]),
        constant: to(&e["const"]),
        number: to(&e["number"]),
        since: to(&e["since"]),
        phases: phases(&e["phases"]),
        capabilities: capabilities(&e["capabilities"]),
        thread_filterable: to(&e["thread_filterable"]),
        callback_safe_only: to(&e["callback_safe_only"]),
        params: list(&e["params"]).map(callback_param).collect(),
        preview_sensitive: is(&e["preview_sensitive"]),
        mentions_virtual_threads: is(&e["mentions_virtual_threads"]),
    }
}

fn callback_param(p: &Value) -> EventParam {
    EventParam {
        name: to(&p["name"]),
        c_type: to(&p["type"]),
        kind: to(&p["kind"]),
        null_when: to(&p["null_when"]),
    }
}

fn callback(c: &Value) -> CallbackType {
    CallbackType {
        name: to(&c["name"]),
        chapter: to(&c["category"]),
        returns: to(&c["returns"]),
        params: list(&c["params"]).map(callback_param).collect(),
        heap_callback: to(&c["heap_callback"]),
    }
}

fn constant_group(name: &str, values: &Value) -> ConstantGroup {
    let constants =
        map(values).map(|(name, value)| Constant { name: name.into(), value: to(value) }).collect();
    ConstantGroup { name: name.into(), constants }
}

fn structure(name: &str, s: &Value, null_fields: &Value) -> Struct {
    let field = |f: &Value| {
        let field: Option<String> = to(&f[0]);
        let null_when = field.as_ref().and_then(|f| null_fields.get(format!("{name}.{f}"))).map(to);
        Field { name: field, c_type: to(&f[1]), bits: f.get(2).map(to), null_when }
    };
    Struct { name: name.into(), kind: to(&s["kind"]), fields: list(&s["fields"]).map(field).collect() }
}

fn phases(value: &Value) -> Vec<Phase> {
    if value == "any" { Phase::ALL.to_vec() } else { to(value) }
}

fn error(value: &Value) -> String {
    text(value).trim_start_matches("JVMTI_ERROR_").into()
}

fn is(value: &Value) -> bool {
    value.as_bool().unwrap_or(false)
}

fn or_empty(value: &Value) -> Vec<String> {
    if value.is_null() { Vec::new() } else { to(value) }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a string: {value}"))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap_or_else(|| panic!("not a list: {value}")).iter()
}

fn map(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().unwrap_or_else(|| panic!("not a map: {value}")).iter().map(|(k, v)| (k.as_str(), v))
}

fn to<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|e| panic!("{e}: {value}"))
}
