//! `jvmti-check known …`: lists of known deviations.

use std::path::{Path, PathBuf};

use jvmti_cases::CaseSet;
use jvmti_cases::known::proposal::{self, Change};
use jvmti_cases::known::{self as deviations, Date, Deviation};
use jvmti_cases::select::Filters;
use jvmti_reports::output::write as write_file;
use jvmti_reports::{json, merge};
use jvmti_results::{JvmRun, Results, Status, Verdict};
use owo_colors::OwoColorize;
use similar::{ChangeTag, TextDiff};

use super::Completed;
use super::cases::CaseArgs;
use super::fault::Fault;
use super::terminal::{note, print, style, table};
use super::{output, report};

/// The subcommands of `known`.
#[derive(clap::Subcommand)]
pub enum Command {
    /// List the known deviations
    List(ListArgs),
    /// Propose changes to the lists, based on results
    Update(UpdateArgs),
}

/// The arguments of `known list`.
#[derive(clap::Args)]
pub struct ListArgs {
    /// List only the deviations of cases that match: an id, a part of one, or a pattern
    filter: Vec<String>,
    /// List only the deviations whose expiry date has passed
    #[arg(long)]
    expired: bool,
    /// List only the deviations that no JVM of these results showed: a results file, or a folder of published results. May
    /// be repeated
    #[arg(long, value_name = "RESULTS")]
    unseen: Vec<PathBuf>,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    cases: CaseArgs,
}

/// The arguments of `known update`.
#[derive(clap::Args)]
#[command(after_help = "\
Removes the entries of cases that now pass, or narrows them down to the releases that still deviate. Adds an entry for \
each failure that is not listed; you have to fill in its reason. Prints the changes as a patch.

Examples:
  jvmti-check run --out report; jvmti-check known update report/results.json
  jvmti-check known update */results.json --cases cases/ --write")]
pub struct UpdateArgs {
    /// Results files; several are merged
    #[arg(required = true, value_name = "results.json")]
    files: Vec<PathBuf>,
    /// The complete folder of case files that contains the lists, such as cases/ of the source tree
    #[arg(long, value_name = "DIR", default_value = "cases")]
    cases: PathBuf,
    /// Write the changes to the files
    #[arg(long)]
    write: bool,
}

/// Runs a subcommand of `known`.
pub fn known(command: &Command) -> Result<Completed, Fault> {
    match command {
        Command::List(args) => list(args),
        Command::Update(args) => update(args),
    }
}

/// The outcome of these results, after a note for each known deviation in them whose expiry date has passed. `strict`:
/// those count as unexpected, and so does all that [`output::outcome`] counts then.
pub fn outcome(set: &CaseSet, results: &Results, strict: bool) -> Result<Completed, Fault> {
    let expired = note_expired(set, results);
    match output::outcome(results, strict)? {
        Completed::Fine if strict && expired > 0 => Ok(Completed::Unexpected),
        outcome => Ok(outcome),
    }
}

/// Adds to the results what the lists say of the deviations that verdicts name.
pub fn explain(set: &CaseSet, results: &mut Results) {
    let listed: Vec<&Deviation> = set.known().collect();
    results.deviations = deviations::causes(listed.into_iter(), results);
}

/// Prints a note for each known deviation in these results whose expiry date has passed. Returns their number.
fn note_expired(set: &CaseSet, results: &Results) -> usize {
    let today = Date::today();
    let shows = |run: &JvmRun, d: &Deviation| {
        let is_known = |v: &Verdict| v.status == Status::Known && d.cases.contains(&v.case);
        d.on.contain(&run.jvm, &run.vm_options) && run.verdicts.iter().any(is_known)
    };
    let is_shown = |d: &&Deviation| results.runs.iter().any(|run| shows(run, d));
    let expired: Vec<&Deviation> = set.known().filter(|d| d.has_expired(&today)).filter(is_shown).collect();
    for deviation in &expired {
        let case = deviation.cases.first().map_or("", String::as_str);
        let until = deviation.expires.as_ref().map(Date::to_string).unwrap_or_default();
        note(&format!(
            "expired: the known deviation of {case} expired on {until}, check it again: {}",
            deviation.reason
        ));
    }
    expired.len()
}

fn list(args: &ListArgs) -> Result<Completed, Fault> {
    let set = args.cases.load()?;
    let (filters, today) = (Filters::new(args.filter.iter().cloned()), Date::today());
    let results = match args.unseen.as_slice() {
        [] => None,
        from => Some(report::read(from)?),
    };
    let is_wanted = |d: &&Deviation| {
        d.cases.iter().any(|case| filters.fits_id(case))
            && (!args.expired || d.has_expired(&today))
            && results.as_ref().is_none_or(|results| !d.is_shown_in(results))
    };
    let wanted: Vec<&Deviation> = set.known().filter(is_wanted).collect();
    if args.json {
        return print(&format!("{:#}\n", serde_json::json!(wanted))).map(|()| Completed::Fine);
    }
    let mut rows = vec![["CASES", "ON", "SHOWS", "TRACKER", "UNTIL", "REASON"].map(str::to_owned).to_vec()];
    for deviation in &wanted {
        let more = deviation.cases.len().saturating_sub(1);
        let first = deviation.cases.iter().find(|case| filters.fits_id(case)).cloned().unwrap_or_default();
        rows.push(vec![
            if more == 0 { first } else { format!("{first} and {more} more") },
            deviation.on.to_string(),
            deviation.shows.name().to_owned(),
            deviation.tracker.clone().unwrap_or_default(),
            deviation.expires.as_ref().map(Date::to_string).unwrap_or_default(),
            deviation.reason.clone(),
        ]);
    }
    if wanted.is_empty() {
        note(&match args.filter.as_slice() {
            [] => "no known deviations".to_owned(),
            filters => format!("no known deviation matches {}", filters.join(", ")),
        });
    } else {
        print(&table(&rows))?;
    }
    Ok(Completed::Fine)
}

fn update(args: &UpdateArgs) -> Result<Completed, Fault> {
    let cases = jvmti_cases::load(&args.cases).map_err(Fault::cases)?;
    let mut parts = Vec::with_capacity(args.files.len());
    for file in &args.files {
        parts.push((file.display().to_string(), json::read(file).map_err(Fault::input)?));
    }
    let results = merge::merge(parts).map_err(Fault::input)?;
    let proposal = proposal::propose(&cases, &results);
    for change in &proposal.changes {
        print(&patch(change))?;
        if args.write {
            write(change, &args.cases)?;
        }
    }
    for remark in &proposal.remarks {
        note(&format!("to do by hand: {remark}"));
    }
    note(match (proposal.changes.is_empty(), args.write) {
        (true, _) => "the lists are up to date",
        (false, true) => {
            "changes written; now fill in the reasons of the new entries, and run `jvmti-check lint`"
        }
        (false, false) => "nothing written yet; add `--write` to change the files",
    });
    Ok(Completed::Fine)
}

fn write(change: &Change, folder: &Path) -> Result<(), Fault> {
    let path = folder.join(&change.file);
    let Some(text) = &change.after else {
        return std::fs::remove_file(&path)
            .map_err(|e| Fault::work(anyhow::Error::new(e).context(path.display().to_string())));
    };
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)
            .map_err(|e| Fault::work(anyhow::Error::new(e).context(parent.display().to_string())))?;
    }
    write_file(&path, text.as_bytes()).map_err(Fault::work)
}

/// The change as a unified patch.
fn patch(change: &Change) -> String {
    let (old, new) = (format!("a/{}", change.file), format!("b/{}", change.file));
    let old = if change.before.is_empty() { "/dev/null" } else { &old };
    let new = if change.after.is_none() { "/dev/null" } else { &new };
    let diff = TextDiff::from_lines(change.before.as_str(), change.after.as_deref().unwrap_or_default());
    let mut out = format!("--- {old}\n+++ {new}\n");
    for hunk in diff.unified_diff().iter_hunks() {
        out += &format!("{}\n", hunk.header());
        for line in hunk.iter_changes() {
            let text = format!("{}{}", line.tag(), line.value());
            out += &match line.tag() {
                ChangeTag::Delete if style().colour => text.red().to_string(),
                ChangeTag::Insert if style().colour => text.green().to_string(),
                _ => text,
            };
            if line.missing_newline() {
                out.push('\n');
            }
        }
    }
    out
}
