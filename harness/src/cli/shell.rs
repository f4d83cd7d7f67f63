//! `jvmti-check completions`, `man`, and what `--version` says.

use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap_complete::Shell;
use jvmti_spec::Release;

use super::terminal::{note, print};
use super::{Cli, Completed, fault::Fault};

/// The arguments of `completions`.
#[derive(clap::Args)]
pub struct CompletionArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the completions for a shell.
pub fn completions(args: &CompletionArgs) -> Result<Completed, Fault> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "jvmti-check", &mut text);
    print(&String::from_utf8_lossy(&text))?;
    Ok(Completed::Fine)
}

/// The arguments of `man`.
#[derive(clap::Args)]
pub struct ManArgs {
    /// The folder for the pages
    folder: PathBuf,
}

/// Writes a man page for the program, and one for each command.
pub fn man(args: &ManArgs) -> Result<Completed, Fault> {
    let failed = |error: std::io::Error| {
        Fault::input(anyhow::Error::new(error).context(args.folder.display().to_string()))
    };
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    let mut command = Cli::command();
    command.build();
    pages(&command, "jvmti-check", &args.folder).map_err(failed)?;
    note(&format!("written: {}", args.folder.display()));
    Ok(Completed::Fine)
}

fn pages(command: &clap::Command, name: &str, folder: &Path) -> std::io::Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone().name(name.to_owned())).render(&mut page)?;
    std::fs::write(folder.join(format!("{name}.1")), page)?;
    for inner in command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
        pages(inner, &format!("{name}-{}", inner.get_name()), folder)?;
    }
    Ok(())
}

/// What `--version` says: the version, the commit, and the releases whose specification the program knows.
pub fn version() -> String {
    let suite = crate::suite();
    let commit = suite.commit.unwrap_or_else(|| "unknown".to_owned());
    let releases: Vec<String> = Release::REVIEWED.iter().map(ToString::to_string).collect();
    format!("{}\ncommit {commit}\nspecification of releases {}", suite.version, releases.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        man(&ManArgs { folder: folder.path().to_owned() }).unwrap();
        for page in ["jvmti-check.1", "jvmti-check-run.1", "jvmti-check-agent-record.1"] {
            let text = std::fs::read_to_string(folder.path().join(page)).unwrap();
            assert!(text.contains(".TH"), "{page}");
        }
        assert!(!folder.path().join("jvmti-check-embed.1").exists());
    }

    #[test]
    fn the_version_names_commit_and_releases() {
        let version = version();
        assert!(version.contains("commit ") && version.contains("releases 8, "), "{version}");
    }
}
