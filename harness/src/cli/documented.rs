//! The commands that the documentation and the help show are commands that the program takes. `harness/tests/shown.rs` runs those
//! that readers type.

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use super::Cli;

#[path = "../../tests/support/pages.rs"]
mod pages;

/// A command line that somebody reads, and where.
struct Shown {
    place: String,
    line: String,
}

/// The commands in the code blocks and code spans of a page.
fn on_page(page: &pages::Page) -> Vec<Shown> {
    let command = |code: &pages::Code<'_>| match code.block {
        None => code.text.to_owned(),
        Some(_) => {
            let line = code.text.strip_prefix("$ ").unwrap_or(code.text);
            line.split(" #").next().unwrap_or(line).to_owned()
        }
    };
    let shown = |code| Shown { line: command(&code), place: format!("{}:{}", page.name, code.line) };
    page.code().into_iter().map(shown).collect()
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
    let mut shown: Vec<Shown> = pages::pages().iter().flat_map(on_page).collect();
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
