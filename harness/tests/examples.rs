//! The examples in `ci/examples` work: their scripts run here, with what their engine would set, on a few cases.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod support;

use std::path::Path;
use std::process::{Command, Output};

use serde_yaml::Value;
use support::pages::top;
use support::real_jdk;
use support::sandbox::{Sandbox, assert_says, said, text};
use support::trials::{Tested, tests};

/// The cases that stand for all.
const SOME: &str = "GetPhase";

/// The documents of an example.
fn documents(example: &str) -> Vec<Value> {
    let file = std::fs::read_to_string(top().join("ci/examples").join(example)).unwrap();
    file.split("\n---\n").map(|document| serde_yaml::from_str(document).unwrap()).collect()
}

/// What is found by these keys and indices.
fn at<'v>(value: &'v Value, path: &[&str]) -> &'v Value {
    path.iter().fold(value, |value, part| {
        let found = part.parse::<usize>().map_or_else(|_| value.get(part), |index| value.get(index));
        found.unwrap_or_else(|| panic!("no {part} of {path:?}"))
    })
}

/// The scripts of the steps of a job that call the program.
fn scripts(job: &Value) -> Vec<&str> {
    let steps = at(job, &["steps"]).as_sequence().unwrap();
    let scripts = steps.iter().filter_map(|step| step.get("run")?.as_str());
    scripts.filter(|script| script.contains("release/jvmti-check")).collect()
}

/// Runs a script in the folder as an engine does, with some cases instead of all.
fn run(place: &Sandbox, folder: &Path, script: &str, variables: &[(&str, &str)]) -> Output {
    let program = env!("CARGO_BIN_EXE_jvmti-check");
    let script = script
        .replace("target/release/jvmti-check", "jvmti-check")
        .replace("jvmti-check run ", &format!("jvmti-check run {SOME} "));
    let mut shell = place.inside(Command::new("bash"));
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = format!("{}:{path}", Path::new(program).parent().unwrap().display());
    shell.args(["-ec", &script]).current_dir(folder).env("PATH", folders);
    shell.envs(variables.iter().copied()).output().unwrap()
}

fn shards_as_processes() -> Tested {
    let jdk = text(real_jdk()?.home);
    let place = Sandbox::new();
    let shards = top().join("ci/examples/shards").canonicalize().unwrap();
    let script = format!("{} 3 {SOME} --jdk '{jdk}'", shards.display());
    let first = run(&place, place.path(), &script, &[]);
    assert_says(&first, 0, &["on 1 JVM", "nothing unexpected"]);
    std::fs::rename(place.path().join("out"), place.path().join("before")).unwrap();
    let second = run(&place, place.path(), &script, &[("BEFORE", "before/results.json")]);
    assert_says(&second, 0, &["No difference"]);
    Ok(())
}

fn github_actions() -> Tested {
    let jdk = text(real_jdk()?.home);
    let place = Sandbox::new();
    let workflow = &documents("github-actions.yaml")[0];
    let share = at(workflow, &["jobs", "share"]);
    let count = at(share, &["strategy", "matrix", "shard"]).as_sequence().unwrap().len();
    for shard in 1..=count {
        let [script] = scripts(share)[..] else { panic!("one step runs the share") };
        let script = script.replace("${{ matrix.shard }}", &shard.to_string());
        let output = run(&place, place.path(), &script, &[("JAVA_HOME", &jdk)]);
        assert!(output.status.success(), "{script}\n{}", said(&output));
        // The engine uploads this file, and downloads it into a folder of the artifact's name.
        let artifact = place.path().join(format!("shares/share-25-{shard}"));
        std::fs::create_dir_all(&artifact).unwrap();
        std::fs::rename(place.path().join("share/results.json"), artifact.join("results.json")).unwrap();
    }
    let [script] = scripts(at(workflow, &["jobs", "report"]))[..] else {
        panic!("one step makes the report")
    };
    let summary = text(place.path().join("summary.md"));
    // The second time there are results from before.
    for compared in ["", "no difference"] {
        let output = run(&place, place.path(), script, &[("GITHUB_STEP_SUMMARY", &summary)]);
        assert_says(&output, 0, &["nothing unexpected"]);
        assert!(std::fs::read_to_string(&summary).unwrap().contains(compared), "{compared}");
    }
    Ok(())
}

fn kubernetes() -> Tested {
    let jdk = text(real_jdk()?.home);
    let place = Sandbox::new();
    let volume = text(place.path().join("report"));
    std::fs::create_dir(&volume).unwrap();
    let [jobs, merge] = &documents("kubernetes.yaml")[..] else { panic!("two jobs") };
    let container = ["spec", "template", "spec", "containers", "0"];
    let here = |script: &str| script.replace("/report", &volume).replace("/jdks", &jdk);
    let share = at(at(jobs, &container), &["args", "0"]).as_str().unwrap();
    let count = at(jobs, &["spec", "completions"]).as_u64().unwrap();
    for index in 0..count {
        let index = index.to_string();
        let output = run(&place, place.path(), &here(share), &[("JOB_COMPLETION_INDEX", &index)]);
        assert!(output.status.success(), "{share}\n{}", said(&output));
    }
    let merge = at(at(merge, &container), &["command", "2"]).as_str().unwrap();
    let output = run(&place, place.path(), &here(merge), &[]);
    assert_says(&output, 0, &["on 1 JVM", "nothing unexpected"]);
    Ok(())
}

tests! { shards_as_processes, github_actions, kubernetes }
