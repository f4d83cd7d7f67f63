//! `jvmti-check spec …`

use std::path::PathBuf;

use jvmti_spec::show::{self, Kind};
use jvmti_spec::{Release, Spec, diff, import};

use super::Outcome;
use super::cases::CaseArgs;
use super::fault::Fault;
use super::terminal::print;

/// The subcommands of `spec`.
#[derive(clap::Subcommand)]
#[command(after_help = "\
Examples:
  jvmti-check spec show GetThreadState
  jvmti-check spec show can_support_virtual_threads
  jvmti-check spec list functions --since 9
  jvmti-check spec list assertions
  jvmti-check spec diff 17 25
  jvmti-check spec import jvmti.html")]
pub enum Command {
    /// Show what the specification says of a function, event, capability, error, type or chapter
    Show {
        /// Its name (`GetThreadState`, `INVALID_THREAD`, `jvmtiFrameInfo`, `thread`)
        name: String,
    },
    /// List functions, events, capabilities, errors, constants, structs, callbacks, chapters or
    /// assertions (the statements that cases cite)
    List {
        /// What to list
        kind: Kind,
        /// Only what this release or a later one introduced
        #[arg(long, value_name = "RELEASE")]
        since: Option<Release>,
    },
    /// Show what differs between two releases
    Diff {
        /// The one
        from: Release,
        /// The other
        to: Release,
    },
    /// Read a published specification (any release's jvmti.html) and show what it would change here
    Import {
        /// The page
        html: PathBuf,
    },
    /// Count the statements of the specification: registered, tested by cases, untestable
    Coverage(CoverageArgs),
}

/// The arguments of `spec coverage`.
#[derive(clap::Args)]
pub struct CoverageArgs {
    /// Only this release; may be repeated. Without it: every reviewed one
    #[arg(long, value_name = "RELEASE", visible_alias = "jdk")]
    release: Vec<Release>,
    /// List the statements that no case tests
    #[arg(long)]
    untested: bool,
    #[command(flatten)]
    cases: CaseArgs,
}

/// Runs a subcommand of `spec`.
pub fn spec(command: &Command) -> Result<Outcome, Fault> {
    let spec = Spec::embedded();
    match command {
        Command::Show { name } => print(&show::show(spec, name).map_err(Fault::input)?)?,
        Command::List { kind, since } => print(&show::list(spec, *kind, *since))?,
        Command::Diff { from, to } => {
            let (from, to) = (reviewed(*from)?, reviewed(*to)?);
            let diff = diff::editions(&spec.at(from), &spec.at(to));
            match diff.is_empty() {
                true => print(&format!("{from} and {to} say the same.\n"))?,
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
                true => format!("release {}: the page and the facts here agree\n", edition.release),
                false => changes.to_string(),
            })?;
        }
        Command::Coverage(args) => {
            print(&super::coverage::coverage(&args.release, args.untested, &args.cases)?)?;
        }
    }
    Ok(Outcome::Fine)
}

fn reviewed(release: Release) -> Result<Release, Fault> {
    if release == release.clamped() {
        return Ok(release);
    }
    let known = Release::REVIEWED.map(|r| r.to_string()).join(", ");
    Err(Fault::wrong(format!("nothing is known of release {release}; reviewed are {known}")))
}
