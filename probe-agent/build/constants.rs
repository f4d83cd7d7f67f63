//! Names for slots, event numbers and error codes.

use std::fmt::Write as _;

use jvmti_spec::Edition;

pub fn generate(edition: &Edition) -> String {
    let mut out = String::new();
    let slots = edition.functions.iter().map(|f| (shouting(&f.name), f.name.clone(), i64::from(f.slot)));
    module(&mut out, "slot", "Positions in the function table, from 1.", "u16", slots);
    let events = edition.events.iter().map(|e| {
        let name = e.constant.trim_start_matches("JVMTI_EVENT_");
        (name.to_owned(), e.constant.clone(), i64::from(e.number))
    });
    module(&mut out, "event", "Values of `jvmtiEvent`.", "u16", events);
    let errors = edition
        .errors
        .iter()
        .map(|e| (e.name.clone(), format!("JVMTI_ERROR_{}", e.name), i64::from(e.number)));
    module(&mut out, "error", "Values of `jvmtiError`.", "i32", errors);
    out
}

fn module(
    out: &mut String,
    name: &str,
    doc: &str,
    ty: &str,
    constants: impl Iterator<Item = (String, String, i64)>,
) {
    let _ = writeln!(out, "#[doc = {doc:?}]\npub mod {name} {{");
    for (constant, full, value) in constants {
        let _ = writeln!(out, "    /// `{full}`\n    pub const {constant}: {ty} = {value};");
    }
    let _ = writeln!(out, "}}");
}

/// `GET_JNI_FUNCTION_TABLE` of `GetJNIFunctionTable`.
fn shouting(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (i, c) in chars.iter().enumerate() {
        let after_lower = i > 0 && !chars[i - 1].is_uppercase();
        let before_lower = chars.get(i + 1).is_some_and(|next| next.is_lowercase());
        if i > 0 && c.is_uppercase() && (after_lower || before_lower) {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}
