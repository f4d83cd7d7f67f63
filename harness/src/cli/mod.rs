//! The command line: one module per command, each a thin layer over the library.

mod again;
mod agent;
mod case_new;
mod cases;
mod class_path;
mod compare;
mod coverage;
#[cfg(test)]
mod documented;
mod embed;
mod explore;
mod fault;
mod find;
mod jdks;
mod judge;
mod known;
mod lint;
mod merge;
mod number;
mod outline;
mod output;
mod progress;
mod provenance;
mod report;
mod run;
mod schema;
mod shell;
mod spec;
mod terminal;
mod timings;
mod trace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Checks whether a Java virtual machine conforms to the specification of the JVM Tool Interface (JVM TI).
///
/// Each case calls JVM TI functions and receives JVM TI events inside a running JVM, through a probe agent that records
/// them in a trace. jvmti-check then computes verdicts from the trace. Each verdict cites the statements of the
/// specification that it rests on.
#[derive(Parser)]
#[command(name = "jvmti-check", version, long_version = shell::version(), about, long_about, after_long_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  jvmti-check jdks                          list the JVMs on this machine
  jvmti-check run                           run all cases on each of them
  jvmti-check run GetThreadState -j 1       run the cases about one function, one JVM at a time
  jvmti-check run --jdk ~/jdks/25 --out report/
                                            test one JVM; write JSON, JUnit XML, HTML and Markdown
  jvmti-check show thread/get-thread-state/sleeping
                                            show what a case does and which statements it cites
  jvmti-check spec show GetThreadState      show what the specification says, and since when
  jvmti-check spec diff 17 25               show what changed between two releases

Exit codes:
  0  nothing unexpected            2  invalid usage or input
  1  something unexpected          3  jvmti-check itself failed
                                 130  interrupted

Run `jvmti-check help COMMAND` for the details of a command.";

#[derive(Subcommand)]
enum Command {
    /// List the JVMs on this machine, with what each reports about itself
    Jdks(jdks::Args),
    /// List the cases
    List(cases::ListArgs),
    /// Show one case: what it does, expects and cites
    Show(cases::ShowArgs),
    /// Run cases on JVMs and report the verdicts
    Run(Box<run::Args>),
    /// Explore JVMs by random sequences of calls, judged by a model of the specification
    Explore(explore::Args),
    /// Run the cases with unexpected verdicts again
    Rerun(again::Args),
    /// Merge results files: the shards of a run, or runs on different JVMs
    Merge(merge::Args),
    /// Generate reports from results, or publish results
    Report(report::Args),
    /// Compare the results of two runs
    Compare(compare::Args),
    /// List the known deviations of JVMs, and update the lists
    #[command(subcommand)]
    Known(known::Command),
    /// Compute verdicts again from traces, without a JVM
    Judge(judge::Args),
    /// Show or export a trace
    #[command(subcommand)]
    Trace(trace::Command),
    /// Query the specification, and compare its releases
    #[command(subcommand)]
    Spec(spec::Command),
    /// Check case files for mistakes
    Lint(lint::LintArgs),
    /// Write a first case of your own
    #[command(subcommand)]
    Case(case_new::Command),
    /// Print the JSON Schema of a kind of file
    Schema(schema::Args),
    /// Record, check, test and compare native agents
    #[command(subcommand)]
    Agent(agent::Command),
    /// Print completions for a shell
    Completions(shell::CompletionArgs),
    /// Write man pages
    #[command(hide = true)]
    Man(shell::ManArgs),
    /// Run a Java program in a JVM that this process creates, with the probe linked statically
    #[command(hide = true)]
    Embed(embed::Args),
}

/// The outcome of a command that did its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Completed {
    /// Nothing unexpected.
    Fine,
    /// A deviation, a difference or another unexpected result.
    Unexpected,
    /// The command ran a program for the user, which ended with this exit code.
    Program(u8),
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // clap exits with 2 for errors, and with 0 for help and version.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let outcome = match cli.command {
        Command::Jdks(args) => jdks::jdks(&args),
        Command::List(args) => cases::list(&args),
        Command::Show(args) => cases::show(&args),
        Command::Run(args) => run::run(&args),
        Command::Explore(args) => explore::explore_jvms(&args),
        Command::Merge(args) => merge::merge(&args),
        Command::Report(args) => report::report(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Known(command) => known::known(&command),
        Command::Judge(args) => judge::judge(&args),
        Command::Trace(command) => trace::trace(&command),
        Command::Spec(command) => spec::spec(&command),
        Command::Rerun(args) => again::rerun(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
        Command::Case(command) => case_new::case(&command),
        Command::Lint(args) => lint::lint(&args),
        Command::Schema(args) => schema::schema(&args),
        Command::Agent(command) => agent::agent(&command),
        Command::Embed(args) => match embed::embed(args) {
            Ok(code) => return code,
            Err(fault) => Err(fault),
        },
    };
    match outcome {
        Ok(Completed::Fine) => ExitCode::SUCCESS,
        Ok(Completed::Unexpected) => ExitCode::from(1),
        Ok(Completed::Program(code)) => ExitCode::from(code),
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
