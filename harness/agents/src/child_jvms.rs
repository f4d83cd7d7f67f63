//! JVMs that a recorded program starts. They get the probe only if the program passes its own options on to them; of the
//! others nothing is recorded, and the user is told which they are.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use jvmti_wire::trace::{child, file};

use crate::os;

/// Of the processes that a program starts, so many are looked at.
const MOST: usize = 256;
/// A process that is none after so many looks may still become a JVM, but is asked less often.
const LOOKS: u32 = 50;
const SELDOM: u32 = 32;
/// Until a new process becomes another program, it looks like the one that has started it.
const SAME: u32 = 5;
/// Variables by which JVMs and their launchers take options.
const VARIABLES: [&str; 2] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"];

/// A JVM that the program has started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildJvm {
    /// The number of its process.
    pub process: u32,
    /// Its command line without the probe's option, if it was seen while it ran.
    pub command: Vec<String>,
    /// The options that load agents into it, but for the probe's.
    pub agents: Vec<String>,
    /// Its own trace, if it got the probe.
    pub trace: Option<PathBuf>,
    /// It had not ended when the program had.
    pub runs: bool,
}

/// Looks for them while the program runs.
#[derive(Debug)]
pub struct ChildJvms {
    program: u32,
    looks: u32,
    seen: BTreeMap<u32, Seen>,
}

/// A process below the program.
#[derive(Debug)]
struct Seen {
    parent: u32,
    looks: u32,
    jvm: Option<ChildJvm>,
}

impl ChildJvms {
    /// Those of the program in that process.
    pub fn of(program: u32) -> ChildJvms {
        ChildJvms { program, looks: 0, seen: BTreeMap::new() }
    }

    /// Looks at what there is now.
    pub fn look(&mut self) {
        self.looks += 1;
        let mut parents = vec![self.program];
        while let Some(parent) = parents.pop() {
            for process in os::children(parent) {
                let has_room = self.seen.len() < MOST;
                if self.seen.contains_key(&process) || has_room {
                    self.seen.entry(process).or_insert(Seen { parent, looks: 0, jvm: None });
                    parents.push(process);
                }
            }
        }
        for (process, seen) in self.seen.iter_mut().filter(|(_, seen)| seen.jvm.is_none()) {
            seen.looks += 1;
            if seen.looks <= LOOKS || self.looks.is_multiple_of(SELDOM) {
                seen.jvm = seen.looked_at(*process);
            }
        }
    }

    /// The program has ended, and has recorded to that file. Completes the traces of child JVMs that have ended.
    pub fn finish(self, live: &Path) -> Vec<ChildJvm> {
        let mut all: BTreeMap<u32, ChildJvm> =
            self.seen.into_iter().filter_map(|(process, seen)| Some((process, seen.jvm?))).collect();
        for (process, trace) in traces(live) {
            let unseen =
                || ChildJvm { process, command: Vec::new(), agents: Vec::new(), trace: None, runs: false };
            all.entry(process).or_insert_with(unseen).trace = Some(trace);
        }
        let mut all: Vec<ChildJvm> = all.into_values().collect();
        for child in &mut all {
            child.runs = os::is_jvm(child.process);
            // Whoever cuts off a file that a process has mapped ends that process.
            if let Some(trace) = child.trace.as_ref().filter(|_| !child.runs) {
                let _ = file::seal(trace);
            }
        }
        all
    }
}

impl Seen {
    fn looked_at(&self, process: u32) -> Option<ChildJvm> {
        if !os::is_jvm(process) {
            return None;
        }
        let command = os::command_line(process);
        if command.is_empty() || (self.looks < SAME && command == os::command_line(self.parent)) {
            return None;
        }
        let of_variables = agents_of_variables(|name| os::variable(process, name));
        let of_command = command.iter().filter(|word| loads_an_agent(word)).cloned();
        let agents = of_variables.into_iter().map(|(_, agent)| agent).chain(of_command).collect();
        let command = command.into_iter().filter(|word| !is_probes(word)).collect();
        Some(ChildJvm { process, command, agents, trace: None, runs: false })
    }
}

/// Whether the option loads an agent that is not the probe.
fn loads_an_agent(option: &str) -> bool {
    let starts = ["-agentpath:", "-agentlib:", "-javaagent:"];
    starts.iter().any(|start| option.starts_with(start)) && !is_probes(option)
}

/// Whether the option loads the probe.
fn is_probes(option: &str) -> bool {
    option.starts_with("-agentpath:") && option.contains("=trace=")
}

/// The agents that variables of this process's environment load into the JVM before the probe: they are not recorded.
pub fn agents_of_environment() -> Vec<(&'static str, String)> {
    agents_of_variables(|name| std::env::var(name).ok())
}

/// The options in variables that load agents, each with its variable.
fn agents_of_variables(value: impl Fn(&str) -> Option<String>) -> Vec<(&'static str, String)> {
    let words = |name: &'static str| {
        let value = value(name).unwrap_or_default();
        let words: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
        words.into_iter().map(move |word| (name, word))
    };
    VARIABLES.into_iter().flat_map(words).filter(|(_, word)| loads_an_agent(word)).collect()
}

/// The traces of child JVMs beside that of the program, by process.
fn traces(live: &Path) -> Vec<(u32, PathBuf)> {
    let entries = live.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let paths = entries.into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    paths.filter_map(|path| Some((child::process(&path, live)?, path))).collect()
}

impl fmt::Display for ChildJvm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "child JVM {}", self.process)?;
        if !self.command.is_empty() {
            write!(f, " ({})", shortened(&self.command.join(" ")))?;
        }
        let runs = if self.runs { ", still running" } else { "" };
        match (&self.trace, self.agents.as_slice()) {
            (Some(trace), _) => write!(f, "{runs}: recorded, {}", trace.display()),
            (None, []) => write!(f, "{runs}: not recorded; its options load no agent"),
            (None, agents) => write!(
                f,
                "{runs}: not recorded, because the program did not pass it the probe's option; it loads {}. Record it by \
                 itself, with its agents given by --agent",
                agents.join(" ")
            ),
        }
    }
}

/// The beginning of a long text.
fn shortened(text: &str) -> String {
    const MOST: usize = 160;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_load_agents_are_told_from_the_probes_own() {
        assert!(loads_an_agent("-agentpath:./libfoo.so=x") && loads_an_agent("-javaagent:foo.jar"));
        assert!(!loads_an_agent("-agentpath:/x/libjvmti_probe.so=trace=/tmp/a") && !loads_an_agent("-Xmx1g"));
    }

    #[test]
    fn traces_of_child_jvms_lie_beside_that_of_the_program() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "foo.jvmtitrace",
            "foo.child-12.jvmtitrace",
            "foo-2.child-13.jvmtitrace",
            "foo.child-x.jvmtitrace",
        ] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = traces(&folder.path().join("foo.jvmtitrace"));
        assert_eq!(found, [(12, folder.path().join("foo.child-12.jvmtitrace"))]);
    }

    #[test]
    fn what_is_not_recorded_says_why() {
        let child = ChildJvm {
            process: 7,
            command: vec!["java".to_owned(), "Main".to_owned()],
            agents: vec!["-agentlib:jdwp".to_owned()],
            trace: None,
            runs: false,
        };
        let said = child.to_string();
        assert!(
            said.starts_with("child JVM 7 (java Main): not recorded, because")
                && said.contains("-agentlib:jdwp")
        );
    }
}
