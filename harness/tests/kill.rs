//! JVMs that someone outside ends at random moments: nothing that was found out is lost, nobody is blamed, and what
//! was cut short is run again. And JVMs that crash in one case because of another.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::CommandCargoExt;
use jvmti_results::{Results, Status};
use support::sandbox::{Sandbox, assert_says, text};
use support::trials::{Tested, tests};
use support::{compile_java, fake_home, real_jdk, tools};

/// JVMs that get a signal: not more than one launch is repeated, so that no launch is given up.
const KILLS: usize = 3;

/// Ends a JVM that runs scenarios when it has recorded so many bytes, more from launch to launch, so that the signals fall
/// into its start, into the cases, and into its end.
fn killer(counter: &Path, end: &str) -> String {
    format!(
        r#"
case "$*" in *Objects*) ;; *) exec "$REAL" "$@" ;; esac
count=$(wc -l < '{counter}')
[ "$count" -lt {KILLS} ] || exec "$REAL" "$@"
for a in "$@"; do case $a in -agentpath:*) trace=${{a##*=}};; esac; done
recorded() {{ od -An -tu8 -j64 -N8 "$trace"; }}
enough=$(($(recorded) + 1 + count * 30000))
"$REAL" "$@" &
while kill -0 $! && [ "$(recorded)" -lt $enough ]; do sleep 0.01; done 2>/dev/null
kill -0 $! || {{ wait $!; exit; }}
echo killed >> '{counter}'
{end}
"#,
        counter = counter.display(),
    )
}

fn verdicts(home: &Path, place: &Path, name: &str) -> BTreeMap<String, Status> {
    let out = place.join(name);
    let mut command = Command::cargo_bin("jvmti-check").unwrap();
    let output = command
        .args(["run", "GetThreadState#", "Objects", "#null/", "--no-progress", "-j", "2", "--jdk"])
        .arg(home)
        .arg("--out")
        .arg(&out)
        .env("JVMTI_CHECK_CACHE", place.join(format!("{name}-cache")))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = std::fs::read(out.join("results.json")).unwrap_or_else(|e| panic!("no results ({e}): {said}"));
    let results: Results = serde_json::from_slice(&text).unwrap();
    let cases = results.runs[0].verdicts.iter().filter(|v| !v.case.starts_with("universal/"));
    cases.map(|v| (v.case.clone(), v.status)).collect()
}

fn killing_jvms_costs_no_verdict() -> Tested {
    // The launcher ends by the same signal, as the JVM itself would.
    ending_jvms_costs_no_verdict("kill -9 $!\nkill -9 $$")
}

fn shutting_jvms_down_costs_no_verdict() -> Tested {
    ending_jvms_costs_no_verdict("kill $!\nwait $!\nexit $?")
}

fn ending_jvms_costs_no_verdict(end: &str) -> Tested {
    let place = tempfile::tempdir().unwrap();
    let counter = place.path().join("kills");
    std::fs::write(&counter, "").unwrap();
    let undisturbed = verdicts(&real_jdk()?.home, place.path(), "undisturbed");
    assert!(undisturbed.len() > 100, "{} cases only", undisturbed.len());
    let home = fake_home(place.path(), &killer(&counter, end));
    // On a busy machine JVMs may end before the script gets to look at them.
    for run in 1..=5 {
        let disturbed = verdicts(&home, place.path(), &format!("disturbed-{run}"));
        let kills = std::fs::read_to_string(&counter).unwrap().lines().count();
        assert_eq!(disturbed.keys().collect::<Vec<_>>(), undisturbed.keys().collect::<Vec<_>>());
        let differing: Vec<_> =
            disturbed.iter().filter(|(case, status)| undisturbed[*case] != **status).collect();
        assert!(differing.is_empty(), "{kills} signals changed {differing:?}");
        if kills >= 2 {
            return Ok(());
        }
    }
    panic!("the JVMs had ended before they could be killed");
}

/// A case that never ends by itself.
const ENDLESS: &str = "\
chapter: raw-monitor
cases:
- id: endless
  about: Waits for nobody
  at: vm_init
  steps:
  - {call: CreateRawMonitor, with: {name: endless}, as: made}
  - {call: RawMonitorEnter, with: {monitor: $made.monitor_ptr}}
  - {call: RawMonitorWait, with: {monitor: $made.monitor_ptr, millis: 0}}
  cites: RawMonitorWait#slot
";

/// Whether the probe watches over its process by now.
fn is_watched(pid: &str) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    tasks.into_iter().any(|task| {
        std::fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.starts_with("jvmti-probe"))
    })
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(600), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn no_jvm_outlives_a_harness_that_is_killed() -> Tested {
    let place = tempfile::tempdir().unwrap();
    let (cases, file) = (place.path().join("cases"), place.path().join("pid"));
    std::fs::create_dir(&cases).unwrap();
    std::fs::write(cases.join("endless.yaml"), ENDLESS).unwrap();
    // The JVM is not even the harness's child.
    let script = format!(
        r#"
case "$*" in *jvmticheck.Main) ;; *) exec "$REAL" "$@" ;; esac
"$REAL" "$@" &
echo $! > '{file}.new'; mv '{file}.new' '{file}'
wait"#,
        file = file.display()
    );
    let home = fake_home(place.path(), &script);
    let mut harness = Command::cargo_bin("jvmti-check")
        .unwrap()
        .args(["run", "endless", "--no-progress", "--only-cases"])
        .arg(&cases)
        .arg("--jdk")
        .arg(&home)
        .env("JVMTI_CHECK_CACHE", place.path().join("cache"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let watched = || std::fs::read_to_string(&file).ok().filter(|pid| is_watched(pid.trim()));
    wait_until("the JVM does not begin", || watched().is_some());
    let pid = watched().unwrap();
    harness.kill().unwrap();
    harness.wait().unwrap();
    wait_until("the JVM goes on", || !is_watched(pid.trim()));
    Ok(())
}

/// Two scenarios, in the second of which a method says that it is at work, and takes a while.
const HARM: &str = r#"
public final class Harm implements jvmticheck.Scenario {
    public void run() {
        jvmticheck.Probe.checkpoint("done");
    }
    public static final class Later implements jvmticheck.Scenario {
        private static String name = "WORKS-before";
        private static int millis = 1;
        public void run() throws Exception {
            // Loads the classes that it takes, before the hook.
            work();
            name = "WORKS";
            millis = 1000;
            jvmticheck.Probe.bind("class", Later.class);
            jvmticheck.Probe.checkpoint("calls");
        }
        static void work() throws Exception {
            new java.io.FileOutputStream(name).close();
            Thread.sleep(millis);
        }
    }
}
"#;

fn a_crash_names_the_cases_that_it_takes() -> Tested {
    let place = Sandbox::new();
    let works = place.path().join("works");
    let source = place.path().join("Harm.java");
    std::fs::write(&source, HARM.replace("WORKS", &text(&works))).unwrap();
    let stand_in = format!(
        r#"case "$*" in *' Harm '*'Harm$Later'*) ;; *) exec "$REAL" "$@" ;; esac
rm -f '{0}'; "$REAL" "$@" & jvm=$!
while kill -0 $jvm && ! [ -e '{0}' ]; do sleep 0.05; done
kill -SEGV $jvm; wait $jvm; kill -SEGV $$"#,
        works.display()
    );
    let home = text(fake_home(place.path(), &stand_in));
    let (jar, classes) = (place.path().join("java-tests.jar"), place.path().join("classes"));
    std::fs::write(&jar, jvmti_java_tests::JAR).unwrap();
    compile_java(&tools(&["javac"])?, &source, &jar, &classes);
    let folder = place.path().join("cases");
    std::fs::create_dir(&folder).unwrap();
    let scenarios = "[{name: Harm, about: x, checkpoints: [{name: done, is: x}]},
        {name: Harm$Later, about: x, binds: [{name: class, is: x}], checkpoints: [{name: calls, is: x}]}]";
    std::fs::write(folder.join("scenarios.yaml"), scenarios).unwrap();
    let done = |id: &str| {
        let calls = ["{call: GetPhase, expect: {phase_ptr: LIVE}}"; 3].join(", ");
        format!(
            "- {{id: harm/{id}, about: x, scenario: Harm, at: checkpoint(done), steps: [{calls}], cites: ['GetPhase#null/phase_ptr']}}"
        )
    };
    // The scenario with more calls runs first.
    let before = ["a", "b", "c", "d", "e"].map(done).join("\n");
    let later = "- id: harm/later
  about: x
  scenario: Harm$Later
  at: checkpoint(calls)
  capabilities: [can_retransform_classes]
  cites: ['GetPhase#null/phase_ptr']
  steps:
  - {call: SetEventNotificationMode, with: {mode: ENABLE, event_type: ClassFileLoadHook, event_thread: null}}
  - {call: RetransformClasses, with: {class_count: 1, classes: [$class]}}
  handlers:
  - {at: {ClassFileLoadHook: {class_being_redefined: $class}}, do: [{jni: CallStaticVoidMethod, args: [$class, work]}]}";
    std::fs::write(folder.join("harm.yaml"), format!("chapter: general\ncases:\n{before}\n{later}\n"))
        .unwrap();
    let (cases, classes) = (text(&folder), text(&classes));
    let args = ["run", "harm", "--cases", &cases, "--classpath", &classes, "--jdk", &home, "--no-progress"];
    let output = place.run(&args);
    let because = "not by itself, but after harm/a";
    assert_says(&output, 1, &["CRASH", "harm/later", because, "jvmti-check run 'harm/a' 'harm/later' --jdk"]);
    Ok(())
}

tests! { killing_jvms_costs_no_verdict, shutting_jvms_down_costs_no_verdict, no_jvm_outlives_a_harness_that_is_killed, a_crash_names_the_cases_that_it_takes }
