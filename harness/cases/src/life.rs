//! How agents get into a JVM and how it ends, as case files write it, and what must become of that.

use super::context::Context;
use super::matcher::Sort;
use super::model::{Attachment, Ending, Happening, Life, LifeExpectation, Matcher};
use super::setting::Setting;
use super::yaml::{Node, Value};

const KEYS: [&str; 6] = ["options", "environment", "attach", "embedded", "ending", "returns"];
const EXPECTED_KEYS: [&str; 6] = ["in_order", "never", "counts", "exit", "stdout", "stderr"];

/// What can happen to an agent: calls of its functions, those of a statically linked one, events of the VM's life.
const HAPPENINGS: [&str; 10] = [
    "Agent_OnLoad",
    "Agent_OnAttach",
    "Agent_OnUnload",
    "Agent_OnLoad_probe",
    "Agent_OnAttach_probe",
    "Agent_OnUnload_probe",
    "Agent_OnLoad_quiet",
    "VMStart",
    "VMInit",
    "VMDeath",
];

/// Reads `life`.
pub fn life(cx: &Context<'_>, node: &Node) -> Option<Life> {
    let fields = cx.fields(node, "`life`", &KEYS)?;
    let texts = |node: Option<&Node>, what| {
        let texts = node.map(|node| cx.texts(node, what)).unwrap_or_default();
        texts.into_iter().map(|(text, _)| text).collect::<Vec<String>>()
    };
    let environment = match fields.get("environment") {
        Some(node) => variables(cx, node)?,
        None => Vec::new(),
    };
    let attach = fields.get("attach").map(|node| cx.list(node, "a list of agents")).unwrap_or_default();
    let returns = fields.get("returns").map(|node| cx.list(node, "a list of numbers")).unwrap_or_default();
    Some(Life {
        options: texts(fields.get("options"), "an option"),
        environment,
        attach: attach.iter().map(|node| attachment(cx, node)).collect::<Option<Vec<_>>>()?,
        embedded: fields.get("embedded").is_some_and(|node| cx.truth(node)),
        ending: match fields.get("ending") {
            Some(node) => ending(cx, node)?,
            None => Ending::Return,
        },
        returns: returns.iter().map(|node| cx.int(node, "a number")).collect::<Option<Vec<_>>>()?,
    })
}

fn variables(cx: &Context<'_>, node: &Node) -> Option<Vec<(String, String)>> {
    let entries = cx.entries(node, "environment variables")?;
    let read = entries
        .into_iter()
        .map(|(name, _, value)| Some((name.to_owned(), cx.text(value, "a variable's value")?.into_owned())));
    read.collect()
}

fn attachment(cx: &Context<'_>, node: &Node) -> Option<Attachment> {
    let fields = cx.fields(node, "an agent", &["library", "options", "early"])?;
    let text = |key, default: &str| match fields.get(key) {
        Some(node) => Some(cx.text(node, "a text")?.into_owned()),
        None => Some(default.to_owned()),
    };
    let early = fields.get("early").is_some_and(|node| cx.truth(node));
    Some(Attachment { library: text("library", "{probe}")?, options: text("options", "")?, early })
}

fn ending(cx: &Context<'_>, node: &Node) -> Option<Ending> {
    let text = cx.text(node, "how the program ends")?;
    let form = text.split_once('(').and_then(|(word, rest)| Some((word, rest.strip_suffix(')')?)));
    let code = form.and_then(|(word, code)| Some((word, code.parse::<u8>().ok()?)));
    Some(match (text.as_ref(), code) {
        ("return", _) => Ending::Return,
        ("uncaught", _) => Ending::Uncaught,
        ("sigterm", _) => Ending::Sigterm,
        (_, Some(("exit", code))) => Ending::Exit(code.into()),
        (_, Some(("halt", code))) => Ending::Halt(code.into()),
        _ => {
            let known = ["return", "exit(3)", "halt(3)", "uncaught", "sigterm"];
            cx.unknown(node.span, "ending", &text, known);
            return None;
        }
    })
}

impl Setting<'_, '_> {
    /// Reads `expect_life`.
    pub fn life_expectation(&self, node: &Node) -> Option<LifeExpectation> {
        let fields = self.cx.fields(node, "expect_life", &EXPECTED_KEYS)?;
        let list = |key| fields.get(key).map(|node| self.cx.list(node, "a list")).unwrap_or_default();
        let happenings =
            |key| list(key).iter().map(|node| self.happening(node)).collect::<Option<Vec<Happening>>>();
        let matcher = |key, sort: Sort<'_>| match fields.get(key) {
            Some(node) => self.matcher(node, &sort).map(Some),
            None => Some(None),
        };
        let expected = LifeExpectation {
            in_order: happenings("in_order")?,
            never: happenings("never")?,
            counts: list("counts").iter().map(|node| self.times(node)).collect::<Option<Vec<_>>>()?,
            exit: matcher("exit", Sort::number("exit"))?,
            stdout: matcher("stdout", Sort::text("stdout"))?,
            stderr: matcher("stderr", Sort::text("stderr"))?,
        };
        if expected == LifeExpectation::default() {
            self.cx.error(node.span, "`expect_life` is empty");
        }
        Some(expected)
    }

    fn times(&self, node: &Node) -> Option<(Happening, Matcher)> {
        let fields = self.cx.fields(node, "a count", &["of", "is"])?;
        let of = self.happening(fields.require(self.cx, "of", "a count")?);
        let is = self.matcher(fields.require(self.cx, "is", "a count")?, &Sort::number("count"));
        Some((of?, is?))
    }

    fn happening(&self, node: &Node) -> Option<Happening> {
        let (name, span, conditions) = match &node.value {
            Value::Str(name) => (name.as_str(), node.span, None),
            Value::Map(entries) if entries.len() == 1 => {
                let (key, value) = &entries[0];
                (key.as_str()?, key.span, Some(value))
            }
            _ => {
                self.cx.expected(node, "a function of the agent such as `Agent_OnLoad`, or `VMDeath`");
                return None;
            }
        };
        let known = |span, name: &str| {
            let known = HAPPENINGS.contains(&name);
            if !known {
                self.cx.unknown(span, "function of the agent", name, HAPPENINGS);
            }
            known
        };
        if !known(span, name) {
            return None;
        }
        let mut happening = Happening { what: name.to_owned(), options: None, image: None, before: None };
        if let Some(conditions) = conditions {
            let fields = self.cx.fields(conditions, "conditions", &["options", "image", "before"])?;
            for (key, slot) in [("options", &mut happening.options), ("image", &mut happening.image)] {
                if let Some(node) = fields.get(key) {
                    *slot = Some(self.matcher(node, &Sort::text(key))?);
                }
            }
            if let Some(node) = fields.get("before") {
                let before = self.cx.text(node, "what comes later")?.into_owned();
                happening.before = known(node.span, &before).then_some(before);
            }
        }
        Some(happening)
    }
}
