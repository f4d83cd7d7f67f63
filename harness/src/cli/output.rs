//! Output of results: files, formats, exit codes.

use std::path::Path;

use jvmti_reports::terminal::{self, Style};
use jvmti_reports::{html, json, junit, markdown};
use jvmti_results::{Results, Status};

use super::Completed;
use super::fault::Fault;
use super::terminal::{heard, note, print, style};

/// A format of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// results.json, from which the other formats can be generated
    Json,
    /// junit.xml for CI servers
    Junit,
    /// report.html, one self-contained page
    Html,
    /// report.md
    Markdown,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 4] = [Format::Json, Format::Junit, Format::Html, Format::Markdown];

    /// The report as text.
    pub fn render(self, results: &Results) -> String {
        match self {
            Format::Json => json::render(results),
            Format::Junit => junit::render(results),
            Format::Html => html::render(results),
            Format::Markdown => markdown::render(results),
        }
    }

    /// The name of its file.
    pub fn file(self) -> &'static str {
        match self {
            Format::Json => "results.json",
            Format::Junit => "junit.xml",
            Format::Html => "report.html",
            Format::Markdown => "report.md",
        }
    }

    /// Writes its file to that folder.
    pub fn write(self, results: &Results, folder: &Path) -> Result<(), Fault> {
        let path = folder.join(self.file());
        match self {
            Format::Json => json::write(results, &path),
            Format::Junit => junit::write(results, &path),
            Format::Html => html::write(results, &path),
            Format::Markdown => markdown::write(results, &path),
        }
        .map_err(Fault::work)
    }
}

/// Checks before a long run that its results can be written: creates the folder, and checks that it is writable.
pub fn check(folder: Option<&Path>, formats: &[Format]) -> Result<(), Fault> {
    let Some(folder) = folder else {
        return match formats.len() {
            0 | 1 => Ok(()),
            _ => Err(Fault::wrong("only one format can be printed; add --out DIR to write several")),
        };
    };
    let failed = |error: std::io::Error| {
        Fault::input(anyhow::Error::new(error).context(format!("cannot write to {}", folder.display())))
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    tempfile::tempfile_in(folder).map(drop).map_err(failed)
}

/// Checks before a long run that this file can be written.
pub fn check_file(file: &Path) -> Result<(), Fault> {
    let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = |error: std::io::Error| {
        Fault::input(anyhow::Error::new(error).context(format!("cannot write {}", file.display())))
    };
    match file.is_dir() {
        true => Err(failed(std::io::ErrorKind::IsADirectory.into())),
        false => tempfile::tempfile_in(folder).map(drop).map_err(failed),
    }
}

/// Without a folder, prints the results as text or in the given format. With one, prints the text and writes the given
/// formats (all if none is given) to the folder.
pub fn give(results: &Results, folder: Option<&Path>, formats: &[Format]) -> Result<(), Fault> {
    let Some(folder) = folder else {
        let text = formats.first().map(|format| format.render(results));
        return heard(print(&text.unwrap_or_else(|| details(results, style()))));
    };
    // The files first: whatever becomes of what is printed, they are there.
    let formats = if formats.is_empty() { &Format::ALL } else { formats };
    formats.iter().try_for_each(|format| format.write(results, folder))?;
    let printed = heard(print(&details(results, style())));
    for format in formats {
        note(&format!("written: {}", folder.join(format.file()).display()));
    }
    printed
}

/// The details of each unexpected verdict, and the summary.
pub fn details(results: &Results, style: Style) -> String {
    let mut text = String::new();
    for run in &results.runs {
        for verdict in run.verdicts.iter().filter(|v| v.status.is_unexpected()) {
            text.push('\n');
            text.push_str(&terminal::failure(verdict, run, &results.assertions, style));
        }
    }
    text.push('\n');
    text + &terminal::summary(results, style)
}

/// The outcome that these results mean for the exit code. `strict`: permitted deviations, and known ones that are fixed,
/// count as unexpected, too.
pub fn outcome(results: &Results, strict: bool) -> Result<Completed, Fault> {
    let statuses = || results.runs.iter().flat_map(|run| &run.verdicts).map(|verdict| verdict.status);
    let is_unexpected = |status: Status| {
        (status.is_unexpected() && status != Status::Error)
            || (strict && matches!(status, Status::Permitted | Status::Fixed))
    };
    if statuses().any(is_unexpected) {
        return Ok(Completed::Unexpected);
    }
    match statuses().filter(|status| *status == Status::Error).count() {
        0 => Ok(Completed::Fine),
        n => Err(Fault::Work(anyhow::anyhow!("{n} cases could not be run or judged"))),
    }
}
