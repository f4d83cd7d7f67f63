//! The probe carries plans out on real JVMs.

use std::path::Path;

use jvmti_probe::ffi::event;
use jvmti_wire::plan::{
    Action, Arg, Callback, Filter, Handler, Invalid, JniOp, Made, OnThread, PathPart, Trigger,
};
use jvmti_wire::trace::{Body, EntryPoint, StepRef};
use jvmti_wire::value::Value;

use crate::support::{Run, Tested, at, call, case, named, on, plan, run, saved, step};

const CAN_TAG_OBJECTS: u16 = 0;

pub fn the_vm_says_what_it_is_and_the_phases_follow_each_other(home: &Path) -> Tested {
    let get_phase = |trigger| step(trigger, call("GetPhase", &[Arg::Storage]));
    let steps = vec![
        get_phase(Trigger::OnLoad),
        get_phase(Trigger::VmStart),
        get_phase(Trigger::VmInit),
        get_phase(Trigger::RunBegin),
        get_phase(Trigger::Checkpoint("asleep".to_owned())),
        get_phase(Trigger::RunEnd),
        get_phase(Trigger::VmDeath),
        get_phase(Trigger::OnUnload),
    ];
    for events in [&[][..], &[event::VM_START, event::VM_INIT, event::VM_DEATH]] {
        let plan = plan("Sleeper", case(Made::OnLoad, &[], events, steps.clone()));
        let run = run(home, &[], &plan)?;
        run.assert_ended_well(home);
        let phases: Vec<Value> = (0..8).map(|step| run.output(0, step, 0)).collect();
        let expected = [1, 6, 4, 4, 4, 4, 4, 8].map(Value::Int);
        assert_eq!(phases, expected, "{}", home.display());
        for key in ["jvmti.version", "java.vm.name", "java.version", "java.home", "os.arch"] {
            assert!(run.identity(key).is_some_and(|value| !value.is_empty()), "{key} of {}", home.display());
        }
        let order = [
            run.position(|b| *b == Body::Entry(EntryPoint::OnLoad)),
            run.position(|b| matches!(b, Body::EntryReturned { entry: EntryPoint::OnLoad, code: 0 })),
            run.position(|b| matches!(b, Body::Event { event: event::VM_START, .. })),
            run.position(|b| matches!(b, Body::Event { event: event::VM_INIT, .. })),
            run.position(|b| matches!(b, Body::RunBegin { run: 0 })),
            run.position(|b| matches!(b, Body::Checkpoint { name } if name == "asleep")),
            run.position(|b| matches!(b, Body::RunEnd { run: 0 })),
            run.position(|b| matches!(b, Body::Event { event: event::VM_DEATH, .. })),
            run.position(|b| *b == Body::Entry(EntryPoint::OnUnload)),
        ];
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{order:?}");
    }
    Ok(())
}

pub fn objects_keep_their_identity(home: &Path) -> Tested {
    let sleeper = || named("sleeper");
    let steps = vec![
        at("asleep", call("GetThreadInfo", &[sleeper(), Arg::Storage])),
        at("asleep", call("GetThreadState", &[sleeper(), Arg::Storage])),
        saved("threads", at("asleep", call("GetAllThreads", &[Arg::Storage, Arg::Storage]))),
        at(
            "asleep",
            call("GetStackTrace", &[sleeper(), Arg::Int(0), Arg::Int(5), Arg::Storage, Arg::Storage]),
        ),
        at("asleep", call("GetAllStackTraces", &[Arg::Int(3), Arg::Storage, Arg::Storage])),
        at("asleep", call("GetClassSignature", &[named("class"), Arg::Storage, Arg::Storage])),
        at("asleep", call("GetClassMethods", &[named("class"), Arg::Storage, Arg::Storage])),
        at("asleep", call("GetLoadedClasses", &[Arg::Storage, Arg::Storage])),
        at("asleep", call("GetSystemProperties", &[Arg::Storage, Arg::Storage])),
        at("asleep", call("GetCapabilities", &[Arg::Storage])),
        at("asleep", call("GetThreadInfo", &[named("nothing"), Arg::Storage])),
        at(
            "on another thread",
            call(
                "GetThreadInfo",
                &[
                    Arg::Output { step: "threads".to_owned(), param: 1, path: vec![PathPart::Index(0)] },
                    Arg::Storage,
                ],
            ),
        ),
        at("on another thread", call("GetObjectHashCode", &[named("object"), Arg::Storage])),
    ];
    let plan = plan("Sleeper", case(Made::ScenarioRun, &[], &[], steps));
    let run = run(home, &[], &plan)?;
    run.assert_ended_well(home);
    assert_eq!(run.failures(), Vec::<String>::new());
    let sleeper = run.bound("sleeper");
    let Value::Object(id) = sleeper else { panic!("{sleeper:?}") };
    let seen = run.position(|b| {
        matches!(b, Body::ObjectSeen { object, class, name }
            if *object == id && class == "Ljvmticheck/scenarios/Sleeper$1;" && name == "sleeper")
    });
    assert!(seen.is_some());
    assert_eq!(run.bound("nothing"), Value::Null);

    threads_are_recorded(&run, &sleeper);
    classes_are_recorded(&run);
    assert_eq!(run.fact("state"), Some(Value::Str(b"TIMED_WAITING".to_vec())));
    assert_eq!(run.fact("count"), Some(Value::Int(7)));
    Ok(())
}

fn threads_are_recorded(run: &Run, sleeper: &Value) {
    let info = run.output(0, 0, 1);
    assert_eq!(info.field("name"), Some(&Value::Str(b"sleeper".to_vec())));
    assert!(matches!(info.field("thread_group"), Some(Value::Object(_))), "{info:?}");
    assert_eq!(run.output(0, 1, 1).as_int().map(|state| state & 0x40), Some(0x40));

    let Value::List(threads) = run.output(0, 2, 1) else { panic!() };
    assert!(threads.contains(sleeper), "{threads:?}");
    assert_eq!(run.output(0, 2, 0), Value::Int(threads.len() as i64));

    let Value::List(frames) = run.output(0, 3, 3) else { panic!() };
    let Some(Value::Method(top)) = frames[0].field("method") else { panic!("{frames:?}") };
    assert!(
        run.position(|b| matches!(b, Body::MethodSeen { method, class, .. }
            if method == top && class == "Ljava/lang/Thread;"))
            .is_some()
    );
    let Value::List(stacks) = run.output(0, 4, 1) else { panic!() };
    assert!(stacks.iter().any(|stack| stack.field("thread") == Some(sleeper)), "{stacks:?}");
    assert_eq!(run.output(0, 10, 1).field("name"), Some(&Value::Str(b"main".to_vec())));
    assert!(matches!(run.output(0, 11, 1).field("name"), Some(Value::Str(_))));
}

fn classes_are_recorded(run: &Run) {
    assert_eq!(run.output(0, 5, 1), Value::Str(b"Ljvmticheck/scenarios/Sleeper;".to_vec()));
    assert_eq!(run.output(0, 5, 2), Value::Null);
    let Value::List(methods) = run.output(0, 6, 2) else { panic!() };
    assert!(methods.len() >= 2 && methods.iter().all(|m| matches!(m, Value::Method(_))));
    let Value::List(classes) = run.output(0, 7, 1) else { panic!() };
    assert!(classes.len() > 100 && classes.contains(&run.bound("class")));
    let Value::List(properties) = run.output(0, 8, 1) else { panic!() };
    assert!(properties.contains(&Value::Str(b"java.vm.name".to_vec())));
    assert!(matches!(run.output(0, 9, 0), Value::Bytes(bits) if bits.iter().all(|b| *b == 0)));
}

pub fn wrong_references_and_nulls_arrive(home: &Path) -> Tested {
    let info = |arg| at("asleep", call("GetThreadInfo", &[arg, Arg::Storage]));
    let steps = vec![
        info(Arg::Invalid(Invalid::PlainObject)),
        info(Arg::Invalid(Invalid::ClearedWeakRef)),
        info(Arg::Invalid(Invalid::DeletedRef)),
        at("asleep", call("GetThreadInfo", &[named("sleeper"), Arg::Null])),
        at("asleep", call("GetMethodModifiers", &[Arg::Invalid(Invalid::ZeroedMemory), Arg::Storage])),
        at("asleep", call("RetransformClasses", &[Arg::Int(1), Arg::List(vec![named("class")])])),
        at("asleep", call("GetThreadInfo", &[named("never bound"), Arg::Storage])),
    ];
    let plan = plan("Sleeper", case(Made::FirstStep, &[], &[], steps));
    let run = run(home, &[], &plan)?;
    run.assert_ended_well(home);
    assert_eq!(run.call(0, 0).0, 10, "INVALID_THREAD");
    assert_eq!(run.call(0, 0).1, [(1, Value::Untouched)]);
    assert_ne!(run.call(0, 1).0, 0);
    assert_ne!(run.call(0, 2).0, 0);
    assert_eq!(run.call(0, 3).0, 100, "NULL_POINTER");
    assert_eq!(run.call(0, 4).0, 23, "INVALID_METHODID");
    assert_eq!(run.call(0, 5).0, 99, "MUST_POSSESS_CAPABILITY");
    assert_eq!(run.failures().len(), 1, "{:?}", run.failures());
    assert!(run.failures()[0].contains("never bound"));
    assert!(run.position(|b| matches!(b, Body::EnvironmentGone { environment: 2 })).is_some());
    Ok(())
}

pub fn events_trigger_steps_and_handlers(home: &Path) -> Tested {
    let thread_start = |only| Trigger::Event { event: event::THREAD_START, environment: None, only };
    let steps = vec![
        at("asleep", call("GetPhase", &[Arg::Storage])),
        step(thread_start(vec![]), call("GetThreadInfo", &[Arg::EventParam(1), Arg::Storage])),
        step(
            Trigger::Event {
                event: event::THREAD_END,
                environment: Some(0),
                only: vec![Filter { param: 1, is: named("sleeper") }],
            },
            call("GetThreadInfo", &[Arg::CurrentThread, Arg::Storage]),
        ),
    ];
    let mut case = case(Made::ScenarioRun, &[], &[event::THREAD_START, event::THREAD_END], steps);
    case.handlers.push(Handler {
        on: Trigger::Event { event: event::THREAD_END, environment: None, only: vec![] },
        times: Some(1),
        actions: vec![call("GetThreadState", &[Arg::EventParam(1), Arg::Storage])],
    });
    let plan = plan("Sleeper", case);
    let run = run(home, &[], &plan)?;
    run.assert_ended_well(home);
    let name = |step| run.output(0, step, 1).field("name").cloned();
    assert!(matches!(name(1), Some(Value::Str(_))));
    assert_eq!(name(2), Some(Value::Str(b"sleeper".to_vec())));
    let handled = StepRef::Handler { case: 0, handler: 0, action: 0 };
    let handled =
        run.records.iter().filter(|r| matches!(&r.body, Body::CallBegin { step, .. } if *step == handled));
    assert_eq!(handled.count(), 1);
    // The VM may start threads of its own meanwhile.
    let sleeper = run.bound("sleeper");
    let started = run.records.iter().any(|record| {
        matches!(&record.body, Body::Event { environment: 2, event: event::THREAD_START, args }
                if matches!(args[0], Value::Pointer(_)) && args[1] == sleeper)
    });
    assert!(started);
    Ok(())
}

pub fn heap_callbacks_are_recorded_and_answered(home: &Path) -> Tested {
    let class = || named("class");
    let callback = Callback { returns: vec![], set_tag: Some(99), record: Some(3), ..Callback::default() };
    let heap =
        |record: Callback| Arg::Struct(vec![("heap_iteration_callback".to_owned(), Arg::Callback(record))]);
    let iterate = |callbacks| call("IterateThroughHeap", &[Arg::Int(0), class(), callbacks, Arg::Null]);
    let steps = vec![
        at("asleep", call("SetTag", &[named("object"), Arg::Int(7)])),
        saved("walk", at("asleep", iterate(heap(callback)))),
        step(
            Trigger::Callback { of: "walk".to_owned(), callback: "jvmtiHeapIterationCallback".to_owned() },
            call("SetEnvironmentLocalStorage", &[Arg::Null]),
        ),
        at("asleep", call("GetTag", &[named("object"), Arg::Storage])),
        at(
            "asleep",
            call(
                "IterateOverHeap",
                &[
                    Arg::Int(3),
                    Arg::Callback(Callback { returns: vec![1, 1, 0], ..Callback::default() }),
                    Arg::Null,
                ],
            ),
        ),
    ];
    let plan = plan("Sleeper", case(Made::ScenarioRun, &[CAN_TAG_OBJECTS], &[], steps));
    let run = run(home, &[], &plan)?;
    run.assert_ended_well(home);
    assert_eq!(run.failures(), Vec::<String>::new());
    assert_eq!(run.output(0, 3, 1), Value::Int(99));
    assert_eq!(run.call(0, 2).0, 0);
    let visits: Vec<&Vec<Value>> = run
        .records
        .iter()
        .filter_map(|record| match &record.body {
            Body::Callback { callback, args, .. } if callback == "jvmtiHeapIterationCallback" => Some(args),
            _ => None,
        })
        .collect();
    assert_eq!(visits.len(), 1, "there is one instance of the scenario");
    assert_eq!(visits[0][2], Value::Int(7), "the tag is that of before: {visits:?}");
    let stopped = run.records.iter().filter(
        |r| matches!(&r.body, Body::Callback { callback, .. } if callback == "jvmtiHeapObjectCallback"),
    );
    assert_eq!(stopped.count(), 3, "the third answer ends the iteration");
    Ok(())
}

pub fn threads_and_exceptions(home: &Path) -> Tested {
    let info = |which, arg| at("asleep", on(which, "GetThreadInfo", &[arg, Arg::Storage]));
    let throw = Action::Jni {
        op: JniOp::ThrowNew,
        args: vec![Arg::Class("java/lang/IllegalStateException".to_owned()), Arg::Str(b"by plan".to_vec())],
        on: OnThread::Current,
    };
    let global = Action::Jni { op: JniOp::NewGlobalRef, args: vec![named("sleeper")], on: OnThread::Current };
    let steps = vec![
        info(OnThread::Attached, Arg::CurrentThread),
        info(OnThread::Attached, named("sleeper")),
        info(OnThread::Unattached, named("sleeper")),
        saved("global", at("asleep", global)),
        info(OnThread::Current, named("global")),
        at("throw", throw),
        at("throw", call("GetPhase", &[Arg::Storage])),
        at("throw", call("GetThreadInfo", &[Arg::CurrentThread, Arg::Storage])),
    ];
    let plan = plan("Sleeper", case(Made::ScenarioRun, &[], &[], steps));
    let run = run(home, &[], &plan)?;
    run.assert_ended_well(home);
    assert_eq!(run.failures(), Vec::<String>::new());
    let name = |step| run.output(0, step, 1).field("name").cloned();
    assert_eq!(name(0), Some(Value::Str(b"jvmticheck attached".to_vec())));
    assert_eq!(name(1), Some(Value::Str(b"sleeper".to_vec())));
    assert_eq!(run.call(0, 2).0, 115, "UNATTACHED_THREAD");
    assert_eq!(name(4), Some(Value::Str(b"sleeper".to_vec())));
    assert_eq!(name(7), Some(Value::Str(b"main".to_vec())));
    assert_eq!(run.fact("thrown"), Some(Value::Str(b"by plan".to_vec())));
    let last = run.records.iter().rev().find_map(|record| match &record.body {
        Body::CallEnd { exception: exception @ (true, _), .. } => Some(*exception),
        _ => None,
    });
    assert_eq!(last, Some((true, true)));
    Ok(())
}

pub fn a_call_that_ends_the_process_is_the_last_record(home: &Path) -> Tested {
    let steps = vec![
        at("asleep", call("GetPhase", &[Arg::Storage])),
        at("asleep", call("DestroyRawMonitor", &[Arg::Invalid(Invalid::DestroyedMonitor)])),
        at("asleep", call("Deallocate", &[Arg::Invalid(Invalid::ZeroedMemory)])),
    ];
    let plan = plan("Sleeper", case(Made::ScenarioRun, &[], &[], steps));
    let run = run(home, &[], &plan)?;
    assert!(!run.output.status.success(), "{}: freeing what was never allocated", home.display());
    let Some(Body::CallBegin { step, .. }) = run.records.last().map(|record| &record.body) else {
        panic!("{:?}", run.records.last());
    };
    // Some VMs do not survive the monitor either.
    assert!(matches!(step, StepRef::Step { step: 1 | 2, .. }), "{step:?}");
    Ok(())
}
