//! Agents recorded and judged on the JVMs of this machine.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

use jvmti_runner::jvm::Jdk;
use support::fixture::fixture;
use support::trials::{Tested, tests};
use support::{jdks, real_jdk};

fn check() -> Command {
    Command::new(env!("CARGO_BIN_EXE_jvmti-check"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Records `java -version` with the agent in it.
fn record(jdk: &Jdk, agent: &Path, option: &str, out: &Path) -> Output {
    record_with(&[], jdk, agent, option, out)
}

/// Records `java -version` with the agent in it, and with more options for `agent record`.
fn record_with(more: &[&str], jdk: &Jdk, agent: &Path, option: &str, out: &Path) -> Output {
    let mut command = check();
    command.args(["agent", "record", "--agent"]).arg(format!("{}={option}", agent.display()));
    command.arg("--jdk").arg(&jdk.home).arg("--out").arg(out).args(["--capacity", "16"]);
    command.args(more).args([
        "--",
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:-CreateCoredumpOnCrash",
        "-XX:ErrorFile=/dev/null",
        "-version",
    ]);
    command.output().unwrap()
}

/// Where calls that broke rules came from, by rule.
fn findings(out: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let trace = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path()).next().unwrap();
    let output =
        check().args(["agent", "check", "--json", "--severity", "note"]).arg(trace).output().unwrap();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text(&output.stdout).lines() {
        let finding: serde_json::Value = serde_json::from_str(line).unwrap();
        let symbols =
            finding["place"].as_array().unwrap().iter().map(|place| place["symbol"].as_str().unwrap());
        let symbol = symbols.into_iter().find(|symbol| !symbol.is_empty()).unwrap_or_default().to_owned();
        found.entry(finding["rule"].as_str().unwrap().to_owned()).or_default().insert(symbol);
    }
    found
}

/// Rules, and the functions of the fixture that break them on every JVM of that release and later.
const BROKEN: [(&str, &str, u16); 66] = [
    ("abi/callbacks-newer", "broken_newer", 8),
    ("abi/callbacks-part", "broken_part", 8),
    ("abi/callbacks-part", "broken_part_cut", 8),
    ("abi/callbacks-size", "broken_size", 8),
    ("abi/version", "broken_version", 8),
    ("argument/illegal", "broken_illegal", 8),
    ("argument/null", "broken_null", 8),
    ("callback/jni", "broken_use", 8),
    ("callback/jni", "broken_freed", 17),
    ("callback/unsafe", "broken_visit", 8),
    ("capability/late", "broken_refusal", 8),
    ("capability/missing", "broken_capability", 8),
    ("capability/refusal-ignored", "broken_refusal", 8),
    ("capability/unused", "broken_unused", 8),
    ("class/invalid", "broken_class", 8),
    ("class/malformed", "broken_malformed", 8),
    ("class/unmodifiable", "broken_unmodifiable", 8),
    ("environment/disposed", "broken_disposed", 8),
    ("event/left-enabled", "broken_left", 8),
    ("event/no-callback", "broken_nowhere", 8),
    ("event/type", "broken_event_type", 8),
    ("exception/cleared", "broken_pending_modified", 8),
    ("jni/exception-pending", "modify_pending", 8),
    ("exception/left", "broken_exception_prepared", 8),
    ("exception/thread", "broken_thrower", 8),
    ("field/invalid", "broken_field", 8),
    ("frame/opaque", "opaque_inner", 8),
    ("function/deprecated", "broken_deprecated", 17),
    ("memory/growing", "broken_growing_started", 8),
    ("memory/held", "broken_kept", 8),
    ("memory/held", "broken_memory_held", 8),
    ("memory/leak", "broken_leak", 8),
    ("memory/leak", "broken_elements", 8),
    ("memory/stored", "broken_stored", 8),
    ("method/gone", "broken_gone", 8),
    ("method/location", "broken_location", 8),
    ("method/invalid", "broken_method", 8),
    ("module/invalid", "broken_module", 9),
    ("monitor/held-at-end", "broken_held_thread", 8),
    ("monitor/invalid", "broken_monitor", 8),
    ("monitor/not-owner", "broken_owner", 8),
    ("monitor/order", "broken_order", 8),
    ("monitor/order", "broken_circle_thread", 8),
    ("object/invalid", "broken_object", 8),
    ("phase/over", "outlive", 8),
    ("phase/wrong", "broken_phase", 8),
    ("phase/wrong", "broken_over", 8),
    ("reference/cleared", "broken_cleared", 8),
    ("reference/deleted", "broken_deleted", 8),
    ("reference/deleted", "broken_weak", 8),
    ("reference/deleted", "broken_local_thread", 8),
    ("reference/returned", "broken_returned_death", 8),
    ("method/gone", "broken_id", 8),
    ("reference/held", "broken_prepared", 8),
    ("reference/held", "broken_agent_thread", 8),
    ("reference/other-thread", "broken_handed_thread", 8),
    ("reference/room", "broken_prepared_room", 8),
    ("result/ignored", "broken_monitor", 8),
    ("tag/other-environment", "broken_other_tag", 8),
    ("thread-group/invalid", "broken_group", 8),
    ("thread/invalid", "broken_thread", 8),
    ("thread/left-suspended", "broken_suspended", 8),
    ("thread/not-suspended", "broken_resume", 8),
    ("thread/not-suspended", "broken_popped", 8),
    ("thread/unattached", "broken_unattached_thread", 8),
    ("thread/virtual", "broken_virtual", 21),
];

fn two_recordings_are_held_against_each_other() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("misuse", folder.path())?;
    let jdk = real_jdk()?;
    let recorded = |option: &str| {
        let out = folder.path().join(option);
        assert!(record(&jdk, &agent, option, &out).status.success());
        std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path()).next().unwrap()
    };
    let (right, broken) = (recorded("right"), recorded("broken"));
    let compare = |before: &Path, after: &Path| {
        let output = check().args(["agent", "compare"]).args([before, after]).output().unwrap();
        (output.status.code(), text(&output.stdout))
    };
    let (code, said) = compare(&right, &right);
    assert!(code == Some(0) && said.contains("no difference"), "{said}");
    let (code, said) = compare(&right, &broken);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("newly broken") && said.contains("memory/leak"), "{said}");
    // Cut short, as by a full disk: what is left is judged.
    let bytes = zstd::decode_all(std::fs::File::open(&broken).unwrap()).unwrap();
    std::fs::write(&broken, &bytes[..bytes.len() * 2 / 3 + 3]).unwrap();
    let output = check().args(["agent", "check"]).arg(&broken).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    Ok(())
}

fn what_a_recording_exercises_is_counted() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("tour", folder.path())?;
    let out = folder.path().join("tour");
    assert!(record(&real_jdk()?, &agent, "", &out).status.success());
    let trace = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path()).next().unwrap();
    let said = |option: &str| {
        let output = check().args(["agent", "coverage", option]).arg(&trace).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let counted: serde_json::Value = serde_json::from_str(&said("--json")).unwrap();
    assert!(counted["functions"]["GetStackTrace"].as_u64() > Some(0) && counted["events"]["VMInit"] == 1);
    let has = |id: &str| counted["statements"].as_array().unwrap().iter().any(|one| one == id);
    assert!(
        has("GetStackTrace#phase/live") && has("VMInit#params/thread") && !has("GetStackTrace#phase/onload")
    );
    let untouched = said("--untouched");
    let has = |id: &str| untouched.lines().any(|line| line == id);
    assert!(has("RedefineClasses") && has("GetStackTrace#phase/onload") && !has("GetStackTrace"));
    Ok(())
}

fn agent_cases_are_run_and_judged() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let _ = fixture("tour", folder.path())?;
    let jdk = real_jdk()?;
    let run = |expect: &str| {
        let case = folder.path().join("tour.yaml");
        let text = format!("agents: [./libtour.so]\nprogram: [-version]\nexpect:\n  {expect}\n");
        std::fs::write(&case, text).unwrap();
        let mut command = check();
        command.args(["agent", "run"]).arg(&case).arg("--jdk").arg(&jdk.home);
        let output = command.output().unwrap();
        (output.status.code(), text_of(&output))
    };
    for right in [
        "calls: { in_order: [GetStackTrace, GetClassSignature], never: [GetTag], count: { GetPhase: \"1\" } }",
        "events: { in_order: [VMInit, VMDeath], never: [Breakpoint] }",
        "{ errors: {}, misuse: warning, stderr: [version], budget: { calls: 1000000 } }",
        // A line of several.
        "{ stderr: ['^OpenJDK.*VM.*$'] }",
    ] {
        let (code, said) = run(right);
        assert_eq!(code, Some(0), "{right}: {said}");
    }
    for (wrong, told) in [
        ("exit: 3", "exit code 0"),
        ("calls: { in_order: [GetClassSignature, GetStackTrace] }", "none after GetClassSignature"),
        ("events: { never: [VMInit] }", "event VMInit"),
        ("stdout: [no such]", "standard output"),
        ("budget: { calls: 3 }", "3 at most"),
    ] {
        let (code, said) = run(wrong);
        assert!(code == Some(1) && said.contains(told), "{wrong}: {said}");
    }
    let (code, said) = run("calls: { never: [GetTagg] }");
    assert!(code == Some(2) && said.contains("no function GetTagg"), "{said}");
    Ok(())
}

fn text_of(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

/// The release of the JVM.
fn release(jdk: &Jdk) -> u16 {
    let output = Command::new(&jdk.java).arg("-version").output().unwrap();
    let said = text(&output.stderr);
    let version = said.split('"').nth(1).unwrap_or_else(|| panic!("no version in {said}"));
    let version = version.strip_prefix("1.").unwrap_or(version);
    version.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

fn what_agents_do_wrong_is_found_where_they_do_it() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("misuse", folder.path())?;
    for jdk in jdks()? {
        let home = jdk.home.display();
        let out = tempfile::tempdir().unwrap();
        let output = record(&jdk, &agent, "broken", out.path());
        assert!(output.status.success(), "{home}: {}", text(&output.stderr));
        let found = findings(out.path());
        let release = release(&jdk);
        let broken = || BROKEN.iter().filter(|(_, _, since)| *since <= release);
        for (rule, function, _) in broken() {
            let places = found.get(*rule).unwrap_or_else(|| panic!("{home}: {rule} not found in {found:?}"));
            assert!(places.contains(*function), "{home}: {rule} at {places:?}");
        }
        // One answer to each question may be kept for good.
        assert!(!found["memory/leak"].contains("broken_kept"), "{home}: {found:?}");
        let known: Vec<&str> = broken().map(|(rule, _, _)| *rule).collect();
        let others: Vec<&String> = found.keys().filter(|rule| !known.contains(&rule.as_str())).collect();
        assert!(others.is_empty(), "{home}: {others:?}");

        // What is right is so whatever is poisoned, checked by the JVM, or looked at within callbacks.
        for more in [&[][..], &["--poison"], &["--vm-option=-Xcheck:jni"], &["--close", "1"]] {
            let out = tempfile::tempdir().unwrap();
            let output = record_with(more, &jdk, &agent, "right", out.path());
            assert!(output.status.success(), "{home}: {}", text(&output.stderr));
            let found = findings(out.path());
            assert!(found.is_empty(), "{home}: {found:?}");
        }
    }
    Ok(())
}

fn what_must_not_be_relied_on_shows_when_it_is_poisoned() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("misuse", folder.path())?;
    for jdk in jdks()? {
        let recorded = |option: &str| {
            let out = tempfile::tempdir().unwrap();
            let output = record_with(&["--poison"], &jdk, &agent, option, out.path());
            assert!(output.status.success(), "{}: {}", jdk.home.display(), text(&output.stderr));
            findings(out.path())
        };
        assert!(recorded("stale_right").is_empty());
        for (function, rule) in [
            ("stale_broken_output", "output/after-error"),
            ("stale_broken_freed", "output/after-error"),
            ("stale_broken_read", "memory/after-deallocate"),
            ("stale_broken_write", "memory/after-deallocate"),
            ("stale_broken_given", "memory/foreign-free"),
            ("stale_broken_deleted", "memory/foreign-free"),
            ("stale_broken_grown", "memory/foreign-free"),
            ("stale_broken_pointed", "memory/foreign-free"),
            ("stale_broken_twice", "memory/foreign-free"),
            ("broken_middle", "memory/other-allocator"),
            ("broken_double_free", "memory/double-free"),
        ] {
            let found = recorded(function);
            // What an output was that is undefined is no argument; memory within which somebody deallocates is held.
            let beside = ["argument/illegal", "memory/held"];
            let rules: Vec<&String> = found.keys().filter(|rule| !beside.contains(&rule.as_str())).collect();
            assert_eq!(rules, [rule], "{function}");
            let places = found.get(rule).unwrap_or_else(|| panic!("{rule} not found in {found:?}"));
            assert!(places.contains(function), "{rule} at {places:?}");
        }
    }
    Ok(())
}

fn findings_name_the_line() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("misuse", folder.path())?;
    let jdk = real_jdk()?;
    let out = folder.path().join("out");
    assert!(record(&jdk, &agent, "broken_resume", &out).status.success());
    let trace = std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path()).next().unwrap();
    let said = |folders: &[&Path]| {
        let mut command = check();
        command.args(["agent", "check"]).arg(&trace);
        for folder in folders {
            command.arg("--symbols").arg(folder);
        }
        text(&command.output().unwrap().stdout)
    };
    let line = "broken_resume at ";
    assert!(said(&[]).contains(line) && said(&[]).contains("misuse_threads.h:"), "{}", said(&[]));
    // A library that has changed since the recording tells nothing, unless the user vouches for it.
    let elsewhere = folder.path().join("symbols");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::copy(&agent, elsewhere.join("libmisuse.so")).unwrap();
    std::fs::copy(elsewhere.join("libmisuse.so"), &agent).unwrap();
    assert!(!said(&[]).contains(line), "{}", said(&[]));
    assert!(said(&[&elsewhere]).contains(line), "{}", said(&[&elsewhere]));
    Ok(())
}

fn locals_have_types() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("misuse", folder.path())?;
    for jdk in jdks()? {
        // Earlier ones read what is not asked for.
        let types: &[&str] = if release(&jdk) < 11 { &["frame/slot"] } else { &["frame/slot", "frame/type"] };
        for (option, rules) in [("locals_broken", types), ("locals_right", &[])] {
            let out = tempfile::tempdir().unwrap();
            let output = record(&jdk, &agent, option, out.path());
            assert!(output.status.success(), "{}: {}", jdk.home.display(), text(&output.stderr));
            assert_eq!(findings(out.path()).into_keys().collect::<Vec<_>>(), rules);
        }
    }
    Ok(())
}

fn what_a_jvm_may_not_survive_is_found_all_the_same() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("misuse", folder.path())?;
    for jdk in jdks()? {
        for (function, rule) in [
            ("broken_double_free", "memory/double-free"),
            ("broken_allocator", "memory/other-allocator"),
            ("broken_middle", "memory/other-allocator"),
            ("broken_destroyed", "monitor/destroyed"),
            ("broken_deadlock", "monitor/deadlock"),
            ("broken_class_data", "memory/class-data"),
        ] {
            let out = tempfile::tempdir().unwrap();
            let output = record(&jdk, &agent, function, out.path());
            let found = findings(out.path());
            // A trace that was cut short does not tell whether memory came from somewhere else.
            if output.status.success() || function != "broken_allocator" {
                assert!(
                    found.get(rule).is_some_and(|at| at.iter().any(|at| at.starts_with(function))),
                    "{rule}: {found:?}"
                );
            }
        }
    }
    Ok(())
}

fn a_program_under_the_probe_is_the_same() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("tour", folder.path())?;
    for jdk in jdks()? {
        let bare = Command::new(&jdk.java).arg("-version").output().unwrap();
        let output = record(&jdk, &agent, "", folder.path());
        assert_eq!(output.stdout, bare.stdout);
        let said = text(&output.stderr);
        assert!(said.starts_with(&text(&bare.stderr)), "{said}");
        for told in ["GetStackTrace", "VMInit", "share of the run"] {
            assert!(said.contains(told), "{told} is missing in {said}");
        }
        // A program's exit code is its own.
        let mut command = check();
        command.args(["agent", "record", "--agent"]).arg(&agent).arg("--jdk").arg(&jdk.home);
        let output = command.arg("--out").arg(folder.path()).args(["--", "NoSuchClass"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    }
    Ok(())
}

fn what_makes_standing_between_hard_comes_out_the_same() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("between", folder.path())?;
    for jdk in jdks()? {
        for (option, recorded, since) in [
            ("jni", "SetJNIFunctionTable → NONE", 8),
            ("copied", "SetJNIFunctionTable → NONE", 8),
            ("patch", "GetPhase → NONE", 8),
            ("table", "DisposeEnvironment → NONE", 8),
            ("functions", "com.sun.hotspot.functions.IsClassUnloadingEnabled → NONE (0), parameter 0: 1", 8),
            ("functions", "com.sun.hotspot.functions.IsClassUnloadingEnabled → NULL_POINTER", 8),
            ("functions", "com.sun.hotspot.functions.GetVirtualThread → MUST_POSSESS_CAPABILITY", 21),
            ("unload", "com.sun.hotspot.events.ClassUnload(", 8),
            ("virtual", "com.sun.hotspot.events.VirtualThreadMount(", 21),
            ("dispose", "GetPhase → INVALID_ENVIRONMENT", 8),
            ("threads", "SetEnvironmentLocalStorage → NONE", 8),
        ] {
            let bare = Command::new(&jdk.java)
                .arg(format!("-agentpath:{}={option}", agent.display()))
                .arg("-version")
                .output()
                .unwrap();
            let out = tempfile::tempdir().unwrap();
            let output = record(&jdk, &agent, option, out.path());
            let home = jdk.home.display();
            assert_eq!(text(&output.stdout), text(&bare.stdout), "{home}: {option}");
            assert_eq!(output.status.code(), bare.status.code(), "{home}: {option}");
            let trace =
                std::fs::read_dir(out.path()).unwrap().map(|entry| entry.unwrap().path()).next().unwrap();
            let shown = check().args(["trace", "show"]).arg(trace).output().unwrap();
            if since <= release(&jdk) {
                assert!(text(&shown.stdout).contains(recorded), "{home}: {option}: no {recorded}");
            }
        }
    }
    Ok(())
}

tests! { findings_name_the_line, what_a_recording_exercises_is_counted, two_recordings_are_held_against_each_other, agent_cases_are_run_and_judged, what_agents_do_wrong_is_found_where_they_do_it, what_must_not_be_relied_on_shows_when_it_is_poisoned, locals_have_types, what_a_jvm_may_not_survive_is_found_all_the_same, a_program_under_the_probe_is_the_same, what_makes_standing_between_hard_comes_out_the_same }
