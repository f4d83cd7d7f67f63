//! Sampled recordings: what is not recorded is counted, and rules to which every call matters are judged all the same.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use jvmti_runner::jvm::Jdk;
use jvmti_spec::Spec;
use jvmti_wire::trace::{Body, TraceFile};
use support::fixture::fixture;
use support::trials::{Tested, tests};
use support::{jdks, real_jdk};

fn run(args: &[&str], paths: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_jvmti-check")).args(args).args(paths).output().unwrap()
}

/// Records the agent; gives the trace and what was said.
fn record(jdk: &Jdk, agent: &str, sample: &[&str], out: &Path) -> (PathBuf, String) {
    let home = jdk.home.to_string_lossy().into_owned();
    let to = out.to_string_lossy().into_owned();
    let mut args = vec!["agent", "record", "--agent", agent, "--out", &to, "--jdk", &home];
    args.extend(sample);
    args.extend(["--", "-version"]);
    let output = run(&args, &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let trace = std::fs::read_dir(out).unwrap().next().unwrap().unwrap().path();
    (trace, said)
}

fn what_is_not_recorded_is_counted() -> Tested {
    const ROUNDS: u64 = 3000;
    // Rounds in batches of 64, a tenth more of them before.
    let rounds = [ROUNDS / 10, ROUNDS].map(|n| n.div_ceil(64) * 64).iter().sum::<u64>();
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("busy", folder.path())?;
    let agent = format!("{}={ROUNDS}", agent.display());
    for (number, jdk) in jdks()?.iter().enumerate() {
        let place = |name: &str| folder.path().join(format!("{name}-{number}"));
        let began = Instant::now();
        let (trace, said) = record(jdk, &agent, &["--sample", "100"], &place("sampled"));
        let took = began.elapsed();
        let (mut recorded, mut counted) = (BTreeMap::<u16, u64>::new(), BTreeMap::<(u32, u16), u64>::new());
        for record in TraceFile::open(&trace).unwrap().reader().unwrap().records() {
            match record.body {
                Body::CallBegin { function, .. } => *recorded.entry(function).or_default() += 1,
                Body::CallsCounted { site, function, count } => drop(counted.insert((site, function), count)),
                _ => {}
            }
        }
        let edition = Spec::embedded().newest();
        for (name, calls, places) in [("GetPhase", rounds, 1), ("Deallocate", 4 * rounds, 4)] {
            let slot = edition.function(name).unwrap().slot;
            let counts: Vec<u64> =
                counted.iter().filter(|((_, function), _)| *function == slot).map(|(_, n)| *n).collect();
            assert_eq!(counts.len(), places, "{name}");
            assert_eq!(counts.iter().sum::<u64>() + recorded[&slot], calls, "{name}");
            // 128 at first, and then one in as many.
            let of_one = rounds.min(128) + (rounds - 128).div_ceil(128);
            // A call in which the thread loses the processor for a second is recorded, too.
            let lasted = recorded[&slot].checked_sub(places as u64 * of_one);
            assert!(lasted.is_some_and(|lasted| lasted <= took.as_secs()), "{name}: {lasted:?}");
        }
        let shown = |line: &str| line.starts_with("GetPhase") && line.contains(&format!(" {rounds} "));
        assert!(said.lines().any(shown) && said.contains("only counted"), "{said}");
        assert!(!said.contains("memory/"), "{said}");
        let (whole, said) = record(jdk, &agent, &["--sample", "0"], &place("whole"));
        assert!(!said.contains("only counted"), "{said}");
        let compared = run(&["agent", "compare"], &[&whole, &trace]);
        let compared = String::from_utf8_lossy(&compared.stdout).into_owned();
        assert!(!compared.contains("no longer made") && !compared.contains("newly made"), "{compared}");
    }
    Ok(())
}

/// What broke which rule, and how often, by the words of the summary.
fn judged(said: &str) -> BTreeMap<String, usize> {
    let mut rules = BTreeMap::new();
    for rule in said.lines().filter_map(|line| line.strip_prefix("── ")?.split(" ── ").nth(1)) {
        *rules.entry(rule.to_owned()).or_default() += 1;
    }
    rules.retain(|rule, _| rule.contains('/') && !rule.starts_with('/'));
    rules
}

fn what_happens_once_in_a_hot_place_is_judged() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("hot", folder.path())?;
    for (number, jdk) in jdks()?.iter().enumerate() {
        for (option, expected) in
            [("right", &[][..]), ("broken", &["memory/leak", "monitor/held-at-end", "reference/deleted"][..])]
        {
            let agent = format!("{}={option}", agent.display());
            for sample in ["0", "16"] {
                let out = folder.path().join(format!("{option}-{sample}-{number}"));
                let (_, said) = record(jdk, &agent, &["--sample", sample], &out);
                let rules = judged(&said);
                assert_eq!(rules.keys().map(String::as_str).collect::<Vec<_>>(), expected, "{said}");
                assert_eq!(said.contains("only counted"), sample != "0", "{said}");
            }
        }
    }
    Ok(())
}

/// What an agent may break that uses memory it must not use.
const RULES_OF_POISON: [&str; 5] = [
    "output/after-error",
    "memory/after-deallocate",
    "memory/double-free",
    "memory/other-allocator",
    "memory/foreign-free",
];

fn undefined_memory_is_told_in_a_hot_place() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("hot", folder.path())?;
    for (number, jdk) in jdks()?.iter().enumerate() {
        for (option, broken) in [
            ("right", None),
            ("stale", Some("output/after-error")),
            ("read", Some("memory/after-deallocate")),
            ("write", Some("memory/after-deallocate")),
            ("repeat", Some("memory/double-free")),
            ("free", Some("memory/foreign-free")),
        ] {
            let agent = format!("{}={option}", agent.display());
            let out = folder.path().join(format!("{option}-{number}"));
            let (_, said) = record(jdk, &agent, &["--poison", "--sample", "16"], &out);
            let rules = judged(&said);
            assert!(broken.is_none_or(|rule| rules.contains_key(rule)), "{option}: {said}");
            let told = RULES_OF_POISON.iter().filter(|rule| rules.contains_key(**rule)).count();
            assert_eq!(told, usize::from(broken.is_some()), "{option}: {said}");
            assert!(said.contains("only counted"), "{said}");
        }
    }
    Ok(())
}

/// What is said about the traces in that folder.
fn checked(out: &Path) -> String {
    let files = std::fs::read_dir(out).into_iter().flatten().map(|file| file.unwrap().path());
    let files: Vec<PathBuf> = files.collect();
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    String::from_utf8_lossy(&run(&["agent", "check"], &files).stdout).into_owned()
}

/// Records the agent until the user has seen for a while that these calls and callbacks do not return, and has enough of it; gives
/// what is said about the trace. Whoever never sees it has enough, too.
fn interrupted(jdk: &Jdk, agent: &str, hangs: &str, times: usize, out: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jvmti-check"));
    command.args(["agent", "record", "--sample", "64", "--agent", agent, "--out"]).arg(out);
    command.arg("--jdk").arg(&jdk.home).args(["--", "-version"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    // A look may come while a callback is about to return.
    let mut looks = 0;
    while looks < 8 && began.elapsed() < Duration::from_secs(120) {
        looks = if checked(out).matches(hangs).count() < times { 0 } else { looks + 1 };
        std::thread::sleep(Duration::from_millis(200));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    child.wait().unwrap();
    checked(out)
}

fn a_hang_in_a_hot_place_is_told() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("hangs", folder.path())?;
    let jdk = real_jdk()?;
    let (_, said) = record(
        &jdk,
        &format!("{}=right", agent.display()),
        &["--sample", "64"],
        &folder.path().join("right"),
    );
    assert!(judged(&said).is_empty() && !said.contains("did not return"), "{said}");
    for (option, expected) in [
        ("orders", &["monitor/order"][..]),
        ("held", &["monitor/held-at-end"]),
        ("destroyed", &["monitor/destroyed"]),
    ] {
        let agent = format!("{}={option}", agent.display());
        let (_, said) = record(&jdk, &agent, &["--sample", "64"], &folder.path().join(option));
        assert_eq!(judged(&said).keys().collect::<Vec<_>>(), expected, "{option}: {said}");
    }
    let said = |option: &str, hangs: &str, times: usize| {
        let said = interrupted(
            &jdk,
            &format!("{}={option}", agent.display()),
            hangs,
            times,
            &folder.path().join(option),
        );
        assert_eq!(said.matches(hangs).count(), times, "{said}");
        said
    };
    let deadlock = said("deadlock", "did not return    RawMonitorEnter", 2);
    assert!(deadlock.contains("monitor/deadlock"), "{deadlock}");
    said("callback", "did not return    callback MethodEntry of libhangs.so", 1);
    Ok(())
}

tests! { a_hang_in_a_hot_place_is_told, what_is_not_recorded_is_counted, what_happens_once_in_a_hot_place_is_judged, undefined_memory_is_told_in_a_hot_place }
