//! Agents that crash, hang or exit while they are loaded: told with what the JVM said, and where the agent was.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::fixture::compile;
use support::real_jdk;
use support::trials::{Missing, Tested, tests};

const AGENT: &str = r#"
#include <jvmti.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    jvmtiEnv *env;
    jvmtiPhase phase;
    if ((*vm)->GetEnv(vm, (void **)&env, JVMTI_VERSION_1_1) != JNI_OK) return JNI_ERR;
    (*env)->GetPhase(env, &phase);
    fprintf(stderr, "the agent's last words\n");
    fclose(fopen("left-behind", "w"));
    if (strcmp(options, "crash") == 0) raise(SIGKILL);
    if (strcmp(options, "hang") == 0) for (;;) pause();
    if (strcmp(options, "exit") == 0) exit(7);
    if (strcmp(options, "null") == 0) *(volatile int *)(size_t)phase = 1;
    return JNI_ERR;
}
"#;

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn agent(folder: &Path) -> Result<PathBuf, Missing> {
    let (source, agent) = (folder.join("bad.c"), folder.join("libbad.so"));
    std::fs::write(&source, AGENT).unwrap();
    compile(&source, &agent).map(|()| agent)
}

fn check(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jvmti-check"));
    command.args(args);
    command
}

/// Seconds that a JVM gets to run: enough to load an agent on a busy machine; one that hangs uses them up.
fn timeout(what: &str) -> &'static str {
    if what == "hang" { "15" } else { "600" }
}

/// The agent's only call, with its place.
fn last_call(folder: &Path) -> String {
    let line = AGENT.lines().position(|line| line.contains("GetPhase")).unwrap() + 1;
    format!("GetPhase from Agent_OnLoad at {}:{line} (libbad.so+0x", folder.join("bad.c").display())
}

/// What an agent does, the exit code of `agent record`, and how it is put into words.
const ENDS: [(&str, i32, &str); 4] = [
    ("crash", 128 + 9, "SIGKILL"),
    ("hang", 124, "its time was up"),
    ("exit", 7, "exit code 7"),
    ("refuse", 1, "exit code 1"),
];

fn a_recording_tells_how_an_agent_ended_the_jvm() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(folder.path())?;
    let jdk = real_jdk()?;
    for (what, code, told) in ENDS {
        let mut command = check(&["agent", "record", "--timeout", timeout(what), "--agent"]);
        command.arg(format!("{}={what}", agent.display())).arg("--jdk").arg(&jdk.home);
        command.current_dir(folder.path()).args(["--", "-version"]);
        let output = command.output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(code), "{what}: {said}");
        let last = format!("the last call was {}", last_call(folder.path()));
        for told in [told, "never came to VMStart", &last] {
            assert!(said.contains(told), "{what}: no {told:?} in {said}");
        }
    }
    Ok(())
}

fn a_case_tells_what_the_jvm_said_and_keeps_its_folder_clean() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let _ = agent(folder.path())?;
    let jdk = real_jdk()?;
    let case = folder.path().join("bad.yaml");
    for (what, _, _) in ENDS {
        let seconds = timeout(what);
        let written = format!("agents: [./libbad.so={what}]\nprogram: [-version]\ntimeout: {seconds}\n");
        std::fs::write(&case, written).unwrap();
        let mut command = check(&["agent", "run"]);
        command.arg(&case).arg("--jdk").arg(&jdk.home).arg("--out").arg(folder.path().join("out"));
        let output = command.output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{what}: {said}");
        // A long line is broken anywhere.
        let unbroken = |text: &str| text.split_whitespace().collect::<String>();
        for told in ["the agent's last words", "never came to VMStart", &last_call(folder.path())] {
            assert!(unbroken(&said).contains(&unbroken(told)), "{what}: no {told:?} in {said}");
        }
    }
    assert!(!folder.path().join("left-behind").exists());
    let name = jdk.home.file_name().unwrap().to_string_lossy().into_owned();
    assert!(folder.path().join(format!("out/bad-{name}/left-behind")).is_file());
    Ok(())
}

fn an_agent_that_is_not_there_or_none_at_all_costs_no_trace() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let jdk = real_jdk()?;
    let case = folder.path().join("bad.yaml");
    std::fs::write(&case, "agents: [./libnothere.so]\nprogram: [-version]\n").unwrap();
    let output = check(&["agent", "run"]).arg(&case).arg("--jdk").arg(&jdk.home).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("libnothere.so is not there"), "{}", text(&output));
    // A launcher that cannot be started is no recording.
    let out = folder.path().join("out");
    let mut command = check(&["agent", "record", "--agent", "jdwp", "--jdk", "/no/such/jdk", "--out"]);
    let output = command.arg(&out).args(["--", "-version"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(!out.exists() || std::fs::read_dir(&out).unwrap().next().is_none());
    Ok(())
}

fn a_comparison_begins_with_how_the_program_ends() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(folder.path())?;
    let jdk = real_jdk()?;
    let recorded = |what: &str| {
        let out = folder.path().join(what);
        let mut command = check(&["agent", "record", "--agent"]);
        command.arg(format!("{}={what}", agent.display())).arg("--jdk").arg(&jdk.home).arg("--out").arg(&out);
        command.current_dir(folder.path()).args(["--", "-version"]).output().unwrap();
        std::fs::read_dir(out).unwrap().next().unwrap().unwrap().path()
    };
    let (before, after) = (recorded("exit"), recorded("crash"));
    let report = folder.path().join("report");
    let mut command = check(&["agent", "compare"]);
    let output = command.args([&before, &after]).arg("--out").arg(&report).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("exit code 7") && said.contains("ended by signal 9 (SIGKILL)"), "{said}");
    let first = said.lines().find(|line| line.starts_with("──"));
    assert_eq!(first, Some("── ends differently ──"), "{said}");
    assert!(said.contains("time per call") && said.contains("GetPhase"), "{said}");
    let file = |name: &str| std::fs::read_to_string(report.join(name)).unwrap();
    assert!(file("junit.xml").contains("<failure") && file("junit.xml").contains("SIGKILL"));
    assert!(file("report.html").contains("SIGKILL") && file("report.md").contains("ends differently"));
    let results: serde_json::Value = serde_json::from_str(&file("results.json")).unwrap();
    assert_eq!(results["runs"][0]["verdicts"][0]["status"], "fail");
    let alike = check(&["agent", "compare", "--json"]).args([&after, &after]).output().unwrap();
    assert!(alike.status.success() && alike.stdout.is_empty(), "{}", text(&alike));
    Ok(())
}

fn a_crash_is_told_with_the_words_of_the_jvm_and_the_line_of_the_agent() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(folder.path())?;
    let jdk = real_jdk()?;
    let out = folder.path().join("out");
    let mut command = check(&["agent", "record", "--agent"]);
    command.arg(format!("{}=null", agent.display())).arg("--jdk").arg(&jdk.home).arg("--out").arg(&out);
    command.current_dir(folder.path()).args(["--", "-XX:-CreateCoredumpOnCrash", "-version"]);
    let output = command.output().unwrap();
    let said = text(&output);
    assert!(said.contains("crash             problematic frame: C [libbad.so+0x"), "{said}");
    // The report stays where the JVM has written it.
    let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().any(|name| name.to_string_lossy().starts_with("hs_err_pid")), "{said}");
    let trace = std::fs::read_dir(out).unwrap().next().unwrap().unwrap().path();
    let said = text(&check(&["agent", "check"]).arg(trace).output().unwrap());
    let line = AGENT.lines().position(|line| line.contains("\"null\"")).unwrap() + 1;
    let place = format!("Agent_OnLoad at {}:{line} (libbad.so+0x", folder.path().join("bad.c").display());
    assert!(said.contains("── ERROR ── crash/agent") && said.contains(&place), "{said}");
    Ok(())
}

/// Thread-local data of a library, whose destructor runs when a thread ends.
const LEAVER: &str = r#"
#include <pthread.h>
static pthread_key_t key;
static void ends(void *value) { (void)value; }
__attribute__((constructor)) static void loaded(void) { pthread_key_create(&key, ends); }
void mark(void) { pthread_setspecific(key, &key); }
"#;

/// An agent that unloads this library before its thread ends, if the option says so.
const UNLOADER: &str = r#"
#include <jvmti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
static char library[4096];
static int early;
static void *work(void *unused) {
    void *opened = dlopen(library, RTLD_NOW);
    ((void (*)(void))dlsym(opened, "mark"))();
    if (early) dlclose(opened);
    return unused;
}
static void JNICALL initialised(jvmtiEnv *env, JNIEnv *jni, jthread thread) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_join(worker, NULL);
}
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    jvmtiEnv *env;
    jvmtiEventCallbacks callbacks = {0};
    if ((*vm)->GetEnv(vm, (void **)&env, JVMTI_VERSION_1_1) != JNI_OK) return JNI_ERR;
    early = options[0] == 'e';
    strncpy(library, options + 1, sizeof library - 1);
    callbacks.VMInit = initialised;
    (*env)->SetEventCallbacks(env, &callbacks, (char *)(&callbacks.VMObjectAlloc + 1) - (char *)&callbacks);
    (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    return JNI_OK;
}
"#;

fn a_library_that_is_unloaded_while_threads_still_need_it_is_told() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let built = |name: &str, source: &str| {
        let (written, built) =
            (folder.path().join(format!("{name}.c")), folder.path().join(format!("lib{name}.so")));
        std::fs::write(&written, source).unwrap();
        compile(&written, &built).map(|()| built)
    };
    let (leaver, unloader) = (built("leaver", LEAVER)?, built("unloader", UNLOADER)?);
    let jdk = real_jdk()?;
    for (when, told) in [("e", "── WARNING ── crash/unloaded"), ("l", "nothing of severity warning or worse")]
    {
        let out = folder.path().join(format!("out-{when}"));
        let mut command = check(&["agent", "record", "--agent"]);
        command.arg(format!("{}={when}{}", unloader.display(), leaver.display()));
        command.arg("--jdk").arg(&jdk.home).arg("--out").arg(&out).current_dir(folder.path());
        command.args(["--", "-XX:-CreateCoredumpOnCrash", "-version"]).output().unwrap();
        let trace = std::fs::read_dir(out).unwrap().next().unwrap().unwrap().path();
        let said = text(&check(&["agent", "check"]).arg(trace).output().unwrap());
        assert!(said.contains(told), "{when}: {said}");
    }
    Ok(())
}

fn a_jvm_that_does_not_get_past_its_agents_is_told() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let jdk = real_jdk()?;
    // There is no such agent; there is such a library, which has no functions of an agent. The JVM gives up, or crashes:
    // 25 does where the function is missing.
    for agent in ["nosuchagent".to_owned(), c_library()] {
        let mut command = check(&["agent", "record", "--agent", &agent, "--jdk"]);
        command.arg(&jdk.home);
        command.arg("--out").arg(folder.path());
        command.args(["--", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null", "-version"]);
        let output = command.output().unwrap();
        assert!(matches!(output.status.code(), Some(1 | 134)), "{}", text(&output));
        assert!(text(&output).contains("never came to VMStart"), "{}", text(&output));
    }
    Ok(())
}

/// The path of the C library that this process has loaded.
fn c_library() -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mut paths = maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
    paths.find(|path| path.contains("/libc.so") || path.contains("/libc-")).unwrap().to_owned()
}

fn agents_that_cannot_be_loaded_are_told_before_a_jvm_starts() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("libforeign.so");
    support::foreign_library(&foreign);
    let nothing = folder.path().join("libtext.so");
    std::fs::write(&nothing, "text").unwrap();
    for (agent, said) in [
        (folder.path().join("libabsent.so"), "is not there"),
        (foreign, "is built for"),
        (nothing, "cannot be loaded by a JVM"),
    ] {
        let mut command = check(&["agent", "record", "--agent"]);
        command.arg(&agent).arg("--out").arg(folder.path());
        let output = command.args(["--", "-version"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output).contains(said), "{}", text(&output));
    }
    let unknown = ["agent", "record", "--agent", "jdwp", "--function", "GetThreadStat", "--", "-version"];
    let output = check(&unknown).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("did you mean GetThreadState?"), "{}", text(&output));
    Ok(())
}

tests! { a_recording_tells_how_an_agent_ended_the_jvm, a_case_tells_what_the_jvm_said_and_keeps_its_folder_clean, an_agent_that_is_not_there_or_none_at_all_costs_no_trace, a_comparison_begins_with_how_the_program_ends, a_crash_is_told_with_the_words_of_the_jvm_and_the_line_of_the_agent, a_library_that_is_unloaded_while_threads_still_need_it_is_told, a_jvm_that_does_not_get_past_its_agents_is_told, agents_that_cannot_be_loaded_are_told_before_a_jvm_starts }
