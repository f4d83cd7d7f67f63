//! `results.json`: reading and writing.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::error::Category;
use thiserror::Error;

use crate::cause::{self, CauseRecord};
use crate::conformance::Conformance;
use crate::output::{self, OutputError};
use crate::results::{Results, SCHEMA, Shard};
use crate::seal;
use crate::summary::Summary;

/// One step per older format: the element at index `n` turns a document of schema `n + 1` into one of `n + 2`.
const UPGRADES: [fn(&mut Value); SCHEMA as usize - 1] = [machine_and_start_of_each_run];

/// Schema 2 holds JVMs of several machines.
fn machine_and_start_of_each_run(document: &mut Value) {
    let machine = document.get_mut("machine").map(Value::take);
    let started = document.get("started").cloned();
    for run in document.get_mut("runs").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(fields) = run.as_object_mut() else { continue };
        for (name, value) in [("machine", &machine), ("started", &started)] {
            if let Some(value) = value {
                fields.insert(name.into(), value.clone());
            }
        }
    }
}

/// Results that could not be read. Lines and columns count from 1.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The file could not be opened or read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        error: io::Error,
    },
    /// It ends in the middle: the writer was interrupted, or the copy is incomplete.
    #[error(
        "{origin}: the file ends too early, at line {line}, column {column}; it is incomplete. Run again to rewrite it"
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
        "{origin}: the results have schema {found}, but this jvmti-check reads only up to {SCHEMA}: use a newer version"
    )]
    Newer {
        /// File, or `results`.
        origin: String,
        /// The document's schema.
        found: u64,
    },
    /// Somebody changed it after it was written.
    #[error(
        "{origin}: the file was edited: its content does not match its digest. \
         Run again or, if the edit was intended, delete the `digest`"
    )]
    Edited {
        /// File, or `results`.
        origin: String,
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
    let bytes = fs::read(path).map_err(|error| ResultsError::Unreadable { path: path.to_owned(), error })?;
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
            return Err(ResultsError::Newer { origin: origin.into(), found: newer });
        }
        0 => return Err(wrong_shape(origin, (0, 0), "schema", "is 0; the first is 1")),
        _ => {}
    }
    let document: Value = typed(bytes, origin)?;
    let is_whole = seal::is_whole(&document);
    let results = if schema == u64::from(SCHEMA) {
        // Out of the text once more, for errors that tell the line.
        typed(bytes, origin)?
    } else {
        serde_path_to_error::deserialize(upgraded(document, schema, &UPGRADES))
            .map_err(|e| wrong_shape(origin, (0, 0), &e.path().to_string(), e.inner().to_string()))?
    };
    consistent(&results, origin)?;
    if is_whole { Ok(results) } else { Err(ResultsError::Edited { origin: origin.into() }) }
}

/// What the shape alone does not guarantee.
fn consistent(results: &Results, origin: &str) -> Result<(), ResultsError> {
    let wrong = |field: String, message: String| Err(wrong_shape(origin, (0, 0), &field, message));
    let mut seen = HashSet::new();
    for (i, assertion) in results.assertions.iter().enumerate() {
        if !seen.insert(assertion.id.as_str()) {
            return wrong(format!("assertions[{i}].id"), format!("`{}` is there twice", assertion.id));
        }
    }
    for (r, run) in results.runs.iter().enumerate() {
        if let Some(Shard { index, count }) = run.shard
            && !(1..=count).contains(&index)
        {
            return wrong(format!("runs[{r}].shard"), format!("there is no shard {index} of {count}"));
        }
        let mut seen = HashSet::new();
        for (v, verdict) in run.verdicts.iter().enumerate() {
            if !seen.insert(verdict.case.as_str()) {
                let place = format!("runs[{r}].verdicts[{v}].case");
                return wrong(place, format!("`{}` occurs twice", verdict.case));
            }
        }
    }
    Ok(())
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

pub(crate) fn typed<'a, T: Deserialize<'a>>(bytes: &'a [u8], origin: &str) -> Result<T, ResultsError> {
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

pub(crate) fn wrong_shape(
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

/// The file: the results, and what guards them against changes that nobody notices.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "Results of jvmti-check")]
struct Document {
    #[serde(flatten)]
    results: Results,
    /// How well each JVM conforms, in the order of `runs`. Readers compute it anew.
    conformance: Vec<Conformance>,
    /// The deviations by cause. Readers compute them anew.
    causes: Vec<CauseRecord>,
    /// SHA-256 over the values of all other fields, by which a later change is noticed. Without it none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

/// The results as a JSON document, in the current schema, with a digest of its content.
pub fn render(results: &Results) -> String {
    let runs = Summary::of(results).runs;
    let mut document = Document {
        conformance: Conformance::of_all(results, &runs, &cause::causes(results)),
        causes: cause::told(results),
        results: Results { schema: SCHEMA, ..results.clone() },
        digest: None,
    };
    // Infallible: no map with keys other than strings, no writer that fails.
    document.digest = serde_json::to_value(&document).ok().map(|value| seal::digest(&value));
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// The JSON Schema of `results.json`, as published in `reports/results.schema.json`.
pub fn schema() -> String {
    // Infallible, as [`render`].
    serde_json::to_string_pretty(&schemars::schema_for!(Document)).unwrap_or_default() + "\n"
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
            "{\"schema\": 3, \"what\": [\"is this\"]}",
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
    fn results_of_the_first_schema_are_read() {
        let old = include_str!("testdata/results-1.json");
        let results = parse(old.as_bytes(), "results-1.json").unwrap();
        assert_eq!(results.schema, SCHEMA);
        assert_eq!(results.runs.len(), 2);
        for run in &results.runs {
            assert_eq!((run.machine.as_str(), &run.started), ("linux x86_64, 2 cores", &results.started));
            assert_eq!((run.verdicts.len(), run.shard), (6, None));
        }
        assert_eq!(parse(render(&results).as_bytes(), "again").unwrap(), results);
    }

    #[test]
    fn edited_results_are_refused() {
        let written = render(&sample::small());
        let edited = written.replacen("\"crash\"", "\"pass\"", 1);
        assert!(matches!(parse(edited.as_bytes(), "r"), Err(ResultsError::Edited { .. })));
        let mut document: Value = serde_json::from_str(&edited).unwrap();
        document.as_object_mut().unwrap().remove("digest");
        assert!(parse(document.to_string().as_bytes(), "r").is_ok(), "meant");
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let error = |change: fn(&mut Results)| {
            let mut results = sample::small();
            change(&mut results);
            message(&render(&results))
        };
        let all = [
            error(|r| r.runs[1].verdicts[0].case = r.runs[1].verdicts[1].case.clone()),
            error(|r| r.assertions[0].id = r.assertions[2].id.clone()),
            error(|r| r.runs[0].shard = Some(Shard { index: 3, count: 2 })),
        ];
        insta::assert_snapshot!(all.join("\n"));
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
