//! Output of results: files, formats, exit codes.

use std::path::{Path, PathBuf};

use jvmti_reports::terminal::{self, Known};
use jvmti_reports::{badge, csv, html, json, junit, markdown};
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
    /// statements.csv, a row for each statement and JVM
    Csv,
    /// badge.svg, for a README
    Badge,
}

impl Format {
    /// Those that are written unless others are chosen.
    pub const USUAL: [Format; 4] = [Format::Json, Format::Junit, Format::Html, Format::Markdown];

    /// The report as text.
    pub fn render(self, results: &Results) -> String {
        match self {
            Format::Json => json::render(results),
            Format::Junit => junit::render(results),
            Format::Html => html::render(results),
            Format::Markdown => markdown::render(results),
            Format::Csv => csv::render(results),
            Format::Badge => badge::render(results),
        }
    }

    /// The name of its file.
    pub fn file(self) -> &'static str {
        match self {
            Format::Json => "results.json",
            Format::Junit => "junit.xml",
            Format::Html => "report.html",
            Format::Markdown => "report.md",
            Format::Csv => "statements.csv",
            Format::Badge => "badge.svg",
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
            Format::Csv | Format::Badge => {
                jvmti_reports::output::write(&path, self.render(results).as_bytes())
            }
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

/// Where reports go.
#[derive(Debug, clap::Args)]
pub struct OutputArgs {
    /// Write reports to this folder: results.json, junit.xml, report.html, report.md
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write only these reports; without --out, print this one instead of text
    #[arg(long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    pub format: Vec<Format>,
    /// Show known deviations in full: reason, evidence, statements, cases
    #[arg(long)]
    pub known: bool,
}

impl OutputArgs {
    /// Checks before a long run that its results can be written.
    pub fn check(&self) -> Result<(), Fault> {
        check(self.out.as_deref(), &self.format)
    }

    /// Without a folder, prints the results as text or in the given format. With one, writes the given formats (the usual ones if none
    /// is given) to the folder, and prints the text: the verdict comes last.
    pub fn give(&self, results: &Results) -> Result<(), Fault> {
        let text = || report(results, self.known);
        let Some(folder) = &self.out else {
            let rendered = self.format.first().map(|format| format.render(results));
            return heard(print(&rendered.unwrap_or_else(text)));
        };
        // The files first: whatever becomes of what is printed, they are there.
        let formats = if self.format.is_empty() { &Format::USUAL[..] } else { &self.format };
        formats.iter().try_for_each(|format| format.write(results, folder))?;
        let names: Vec<&str> = formats.iter().map(|format| format.file()).collect();
        note(&format!("written to {}: {}", folder.display(), names.join(", ")));
        heard(print(&text()))
    }
}

/// The results as text.
pub fn report(results: &Results, known: bool) -> String {
    terminal::report(results, if known { Known::Full } else { Known::Lines }, style())
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
