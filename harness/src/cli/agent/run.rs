//! `jvmti-check agent run`

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use jvmti_agents::Library;
use jvmti_agents::case::Written;
use jvmti_agents::record::{Apart, Ended, Program};
use jvmti_agents::scene::Moment;
use jvmti_agents::verdict::{self, Sequence};
use jvmti_results::{Finding, JvmRun, Status, Verdict};
use jvmti_runner::launch::{Scratch, Stop};
use jvmti_runner::results;
use jvmti_spec::Spec;
use jvmti_wire::plan::Between;

use super::{free_path, read_with};
use crate::cli::Outcome;
use crate::cli::fault::Fault;
use crate::cli::find::{JvmArgs, Known};
use crate::cli::output::{self, Format};
use crate::cli::terminal::note;

/// The arguments of `agent run`.
#[derive(clap::Args)]
pub struct Args {
    /// Files of agent cases
    #[arg(required = true, value_name = "CASE")]
    case: Vec<PathBuf>,
    #[command(flatten)]
    jvms: JvmArgs,
    /// Write reports and traces to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write only these reports; without --out, print this one instead of text
    #[arg(long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    format: Vec<Format>,
}

/// Runs agent cases on each JVM.
pub fn run(args: &Args) -> Result<Outcome, Fault> {
    let stop = Stop::on_signals().map_err(Fault::work)?;
    let (started, begun) = (SystemTime::now(), Instant::now());
    output::check(args.out.as_deref(), &args.format)?;
    let newest = Spec::embedded().newest();
    let cases: Result<Vec<Written>, _> = args.case.iter().map(|path| Written::read(path, &newest)).collect();
    let cases = cases.map_err(Fault::input)?;
    let probe = args.jvms.probe()?;
    let scratch = Scratch::new().map_err(Fault::work)?;
    let mut runs = Vec::new();
    for known in args.jvms.bare(&probe, &scratch, &stop)? {
        let mut run = JvmRun { jvm: known.identity.jvm.clone(), ..JvmRun::default() };
        for written in &cases {
            if stop.asked() {
                return Err(Fault::work(anyhow::anyhow!("interrupted")));
            }
            let folder = args.out.as_deref().unwrap_or(scratch.path());
            let judged =
                judged(written, &known, &probe, folder, scratch.path(), &args.jvms.vm_option, &stop)?;
            run.launches += u32::from(judged.status != Status::Inapplicable);
            run.verdicts.push(judged);
        }
        runs.push(run);
    }
    let results = results::results(crate::suite(), runs, Vec::new(), started, begun.elapsed());
    output::give(&results, args.out.as_deref(), &args.format)?;
    output::outcome(&results, false)
}

/// Runs an agent case on a JVM, and judges it.
fn judged(
    written: &Written,
    known: &Known,
    probe: &Path,
    out: &Path,
    scratch: &Path,
    vm_options: &[String],
    stop: &Stop,
) -> Result<Verdict, Fault> {
    let case = &written.case;
    let home = written.path.parent().unwrap_or(Path::new("."));
    let mut verdict = Verdict {
        case: written.id.clone(),
        about: case.about.clone(),
        chapter: "agents".to_owned(),
        source: written.path.display().to_string(),
        reproduce: format!(
            "jvmti-check agent run '{}' --jdk '{}'",
            written.path.display(),
            known.jdk.home.display()
        ),
        ..Verdict::default()
    };
    if !written.is_for(known.identity.release()) {
        verdict.status = Status::Inapplicable;
        let observed =
            format!("the case applies to releases {}", case.releases.as_deref().unwrap_or_default());
        verdict.findings.push(Finding { observed, ..Finding::default() });
        return Ok(verdict);
    }
    let agents = case.agents.iter().map(|agent| match Library::parse(agent) {
        Library::Path(path, options) => Library::Path(home.join(path), options),
        Library::Jar(path, options) => Library::Jar(home.join(path), options),
        name => name,
    });
    let agents: Result<Vec<Library>, _> = agents.map(Library::checked).collect();
    let agents = agents.map_err(Fault::input)?;
    let name = format!("{}-{}", written.id, file_name(&known.jdk.home));
    let folder = scratch.join(&name);
    stage(home, &folder).map_err(Fault::work)?;
    let apart = Apart {
        folder: folder.clone(),
        stdout: scratch.join(format!("{name}.stdout")),
        stderr: scratch.join(format!("{name}.stderr")),
    };
    let crash = format!("-XX:ErrorFile={}", folder.join("hs_err_%p.log").display());
    let args = [&crash].into_iter().chain(vm_options).chain(&case.program).map(OsString::from);
    let program = Program {
        java: known.jdk.java.clone(),
        probe: probe.to_owned(),
        trace: free_path(out, &agents, &known.jdk),
        agents,
        args: args.collect(),
        capacity: 64 << 20,
        between: Between::default(),
        limit: Some(Duration::from_secs(case.timeout)),
        apart: Some(apart.clone()),
    };
    let Ended { status, wall, trouble } = program.run(stop).map_err(Fault::work)?;
    if let Some(trouble) = trouble {
        note(&format!("the trace could not be compressed all the time, records may be lost: {trouble}"));
    }
    if out != scratch {
        keep(&folder, &out.join(&name)).map_err(Fault::work)?;
    }
    let mut sequence = Sequence::expecting(&case.expect);
    let read = read_with(&program.trace, &mut |scene, moment| match moment {
        Moment::Begun(call) => sequence.calls.see(&scene.names.function(call.function)),
        Moment::Entered(delivery, _) => sequence.events.see(&delivery.name),
        _ => {}
    })?;
    let edition = Spec::embedded().at(read.release);
    let error = |code| edition.error_by_number(code).map_or_else(|| code.to_string(), |e| e.name.clone());
    let text = |path| std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let came = verdict::Outcome {
        status,
        stdout: &text(&apart.stdout).map_err(Fault::work)?,
        stderr: &text(&apart.stderr).map_err(Fault::work)?,
        digest: &read.digest,
        sequence: &sequence,
        misuse: &read.findings,
        error: &error,
    };
    (verdict.status, verdict.findings, verdict.asserted) = verdict::judge(case, &came);
    verdict.micros = wall.as_micros() as u64;
    verdict.trace = Some(program.trace.display().to_string()).filter(|_| out != scratch);
    Ok(verdict)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Creates the working folder of a program, with links to the files next to the case. What the program writes there
/// stays out of the folder of the case.
fn stage(home: &Path, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for entry in std::fs::read_dir(home)? {
        let entry = entry?;
        match std::os::unix::fs::symlink(entry.path(), folder.join(entry.file_name())) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Copies the files that a program wrote.
fn keep(folder: &Path, target: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::create_dir_all(target)?;
            std::fs::copy(entry.path(), target.join(entry.file_name()))?;
        }
    }
    Ok(())
}
