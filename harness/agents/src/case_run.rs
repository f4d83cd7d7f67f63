//! Runs an agent case on a JVM: from the written case to its verdict.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jvmti_results::{Finding, Status, Verdict};
use jvmti_runner::jvm::Jdk;
use jvmti_runner::jvm::family::Family;
use jvmti_runner::launch::Stop;
use jvmti_runner::shell;
use jvmti_spec::{Release, Spec};
use jvmti_wire::plan::Interception;
use jvmti_wire::trace::{TraceError, TraceFile};
use thiserror::Error;

use crate::agent_state::TraceEvent;
use crate::case::AgentCaseFile;
use crate::child_jvms::ChildJvm;
use crate::library::LibraryError;
use crate::os;
use crate::record::{Apart, Ended, Program, RecordError, free_trace_path};
use crate::verdict::{self, ObservedCalls};
use crate::{Library, Reading, Symbols};

/// Trace buffer size, in bytes.
const CAPACITY: u64 = 64 << 20;

/// The JVM that agent cases run on, and where their files go.
#[derive(Clone, Copy, Debug)]
pub struct Site<'s> {
    /// The JVM.
    pub jdk: &'s Jdk,
    /// The release of its specification.
    pub release: Release,
    /// Its options, before those of the case.
    pub vm_options: &'s [String],
    /// The probe's library, by absolute path.
    pub probe: &'s Path,
    /// The folder for temporary files.
    pub scratch: &'s Path,
    /// The folder that keeps the traces and the files that programs write; `None`: nothing is kept.
    pub out: Option<&'s Path>,
}

/// What came of a case.
#[derive(Debug)]
pub struct CaseRun {
    /// The verdict.
    pub verdict: Verdict,
    /// Why the trace could not be compressed at some time while the program ran. Records may be lost.
    pub trouble: Option<TraceError>,
    /// The JVMs that the program started. The verdict is about none of them.
    pub children: Vec<ChildJvm>,
}

/// Why there is no verdict.
#[derive(Debug, Error)]
pub enum CaseRunError {
    /// An agent of the case cannot be loaded.
    #[error(transparent)]
    Agent(#[from] LibraryError),
    /// The program could not be started or waited for.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The trace could not be read.
    #[error("{}: {error}", path.display())]
    Trace {
        /// The trace.
        path: PathBuf,
        /// Why.
        error: TraceError,
    },
    /// A file that the program needs or has written could not be copied or read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl AgentCaseFile {
    /// Runs the case, and judges how its agents behaved.
    pub fn run(&self, site: Site<'_>, stop: &Stop) -> Result<CaseRun, CaseRunError> {
        if !self.is_for(site.release) {
            let releases = self.case.releases.as_deref().unwrap_or_default();
            let observed = format!("the case is for releases {releases}");
            let findings = vec![Finding { observed, ..Finding::default() }];
            let verdict = Verdict { status: Status::Inapplicable, findings, ..self.verdict(site) };
            return Ok(CaseRun { verdict, trouble: None, children: Vec::new() });
        }
        let (home, name) = (self.home(), self.name(site));
        let folder = site.scratch.join(&name);
        stage(home, &folder).map_err(at(&folder))?;
        let apart = Apart {
            folder: folder.clone(),
            stdout: site.scratch.join(format!("{name}.stdout")),
            stderr: site.scratch.join(format!("{name}.stderr")),
        };
        let program = self.program(site, apart.clone())?;
        let ended = program.run(stop)?;
        if let Some(out) = site.out {
            let kept = out.join(&name);
            keep(&folder, &kept).map_err(at(&kept))?;
        }
        let judged = self.judged(&program.trace, &apart, &ended)?;
        let trace = site.out.map(|_| program.trace.display().to_string());
        let verdict = Verdict {
            status: judged.status,
            findings: judged.findings,
            asserted: judged.asserted,
            micros: ended.wall.as_micros() as u64,
            trace,
            ..self.verdict(site)
        };
        Ok(CaseRun { verdict, trouble: ended.trouble, children: ended.children })
    }

    fn home(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// The name of the case on this JVM.
    fn name(&self, site: Site<'_>) -> String {
        let home = site.jdk.home.file_name().map(|name| name.to_string_lossy().into_owned());
        format!("{}-{}", self.id, home.unwrap_or_default())
    }

    /// A verdict that says nothing yet.
    fn verdict(&self, site: Site<'_>) -> Verdict {
        let (path, home) = (self.path.display().to_string(), site.jdk.home.display().to_string());
        Verdict {
            case: self.id.clone(),
            about: self.case.about.clone(),
            chapter: "agents".to_owned(),
            reproduce: shell::command(["jvmti-check", "agent", "run", &path, "--jdk", &home]),
            source: path,
            ..Verdict::default()
        }
    }

    fn program(&self, site: Site<'_>, apart: Apart) -> Result<Program, CaseRunError> {
        let agents = self.case.agents.iter().map(|agent| match Library::parse(agent) {
            Library::Path(path, options) => Library::Path(self.home().join(path), options),
            Library::Jar(path, options) => Library::Jar(self.home().join(path), options),
            name @ Library::Name(..) => name,
        });
        let agents = agents.map(Library::checked).collect::<Result<Vec<Library>, _>>()?;
        let leaves = Family::of_home(&site.jdk.home).leaves_in(&apart.folder);
        let own = site.vm_options.iter().chain(&self.case.program).map(OsString::from);
        let args = leaves.into_iter().chain(own);
        Ok(Program {
            java: site.jdk.java.clone(),
            probe: site.probe.to_owned(),
            trace: free_trace_path(site.out.unwrap_or(site.scratch), &agents, site.jdk),
            args: args.collect(),
            agents,
            capacity: CAPACITY,
            interception: Interception::default(),
            limit: Some(Duration::from_secs(self.case.timeout)),
            apart: Some(apart),
        })
    }

    /// Compares what the trace and the output show with what the case expects.
    fn judged(
        &self,
        trace: &Path,
        apart: &Apart,
        ended: &Ended,
    ) -> Result<verdict::JudgedBehaviour, CaseRunError> {
        let mut sequence = ObservedCalls::expecting(&self.case.expect);
        let unreadable = |error| CaseRunError::Trace { path: trace.to_owned(), error };
        let file = TraceFile::open(trace).map_err(unreadable)?;
        let reading = Reading::with(&file, trace, Symbols::default(), &mut |state, event| match event {
            TraceEvent::Begun(call) => sequence.calls.observe(&state.names.function(call.function)),
            TraceEvent::Entered(delivery, _) => sequence.events.observe(&delivery.name),
            _ => {}
        });
        let reading = reading.map_err(unreadable)?;
        let edition = Spec::embedded().at(reading.release);
        let error = |code| edition.error_by_number(code).map_or_else(|| code.to_string(), |e| e.name.clone());
        Ok(verdict::judge(
            &self.case,
            &verdict::ObservedBehaviour {
                status: ended.status,
                stdout: &text(&apart.stdout)?,
                stderr: &text(&apart.stderr)?,
                digest: &reading.digest,
                sequence: &sequence,
                misuse: &reading.findings,
                error: &error,
            },
        ))
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> CaseRunError {
    let path = path.to_owned();
    |error| CaseRunError::File { path, error }
}

fn text(path: &Path) -> Result<String, CaseRunError> {
    let bytes = std::fs::read(path).map_err(at(path))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Makes the folder that a program runs in, with links to the files beside the case: the files that the program writes
/// do not end up there.
fn stage(home: &Path, folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for entry in std::fs::read_dir(home)? {
        let entry = entry?;
        match os::link(&entry.path(), &folder.join(entry.file_name())) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Copies the files that a program has written.
fn keep(folder: &Path, target: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::create_dir_all(target)?;
            std::fs::copy(entry.path(), target.join(entry.file_name()))?;
        }
    }
    Ok(())
}
