//! What is done with results: files, formats, exit codes.

use std::path::Path;

use jvmti_reports::results::{Results, Status};
use jvmti_reports::terminal::{self, Style};
use jvmti_reports::{html, json, junit, markdown};

use super::Outcome;
use super::fault::Fault;

/// A form of report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// results.json, which the other forms are made of
    Json,
    /// junit.xml, for CI servers
    Junit,
    /// report.html, one page that needs nothing else
    Html,
    /// report.md
    Markdown,
}

impl Format {
    /// All of them.
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

    /// Name of its file.
    pub fn file(self) -> &'static str {
        match self {
            Format::Json => "results.json",
            Format::Junit => "junit.xml",
            Format::Html => "report.html",
            Format::Markdown => "report.md",
        }
    }

    /// Writes its file into that folder.
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

/// Details of everything unexpected, and the summary.
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

/// What these results mean for the exit code. `strict`: what the text permits, and what is listed as known though it
/// has gone, counts too.
pub fn outcome(results: &Results, strict: bool) -> Result<Outcome, Fault> {
    let statuses = || results.runs.iter().flat_map(|run| &run.verdicts).map(|verdict| verdict.status);
    let is_unexpected = |status: Status| {
        (status.is_unexpected() && status != Status::Error)
            || (strict && matches!(status, Status::Permitted | Status::Fixed))
    };
    if statuses().any(is_unexpected) {
        return Ok(Outcome::Unexpected);
    }
    match statuses().filter(|status| *status == Status::Error).count() {
        0 => Ok(Outcome::Fine),
        n => Err(Fault::Work(anyhow::anyhow!("{n} cases could not be judged"))),
    }
}
