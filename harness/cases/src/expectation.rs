//! What a call must achieve, as case files write it.

use jvmti_spec::edition::Function;

use super::constant;
use super::context::Fields;
use super::matcher::Sort;
use super::model::{CallbackExpectation, Condition, ErrorExpectation, Expect, OutputExpectation, Reference};
use super::setting::{Meaning, Saved, Setting, output_index};
use super::source::Span;
use super::trigger::{TypedTrigger, phase};
use super::yaml::{Node, Value};

impl Expect {
    /// Error NONE, nothing else asked.
    pub fn success() -> Self {
        Expect { error: Some(ErrorExpectation::OneOf(vec!["NONE".to_owned()])), ..Expect::default() }
    }

    /// Whether the call has to succeed.
    pub fn needs_success(&self) -> bool {
        matches!(&self.error, Some(ErrorExpectation::OneOf(codes)) if codes.iter().all(|code| code == "NONE"))
    }
}

impl Setting<'_, '_> {
    /// Reads `expect` of a call. What names outputs but no error expects error NONE.
    pub fn expectation(&self, node: &Node, function: &Function) -> Option<Expect> {
        if node.as_str() == Some("any") {
            return Some(Expect::default());
        }
        let entries =
            self.cx.entries(node, "`any`, or what is expected of the error code and the outputs")?;
        let mut expect = Expect::success();
        let mut complete = true;
        for (name, key, value) in entries {
            match name {
                "error" => {
                    expect.error = self.error_expectation(value, function);
                    complete &= expect.error.is_some() || value.as_str() == Some("any");
                }
                "when" => {
                    expect.when = self.condition(value);
                    complete &= expect.when.is_some();
                }
                "same_as" => match self.same_as(value, function) {
                    Some(outputs) => expect.outputs.extend(outputs),
                    None => complete = false,
                },
                "callbacks" => {
                    let all = self.cx.list(value, "a list").iter().map(|n| self.callback_expectation(n));
                    expect.callbacks = all.flatten().collect();
                }
                _ => match self.output(name, key, value, function) {
                    Some(output) => expect.outputs.push(output),
                    None => complete = false,
                },
            }
        }
        complete.then_some(expect)
    }

    /// Reads `expect` of a JNI operation, which is about its result.
    pub fn jni_expectation(&self, node: &Node) -> Option<Expect> {
        let fields = self.cx.fields(node, "an expectation of a JNI operation", &["result", "when"])?;
        let value = fields.require(self.cx, "result", "an expectation of a JNI operation")?;
        let matcher = self.matcher(value, &Sort::of_jni_result())?;
        let outputs = vec![OutputExpectation { param: 0, name: "result".to_owned(), matcher }];
        let when = match fields.get("when") {
            Some(node) => Some(self.condition(node)?),
            None => None,
        };
        Some(Expect { outputs, when, ..Expect::default() })
    }

    /// Reads `{$step.output: condition}`, or `it_comes`.
    fn condition(&self, node: &Node) -> Option<Condition> {
        match node.as_str() {
            Some("it_comes") => return Some(Condition::Comes),
            Some(other) => {
                self.cx.error_with_help(
                    node.span,
                    format!("unknown condition `{other}`"),
                    Some("known: `it_comes`, and an output of an earlier step with what it is".to_owned()),
                );
                return None;
            }
            None => {}
        }
        let entries = self.cx.entries(node, "an output of an earlier step and what it is")?;
        let [(name, key, value)] = entries.as_slice() else {
            self.cx.error(node.span, "`when` takes one output of an earlier step");
            return None;
        };
        let name = self.cx.substituted(name).into_owned();
        let Some(Meaning::Output { step, param, path }) =
            self.meaning(name.trim_start_matches('$'), key.span)
        else {
            self.cx.expected(key, "an output of an earlier step");
            return None;
        };
        let saved = self.saved.iter().find(|saved| saved.unique == step);
        let output = saved.and_then(|saved| saved.function?.params.get(usize::from(param)));
        let sort = output.and_then(|output| Sort::of_output(output).at(&path, self.cx.edition));
        let is = self.matcher(value, &sort.unwrap_or_else(|| Sort::number(&name)))?;
        Some(Condition::Output { of: Reference::Output { step, param, path }, name, is: Box::new(is) })
    }

    /// Every output as that of an earlier call of the same function.
    fn same_as(&self, node: &Node, function: &Function) -> Option<Vec<OutputExpectation>> {
        let name = self.cx.text(node, "the name of a step")?;
        let is_meant = |saved: &&Saved<'_>| {
            saved.name == name && saved.function.is_some_and(|f| f.name == function.name)
        };
        let Some(step) = self.saved.iter().find(is_meant) else {
            let known = self.saved.iter().map(|saved| saved.name.as_str());
            self.cx.unknown(node.span, &format!("earlier call of {}", function.name), &name, known);
            return None;
        };
        let outputs = (0u16..).zip(&function.params).filter(|(_, param)| param.dir.is_output());
        let same = outputs.map(|(index, param)| OutputExpectation {
            param: index,
            name: param.name.clone(),
            matcher: Sort::of_output(param).same(Reference::Output {
                step: step.unique.clone(),
                param: index,
                path: Vec::new(),
            }),
        });
        Some(same.collect())
    }

    fn output(&self, name: &str, key: &Node, value: &Node, function: &Function) -> Option<OutputExpectation> {
        let name = match name {
            "$param" => self.cx.bound("param").unwrap_or(name),
            other => other,
        };
        let Some(index) = output_index(function, name) else {
            let outputs = function.params.iter().filter(|p| p.dir.is_output()).map(|p| p.name.as_str());
            let known = outputs.chain(["error", "callbacks", "when"]);
            self.cx.unknown(key.span, &format!("output of {}", function.name), name, known);
            return None;
        };
        let param = &function.params[usize::from(index)];
        let matcher = self.matcher(value, &Sort::of_output(param))?;
        Some(OutputExpectation { param: index, name: param.name.clone(), matcher })
    }

    fn error_expectation(&self, node: &Node, function: &Function) -> Option<ErrorExpectation> {
        if let Value::Map(_) = node.value {
            let fields = self.cx.fields(node, "an error expectation", &["not"])?;
            let codes = self.codes(fields.require(self.cx, "not", "an error expectation")?, None)?;
            return Some(ErrorExpectation::NoneOf(codes));
        }
        if let Some(text) = node.as_str() {
            let text = self.cx.substituted(text);
            if text == "any" {
                return None;
            }
            if let Some(codes) = text.strip_prefix("not(").and_then(|rest| rest.strip_suffix(')')) {
                let codes = codes.split(',').map(|code| self.code(code.trim(), node.span, None));
                return codes.collect::<Option<Vec<_>>>().map(ErrorExpectation::NoneOf);
            }
        }
        self.codes(node, Some(function)).map(ErrorExpectation::OneOf)
    }

    fn codes(&self, node: &Node, of: Option<&Function>) -> Option<Vec<String>> {
        let codes = self.cx.texts(node, "the name of an error code");
        let each = codes.iter().flat_map(|(names, span)| names.split('|').map(|name| (name.trim(), *span)));
        each.map(|(name, span)| self.code(name, span, of)).collect()
    }

    /// Short name of a code; checks that the function may return it.
    fn code(&self, name: &str, span: Span, of: Option<&Function>) -> Option<String> {
        let name = name.strip_prefix("JVMTI_ERROR_").unwrap_or(name);
        constant::error(self.cx, name, span)?;
        if let Some(function) = of {
            let universal = self.cx.edition.universal_errors().any(|e| e.name == name);
            if name != "NONE" && !universal && !function.errors.iter().any(|row| row.error == name) {
                let mut own: Vec<&str> = function.errors.iter().map(|row| row.error.as_str()).collect();
                own.dedup();
                let help = format!("its error table lists {}", own.join(", "));
                self.cx.error_with_help(span, format!("{} never returns {name}", function.name), Some(help));
            }
        }
        Some(name.to_owned())
    }

    fn callback_expectation(&self, node: &Node) -> Option<CallbackExpectation> {
        let fields = self.cx.fields(node, "a callback expectation", &["callback", "with", "count"])?;
        let name_node = fields.require(self.cx, "callback", "a callback expectation")?;
        let name = self.cx.text(name_node, "a callback type")?;
        let Some(callback) = self.cx.edition.callbacks.iter().find(|c| c.name == name) else {
            let known = self.cx.edition.callbacks.iter().map(|c| c.name.as_str());
            self.cx.unknown(name_node.span, "callback type", &name, known);
            return None;
        };
        let params = match fields.get("with") {
            Some(with) => self.param_matchers(with, &callback.name, &callback.params)?,
            None => Vec::new(),
        };
        let count = self
            .matcher(fields.require(self.cx, "count", "a callback expectation")?, &Sort::number("count"))?;
        Some(CallbackExpectation { callback: callback.name.clone(), params, count })
    }

    /// Notes expectations that can't come true: a success without the capability or in the wrong phase.
    pub fn check_call(
        &self,
        fields: &Fields<'_>,
        function: Option<&Function>,
        moment: &TypedTrigger<'_>,
        environment: u8,
        expect: Option<&Expect>,
    ) {
        let (Some(function), Some(expect)) = (function, expect) else { return };
        let (Some(call), true) = (fields.get("call"), expect.needs_success()) else { return };
        if let Some(phase) =
            phase(&moment.trigger, self.cx.edition).filter(|phase| !function.phases.contains(phase))
        {
            let phase = format!("{phase:?}").to_lowercase();
            let message =
                format!("{} can't succeed here: it may not be called in the {phase} phase", function.name);
            self.cx.error_with_help(
                call.span,
                message,
                Some("expect WRONG_PHASE, or make the call later".to_owned()),
            );
        }
        let environment = &self.environments[usize::from(environment).min(self.environments.len() - 1)];
        let lacking = function.capabilities.required.iter().find(|c| !environment.capabilities.contains(c));
        if let Some(capability) = lacking.filter(|_| !self.adds_capabilities) {
            let message = format!("{} can't succeed here: it needs {capability}", function.name);
            let help = format!("add `{capability}` to `capabilities`, or expect MUST_POSSESS_CAPABILITY");
            self.cx.error_with_help(call.span, message, Some(help));
        }
    }
}
