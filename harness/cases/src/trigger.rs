//! Triggers as case files write them: `on_load`, `checkpoint(asleep)`, `ThreadStart`, `{ClassLoad: {klass: $fresh}}`.

use jvmti_spec::Edition;
use jvmti_spec::edition::{Event, EventParam, Phase};
use jvmti_wire::plan::{Filter, Trigger};

use super::argument::Slot;
use super::matcher::unknown_param;
use super::setting::{Setting, param_index};
use super::source::Span;
use super::yaml::{Node, Value};

/// A trigger with the types of the parameters that steps may use at it.
#[derive(Clone)]
pub struct TypedTrigger<'a> {
    /// The trigger.
    pub trigger: Trigger,
    /// The parameters of the event or callback, if it is one.
    pub params: Option<&'a [EventParam]>,
}

impl TypedTrigger<'_> {
    /// Stands for a trigger that could not be read.
    pub fn unknown() -> Self {
        TypedTrigger { trigger: Trigger::OnAttach, params: None }
    }
}

/// Triggers that consist of their name.
const PLAIN: [(&str, Trigger); 9] = [
    ("on_load", Trigger::OnLoad),
    ("on_attach", Trigger::OnAttach),
    ("on_unload", Trigger::OnUnload),
    ("primordial", Trigger::Primordial),
    ("vm_start", Trigger::VmStart),
    ("vm_init", Trigger::VmInit),
    ("vm_death", Trigger::VmDeath),
    ("run_begin", Trigger::RunBegin),
    ("run_end", Trigger::RunEnd),
];

/// The phase in which a trigger fires, if it tells.
pub fn phase(trigger: &Trigger, edition: &Edition) -> Option<Phase> {
    let begins_start = |number| edition.event("VMStart").is_some_and(|event| event.number == number);
    match trigger {
        Trigger::OnLoad => Some(Phase::OnLoad),
        Trigger::Primordial => Some(Phase::Primordial),
        Trigger::VmStart => Some(Phase::Start),
        Trigger::VmInit | Trigger::VmDeath | Trigger::RunBegin | Trigger::RunEnd | Trigger::Checkpoint(_) => {
            Some(Phase::Live)
        }
        Trigger::OnUnload => Some(Phase::Dead),
        Trigger::Event { event, .. } if begins_start(*event) => Some(Phase::Start),
        Trigger::OnAttach | Trigger::Event { .. } | Trigger::Callback { .. } => None,
    }
}

impl<'a> Setting<'_, 'a> {
    /// Reads a trigger.
    pub fn trigger(&self, node: &Node) -> Option<TypedTrigger<'a>> {
        match &node.value {
            Value::Str(text) => self.named_trigger(&self.cx.substituted(text), node.span),
            Value::Map(_) if node.get("callback").is_some() => self.callback_trigger(node),
            Value::Map(_) => self.event_trigger(node),
            _ => {
                self.cx.expected(node, "a trigger such as `on_load`, `checkpoint(name)` or an event");
                None
            }
        }
    }

    fn named_trigger(&self, text: &str, span: Span) -> Option<TypedTrigger<'a>> {
        if let Some((_, trigger)) = PLAIN.iter().find(|(name, _)| *name == text) {
            return Some(TypedTrigger { trigger: trigger.clone(), params: None });
        }
        if let Some(name) = text.strip_prefix("checkpoint(").and_then(|rest| rest.strip_suffix(')')) {
            return self.checkpoint(name.trim(), span);
        }
        if self.cx.newest.event(text).is_some() {
            return self.cx.event(text, span).map(|event| at_event(event, None, Vec::new()));
        }
        let events = self.cx.newest.events.iter().map(|e| e.name.as_str());
        let plain = PLAIN.iter().map(|(name, _)| *name).chain(["checkpoint(name)"]);
        self.cx.unknown(span, "trigger", text, plain.chain(events));
        None
    }

    fn checkpoint(&self, name: &str, span: Span) -> Option<TypedTrigger<'a>> {
        let Some(scenario) = self.scenario else {
            self.cx.error(span, format!("checkpoint `{name}` needs a `scenario` that reaches it"));
            return None;
        };
        if !scenario.checkpoints.iter().any(|c| c.name == name) {
            let known = scenario.checkpoints.iter().map(|c| c.name.as_str());
            self.cx.unknown(span, &format!("checkpoint of {}", scenario.name), name, known);
            return None;
        }
        Some(TypedTrigger { trigger: Trigger::Checkpoint(name.to_owned()), params: None })
    }

    fn callback_trigger(&self, node: &Node) -> Option<TypedTrigger<'a>> {
        let fields = self.cx.fields(node, "a callback trigger", &["callback", "of"])?;
        let callback =
            self.cx.text(fields.require(self.cx, "callback", "a callback trigger")?, "a callback type")?;
        let of_node = fields.require(self.cx, "of", "a callback trigger")?;
        let of = self.cx.text(of_node, "the name of a step")?;
        let known = || self.cx.edition.callbacks.iter();
        let Some(found) = known().find(|c| c.name == callback) else {
            self.cx.unknown(node.span, "callback type", &callback, known().map(|c| c.name.as_str()));
            return None;
        };
        if !self.saved_anywhere.iter().any(|step| *step == of) {
            self.cx.unknown(of_node.span, "step", &of, self.saved_anywhere.iter().map(String::as_str));
            return None;
        }
        let trigger = Trigger::Callback { of: of.into_owned(), callback: callback.into_owned() };
        Some(TypedTrigger { trigger, params: Some(&found.params) })
    }

    fn event_trigger(&self, node: &Node) -> Option<TypedTrigger<'a>> {
        let entries = self.cx.entries(node, "an event and its conditions")?;
        let mut environment = None;
        let mut found = None;
        for (name, key, value) in entries {
            if name == "env" {
                environment = Some(self.environment(&self.cx.text(value, "an environment")?, value.span)?);
            } else if found.is_some() {
                self.cx.error(key.span, "a trigger names one event; only `env` may stand next to it");
                return None;
            } else {
                let event = self.cx.event(self.cx.key(name), key.span)?;
                found = Some((event, self.filters(value, event)?));
            }
        }
        let Some((event, only)) = found else {
            self.cx.expected(node, "an event");
            return None;
        };
        Some(at_event(event, environment, only))
    }

    fn filters(&self, node: &Node, event: &Event) -> Option<Vec<Filter>> {
        let entries = self.cx.entries(node, "conditions on the event's parameters")?;
        let read = entries.into_iter().map(|(name, key, value)| {
            let Some(param) = param_index(&event.params, name) else {
                unknown_param(self.cx, key.span, &event.name, name, &event.params);
                return None;
            };
            let c_type = event.params[usize::from(param)].c_type.as_str();
            self.arg(value, Slot { name, c_type }).map(|is| Filter { param, is })
        });
        read.collect()
    }
}

fn at_event<'a>(event: &'a Event, environment: Option<u8>, only: Vec<Filter>) -> TypedTrigger<'a> {
    let trigger = Trigger::Event { event: event.number, environment, only };
    TypedTrigger { trigger, params: Some(&event.params) }
}
