//! `jvmti-check agent …`

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jvmti_check::agent::record::{Program, RecordError};
use jvmti_check::agent::{self, Behaviour, Digest, Library, Scene, show};
use jvmti_check::judge::misuse::{self, Misuse, Severity};
use jvmti_check::jvm::Jdk;
use jvmti_check::launch::{Status, Stop};
use jvmti_spec::{Release, Spec};
use jvmti_wire::plan::Between;

use super::Outcome;
use super::fault::Fault;
use super::find::JvmArgs;
use super::terminal::{note, print, table};
use super::trace;

/// The subcommands of `agent`.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Run a program with agents in it, and record all that they do
    #[command(after_help = "\
What follows `--` is what the launcher `java` would be given. The program's input, output and exit code are its own;
the summary goes to standard error, the trace stays.

An agent is a library (./libfoo.so=options), one that the JVM finds by itself (jdwp=transport=dt_socket,server=y), or a
Java agent (agent.jar=options).

Examples:
  jvmti-check agent record --agent ./libfoo.so=opts --jdk /opt/jdk-25 -- -cp app.jar Main
  jvmti-check agent record --agent ./libfoo.so --jdk /opt/jdk-17 --jdk /opt/jdk-25 --out traces/ -- -jar app.jar
  jvmti-check trace show traces/foo-25.jvmtitrace --function GetThreadInfo")]
    Record(Box<RecordArgs>),
    /// Summarise a trace that `record` made
    Show {
        /// The trace
        trace: PathBuf,
    },
    /// Judge traces that `record` made: rules that the agents broke
    #[command(after_help = "\
Exit code 1: a rule of that severity or worse was broken.

Examples:
  jvmti-check agent check foo-25.jvmtitrace
  jvmti-check agent check foo-25.jvmtitrace --severity error --json
  jvmti-check agent check --rules")]
    Check {
        /// The traces
        #[arg(required_unless_present = "rules")]
        trace: Vec<PathBuf>,
        /// The least severity that is shown, and that counts
        #[arg(long, value_enum, default_value = "warning")]
        severity: Severity,
        /// One JSON object per finding
        #[arg(long)]
        json: bool,
        /// List the rules
        #[arg(long)]
        rules: bool,
    },
    /// Hold two recordings of an agent against each other: what is different on the second JVM
    #[command(after_help = "\
Calls are aligned by the place that they come from and the thread, not by time. Exit code 1: the second recording is
worse: calls fail or don't return, capabilities are refused, events no longer come, rules are broken that were not.

Example:
  jvmti-check agent compare foo-17.jvmtitrace foo-25.jvmtitrace")]
    Compare {
        /// The recording that shows how it should be
        before: PathBuf,
        /// The other one
        after: PathBuf,
        /// One JSON object per difference
        #[arg(long)]
        json: bool,
    },
}

/// The arguments of `agent record`.
#[derive(clap::Args)]
pub struct RecordArgs {
    /// An agent, with its options after `=`. May be repeated: they are loaded in this order
    #[arg(long, value_name = "AGENT[=OPTIONS]", required = true)]
    agent: Vec<String>,
    #[command(flatten)]
    jvms: JvmArgs,
    /// Folder for the traces
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Room for a trace, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    capacity: u64,
    /// Record only calls of these functions
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    function: Vec<String>,
    /// Record only callbacks of these events
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    event: Vec<String>,
    /// Record only environments that libraries with this in their path ask for
    #[arg(long, value_name = "PART")]
    library: Vec<String>,
    /// How many calls from each place, and callbacks of each event, are looked at closely: references identified,
    /// arrays and structures copied. The others are recorded without
    #[arg(long, value_name = "N", default_value_t = Between::default().close)]
    close: u32,
    /// End the program when it has run for so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: Option<u64>,
    /// Options, class path, main class and arguments, as for `java`
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Runs a subcommand of `agent`.
pub fn agent(command: &Command) -> Result<Outcome, Fault> {
    match command {
        Command::Record(args) => record(args),
        Command::Show { trace } => {
            let read = read(trace)?;
            print(&show::text(&read.digest, &Spec::embedded().at(read.release)))?;
            Ok(Outcome::Fine)
        }
        Command::Check { rules: true, .. } => {
            let row = |rule: &&misuse::Info| {
                vec![rule.id.to_owned(), rule.severity.name().to_owned(), rule.says.to_owned()]
            };
            let rows: Vec<Vec<String>> = misuse::rules().iter().map(row).collect();
            print(&table(&rows))?;
            Ok(Outcome::Fine)
        }
        Command::Check { trace, severity, json, .. } => check(trace, *severity, *json),
        Command::Compare { before, after, json } => compare(before, after, *json),
    }
}

fn record(args: &RecordArgs) -> Result<Outcome, Fault> {
    let stop = Stop::on_signals().map_err(Fault::work)?;
    let agents: Result<Vec<Library>, _> =
        args.agent.iter().map(|agent| Library::parse(agent).checked()).collect();
    let agents = agents.map_err(Fault::input)?;
    let between = between(args)?;
    let probe = args.jvms.probe()?;
    let jdks = args.jvms.jdks()?;
    std::fs::create_dir_all(&args.out).map_err(|error| {
        Fault::input(anyhow::Error::new(error).context(format!("cannot make {}", args.out.display())))
    })?;
    let mut exit = 0;
    for jdk in &jdks {
        let options = args.jvms.vm_option.iter().map(OsString::from);
        let program = Program {
            java: jdk.java.clone(),
            probe: probe.clone(),
            agents: agents.clone(),
            args: options.chain(args.program.iter().cloned()).collect(),
            trace: free_path(&args.out, &agents, jdk),
            capacity: args.capacity << 20,
            between: between.clone(),
            limit: args.timeout.map(Duration::from_secs),
        };
        let (status, wall) = program.run(&stop).map_err(|error| match error {
            RecordError::Wait { .. } => Fault::work(error),
            _ => Fault::input(error),
        })?;
        note(&format!(
            "\n── {} ── {}, {}",
            jdk.home.display(),
            ended(status),
            show::time(wall.as_nanos() as u64)
        ));
        let read = read(&program.trace)?;
        note(&show::text(&read.digest, &Spec::embedded().at(read.release)));
        for finding in read.findings.iter().filter(|finding| finding.severity >= Severity::Warning) {
            note(&show::finding(finding));
        }
        note(&format!("written: {}", program.trace.display()));
        if exit == 0 {
            exit = code(status);
        }
        if stop.asked() {
            break;
        }
    }
    Ok(Outcome::Program(exit))
}

/// What is recorded, functions and events by name.
fn between(args: &RecordArgs) -> Result<Between, Fault> {
    let newest = Spec::embedded().newest();
    let unknown = |what: &str, name: &str, known: Vec<&str>| {
        let near = known
            .into_iter()
            .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
        let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        Fault::wrong(format!("there is no {what} {name}{hint}"))
    };
    let mut functions = Vec::new();
    for name in &args.function {
        match newest.functions.iter().find(|f| f.name == *name) {
            Some(function) => functions.push(function.slot),
            None => {
                let known = newest.functions.iter().map(|f| f.name.as_str()).collect();
                return Err(unknown("function", name, known));
            }
        }
    }
    let mut events = Vec::new();
    for name in &args.event {
        match newest.events.iter().find(|e| e.name == *name) {
            Some(event) => events.push(event.number),
            None => {
                return Err(unknown("event", name, newest.events.iter().map(|e| e.name.as_str()).collect()));
            }
        }
    }
    Ok(Between {
        functions: (!functions.is_empty()).then_some(functions),
        events: (!events.is_empty()).then_some(events),
        libraries: (!args.library.is_empty()).then(|| args.library.clone()),
        close: args.close,
    })
}

/// A path for the trace at which nothing is yet: `foo-jdk-25.jvmtitrace`.
fn free_path(folder: &Path, agents: &[Library], jdk: &Jdk) -> PathBuf {
    let stem = |path: &Path| {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        stem.strip_prefix("lib").map_or(stem.clone(), str::to_owned)
    };
    let agent = match agents.first() {
        Some(Library::Path(path, _) | Library::Jar(path, _)) => stem(path),
        Some(Library::Name(name, _)) => name.clone(),
        None => "agent".to_owned(),
    };
    let home = jdk.home.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let named = |suffix: String| folder.join(format!("{agent}-{home}{suffix}.jvmtitrace"));
    let numbered = (2..).map(|n| named(format!("-{n}")));
    [named(String::new())].into_iter().chain(numbered).find(|path| !path.exists()).unwrap_or_default()
}

fn check(traces: &[PathBuf], severity: Severity, json: bool) -> Result<Outcome, Fault> {
    let mut outcome = Outcome::Fine;
    for path in traces {
        let read = read(path)?;
        let findings: Vec<_> = read.findings.iter().filter(|found| found.severity >= severity).collect();
        if !findings.is_empty() {
            outcome = Outcome::Unexpected;
        }
        for finding in &findings {
            match json {
                true => print(&(serde_json::to_string(finding).map_err(Fault::work)? + "\n"))?,
                false => print(&show::finding(finding))?,
            }
        }
        if !json {
            let worse = severity.name();
            print(&format!(
                "{}: {} of severity {worse} or worse\n",
                path.display(),
                show::findings(findings.len())
            ))?;
        }
    }
    Ok(outcome)
}

fn compare(before: &Path, after: &Path, json: bool) -> Result<Outcome, Fault> {
    let (first, second) = (read(before)?, read(after)?);
    let edition = Spec::embedded().at(second.release);
    let found = agent::compare::compare(&first.behaviour, &second.behaviour, &edition);
    let worse = found.iter().any(|difference| difference.kind.is_worse());
    if json {
        for difference in &found {
            print(&(serde_json::to_string(difference).map_err(Fault::work)? + "\n"))?;
        }
    } else {
        print(&format!("before  {}\nafter   {}\n", first.behaviour.jvm, second.behaviour.jvm))?;
        print(&show::differences(&found))?;
    }
    Ok(if worse { Outcome::Unexpected } else { Outcome::Fine })
}

/// What a trace tells.
struct Read {
    behaviour: Behaviour,
    digest: Digest,
    findings: Vec<misuse::Finding>,
    release: Release,
}

fn read(path: &Path) -> Result<Read, Fault> {
    let bytes = trace::read(path)?;
    let reader = trace::open(&bytes, path)?;
    let release = agent::release(reader.records().take(10_000)).unwrap_or(Release::NEWEST);
    let edition = Spec::embedded().at(release);
    let mut scene = Scene::new(&edition);
    let mut digest = Digest::default();
    let mut misuse = Misuse::default();
    let mut behaviour = Behaviour::default();
    let mut records = reader.records();
    for record in records.by_ref() {
        scene.take(&record, &mut |scene, record, moment| {
            digest.see(scene, record, moment);
            behaviour.see(scene, record, moment);
            misuse.see(scene, record, moment);
        });
    }
    digest.finish(&scene, records.summary());
    let complete =
        reader.plan().between.as_ref().is_some_and(|b| b.functions.is_none() && b.libraries.is_none());
    let findings = misuse.finish(&scene, records.summary(), complete);
    behaviour.finish(&digest, &findings);
    Ok(Read { behaviour, digest, findings, release })
}

fn ended(status: Status) -> String {
    match status {
        Status::Exited(code) => format!("exit code {code}"),
        Status::Signalled(signal) => format!("ended by signal {signal}"),
        Status::TimedOut => "ended because its time was up".to_owned(),
        Status::Cancelled => "interrupted".to_owned(),
    }
}

/// The program's exit code as a shell gives it.
fn code(status: Status) -> u8 {
    match status {
        Status::Exited(code) => code as u8,
        Status::Signalled(signal) => 128u8.wrapping_add(signal as u8),
        Status::TimedOut => 124,
        Status::Cancelled => 130,
    }
}
