//! Every function is called and every event is listened to, on a program that does a little of everything: whatever
//! the JVM answers, the probe itself stands it.

use std::path::Path;

use jvmti_probe::ffi::{
    CType, Dir, EVENTS, FUNCTIONS, FunctionDescriptor, ParamDescriptor, ParamKind, event, layout,
};
use jvmti_wire::plan::{
    Action, Arg, Callback, Made, Plan, PlannedCase, PlannedEnvironment, PlannedStep, ScenarioRun, Trigger,
};
use jvmti_wire::trace::{Body, StepRef};
use jvmti_wire::value::Value;

use crate::support::{Run, Tested, call, named, run, step};

/// Well-formed arguments of each kind, the simplest there are.
fn simplest(param: &ParamDescriptor) -> Arg {
    if param.dir.is_output() {
        return Arg::Storage;
    }
    match param.ty {
        CType::Reference("jthread") => named("unstarted"),
        CType::Reference("jthreadGroup") => named("group"),
        CType::Reference("jclass") => named("class"),
        // JVMs do not look whether it is a loader.
        CType::Reference(_) if param.name.ends_with("loader") => Arg::Null,
        CType::Reference(_) => named("object"),
        CType::Method => Arg::Method {
            class: "jvmticheck/scenarios/Busy".to_owned(),
            name: "work".to_owned(),
            signature: "()V".to_owned(),
            is_static: false,
        },
        CType::Field => Arg::Field {
            class: "jvmticheck/scenarios/Busy".to_owned(),
            name: "field".to_owned(),
            signature: "I".to_owned(),
            is_static: false,
        },
        CType::Monitor => Arg::Output { step: "monitor".to_owned(), param: 1, path: vec![] },
        CType::Callback(_) => Arg::Callback(Callback::default()),
        CType::Float | CType::Double => Arg::Float(0.5),
        CType::Pointer(CType::Char) => Arg::Str(b"jvmticheck.smoke".to_vec()),
        CType::Pointer(CType::Struct(_)) if param.dir == Dir::InPtr => Arg::Struct(vec![]),
        ty if ty.is_integer() => Arg::Int(0),
        _ => Arg::Null,
    }
}

fn every_argument(function: &FunctionDescriptor, arg: impl Fn(&ParamDescriptor) -> Arg) -> Vec<Arg> {
    function.params.iter().filter(|param| param.kind != ParamKind::Varargs).map(arg).collect()
}

fn nulls(param: &ParamDescriptor) -> Arg {
    match param.ty {
        CType::Float | CType::Double => Arg::Float(0.0),
        // Null would be the current thread, to be suspended for good.
        CType::Reference("jthread") => named("unstarted"),
        ty if ty.is_integer() => Arg::Int(0),
        _ => Arg::Null,
    }
}

/// Functions whose simplest call is not harmless to what follows.
fn is_spared(name: &str) -> bool {
    matches!(
        name,
        "DisposeEnvironment" | "SetEventCallbacks" | "SetJNIFunctionTable" | "RelinquishCapabilities"
    )
}

fn functions() -> impl Iterator<Item = &'static FunctionDescriptor> {
    FUNCTIONS.iter().filter(|function| !is_spared(function.name))
}

fn capability_steps(names: impl Fn(&str) -> bool) -> Vec<PlannedStep> {
    let capabilities = layout("jvmtiCapabilities").unwrap().fields.iter().filter(|field| names(field.name));
    let add = |field: &str| call("AddCapabilities", &[Arg::Struct(vec![(field.to_owned(), Arg::Int(1))])]);
    capabilities.map(|field| step(Trigger::OnLoad, add(field.name))).collect()
}

fn enable(number: u16) -> Action {
    call("SetEventNotificationMode", &[Arg::Int(1), Arg::Int(number.into()), Arg::Null])
}

fn environment(name: &str) -> PlannedEnvironment {
    PlannedEnvironment {
        name: name.to_owned(),
        made: Made::OnLoad,
        enabled: Made::OnLoad,
        version: None,
        chain: None,
        capabilities: vec![],
        events: vec![],
    }
}

fn one_environment(id: &str, steps: Vec<PlannedStep>) -> PlannedCase {
    PlannedCase {
        id: id.to_owned(),
        run: Some(0),
        environments: vec![environment("main")],
        steps,
        handlers: vec![],
    }
}

/// One environment with all capabilities in which all functions are called.
fn all_functions() -> PlannedCase {
    let busy = || Trigger::Checkpoint("busy".to_owned());
    let mut steps = capability_steps(|_| true);
    steps.push(PlannedStep {
        save: Some("monitor".to_owned()),
        ..step(busy(), call("CreateRawMonitor", &[Arg::Str(b"m".to_vec()), Arg::Storage]))
    });
    // Destroying the monitor comes after its other uses.
    let (last, first): (Vec<_>, Vec<_>) = functions().partition(|f| f.name == "DestroyRawMonitor");
    for function in first.iter().chain(&last) {
        steps.push(step(busy(), call(function.name, &every_argument(function, simplest))));
    }
    one_environment("all functions", steps)
}

/// One environment in which all functions are called with nothing but nulls.
fn all_nulls() -> PlannedCase {
    let steps = functions().map(|function| {
        step(Trigger::Checkpoint("done".to_owned()), call(function.name, &every_argument(function, nulls)))
    });
    one_environment("all nulls", steps.collect())
}

/// One environment in which all events are listened to, from the beginning or, if they are too many, in the scenario run.
fn all_events() -> PlannedCase {
    let frequent = [
        event::SINGLE_STEP,
        event::METHOD_ENTRY,
        event::METHOD_EXIT,
        event::VM_OBJECT_ALLOC,
        event::SAMPLED_OBJECT_ALLOC,
    ];
    let mut steps = capability_steps(|name| name != "can_generate_early_vmstart");
    for event in EVENTS.iter().filter(|event| !frequent.contains(&event.number)) {
        steps.push(step(Trigger::OnLoad, enable(event.number)));
    }
    for number in frequent {
        steps.push(step(Trigger::RunBegin, enable(number)));
    }
    let field = every_argument(FUNCTIONS.iter().find(|f| f.name == "SetFieldAccessWatch").unwrap(), simplest);
    steps.push(step(Trigger::Checkpoint("busy".to_owned()), call("SetFieldAccessWatch", &field)));
    steps.push(step(Trigger::Checkpoint("busy".to_owned()), call("SetFieldModificationWatch", &field)));
    // Keeps the environment beyond the scenario run.
    steps.push(step(Trigger::VmDeath, call("GetPhase", &[Arg::Storage])));
    one_environment("all events", steps)
}

fn smoke(home: &Path, cases: Vec<PlannedCase>, options: &[&str], check: impl Fn(&Run)) -> Tested {
    let plan = Plan {
        launch: "smoke".to_owned(),
        scenario_runs: vec![ScenarioRun { scenario: "Busy".to_owned() }],
        cases,
        ..Plan::default()
    };
    let run = run(home, options, &plan)?;
    run.assert_ended_well(home);
    assert_eq!(run.fact("scenario-failed"), None, "{}", home.display());
    check(&run);
    Ok(())
}

/// Whether each step made a call that returned, except those whose function this JVM is too old for.
fn all_returned(run: &Run, case: u32) {
    assert_eq!(run.failures(), [] as [String; 0]);
    let begun = run.records.iter().filter_map(|record| match &record.body {
        Body::CallBegin { call, step: StepRef::Step { case: of, .. }, .. } if *of == case => Some(*call),
        _ => None,
    });
    let begun: Vec<u32> = begun.collect();
    let ended =
        run.records.iter().filter(|r| matches!(&r.body, Body::CallEnd { call, .. } if begun.contains(call)));
    assert_eq!(ended.count(), begun.len());
    assert!(begun.len() > 130, "only {} calls", begun.len());
}

pub fn every_function_is_called(home: &Path) -> Tested {
    smoke(home, vec![all_functions()], &[], |run| all_returned(run, 0))
}

pub fn every_function_is_called_with_nulls(home: &Path) -> Tested {
    smoke(home, vec![all_nulls()], &[], |run| all_returned(run, 0))
}

/// What `divide` returns is an `int` of 16 or more, and nothing where it throws.
fn returned_values(run: &Run) {
    let divide = run.records.iter().find_map(|record| match &record.body {
        Body::MethodSeen { method, class, name, .. } if name == "divide" && class.ends_with("/Busy;") => {
            Some(*method)
        }
        _ => None,
    });
    let divide = divide.expect("the method is seen");
    let exits: Vec<&Vec<Value>> = run
        .records
        .iter()
        .filter_map(|record| match &record.body {
            Body::Event { event: event::METHOD_EXIT, args, .. } if args[2] == Value::Method(divide) => {
                Some(args)
            }
            _ => None,
        })
        .collect();
    assert!(exits.iter().any(|args| args[3] == Value::Int(1)), "some end by an exception");
    let returned: Vec<&Value> =
        exits.iter().filter(|args| args[3] == Value::Int(0)).map(|args| &args[4]).collect();
    assert!(
        !returned.is_empty() && returned.iter().all(|v| v.as_int().is_some_and(|i| (16..256).contains(&i)))
    );
}

pub fn every_event_is_listened_to(home: &Path) -> Tested {
    for options in [&[][..], &["-Xint"], &["-Xcomp", "-Xmx64m"], &["-Xcheck:jni"]] {
        smoke(home, vec![all_events()], options, |run| {
            let seen = |number| {
                run.records
                    .iter()
                    .any(|r| matches!(&r.body, Body::Event { environment: 2, event, .. } if *event == number))
            };
            let expected = [
                event::VM_START,
                event::VM_INIT,
                event::VM_DEATH,
                event::THREAD_START,
                event::THREAD_END,
                event::CLASS_FILE_LOAD_HOOK,
                event::CLASS_LOAD,
                event::CLASS_PREPARE,
                event::EXCEPTION,
                event::EXCEPTION_CATCH,
                event::SINGLE_STEP,
                event::METHOD_ENTRY,
                event::METHOD_EXIT,
                event::FIELD_ACCESS,
                event::FIELD_MODIFICATION,
                event::NATIVE_METHOD_BIND,
                event::MONITOR_WAIT,
                event::MONITOR_WAITED,
                event::DYNAMIC_CODE_GENERATED,
                event::GARBAGE_COLLECTION_START,
                event::GARBAGE_COLLECTION_FINISH,
            ];
            let missing: Vec<u16> = expected.into_iter().filter(|number| !seen(*number)).collect();
            returned_values(run);
            assert!(missing.is_empty(), "{options:?}: no event {missing:?}\n{}", run.text());
        })?;
    }
    Ok(())
}
