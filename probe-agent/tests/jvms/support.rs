//! Runs plans on the JVMs of this machine.

use std::env;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use jvmti_wire::plan::{
    Action, Arg, Made, OnThread, Plan, PlannedCase, PlannedEnvironment, PlannedStep, ScenarioRun, Trigger,
};
use jvmti_wire::trace::{self, Body, OpenCall, OpenCalls, Reader, Record, StepRef};
use jvmti_wire::value::Value;
use rustix::process::{Pid, Signal, kill_process};

/// Java homes to test on: those listed in `JVMTI_PROBE_JDKS` (as in `PATH`), or all below `/usr/lib/jvm`, or
/// `JAVA_HOME`.
pub fn jvms() -> Vec<PathBuf> {
    let listed = env::var_os("JVMTI_PROBE_JDKS").map(|list| env::split_paths(&list).collect::<Vec<_>>());
    let mut homes = listed.unwrap_or_else(|| {
        let installed =
            std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|entry| entry.path());
        installed.chain(env::var_os("JAVA_HOME").map(PathBuf::from)).collect()
    });
    homes.retain(|home| home.join("bin/java").exists());
    let mut homes: Vec<PathBuf> = homes.into_iter().filter_map(|home| home.canonicalize().ok()).collect();
    homes.sort();
    homes.dedup();
    homes
}

/// Why something cannot be tested here.
#[derive(Clone, Debug)]
pub struct Skipped(pub String);

impl Skipped {
    /// For a reason in words.
    pub fn new(reason: &str) -> Skipped {
        Skipped(reason.to_owned())
    }
}

/// What a test that does not fail ends with.
pub type Tested = Result<(), Skipped>;

/// Folder of the C headers of a JDK.
pub fn headers(home: &Path) -> Result<PathBuf, Skipped> {
    let include = home.join("include");
    if include.join("jvmti.h").is_file() { Ok(include) } else { Err(Skipped::new("this JDK has no jvmti.h")) }
}

/// Folder of the compiled Java classes.
pub fn classes() -> Result<&'static Path, Skipped> {
    static CLASSES: OnceLock<Result<tempfile::TempDir, Skipped>> = OnceLock::new();
    CLASSES.get_or_init(compile).as_ref().map(tempfile::TempDir::path).map_err(Clone::clone)
}

fn compile() -> Result<tempfile::TempDir, Skipped> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let installed = jvms().into_iter().map(|home| home.join("bin/javac"));
    let mut compilers = installed.chain(which::which("javac")).filter(|javac| javac.exists());
    let javac = compilers.next().ok_or_else(|| Skipped::new("there is no javac"))?;
    let out = tempfile::tempdir().unwrap();
    let main = here.join("../java-tests/src/jvmticheck");
    let output = Command::new(javac)
        .args(["--release", "8", "-Xlint:-options", "-g", "-d"])
        .arg(out.path())
        .arg("-sourcepath")
        .arg(here.join("../java-tests/src"))
        .args(["Probe", "Scenario", "Main"].map(|name| main.join(name).with_extension("java")))
        .args(
            ["Sleeper", "Busy"].map(|name| here.join(format!("tests/java/jvmticheck/scenarios/{name}.java"))),
        )
        .arg(here.join("tests/java/Waiting.java"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(out)
}

/// The agent's library, which Cargo builds along with this test.
pub fn library() -> PathBuf {
    let name = format!("{}jvmti_probe{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let test = env::current_exe().unwrap();
    let mut candidates = test.ancestors().skip(1).take(2).map(|folder| folder.join(&name));
    candidates.find(|path| path.exists()).expect("the agent's library stands beside the test")
}

/// Far longer than any of these runs takes.
const DEADLINE: Duration = Duration::from_secs(600);

/// What came of a run.
pub struct Run {
    /// The records.
    pub records: Vec<Record>,
    /// What the JVM printed, and how it ended.
    pub output: Output,
}

/// Runs the plan with its scenario runs.
pub fn run(home: &Path, options: &[&str], plan: &Plan) -> Result<Run, Skipped> {
    let classes = classes()?;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jvmtitrace");
    trace::file::create(&path, plan, 256 << 20).unwrap();
    let mut command = Command::new(home.join("bin/java"));
    command
        .arg(format!("-agentpath:{}=trace={}", library().display(), path.display()))
        .args(options)
        .args(["-XX:+IgnoreUnrecognizedVMOptions", "-XX:-CreateCoredumpOnCrash"])
        .arg(format!("-XX:ErrorFile={}", folder.path().join("error.log").display()))
        .arg("-cp")
        .arg(classes)
        .arg("jvmticheck.Main")
        .args(plan.scenario_runs.iter().map(|run| &run.scenario))
        .current_dir(folder.path());
    let output = with_deadline(command);
    let bytes = std::fs::read(&path).unwrap();
    let records = Reader::new(&bytes).unwrap().records().collect();
    Ok(Run { records, output })
}

/// Waits for the process, which is killed if it does not end.
fn with_deadline(mut command: Command) -> Output {
    let mut out = tempfile::tempfile().unwrap();
    let mut child =
        command.stdout(out.try_clone().unwrap()).stderr(out.try_clone().unwrap()).spawn().unwrap();
    let process = Pid::from_child(&child);
    let (ended, has_ended) = mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        if has_ended.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout) {
            kill_process(process, Signal::KILL).unwrap();
        }
    });
    // It stays a process of that id until it has been waited for.
    let status = child.wait().unwrap();
    drop(ended);
    watch.join().unwrap();
    let mut text = Vec::new();
    out.rewind().unwrap();
    out.read_to_end(&mut text).unwrap();
    Output { status, stdout: text, stderr: Vec::new() }
}

impl Run {
    /// The JVM's output, for failure messages.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    /// Panics, with the end of the trace, unless the JVM ended well and the probe had no trouble.
    pub fn assert_ended_well(&self, home: &Path) {
        let home = home.display();
        let status = self.output.status;
        assert!(status.success(), "{home}: {status}\n{}\n{}", self.text(), self.open_calls());
        let trouble: Vec<&Body> =
            self.records.iter().map(|r| &r.body).filter(|b| matches!(b, Body::Trouble { .. })).collect();
        assert!(trouble.is_empty(), "{home}: {trouble:?}");
    }

    /// The calls that did not return, by name.
    pub fn open_calls(&self) -> String {
        let mut open = OpenCalls::default();
        self.records.iter().for_each(|record| drop(open.record(record)));
        let name = |call: &OpenCall| {
            let function = jvmti_probe::ffi::descriptor(call.function).unwrap().name;
            format!("{function} {:?}", call.args)
        };
        open.iter().map(name).collect::<Vec<_>>().join("\n")
    }

    /// Error code and outputs of the call of that step.
    pub fn call(&self, case: u32, step: u32) -> (i32, Vec<(u16, Value)>) {
        let wanted = StepRef::Step { case, step };
        let number = self.records.iter().find_map(|record| match &record.body {
            Body::CallBegin { call, step, .. } if *step == wanted => Some(*call),
            _ => None,
        });
        let number = number
            .unwrap_or_else(|| panic!("step {step} of case {case} made no call: {:?}", self.failures()));
        let end = self.records.iter().find_map(|record| match &record.body {
            Body::CallEnd { call, code, outputs, .. } if *call == number => Some((*code, outputs.clone())),
            _ => None,
        });
        end.unwrap_or_else(|| panic!("step {step} of case {case} did not return"))
    }

    /// The first output of the call of that step, which must have succeeded.
    pub fn output(&self, case: u32, step: u32, param: u16) -> Value {
        let (code, outputs) = self.call(case, step);
        assert_eq!(code, 0, "step {step} of case {case}");
        outputs.into_iter().find(|(index, _)| *index == param).expect("the output is recorded").1
    }

    /// Steps that failed, and why.
    pub fn failures(&self) -> Vec<String> {
        let failure = |record: &Record| match &record.body {
            Body::StepFailed { step, reason } => Some(format!("{step:?}: {reason}")),
            _ => None,
        };
        self.records.iter().filter_map(failure).collect()
    }

    /// Position of the first record for which that holds.
    pub fn position(&self, holds: impl Fn(&Body) -> bool) -> Option<usize> {
        self.records.iter().position(|record| holds(&record.body))
    }

    /// What is said of itself by that key.
    pub fn identity(&self, wanted: &str) -> Option<&str> {
        self.records.iter().find_map(|record| match &record.body {
            Body::Identity { key, value } if key == wanted => Some(value.as_str()),
            _ => None,
        })
    }

    /// The value bound to that name.
    pub fn bound(&self, wanted: &str) -> Value {
        let bound = self.records.iter().find_map(|record| match &record.body {
            Body::Bind { name, value } if name == wanted => Some(value.clone()),
            _ => None,
        });
        bound.expect("the scenario binds the name")
    }

    /// The fact of that key.
    pub fn fact(&self, wanted: &str) -> Option<Value> {
        self.records.iter().find_map(|record| match &record.body {
            Body::Fact { key, value } if key == wanted => Some(value.clone()),
            _ => None,
        })
    }
}

/// A plan of one case in one scenario run.
pub fn plan(scenario: &str, case: PlannedCase) -> Plan {
    Plan {
        launch: "test".to_owned(),
        scenario_runs: vec![ScenarioRun { scenario: scenario.to_owned() }],
        cases: vec![case],
        ..Plan::default()
    }
}

/// A case in turn 0 with one environment.
pub fn case(made: Made, capabilities: &[u16], events: &[u16], steps: Vec<PlannedStep>) -> PlannedCase {
    PlannedCase {
        id: "test".to_owned(),
        run: Some(0),
        environments: vec![PlannedEnvironment {
            name: "main".to_owned(),
            made,
            enabled: made,
            version: None,
            chain: None,
            capabilities: capabilities.to_vec(),
            events: events.to_vec(),
        }],
        steps,
        handlers: vec![],
    }
}

/// A call by name.
pub fn call(name: &str, args: &[Arg]) -> Action {
    on(OnThread::Current, name, args)
}

/// A call by name on a certain thread.
pub fn on(on: OnThread, name: &str, args: &[Arg]) -> Action {
    let function = jvmti_probe::ffi::FUNCTIONS.iter().find(|f| f.name == name).expect("the function exists");
    Action::Call { environment: 0, function: function.slot, args: args.to_vec(), on }
}

/// A step at a checkpoint.
pub fn at(checkpoint: &str, action: Action) -> PlannedStep {
    step(Trigger::Checkpoint(checkpoint.to_owned()), action)
}

/// A step.
pub fn step(at: Trigger, action: Action) -> PlannedStep {
    PlannedStep { at, action, save: None }
}

/// The step, saved by a name.
pub fn saved(name: &str, step: PlannedStep) -> PlannedStep {
    PlannedStep { save: Some(name.to_owned()), ..step }
}

/// The object of that name.
pub fn named(name: &str) -> Arg {
    Arg::Named(name.to_owned())
}
