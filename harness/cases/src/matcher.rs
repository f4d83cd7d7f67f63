//! Conditions on recorded values as case files write them.

mod mapping;

use jvmti_spec::edition::{Dir, EventParam, Param};
use jvmti_spec::{Edition, ctype};
use jvmti_wire::plan::PathPart;

use super::argument::{linear, split_method};
use super::constant;
use super::context::Context;
use super::model::{Literal, Matcher, Reference};
use super::setting::{Meaning, Setting};
use super::source::Span;
use super::yaml::{Node, Value};

/// What sort of value is to be matched.
#[derive(Clone, Debug)]
pub struct Sort<'s> {
    name: &'s str,
    c_type: String,
    is_array: bool,
    /// Whether a scenario states it, or it is part of something else: as a text it may still be compared with a number.
    is_stated: bool,
}

impl<'s> Sort<'s> {
    /// What an output parameter delivers.
    pub fn of_output(param: &'s Param) -> Self {
        let is_array = param.count.is_some();
        let pointers = match (param.dir, is_array) {
            (Dir::OutAlloc, true) | (Dir::OutAllocAlloc, _) => 2,
            _ => 1,
        };
        let is_array = is_array || param.dir == Dir::OutAllocAlloc;
        let c_type = dereferenced(&param.c_type, pointers);
        // The records of GetAllStackTraces, whose number is an output as well.
        match c_type.strip_suffix('*').filter(|base| base.starts_with("jvmti") && !is_array) {
            Some(base) => {
                Sort { name: &param.name, c_type: base.to_owned(), is_array: true, is_stated: false }
            }
            None => Sort { name: &param.name, c_type, is_array, is_stated: false },
        }
    }

    /// What an event's or callback's parameter delivers.
    pub fn of_event_param(param: &'s EventParam) -> Self {
        Sort::of_field(&param.name, &param.c_type)
    }

    fn of_field(name: &'s str, c_type: &str) -> Self {
        let base = ctype::pointee(c_type);
        let is_text = c_type.ends_with("char*") && !c_type.contains("unsigned");
        let is_array = c_type.ends_with('*') && !is_text && base != "void";
        let c_type = if is_text {
            "char*".to_owned()
        } else if is_array {
            base.to_owned()
        } else {
            c_type.to_owned()
        };
        Sort { name, c_type, is_array, is_stated: false }
    }

    /// What lies at the end of a way into it; `None` if there is no such way.
    pub fn at(self, path: &'s [PathPart], spec: &'s Edition) -> Option<Self> {
        path.iter().try_fold(self, |sort, part| match part {
            PathPart::Index(_) => sort.is_array.then(|| sort.element()),
            PathPart::Field(name) => {
                let fields = &spec.structure(&sort.c_type)?.fields;
                let field = fields.iter().find(|field| field.name.as_deref() == Some(name))?;
                Some(Sort::of_field(name, &field.c_type))
            }
        })
    }

    /// A plain number, such as a count.
    pub fn number(name: &'s str) -> Self {
        Sort { name, c_type: "jlong".to_owned(), is_array: false, is_stated: false }
    }

    /// What an operation of JNI returns.
    pub fn of_jni_result() -> Self {
        Sort { name: "result", c_type: "jvalue".to_owned(), is_array: false, is_stated: false }
    }

    /// A text, such as what a scenario states; numbers are compared as numbers.
    pub fn text(name: &'s str) -> Self {
        Sort { name, c_type: "char*".to_owned(), is_array: false, is_stated: true }
    }

    fn element(&self) -> Self {
        // The characters of a string are numbers.
        Sort { is_array: false, is_stated: true, ..self.clone() }
    }

    fn is_text(&self) -> bool {
        self.c_type == "char*" && !self.is_array
    }

    /// Whether it is a string of the JVM, which is never equal to a number, unlike what a scenario states.
    fn is_string(&self) -> bool {
        self.is_text() && !self.is_stated
    }

    /// That a value is what this refers to.
    pub fn same(&self, reference: Reference) -> Matcher {
        match !self.is_array && constant::is_thread_state(self.name, &self.c_type) {
            true => Matcher::SameThreadState(reference),
            false => Matcher::Is(reference),
        }
    }

    /// Whether a fraction can be such a value.
    fn is_floating(&self) -> bool {
        !self.is_array && ctype::is_floating(&self.c_type)
    }

    fn is_number(&self) -> bool {
        !self.is_array
            && matches!(
                ctype::kind(&self.c_type),
                jvmti_spec::edition::ParamKind::Scalar | jvmti_spec::edition::ParamKind::Enum
            )
    }
}

/// Whether a location has to be some index in bytecode for this to hold; that of a native method is -1 in every format.
fn is_index(matcher: &Matcher) -> bool {
    match matcher {
        Matcher::Equals(Literal::Int(at)) => *at >= 0,
        Matcher::Range(least, most) => least.is_some_and(|at| at > 0) || most.is_some(),
        Matcher::Is(Reference::Fact(_)) => true,
        Matcher::Plus(_, distance) => *distance != 0,
        _ => false,
    }
}

fn dereferenced(c_type: &str, times: usize) -> String {
    let mut base = c_type.trim_start_matches("const ");
    for _ in 0..times {
        base = base.strip_suffix('*').unwrap_or(base);
    }
    base.to_owned()
}

impl Setting<'_, '_> {
    /// Reads a condition on a value of that sort.
    pub fn matcher(&self, node: &Node, sort: &Sort<'_>) -> Option<Matcher> {
        let matcher = self.plain_matcher(node, sort)?;
        if sort.c_type == "jlocation" && is_index(&matcher) {
            self.bytecode_indices.set(true);
        }
        Some(matcher)
    }

    fn plain_matcher(&self, node: &Node, sort: &Sort<'_>) -> Option<Matcher> {
        match &node.value {
            Value::Null => Some(Matcher::Equals(Literal::Null)),
            Value::Bool(value) => Some(Matcher::Equals(Literal::Int((*value).into()))),
            Value::Int(_) | Value::Float(_) if sort.is_string() => {
                let help = "write a text in quotes".to_owned();
                let message = format!(
                    "expected a condition on `{}`, which is a text, found {}",
                    sort.name,
                    node.kind()
                );
                self.cx.error_with_help(node.span, message, Some(help));
                None
            }
            Value::Int(value) => Some(Matcher::Equals(Literal::Int(*value))),
            Value::Float(value) => Some(Matcher::Equals(Literal::Float(*value))),
            Value::Str(text) => match self.text_matcher(&self.cx.substituted(text), node.span, sort)? {
                Matcher::Is(reference) => Some(sort.same(reference)),
                other => Some(other),
            },
            Value::List(items) => self.matchers(items, &sort.element()).map(Matcher::Elements),
            Value::Map(_) => self.map_matcher(node, sort),
        }
    }

    fn matchers(&self, nodes: &[Node], sort: &Sort<'_>) -> Option<Vec<Matcher>> {
        let read: Vec<Option<Matcher>> = nodes.iter().map(|node| self.matcher(node, sort)).collect();
        read.into_iter().collect()
    }

    fn text_matcher(&self, text: &str, span: Span, sort: &Sort<'_>) -> Option<Matcher> {
        if let Some((1, of, plus)) = linear(text) {
            let reference = self.reference(of.trim_start_matches('$'), span)?;
            return Some(Matcher::Plus(reference, plus));
        }
        if let Some(name) = text.strip_prefix('$') {
            return self.reference(name, span).map(Matcher::Is);
        }
        match text {
            "untouched" => return Some(Matcher::Untouched),
            "not_null" => return Some(Matcher::NotNull),
            "local_references" => return Some(Matcher::LocalReferences),
            "deallocated" => return Some(Matcher::Deallocated),
            "modified_utf8" => return Some(Matcher::ModifiedUtf8),
            "anything" => return Some(Matcher::All(Vec::new())),
            _ => {}
        }
        let form = text.split_once('(').and_then(|(word, rest)| Some((word, rest.strip_suffix(')')?)));
        match form {
            Some(("fact", key)) => return self.fact(key, span).map(Matcher::Is),
            Some(("class", name)) => return Some(Matcher::Is(Reference::Class(signature_of(name)))),
            Some(("method", path)) => {
                let Some((class, name, signature)) = split_method(path) else {
                    self.cx.error(span, "malformed; write it as `method(java/lang/Object.hashCode()I)`");
                    return None;
                };
                let signature = (!signature.is_empty()).then_some(signature);
                return Some(Matcher::Is(Reference::Method { class: signature_of(&class), name, signature }));
            }
            _ => {}
        }
        if sort.is_text() {
            return Some(Matcher::Equals(Literal::Str(text.to_owned())));
        }
        // Numbers and null come as texts from what a rule or case is expanded for.
        if text == "null" {
            return Some(Matcher::Equals(Literal::Null));
        }
        if let Some(number) = text.parse().ok().filter(|_| sort.is_number()) {
            return Some(Matcher::Equals(Literal::Int(number)));
        }
        if let Some(number) = text.parse().ok().filter(|_| sort.is_floating()) {
            return Some(Matcher::Equals(Literal::Float(number)));
        }
        if sort.is_number() {
            return constant::value(self.cx, text, sort.name, &sort.c_type, span)
                .map(|value| Matcher::Equals(Literal::Int(value)));
        }
        let help =
            "write `$name`, `null`, `not_null`, `untouched`, or a condition such as `{length: 2}`".to_owned();
        let message =
            format!("expected a condition on `{}` of type `{}`, found `{text}`", sort.name, sort.c_type);
        self.cx.error_with_help(span, message, Some(help));
        None
    }

    fn reference(&self, name: &str, span: Span) -> Option<Reference> {
        match self.meaning(name, span)? {
            Meaning::Bound(name) => Some(Reference::Named(name)),
            Meaning::Output { step, param, path } => Some(Reference::Output { step, param, path }),
            Meaning::CurrentThread => {
                let help = "compare with a thread that the scenario binds".to_owned();
                let message = "`$current_thread` is an argument only; it names no recorded object";
                self.cx.error_with_help(span, message, Some(help));
                None
            }
        }
    }

    /// Reads `expect_facts`: conditions by key of a fact.
    pub fn fact_expectations(&self, node: &Node) -> Option<Vec<(String, Matcher)>> {
        let entries = self.cx.entries(node, "conditions by key of a fact")?;
        let read = entries.into_iter().map(|(name, key, value)| {
            let name = self.cx.substituted(name);
            self.fact(&name, key.span)?;
            Some((name.to_string(), self.matcher(value, &Sort::text(&name))?))
        });
        read.collect()
    }

    fn fact(&self, key: &str, span: Span) -> Option<Reference> {
        let known = self.scenario.map(|scenario| scenario.facts.as_slice()).unwrap_or_default();
        if !known.iter().any(|fact| fact.name == key) {
            self.cx.unknown(span, "fact", key, known.iter().map(|fact| fact.name.as_str()));
            return None;
        }
        Some(Reference::Fact(key.to_owned()))
    }

    /// Reads conditions on the parameters of an event or callback.
    pub fn param_matchers(
        &self,
        node: &Node,
        of: &str,
        params: &[EventParam],
    ) -> Option<Vec<(u16, String, Matcher)>> {
        let entries = self.cx.entries(node, "conditions on parameters")?;
        let read = entries.into_iter().map(|(name, key, value)| {
            let Some(index) = super::setting::param_index(params, name) else {
                unknown_param(self.cx, key.span, of, name, params);
                return None;
            };
            let param = &params[usize::from(index)];
            let matcher = self.matcher(value, &Sort::of_event_param(param))?;
            Some((index, param.name.clone(), matcher))
        });
        read.collect()
    }
}

/// Notes that an event or callback has no such parameter.
pub fn unknown_param(cx: &Context<'_>, span: Span, of: &str, name: &str, params: &[EventParam]) {
    cx.unknown(span, &format!("parameter of {of}"), name, params.iter().map(|p| p.name.as_str()));
}

/// `Ljava/lang/String;` for `java/lang/String`; signatures and array names stay as they are.
fn signature_of(class: &str) -> String {
    if class.starts_with('[') || class.ends_with(';') { class.to_owned() } else { format!("L{class};") }
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Spec;

    use super::*;

    #[test]
    fn outputs_are_of_the_right_sort() {
        let edition = Spec::embedded().newest();
        let sort = |function: &str, param: &str| {
            let function = edition.function(function).expect(function);
            let param = function.params.iter().find(|p| p.name == param).expect(param);
            let sort = Sort::of_output(param);
            (sort.c_type, sort.is_array)
        };
        assert_eq!(sort("GetThreadState", "thread_state_ptr"), ("jint".into(), false));
        assert_eq!(sort("GetAllThreads", "threads_ptr"), ("jthread".into(), true));
        assert_eq!(sort("GetClassSignature", "signature_ptr"), ("char*".into(), false));
        assert_eq!(sort("GetSystemProperties", "property_ptr"), ("char*".into(), true));
        assert_eq!(sort("GetStackTrace", "frame_buffer"), ("jvmtiFrameInfo".into(), true));
        assert_eq!(sort("GetThreadInfo", "info_ptr"), ("jvmtiThreadInfo".into(), false));
        assert_eq!(sort("GetAllStackTraces", "stack_info_ptr"), ("jvmtiStackInfo".into(), true));
        assert_eq!(sort("GetBytecodes", "bytecodes_ptr"), ("unsigned char".into(), true));
    }
}
