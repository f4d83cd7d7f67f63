//! Reads agent cases, and tells what is wrong in one, where, and what was probably meant.

use std::sync::Arc;

use crate::verdict::line_pattern;
use jvmti_cases::diagnostic::did_you_mean;
use jvmti_cases::source::{SourceFile, Span as Place};
use jvmti_cases::yaml::{self, Node, Value};
use jvmti_cases::{Diagnostic, Diagnostics};
use jvmti_spec::Edition;

use crate::case::{AgentCase, Bounds};
use crate::misuse::Severity;

/// Reads a case and checks all names in it.
pub fn read(file: SourceFile, newest: &Edition) -> Result<AgentCase, Diagnostics> {
    let file = Arc::new(file);
    let mut reading = CaseReader { file: &file, newest, faults: Vec::new() };
    let case = reading.case();
    match case {
        Some(case) if reading.faults.is_empty() => Ok(case),
        _ => Err(Diagnostics(reading.faults)),
    }
}

struct CaseReader<'a> {
    file: &'a Arc<SourceFile>,
    newest: &'a Edition,
    faults: Vec<Diagnostic>,
}

impl CaseReader<'_> {
    fn fault(&mut self, span: Place, message: String, help: Option<String>) {
        self.faults.push(Diagnostic { file: Arc::clone(self.file), span, message, help, is_error: true });
    }

    fn case(&mut self) -> Option<AgentCase> {
        let root = match yaml::parse(&self.file.text, 0) {
            Ok(root) => root,
            Err(error) => {
                self.fault(error.span, error.message, None);
                return None;
            }
        };
        match serde_yaml::from_str(&self.file.text) {
            Ok(case) => {
                self.names(&root);
                Some(case)
            }
            Err(error) => {
                self.form(&error);
                None
            }
        }
    }

    /// A field that there is not, or a value of another kind.
    fn form(&mut self, error: &serde_yaml::Error) {
        let start = error.location().map_or(0, |at| at.index()).min(self.file.text.len());
        let length = self.file.text[start..].find([':', ',', '}', '\n']).unwrap_or(0);
        let (start, end) = (start as u32, (start + length) as u32);
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        // Serde names the unknown field first, and then those that there are.
        let mut named = message.split('`').skip(1).step_by(2);
        let help = named.next().filter(|_| message.contains("unknown field"));
        let help = help.and_then(|field| did_you_mean(field, named));
        self.fault(Place { file: 0, start, end }, message.to_owned(), help);
    }

    fn names(&mut self, root: &Node) {
        let (newest, expect) = (self.newest, root.get("expect"));
        let of = |key: &str| expect.and_then(|expect| expect.get(key));
        let functions: Vec<&str> = newest.functions.iter().map(|f| f.name.as_str()).collect();
        let events: Vec<&str> = newest.events.iter().map(|e| e.name.as_str()).collect();
        let errors: Vec<&str> = newest.errors.iter().map(|e| e.name.as_str()).collect();
        for (happenings, what, known) in [("calls", "function", &functions), ("events", "event", &events)] {
            let Some(happenings) = of(happenings) else { continue };
            for key in ["in_order", "never"] {
                elements(happenings.get(key)).for_each(|name| self.known(name, what, known));
            }
            for (name, count) in entries(happenings.get("count")) {
                self.known(name, what, known);
                self.parsed(count, |text| Bounds::parse(text).is_some(), "a count: 3, 1.., ..10, 2..5");
            }
        }
        for (function, returned) in entries(of("errors")) {
            self.known(function, "function", &functions);
            elements(Some(returned)).for_each(|error| self.known(error, "error", &errors));
        }
        for pattern in elements(of("stdout")).chain(elements(of("stderr"))) {
            if let Some(Err(error)) = text(pattern).map(|pattern| line_pattern(&pattern)) {
                self.fault(pattern.span, error.to_string(), None);
            }
        }
        if let Some(releases) = root.get("releases") {
            self.parsed(releases, |text| Bounds::parse(text).is_some(), "releases: 11.., 8..17, 21");
        }
        if let Some(severity) = of("misuse") {
            let wanted = text(severity).unwrap_or_default();
            if let Err(error) = wanted.parse::<Severity>() {
                self.fault(severity.span, format!("misuse: {error}"), None);
            }
        }
    }

    fn known(&mut self, name: &Node, what: &str, known: &[&str]) {
        let text = text(name).unwrap_or_default();
        if !known.contains(&text.as_str()) {
            self.fault(
                name.span,
                format!("there is no {what} {text}"),
                did_you_mean(&text, known.iter().copied()),
            );
        }
    }

    fn parsed(&mut self, value: &Node, is_right: impl Fn(&str) -> bool, what: &str) {
        let text = text(value).unwrap_or_default();
        if !is_right(&text) {
            self.fault(value.span, format!("expected {what}, found {text:?}"), None);
        }
    }
}

/// The text of a scalar that stands for text.
fn text(node: &Node) -> Option<String> {
    match &node.value {
        Value::Str(text) => Some(text.clone()),
        Value::Int(number) => Some(number.to_string()),
        _ => None,
    }
}

fn elements(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    let elements = match node.map(|node| &node.value) {
        Some(Value::List(elements)) => elements.as_slice(),
        _ => &[],
    };
    elements.iter()
}

fn entries(node: Option<&Node>) -> impl Iterator<Item = (&Node, &Node)> {
    let entries = match node.map(|node| &node.value) {
        Some(Value::Map(entries)) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().map(|(key, value)| (key, value))
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Spec;

    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let file = SourceFile { name: "case.yaml".to_owned(), text: text.to_owned() };
        let Err(Diagnostics(faults)) = read(file, &Spec::embedded().newest()) else { return Vec::new() };
        let told = |fault: &Diagnostic| match &fault.help {
            Some(help) => format!("{fault}; {help}"),
            None => fault.to_string(),
        };
        faults.iter().map(told).collect()
    }

    #[test]
    fn small_files_stay_small() {
        let long = "x".repeat(10_000);
        let aliases = "*a, ".repeat(1000);
        assert!(!faults(&format!("about: &a {long}\nagents: [{aliases}]\n")).is_empty());
        assert!(!faults(&"- ".repeat(100)).is_empty());
        assert!(!faults(&"[".repeat(100_000)).is_empty());
    }

    #[test]
    fn each_fault_is_told_with_its_place_and_what_was_meant() {
        let case = "agents: [./liba.so]\nprogram: [Main]\n";
        for (more, told) in [
            (
                "expect: { calls: { never: [GetThreadStat] } }",
                "3:28: there is no function GetThreadStat; did you mean `GetThreadState`?",
            ),
            (
                "expect: { events: { in_order: [VMDead] } }",
                "3:32: there is no event VMDead; did you mean `VMDeath`?",
            ),
            (
                "expect: { errors: { GetTag: [INVALID_OBJEKT] } }",
                "3:30: there is no error INVALID_OBJEKT; did you mean `INVALID_OBJECT`?",
            ),
            (
                "expect: { events: { count: { VMInit: often } } }",
                "3:38: expected a count: 3, 1.., ..10, 2..5, found \"often\"",
            ),
            ("releases: new", "3:11: expected releases: 11.., 8..17, 21, found \"new\""),
            ("expect: { misuse: bad }", "3:19: misuse: "),
            ("expekt: {}", "3:1: unknown field `expekt`"),
            ("timeout: soon", "3:10: timeout: invalid type: string \"soon\", expected u64"),
        ] {
            let said = faults(&format!("{case}{more}\n"));
            assert!(
                said.len() == 1 && said[0].starts_with(&format!("case.yaml:{told}")),
                "{more}: {said:#?}"
            );
        }
        assert!(faults(&format!("{case}expekt: {{}}\n"))[0].ends_with("did you mean `expect`?"));
        assert!(faults(&format!("{case}expect: {{ stdout: ['('] }}\n"))[0].contains("unclosed group"));
        let two = format!("{case}expect: {{ calls: {{ never: [A, B] }} }}\n");
        assert_eq!(faults(&two).len(), 2, "all are told");
    }

    #[test]
    fn a_right_case_is_read() {
        let case = "agents: [./liba.so]\nprogram: [Main]\nreleases: 21\nexpect: { calls: { count: { GetTag: 3 } } }\n";
        assert_eq!(faults(&case.replace("21", "'21'").replace('3', "'3'")), Vec::<String>::new());
    }
}
