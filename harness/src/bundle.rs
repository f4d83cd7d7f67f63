//! An archive with all that a reader needs to check a published report: the results, the reports, the traces of
//! failures, a description of the JVMs and the command, and the lists of known deviations that were applied.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jvmti_cases::CaseSet;
use jvmti_reports::{Results, html, json, junit, markdown};
use serde_json::json;
use thiserror::Error;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The folder of traces in the archive.
const TRACES: &str = "traces";

/// Why an archive could not be written.
#[derive(Debug, Error)]
pub enum BundleError {
    /// Writing the archive failed.
    #[error("cannot write {}: {error}", path.display())]
    Archive {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Reading a trace that belongs in the archive failed.
    #[error("cannot read {}: {error}", path.display())]
    Trace {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// The contents of an archive.
#[derive(Debug)]
pub struct Bundle<'a> {
    /// The results. The archive includes the traces of unexpected verdicts.
    pub results: &'a Results,
    /// The lists of known deviations.
    pub known: &'a CaseSet,
    /// The command line that produced the results.
    pub command: Vec<String>,
}

impl Bundle<'_> {
    /// Writes the complete archive, or nothing if that fails.
    pub fn write(&self, path: &Path) -> Result<(), BundleError> {
        let failed = |error: io::Error| BundleError::Archive { path: path.to_owned(), error };
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        let mut zip = ZipWriter::new(file);
        let options = SimpleFileOptions::default().large_file(false);
        let (results, traces) = self.with_traces_inside();
        for (name, text) in self.texts(&results) {
            zip.start_file(name, options).map_err(io::Error::other).map_err(failed)?;
            zip.write_all(text.as_bytes()).map_err(failed)?;
        }
        for (name, trace) in traces {
            let unread = |error| BundleError::Trace { path: trace.clone(), error };
            let mut trace = File::open(&trace).map_err(unread)?;
            let large = trace.metadata().map_err(unread)?.len() > u64::from(u32::MAX);
            zip.start_file(name, options.large_file(large)).map_err(io::Error::other).map_err(failed)?;
            io::copy(&mut trace, &mut zip).map_err(failed)?;
        }
        let file = zip.finish().map_err(io::Error::other).map_err(failed)?;
        file.persist(path).map_err(|e| failed(e.error))?;
        Ok(())
    }

    /// The results with the names that traces have in the archive; and for each name, where the trace is now.
    fn with_traces_inside(&self) -> (Results, BTreeMap<String, PathBuf>) {
        let mut results = self.results.clone();
        let mut traces = BTreeMap::new();
        for verdict in results.runs.iter_mut().flat_map(|run| &mut run.verdicts) {
            let unexpected = verdict.status.is_unexpected();
            let report = verdict.crash.as_mut().map(|crash| &mut crash.file);
            for file in [Some(&mut verdict.trace), report].into_iter().flatten() {
                let Some(path) = file.take().filter(|_| unexpected).map(PathBuf::from) else { continue };
                let Some(name) = path.file_name().map(|name| format!("{TRACES}/{}", name.to_string_lossy()))
                else {
                    continue;
                };
                *file = Some(name.clone());
                traces.insert(name, path);
            }
        }
        (results, traces)
    }

    fn texts(&self, results: &Results) -> Vec<(String, String)> {
        let mut texts = vec![
            ("about.json".to_owned(), format!("{:#}\n", self.about(results))),
            ("results.json".to_owned(), json::render(results)),
            ("report.html".to_owned(), html::render(results)),
            ("report.md".to_owned(), markdown::render(results)),
            ("junit.xml".to_owned(), junit::render(results)),
        ];
        let lists: BTreeMap<String, String> =
            self.known.listed().map(|(file, _)| (file.name.clone(), file.text.clone())).collect();
        texts.extend(lists);
        texts
    }

    /// What was tested, with which version of the suite, and how.
    fn about(&self, results: &Results) -> serde_json::Value {
        let jvms: Vec<_> = results
            .runs
            .iter()
            .map(|run| {
                json!({
                    "jvm": run.jvm,
                    "configuration": run.configuration,
                    "vm_options": run.vm_options,
                    "machine": run.machine,
                    "started": run.started,
                })
            })
            .collect();
        json!({
            "suite": results.suite,
            "started": results.started,
            "command": self.command,
            "jvms": jvms,
            "skipped": results.skipped,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use jvmti_results::{CrashReport, JvmRun, Status, Verdict};

    use super::*;
    use jvmti_cases::source::SourceFile;

    #[test]
    fn what_failed_goes_with_its_trace_and_what_was_known() {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("0-launch.jvmtitrace");
        std::fs::write(&trace, "a trace").unwrap();
        let report = folder.path().join("0-launch.crash.log");
        std::fs::write(&report, "SIGSEGV").unwrap();
        let verdict = |case: &str, status| Verdict {
            case: case.to_owned(),
            status,
            trace: Some(trace.display().to_string()),
            crash: Some(CrashReport { said: Vec::new(), file: Some(report.display().to_string()) }),
            ..Verdict::default()
        };
        let verdicts = vec![verdict("a", Status::Fail), verdict("b", Status::Pass)];
        let results = Results { runs: vec![JvmRun { verdicts, ..JvmRun::default() }], ..Results::default() };
        let list = "- {cases: [a], on: {vm: Zero}, shows: fail, reason: x, evidence: y}\n";
        let list = SourceFile { name: "known/a.yaml".to_owned(), text: list.to_owned() };
        let known = CaseSet::read([list.clone()]).unwrap();
        let path = folder.path().join("bundle.zip");
        let command = vec!["jvmti-check".to_owned(), "run".to_owned()];
        Bundle { results: &results, known: &known, command }.write(&path).unwrap();

        let mut zip = zip::ZipArchive::new(File::open(&path).unwrap()).unwrap();
        let mut text = |name: &str| {
            let mut text = String::new();
            zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
            text
        };
        assert_eq!(text("traces/0-launch.jvmtitrace"), "a trace");
        assert_eq!(text("traces/0-launch.crash.log"), "SIGSEGV");
        assert_eq!(text("known/a.yaml"), list.text);
        let inside = json::parse(text("results.json").as_bytes(), "results.json").unwrap();
        let traces: Vec<Option<&str>> = inside.runs[0].verdicts.iter().map(|v| v.trace.as_deref()).collect();
        assert_eq!(traces, [Some("traces/0-launch.jvmtitrace"), None]);
        assert!(text("about.json").contains("\"jvmti-check\""));
        assert!(text("report.html").contains("<html"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing else is left");

        let nowhere = folder.path().join("none/bundle.zip");
        let error = Bundle { results: &results, known: &known, command: Vec::new() }.write(&nowhere);
        assert!(error.unwrap_err().to_string().contains("none/bundle.zip"));
        std::fs::remove_file(&trace).unwrap();
        let error = Bundle { results: &results, known: &known, command: Vec::new() }.write(&path);
        assert!(error.unwrap_err().to_string().contains("0-launch.jvmtitrace"));
    }
}
