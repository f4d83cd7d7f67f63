//! `jvmti-check list` and `show`.

use std::mem::ManuallyDrop;
use std::path::PathBuf;

use jvmti_cases::built_in::{VARIABLE, layered};
use jvmti_cases::configuration::Configuration;
use jvmti_cases::model::Case;
use jvmti_cases::outline::Outline;
use jvmti_cases::select::Filters;
use jvmti_cases::{CaseSet, Selection};
use jvmti_reports::matrix::Matrix;
use jvmti_spec::{Edition, Release, Spec};

use super::Completed;
use super::fault::Fault;
use super::outline::outline;
use super::spec::reviewed;
use super::terminal::{note, print, table};

/// The folders that cases are read from.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CaseArgs {
    /// Add the case files in this folder to the built-in ones. A file, case or scenario with the name of a built-in one
    /// replaces it. May be repeated
    #[arg(long, value_name = "DIR")]
    pub cases: Vec<PathBuf>,
    /// Use the case files in this folder instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    pub only_cases: Option<PathBuf>,
}

impl CaseArgs {
    /// Whether the cases are those that this program was built with.
    pub fn are_built_in(&self) -> bool {
        self.cases.is_empty() && self.only_cases.is_none() && std::env::var_os(VARIABLE).is_none()
    }

    /// Reads the cases.
    pub fn load(&self) -> Result<CaseSet, Fault> {
        layered(self.only_cases.as_deref(), &self.cases).map_err(Fault::cases)
    }
}

/// The arguments of `list`.
#[derive(clap::Args)]
#[command(after_help = FILTERS)]
pub struct ListArgs {
    /// List the cases that match any of these filters [default: all cases]
    filter: Vec<String>,
    /// List the cases for JVMs of this release
    #[arg(long, value_name = "RELEASE", default_value_t = Release::NEWEST)]
    release: Release,
    /// Also list the cases that do not apply to this release, with the reason
    #[arg(long)]
    all: bool,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
    /// Show the cases that rules make as tables: functions by states, errors and phases, classes by edits. A cell has the
    /// number of its cases
    #[arg(long, conflicts_with_all = ["json", "all"])]
    matrix: bool,
    /// List the configurations (named sets of JVM options) instead of cases
    #[arg(long, conflicts_with_all = ["filter", "all", "matrix"])]
    vm_option_sets: bool,
    #[command(flatten)]
    cases: CaseArgs,
}

/// How filters select cases, for `--help`.
pub const FILTERS: &str = "\
A filter is the id of a case or a part of it, a pattern that matches a whole id (`*#phase/*`), the name of a \
function, event or chapter, or the id of a statement, which selects the cases that cite it. A case is selected if it matches any filter. A filter that is the id of a universal rule \
(`universal/...`) runs all cases and shows only the verdict of that rule.

Examples:
  GetThreadState               the cases about this function, and those with its name in their id
  thread                       the cases of this chapter, and those with this text in their id
  '*#phase/onload'             the case of this rule for each function
  thread-state/sleeping        the cases that cite this statement (`spec list assertions`)";

/// Lists cases.
pub fn list(args: &ListArgs) -> Result<Completed, Fault> {
    if args.vm_option_sets {
        return list_sets(args);
    }
    let filters = Filters::new(args.filter.iter().cloned());
    let (cases, mut inapplicable) = match args.json {
        true => {
            let (_, Selection { cases, inapplicable }) = selection(&args.cases.load()?, args.release)?;
            (cases, inapplicable)
        }
        false => {
            let Outline { cases, inapplicable } = outline(&args.cases, reviewed(args.release)?)?;
            (cases, inapplicable)
        }
    };
    // Dropping the cases takes long, and the program is about to end.
    let cases = ManuallyDrop::new(cases);
    let ids: Vec<&str> = inapplicable.iter().map(|case| case.id.as_str()).collect();
    if let Some(filter) = filters.without_case(&cases, &ids) {
        return Err(Fault::wrong(Filters::new([filter.to_owned()]).nothing(&cases)));
    }
    inapplicable.retain(|case| args.all && filters.fits_id(&case.id));
    let keep = filters.keep(&cases);
    if !keep.contains(&true) && inapplicable.is_empty() {
        return Err(Fault::wrong(filters.nothing(&cases)));
    }
    let kept: Vec<&Case> = cases.iter().zip(keep).filter(|(_, keep)| *keep).map(|(case, _)| case).collect();
    if args.json {
        return print(&format!("{:#}\n", serde_json::json!(kept))).map(|()| Completed::Fine);
    }
    if args.matrix {
        return list_matrices(&kept);
    }
    if let Some((filter, hidden)) = filters.hiding(&cases) {
        note(&format!("`{filter}` is the id of one case; '{filter}/*' selects those below it ({hidden})"));
    }
    let row = |case: &&Case| vec![case.id.clone(), case.about.clone()];
    let mut rows: Vec<Vec<String>> = kept.iter().map(row).collect();
    rows.extend(
        inapplicable.into_iter().map(|case| vec![case.id, format!("(does not apply: {})", case.reason)]),
    );
    print(&table(&rows))?;
    Ok(Completed::Fine)
}

fn list_matrices(cases: &[&Case]) -> Result<Completed, Fault> {
    let (matrices, apart) = Matrix::among(cases.iter().map(|case| case.id.as_str()));
    let mut text: String = matrices.iter().map(|matrix| format!("{matrix}\n")).collect();
    text.push_str(&format!(
        "{apart} of {} cases are in no table: `jvmti-check list` names them.\n",
        cases.len()
    ));
    print(&text).map(|()| Completed::Fine)
}

fn list_sets(args: &ListArgs) -> Result<Completed, Fault> {
    let set = args.cases.load()?;
    if args.json {
        return print(&format!("{:#}\n", serde_json::json!(set.configurations()))).map(|()| Completed::Fine);
    }
    let row = |c: &Configuration| vec![c.name.clone(), c.options.join(" "), c.about.clone()];
    print(&table(&set.configurations().iter().map(row).collect::<Vec<_>>()))?;
    Ok(Completed::Fine)
}

fn selection(set: &CaseSet, release: Release) -> Result<(Edition, Selection), Fault> {
    let edition = Spec::embedded().at(reviewed(release)?);
    let selection = set.for_release(&edition).map_err(Fault::Diagnostics)?;
    Ok((edition, selection))
}

/// The arguments of `show`.
#[derive(clap::Args)]
pub struct ShowArgs {
    /// The id of the case, or a part of the id that no other case has
    case: String,
    /// Show the case as it is for JVMs of this release
    #[arg(long, value_name = "RELEASE", default_value_t = Release::NEWEST)]
    release: Release,
    /// Print the case as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    cases: CaseArgs,
}

/// Shows a case.
pub fn show(args: &ShowArgs) -> Result<Completed, Fault> {
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
            return Err(Fault::wrong(format!(
                "`{}` matches several cases:\n  {}",
                args.case,
                ids.join("\n  ")
            )));
        }
    };
    match args.json {
        true => print(&format!("{:#}\n", serde_json::json!(case)))?,
        false => {
            print(&jvmti_judge::describe(case, &edition, &Spec::embedded().assertions(edition.release)))?
        }
    }
    Ok(Completed::Fine)
}
