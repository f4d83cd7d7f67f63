//! Rules about calls, what they return and the callbacks passed to them.

use jvmti_wire::trace::Handed;

use super::*;

#[test]
fn codes_are_listed() {
    let rule = "returned-error-is-listed";
    let mut bench = trace();
    for name in ["NONE", "INVALID_THREAD", "WRONG_PHASE", "INTERNAL"] {
        bench.call(SETUP, "GetThreadState", vec![], code(name));
    }
    assert_eq!(status(&bench, rule), Some(Status::Pass));
    assert_eq!(bench.rule(rule).expect("judged").asserted, 4);
    bench.call(SETUP, "GetThreadState", vec![object(3)], code("INVALID_CLASS"));
    let verdict = bench.rule(rule).expect("judged");
    assert_eq!(verdict.status, Status::Fail);
    assert_eq!(verdict.findings[0].observed, "INVALID_CLASS (21)");
}

#[test]
fn exceptions_are_left_alone() {
    let with = |exception| {
        let mut bench = trace();
        let call = bench.begin(SETUP, function("GetPhase"), vec![]);
        bench.add(Body::CallEnd { call, code: 0, outputs: vec![], exception });
        (status(&bench, "pending-exception-kept"), status(&bench, "no-exception-thrown"))
    };
    assert_eq!(with((false, false)), (None, Some(Status::Pass)));
    assert_eq!(with((true, true)), (Some(Status::Pass), None));
    assert_eq!(with((true, false)), (Some(Status::Fail), None));
    assert_eq!(with((false, true)), (None, Some(Status::Fail)));
}

#[test]
fn what_a_callback_throws_is_its_own() {
    let mut bench = trace();
    let call = bench.begin(SETUP, function("GetPhase"), vec![]);
    bench.event(1, "ClassLoad", on(1));
    bench.add(Body::CallEnd { call, code: 0, outputs: vec![], exception: (false, true) });
    assert_eq!(status(&bench, "no-exception-thrown"), None);
}

#[test]
fn states_keep_the_rules_of_the_bits() {
    let rule = "thread-state-bits";
    let returned = |code, name: &str, value| {
        let mut bench = trace();
        let call = bench.begin(SETUP, function(name), vec![]);
        bench.end(call, code, vec![(1, value)]);
        status(&bench, rule)
    };
    let info = |state| {
        let fields = vec![("thread".to_owned(), object(1)), ("state".to_owned(), Value::Int(state))];
        Value::List(vec![Value::Struct(fields)])
    };
    assert_eq!(returned(0, "GetThreadState", Value::Int(5)), Some(Status::Pass));
    assert_eq!(returned(0, "GetThreadState", Value::Int(0x41)), Some(Status::Fail));
    assert_eq!(returned(10, "GetThreadState", Value::Int(0x41)), None, "undefined after an error");
    assert_eq!(returned(0, "GetThreadListStackTraces", info(5)), Some(Status::Pass));
    assert_eq!(returned(0, "GetThreadListStackTraces", info(6)), Some(Status::Fail));
}

#[test]
fn strings_are_modified_utf8() {
    let rule = "strings-modified-utf8";
    let returned = |bytes: &[u8]| {
        let mut bench = trace();
        let call = bench.begin(SETUP, function("GetErrorName"), vec![]);
        bench.end(call, 0, vec![(1, Value::Str(bytes.to_vec()))]);
        status(&bench, rule)
    };
    assert_eq!(returned(b"JVMTI_ERROR_NONE"), Some(Status::Pass));
    assert_eq!(returned("\u{1f600}".as_bytes()), Some(Status::Fail));
    let mut bench = trace();
    let name = Value::Str(vec![0xff]);
    bench.event(1, "ClassFileLoadHook", vec![Value::Null, Value::Null, Value::Null, name]);
    assert_eq!(status(&bench, rule), Some(Status::Fail));
}

#[test]
fn what_calls_give_is_local_and_can_be_deallocated() {
    let with = |memory, reference| {
        let mut bench = trace();
        let handed = |code| vec![Handed { param: 1, count: 2, code }];
        bench.add(Body::Given {
            call: 1,
            step: SETUP,
            memory: handed(memory),
            references: handed(reference),
        });
        (status(&bench, "returned-references-local"), status(&bench, "deallocate-returned"))
    };
    assert_eq!(with(0, 1), (Some(Status::Pass), Some(Status::Pass)));
    assert_eq!(with(0, 2), (Some(Status::Fail), Some(Status::Pass)));
    assert_eq!(with(103, 1), (Some(Status::Pass), Some(Status::Fail)));
}

#[test]
fn empty_arrays_are_null() {
    let rule = "empty-list-is-null";
    let methods = |code, count, list| {
        let mut bench = trace();
        let call = bench.begin(SETUP, function("GetClassMethods"), vec![object(1)]);
        bench.end(call, code, vec![(1, Value::Int(count)), (2, list)]);
        status(&bench, rule)
    };
    let empty = || Value::List(vec![]);
    assert_eq!(methods(0, 0, Value::Null), Some(Status::Pass));
    assert_eq!(methods(0, 0, empty()), Some(Status::Fail));
    assert_eq!(methods(0, 1, Value::List(vec![Value::Method(1)])), None, "not empty");
    assert_eq!(methods(code("INVALID_CLASS"), 0, empty()), None, "undefined after an error");
    let stack = |frames| {
        let mut bench = trace();
        let call = bench.begin(SETUP, function("GetAllStackTraces"), vec![Value::Int(9)]);
        let fields = [("frame_buffer", frames), ("frame_count", Value::Int(0))];
        let fields = fields.map(|(name, value)| (name.to_owned(), value)).to_vec();
        bench.end(call, 0, vec![(1, Value::List(vec![Value::Struct(fields)])), (2, Value::Int(1))]);
        status(&bench, rule)
    };
    assert_eq!(stack(Value::Null), Some(Status::Pass));
    assert_eq!(stack(empty()), Some(Status::Fail));
    let mut bench = trace();
    let call = bench.begin(SETUP, function("GetBytecodes"), vec![Value::Method(1)]);
    bench.end(call, 0, vec![(1, Value::Int(0)), (2, Value::Bytes(vec![]))]);
    assert_eq!(status(&bench, rule), Some(Status::Fail));
}

#[test]
fn ids_of_methods_stay_valid() {
    let rule = "method-id-valid-with-class";
    let asked = |class: &str, told: bool, answer| {
        let mut bench = trace();
        let (class, name, signature) = (class.to_owned(), "m".to_owned(), "()V".to_owned());
        bench.add(Body::MethodSeen { method: 7, class, name, signature });
        if told {
            bench.event(1, "MethodEntry", vec![Value::Pointer(1), object(1), Value::Method(7)]);
        }
        bench.call(SETUP, "GetMethodName", vec![Value::Method(7)], answer);
        status(&bench, rule)
    };
    let refused = code("INVALID_METHODID");
    assert_eq!(asked("Ljava/lang/Object;", true, 0), Some(Status::Pass));
    assert_eq!(asked("Ljava/lang/Object;", true, code("WRONG_PHASE")), Some(Status::Pass));
    assert_eq!(asked("Ljava/lang/Object;", true, refused), Some(Status::Fail));
    assert_eq!(asked("Ljava/lang/Object;", false, refused), None, "the VM never told it");
    for class in ["LA;", "Ljava/lang/invoke/LambdaForm$MH.0x1;", "Ljava/lang/invoke/LambdaForm$MH/12;"] {
        assert_eq!(asked(class, true, refused), None, "{class} may be unloaded");
    }
    let mut bench = trace();
    let (class, name, signature) = ("Ljava/lang/Object;".to_owned(), "m".to_owned(), "()V".to_owned());
    bench.add(Body::MethodSeen { method: 7, class, name, signature });
    let call = bench.begin(SETUP, function("GetClassMethods"), vec![object(1)]);
    bench.end(call, 0, vec![(1, Value::Int(1)), (2, Value::List(vec![Value::Method(7)]))]);
    bench.call(SETUP, "GetMethodName", vec![Value::Method(7)], refused);
    assert_eq!(status(&bench, rule), Some(Status::Fail), "returned by a call");
}

#[test]
fn heap_callbacks_come_one_at_a_time() {
    let rule = "callbacks-one-at-a-time";
    let callback = |name: &str| Body::Callback { call: 1, callback: name.into(), args: vec![], returned: 0 };
    let mut bench = trace();
    bench.add(callback("jvmtiStartFunction"));
    assert_eq!(status(&bench, rule), None, "not of the heap");
    bench.add(callback("jvmtiHeapIterationCallback"));
    assert_eq!(status(&bench, rule), Some(Status::Pass));
    bench.add(Body::CallbacksOverlap { call: 1, callback: "jvmtiHeapIterationCallback".into() });
    assert_eq!(status(&bench, rule), Some(Status::Fail));
}

#[test]
fn functions_for_extension_events_get_their_environment() {
    let rule = "callback-environment";
    let heard = |environment: i64| {
        let mut bench = trace();
        let args = vec![Value::Int(3), Value::Pointer(1)];
        let call = bench.begin(SETUP, function("SetExtensionEventCallback"), args);
        bench.end(call, 0, vec![]);
        let (callback, args) = ("jvmtiExtensionEvent".to_owned(), vec![Value::Int(environment)]);
        bench.add(Body::Callback { call, callback, args, returned: 0 });
        status(&bench, rule)
    };
    assert_eq!(heard(1), Some(Status::Pass));
    assert_eq!(heard(2), Some(Status::Fail), "another environment");
    assert_eq!(heard(0), Some(Status::Fail), "none");
}
