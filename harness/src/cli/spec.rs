//! `jvmti-check spec …`

use std::path::PathBuf;

use jvmti_spec::show::{self, Kind};
use jvmti_spec::{Release, Spec, diff, import};

use super::Completed;
use super::cases::CaseArgs;
use super::fault::Fault;
use super::terminal::print;

/// The subcommands of `spec`.
#[derive(clap::Subcommand)]
#[command(after_help = "\
Examples:
  jvmti-check spec show GetThreadState
  jvmti-check spec show can_support_virtual_threads
  jvmti-check spec show thread-state/sleeping
  jvmti-check spec list functions --since 9
  jvmti-check spec list assertions
  jvmti-check spec diff 17 25
  jvmti-check spec import jvmti.html")]
pub enum Command {
    /// Show what the specification says about a function, event, capability, error, type or chapter
    Show {
        /// A name, such as `GetThreadState`, `INVALID_THREAD`, `jvmtiFrameInfo` or `thread`, or the id of a statement,
        /// such as `thread-state/sleeping`
        name: String,
    },
    /// List functions, events, capabilities, errors, constants, structs, callbacks, chapters or
    /// assertions (the statements that cases cite)
    List {
        /// What to list
        kind: Kind,
        /// List only what was introduced in this release or a later one
        #[arg(long, value_name = "RELEASE")]
        since: Option<Release>,
    },
    /// Show the differences between two releases
    Diff {
        /// The earlier release
        from: Release,
        /// The later release
        to: Release,
    },
    /// Read a published specification (the jvmti.html of any release) and show how it differs from the facts in spec/
    Import {
        /// The HTML page
        html: PathBuf,
    },
    /// Count the statements of the specification that are registered, tested by cases, or untestable
    Coverage(CoverageArgs),
}

/// The arguments of `spec coverage`.
#[derive(clap::Args)]
pub struct CoverageArgs {
    /// Count for this release. May be repeated [default: every reviewed release]
    #[arg(long, value_name = "RELEASE", visible_alias = "jdk")]
    pub(super) release: Vec<Release>,
    /// List the statements that no case tests
    #[arg(long)]
    pub(super) untested: bool,
    /// Count as tested only what was judged in these results, on some JVM of the release: a results file, or a folder of
    /// published results. May be repeated
    #[arg(long, value_name = "RESULTS")]
    pub(super) results: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) cases: CaseArgs,
}

/// Runs a subcommand of `spec`.
pub fn spec(command: &Command) -> Result<Completed, Fault> {
    let spec = Spec::embedded();
    match command {
        Command::Show { name } => print(&show::show(spec, name).map_err(Fault::input)?)?,
        Command::List { kind, since } => print(&show::list(spec, *kind, *since))?,
        Command::Diff { from, to } => {
            let (from, to) = (reviewed(*from)?, reviewed(*to)?);
            let diff = diff::editions(&spec.at(from), &spec.at(to));
            match diff.is_empty() {
                true => print(&format!("The specification does not differ between {from} and {to}.\n"))?,
                false => print(&diff.to_string())?,
            }
        }
        Command::Import { html } => {
            let bytes = std::fs::read(html)
                .map_err(|e| Fault::input(anyhow::Error::new(e).context(html.display().to_string())))?;
            let text = String::from_utf8_lossy(&bytes);
            let edition = import::read(&text)
                .map_err(|e| Fault::input(anyhow::Error::new(e).context(html.display().to_string())))?;
            let changes = import::changes(spec, &edition);
            print(&match changes.is_empty() {
                true => format!("release {}: the page agrees with the facts in spec/\n", edition.release),
                false => changes.to_string(),
            })?;
        }
        Command::Coverage(args) => {
            print(&super::coverage::coverage(args)?)?;
        }
    }
    Ok(Completed::Fine)
}

/// A release of which something is known: between the oldest and the newest one whose specification was reviewed.
pub(super) fn reviewed(release: Release) -> Result<Release, Fault> {
    if release == release.clamped() {
        return Ok(release);
    }
    let known = Release::REVIEWED.map(|r| r.to_string()).join(", ");
    Err(Fault::wrong(format!("release {release} has not been reviewed; the reviewed releases are {known}")))
}
