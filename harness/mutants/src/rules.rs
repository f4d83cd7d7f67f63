//! Which statements of the specification a mutant breaks.

use jvmti_spec::{Assertion, Strength};

/// Which statements of the specification a mutant breaks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Statements by id; with `*` at the end those that begin so.
    pub ids: Vec<String>,
    /// What the text says of the results and effects of this function or event: in prose that is about it or names it, and
    /// of outputs and parameters.
    pub of: Option<String>,
}

impl Rules {
    /// These statements.
    pub fn ids(ids: impl IntoIterator<Item = impl Into<String>>) -> Rules {
        Rules { ids: ids.into_iter().map(Into::into).collect(), of: None }
    }

    /// What the text says of the results and effects of this function or event.
    pub fn of(name: &str) -> Rules {
        Rules { ids: Vec::new(), of: Some(name.to_owned()) }
    }

    /// These, and that one.
    pub fn and(mut self, id: &str) -> Rules {
        self.ids.push(id.to_owned());
        self
    }

    /// Whether this statement is among them.
    pub fn contain(&self, assertion: &Assertion) -> bool {
        let named = self.ids.iter().any(|id| match id.strip_suffix('*') {
            Some(start) => assertion.id.starts_with(start),
            None => assertion.id == *id,
        });
        named || self.of.as_ref().is_some_and(|name| is_of_results(assertion, name))
    }

    /// Which of these statements they are.
    pub fn among<'a>(&self, assertions: &'a [Assertion]) -> Vec<&'a str> {
        let testable = |a: &&Assertion| a.untestable.is_none() && a.strength != Strength::May;
        assertions.iter().filter(testable).filter(|a| self.contain(a)).map(|a| a.id.as_str()).collect()
    }
}

fn is_of_results(assertion: &Assertion, name: &str) -> bool {
    let table = assertion.id.split_once('#').map(|(_, row)| row.split('/').next().unwrap_or(row));
    let about = assertion.subject.as_deref() == Some(name) || assertion.anchor == name;
    match table {
        None => about || names(&assertion.text, name),
        Some("output" | "local-refs" | "null-output" | "params" | "enable") => about,
        Some(_) => false,
    }
}

/// Whether a text has that name in it.
fn names(text: &str, name: &str) -> bool {
    text.contains(name) && text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}
