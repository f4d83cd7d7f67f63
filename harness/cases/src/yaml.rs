//! YAML as a tree in which every node knows its place.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

use super::source::Span;

/// Deeper than any case file needs; beyond it a file is refused, so that no reader runs out of stack.
const DEEPEST: usize = 48;

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it is written.
    pub span: Span,
    /// What is written there.
    pub value: Value,
}

/// What a node holds, by the core schema of YAML 1.2.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`, `~` or nothing.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// Integer that fits 64 bits.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// Text.
    Str(String),
    /// Sequence.
    List(Vec<Node>),
    /// Mapping, in the order written.
    Map(Vec<(Node, Node)>),
}

/// Why a text isn't YAML that a case file may consist of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
}

impl Node {
    /// What sort of value it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Int(_) => "an integer",
            Value::Float(_) => "a number",
            Value::Str(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// The text, if it is text.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The value under a key, if it is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|(k, _)| k.as_str() == Some(key)).map(|(_, v)| v),
            _ => None,
        }
    }
}

/// Reads the one document of a file.
pub fn parse(text: &str, file: u16) -> Result<Node, YamlError> {
    let mut reader = Reader { parser: Parser::new_from_str(text), places: Places::of(text, file) };
    reader.document()
}

struct Reader<'t> {
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    places: Places,
}

type Read<T> = Result<T, YamlError>;

impl<'t> Reader<'t> {
    fn next(&mut self) -> Read<(Event<'t>, Span)> {
        match self.parser.next_event() {
            Some(Ok((event, at))) => Ok((event, self.places.span(at.start, at.end))),
            Some(Err(error)) => {
                let at = self.places.span(*error.marker(), *error.marker());
                Err(YamlError { span: at, message: format!("not YAML: {}", error.info()) })
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn document(&mut self) -> Read<Node> {
        loop {
            let (event, at) = self.next()?;
            match event {
                Event::StreamEnd => {
                    return Err(YamlError { span: at, message: "the file is empty".to_owned() });
                }
                Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => {}
                other => {
                    let root = self.node(other, at, 0)?;
                    return self.end().map(|()| root);
                }
            }
        }
    }

    fn end(&mut self) -> Read<()> {
        loop {
            let (event, at) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(()),
                Event::DocumentEnd | Event::Nothing => {}
                _ => return Err(YamlError { span: at, message: "a second document in the file".to_owned() }),
            }
        }
    }

    /// A key that is a scalar is a name, even if it reads like something else (`null`, `on`, `1`).
    fn key(&mut self, event: Event<'t>, at: Span, depth: usize) -> Read<Node> {
        match event {
            Event::Scalar(text, _, 0, None) => Ok(Node { span: at, value: Value::Str(text.into_owned()) }),
            other => self.node(other, at, depth),
        }
    }

    fn node(&mut self, event: Event<'t>, at: Span, depth: usize) -> Read<Node> {
        let fail = |message: &str| Err(YamlError { span: at, message: message.to_owned() });
        if depth > DEEPEST {
            return fail("nested too deeply");
        }
        let (anchor, tag) = match &event {
            Event::Alias(_) => return fail("aliases are not allowed in case files; write the value out"),
            Event::Scalar(_, _, anchor, tag) => (*anchor, tag.is_some()),
            Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => (*anchor, tag.is_some()),
            _ => return fail("unexpected end"),
        };
        if anchor != 0 || tag {
            return fail("anchors and tags are not allowed in case files");
        }
        match event {
            Event::Scalar(text, style, ..) => scalar(&text, style, at),
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, end) => {
                            return Ok(Node {
                                span: upto(at, end, &items.last()),
                                value: Value::List(items),
                            });
                        }
                        (event, at) => items.push(self.node(event, at, depth + 1)?),
                    }
                }
            }
            _ => {
                let mut entries = Vec::new();
                loop {
                    match self.next()? {
                        (Event::MappingEnd, end) => {
                            let span = upto(at, end, &entries.last().map(|(_, value): &(Node, Node)| value));
                            return Ok(Node { span, value: Value::Map(entries) });
                        }
                        (event, at) => {
                            let key = self.key(event, at, depth + 1)?;
                            let (event, at) = self.next()?;
                            entries.push((key, self.node(event, at, depth + 1)?));
                        }
                    }
                }
            }
        }
    }
}

/// From the start of a collection to its closing bracket or, in block style, to the end of its last child: the parser
/// puts the end of a block where the next token stands.
fn upto(start: Span, end: Span, last: &Option<&Node>) -> Span {
    let end = if end.end > end.start { end.end } else { last.map_or(start.end, |node| node.span.end) };
    Span { end: end.max(start.start), ..start }
}

fn scalar(text: &str, style: ScalarStyle, at: Span) -> Read<Node> {
    let value = match (style, text) {
        (ScalarStyle::Plain, "" | "~" | "null") => Value::Null,
        (ScalarStyle::Plain, "true") => Value::Bool(true),
        (ScalarStyle::Plain, "false") => Value::Bool(false),
        (ScalarStyle::Plain, _) if looks_numeric(text) => match number(text) {
            Some(value) => value,
            None => return Err(YamlError { span: at, message: format!("`{text}` does not fit 64 bits") }),
        },
        _ => Value::Str(text.to_owned()),
    };
    Ok(Node { span: at, value })
}

fn digits(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

fn looks_numeric(text: &str) -> bool {
    let digits = digits(text);
    if let Some(hex) = digits.strip_prefix("0x") {
        return !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit());
    }
    matches!(digits, ".inf" | ".nan")
        || digits.starts_with(|c: char| c.is_ascii_digit()) && digits.parse::<f64>().is_ok()
}

fn number(text: &str) -> Option<Value> {
    let digits = digits(text);
    let negative = text.starts_with('-');
    if let Some(hex) = digits.strip_prefix("0x") {
        let value = i128::from(u64::from_str_radix(hex, 16).ok()?);
        return i64::try_from(if negative { -value } else { value }).ok().map(Value::Int);
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().ok().map(Value::Int);
    }
    let value = match digits {
        ".inf" => f64::INFINITY,
        ".nan" => f64::NAN,
        _ => digits.parse().ok()?,
    };
    Some(Value::Float(if negative { -value } else { value }))
}

/// From the parser's character positions to bytes.
struct Places {
    file: u16,
    /// Byte of each character, only if some character has more than one.
    bytes: Option<Vec<u32>>,
    length: u32,
}

impl Places {
    fn of(text: &str, file: u16) -> Self {
        let offset = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        let bytes = (!text.is_ascii()).then(|| text.char_indices().map(|(byte, _)| offset(byte)).collect());
        Places { file, bytes, length: offset(text.len()) }
    }

    fn byte(&self, marker: Marker) -> u32 {
        let index = marker.index();
        match &self.bytes {
            Some(bytes) => bytes.get(index).copied().unwrap_or(self.length),
            None => u32::try_from(index).unwrap_or(u32::MAX).min(self.length),
        }
    }

    fn span(&self, start: Marker, end: Marker) -> Span {
        let start = self.byte(start);
        Span { file: self.file, start, end: self.byte(end).max(start) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text_of<'a>(source: &'a str, node: &Node) -> &'a str {
        &source[node.span.start as usize..node.span.end as usize]
    }

    #[test]
    fn nodes_know_their_places() {
        let source = "ä: [1, 'b']\nc:\n  - d: 0x10\n  - -1.5\ne: next\n";
        let root = parse(source, 0).expect("parses");
        assert_eq!(text_of(source, root.get("ä").expect("ä")), "[1, 'b']");
        let c = root.get("c").expect("c");
        let Value::List(items) = &c.value else { panic!("list") };
        assert_eq!(text_of(source, &items[0]), "d: 0x10");
        assert_eq!(items[0].get("d").expect("d").value, Value::Int(16));
        assert_eq!(items[1].value, Value::Float(-1.5));
        assert!(text_of(source, c).ends_with("-1.5"));
    }

    #[test]
    fn scalars_follow_the_core_schema() {
        let value = |text: &str| parse(text, 0).map(|node| node.value).map_err(|e| e.message);
        assert_eq!(value("on"), Ok(Value::Str("on".into())));
        assert_eq!(value("~"), Ok(Value::Null));
        assert_eq!(value("'1'"), Ok(Value::Str("1".into())));
        assert_eq!(value("-9223372036854775808"), Ok(Value::Int(i64::MIN)));
        assert_eq!(value("-0x1"), Ok(Value::Int(-1)));
        assert_eq!(value("1e3"), Ok(Value::Float(1000.0)));
        assert_eq!(value("9223372036854775808"), Err("`9223372036854775808` does not fit 64 bits".into()));
        assert_eq!(value("1_000"), Ok(Value::Str("1_000".into())));
    }

    #[test]
    fn what_has_no_place_in_a_case_file_is_refused() {
        let message = |text: &str| parse(text, 0).expect_err("refused").message;
        assert_eq!(message(""), "the file is empty");
        assert_eq!(message("a: &x 1\nb: *x"), "anchors and tags are not allowed in case files");
        assert_eq!(message("--- 1\n--- 2"), "a second document in the file");
        assert_eq!(message(&"[".repeat(200)), "nested too deeply");
        assert!(message("a: [").starts_with("not YAML: "));
    }

    proptest! {
        #[test]
        fn no_text_upsets_the_parser(text in "(\\PC|[\n\t\r :\\-\\[\\]{}&*!'\"|>%#,?@`]){0,200}") {
            if let Err(error) = parse(&text, 0) {
                prop_assert!(error.span.end as usize <= text.len());
            }
        }
    }
}
