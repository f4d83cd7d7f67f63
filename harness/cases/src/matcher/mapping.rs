//! Conditions that are written as mappings: `{has: [ALIVE], lacks: SUSPENDED}`.

use jvmti_spec::edition::{Struct, StructKind};

use super::Sort;
use crate::constant;
use crate::model::{Matcher, Reference};
use crate::setting::Setting;
use crate::yaml::{Node, Value};

/// Words that make a mapping a condition.
const OPERATORS: [&str; 21] = [
    "class_file",
    "has",
    "lacks",
    "at_least",
    "at_most",
    "java",
    "substring",
    "constants",
    "loads",
    "length",
    "contains",
    "consecutive",
    "each",
    "elements",
    "set",
    "fields",
    "all",
    "any",
    "not",
    "equals",
    "fact",
];

/// `java.lang.Thread.State`, and `any` where only the rules of the text matter.
const JAVA_STATES: [&str; 7] =
    ["NEW", "RUNNABLE", "BLOCKED", "WAITING", "TIMED_WAITING", "TERMINATED", "any"];

/// Names of bits, with their values.
type Bits = Vec<(String, i64)>;

/// What the entries of a mapping amount to.
#[derive(Default)]
struct Parts {
    all: Vec<Matcher>,
    /// Conditions on fields; `None`: one that could not be read.
    fields: Vec<Option<(String, Matcher)>>,
    range: (Option<i64>, Option<i64>),
    /// Bits that must be set, and those that must not.
    bits: (Bits, Bits),
}

impl Parts {
    fn matchers(self) -> Option<Vec<Matcher>> {
        let Parts { mut all, fields, range, bits: (has, lacks) } = self;
        if range != (None, None) {
            all.push(Matcher::Range(range.0, range.1));
        }
        if !has.is_empty() || !lacks.is_empty() {
            all.push(Matcher::Bits { has, lacks });
        }
        if !fields.is_empty() {
            all.push(Matcher::Fields(fields.into_iter().collect::<Option<Vec<_>>>()?));
        }
        Some(all)
    }
}

impl Setting<'_, '_> {
    /// Reads a condition that is written as a mapping: operators, or conditions on fields of a structure.
    pub(super) fn map_matcher(&self, node: &Node, sort: &Sort<'_>) -> Option<Matcher> {
        let entries = self.cx.entries(node, "a condition")?;
        // A pointer to a union leads to a single one.
        let structure = self.cx.edition.structure(&sort.c_type);
        let structure = structure.filter(|s| !sort.is_array || s.kind == StructKind::Union);
        let is_field =
            |name: &str| structure.is_some_and(|s| s.fields.iter().any(|f| f.name.as_deref() == Some(name)));
        let mut parts = Parts::default();
        let mut complete = true;
        for (name, key, value) in entries {
            let name = self.cx.key(name);
            if let Some(structure) = structure.filter(|_| is_field(name) || !OPERATORS.contains(&name)) {
                parts.fields.push(self.field(structure, name, key, value));
            } else if name == "fields" {
                let Some(structure) = structure else {
                    self.cx.error(key.span, format!("`{}` is not a structure", sort.name));
                    return None;
                };
                let entries = self.cx.entries(value, "fields").unwrap_or_default().into_iter();
                parts
                    .fields
                    .extend(entries.map(|(name, key, value)| self.field(structure, name, key, value)));
            } else {
                complete &= self.operator(name, key, value, sort, &mut parts).is_some();
            }
        }
        if parts.bits != (Vec::new(), Vec::new()) {
            self.check_bits(node, &parts.bits.0, &parts.bits.1);
        }
        let mut all = parts.matchers()?;
        if complete && all.is_empty() {
            self.cx.error(node.span, "the condition is empty");
        }
        match all.len() {
            _ if !complete => None,
            1 => all.pop(),
            _ => Some(Matcher::All(all)),
        }
    }

    /// Reads one operator with its value.
    fn operator(
        &self,
        name: &str,
        key: &Node,
        value: &Node,
        sort: &Sort<'_>,
        parts: &mut Parts,
    ) -> Option<()> {
        let number = match &value.value {
            Value::Int(number) => Some(*number),
            // What `each` puts in the place of `{name}`.
            Value::Str(text) => self.cx.substituted(text).parse().ok(),
            _ => None,
        };
        match name {
            "at_least" if number.is_some() => parts.range.0 = number,
            "at_most" if number.is_some() => parts.range.1 = number,
            "has" => parts.bits.0 = self.bits(value, sort)?,
            "lacks" => parts.bits.1 = self.bits(value, sort)?,
            _ => parts.all.push(self.whole(name, key, value, sort)?),
        }
        Some(())
    }

    /// Reads an operator that is a condition by itself.
    fn whole(&self, name: &str, key: &Node, value: &Node, sort: &Sort<'_>) -> Option<Matcher> {
        let number = |name, make| self.nested(value, &Sort::number(name), make);
        let element = || sort.element();
        match name {
            "at_least" => self.comparand(value, sort).map(Matcher::AtLeast),
            "at_most" => self.comparand(value, sort).map(Matcher::AtMost),
            "java" => self.java_state(value),
            "substring" => self.cx.text(value, "text").map(|text| Matcher::Substring(text.into_owned())),
            "length" => number("length", Matcher::Length),
            "constants" => number("constants", Matcher::Constants),
            "loads" => self.loads(value, sort),
            "contains" => self.nested(value, &element(), Matcher::Contains),
            "each" => self.nested(value, &element(), Matcher::Each),
            "not" => self.nested(value, sort, Matcher::Not),
            "equals" => self.matcher(value, sort),
            "class_file" => self.class_file(value, sort),
            "fact" => {
                let key = self.cx.text(value, "the key of a fact")?;
                self.fact(&key, value.span).map(Matcher::Is)
            }
            "consecutive" => self.several(value, &element(), Matcher::Consecutive),
            "elements" => self.several(value, &element(), Matcher::Elements),
            "set" => self.several(value, &element(), Matcher::Set),
            "all" => self.several(value, sort, Matcher::All),
            "any" => self.several(value, sort, Matcher::Any),
            _ => {
                self.cx.unknown(key.span, "condition", name, OPERATORS);
                None
            }
        }
    }

    /// `{text: string, of: $step.constant_pool_bytes}`.
    fn loads(&self, node: &Node, sort: &Sort<'_>) -> Option<Matcher> {
        let fields = self.cx.fields(node, "a constant that is loaded", &["text", "of"])?;
        let text = self.cx.text(fields.require(self.cx, "text", "a constant that is loaded")?, "a text")?;
        let of = self.comparand(fields.require(self.cx, "of", "a constant that is loaded")?, sort)?;
        Some(Matcher::Loads { text: text.into_owned(), of })
    }

    /// `$file`, or `{is: $edited, since: $survey, of: $original}`.
    fn class_file(&self, node: &Node, sort: &Sort<'_>) -> Option<Matcher> {
        if !matches!(node.value, Value::Map(_)) {
            return Some(Matcher::ClassFile { files: self.comparand(node, sort)?, since: None });
        }
        const WHAT: &str = "a class file that a survey agrees with";
        let fields = self.cx.fields(node, WHAT, &["is", "since", "of"])?;
        let part = |key| self.comparand(fields.require(self.cx, key, WHAT)?, sort);
        Some(Matcher::ClassFile { files: part("is")?, since: Some((part("since")?, part("of")?)) })
    }

    /// Something that is known when the case has run: `$step.output`, `fact(key)`.
    fn comparand(&self, node: &Node, sort: &Sort<'_>) -> Option<Reference> {
        match self.matcher(node, sort)? {
            Matcher::Is(reference) | Matcher::SameThreadState(reference) => Some(reference),
            _ => {
                self.cx.expected(node, "an integer, `$step.output` or `fact(key)`");
                None
            }
        }
    }

    fn nested(&self, node: &Node, sort: &Sort<'_>, make: fn(Box<Matcher>) -> Matcher) -> Option<Matcher> {
        self.matcher(node, sort).map(|inner| make(Box::new(inner)))
    }

    fn several(&self, node: &Node, sort: &Sort<'_>, make: fn(Vec<Matcher>) -> Matcher) -> Option<Matcher> {
        self.matchers(self.cx.list(node, "a list of conditions"), sort).map(make)
    }

    fn field(&self, structure: &Struct, name: &str, key: &Node, value: &Node) -> Option<(String, Matcher)> {
        let Some(field) = structure.fields.iter().find(|f| f.name.as_deref() == Some(name)) else {
            let known = structure.fields.iter().filter_map(|f| f.name.as_deref());
            self.cx.unknown(key.span, &format!("field of {}", structure.name), name, known);
            return None;
        };
        let matcher = self.matcher(value, &Sort::of_field(name, &field.c_type))?;
        Some((name.to_owned(), matcher))
    }

    fn bits(&self, node: &Node, sort: &Sort<'_>) -> Option<Bits> {
        let items = match &node.value {
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let mut bits = Bits::new();
        for item in items {
            match item.value {
                // Bits that the interface has no name for, such as access flags.
                Value::Int(value) => bits.push((format!("{value:#x}"), value)),
                _ => {
                    let names = self.cx.text(item, "names or numbers of bits")?;
                    for name in names.split('|') {
                        let value = constant::value(self.cx, name, sort.name, &sort.c_type, item.span)?;
                        bits.push((name.to_owned(), value));
                    }
                }
            }
        }
        Some(bits)
    }

    fn check_bits(&self, node: &Node, has: &[(String, i64)], lacks: &[(String, i64)]) {
        if let Some((name, _)) = has.iter().find(|bit| lacks.iter().any(|other| other.1 == bit.1)) {
            self.cx.error(node.span, format!("`{name}` can't be both set and not set"));
        }
    }

    fn java_state(&self, node: &Node) -> Option<Matcher> {
        let name = self.cx.text(node, "a java.lang.Thread.State")?;
        if !JAVA_STATES.contains(&name.as_ref()) {
            self.cx.unknown(node.span, "java.lang.Thread.State", &name, JAVA_STATES);
            return None;
        }
        Some(Matcher::ThreadState((name != "any").then(|| name.into_owned())))
    }
}
