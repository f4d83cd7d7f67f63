//! Prints everything other than functions, over all releases.

use super::function::phases;
use super::{Lines, mark, since};
use crate::Spec;
use crate::edition::StructKind;
use crate::facts::*;
use crate::span::ReleaseSpan;
use crate::wording::Wording;

pub(super) fn chapter(c: &ChapterFacts, functions: &[FunctionFacts]) -> String {
    let mut out = Lines::default();
    out.title(&format!("{} — {}", c.id, c.name));
    out.line("anchor", &c.anchor);
    if let Some(first) = c.since {
        out.line("since", &first.to_string());
    }
    out.flag("deprecated", "yes", c.deprecated);
    let rows = functions.iter().map(|f| vec![f.name.clone(), since(&f.since, f.preview_from)]);
    out.table("functions", &rows.collect::<Vec<_>>());
    out.0
}

pub(super) fn event(wording: &Wording, e: &EventFacts) -> String {
    let mut out = Lines::default();
    out.title(&format!("{} — {}", e.name, e.title));
    out.line("event", &format!("{} = {}, {}", e.constant, e.number, since(&e.since, e.preview_from)));
    out.line("phases", &phases(&e.phases));
    out.capabilities(&e.capabilities);
    out.line("enabled", if e.thread_filterable { "globally or for one thread" } else { "globally only" });
    if e.callback_safe_only {
        out.line("callback", "may call only callback-safe functions, and no JNI functions");
    }
    out.flag("virtual threads", "mentioned", e.virtual_threads);
    out.flag("preview features", "mentioned", e.preview_sensitive);
    out.table("parameters", &params(wording, &e.params));
    out.0
}

fn params(wording: &Wording, params: &[CallbackParamFacts]) -> Vec<Vec<String>> {
    let null = |p: &CallbackParamFacts| {
        let when =
            p.null_when.0.iter().map(|n| format!("{}{}", wording.null_condition(&n.is), mark(n.span())));
        let when = when.collect::<Vec<_>>().join("; ");
        if when.is_empty() { when } else { format!("null if {when}") }
    };
    params.iter().map(|p| vec![p.name.clone(), p.c_type.clone(), null(p)]).collect()
}

pub(super) fn capability(facts: &Facts, name: &str) -> Option<String> {
    let (bit, c) = facts.capabilities.iter().enumerate().find(|(_, c)| c.name == name)?;
    let mut out = Lines::default();
    out.title(&c.name);
    out.line("capability", &format!("bit {bit}, {}", since(&c.since, c.preview_from)));
    if c.preview {
        out.line("preview", "yes");
    }
    let mut uses = |label: &str, of: fn(&CapabilityRows) -> &Vec<crate::span::Spanned<String>>| {
        let functions = facts.functions.iter().flatten().map(|f| (&f.name, &f.capabilities));
        let events = facts.events.iter().map(|e| (&e.name, &e.capabilities));
        let users: Vec<String> = functions
            .chain(events)
            .filter_map(|(user, rows)| {
                let row = of(rows).iter().find(|row| row.is == name)?;
                Some(format!("{user}{}", mark(row.span())))
            })
            .collect();
        if !users.is_empty() {
            out.line(label, &users.join(", "));
        }
    };
    uses("required by", |rows| &rows.required);
    uses("extends", |rows| &rows.optional);
    Some(out.0)
}

pub(super) fn error(facts: &Facts, name: &str) -> Option<String> {
    let groups = [
        (&facts.errors.universal, "universal: any function may return it"),
        (&facts.errors.function_required, "required: the VM must detect the condition"),
        (&facts.errors.function_agent, "agent error: the VM need not detect the condition"),
    ];
    let (code, group) = groups
        .into_iter()
        .find_map(|(codes, group)| codes.iter().find(|code| code.name == name).map(|code| (code, group)))?;
    let mut out = Lines::default();
    out.title(&format!("JVMTI_ERROR_{name}"));
    out.line("number", &format!("{}{}", code.number, mark(ReleaseSpan { since: code.since, until: None })));
    out.line("group", group);
    let rows = facts.functions.iter().flatten().flat_map(|f| {
        f.errors
            .iter()
            .filter(|row| row.error == name)
            .map(|row| vec![f.name.clone(), format!("{}{}", facts.wording.row(row), mark(row.span()))])
    });
    out.table("returned by", &rows.collect::<Vec<_>>());
    Some(out.0)
}

pub(super) fn callback(wording: &Wording, c: &CallbackFacts) -> String {
    let mut out = Lines::default();
    out.title(&c.name);
    out.line("chapter", &c.chapter);
    out.line("returns", &c.returns);
    if c.heap_callback {
        out.line("callback", "may call only callback-safe functions, and no JNI functions");
    }
    out.table("parameters", &params(wording, &c.params));
    out.0
}

pub(super) fn structure(spec: &Spec, name: &str) -> Option<String> {
    let s = spec.facts.structs.iter().find(|s| s.name == name && s.kind != StructKind::Enum)?;
    let mut out = Lines::default();
    out.title(&format!("{} {}", if s.kind == StructKind::Union { "union" } else { "struct" }, s.name));
    if s.fields_of.is_none() {
        out.table("fields", &params(&spec.facts.wording, &s.fields));
        return Some(out.0);
    }
    let newest = spec.newest();
    let fields = newest.structure(name)?.fields.iter().map(|f| {
        let bits = f.bits.map_or(String::new(), |bits| format!(": {bits}"));
        vec![f.name.clone().unwrap_or_default(), format!("{}{bits}", f.c_type)]
    });
    out.table(&format!("fields in {}", newest.release), &fields.collect::<Vec<_>>());
    Some(out.0)
}

pub(super) fn constants(facts: &Facts, name: &str) -> Option<String> {
    let group =
        facts.constants.iter().find(|g| g.name == name || g.constants.iter().any(|c| c.name == name))?;
    let mut out = Lines::default();
    let wanted = group.constants.iter().filter(|c| group.name == name || c.name == name);
    let rows = wanted.map(|c| vec![c.name.clone(), c.value.to_string(), format!("{:#x}", c.value)]);
    out.title(&group.name);
    out.table("constants", &rows.collect::<Vec<_>>());
    Some(out.0)
}
