//! `jvmti-check list`, `show` and `lint`: what the case files hold.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use jvmti_cases::built_in::case_files;
use jvmti_cases::configuration::Configuration;
use jvmti_cases::model::Case;
use jvmti_cases::select::Filters;
use jvmti_cases::{CaseSet, Diagnostics, LoadError, Selection, load};
use jvmti_spec::{Edition, Release, Spec};

use super::Outcome;
use super::fault::{self, Fault};
use super::terminal::{note, print, table};

/// The file that lists the scenarios, at the top of a folder of case files.
const SCENARIOS: &str = "scenarios.yaml";

/// Where cases come from.
#[derive(clap::Args)]
pub struct CaseArgs {
    /// The folder of case files, instead of those built in
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
}

impl CaseArgs {
    /// Reads them.
    pub fn load(&self) -> Result<CaseSet, Fault> {
        case_files(self.cases.as_deref()).map_err(Fault::cases)
    }
}

/// The arguments of `list`.
#[derive(clap::Args)]
#[command(after_help = FILTERS)]
pub struct ListArgs {
    /// Which cases; all if none is given
    filter: Vec<String>,
    /// For a JVM of this release
    #[arg(long, value_name = "RELEASE", default_value_t = Release::NEWEST)]
    release: Release,
    /// List also the cases that are not for this release, with the reason
    #[arg(long)]
    all: bool,
    /// Print an array of objects
    #[arg(long)]
    json: bool,
    /// List the sets of options that JVMs can be started with instead
    #[arg(long, conflicts_with_all = ["filter", "all"])]
    vm_option_sets: bool,
    #[command(flatten)]
    cases: CaseArgs,
}

/// How cases are chosen, for `--help`.
pub const FILTERS: &str = "\
A filter is the id of a case, a part of it, a pattern for all of it (`*#phase/*`), or the name of
a function, event or chapter. A case is taken if any of the filters fits. The id of a rule that
holds for every call and event (`universal/...`) runs every case and shows that rule's verdict.

Examples:
  GetThreadState               cases about this function, and all with its name in their id
  thread                       the chapter, and all cases with this in their id
  '*#phase/onload'             what a rule makes of each function";

/// Lists cases.
pub fn list(args: &ListArgs) -> Result<Outcome, Fault> {
    if args.vm_option_sets {
        return list_sets(args);
    }
    let filters = Filters::new(args.filter.iter().cloned());
    // Giving back what the files and cases consist of, piece by piece, takes long; the program ends anyhow.
    let set = ManuallyDrop::new(args.cases.load()?);
    let (_, Selection { cases, mut inapplicable }) = selection(&set, args.release)?;
    let cases = ManuallyDrop::new(cases);
    inapplicable.retain(|case| args.all && filters.fits_id(&case.id));
    let keep = filters.keep(&cases);
    if !keep.contains(&true) && inapplicable.is_empty() {
        return Err(Fault::wrong(filters.nothing(&cases)));
    }
    let kept: Vec<&Case> = cases.iter().zip(keep).filter(|(_, keep)| *keep).map(|(case, _)| case).collect();
    if args.json {
        return print(&format!("{:#}\n", serde_json::json!(kept))).map(|()| Outcome::Fine);
    }
    let row = |case: &&Case| vec![case.id.clone(), case.about.clone()];
    let mut rows: Vec<Vec<String>> = kept.iter().map(row).collect();
    rows.extend(inapplicable.into_iter().map(|case| vec![case.id, format!("(not here: {})", case.reason)]));
    print(&table(&rows))?;
    Ok(Outcome::Fine)
}

fn list_sets(args: &ListArgs) -> Result<Outcome, Fault> {
    let set = args.cases.load()?;
    if args.json {
        return print(&format!("{:#}\n", serde_json::json!(set.configurations()))).map(|()| Outcome::Fine);
    }
    let row = |c: &Configuration| vec![c.name.clone(), c.options.join(" "), c.about.clone()];
    print(&table(&set.configurations().iter().map(row).collect::<Vec<_>>()))?;
    Ok(Outcome::Fine)
}

fn selection(set: &CaseSet, release: Release) -> Result<(Edition, Selection), Fault> {
    let edition = Spec::embedded().at(release);
    let selection = set.for_release(&edition).map_err(Fault::Diagnostics)?;
    Ok((edition, selection))
}

/// The arguments of `show`.
#[derive(clap::Args)]
pub struct ShowArgs {
    /// Its id, or a part that only one case has
    case: String,
    /// For a JVM of this release
    #[arg(long, value_name = "RELEASE", default_value_t = Release::NEWEST)]
    release: Release,
    /// Print all of it as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    cases: CaseArgs,
}

/// Shows a case.
pub fn show(args: &ShowArgs) -> Result<Outcome, Fault> {
    let (edition, Selection { cases, inapplicable }) = selection(&args.cases.load()?, args.release)?;
    let filters = Filters::new([args.case.clone()]);
    let fitting: Vec<&Case> =
        cases.iter().zip(filters.keep(&cases)).filter(|(_, keep)| *keep).map(|(case, _)| case).collect();
    let case = match fitting.as_slice() {
        [one] => *one,
        [] => {
            let elsewhere = inapplicable.iter().find(|case| case.id == args.case);
            return Err(Fault::wrong(match elsewhere {
                Some(case) => {
                    format!("{} does not apply to release {}: {}", case.id, args.release, case.reason)
                }
                None => filters.nothing(&cases),
            }));
        }
        many => {
            const SHOWN: usize = 10;
            let mut ids: Vec<&str> = many.iter().map(|case| case.id.as_str()).take(SHOWN).collect();
            let more = format!("… {} in all", many.len());
            if many.len() > SHOWN {
                ids.push(&more);
            }
            return Err(Fault::wrong(format!("several cases fit `{}`:\n  {}", args.case, ids.join("\n  "))));
        }
    };
    match args.json {
        true => print(&format!("{:#}\n", serde_json::json!(case)))?,
        false => {
            print(&jvmti_judge::describe(case, &edition, &Spec::embedded().assertions(edition.release)))?
        }
    }
    Ok(Outcome::Fine)
}

/// The arguments of `lint`.
#[derive(clap::Args)]
#[command(after_help = "\
Every file is checked for every release that its cases are meant for: keys, names, arguments, citations, ids.

Examples:
  jvmti-check lint                     the case files built in
  jvmti-check lint cases/              a folder")]
pub struct LintArgs {
    /// A folder of case files, or files and folders in one; the whole one is read, the faults of these are shown
    paths: Vec<PathBuf>,
}

/// Checks case files.
pub fn lint(args: &LintArgs) -> Result<Outcome, Fault> {
    if args.paths.is_empty() {
        let faults = case_files(None).map_err(Fault::cases)?.check();
        return report(faults, "the case files built in");
    }
    for path in &args.paths {
        let (folder, below) = folder_of(path)?;
        let mut faults = match load(&folder) {
            // What is merely advice is found again.
            Ok(set) => set.check(),
            Err(LoadError::Faulty(faults)) => faults,
            Err(error) => return Err(Fault::cases(error)),
        };
        faults.0.retain(|fault| Path::new(&fault.file.name).starts_with(&below));
        report(faults, &path.display().to_string())?;
    }
    Ok(Outcome::Fine)
}

fn report(faults: Diagnostics, what: &str) -> Result<Outcome, Fault> {
    if faults.has_errors() {
        return Err(Fault::Diagnostics(faults));
    }
    fault::show(&faults);
    note(&format!("{what}: no faults"));
    Ok(Outcome::Fine)
}

/// The whole folder of case files that a path lies in, which is marked by the list of scenarios, and the way from
/// there to the path.
fn folder_of(path: &Path) -> Result<(PathBuf, PathBuf), Fault> {
    let real = path
        .canonicalize()
        .map_err(|e| Fault::input(anyhow::Error::new(e).context(path.display().to_string())))?;
    let marked = real.ancestors().find(|folder| folder.join(SCENARIOS).is_file());
    let folder = match marked {
        Some(folder) => folder,
        None if real.is_dir() => &real,
        None => real.parent().unwrap_or(&real),
    };
    let below = real.strip_prefix(folder).unwrap_or(Path::new("")).to_owned();
    Ok((folder.to_owned(), below))
}
