//! A handful of mutants of each kind, on one JVM of this machine: each is detected by a case that cites a broken rule, and a
//! JVM with nothing broken by none. JVMs that use their latitude are blamed by none.
//!
//! All of them: `ci/score --jdk JDK`.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jvmti_cases::built_in::case_files;
use jvmti_mutants::{
    Bench, BrokenError, Detection, Latitude, Mutant, Mutation, Rules, ScoreError, Scoring, Trials, Variant,
    groups, mutants, variants,
};
use jvmti_runner::jvm::discover;
use jvmti_runner::jvm::places::Surroundings;
use jvmti_runner::launch::Stop;
use jvmti_spec::Release;
use libtest_mimic::{Arguments, Completion, Failed, Trial};

type Anything = Box<dyn std::error::Error>;

/// One of each kind. All are mutants of JVMs of every release.
const SAMPLE: [&str; 12] = [
    "GetErrorName/errors/ILLEGAL_ARGUMENT/none",
    "GetThreadState/errors/INVALID_THREAD/internal",
    "GetThreadInfo/phase/onload/none",
    "GetObjectHashCode/null/hash_code_ptr/none",
    "GetClassSignature/output/signature_ptr/alien",
    "GetThreadState/state/SLEEPING/clear",
    "GetMaxLocals/output/max_ptr/more",
    "GetCurrentContendedMonitor/local-refs/monitor_ptr/global",
    "SetTag/suppressed",
    "Breakpoint/dropped",
    "MonitorWait/params/timeout/more",
    "can_tag_objects/not-relinquished",
];

/// JVMs that use their latitude in one way each.
const LEGAL: [&str; 6] = [
    "GetLoadedClasses/order/classes_ptr",
    "GetObjectSize/chosen/size_ptr",
    "SuspendThread/undetected/INVALID_THREAD",
    "GetLineNumberTable/unable/ABSENT_INFORMATION",
    "GarbageCollectionStart/dropped",
    "can_suspend/absent",
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let bench: Arc<OnceLock<Result<Option<Scoring>, String>>> = Arc::default();
    // One JVM after the other: the bench is shared, and two cores are not many.
    let turn = Arc::new(Mutex::new(()));
    let trial = |name: &str, mutant: fn(&str) -> Mutant, wanted: &'static [Detection]| {
        let (bench, turn, id) = (Arc::clone(&bench), Arc::clone(&turn), name.to_owned());
        Trial::ignorable_test(name, move || {
            let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            let bench = bench.get_or_init(|| open().map_err(|error| error.to_string()));
            let Some(bench) = bench.as_ref().map_err(Failed::from)? else { return Ok(missing()) };
            let score = bench.score(&mutant(&id)).map_err(|error| error.to_string())?;
            match wanted.contains(&score.outcome) {
                true => Ok(Completion::Completed),
                false => Err(format!("{score:?}").into()),
            }
        })
    };
    let mut trials: Vec<Trial> =
        SAMPLE.iter().map(|name| trial(name, of_this_name, &[Detection::Detected])).collect();
    trials.push(trial("nothing broken", |_| nothing(), &[Detection::Idle]));
    let turn = Arc::clone(&turn);
    trials.push(Trial::ignorable_test("JVMs that use their latitude", move || {
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        nobody_is_blamed().map_err(|error| error.to_string().into())
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// No verdict blames a JVM for what the specification permits.
fn nobody_is_blamed() -> Result<Completion, Anything> {
    let Some(bench) = bench()? else { return Ok(missing()) };
    let chosen: Vec<Variant> =
        variants(bench.release()).into_iter().filter(|v| LEGAL.contains(&v.id.as_str())).collect();
    assert_eq!(chosen.len(), LEGAL.len(), "{chosen:?}");
    let trials = Trials::new(bench, chosen)?;
    for group in groups(trials.variants()) {
        for tried in trials.try_together(&group)? {
            if tried.outcome != Latitude::Respected {
                return Err(format!("{tried:?}").into());
            }
        }
    }
    Ok(Completion::Completed)
}

/// Why there is no bench.
fn missing() -> Completion {
    Completion::ignored_with("this machine has no JVM, or no C compiler")
}

fn of_this_name(id: &str) -> Mutant {
    mutants(Release::REVIEWED[0]).into_iter().find(|mutant| mutant.id == id).unwrap_or_else(|| panic!("{id}"))
}

/// What is no mutant.
fn nothing() -> Mutant {
    Mutant {
        id: "nothing".to_owned(),
        does: "what it ought to do".to_owned(),
        mutation: Mutation::default(),
        breaks: Rules::of("GetThreadState"),
        subject: "GetThreadState".to_owned(),
    }
}

fn open() -> Result<Option<Scoring>, Anything> {
    let sample = SAMPLE.map(of_this_name).into_iter().chain([nothing()]).collect();
    Ok(match bench()? {
        Some(bench) => Some(Scoring::new(bench, sample)?),
        None => None,
    })
}

fn bench() -> Result<Option<Bench>, Anything> {
    let Some(jdk) = discover(&Surroundings::current()).jdks.pop() else {
        return Ok(None);
    };
    // Cases that need a launcher of ours are none of the sample's.
    let program = std::env::current_exe()?;
    match Bench::new(jdk, &case_files(None)?, program, Stop::new()) {
        Err(ScoreError::Broken(BrokenError::NoCompiler)) => Ok(None),
        bench => Ok(Some(bench?)),
    }
}
