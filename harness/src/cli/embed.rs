//! `jvmti-check embed`: a launcher with a statically linked agent, for cases about such agents.

use std::path::PathBuf;
use std::process::ExitCode;

use jvmti_probe::embed::{EmbedError, Program, run};
use jvmti_wire::plan::NOT_LOADABLE;

use super::fault::Fault;
use super::terminal::note;

/// The arguments of `embed`.
#[derive(clap::Args)]
pub struct Args {
    /// The JVM's library
    vm: PathBuf,
    /// The arguments of the `java` launcher: options, `-cp PATH`, the main class and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<String>,
}

/// Runs the program; this process ends with the same exit code.
pub fn embed(args: Args) -> Result<ExitCode, Fault> {
    let code = match run(program(args.vm, args.command)) {
        Err(error @ EmbedError::Library { .. }) => {
            note(&error.to_string());
            NOT_LOADABLE
        }
        Err(EmbedError::Create(_)) => 1,
        other => other.map_err(Fault::work)?,
    };
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

fn program(vm: PathBuf, command: Vec<String>) -> Program {
    let mut words = command.into_iter();
    let mut options = Vec::new();
    let mut main_class = String::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-cp" | "-classpath" => {
                options.extend(words.next().map(|path| format!("-Djava.class.path={path}")))
            }
            option if option.starts_with('-') => options.push(word),
            _ => {
                main_class = word;
                break;
            }
        }
    }
    Program { vm, options, main_class, args: words.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_as_a_launcher_does() {
        let words = ["-Xint", "-cp", "a:b", "p.Main", "-x", "y"].map(str::to_owned).to_vec();
        let program = program("libjvm.so".into(), words);
        assert_eq!(program.options, ["-Xint", "-Djava.class.path=a:b"]);
        assert_eq!((program.main_class.as_str(), program.args), ("p.Main", vec!["-x".into(), "y".into()]));
    }
}
