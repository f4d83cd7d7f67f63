//! `jvmti-check`: tells whether a JVM keeps the promises of JVM TI.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
