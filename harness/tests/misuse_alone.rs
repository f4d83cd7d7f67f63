//! Misuse by agents that each break one rule, in a recording of its own, and near ones that are right.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::process::{Command, Output};

use jvmti_runner::jvm::Jdk;
use support::fixture::fixture;
use support::jdks;
use support::trials::{Tested, tests};

/// What `broken_…` breaks and `right_…` does not.
const MISUSES: [(&str, &str); 106] = [
    ("abort", "crash/agent"),
    ("again", "monitor/left-entered"),
    ("all", "thread/suspended-with-others"),
    ("answer", "callback/heap-answer"),
    ("around_deallocated", "reference/deleted"),
    ("attached_early", "thread/attached-early"),
    ("awaited", "monitor/awaited"),
    ("beyond", "frame/beyond"),
    ("buffer", "memory/small-buffer"),
    ("class_data", "memory/class-data-written"),
    ("cleared", "reference/cleared"),
    ("collection_jni", "monitor/collection"),
    ("commit", "jni/growing"),
    ("contents", "jni/contents"),
    ("counted", "exception/left"),
    ("critical", "jni/critical-region"),
    ("critical_left", "jni/critical-region"),
    ("dead", "jni/dead-phase"),
    ("deallocated", "memory/after-deallocate"),
    ("destructor", "thread/unattached"),
    ("detach", "thread/left-attached"),
    ("detached", "thread/detached"),
    ("detached_env", "jni/other-thread"),
    ("disabled", "event/disabled-elsewhere"),
    ("ended_thread", "reference/returned"),
    ("endless", "event/endless"),
    ("environments", "environment/growing"),
    ("extensions", "memory/leak"),
    ("fatal", "crash/agent"),
    ("final", "class/change-unsupported"),
    ("forked", "process/forked"),
    ("frames", "jni/local-frames"),
    ("freed", "memory/foreign-free"),
    ("given_again", "reference/deleted"),
    ("global", "reference/growing"),
    ("global_twice", "reference/deleted"),
    ("holder", "monitor/deadlock"),
    ("java_deadlock", "monitor/deadlock"),
    ("java_order", "monitor/order"),
    ("jni_held", "reference/held"),
    ("jni_kept", "reference/returned"),
    ("jni_pending", "jni/exception-pending"),
    ("kept", "reference/returned"),
    ("kept_by_thread", "monitor/kept"),
    ("kept_monitor", "monitor/kept"),
    ("kind", "reference/kind"),
    ("left", "monitor/left-entered"),
    ("length", "memory/class-data-length"),
    ("loading", "memory/stack-address"),
    ("local_twice", "reference/deleted"),
    ("longer", "memory/class-data-length"),
    ("looked", "reference/growing"),
    ("lost", "monitor/lost-notify"),
    ("malloc_deallocated", "memory/small-buffer"),
    ("monitors", "monitor/growing"),
    ("moved", "frame/moved"),
    ("native_held", "reference/held"),
    ("native_kept", "reference/returned"),
    ("native_monitor", "monitor/left-entered"),
    ("native_often", "reference/returned"),
    ("native_pending", "jni/exception-pending"),
    ("native_thread", "reference/other-thread"),
    ("nested_wait", "monitor/nested-wait"),
    ("no_code", "abi/callbacks-code"),
    ("no_heap_code", "abi/heap-callbacks-code"),
    ("nonvirtual", "jni/other-class"),
    ("nonvirtual_object", "jni/other-class"),
    ("not_prepared", "class/not-prepared"),
    ("null_class", "reference/null"),
    ("other_class", "jni/other-class"),
    ("other_class_field", "jni/other-class"),
    ("other_class_static", "jni/other-class"),
    ("other_class_static_field", "jni/other-class"),
    ("other_env", "jni/other-thread"),
    ("other_kind", "jni/other-kind"),
    ("overrun_deallocated", "memory/overrun"),
    ("popped_counted", "reference/deleted"),
    ("priority", "thread/priority"),
    ("replaced", "event/no-callback"),
    ("resume_list", "thread/not-suspended"),
    ("second", "reference/returned"),
    ("shorter", "class/left-malformed"),
    ("signal", "signal/handler"),
    ("signal_jni", "signal/handler"),
    ("stack_address", "memory/stack-address"),
    ("stack_buffer", "memory/small-buffer"),
    ("static_buffer", "memory/small-buffer"),
    ("static_field", "jni/other-kind"),
    ("storage", "storage/other-environment"),
    ("stuck", "callback/stuck"),
    ("table", "abi/jni-table"),
    ("table_deallocated", "memory/after-deallocate"),
    ("text", "jni/text"),
    ("thread_argument", "memory/stack-address"),
    ("thread_contents", "jni/growing"),
    ("thread_frames", "jni/local-frames"),
    ("thrown", "crash/agent"),
    ("thrown_extension", "crash/agent"),
    ("traced", "frame/beyond"),
    ("unheard", "event/never-enabled"),
    ("unmade", "thread/not-constructed"),
    ("unset", "event/not-set"),
    ("user_thread", "thread/user"),
    ("variadic", "reference/returned"),
    ("waiting", "callback/stuck"),
    ("weak", "reference/growing"),
];

fn record(jdk: &Jdk, agent: &Path, option: &str, (more, out): (&[&str], &Path)) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jvmti-check"));
    command.args(["agent", "record", "--agent"]).arg(format!("{}={option}", agent.display()));
    command.arg("--jdk").arg(&jdk.home).arg("--out").arg(out).args(["--capacity", "16", "--timeout", "600"]);
    // Few callbacks are recorded, the others are only counted.
    command.args(if option.ends_with("counted") { &["--sample", "4"][..] } else { &[] }).args(more);
    // The memory has to be marked.
    command.args(if option.ends_with("deallocated") { &["--poison"][..] } else { &[] });
    command.args(["--", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:-CreateCoredumpOnCrash"]);
    command.args(["-XX:ErrorFile=/dev/null", "-version"]).output().unwrap()
}

/// The rules that the recording in this folder breaks.
fn broken_rules(out: &Path) -> Vec<String> {
    let trace = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path()).next().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_jvmti-check"));
    let output =
        command.args(["agent", "check", "--json", "--severity", "note"]).arg(trace).output().unwrap();
    let rule = |line: &str| {
        let finding: serde_json::Value = serde_json::from_str(line).unwrap();
        finding["rule"].as_str().unwrap().to_owned()
    };
    String::from_utf8_lossy(&output.stdout).lines().map(rule).collect()
}

fn each_misuse_is_found_and_nothing_else() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("misuse_alone", folder.path())?;
    for jdk in jdks()? {
        for (misuse, rule) in MISUSES {
            let out = tempfile::tempdir().unwrap();
            // What the JVM makes of it does not matter.
            let output = record(&jdk, &agent, &format!("broken_{misuse}"), (&[], out.path()));
            let mut broken = broken_rules(out.path());
            // True as well, and told if the JVM ends slowly.
            broken.retain(|other| misuse != "holder" || other != "thread/left-suspended");
            // Newer JVMs end in RunAgentThread, before the thread would begin.
            let ends = misuse == "unmade" && !output.status.success();
            if ends && broken.iter().all(|rule| rule.starts_with("crash/")) {
                continue;
            }
            // What goes wrong with memory may end the JVM, sooner or later.
            broken.retain(|other| other == rule || !other.starts_with("crash/"));
            assert_eq!(broken, [rule], "{}: {misuse}", jdk.home.display());
        }
    }
    Ok(())
}

fn what_is_right_is_not_found() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("misuse_alone", folder.path())?;
    for jdk in jdks()? {
        for (misuse, _) in MISUSES {
            for more in [&[][..], &["--vm-option=-Xcheck:jni"]] {
                let out = tempfile::tempdir().unwrap();
                let output = record(&jdk, &agent, &format!("right_{misuse}"), (more, out.path()));
                let home = jdk.home.display();
                assert!(
                    output.status.success(),
                    "{home}: {misuse}: {}",
                    String::from_utf8_lossy(&output.stderr)
                );
                assert_eq!(broken_rules(out.path()), [""; 0], "{home}: {misuse} {more:?}");
            }
        }
    }
    Ok(())
}

tests! { each_misuse_is_found_and_nothing_else, what_is_right_is_not_found }
