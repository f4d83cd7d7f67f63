//! What a case says about the events sent to its environments.

use super::matcher::Sort;
use super::model::{CountBetween, EventExpectation, EventPattern, Exactly};
use super::setting::Setting;
use super::source::Span;
use super::yaml::{Node, Value};

const PATTERN_KEYS: [&str; 3] = ["event", "env", "after"];

impl Setting<'_, '_> {
    /// Reads `expect_events`.
    pub fn event_expectation(&self, node: &Node) -> Option<EventExpectation> {
        let known = ["in_order", "exactly", "never", "counts", "between", "per_thread_before"];
        let fields = self.cx.fields(node, "expect_events", &known)?;
        let list = |key: &str| fields.get(key).map(|node| self.cx.list(node, "a list")).unwrap_or_default();
        let patterns = |key: &str| list(key).iter().filter_map(|n| self.pattern(n)).collect();
        Some(EventExpectation {
            in_order: patterns("in_order"),
            never: patterns("never"),
            counts: list("counts").iter().filter_map(|n| self.count(n)).collect(),
            exactly: list("exactly").iter().filter_map(|n| self.exactly(n)).collect(),
            between: list("between").iter().filter_map(|n| self.between(n)).collect(),
            per_thread_before: list("per_thread_before").iter().filter_map(|n| self.before(n)).collect(),
        })
    }

    fn count(&self, node: &Node) -> Option<(EventPattern, super::model::Matcher)> {
        let fields = self.cx.fields(node, "a count", &["of", "is"])?;
        let of = self.pattern(fields.require(self.cx, "of", "a count")?);
        let is = self.matcher(fields.require(self.cx, "is", "a count")?, &Sort::number("count"));
        Some((of?, is?))
    }

    fn exactly(&self, node: &Node) -> Option<Exactly> {
        let fields = self.cx.fields(node, "`exactly`", &["of", "are"])?;
        let of = fields.require(self.cx, "of", "`exactly`")?;
        let of = match &of.value {
            Value::List(items) => items.iter().map(|n| self.pattern(n)).collect::<Option<Vec<_>>>(),
            _ => self.pattern(of).map(|pattern| vec![pattern]),
        };
        let are = self.cx.list(fields.require(self.cx, "are", "`exactly`")?, "a list of events");
        let are = are.iter().map(|n| self.pattern(n)).collect::<Option<Vec<_>>>();
        Some(Exactly { of: of?, are: are? })
    }

    fn between(&self, node: &Node) -> Option<CountBetween> {
        let fields = self.cx.fields(node, "`between`", &["from", "to", "of", "is"])?;
        let pattern = |key| fields.require(self.cx, key, "`between`").and_then(|n| self.pattern(n));
        let (from, to, of) = (pattern("from"), pattern("to"), pattern("of"));
        let is = self.matcher(fields.require(self.cx, "is", "`between`")?, &Sort::number("count"))?;
        Some(CountBetween { from: from?, to: to?, of: of?, is })
    }

    fn before(&self, node: &Node) -> Option<(EventPattern, EventPattern)> {
        let fields = self.cx.fields(node, "per_thread_before", &["first", "then"])?;
        let pattern = |key| fields.require(self.cx, key, "per_thread_before").and_then(|n| self.pattern(n));
        let (first, then) = (pattern("first"), pattern("then"));
        Some((first?, then?))
    }

    /// Reads which events are meant: `VMInit`, `any`, `{ThreadStart: {thread: $worker}}`,
    /// `{event: any, after: VMDeath}`.
    pub fn pattern(&self, node: &Node) -> Option<EventPattern> {
        match &node.value {
            Value::Str(name) => self.named(&self.cx.substituted(name), node.span),
            Value::Map(_) => self.described(node),
            _ => {
                self.cx.expected(node, "an event");
                None
            }
        }
    }

    fn named(&self, name: &str, span: Span) -> Option<EventPattern> {
        let event = match name {
            "any" => None,
            _ => Some(self.cx.event(name, span)?.number),
        };
        let name = name.to_owned();
        Some(EventPattern { event, name, environment: None, params: Vec::new(), after: None })
    }

    fn described(&self, node: &Node) -> Option<EventPattern> {
        let entries = self.cx.entries(node, "an event and its conditions")?;
        let mut pattern: Option<EventPattern> = None;
        let mut environment = None;
        let mut after = None;
        for (name, key, value) in entries {
            match self.cx.key(name) {
                "env" => {
                    environment =
                        Some(self.environment(&self.cx.text(value, "an environment")?, value.span)?);
                }
                "after" => after = Some(Box::new(self.pattern(value)?)),
                _ if pattern.is_some() => {
                    self.cx.error(
                        key.span,
                        "a pattern names one event; only `env` and `after` may stand next to it",
                    );
                    return None;
                }
                "event" => pattern = Some(self.named(&self.cx.text(value, "an event")?, value.span)?),
                "any" => pattern = Some(self.named("any", key.span)?),
                name => {
                    let known = self.cx.newest.events.iter().map(|e| e.name.as_str());
                    if self.cx.newest.event(name).is_none() {
                        self.cx.unknown(key.span, "event", name, known.chain(PATTERN_KEYS));
                        return None;
                    }
                    let event = self.cx.event(name, key.span)?;
                    let params = self.param_matchers(value, &event.name, &event.params)?;
                    pattern = Some(EventPattern { params, ..self.named(name, key.span)? });
                }
            }
        }
        match pattern {
            Some(pattern) => Some(EventPattern { environment, after, ..pattern }),
            None => {
                self.cx.expected(node, "an event");
                None
            }
        }
    }
}
