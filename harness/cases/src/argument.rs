//! Arguments as case files write them.

use jvmti_spec::{ctype, edition::ParamKind};
use jvmti_wire::plan::{Arg, Callback, Invalid};

use super::constant;
use super::setting::{Meaning, Setting};
use super::source::Span;
use super::yaml::{Node, Value};

/// What an argument is for.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'s> {
    /// Name of the parameter or field.
    pub name: &'s str,
    /// Its C type.
    pub c_type: &'s str,
}

/// Kinds of deliberately wrong references.
const INVALIDS: [(&str, Invalid); 6] = [
    ("plain-object", Invalid::PlainObject),
    ("deleted-ref", Invalid::DeletedRef),
    ("cleared-weak-ref", Invalid::ClearedWeakRef),
    ("zeroed-memory", Invalid::ZeroedMemory),
    ("destroyed-monitor", Invalid::DestroyedMonitor),
    ("disposed-environment", Invalid::DisposedEnvironment),
];

/// Ways to write a deliberately wrong reference, for advice.
const REFERENCES: &str = "invalid(deleted-ref)";

/// Whether the parameter takes a reference to an object or the id of something, not an array of them.
fn is_reference(slot: Slot<'_>) -> bool {
    matches!(ctype::kind(slot.c_type), ParamKind::JniRef | ParamKind::Id)
}

/// Words written as `word(content)`.
const FORMS: [&str; 9] = [
    "class",
    "method",
    "static_method",
    "field",
    "static_field",
    "invalid",
    "environment",
    "bytes",
    "sizeof",
];

impl Setting<'_, '_> {
    /// Reads an argument for a parameter or field.
    pub fn arg(&self, node: &Node, slot: Slot<'_>) -> Option<Arg> {
        let arg = self.plain_arg(node, slot);
        if slot.c_type == "jlocation" && matches!(arg, Some(Arg::Int(0..))) {
            self.bytecode_indices.set(true);
        }
        arg
    }

    /// The same, for a parameter whose value does not matter.
    pub fn plain_arg(&self, node: &Node, slot: Slot<'_>) -> Option<Arg> {
        match &node.value {
            Value::Null => Some(Arg::Null),
            Value::Bool(value) => Some(Arg::Int((*value).into())),
            Value::Int(_) | Value::Float(_) if is_reference(slot) => self.not_a_number(node, slot),
            Value::Int(value) => self.int_arg(*value, node.span, slot),
            Value::Float(value) => Some(Arg::Float(*value)),
            Value::Str(text) => self.text_arg(&self.cx.substituted(text), node.span, slot),
            Value::List(items) => self.list_arg(items, slot),
            Value::Map(_) if ctype::kind(slot.c_type) == ParamKind::FunctionPointer => {
                self.callback_arg(node)
            }
            Value::Map(_) => self.struct_arg(node, slot),
        }
    }

    fn not_a_number(&self, node: &Node, slot: Slot<'_>) -> Option<Arg> {
        let help = format!("write `$name`, `null`, or for a deliberately wrong one `{REFERENCES}`");
        let message = format!("expected an argument of type `{}`, found {}", slot.c_type, node.kind());
        self.cx.error_with_help(node.span, message, Some(help));
        None
    }

    /// A number, which must not be cut off where it is passed.
    fn int_arg(&self, number: i64, span: Span, slot: Slot<'_>) -> Option<Arg> {
        if let Some(range) = ctype::range(slot.c_type).filter(|range| !range.contains(&number)) {
            let (least, most) = range.into_inner();
            let message = format!("`{number}` does not fit `{}`, which holds {least} to {most}", slot.c_type);
            self.cx.error(span, message);
            return None;
        }
        Some(Arg::Int(number))
    }

    fn text_arg(&self, text: &str, span: Span, slot: Slot<'_>) -> Option<Arg> {
        if let Some((times, of, plus)) = linear(text) {
            let of = Box::new(self.text_arg(of, span, slot)?);
            return Some(Arg::Linear { of, times, plus });
        }
        if let Some(content) = text.strip_prefix("index(").and_then(|rest| rest.strip_suffix(')')) {
            return self.position(content, span);
        }
        if let Some(name) = text.strip_prefix('$') {
            return Some(match self.meaning(name, span)? {
                Meaning::CurrentThread => Arg::CurrentThread,
                Meaning::Bound(name) => Arg::Named(name),
                Meaning::Output { step, param, path } => Arg::Output { step, param, path },
            });
        }
        if let Some(name) = text.strip_prefix("event.") {
            return self.event_param(name, span).map(Arg::EventParam);
        }
        if slot.c_type == "const char*" || slot.c_type == "char*" {
            return Some(Arg::Str(text.as_bytes().to_vec()));
        }
        match text {
            "storage" => return Some(Arg::Storage),
            "callback" => return Some(Arg::Callback(Callback::default())),
            "null" if is_reference(slot) => return Some(Arg::Null),
            _ => {}
        }
        if let Some((word, content)) =
            text.split_once('(').and_then(|(word, rest)| Some((word, rest.strip_suffix(')')?)))
        {
            return self.form_arg(word, content, span);
        }
        match ctype::kind(slot.c_type) {
            // Numbers come as texts from what a rule is expanded for.
            ParamKind::Enum | ParamKind::Scalar => match (text.parse(), text.parse()) {
                (Ok(number), _) => self.int_arg(number, span, slot),
                (_, Ok(number)) if ctype::is_floating(slot.c_type) => Some(Arg::Float(number)),
                _ => constant::value(self.cx, text, slot.name, slot.c_type, span).map(Arg::Int),
            },
            _ => {
                let help = "write `$name`, `null`, or a form such as `class(java/lang/String)`".to_owned();
                let message = format!("expected an argument of type `{}`, found `{text}`", slot.c_type);
                self.cx.error_with_help(span, message, Some(help));
                None
            }
        }
    }

    fn form_arg(&self, word: &str, content: &str, span: Span) -> Option<Arg> {
        let is_static = word.starts_with("static_");
        match word {
            "class" => Some(Arg::Class(content.to_owned())),
            "method" | "static_method" => match split_method(content) {
                Some((class, name, signature)) => Some(Arg::Method { class, name, signature, is_static }),
                None => self.malformed(span, "method(java/lang/Object.hashCode()I)"),
            },
            "field" | "static_field" => match split_field(content) {
                Some((class, name, signature)) => Some(Arg::Field { class, name, signature, is_static }),
                None => self.malformed(span, "field(java/lang/String.hash:I)"),
            },
            "invalid" => {
                let found = INVALIDS.iter().find(|(name, _)| *name == content);
                if found.is_none() {
                    self.cx.unknown(span, "invalid reference", content, INVALIDS.iter().map(|(n, _)| *n));
                }
                found.map(|(_, kind)| Arg::Invalid(*kind))
            }
            "environment" => self.environment(content, span).map(Arg::Environment),
            "bytes" => match hex(content) {
                Some(bytes) => Some(Arg::Bytes(bytes)),
                None => self.malformed(span, "bytes(ca fe ba be)"),
            },
            "sizeof" => self.size_of(content, span).map(Arg::Int),
            _ => {
                self.cx.unknown(span, "form", word, FORMS);
                None
            }
        }
    }

    /// `$stack.frame_buffer, method(a/B.c)`: where that method is among the frames.
    fn position(&self, content: &str, span: Span) -> Option<Arg> {
        let Some((of, is)) = content.strip_prefix('$').and_then(|content| content.split_once(", ")) else {
            return self.malformed(span, "index($stack.frame_buffer, method(a/B.c))");
        };
        let is = self.text_arg(is, span, Slot { name: "method", c_type: "jmethodID" })?;
        match self.meaning(of, span)? {
            Meaning::Output { step, param, path } if path.is_empty() => {
                Some(Arg::Position { step, param, field: "method".to_owned(), is: Box::new(is) })
            }
            _ => self.malformed(span, "index($stack.frame_buffer, method(a/B.c))"),
        }
    }

    fn malformed(&self, span: Span, example: &str) -> Option<Arg> {
        self.cx.error(span, format!("malformed; write it as `{example}`"));
        None
    }

    /// Size of a structure of pointers on a 64-bit machine; the only sizes that the interface asks for.
    fn size_of(&self, name: &str, span: Span) -> Option<i64> {
        const POINTER: i64 = 8;
        let Some(structure) = self.cx.edition.structure(name) else {
            self.cx.unknown(span, "structure", name, self.cx.edition.structs.iter().map(|s| s.name.as_str()));
            return None;
        };
        i64::try_from(structure.fields.len()).ok().map(|fields| fields * POINTER)
    }

    fn list_arg(&self, items: &[Node], slot: Slot<'_>) -> Option<Arg> {
        let base = ctype::pointee(slot.c_type);
        match ctype::kind(slot.c_type) {
            // Flags: names whose values are combined.
            ParamKind::Scalar | ParamKind::Enum => {
                let flags = items.iter().map(|item| match self.arg(item, slot)? {
                    Arg::Int(bits) => Some(bits),
                    _ => {
                        self.cx.expected(item, "a constant");
                        None
                    }
                });
                flags
                    .collect::<Option<Vec<i64>>>()
                    .map(|bits| Arg::Int(bits.into_iter().fold(0, |all, b| all | b)))
            }
            _ if base == "jvmtiEventCallbacks" => {
                let events = items.iter().map(|item| {
                    let name = self.cx.text(item, "an event")?;
                    self.cx.event(&name, item.span).map(|event| event.number)
                });
                events.collect::<Option<Vec<u16>>>().map(Arg::EventCallbacks)
            }
            _ if base == "jvmtiCapabilities" => {
                let names = items.iter().map(|item| {
                    let name = self.cx.text(item, "a capability")?;
                    self.cx.capability(&name, item.span).then(|| (name.into_owned(), Arg::Int(1)))
                });
                names.collect::<Option<Vec<_>>>().map(Arg::Struct)
            }
            _ => {
                // An array of strings has elements of a pointer type.
                let c_type = if slot.c_type.contains("char*") { "char*" } else { base };
                let element = Slot { name: slot.name, c_type };
                items.iter().map(|item| self.arg(item, element)).collect::<Option<Vec<_>>>().map(Arg::List)
            }
        }
    }

    fn struct_arg(&self, node: &Node, slot: Slot<'_>) -> Option<Arg> {
        let base = ctype::pointee(slot.c_type);
        let Some(structure) = self.cx.edition.structure(base) else {
            self.cx.expected(node, &format!("an argument of type `{}`", slot.c_type));
            return None;
        };
        let entries = self.cx.entries(node, "the fields of a structure")?;
        let fields = entries.into_iter().map(|(name, key, value)| {
            let Some(field) = structure.fields.iter().find(|f| f.name.as_deref() == Some(name)) else {
                let known = structure.fields.iter().filter_map(|f| f.name.as_deref());
                self.cx.unknown(key.span, &format!("field of {base}"), name, known);
                return None;
            };
            let arg = self.arg(value, Slot { name, c_type: &field.c_type })?;
            Some((name.to_owned(), arg))
        });
        fields.collect::<Option<Vec<_>>>().map(Arg::Struct)
    }

    fn callback_arg(&self, node: &Node) -> Option<Arg> {
        let fields =
            self.cx.fields(node, "a callback", &["returns", "set_tag", "set_referrer_tag", "record"])?;
        let mut callback = Callback::default();
        if let Some(returns) = fields.get("returns") {
            let items = match &returns.value {
                Value::List(items) => items.as_slice(),
                _ => std::slice::from_ref(returns),
            };
            for item in items {
                callback.returns.push(match &item.value {
                    Value::Int(value) => *value,
                    _ => {
                        let name = self.cx.text(item, "a return value")?;
                        constant::value(self.cx, &name, "", "jint", item.span)?
                    }
                });
            }
        }
        let tag = |key| fields.get(key).and_then(|tag| self.cx.int(tag, "a tag"));
        callback.set_tag = tag("set_tag");
        callback.set_referrer_tag = tag("set_referrer_tag");
        callback.record = fields.get("record").and_then(|n| self.cx.int(n, "a number of invocations"));
        Some(Arg::Callback(callback))
    }
}

/// `-$step.output - 1` as the factor, the rest, and the summand; `None`: it is no such sum.
pub fn linear(text: &str) -> Option<(i64, &str, i64)> {
    let (times, rest) = match text.strip_prefix('-') {
        Some(rest) if rest.starts_with('$') => (-1, rest),
        _ => (1, text),
    };
    if !rest.starts_with('$') && !rest.starts_with("index(") {
        return None;
    }
    let summand = |sign: &str, factor: i64| {
        let (of, plus) = rest.rsplit_once(sign)?;
        Some((times, of, factor * plus.parse::<i64>().ok()?))
    };
    let sum = summand(" + ", 1).or_else(|| summand(" - ", -1));
    sum.or_else(|| (times < 0).then_some((times, rest, 0)))
}

/// The word for a deliberately wrong reference.
pub fn invalid_name(kind: Invalid) -> &'static str {
    INVALIDS.iter().find(|(_, known)| *known == kind).map_or("?", |(name, _)| name)
}

/// `java/lang/Object.hashCode()I` or, with any descriptor, `java/lang/Object.hashCode`.
pub fn split_method(text: &str) -> Option<(String, String, String)> {
    let (path, signature) = match text.find('(') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let (class, name) = path.rsplit_once('.')?;
    (!class.is_empty() && !name.is_empty()).then(|| (class.to_owned(), name.to_owned(), signature.to_owned()))
}

/// `java/lang/String.hash:I`.
fn split_field(text: &str) -> Option<(String, String, String)> {
    let (path, signature) = text.split_once(':')?;
    let (class, name) = path.rsplit_once('.')?;
    Some((class.to_owned(), name.to_owned(), signature.trim().to_owned()))
}

fn hex(text: &str) -> Option<Vec<u8>> {
    text.split_whitespace().map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_told_from_plain_references() {
        assert_eq!(linear("$count.count_ptr"), None);
        assert_eq!(linear("$count.count_ptr + 1"), Some((1, "$count.count_ptr", 1)));
        assert_eq!(linear("-$count.count_ptr"), Some((-1, "$count.count_ptr", 0)));
        assert_eq!(linear("-$count.count_ptr - 1"), Some((-1, "$count.count_ptr", -1)));
        assert_eq!(linear("index($s.f, method(a/B.c)) + 1"), Some((1, "index($s.f, method(a/B.c))", 1)));
        assert_eq!(linear("-1"), None);
        assert_eq!(linear("a - 1"), None);
    }

    #[test]
    fn members_split() {
        let text = |(a, b, c): (&str, &str, &str)| Some((a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(split_method("a/B.m(La/C;)V"), text(("a/B", "m", "(La/C;)V")));
        assert_eq!(split_method("a/B.<init>"), text(("a/B", "<init>", "")));
        assert_eq!(split_method("m"), None);
        assert_eq!(split_field("a/B.f:I"), text(("a/B", "f", "I")));
        assert_eq!(hex("ca FE 0"), Some(vec![0xca, 0xfe, 0]));
        assert_eq!(hex("xy"), None);
    }
}
