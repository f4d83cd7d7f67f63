//! `jvmti-check case new`: a first case to start from.

use std::path::PathBuf;

use jvmti_spec::edition::{Function, Phase};
use jvmti_spec::{Release, Spec};

use super::Completed;
use super::fault::Fault;
use super::terminal::{note, print};

/// The subcommands of `case`.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Write a first case about a function
    #[command(after_help = "\
The file passes `jvmti-check lint`, and the case passes on a JVM that conforms. Change its id, scenario, arguments and \
expectations as you like.

Example:
  jvmti-check case new GetThreadState --out my-cases/state.yaml
  jvmti-check lint my-cases; jvmti-check run my/GetThreadState --cases my-cases")]
    New {
        /// The function
        function: String,
        /// Write the case to this file instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// Runs a subcommand of `case`.
pub fn case(command: &Command) -> Result<Completed, Fault> {
    let Command::New { function, out } = command;
    let text = first_case(function).ok_or_else(|| unknown(function))?;
    let Some(path) = out else { return print(&text).map(|()| Completed::Fine) };
    let failed =
        |error: std::io::Error| Fault::input(anyhow::Error::new(error).context(path.display().to_string()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    // Whatever is there is somebody's work.
    let mut file = std::fs::File::create_new(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Fault::wrong(format!("{} exists already: name another file, or remove it", path.display()))
        }
        _ => failed(error),
    })?;
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)?;
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .map_or(".".to_owned(), |p| p.display().to_string());
    note(&format!(
        "written: {}\nnow: jvmti-check lint {folder}; jvmti-check run my/{function} --cases {folder}",
        path.display()
    ));
    Ok(Completed::Fine)
}

fn unknown(name: &str) -> Fault {
    let newest = Spec::embedded().newest();
    let known = newest.functions.iter().map(|function| function.name.as_str());
    Fault::unknown(format!("no function `{name}`"), name, known)
}

/// A file with one case about the function, if there is one of that name.
fn first_case(name: &str) -> Option<String> {
    let newest = Spec::embedded().newest();
    let function = newest.function(name)?;
    let first = Release::REVIEWED
        .into_iter()
        .find(|release| Spec::embedded().at(*release).function(name).is_some())?;
    let releases =
        if first == Release::REVIEWED[0] { String::new() } else { format!("releases: \"{first}..\"\n") };
    let live = function.phases.contains(&Phase::Live);
    let (at, scenario, phase) = match live {
        true => ("checkpoint(ready)", "scenario: Objects\n", "live"),
        false => ("on_load", "", "onload"),
    };
    let capabilities = match function.capabilities.required.as_slice() {
        [] => String::new(),
        needed => format!("  capabilities: [{}]\n", needed.join(", ")),
    };
    Some(format!(
        "# A case about {name}. Check it: jvmti-check lint FOLDER. Run it: jvmti-check run my/{name} --cases FOLDER\n\
         # What a case may say: docs/writing-cases.md, `jvmti-check schema case`. What scenarios offer: cases/scenarios.yaml.\n\
         # Statements about {name} that a case may cite:\n{}\
         chapter: {}\n{scenario}{releases}cases:\n\
         - id: my/{name}\n  \
         about: {name} does not return WRONG_PHASE in the {phase} phase\n{capabilities}  \
         at: {at}\n  \
         # `minimal` passes the smallest well-formed arguments; `with: {{parameter: value}}` gives others.\n  \
         call: {{{name}: minimal}}\n  \
         # Outputs are checked by name, such as `count_ptr: {{at_least: 1}}`; `error: NONE` demands success.\n  \
         expect: {{error: not(WRONG_PHASE)}}\n  \
         cites: \"{name}#phase/{phase}\"\n",
        statements(function),
        function.chapter,
    ))
}

/// The statements about the function, a comment line each.
fn statements(function: &Function) -> String {
    const SHOWN: usize = 12;
    let all = Spec::embedded().assertions(Release::NEWEST);
    let about = all.iter().filter(|a| a.subject.as_deref() == Some(&function.name) && a.untestable.is_none());
    about.take(SHOWN).map(|a| format!("#   {}\n", a.id)).collect()
}

#[cfg(test)]
mod tests {
    use jvmti_cases::built_in::layered;

    use super::*;

    #[test]
    fn the_first_case_about_each_function_is_faultless() {
        let folder = tempfile::tempdir().unwrap();
        for function in Spec::embedded().newest().functions {
            let text = first_case(&function.name).unwrap();
            std::fs::write(folder.path().join(format!("{}.yaml", function.name)), text).unwrap();
        }
        let set =
            layered(None, &[folder.path().to_owned()]).map_err(|e| format!("{:?}", miette::Report::new(e)));
        let faults = set.unwrap().check();
        assert!(faults.0.is_empty(), "{:?}", miette::Report::new(faults));
    }
}
