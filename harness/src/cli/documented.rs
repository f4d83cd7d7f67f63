//! The commands that the documentation and the help show are commands that the program takes.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use super::Cli;

/// A command line that somebody reads, and where.
struct Shown {
    place: String,
    line: String,
}

/// The pages for people.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.chain(["README.md", "CONTRIBUTING.md"].map(|page| root.join(page)));
    pages.filter(|page| page.extension().is_some_and(|extension| extension == "md")).collect()
}

/// The commands in the code blocks and code spans of a page.
fn on_page(page: &Path) -> Vec<Shown> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut is_block = false;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let mut add = |line: &str| {
            found.push(Shown { place: format!("{}:{number}", page.display()), line: line.to_owned() });
        };
        if line.trim_start().starts_with("```") {
            is_block = !is_block;
        } else if is_block {
            add(line.strip_prefix("$ ").unwrap_or(line).split(" #").next().unwrap_or(line));
        } else {
            line.split('`').skip(1).step_by(2).for_each(add);
        }
    }
    found
}

/// The examples in the help of a command and of those below it.
fn in_help(command: &mut clap::Command, path: &str, found: &mut Vec<Shown>) {
    let path = format!("{path} {}", command.get_name());
    let help = command.render_long_help().to_string();
    let examples = help.lines().map(str::trim_start).filter(|line| line.starts_with("jvmti-check "));
    // What an example does stands behind it, or on the next line.
    let line = |line: &str| line.split("  ").next().unwrap_or(line).to_owned();
    found.extend(examples.map(|example| Shown { place: format!("help of{path}"), line: line(example) }));
    command.get_subcommands_mut().for_each(|below| in_help(below, &path, found));
}

/// The arguments of each command of the program in a line, until something that only a shell understands.
fn commands(line: &str) -> impl Iterator<Item = Vec<String>> {
    let parts = line.split("; ").map(|part| part.split(['|', '>']).next().unwrap_or(part).trim());
    let is_command = |part: &&str| part.starts_with("jvmti-check ") && *part != "jvmti-check help COMMAND";
    parts
        .filter(is_command)
        .map(|part| shlex::split(part).unwrap_or_else(|| panic!("quotes that do not match: {part}")))
}

#[test]
fn the_program_takes_every_command_that_is_shown() {
    let mut shown: Vec<Shown> = pages().iter().flat_map(|page| on_page(page)).collect();
    assert!(shown.len() > 100, "the pages are not where they were");
    in_help(&mut Cli::command().term_width(0), "", &mut shown);
    let mut wrong = Vec::new();
    for Shown { place, line } in &shown {
        for args in commands(line) {
            let Err(error) = Cli::try_parse_from(&args) else { continue };
            // A command that is only named, as in "`jvmti-check run` writes", may lack what it requires.
            let is_named = matches!(
                error.kind(),
                ErrorKind::DisplayHelp
                    | ErrorKind::DisplayVersion
                    | ErrorKind::MissingRequiredArgument
                    | ErrorKind::MissingSubcommand
                    | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            );
            if !is_named {
                let why = error.to_string();
                wrong.push(format!(
                    "{place}: {}\n  {}",
                    args.join(" "),
                    why.lines().next().unwrap_or_default()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
