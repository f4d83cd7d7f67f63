//! Prints a function, over all releases.

use super::{Lines, all_marked, mark, since, varying};
use crate::edition::{ErrorGroup, NullRule, Param};
use crate::facts::{ChapterFacts, ErrorRowFacts, FunctionFacts, Phases};
use crate::wording::Wording;
use crate::{Edition, Spec};

pub(super) fn function(spec: &Spec, f: &FunctionFacts, chapter: &ChapterFacts) -> String {
    let newest = spec.newest();
    let wording = &spec.facts.wording;
    let mut out = Lines::default();
    out.title(&format!("{} — {}", f.name, f.title));
    out.line("function", &format!("{}, {}", f.slot, since(&f.since, f.preview_from)));
    out.line("chapter", &chapter.id);
    out.flag("deprecated", "yes", chapter.deprecated);
    out.line("phases", &phases(&f.phases));
    out.line("callback safe", if f.callback_safe { "yes" } else { "no" });
    out.capabilities(&f.capabilities);
    if let Some(state) = varying(&f.thread_state) {
        out.line("target thread", &state.replace('_', " "));
    }
    out.flag("heap", "does not change during the call", f.heap_frozen);
    out.flag("virtual threads", "mentioned", f.virtual_threads);
    out.flag("preview features", "mentioned", f.preview_sensitive);
    if let Some(resolved) = newest.function(&f.name) {
        out.table("parameters", &resolved.params.iter().map(|p| param(wording, p)).collect::<Vec<_>>());
    }
    out.table("errors", &f.errors.iter().map(|row| error(&newest, wording, row)).collect::<Vec<_>>());
    out.0
}

pub(super) fn phases(phases: &Phases) -> String {
    match phases {
        Phases::Any => "any".into(),
        Phases::Only(listed) => all_marked(listed),
    }
}

fn param(wording: &Wording, p: &Param) -> Vec<String> {
    let direction = serde_json::to_value(p.dir).ok().and_then(|v| v.as_str().map(|d| d.replace('_', " ")));
    let mut notes = match &p.null {
        NullRule::Inapplicable => Vec::new(),
        NullRule::Means { meaning, unless } => {
            let unless = unless
                .as_ref()
                .map_or(String::new(), |u| format!(", {} if {}", u.error, wording.null_condition(&u.when)));
            vec![format!("null means {}{unless}", wording.null_meaning(meaning))]
        }
        NullRule::Forbidden { error } => vec![format!("{error} if null")],
        NullRule::InvalidReference { error } => vec![format!("{error} if invalid")],
    };
    notes.extend(p.count.as_ref().map(|count| format!("{count} elements")));
    notes
        .extend(p.returns_null_when.as_ref().map(|when| format!("null if {}", wording.null_condition(when))));
    if p.local_ref {
        notes.push("local references".into());
    }
    if !p.local_ref_fields.is_empty() {
        notes.push(format!("local references in {}", p.local_ref_fields.join(", ")));
    }
    if !p.alloc_fields.is_empty() {
        notes.push(format!("agent deallocates {}", p.alloc_fields.join(", ")));
    }
    vec![p.name.clone(), p.c_type.clone(), direction.unwrap_or_default(), notes.join("; ")]
}

fn error(newest: &Edition, wording: &Wording, row: &ErrorRowFacts) -> Vec<String> {
    let detection = match newest.error(&row.error).map(|e| e.group) {
        Some(ErrorGroup::FunctionRequired) => "must",
        _ => "should",
    };
    vec![row.error.clone(), detection.into(), format!("{}{}", wording.row(row), mark(row.span()))]
}
