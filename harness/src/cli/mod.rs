//! The command line: one module per command, each a thin layer over the library.

mod agent;
mod cases;
mod compare;
mod coverage;
mod embed;
mod fault;
mod find;
mod jdks;
mod judge;
mod known;
mod merge;
mod output;
mod report;
mod run;
mod schema;
mod spec;
mod terminal;
mod trace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Checks whether a Java virtual machine keeps the promises of the JVM Tool Interface.
///
/// Each case drives real JVM TI functions and events inside a real JVM through a small agent, which records what
/// happens; the verdict is then reached from the record, and cites the statement of the specification it rests on.
#[derive(Parser)]
#[command(name = "jvmti-check", version, about, long_about, after_long_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  jvmti-check jdks                          the JVMs of this machine, and what they are
  jvmti-check run                           every case on each of them
  jvmti-check run GetThreadState -j 1       the cases about one function
  jvmti-check run --jdk ~/jdks/25 --out report/
                                            one JVM; results as JSON, JUnit XML, HTML and Markdown
  jvmti-check show thread/get-thread-state/sleeping
                                            what one case does, and the statements it rests on
  jvmti-check spec show GetThreadState      what the specification says, and since when
  jvmti-check spec diff 17 25               what changed between two releases

Exit codes:
  0  nothing unexpected            2  wrong usage or input
  1  something unexpected          3  jvmti-check could not do its work

`jvmti-check help COMMAND` tells more about a command.";

#[derive(Subcommand)]
enum Command {
    /// List the JVMs of this machine, as they describe themselves
    Jdks(jdks::Args),
    /// List the cases
    List(cases::ListArgs),
    /// Show one case: what it does, expects and cites
    Show(cases::ShowArgs),
    /// Run cases on JVMs and report the verdicts
    Run(Box<run::Args>),
    /// Make one of several results: shards of a run, or runs of different JVMs
    Merge(merge::Args),
    /// Make reports of results, and publish results
    Report(report::Args),
    /// Tell what changed from one run to another
    Compare(compare::Args),
    /// Look at the known deviations of real JVMs, and bring their lists up to date
    #[command(subcommand)]
    Known(known::Command),
    /// Judge a trace again, without any JVM
    Judge(judge::Args),
    /// Look into a trace
    #[command(subcommand)]
    Trace(trace::Command),
    /// Ask what the specification says, and compare its releases
    #[command(subcommand)]
    Spec(spec::Command),
    /// Check case files for faults
    Lint(cases::LintArgs),
    /// Print the JSON Schema of a kind of file
    Schema(schema::Args),
    /// Record what an agent does, whoever wrote it
    #[command(subcommand)]
    Agent(agent::Command),
    /// Run a Java program in a JVM made by this process, which has the probe linked into it
    #[command(hide = true)]
    Embed(embed::Args),
}

/// What a command came to, where it did its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing unexpected.
    Fine,
    /// Something unexpected.
    Unexpected,
    /// A program was run in the user's place, with this exit code.
    Program(u8),
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // clap knows which of its answers are errors (2) and which were asked for (0).
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let outcome = match cli.command {
        Command::Jdks(args) => jdks::jdks(&args),
        Command::List(args) => cases::list(&args),
        Command::Show(args) => cases::show(&args),
        Command::Run(args) => run::run(&args),
        Command::Merge(args) => merge::merge(&args),
        Command::Report(args) => report::report(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Known(command) => known::known(&command),
        Command::Judge(args) => judge::judge(&args),
        Command::Trace(command) => trace::trace(&command),
        Command::Spec(command) => spec::spec(&command),
        Command::Lint(args) => cases::lint(&args),
        Command::Schema(args) => schema::schema(&args),
        Command::Agent(command) => agent::agent(&command),
        Command::Embed(args) => match embed::embed(args) {
            Ok(code) => return code,
            Err(fault) => Err(fault),
        },
    };
    match outcome {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Unexpected) => ExitCode::from(1),
        Ok(Outcome::Program(code)) => ExitCode::from(code),
        Err(fault) => fault.report(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
