//! Results to test the renderings with.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::results::*;

/// What must never get out of its place: markup, script, terminal escapes, characters that XML cannot hold.
pub const HOSTILE: &str =
    "</script><img src=x onerror=alert(1)>]]>&amp;\"'\u{1b}[31m\u{0}\u{202e}\u{ffff}{{ 7*7 }}`é𝄞";

const MACHINE: &str = "Linux 6.1 x86_64, 2 cores";

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|t| (*t).to_owned()).collect()
}

fn jvm(release: u16, version: &str, vendor: &str, home: &str) -> Jvm {
    Jvm {
        home: home.into(),
        release,
        version: version.into(),
        vendor: vendor.into(),
        vm_name: "OpenJDK 64-Bit Server VM".into(),
        vm_version: format!("{version}+8-LTS"),
        vm_info: "mixed mode, sharing".into(),
        jvmti_version: format!("{release}.0.0"),
        arch: "amd64".into(),
    }
}

fn passing(chapter: &str, subject: &str, case: &str, about: &str) -> Verdict {
    Verdict {
        case: case.into(),
        about: about.into(),
        chapter: chapter.into(),
        subject: Some(subject.into()),
        status: Status::Pass,
        cites: vec![format!("{subject}#description")],
        source: format!("cases/{chapter}/{}.yaml:12", subject.to_lowercase()),
        asserted: 3,
        reproduce: format!("jvmti-check run '{case}' --jdk /opt/jdk-25"),
        micros: 1_234,
        ..Verdict::default()
    }
}

fn reason(status: Status, observed: &str, verdict: Verdict) -> Verdict {
    let findings = vec![Finding { observed: observed.into(), ..Finding::default() }];
    Verdict { status, findings, ..verdict }
}

fn assertion(chapter: &str, subject: &str, id: &str, strength: &str, text: &str) -> AssertionInfo {
    AssertionInfo {
        id: id.into(),
        chapter: chapter.into(),
        subject: Some(subject.into()),
        text: text.into(),
        anchor: subject.into(),
        strength: strength.into(),
        ..AssertionInfo::default()
    }
}

fn sleeping_fails() -> Verdict {
    Verdict {
        status: Status::Fail,
        cites: strings(&["thread-state/sleeping-is-timed", "GetThreadState#description"]),
        findings: vec![Finding {
            cites: strings(&["thread-state/sleeping-is-timed"]),
            place: "GetThreadState(thread: $sleeper)".into(),
            expected: "has ALIVE, WAITING, WAITING_WITH_TIMEOUT, SLEEPING; lacks RUNNABLE".into(),
            observed: "0x51: ALIVE, SLEEPING, WAITING_INDEFINITELY".into(),
        }],
        story: vec![
            StoryLine { at_us: 41_230, thread: "main".into(), text: "checkpoint: sleeper asleep".into() },
            StoryLine {
                at_us: 41_244,
                thread: "main".into(),
                text: "GetThreadState(thread: $sleeper, thread_state_ptr: out) = NONE, state 0x51".into(),
            },
        ],
        trace: Some("traces/25-thread.trace".into()),
        ..passing(
            "thread",
            "GetThreadState",
            "get-thread-state/sleeping",
            "A sleeping thread is timed waiting",
        )
    }
}

fn thread(case: &str, about: &str) -> Verdict {
    passing("thread", "GetThreadState", case, about)
}

fn heap(case: &str, about: &str) -> Verdict {
    passing("heap", "IterateThroughHeap", case, about)
}

fn verdicts_of_25() -> Vec<Verdict> {
    let crash = Verdict {
        cites: strings(&["IterateThroughHeap#null/callbacks"]),
        ..heap("IterateThroughHeap#null/callbacks", "Null for callbacks is refused")
    };
    vec![
        thread("get-thread-state/new", "A new thread has no bit set"),
        sleeping_fails(),
        reason(Status::Crash, "SIGSEGV in IterateThroughHeap(callbacks: null)", crash),
        reason(Status::Timeout, "no answer in 10 s", heap("heap/huge", "A large heap is walked to its end")),
        reason(
            Status::Error,
            "the scenario's class file is missing",
            thread("get-thread-state/parked", "Parked"),
        ),
    ]
}

fn verdicts_of_17() -> Vec<Verdict> {
    vec![
        thread("get-thread-state/new", "A new thread has no bit set"),
        thread("get-thread-state/sleeping", "A sleeping thread is timed waiting"),
        reason(
            Status::Permitted,
            "INVALID_THREAD where NULL_POINTER is recommended",
            thread("GetThreadState#null", "Null"),
        ),
        reason(
            Status::Inapplicable,
            "virtual threads came with release 21",
            thread("get-thread-state/virtual", "Virtual"),
        ),
        reason(
            Status::Known,
            "JDK-0000001: counts one too many",
            heap("heap/count", "Each object is visited once"),
        ),
        Verdict { status: Status::Fixed, ..heap("heap/filter", "Filters hold") },
    ]
}

fn assertions() -> Vec<AssertionInfo> {
    vec![
        assertion(
            "thread",
            "GetThreadState",
            "GetThreadState#description",
            "must",
            "The state comes as a bit set.",
        ),
        assertion(
            "thread",
            "GetThreadState",
            "thread-state/sleeping-is-timed",
            "must",
            "Whoever sleeps is waiting with a timeout as well.",
        ),
        assertion(
            "heap",
            "IterateThroughHeap",
            "IterateThroughHeap#description",
            "must",
            "Every object comes once.",
        ),
        assertion(
            "heap",
            "IterateThroughHeap",
            "IterateThroughHeap#null/callbacks",
            "should",
            "Null for the callbacks is answered by NULL_POINTER.",
        ),
        AssertionInfo {
            untestable: Some("nothing observable follows from it".into()),
            ..assertion(
                "heap",
                "FollowReferences",
                "FollowReferences#advice",
                "may",
                "Callbacks had better be short.",
            )
        },
    ]
}

/// Two JVMs, each status at least once.
pub fn small() -> Results {
    Results {
        schema: SCHEMA,
        suite: Suite { version: "0.1.0".into(), commit: Some("8373a37".into()), cases: None },
        started: "2026-11-20T18:00:00Z".into(),
        wall_ms: 4_200,
        runs: vec![
            JvmRun {
                jvm: jvm(25, "25.0.1", "Eclipse Adoptium", "/opt/jdk-25"),
                configuration: Some("interpreted".into()),
                vm_options: strings(&["-Xint"]),
                machine: MACHINE.into(),
                launches: 3,
                wall_ms: 2_100,
                bare_start_ms: Some(41),
                verdicts: verdicts_of_25(),
                ..JvmRun::default()
            },
            JvmRun {
                jvm: jvm(17, "17.0.17", "Debian", "/opt/jdk-17"),
                machine: MACHINE.into(),
                launches: 2,
                wall_ms: 1_900,
                bare_start_ms: Some(38),
                verdicts: verdicts_of_17(),
                ..JvmRun::default()
            },
        ],
        skipped: vec![Skipped {
            jvm: jvm(17, "17.0.17", "Debian", "/opt/jdk-17"),
            configuration: "compact-headers".into(),
            vm_options: strings(&["-XX:+UseCompactObjectHeaders"]),
            reason: "Unrecognized VM option 'UseCompactObjectHeaders'".into(),
        }],
        assertions: assertions(),
        chapters: ["thread:Thread", "heap:Heap"]
            .into_iter()
            .filter_map(|c| c.split_once(':'))
            .map(|(id, title)| ChapterInfo { id: id.into(), title: title.into(), anchor: id.into() })
            .collect(),
        deviations: Vec::new(),
    }
}

/// As [`small`], with a deviation that a list knows on both JVMs, and what a JVM wrote about its crash.
pub fn known() -> Results {
    let mut results = small();
    let reason = "IterateThroughHeap counts one object too many.";
    let known = KnownDeviation {
        id: KnownDeviation::id_of(reason),
        reason: reason.into(),
        evidence: vec!["Of three objects it reports four. Seen on 17 and 25.".into()],
        tracker: Some("JDK-1234567".into()),
    };
    for (run, case) in [(0, "heap/one"), (0, "heap/two"), (1, "heap/one")] {
        let listed = Finding {
            place: Finding::KNOWN.into(),
            observed: format!("{reason} (JDK-1234567)"),
            ..Finding::default()
        };
        let cites = strings(&["IterateThroughHeap#description"]);
        let found = Finding {
            cites: cites.clone(),
            expected: "3 objects".into(),
            observed: "4".into(),
            ..Finding::default()
        };
        results.runs[run].verdicts.push(Verdict {
            status: Status::Known,
            deviation: Some(known.id.clone()),
            cites: [cites, strings(&["FollowReferences#advice"])].concat(),
            findings: vec![found, listed],
            ..heap(case, "Each object is reported once")
        });
    }
    results.deviations = vec![known];
    let crash = results.runs[0].verdicts.iter_mut().find(|v| v.status == Status::Crash);
    if let Some(verdict) = crash {
        verdict.crash = Some(CrashReport {
            said: strings(&[
                "SIGSEGV (0xb) at pc=0x00007f01",
                "V  [libjvm.so+0x9a]  VM_HeapIterateOperation::doit()",
            ]),
            file: Some("traces/0-launch-001-1.crash.log".into()),
        });
    }
    results
}

/// As [`small`], with each text that can come from outside replaced.
pub fn hostile() -> Results {
    let text = || HOSTILE.to_owned();
    let mut results = known();
    for known in &mut results.deviations {
        (known.reason, known.evidence, known.tracker) = (text(), vec![text()], Some(text()));
    }
    for skipped in &mut results.skipped {
        (skipped.reason, skipped.configuration) = (text(), text());
    }
    results.suite.commit = Some(text());
    for run in &mut results.runs {
        run.vm_options = vec![text()];
        run.configuration = Some(text());
        run.machine = text();
        run.jvm.vendor = text();
        run.jvm.vm_name = text();
        run.jvm.home = text();
        for verdict in &mut run.verdicts {
            verdict.case += HOSTILE;
            verdict.about = text();
            verdict.subject = Some(text());
            verdict.chapter = text();
            verdict.reproduce = text();
            verdict.findings =
                vec![Finding { cites: vec![text()], place: text(), expected: text(), observed: text() }];
            verdict.story = vec![StoryLine { at_us: 1, thread: text(), text: text() }];
        }
    }
    for assertion in &mut results.assertions {
        assertion.text = text();
        assertion.anchor = text();
        assertion.chapter = text();
    }
    results
}

const CHAPTERS: [(&str, &str, &[&str]); 8] = [
    ("memory", "Memory Management", &["Allocate", "Deallocate"]),
    ("thread", "Thread", &["GetThreadState", "GetAllThreads", "SuspendThread", "ResumeThread", "StopThread"]),
    ("stack-frame", "Stack Frame", &["GetStackTrace", "GetFrameCount", "PopFrame", "NotifyFramePop"]),
    (
        "heap",
        "Heap",
        &["FollowReferences", "IterateThroughHeap", "GetTag", "SetTag", "ForceGarbageCollection"],
    ),
    ("local-variable", "Local Variable", &["GetLocalObject", "GetLocalInt", "SetLocalInt"]),
    ("breakpoint", "Breakpoint", &["SetBreakpoint", "ClearBreakpoint"]),
    ("class", "Class", &["GetLoadedClasses", "GetClassSignature", "RedefineClasses", "RetransformClasses"]),
    (
        "events",
        "Events",
        &["VMInit", "ClassPrepare", "MethodEntry", "Exception", "FieldAccess", "VMObjectAlloc"],
    ),
];

/// About 1,500 verdicts on each of two JVMs, of all sorts, with hostile texts among them.
pub fn large() -> Results {
    let mut results = small();
    let subjects: Vec<_> =
        CHAPTERS.iter().flat_map(|(id, _, names)| names.iter().map(move |n| (*id, *n))).collect();
    results.chapters = CHAPTERS
        .map(|(id, title, _)| ChapterInfo { id: id.into(), title: title.into(), anchor: id.into() })
        .into();
    results.assertions.clear();
    for run in &mut results.runs {
        run.verdicts = vec![sleeping_fails()];
    }
    for n in 0..1_500_usize {
        let (chapter, subject) = subjects[n * 7 % subjects.len()];
        let id = format!("{subject}#rule-{n}/argument");
        let strength = ["must", "should", "may"][n % 3];
        results.assertions.push(AssertionInfo {
            untestable: n.is_multiple_of(53).then(|| "nothing observable follows from it".to_owned()),
            ..assertion(
                chapter,
                subject,
                &id,
                strength,
                &format!("Argument {n} is answered as the table says."),
            )
        });
        if n.is_multiple_of(53) || n.is_multiple_of(29) {
            continue;
        }
        let about = format!("Argument {n} of {subject} out of its range is refused");
        let plain = Verdict { cites: vec![id.clone()], ..passing(chapter, subject, &id, &about) };
        for (r, run) in results.runs.iter_mut().enumerate() {
            let story = vec![StoryLine {
                at_us: n as u64,
                thread: "main".into(),
                text: format!("{subject}(…) = NONE"),
            }];
            let status = match (n + 3 * r) % 211 {
                0 => Status::Fail,
                1 if n < 300 => Status::Crash,
                2 if n < 300 => Status::Timeout,
                3..7 => Status::Permitted,
                7..12 => Status::Inapplicable,
                12 => Status::Known,
                13 if n > 1_200 => Status::Error,
                _ => Status::Pass,
            };
            let verdict = match status {
                Status::Pass => plain.clone(),
                _ => Verdict { story, ..reason(status, "NONE where ILLEGAL_ARGUMENT is due", plain.clone()) },
            };
            run.verdicts.push(verdict);
        }
    }
    let mut evil = hostile().runs.swap_remove(0).verdicts.swap_remove(1);
    evil.chapter = "thread".into();
    results.runs[0].verdicts.push(evil);
    results
}

prop_compose! {
    fn any_verdict()(
        texts in prop::array::uniform8(any::<String>()),
        status in prop::sample::select(Status::ALL.as_slice()),
        cites in prop::collection::vec(any::<String>(), 0..3),
        numbers in any::<(u32, u64, u64)>(),
        optional in any::<(Option<String>, Option<String>)>(),
    ) -> Verdict {
        let [case, about, chapter, source, reproduce, place, expected, observed] = texts;
        let findings = vec![Finding { cites: cites.clone(), place, expected, observed: observed.clone() }];
        let story = vec![StoryLine { at_us: numbers.2, thread: about.clone(), text: observed }];
        Verdict {
            case, about, chapter, status, cites, source, findings, story, reproduce,
            crash: optional.0.clone().map(|said| CrashReport { said: vec![said], file: optional.1.clone() }),
            deviation: optional.1.clone(),
            subject: optional.0, asserted: numbers.0, micros: numbers.1, trace: optional.1,
        }
    }
}

/// Of several verdicts on a case the first.
fn distinct(mut verdicts: Vec<Verdict>) -> Vec<Verdict> {
    let mut seen = BTreeSet::new();
    verdicts.retain(|v| seen.insert(v.case.clone()));
    verdicts
}

prop_compose! {
    /// Any results at all, of the current schema.
    pub fn any_results()(
        verdicts in prop::collection::vec(any_verdict(), 0..4).prop_map(distinct),
        texts in prop::array::uniform7(any::<String>()),
        options in prop::collection::vec(any::<String>(), 0..3),
        numbers in any::<(u16, u32, u64, Option<u64>, u64)>(),
        untestable in any::<Option<String>>(),
        shard in prop::option::of((1..4_u32).prop_map(|index| Shard { index, count: 4 })),
    ) -> Results {
        let [version, vendor, vm_name, machine, started, text, anchor] = texts;
        let jvm = Jvm { release: numbers.0, version: version.clone(), vendor, vm_name, ..Jvm::default() };
        let cited: BTreeSet<&String> = verdicts.iter().flat_map(|v| &v.cites).collect();
        let assertions = cited.into_iter().map(|id| AssertionInfo {
            id: id.clone(), chapter: text.clone(), text: text.clone(), anchor: anchor.clone(),
            untestable: untestable.clone(), ..AssertionInfo::default()
        }).collect();
        let run = JvmRun {
            jvm, configuration: untestable.clone(), vm_options: options, machine, started: started.clone(), shard,
            launches: numbers.1, wall_ms: numbers.2, bare_start_ms: numbers.3, build: None, verdicts,
        };
        Results {
            schema: SCHEMA, suite: Suite { version, commit: None, cases: None }, started, wall_ms: numbers.4,
            runs: vec![run], assertions, ..Results::default()
        }
    }
}
