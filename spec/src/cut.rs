//! Derives the [`Edition`] of one release from the merged [`Facts`].

use std::collections::BTreeMap;

use crate::Release;
use crate::ctype;
use crate::edition::*;
use crate::facts::*;
use crate::span::Spanned;

/// Number of bits in `jvmtiCapabilities`, including the reserved ones.
const CAPABILITY_BITS: u16 = 128;

/// The facts that hold in that release.
pub(crate) fn edition(facts: &Facts, release: Release) -> Edition {
    let chapters: Vec<Chapter> = facts
        .chapters
        .iter()
        .filter(|c| c.since.is_none_or(|first| first <= release))
        .map(|c| Chapter {
            id: c.id.clone(),
            name: c.name.clone(),
            anchor: c.anchor.clone(),
            deprecated: c.deprecated.at(release),
        })
        .collect();
    let events: Vec<Event> = facts
        .events
        .iter()
        .filter(|e| exists(&e.since, e.preview_from, release))
        .map(|e| event(e, release))
        .collect();
    let functions = facts
        .chapters
        .iter()
        .zip(&facts.functions)
        .flat_map(|(chapter, functions)| functions.iter().map(move |f| (chapter, f)))
        .filter(|(_, f)| exists(&f.since, f.preview_from, release))
        .map(|(chapter, f)| function(f, chapter, &events, release))
        .collect();
    let capabilities: Vec<Capability> = (0..)
        .zip(&facts.capabilities)
        .filter(|(_, c)| exists(&c.since, c.preview_from, release))
        .map(|(bit, c)| Capability { name: c.name.clone(), bit, since: c.since.clone(), preview: c.preview })
        .collect();
    let structs =
        facts.structs.iter().map(|s| structure(s, facts, &capabilities, &events, release)).collect();
    let callbacks = facts
        .callbacks
        .iter()
        .map(|c| CallbackType {
            name: c.name.clone(),
            chapter: c.chapter.clone(),
            returns: c.returns.clone(),
            params: c.params.iter().map(|p| callback_param(p, release)).collect(),
            heap_callback: c.heap_callback,
        })
        .collect();
    Edition {
        release,
        chapters,
        functions,
        events,
        capabilities,
        errors: error_codes(&facts.errors, release),
        constants: facts.constants.clone(),
        callbacks,
        structs,
    }
}

/// Whether that release contains an item whose "since" column shows that version.
pub(crate) fn exists(since: &str, preview_from: Option<Release>, release: Release) -> bool {
    preview_from.or_else(|| Release::of_since(since)).is_none_or(|first| first <= release)
}

fn function(f: &FunctionFacts, chapter: &ChapterFacts, events: &[Event], release: Release) -> Function {
    let mut capabilities = capabilities(&f.capabilities, release);
    if f.enables_events {
        capabilities.event_enabling = event_enabling(events);
    }
    Function {
        name: f.name.clone(),
        title: f.title.clone(),
        chapter: chapter.id.clone(),
        slot: f.slot,
        since: f.since.clone(),
        phases: phases(&f.phases, release),
        callback_safe: f.callback_safe,
        capabilities,
        params: f.params.iter().map(|p| param(p, release)).collect(),
        errors: f.errors.iter().filter(|row| row.span().holds(release)).map(error_row).collect(),
        thread_state_rule: f.thread_state.at(release).cloned(),
        heap_frozen: f.heap_frozen.at(release),
        deprecated: chapter.deprecated.at(release),
        preview_sensitive: f.preview_sensitive.at(release),
        mentions_virtual_threads: f.virtual_threads.at(release),
    }
}

fn event_enabling(events: &[Event]) -> BTreeMap<String, Vec<String>> {
    let mut enabling: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in events {
        for capability in &event.capabilities.required {
            enabling.entry(capability.clone()).or_default().push(event.name.clone());
        }
    }
    enabling
}

fn phases(phases: &Phases, release: Release) -> Vec<Phase> {
    match phases {
        Phases::Any => Phase::ALL.to_vec(),
        Phases::Only(listed) => listed.iter().filter_map(|p| p.at(release)).copied().collect(),
    }
}

fn capabilities(rows: &CapabilityRows, release: Release) -> Capabilities {
    let held = |rows: &[Spanned<String>]| rows.iter().filter_map(|c| c.at(release)).cloned().collect();
    let required: Vec<String> = held(&rows.required);
    Capabilities {
        mandatory: required.is_empty(),
        required,
        optional: held(&rows.optional),
        event_enabling: BTreeMap::new(),
    }
}

fn param(p: &ParamFacts, release: Release) -> Param {
    let kind = ctype::kind(&p.c_type);
    let qualified = |fields: &[String]| {
        fields
            .iter()
            .map(|f| if f.contains('.') { f.clone() } else { format!("{}.{f}", ctype::pointee(&p.c_type)) })
            .collect()
    };
    Param {
        name: p.name.clone(),
        c_type: p.c_type.clone(),
        kind,
        dir: p.dir.unwrap_or_else(|| ctype::usual_direction(&p.c_type, p.count.is_some())),
        count: p.count.clone(),
        null: null_rule(p, kind),
        returns_null_when: p.returns_null.at(release).cloned(),
        local_ref: p.local_ref,
        local_ref_fields: qualified(&p.local_ref_fields),
        alloc_fields: qualified(&p.alloc_fields),
    }
}

fn null_rule(p: &ParamFacts, kind: ParamKind) -> NullRule {
    match &p.null {
        Some(error) if error.starts_with(|c: char| c.is_ascii_uppercase()) => {
            NullRule::Forbidden { error: error.clone() }
        }
        Some(meaning) => NullRule::Means { meaning: meaning.clone(), unless: p.unless.clone() },
        None if matches!(kind, ParamKind::Pointer | ParamKind::FunctionPointer) => {
            NullRule::Forbidden { error: "NULL_POINTER".into() }
        }
        None => match ctype::invalid_error(&p.c_type) {
            Some(error) => NullRule::InvalidReference { error: error.into() },
            None => NullRule::Inapplicable,
        },
    }
}

/// The prefix that the conditions of an error code have.
pub(crate) fn condition_prefix(error: &str) -> String {
    if error.starts_with("UNSUPPORTED_REDEFINITION_") {
        "redefinition".into()
    } else {
        error.to_ascii_lowercase()
    }
}

fn error_row(row: &ErrorRowFacts) -> ErrorRow {
    let prefix = condition_prefix(&row.error);
    let conditions = match row.when.0.as_slice() {
        [] => vec![prefix],
        when => when.iter().map(|w| format!("{prefix}:{w}")).collect(),
    };
    ErrorRow { error: row.error.clone(), conditions }
}

fn event(e: &EventFacts, release: Release) -> Event {
    Event {
        name: e.name.clone(),
        title: e.title.clone(),
        constant: e.constant.clone(),
        number: e.number,
        since: e.since.clone(),
        phases: phases(&e.phases, release),
        capabilities: capabilities(&e.capabilities, release),
        thread_filterable: e.thread_filterable,
        callback_safe_only: e.callback_safe_only,
        params: e.params.iter().map(|p| callback_param(p, release)).collect(),
        preview_sensitive: e.preview_sensitive.at(release),
        mentions_virtual_threads: e.virtual_threads.at(release),
    }
}

fn callback_param(p: &CallbackParamFacts, release: Release) -> EventParam {
    EventParam {
        name: p.name.clone(),
        c_type: p.c_type.clone(),
        kind: ctype::kind(&p.c_type),
        null_when: p.null_when.at(release).cloned(),
    }
}

fn error_codes(errors: &ErrorFacts, release: Release) -> Vec<ErrorCode> {
    let groups = [
        (ErrorGroup::Universal, &errors.universal),
        (ErrorGroup::FunctionRequired, &errors.function_required),
        (ErrorGroup::FunctionAgent, &errors.function_agent),
    ];
    groups
        .into_iter()
        .flat_map(|(group, codes)| codes.iter().map(move |code| (group, code)))
        .filter(|(_, code)| code.since.is_none_or(|first| first <= release))
        .map(|(group, code)| ErrorCode { name: code.name.clone(), number: code.number, group })
        .collect()
}

fn structure(
    s: &StructFacts,
    facts: &Facts,
    capabilities: &[Capability],
    events: &[Event],
    release: Release,
) -> Struct {
    let fields = match s.fields_of {
        None => s.fields.iter().map(|f| field(f, release)).collect(),
        Some(FieldsOf::Capabilities) => capability_fields(capabilities),
        Some(FieldsOf::Events) => event_fields(events),
        Some(FieldsOf::Constants) => {
            let group = facts.constants.iter().filter(|g| g.name == s.name);
            group.flat_map(|g| &g.constants).map(|c| plain_field(&c.name, &c.value.to_string())).collect()
        }
    };
    Struct { name: s.name.clone(), kind: s.kind, fields }
}

fn field(f: &CallbackParamFacts, release: Release) -> Field {
    Field { null_when: f.null_when.at(release).cloned(), ..plain_field(&f.name, &f.c_type) }
}

fn plain_field(name: &str, c_type: &str) -> Field {
    Field { name: Some(name.into()), c_type: c_type.into(), bits: None, null_when: None }
}

/// One bit for each capability, and then padding: first up to a multiple of 16, then in fields of 16 bits.
fn capability_fields(capabilities: &[Capability]) -> Vec<Field> {
    let bits = |name: Option<String>, width: u8| Field {
        name,
        c_type: "unsigned int".into(),
        bits: Some(width),
        null_when: None,
    };
    let mut fields: Vec<Field> = capabilities.iter().map(|c| bits(Some(c.name.clone()), 1)).collect();
    let used = capabilities.iter().map(|c| c.bit + 1).max().unwrap_or(0);
    let odd = used.next_multiple_of(16) - used;
    if odd > 0 {
        fields.push(bits(None, odd as u8));
    }
    fields.extend((used.next_multiple_of(16)..CAPABILITY_BITS).step_by(16).map(|_| bits(None, 16)));
    fields
}

/// One callback for each event number from the lowest to the highest; a number without an event is reserved.
fn event_fields(events: &[Event]) -> Vec<Field> {
    let by_number: BTreeMap<u16, &str> = events.iter().map(|e| (e.number, e.name.as_str())).collect();
    let (Some(first), Some(last)) = (by_number.keys().min(), by_number.keys().max()) else {
        return Vec::new();
    };
    (*first..=*last)
        .map(|number| match by_number.get(&number) {
            Some(name) => plain_field(name, &format!("jvmtiEvent{name}")),
            None => plain_field(&format!("reserved{number}"), "jvmtiEventReserved"),
        })
        .collect()
}
