//! What reading a case file needs at hand: the release's specification, the other files, and a place for findings.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use jvmti_spec::Edition;
use jvmti_spec::edition::{Event, Function};

use super::arguments::Arguments;
use super::catalogue::{Catalogue, Scenario};
use super::diagnostic::{Diagnostic, did_you_mean};
use super::releases::Releases;
use super::source::{Sources, Span};
use super::yaml::{Node, Value};

/// How many findings back one of the same place is looked for.
const RECENT: usize = 8;

/// The files beside the case files.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// All texts.
    pub sources: Sources,
    /// Scenarios.
    pub catalogue: Catalogue,
    /// Smallest well-formed arguments.
    pub arguments: Arguments,
}

/// Reads for one release and collects what it finds wrong.
pub struct Context<'a> {
    /// The specification of the release read for.
    pub edition: &'a Edition,
    /// That of the newest release, which has every name that any release has.
    pub newest: &'a Edition,
    /// The files beside.
    pub library: &'a Library,
    /// Ids of the release's assertions, if citations are to be checked.
    pub assertions: Option<&'a BTreeSet<String>>,
    /// What `{name}` stands for in texts, while a rule or case is expanded.
    pub bindings: Vec<(String, String)>,
    found: Rc<RefCell<Vec<Diagnostic>>>,
}

impl<'a> Context<'a> {
    /// A context without findings.
    pub fn new(edition: &'a Edition, newest: &'a Edition, library: &'a Library) -> Self {
        Context { edition, newest, library, assertions: None, bindings: Vec::new(), found: Rc::default() }
    }

    /// The same, for one element that a rule or case is expanded for.
    pub fn binding(&self, bindings: Vec<(String, String)>) -> Context<'a> {
        Context { bindings, found: Rc::clone(&self.found), ..*self }
    }

    /// The scenario of the name that is written there.
    pub fn scenario(&self, node: &Node) -> Option<&'a Scenario> {
        let name = self.text(node, "the name of a scenario")?;
        let catalogue = &self.library.catalogue;
        let found = catalogue.scenario(&name);
        if found.is_none() {
            self.unknown(node.span, "scenario", &name, catalogue.0.iter().map(|s| s.name.as_str()));
        }
        found
    }

    /// Whether all that `given` names holds of what the rule or case is expanded for: `"{kind} = virtual"`, `"{state} != new"`.
    pub fn is_given(&self, fields: &Fields<'_>) -> bool {
        let Some(node) = fields.get("given") else { return true };
        self.texts(node, "a comparison such as `{kind} = virtual`").iter().all(|(text, span)| {
            match (text.split_once(" != "), text.split_once(" = ")) {
                (Some((left, right)), _) => right.split('|').all(|right| left != right),
                (_, Some((left, right))) => right.split('|').any(|right| left == right),
                _ => {
                    self.error(*span, "malformed; write it as `{kind} = virtual` or `{kind} != virtual`");
                    false
                }
            }
        })
    }

    /// Reads a range of releases.
    pub fn releases(&self, node: &Node) -> Option<Releases> {
        let read = match &node.value {
            Value::Str(text) => self.substituted(text).parse().ok(),
            Value::Int(number) => number.to_string().parse().ok(),
            _ => None,
        };
        if read.is_none() {
            self.expected(node, "releases such as `21..`, `8..20`, `..17` or `25`");
        }
        read
    }

    /// Notes an error.
    pub fn error(&self, span: Span, message: impl Into<String>) {
        self.error_with_help(span, message, None);
    }

    /// Notes an error with advice.
    pub fn error_with_help(&self, span: Span, message: impl Into<String>, help: Option<String>) {
        let file = self.library.sources.file(span);
        let message = message.into();
        self.found.borrow_mut().push(Diagnostic { file, span, message, help, is_error: true });
    }

    /// Notes that a name is unknown, with the known ones to choose from.
    pub fn unknown<'n>(&self, span: Span, what: &str, name: &str, known: impl IntoIterator<Item = &'n str>) {
        // A rule says the same of many functions in one place; the first few are shown.
        let is_new = !self.found.borrow().iter().rev().take(RECENT).any(|earlier| earlier.span == span);
        let help = is_new.then(|| did_you_mean(name, known)).flatten();
        self.error_with_help(span, format!("unknown {what} `{name}`"), help);
    }

    /// Notes that something else was expected.
    pub fn expected(&self, node: &Node, what: &str) {
        let found = match &node.value {
            Value::Str(text) => format!("`{text}`"),
            _ => node.kind().to_owned(),
        };
        self.error(node.span, format!("expected {what}, found {found}"));
    }

    /// How many findings there are.
    pub fn findings(&self) -> usize {
        self.found.borrow().len()
    }

    /// Hands the findings over.
    pub fn take_findings(&self) -> Vec<Diagnostic> {
        self.found.take()
    }

    /// Whether a node says `true`.
    pub fn truth(&self, node: &Node) -> bool {
        if !matches!(node.value, Value::Bool(_)) {
            self.expected(node, "`true` or `false`");
        }
        node.value == Value::Bool(true)
    }

    /// A node's text, with `{name}` replaced while a rule or case is expanded.
    pub fn text<'n>(&self, node: &'n Node, what: &str) -> Option<Cow<'n, str>> {
        let Some(text) = node.as_str() else {
            self.expected(node, what);
            return None;
        };
        Some(self.substituted(text))
    }

    /// A text with `{name}` replaced while a rule or case is expanded.
    pub fn substituted<'n>(&self, text: &'n str) -> Cow<'n, str> {
        if self.bindings.is_empty() || !text.contains('{') {
            return Cow::Borrowed(text);
        }
        let mut replaced = String::with_capacity(text.len() + 32);
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            replaced.push_str(before);
            let bound = after.split_once('}').and_then(|(name, beyond)| Some((self.bound(name)?, beyond)));
            rest = match bound {
                Some((value, beyond)) => {
                    replaced.push_str(value);
                    beyond
                }
                None => {
                    replaced.push('{');
                    after
                }
            };
        }
        Cow::Owned(replaced + rest)
    }

    /// What a name stands for while a rule or case is expanded.
    pub fn bound(&self, name: &str) -> Option<&str> {
        self.bindings.iter().find(|(bound, _)| bound == name).map(|(_, value)| value.as_str())
    }

    /// A key, or what it stands for if it is `$name` while a rule or case is expanded.
    pub fn key<'k>(&'k self, key: &'k str) -> &'k str {
        key.strip_prefix('$').and_then(|name| self.bound(name)).unwrap_or(key)
    }

    /// A list of texts; one text stands for a list of one.
    pub fn texts(&self, node: &Node, what: &str) -> Vec<(String, Span)> {
        let items = match &node.value {
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        items.iter().filter_map(|item| Some((self.text(item, what)?.into_owned(), item.span))).collect()
    }

    /// A small integer.
    pub fn int<T: TryFrom<i64>>(&self, node: &Node, what: &str) -> Option<T> {
        let value = match node.value {
            Value::Int(value) => T::try_from(value).ok(),
            _ => None,
        };
        if value.is_none() {
            self.expected(node, what);
        }
        value
    }

    /// The items of a list.
    pub fn list<'n>(&self, node: &'n Node, what: &str) -> &'n [Node] {
        match &node.value {
            Value::List(items) => items,
            _ => {
                self.expected(node, what);
                &[]
            }
        }
    }

    /// The entries of a mapping whose keys are all texts.
    pub fn entries<'n>(&self, node: &'n Node, what: &str) -> Option<Vec<(&'n str, &'n Node, &'n Node)>> {
        let Value::Map(entries) = &node.value else {
            self.expected(node, what);
            return None;
        };
        let mut read: Vec<(&str, &Node, &Node)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            match key.as_str() {
                Some(name) if read.iter().any(|(other, ..)| *other == name) => {
                    self.error(key.span, format!("`{name}` is given twice"));
                }
                Some(name) => read.push((name, key, value)),
                None => self.expected(key, "a name"),
            }
        }
        Some(read)
    }

    /// The entries of a mapping with a fixed set of keys.
    pub fn fields<'n>(&self, node: &'n Node, what: &str, known: &[&str]) -> Option<Fields<'n>> {
        let entries = self.entries(node, what)?;
        for (name, key, _) in &entries {
            if !known.contains(name) {
                self.unknown(key.span, &format!("key of {what}"), name, known.iter().copied());
            }
        }
        Some(Fields { span: node.span, entries })
    }

    /// The function of that name, if the release has it.
    pub fn function(&self, name: &str, span: Span) -> Option<&'a Function> {
        self.edition.function(name).or_else(|| {
            let names = self.newest.functions.iter().map(|f| f.name.as_str());
            self.missing(span, "function", name, self.newest.function(name).map(|f| f.since.as_str()), names);
            None
        })
    }

    /// The event of that name, if the release has it.
    pub fn event(&self, name: &str, span: Span) -> Option<&'a Event> {
        self.edition.event(name).or_else(|| {
            let names = self.newest.events.iter().map(|e| e.name.as_str());
            self.missing(span, "event", name, self.newest.event(name).map(|e| e.since.as_str()), names);
            None
        })
    }

    /// Checks that the release has that capability.
    pub fn capability(&self, name: &str, span: Span) -> bool {
        let known = self.edition.capability(name).is_some();
        if !known {
            let names = self.newest.capabilities.iter().map(|c| c.name.as_str());
            let since = self.newest.capability(name).map(|c| c.since.as_str());
            self.missing(span, "capability", name, since, names);
        }
        known
    }

    /// Checks that reports have that chapter.
    pub fn chapter(&self, id: &str, span: Span) {
        let known = || chapters(self.newest);
        if !known().any(|chapter| chapter == id) {
            self.unknown(span, "chapter", id, known());
        }
    }

    /// Notes that this release, or every release, lacks something.
    fn missing<'n>(
        &self,
        span: Span,
        what: &str,
        name: &str,
        since: Option<&str>,
        known: impl Iterator<Item = &'n str>,
    ) {
        match since {
            Some(since) => {
                let message =
                    format!("{what} `{name}` came with {since}, but the releases meant begin earlier");
                self.error_with_help(span, message, Some(format!("limit them by `releases: {since}..`")));
            }
            None => self.unknown(span, what, name, known),
        }
    }
}

/// The entries of a mapping.
pub struct Fields<'n> {
    /// Where the mapping is.
    pub span: Span,
    entries: Vec<(&'n str, &'n Node, &'n Node)>,
}

impl<'n> Fields<'n> {
    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(name, ..)| *name == key).map(|(.., value)| *value)
    }

    /// The value under a key that must be there.
    pub fn require(&self, cx: &Context<'_>, key: &str, of: &str) -> Option<&'n Node> {
        let value = self.get(key);
        if value.is_none() {
            cx.error(self.span, format!("{of} needs `{key}`"));
        }
        value
    }
}

/// The chapters under which cases are: those of functions, and the others.
pub fn chapters(edition: &Edition) -> impl Iterator<Item = &str> {
    const BEYOND_FUNCTIONS: [&str; 4] = ["events", "agents", "data-types", "interface"];
    edition.chapters.iter().map(|c| c.id.as_str()).chain(BEYOND_FUNCTIONS)
}
