//! `results.json`: reading and writing.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;
use thiserror::Error;

use crate::output::{self, OutputError};
use crate::results::{Results, SCHEMA};

/// One step per older format: the element at index `n` turns a document of schema `n + 1` into one of `n + 2`.
const UPGRADES: [fn(&mut Value); SCHEMA as usize - 1] = [];

/// Results that could not be read. Lines and columns count from 1.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The file could not be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It ends in the middle: the writer was interrupted, or the copy is incomplete.
    #[error(
        "{origin}: ends too early, at line {line}, column {column}: half-written? Run again to write it anew"
    )]
    Truncated {
        /// File, or `results`.
        origin: String,
        /// Line of the end.
        line: usize,
        /// Column of the end.
        column: usize,
    },
    /// It is not JSON.
    #[error("{origin}:{line}:{column}: not JSON: {message}")]
    NotJson {
        /// File, or `results`.
        origin: String,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// It is JSON, but something is missing or of a wrong type.
    #[error("{origin}{}: not results of jvmti-check: {}{message}", place(*line, *column), at(field))]
    WrongShape {
        /// File, or `results`.
        origin: String,
        /// Line, 0 where unknown.
        line: usize,
        /// Column, 0 where unknown.
        column: usize,
        /// Path inside the document (`runs[0].verdicts[3].status`), empty for the document itself.
        field: String,
        /// What is wrong there.
        message: String,
    },
    /// It was written by a later jvmti-check.
    #[error(
        "{origin}: results of schema {found}, this jvmti-check reads up to {SCHEMA}: use the one that wrote them"
    )]
    Newer {
        /// File, or `results`.
        origin: String,
        /// The document's schema.
        found: u64,
    },
}

fn place(line: usize, column: usize) -> String {
    if line == 0 { String::new() } else { format!(":{line}:{column}") }
}

fn at(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!("{field}: ") }
}

/// Reads results out of a file.
pub fn read(path: &Path) -> Result<Results, ResultsError> {
    let bytes =
        fs::read(path).map_err(|source| ResultsError::Unreadable { path: path.to_owned(), source })?;
    parse(&bytes, &path.display().to_string())
}

/// Reads results out of bytes; `origin` is what errors call them.
pub fn parse(bytes: &[u8], origin: &str) -> Result<Results, ResultsError> {
    #[derive(Deserialize)]
    #[serde(expecting = "an object that says its `schema`")]
    struct Header {
        schema: u64,
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Header { schema } = typed(bytes, origin)?;
    match schema {
        newer if newer > u64::from(SCHEMA) => {
            Err(ResultsError::Newer { origin: origin.into(), found: newer })
        }
        0 => Err(wrong_shape(origin, (0, 0), "schema", "is 0; the first is 1")),
        current if current == u64::from(SCHEMA) => typed(bytes, origin),
        older => {
            let document = upgraded(typed(bytes, origin)?, older, &UPGRADES);
            serde_path_to_error::deserialize(document)
                .map_err(|e| wrong_shape(origin, (0, 0), &e.path().to_string(), e.inner().to_string()))
        }
    }
}

/// The document brought up from that schema, step by step.
fn upgraded(mut document: Value, from: u64, steps: &[fn(&mut Value)]) -> Value {
    let done = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX);
    for step in steps.iter().skip(done) {
        step(&mut document);
    }
    if let Some(schema) = document.get_mut("schema") {
        *schema = SCHEMA.into();
    }
    document
}

fn typed<'a, T: Deserialize<'a>>(bytes: &'a [u8], origin: &str) -> Result<T, ResultsError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json)
        .map_err(|e| error(origin, &e.path().to_string(), e.inner()))?;
    json.end().map_err(|e| error(origin, "", &e))?;
    Ok(value)
}

fn error(origin: &str, field: &str, e: &serde_json::Error) -> ResultsError {
    let (origin, line, column) = (origin.to_owned(), e.line(), e.column());
    // serde_json appends the position, which our messages lead with.
    let message = e.to_string().split(" at line ").next().unwrap_or_default().to_owned();
    match e.classify() {
        Category::Eof => ResultsError::Truncated { origin, line, column },
        Category::Syntax | Category::Io => ResultsError::NotJson { origin, line, column, message },
        Category::Data => wrong_shape(&origin, (line, column), field, message),
    }
}

fn wrong_shape(
    origin: &str,
    (line, column): (usize, usize),
    field: &str,
    message: impl Into<String>,
) -> ResultsError {
    let field = if field == "." { "" } else { field };
    ResultsError::WrongShape {
        origin: origin.into(),
        line,
        column,
        field: field.into(),
        message: message.into(),
    }
}

/// The results as a JSON document, in the current schema.
pub fn render(results: &Results) -> String {
    let current = Results { schema: SCHEMA, ..results.clone() };
    // Infallible: no map with keys other than strings, no writer that fails.
    serde_json::to_string_pretty(&current).unwrap_or_default() + "\n"
}

/// The JSON Schema of `results.json`, as published in `reports/results.schema.json`.
pub fn schema() -> String {
    // Infallible, as [`render`].
    serde_json::to_string_pretty(&schemars::schema_for!(Results)).unwrap_or_default() + "\n"
}

/// Writes `results.json` as a whole or not at all.
pub fn write(results: &Results, path: &Path) -> Result<(), OutputError> {
    output::write(path, render(results).as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sample;

    fn message(text: &str) -> String {
        parse(text.as_bytes(), "r.json").unwrap_err().to_string()
    }

    /// To publish a changed schema, run with `PUBLISH_SCHEMA=1`.
    #[test]
    fn the_published_schema_is_that_of_the_model() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("results.schema.json");
        if std::env::var_os("PUBLISH_SCHEMA").is_some() {
            fs::write(&path, schema()).unwrap();
        }
        // The order of keys depends on what features other crates ask of serde_json.
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&fs::read_to_string(&path).unwrap()), value(&schema()), "publish it again");
    }

    #[test]
    fn written_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        let results = sample::small();
        write(&results, &path).unwrap();
        assert_eq!(read(&path).unwrap(), results);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let documents = [
            "",
            "{\"schema\": 1,\n  nonsense",
            "[]",
            "{}",
            "{\"schema\": 0}",
            "{\"schema\": 2, \"what\": [\"is this\"]}",
            "{\"schema\": 1} trailing",
        ];
        let said: Vec<String> = documents.iter().map(|d| format!("{d:?}\n    {}", message(d))).collect();
        insta::assert_snapshot!(said.join("\n"));
        let wrong = render(&sample::small()).replacen("\"pass\"", "\"maybe\"", 1);
        let error = message(&wrong);
        assert!(error.contains("runs[0].verdicts[0].status: unknown variant `maybe`"), "{error}");
        let missing = read(Path::new("no/such/results.json")).unwrap_err().to_string();
        assert!(missing.starts_with("cannot read no/such/results.json"), "{missing}");
    }

    #[test]
    fn half_of_a_document_is_told_from_nonsense() {
        let whole = render(&sample::small());
        let half: String = whole.chars().take(whole.chars().count() / 2).collect();
        assert!(matches!(parse(half.as_bytes(), "r"), Err(ResultsError::Truncated { .. })));
    }

    #[test]
    fn older_documents_pass_each_later_step_once() {
        let steps: [fn(&mut Value); 2] = [|d| d["a"] = 1.into(), |d| d["b"] = 2.into()];
        let from_2 = upgraded(serde_json::json!({"schema": 2}), 2, &steps);
        assert_eq!(from_2, serde_json::json!({"schema": SCHEMA, "b": 2}));
    }

    proptest! {
        #[test]
        fn any_results_survive_the_round_trip(results in sample::any_results()) {
            prop_assert_eq!(parse(render(&results).as_bytes(), "r").unwrap(), results);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes, "r");
        }

        #[test]
        fn any_cut_is_refused(at in 0.0..1.0f64) {
            let whole = render(&sample::small());
            let cut = (whole.len() as f64 * at) as usize;
            prop_assert!(cut + 2 > whole.len() || parse(&whole.as_bytes()[..cut], "r").is_err());
        }
    }
}
