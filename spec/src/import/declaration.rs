//! Reads the C declarations in a page.

use crate::edition::{Field, StructKind};

/// A declaration.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Declaration {
    /// `jvmtiError F(jvmtiEnv* env, …)`: name and parameters after the environment.
    Function(String, Vec<Typed>),
    /// `void JNICALL E(jvmtiEnv *jvmti_env, …)`: name and parameters after the environment.
    Event(String, Vec<Typed>),
    /// `typedef R (JNICALL *name)(…)`: name, return type and all parameters.
    Callback(String, String, Vec<Typed>),
    /// `struct`, `union` or `enum` with all its fields.
    Struct(String, StructKind, Vec<Field>),
}

/// A name and its C type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Typed {
    pub name: String,
    pub c_type: String,
}

/// All complete declarations in preformatted text; examples and abridged declarations are ignored.
pub(super) fn declarations(text: &str) -> Vec<Declaration> {
    let text = without_comments(text);
    if let Some(rest) = text.trim_start().strip_prefix("jvmtiError") {
        return signature(rest)
            .map(|(name, params)| Declaration::Function(name, params))
            .into_iter()
            .collect();
    }
    if let Some(rest) = text.trim_start().strip_prefix("void JNICALL") {
        return signature(rest).map(|(name, params)| Declaration::Event(name, params)).into_iter().collect();
    }
    let mut found: Vec<Declaration> = callback(&text).into_iter().collect();
    let mut rest = text.as_str();
    while let Some((declaration, after)) = aggregate(rest) {
        found.extend(declaration);
        rest = after;
    }
    found
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    out + rest
}

fn signature(text: &str) -> Option<(String, Vec<Typed>)> {
    let (name, rest) = text.split_once('(')?;
    let params = parameters(rest.split_once(')')?.0);
    let is_name = |c: char| c.is_ascii_alphanumeric();
    let (first, others) = params.split_first()?;
    (name.trim().chars().all(is_name) && first.c_type == "jvmtiEnv*")
        .then(|| (name.trim().to_string(), others.to_vec()))
}

fn callback(text: &str) -> Option<Declaration> {
    let rest = text.trim_start().strip_prefix("typedef")?;
    let (returns, rest) = rest.split_once("(JNICALL")?;
    let (name, rest) = rest.split_once(')')?;
    let params = parameters(rest.split_once('(')?.1.split_once(')')?.0);
    let name = name.trim().trim_start_matches('*').trim();
    Some(Declaration::Callback(name.into(), returns.trim().into(), params))
}

fn parameters(text: &str) -> Vec<Typed> {
    text.split(',').filter_map(typed).collect()
}

/// The name and type in `const jthread* list`; `...` is both name and type.
fn typed(text: &str) -> Option<Typed> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text == "..." {
        return Some(Typed { name: text.clone(), c_type: text });
    }
    let at = text.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))? + 1;
    let (c_type, name) = text.split_at(at);
    let c_type = c_type.trim().replace(" *", "*");
    (!name.is_empty() && !c_type.is_empty()).then(|| Typed { name: name.into(), c_type })
}

/// The next `struct`, `union` or `enum` with a body, and the text after it. An abridged declaration is `None`.
fn aggregate(text: &str) -> Option<(Option<Declaration>, &str)> {
    let (head, rest) = text.split_once('{')?;
    let (body, rest) = rest.split_once('}')?;
    let (tail, rest) = rest.split_once(';').unwrap_or((rest, ""));
    let head: Vec<&str> = head.rsplit(';').next().unwrap_or_default().split_whitespace().collect();
    let kind = head.iter().find_map(|word| match *word {
        "struct" => Some(StructKind::Struct),
        "union" => Some(StructKind::Union),
        "enum" => Some(StructKind::Enum),
        _ => None,
    });
    // `typedef struct {…} name;` or `struct name {…};`
    let name = if tail.trim().is_empty() { head.last().copied().unwrap_or_default() } else { tail.trim() };
    let declaration = kind.filter(|_| !body.contains("...") && !name.is_empty()).map(|kind| {
        let fields = match kind {
            StructKind::Enum => body.split(',').filter_map(enumerator).collect(),
            StructKind::Struct | StructKind::Union => body.split(';').filter_map(field).collect(),
        };
        Declaration::Struct(name.into(), kind, fields)
    });
    Some((declaration, rest))
}

fn enumerator(text: &str) -> Option<Field> {
    let (name, value) = text.split_once('=')?;
    Some(Field { name: Some(name.trim().into()), c_type: value.trim().into(), bits: None, null_when: None })
}

fn field(text: &str) -> Option<Field> {
    let (declared, bits) = match text.split_once(':') {
        Some((declared, bits)) => (declared.trim(), Some(bits.trim().parse().ok()?)),
        None => (text.trim(), None),
    };
    if bits.is_some() && declared == "unsigned int" {
        return Some(Field { name: None, c_type: declared.into(), bits, null_when: None });
    }
    let Typed { name, c_type } = typed(declared)?;
    Some(Field { name: Some(name), c_type, bits, null_when: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(c_type: &str, name: &str) -> Typed {
        Typed { name: name.into(), c_type: c_type.into() }
    }

    #[test]
    fn functions_events_and_callbacks_are_told_apart() {
        assert_eq!(
            declarations("jvmtiError\nGetX(jvmtiEnv* env,\n  const jthread* list,\n  char** out_ptr, ...)"),
            [Declaration::Function(
                "GetX".into(),
                vec![typed("const jthread*", "list"), typed("char**", "out_ptr"), typed("...", "...")]
            )]
        );
        assert_eq!(
            declarations("void JNICALL\nXHappened(jvmtiEnv *jvmti_env, jlong tag)"),
            [Declaration::Event("XHappened".into(), vec![typed("jlong", "tag")])]
        );
        assert_eq!(
            declarations("typedef jint (JNICALL *xCallback)\n (jlong size, void* user_data);"),
            [Declaration::Callback(
                "xCallback".into(),
                "jint".into(),
                vec![typed("jlong", "size"), typed("void*", "user_data")]
            )]
        );
    }

    #[test]
    fn structures_keep_bits_and_padding() {
        let field = |name: Option<&str>, c_type: &str, bits| Field {
            name: name.map(str::to_string),
            c_type: c_type.into(),
            bits,
            null_when: None,
        };
        assert_eq!(
            declarations(
                "typedef struct { unsigned int a : 1; unsigned int : 15; } xFlags;\nunion xU { jint i; };"
            ),
            [
                Declaration::Struct(
                    "xFlags".into(),
                    StructKind::Struct,
                    vec![field(Some("a"), "unsigned int", Some(1)), field(None, "unsigned int", Some(15)),]
                ),
                Declaration::Struct("xU".into(), StructKind::Union, vec![field(Some("i"), "jint", None)]),
            ]
        );
    }

    #[test]
    fn abridged_declarations_and_examples_yield_nothing() {
        assert_eq!(declarations("typedef enum { A = 1, ... } xEvent;"), []);
        assert_eq!(declarations("if (x) { f(); }"), []);
        assert_eq!(declarations("jvmtiError err;"), []);
    }
}
