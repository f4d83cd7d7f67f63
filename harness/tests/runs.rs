//! Runs from the command line: reported, judged again, merged, compared; disturbed, and nothing left behind.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod support;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use jvmti_results::Status;
use support::sandbox::{CASE, Sandbox, assert_says, said, text};
use support::trials::{Tested, tests};
use support::{fake_home, jdks, real_jdk};

fn a_case_is_run_reported_and_judged_again() -> Tested {
    let place = Sandbox::new();
    let out = place.path().join("out");
    let home = text(real_jdk()?.home);
    let run = place.run(&["run", CASE, "--jdk", &home, "--out", &text(&out), "--keep-traces", "-v"]);
    assert_says(&run, 0, &["PASS", CASE, "nothing unexpected"]);
    let mut files: Vec<_> = std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["junit.xml", "report.html", "report.md", "results.json", "traces"]);

    let trace = std::fs::read_dir(out.join("traces")).unwrap().next().unwrap().unwrap().path();
    assert_says(&place.run(&["judge", &text(&trace)]), 0, &["PASS", CASE]);
    // There is no agent in it whose calls could be checked.
    let check = place.run(&["agent", "check", &text(&trace)]);
    assert_says(&check, 2, &["records no agent", "jvmti-check judge"]);
    let show = ["trace", "show", &text(&trace), "--function", "GetThreadState"];
    assert_says(&place.run(&show), 0, &["SLEEPING", "records"]);
    let json = place.run(&[&show[..], &["--json"]].concat());
    let lines = String::from_utf8(json.stdout).unwrap();
    assert!(!lines.is_empty());
    lines.lines().for_each(|line| assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}"));
    assert_says(&place.run(&["trace", "show", &text(&trace), "--event", "VMInitt"]), 2, &["VMInit"]);

    let timeline = place.path().join("timeline.json");
    let export = ["trace", "export", "--perfetto", &text(&trace), "--out", &text(&timeline)];
    assert_says(&place.run(&export), 0, &["written"]);
    let timeline: serde_json::Value = serde_json::from_slice(&std::fs::read(&timeline).unwrap()).unwrap();
    let events = timeline["traceEvents"].as_array().unwrap();
    let count = |ph: &str| events.iter().filter(|e| e["ph"] == ph).count();
    assert!(count("B") > 3 && count("B") == count("E"), "{} begin, {} end", count("B"), count("E"));
    assert!(events.iter().any(|e| e["name"] == "GetThreadState" && e["ts"].is_number()));
    let from = place.run(&["trace", "show", &text(&trace), "--from", "9999999"]);
    assert!(from.status.success() && from.stdout.is_empty());

    // All of a trace so small is in one compressed block: cut off anywhere, it is refused.
    let whole = std::fs::read(&trace).unwrap();
    let cut = place.path().join("cut");
    for len in [0, 7, 100, whole.len() / 2, whole.len() - 3] {
        std::fs::write(&cut, &whole[..len]).unwrap();
        for command in [vec!["trace", "show"], vec!["judge"]] {
            let output = place.run(&[command, vec![&text(&cut)]].concat());
            assert_says(&output, 2, &["cut"]);
        }
    }
    std::fs::write(&cut, "something else entirely").unwrap();
    assert_says(&place.run(&["judge", &text(&cut)]), 2, &["not a trace"]);
    Ok(())
}

/// The JVM checks what callbacks do with JNI: a reference that the probe misuses would otherwise crash it only later, in another
/// case.
fn the_probe_uses_jni_as_it_should() -> Tested {
    let place = Sandbox::new();
    for jdk in jdks()? {
        let cases = ["*#callback-safe/*", "jni-function-interception", "watched-field"];
        let how = ["--vm-option-set", "checked-jni", "--jdk", &text(jdk.home)];
        let run = place.run(&[&["run"][..], &cases, &how].concat());
        assert_says(&run, 0, &["checked-jni", "nothing unexpected"]);
    }
    Ok(())
}

fn shards_merged_are_the_whole() -> Tested {
    let place = Sandbox::new();
    let home = text(real_jdk()?.home);
    let out = |name: &str| text(place.path().join(name));
    let run = |name: &str, more: &[&str]| {
        let args =
            ["run", "GetThread", "raw-monitor", "--jdk", &home, "--out", &out(name), "--format", "json"];
        let mut command = place.command(&args);
        command.args(more).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let file = |name: &str| format!("{}/results.json", out(name));
    assert_eq!(run("whole", &[]).wait().unwrap().code(), Some(0));
    let shards = ["1/4", "2/4", "3/4", "4/4"];
    let running = shards.map(|shard| run(&shard[..1], &["--shard", shard]));
    running.into_iter().for_each(|mut child| assert_eq!(child.wait().unwrap().code(), Some(0)));

    let merge = |names: &[&str], more: &[&str]| {
        let files: Vec<String> = names.iter().map(|name| file(name)).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        place.run(&[&["merge"], &files[..], more].concat())
    };
    assert_says(&merge(&["3", "1", "4", "2"], &["--out", &out("merged")]), 0, &["nothing unexpected"]);
    let read = |name: &str| jvmti_reports::json::read(Path::new(&file(name))).unwrap();
    let verdicts = |name: &str| -> BTreeMap<String, (Status, Vec<String>)> {
        let [run] = &read(name).runs[..] else { panic!("one JVM") };
        run.verdicts.iter().map(|v| (v.case.clone(), (v.status, v.cites.clone()))).collect()
    };
    assert!(verdicts("whole").len() > 100);
    assert_eq!(verdicts("merged"), verdicts("whole"));
    assert!(
        shards.iter().filter(|shard| !verdicts(&shard[..1]).is_empty()).count() > 1,
        "nothing was shared out"
    );

    assert_says(&merge(&["1", "2", "4"], &[]), 2, &["missing shard 3/4"]);
    assert_says(&merge(&["1", "2", "2", "3", "4"], &[]), 2, &["shard 2/4", "twice"]);
    assert_says(&merge(&["whole", "1"], &[]), 2, &["all cases", "shard 1/4"]);
    assert_says(&merge(&["whole", "whole"], &[]), 2, &["two results for"]);
    assert_says(&place.run(&["run", "--shard", "5/4"]), 2, &["2/8"]);
    let whole = std::fs::read_to_string(file("whole")).unwrap();
    std::fs::write(file("1"), whole.replacen("inapplicable", "pass", 1)).unwrap();
    assert_says(&merge(&["1"], &[]), 2, &[&file("1")]);
    std::fs::write(file("1"), &whole[..whole.len() / 2]).unwrap();
    assert_says(&merge(&["1"], &[]), 2, &["incomplete"]);
    std::fs::write(file("1"), r#"{"schema": 99}"#).unwrap();
    assert_says(&merge(&["1"], &[]), 2, &["schema 99"]);
    Ok(())
}

fn runs_are_compared() -> Tested {
    let place = Sandbox::new();
    let (old, new) = (text(place.path().join("old.json")), text(place.path().join("new.json")));
    let out = text(place.path().join("out"));
    assert_says(
        &place.run(&["run", CASE, "--jdk", &text(real_jdk()?.home), "--out", &out, "--format", "json"]),
        0,
        &[],
    );
    let mut results = jvmti_reports::json::read(&Path::new(&out).join("results.json")).unwrap();
    jvmti_reports::json::write(&results, Path::new(&old)).unwrap();
    assert_says(&place.run(&["compare", &old, &old]), 0, &["No difference"]);
    let published = text(place.path().join("published"));
    assert_says(&place.run(&["report", &old, "--publish", &published]), 0, &["published"]);
    assert_says(&place.run(&["compare", &published, &old]), 0, &["No difference"]);
    results.runs[0].verdicts.iter_mut().find(|v| v.case == CASE).unwrap().status = Status::Fail;
    jvmti_reports::json::write(&results, Path::new(&new)).unwrap();
    for format in ["text", "markdown", "html", "json"] {
        assert_says(&place.run(&["compare", &old, &new, "--format", format]), 1, &["sleeping"]);
    }
    let page = text(place.path().join("page.html"));
    assert_says(
        &place.run(&["compare", &new, &old, "--format", "html", "--out", &page]),
        0,
        &["written", &page],
    );
    results.runs[0].verdicts.retain(|v| v.case != CASE);
    jvmti_reports::json::write(&results, Path::new(&new)).unwrap();
    assert_says(&place.run(&["compare", &old, &new]), 0, &[CASE]);
    assert_says(&place.run(&["compare", &old, &new, "--strict"]), 1, &[CASE]);
    assert_says(&place.run(&["compare", &old, "/no/such.json"]), 2, &["/no/such.json"]);
    Ok(())
}

fn known_deviations_are_kept_up_to_date() -> Tested {
    let place = Sandbox::new();
    let (folder, out) = (place.path().join("cases"), text(place.path().join("out")));
    std::fs::create_dir_all(folder.join("known")).unwrap();
    let case = "chapter: general\nat: vm_init\ncites: [general/phase]\ncases:\n\
                - {id: wrong, about: x, call: GetPhase, expect: {phase_ptr: 1}}\n\
                - {id: right, about: x, call: GetPhase}\n";
    std::fs::write(folder.join("a.yaml"), case).unwrap();
    let list = folder.join("known/general.yaml");
    let entry = "- cases: [right]\n  on: {vm: VM}\n  shows: fail\n  reason: x\n  evidence: y\n";
    std::fs::write(&list, entry).unwrap();
    let (cases, home) = (text(&folder), text(real_jdk()?.home));
    let results = format!("{out}/results.json");
    let run = |more: &[&str]| {
        let args = ["run", "--only-cases", &cases, "--jdk", &home, "--out", &out, "--format", "json"];
        place.run(&[&args[..], more].concat())
    };
    let update =
        |more: &[&str]| place.run(&[&["known", "update", &results, "--cases", &cases], more].concat());
    let bundle = place.path().join("bundle.zip");
    assert_says(&run(&["--bundle", &text(&bundle)]), 1, &["1 fail", "1 fixed", "bundle.zip"]);
    let mut zip = zip::ZipArchive::new(std::fs::File::open(&bundle).unwrap()).unwrap();
    let trace = zip.file_names().flatten().find(|name| name.starts_with("traces/")).unwrap().into_owned();
    for name in ["results.json", "report.html", "about.json", "known/general.yaml"] {
        assert!(zip.by_name(name).is_ok(), "{name}");
    }
    let file = std::fs::File::create(place.path().join("trace")).unwrap();
    std::io::copy(&mut zip.by_name(&trace).unwrap(), &mut { file }).unwrap();
    assert_says(&place.run(&["judge", &text(place.path().join("trace"))]), 1, &["FAIL", "wrong"]);
    let rule = |rule: &str| place.run(&["run", rule, "--only-cases", &cases, "--jdk", &home]);
    assert_says(&rule("universal/returned-error-is-listed"), 0, &["1 verdict on 1 JVM", "1 pass"]);
    assert_says(
        &rule("universal/nonsense"),
        2,
        &["no universal rule matches", "universal/returned-error-is-listed"],
    );
    assert_says(&run(&["--bundle", "/no/such/folder/b.zip"]), 2, &["/no/such/folder/b.zip"]);
    let patch = ["--- a/known/general.yaml", "-- cases: [right]", "+- cases: [wrong]", "nothing written yet"];
    assert_says(&update(&[]), 0, &patch);
    assert_eq!(std::fs::read_to_string(&list).unwrap(), entry);
    assert_says(&update(&["--write"]), 0, &["written"]);
    assert_says(&run(&["--strict"]), 0, &["1 known"]);
    assert_says(&update(&[]), 0, &["up to date"]);
    assert_says(&place.run(&["lint", &cases]), 1, &["without a reason"]);
    assert_says(&place.run(&["known", "list", "--only-cases", &cases]), 0, &["wrong", "unexplained so far"]);

    let expired = std::fs::read_to_string(&list).unwrap() + "  expires: 2020-01-01\n";
    std::fs::write(&list, &expired).unwrap();
    assert_says(&run(&[]), 0, &["1 known", "expired: the known deviation of wrong expired on 2020-01-01"]);
    assert_says(&run(&["--strict"]), 1, &["expired: the known deviation"]);
    assert_says(&place.run(&["known", "list", "--expired", "--only-cases", &cases]), 0, &["2020-01-01"]);
    std::fs::write(&list, expired.replace("shows", "show")).unwrap();
    assert_says(&run(&[]), 2, &["known/general.yaml:3:3", "unknown key", "did you mean `shows`?"]);
    Ok(())
}

fn the_guides_first_case_passes_and_can_fail() -> Tested {
    let place = Sandbox::new();
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/writing-cases.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let first = guide.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = place.path().join("my-cases");
    std::fs::create_dir(&folder).unwrap();
    let (cases, home) = (text(&folder), text(real_jdk()?.home));
    let run = |text: &str| {
        std::fs::write(folder.join("names.yaml"), text).unwrap();
        place.run(&["run", "names/main", "--only-cases", &cases, "--jdk", &home])
    };
    assert_says(&run(first), 0, &["nothing unexpected"]);
    let wrong = first.replace("name: main", "name: Main");
    assert_says(&run(&wrong), 1, &["FAIL", "names/main", "Main", "\"main\""]);
    Ok(())
}

fn each_set_of_options_makes_a_jvm_of_its_own() -> Tested {
    let place = Sandbox::new();
    let home = text(real_jdk()?.home);
    let folder = place.path().join("cases");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(
        folder.join("configurations.yaml"),
        "[{name: interpreted, about: x, options: [-Xint]}, {name: refused, about: x, options: [-XX:+NoSuchThing]},\n \
         {name: past, about: x, releases: ..3}]",
    )
    .unwrap();
    let case = "chapter: general\ncases: [{id: one, about: x, at: vm_init, call: GetPhase, cites: ['GetPhase#null/phase_ptr']}]";
    std::fs::write(folder.join("a.yaml"), case).unwrap();
    let (cases, out) = (text(&folder), place.path().join("out"));
    let chosen = ["--only-cases", &cases, "--jdk", &home, "--vm-option=-Dx=y"];
    let run = |more: &[&str]| place.run(&[&["run"], &chosen[..], more].concat());
    let all = run(&["--vm-option-set", "all", "--out", &text(&out)]);
    assert_says(&all, 0, &["1 JVM", "refused: Unrecognized VM option", "past: for Java ..3"]);
    let results = jvmti_reports::json::read(&out.join("results.json")).unwrap();
    assert_eq!(results.runs.len(), 1);
    assert_eq!(results.runs[0].configuration.as_deref(), Some("interpreted"));
    assert_eq!(results.runs[0].vm_options, ["-Xint", "-Dx=y"]);
    assert!(results.runs[0].jvm.vm_info.contains("interpreted mode"));
    let skipped: Vec<&str> = results.skipped.iter().map(|s| s.configuration.as_str()).collect();
    assert_eq!(skipped, ["refused", "past"]);
    assert_says(&run(&["--vm-option-set", "refused"]), 2, &["none of these configurations applies"]);
    assert_says(&run(&["--vm-option-set", "interpeted"]), 2, &["did you mean `interpreted`?"]);
    assert_says(
        &place.run(&["list", "--vm-option-sets", "--only-cases", &cases]),
        0,
        &["interpreted  -Xint"],
    );
    Ok(())
}

/// A JVM that is a real one as long as it is asked for its identity, and does this when it gets a scenario to run.
fn misbehaving(place: &Sandbox, what: &str) -> PathBuf {
    fake_home(
        place.path(),
        &format!(r#"for last; do :; done; [ "$last" = jvmticheck.Main ] && exec "$REAL" "$@"; {what}"#),
    )
}

fn a_jvm_that_misbehaves_costs_its_case_and_nothing_else() -> Tested {
    for (what, word) in [
        (r#""$REAL" "$@" & kill -9 $!; kill -SEGV $$"#, "signal 11"),
        ("exit 117", "exit code 117"),
        ("head -c 20000000 /dev/zero; exit 1", ""),
        ("head -c 100000 /dev/urandom; exit 0", ""),
        ("sleep infinity & sleep infinity", ""),
    ] {
        let place = Sandbox::new();
        let home = misbehaving(&place, what);
        let output = place.run(&["run", CASE, "--jdk", &text(home), "--timeout", "1"]);
        assert!(matches!(output.status.code(), Some(1 | 3)), "{what}: {}", said(&output));
        assert!(said(&output).contains(word), "{what}: {}", said(&output));
        assert_nothing_runs(place.path(), what);
    }
    Ok(())
}

fn an_interrupt_leaves_nothing_behind() -> Tested {
    let place = Sandbox::new();
    let home = misbehaving(&place, &format!("touch {}/begun; sleep infinity", place.path().display()));
    let mut child = place
        .command(&["run", CASE, "--jdk", &text(home)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !place.path().join("begun").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it could be interrupted");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_says(&output, 130, &["interrupted"]);
    assert_nothing_runs(place.path(), "interrupted");
    place.assert_tidy();
    Ok(())
}

fn a_reader_that_leaves_is_no_error() -> Tested {
    let place = Sandbox::new();
    let mut child = place.command(&["spec", "diff", "8", "28"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    Ok(())
}

/// Waits until no process is left that has this folder in its command line: one that is killed lives until it gets a processor.
fn assert_nothing_runs(folder: &Path, what: &str) {
    let began = Instant::now();
    while !processes(folder).is_empty() {
        assert!(began.elapsed() < Duration::from_secs(30), "{what}: {:?}", processes(folder));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Command lines of the processes that have this folder in them.
fn processes(folder: &Path) -> Vec<String> {
    let folder = text(folder);
    let of = |entry: std::fs::DirEntry| {
        let line =
            String::from_utf8_lossy(&std::fs::read(entry.path().join("cmdline")).ok()?).replace('\0', " ");
        line.contains(&folder).then_some(line)
    };
    std::fs::read_dir("/proc").unwrap().filter_map(|entry| of(entry.ok()?)).collect()
}

/// Cases of which one passes, one fails, one fails as listed, one hangs, one is for no release and one asks too much.
const MIXED: &str = "\
chapter: general
at: vm_init
cites: [general/phase]
cases:
- {id: right, about: x, call: GetPhase}
- {id: wrong, about: x, call: GetPhase, expect: {phase_ptr: 1}}
- {id: listed, about: x, call: GetPhase, expect: {phase_ptr: 2}}
- {id: past, about: x, call: GetPhase, releases: ..3}
- id: endless
  about: x
  sharing: nothing
  steps:
  - {call: CreateRawMonitor, with: {name: endless}, as: made}
  - {call: RawMonitorEnter, with: {monitor: $made.monitor_ptr}}
  - {call: RawMonitorWait, with: {monitor: $made.monitor_ptr, millis: 0}}
";

fn judging_the_kept_traces_gives_the_verdicts_of_the_run() -> Tested {
    let place = Sandbox::new();
    let (folder, out) = (place.path().join("cases"), place.path().join("out"));
    std::fs::create_dir_all(folder.join("known")).unwrap();
    std::fs::write(folder.join("mixed.yaml"), MIXED).unwrap();
    let entry = "- cases: [listed]\n  on: {vm: VM}\n  shows: fail\n  reason: x\n  evidence: y\n";
    std::fs::write(folder.join("known/general.yaml"), entry).unwrap();
    let (cases, home) = (text(&folder), text(real_jdk()?.home));
    let run = [
        "run",
        "--only-cases",
        &cases,
        "--jdk",
        &home,
        "--out",
        &text(&out),
        "--keep-traces",
        "--timeout",
        "2",
    ];
    assert_says(&place.run(&run), 1, &["1 known", "1 timeout"]);
    let traces = std::fs::read_dir(out.join("traces")).unwrap().map(|entry| text(entry.unwrap().path()));
    let traces: Vec<String> = traces.collect();
    let traces: Vec<&str> = traces.iter().map(String::as_str).collect();
    let judged = place.run(&[&["judge", "--only-cases", &cases, "--format", "json"], &traces[..]].concat());
    assert_eq!(judged.status.code(), Some(1), "{}", said(&judged));
    let again = place.path().join("again.json");
    std::fs::write(&again, &judged.stdout).unwrap();
    let verdicts = |file: &Path| -> BTreeMap<String, Status> {
        let [run] = &jvmti_reports::json::read(file).unwrap().runs[..] else { panic!("one JVM") };
        run.verdicts.iter().map(|v| (v.case.clone(), v.status)).collect()
    };
    let of_run = verdicts(&out.join("results.json"));
    let statuses = [Status::Pass, Status::Fail, Status::Known, Status::Inapplicable, Status::Timeout];
    assert!(statuses.iter().all(|status| of_run.values().any(|s| s == status)), "{of_run:?}");
    assert_eq!(verdicts(&again), of_run);
    Ok(())
}

fn names_that_are_not_utf_8_do_no_harm() -> Tested {
    let place = Sandbox::new();
    let home = text(real_jdk()?.home);
    let bundle = place.path().join(OsStr::from_bytes(b"b\xff.zip"));
    let output = place.command(&["run", CASE, "--jdk", &home, "--bundle"]).arg(&bundle).output().unwrap();
    assert_says(&output, 0, &["nothing unexpected"]);
    assert!(bundle.is_file());
    Ok(())
}

tests! {
    a_case_is_run_reported_and_judged_again,
    the_probe_uses_jni_as_it_should,
    shards_merged_are_the_whole,
    runs_are_compared,
    known_deviations_are_kept_up_to_date,
    the_guides_first_case_passes_and_can_fail,
    each_set_of_options_makes_a_jvm_of_its_own,
    a_jvm_that_misbehaves_costs_its_case_and_nothing_else,
    an_interrupt_leaves_nothing_behind,
    a_reader_that_leaves_is_no_error,
    judging_the_kept_traces_gives_the_verdicts_of_the_run,
    names_that_are_not_utf_8_do_no_harm,
}
