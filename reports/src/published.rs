//! Results as they are published: a folder of small files that git keeps well, from which every rendering can be made.
//!
//! `suite.json` holds what all JVMs share (the statements, the cases), and beside it there is a sheet for each JVM: who
//! it is, which cases passed and which do not apply, by their number in the suite, and the other verdicts in full. What
//! only concerns the machine at hand, such as the place of the Java home, is left out.

mod numbers;
mod readme;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::json::{self, ResultsError};
use crate::output::{self, OutputError};
use crate::results::*;
use crate::seal;
use crate::summary::labels;
use numbers::Numbers;

/// Version of the published form.
const PUBLISHED: u32 = 1;
/// Name of the file that all sheets rest on.
const SUITE: &str = "suite.json";
/// Where the Java home was.
const HOME: &str = "$JAVA_HOME";
/// Where the id of a case goes in a command.
const CASE: &str = "{case}";
/// Lines of a story that are kept; a longer one loses its beginning.
const STORY_LINES: usize = 60;

/// What the sheets share.
#[derive(Serialize, Deserialize)]
struct Catalogue {
    schema: u32,
    suite: Suite,
    started: String,
    wall_ms: u64,
    /// Names of the sheets' files, without `.json`, in order.
    sheets: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Skipped>,
    chapters: Vec<ChapterInfo>,
    cases: Vec<CatalogueCase>,
    assertions: Vec<AssertionInfo>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    deviations: Vec<KnownDeviation>,
}

/// What is the same of a case wherever it runs.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct CatalogueCase {
    id: String,
    about: String,
    chapter: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    cites: Vec<String>,
    source: String,
    asserted: u32,
}

/// One JVM.
#[derive(Serialize, Deserialize)]
struct Sheet {
    schema: u32,
    /// Digest of the catalogue that the numbers refer to.
    suite: String,
    /// Without verdicts.
    run: JvmRun,
    /// The command that runs a case again.
    again: String,
    passed: Numbers,
    /// By reason.
    inapplicable: BTreeMap<String, Numbers>,
    verdicts: Vec<Verdict>,
}

impl CatalogueCase {
    fn of(verdict: &Verdict) -> CatalogueCase {
        CatalogueCase {
            id: verdict.case.clone(),
            about: verdict.about.clone(),
            chapter: verdict.chapter.clone(),
            subject: verdict.subject.clone(),
            cites: verdict.cites.clone(),
            source: verdict.source.clone(),
            asserted: verdict.asserted,
        }
    }

    fn verdict(&self, status: Status) -> Verdict {
        Verdict {
            case: self.id.clone(),
            about: self.about.clone(),
            chapter: self.chapter.clone(),
            subject: self.subject.clone(),
            status,
            cites: self.cites.clone(),
            source: self.source.clone(),
            asserted: self.asserted,
            ..Verdict::default()
        }
    }
}

/// Writes the results into that folder, with a README that shows them.
pub fn write(results: &Results, folder: &Path) -> Result<(), OutputError> {
    let results = arranged(results);
    let names = file_names(&results);
    let catalogue = Catalogue {
        schema: PUBLISHED,
        suite: results.suite.clone(),
        started: results.started.clone(),
        wall_ms: results.wall_ms,
        sheets: names.clone(),
        skipped: results.skipped.clone(),
        chapters: results.chapters.clone(),
        cases: cases(&results),
        assertions: results.assertions.clone(),
        deviations: results.deviations.clone(),
    };
    let places: HashMap<&str, usize> =
        catalogue.cases.iter().enumerate().map(|(i, case)| (case.id.as_str(), i)).collect();
    let (text, digest) = sealed(&catalogue);
    for (run, name) in results.runs.iter().zip(&names) {
        let (text, _) = sealed(&sheet(run, &digest, &catalogue.cases, &places));
        output::write(&folder.join(format!("{name}.json")), text.as_bytes())?;
    }
    output::write(&folder.join("README.md"), readme::readme(&results).as_bytes())?;
    remove_others(folder, &names);
    // Last: until it is there, the folder shows its former state or none.
    output::write(&folder.join(SUITE), text.as_bytes())
}

/// Removes the sheets of JVMs that are published no more.
fn remove_others(folder: &Path, names: &[String]) {
    let Ok((former, _)) = opened::<Catalogue>(&folder.join(SUITE)) else { return };
    for name in former.sheets.iter().filter(|name| is_plain(name) && !names.contains(name)) {
        // One that has gone already, or stays, does no harm: only those that the catalogue names are read.
        let _ = fs::remove_file(folder.join(format!("{name}.json")));
    }
}

/// Whether it is a file name as [`file_names`] makes them, and leads nowhere else.
fn is_plain(name: &str) -> bool {
    !name.starts_with('.') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-')
}

/// Reads what [`write`] wrote.
pub fn read(folder: &Path) -> Result<Results, ResultsError> {
    let (catalogue, digest): (Catalogue, String) = opened(&folder.join(SUITE))?;
    let mut runs = Vec::with_capacity(catalogue.sheets.len());
    for name in &catalogue.sheets {
        if !is_plain(name) {
            let origin = folder.join(SUITE).display().to_string();
            return Err(json::wrong_shape(
                &origin,
                (0, 0),
                "sheets",
                format!("{name:?} is not a valid name of a sheet"),
            ));
        }
        let path = folder.join(format!("{name}.json"));
        let (sheet, _): (Sheet, String) = opened(&path)?;
        let wrong = |field: &str, message: &str| {
            json::wrong_shape(&path.display().to_string(), (0, 0), field, message)
        };
        if sheet.suite != digest {
            return Err(wrong("suite", "the sheet belongs to another suite.json; publish both together"));
        }
        runs.push(
            run(sheet, &catalogue.cases)
                .ok_or_else(|| wrong("passed", "there is no such case in suite.json"))?,
        );
    }
    Ok(Results {
        schema: SCHEMA,
        suite: catalogue.suite,
        started: catalogue.started,
        wall_ms: catalogue.wall_ms,
        runs,
        skipped: catalogue.skipped,
        assertions: catalogue.assertions,
        chapters: catalogue.chapters,
        deviations: catalogue.deviations,
    })
}

/// Whether [`write`] wrote into that folder.
pub fn is_published(folder: &Path) -> bool {
    folder.join(SUITE).is_file()
}

fn sheet(run: &JvmRun, digest: &str, cases: &[CatalogueCase], places: &HashMap<&str, usize>) -> Sheet {
    let again = run.verdicts.iter().find(|v| !v.case.is_empty() && v.reproduce.contains(&v.case));
    let again = again.map(|v| v.reproduce.replacen(&v.case, CASE, 1)).unwrap_or_default();
    let mut sheet = Sheet {
        schema: PUBLISHED,
        suite: digest.to_owned(),
        run: JvmRun { verdicts: Vec::new(), ..run.clone() },
        again,
        passed: Numbers::default(),
        inapplicable: BTreeMap::new(),
        verdicts: Vec::new(),
    };
    let mut explained: HashSet<&str> = HashSet::new();
    for verdict in &run.verdicts {
        let place = places.get(verdict.case.as_str()).copied().unwrap_or(usize::MAX);
        let is_usual = cases.get(place).is_some_and(|case| *case == CatalogueCase::of(verdict));
        let reason = match &verdict.findings[..] {
            [only] if only.cites.is_empty() && only.place.is_empty() && only.expected.is_empty() => {
                Some(&only.observed)
            }
            _ => None,
        };
        match (verdict.status, reason) {
            (Status::Pass, _) if is_usual && verdict.findings.is_empty() => sheet.passed.push(place),
            (Status::Inapplicable, Some(reason)) if place != usize::MAX => {
                sheet.inapplicable.entry(reason.clone()).or_default().push(place);
            }
            _ => {
                let hidden = verdict.story.len().saturating_sub(STORY_LINES);
                let mut kept = verdict.clone();
                kept.story.drain(..hidden);
                // Of thousands of verdicts with one known cause, the first tells what happened.
                if verdict.deviation.as_ref().is_some_and(|cause| !explained.insert(cause)) {
                    kept.story.clear();
                }
                kept.trace = None;
                if kept.reproduce == sheet.again.replacen(CASE, &kept.case, 1) {
                    kept.reproduce.clear();
                }
                if kept.status == Status::Pass {
                    kept.micros = 0;
                }
                sheet.verdicts.push(kept);
            }
        }
    }
    sheet
}

/// The run with its verdicts, in the order of the cases.
fn run(sheet: Sheet, cases: &[CatalogueCase]) -> Option<JvmRun> {
    let mut verdicts: Vec<(usize, Verdict)> = Vec::new();
    for place in sheet.passed.iter() {
        verdicts.push((place, cases.get(place)?.verdict(Status::Pass)));
    }
    for (reason, places) in &sheet.inapplicable {
        for place in places.iter() {
            let findings = vec![Finding { observed: reason.clone(), ..Finding::default() }];
            let verdict =
                Verdict { findings, asserted: 0, ..cases.get(place)?.verdict(Status::Inapplicable) };
            verdicts.push((place, verdict));
        }
    }
    let places: HashMap<&str, usize> =
        cases.iter().enumerate().map(|(i, case)| (case.id.as_str(), i)).collect();
    for verdict in sheet.verdicts {
        verdicts.push((places.get(verdict.case.as_str()).copied().unwrap_or(usize::MAX), verdict));
    }
    verdicts.sort_by_key(|(place, _)| *place);
    for (_, verdict) in verdicts.iter_mut().filter(|(_, verdict)| verdict.reproduce.is_empty()) {
        verdict.reproduce = sheet.again.replacen(CASE, &verdict.case, 1);
    }
    Some(JvmRun { verdicts: verdicts.into_iter().map(|(_, verdict)| verdict).collect(), ..sheet.run })
}

/// Every case once, described as by the first JVM to which it applies.
fn cases(results: &Results) -> Vec<CatalogueCase> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut cases: Vec<CatalogueCase> = Vec::new();
    for verdict in results.runs.iter().flat_map(|run| &run.verdicts) {
        let place = *places.entry(&verdict.case).or_insert(cases.len());
        if place == cases.len() {
            cases.push(CatalogueCase::of(verdict));
        } else if cases[place].asserted == 0 && verdict.asserted > 0 {
            cases[place] = CatalogueCase::of(verdict);
        }
    }
    cases
}

/// The results by release, without the places of their Java homes.
fn arranged(results: &Results) -> Results {
    let mut results = results.clone();
    results.runs.sort_by_cached_key(|run| {
        (run.jvm.release, run.jvm.vm_name.clone(), run.jvm.version.clone(), run.configuration.clone())
    });
    for run in &mut results.runs {
        let home = std::mem::replace(&mut run.jvm.home, HOME.to_owned());
        if home.len() < 2 {
            continue;
        }
        for verdict in &mut run.verdicts {
            let story = verdict.story.iter_mut().map(|line| &mut line.text);
            let findings =
                verdict.findings.iter_mut().flat_map(|f| [&mut f.place, &mut f.expected, &mut f.observed]);
            let crash = verdict.crash.iter_mut().flat_map(|crash| &mut crash.said);
            for text in story.chain(findings).chain(crash).filter(|text| text.contains(&home)) {
                *text = text.replace(&home, HOME);
            }
            verdict.reproduce = verdict.reproduce.replace(&format!("'{home}'"), HOME).replace(&home, HOME);
        }
    }
    for skipped in &mut results.skipped {
        skipped.reason = skipped.reason.replace(&skipped.jvm.home, HOME);
        skipped.jvm.home = HOME.to_owned();
    }
    results
}

/// A file name for each run, out of its label.
fn file_names(results: &Results) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for label in labels(results) {
        let plain: String = label
            .to_lowercase()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' })
            .collect();
        let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
        let plain = parts.join("-").trim_matches('.').chars().take(80).collect::<String>();
        let taken = |name: &String| names.contains(name) || name.is_empty() || name == "suite";
        let mut name = plain.clone();
        let mut n = 1;
        while taken(&name) {
            n += 1;
            name = format!("{}-{n}", if plain.is_empty() { "jvm" } else { &plain });
        }
        names.push(name);
    }
    names
}

/// The document as text, one line for each of the many entries, and its digest.
fn sealed(document: &impl Serialize) -> (String, String) {
    // Infallible: no map with keys other than strings.
    let value = serde_json::to_value(document).unwrap_or_default();
    let digest = seal::digest(&value);
    let mut text = String::from("{\n");
    if let Value::Object(fields) = &value {
        for (name, value) in fields {
            text += &format!("\"{name}\": {},\n", entries(value));
        }
    }
    (text + &format!("\"digest\": \"{digest}\"\n}}\n"), digest)
}

/// An array or map with a line for each entry, anything else on one line.
fn entries(value: &Value) -> String {
    let joined = |lines: Vec<String>, open: char, close: char| match lines.is_empty() {
        true => format!("{open}{close}"),
        false => format!("{open}\n{}\n{close}", lines.join(",\n")),
    };
    match value {
        Value::Array(items) => joined(items.iter().map(Value::to_string).collect(), '[', ']'),
        Value::Object(fields) => {
            let line = |(name, value): (&String, &Value)| format!("{}: {value}", Value::from(name.as_str()));
            joined(fields.iter().map(line).collect(), '{', '}')
        }
        other => other.to_string(),
    }
}

fn opened<T: DeserializeOwned>(path: &Path) -> Result<(T, String), ResultsError> {
    let origin = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| ResultsError::Unreadable { path: path.to_owned(), error })?;
    let document: Value = json::typed(&bytes, &origin)?;
    match document.get("schema").and_then(Value::as_u64) {
        Some(1) => {}
        Some(found) if found > u64::from(PUBLISHED) => return Err(ResultsError::Newer { origin, found }),
        _ => return Err(json::wrong_shape(&origin, (0, 0), "schema", "is not that of published results")),
    }
    if document.get(seal::FIELD).is_none() || !seal::is_whole(&document) {
        return Err(ResultsError::Edited { origin });
    }
    let digest = seal::digest(&document);
    Ok((json::typed(&bytes, &origin)?, digest))
}

#[cfg(test)]
mod tests;
