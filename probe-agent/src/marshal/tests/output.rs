use jvmti_wire::plan::PathPart;

use super::*;
use crate::ffi::{error, slot};

#[test]
fn thread_info_is_decoded_and_released() {
    let mut vm = Vm::default();
    let mut call = prepared(slot::GET_THREAD_INFO, &[Arg::Null, Arg::Storage]);
    let name = vm.text("worker");
    write_struct(call.raw()[1], "jvmtiThreadInfo", &[name, 5, 1, 11, 0]);
    call.returned(error::NONE);
    let info = outputs(&call).remove(&1).expect("an output");
    let expected = [
        ("name", Value::Str(b"worker".to_vec())),
        ("priority", Value::Int(5)),
        ("is_daemon", Value::Int(1)),
        ("thread_group", object(11)),
        ("context_class_loader", Value::Null),
    ];
    assert_eq!(info, Value::Struct(expected.map(|(n, v)| (n.to_owned(), v)).to_vec()));
    assert_eq!(call.raw_output(1, &[PathPart::Field("thread_group".into())]), Some(11));
    call.map_references(&mut |old| Bits::of_bits(old.bits() + 100));
    assert_eq!(call.raw_output(1, &[PathPart::Field("thread_group".into())]), Some(111));
    assert_eq!(release(&mut call), (vec![name], vec![111]));
    assert_eq!(release(&mut call), (vec![], vec![]), "once");
}

#[test]
fn capabilities_end_where_the_vm_stopped_writing() {
    let mut call = prepared(slot::GET_CAPABILITIES, &[Arg::Storage]);
    put(call.raw()[0], CType::Int, 0x00A5_0001);
    call.returned(error::NONE);
    assert_eq!(outputs(&call)[&0], Value::Bytes(vec![1, 0, 0xA5, 0]));
}

#[test]
fn after_an_error_nothing_is_followed() {
    let mut call = prepared(slot::GET_THREAD_INFO, &[Arg::Null, Arg::Storage]);
    write_struct(call.raw()[1], "jvmtiThreadInfo", &[0x10, 5, 0, 0x11, 0]);
    call.returned(error::THREAD_NOT_ALIVE);
    let info = outputs(&call).remove(&1).expect("an output");
    assert_eq!(info.field("name"), Some(&Value::Pointer(0x10)));
    assert_eq!(info.field("thread_group"), Some(&Value::Opaque));
    assert_eq!(release(&mut call), (vec![], vec![]));
}

#[test]
fn partly_written_structures_tell_which_part() {
    let mut call = prepared(slot::GET_THREAD_GROUP_INFO, &[named(1), Arg::Storage]);
    let field = layout("jvmtiThreadGroupInfo").and_then(|l| l.field("max_priority")).expect("a field");
    put(call.raw()[1] + field.offset as u64, CType::Int, 10);
    call.returned(error::NONE);
    let info = outputs(&call).remove(&1).expect("an output");
    assert_eq!(info.field("max_priority"), Some(&Value::Int(10)));
    assert_eq!(info.field("name"), Some(&Value::Untouched));
    assert_eq!(info.field("parent"), Some(&Value::Untouched));
    assert_eq!(release(&mut call), (vec![], vec![]));
}

#[test]
fn all_stack_traces_are_one_block() {
    let mut vm = Vm::default();
    let frames = vm.structs("jvmtiFrameInfo", &[&[7, 1], &[8, u64::MAX]]);
    let infos = vm.structs("jvmtiStackInfo", &[&[21, 5, frames, 2], &[22, 0, 0, 0]]);
    let mut call = prepared(slot::GET_ALL_STACK_TRACES, &[Arg::Int(10), Arg::Storage, Arg::Storage]);
    put(call.raw()[1], POINTER, infos);
    put(call.raw()[2], CType::Int, 2);
    call.returned(error::NONE);
    let all = outputs(&call);
    let Value::List(stacks) = &all[&1] else { panic!("{all:?}") };
    assert_eq!(stacks[0].field("thread"), Some(&object(21)));
    let frame = |method, location| {
        Value::Struct(vec![
            ("method".to_owned(), Value::Method(method)),
            ("location".to_owned(), Value::Int(location)),
        ])
    };
    assert_eq!(stacks[0].field("frame_buffer"), Some(&Value::List(vec![frame(7, 1), frame(8, -1)])));
    assert_eq!(stacks[1].field("frame_buffer"), Some(&Value::Null));
    let path = [
        PathPart::Index(0),
        PathPart::Field("frame_buffer".into()),
        PathPart::Index(1),
        PathPart::Field("method".into()),
    ];
    assert_eq!(call.raw_output(1, &path), Some(8));
    assert_eq!(call.raw_output(1, &[PathPart::Index(2)]), None, "beyond the end");
    assert_eq!(release(&mut call), (vec![infos], vec![21, 22]));
    assert_eq!(call.raw_output(1, &path), None, "released");
}

#[test]
fn frames_end_where_the_vm_stopped_writing() {
    let mut call =
        prepared(slot::GET_STACK_TRACE, &[Arg::Null, Arg::Int(0), Arg::Int(2), Arg::Storage, Arg::Storage]);
    let size = layout("jvmtiFrameInfo").expect("laid out").size as u64;
    write_struct(call.raw()[3], "jvmtiFrameInfo", &[7, 1]);
    call.returned(error::NONE);
    assert!(matches!(&outputs(&call)[&3], Value::List(frames) if frames.len() == 1));
    assert_eq!(call.raw_output(3, &[PathPart::Index(0), PathPart::Field("method".into())]), Some(7));
    // One too many is seen, and does no harm.
    write_struct(call.raw()[3] + 2 * size, "jvmtiFrameInfo", &[9, 1]);
    let Value::List(frames) = &outputs(&call)[&3] else { panic!("not a list") };
    assert_eq!(frames.len(), 3);
    assert_eq!(frames[1], Value::Untouched);
    let huge = [Arg::Null, Arg::Int(0), Arg::Int(i64::from(i32::MAX)), Arg::Storage, Arg::Storage];
    assert!(prepare(slot::GET_STACK_TRACE, &huge).is_ok());
}

#[test]
fn extension_functions_are_freed_to_the_last_name() {
    let mut vm = Vm::default();
    let (id, text, param) = (vm.text("id"), vm.text("what it does"), vm.text("size"));
    let params = vm.structs("jvmtiParamInfo", &[&[param, 91, 101, 0]]);
    let errors = vm.array(CType::Int, &[103, 100]);
    let infos = vm.structs("jvmtiExtensionFunctionInfo", &[&[0x99, id, text, 1, params, 2, errors]]);
    let mut call = prepared(slot::GET_EXTENSION_FUNCTIONS, &[Arg::Storage, Arg::Storage]);
    put(call.raw()[0], CType::Int, 1);
    put(call.raw()[1], POINTER, infos);
    call.returned(error::NONE);
    let Value::List(functions) = &outputs(&call)[&1] else { panic!("not a list") };
    assert_eq!(functions[0].field("func"), Some(&Value::Pointer(0x99)));
    assert_eq!(functions[0].field("errors"), Some(&Value::List(vec![Value::Int(103), Value::Int(100)])));
    let Some(Value::List(params_seen)) = functions[0].field("params") else { panic!("not a list") };
    assert_eq!(params_seen[0].field("name"), Some(&Value::Str(b"size".to_vec())));
    let (memory, references) = release(&mut call);
    assert_eq!(memory, [id, text, param, params, errors, infos]);
    assert_eq!(references, [] as [u64; 0]);
}

#[test]
fn monitor_usage_gives_back_its_waiters() {
    let mut vm = Vm::default();
    let (waiters, notified) = (vm.array(REFERENCE, &[31, 32]), vm.array(REFERENCE, &[32]));
    let mut call = prepared(slot::GET_OBJECT_MONITOR_USAGE, &[named(1), Arg::Storage]);
    write_struct(call.raw()[1], "jvmtiMonitorUsage", &[30, 2, 2, waiters, 1, notified]);
    call.returned(error::NONE);
    let usage = outputs(&call).remove(&1).expect("an output");
    assert_eq!(usage.field("waiters"), Some(&Value::List(vec![object(31), object(32)])));
    assert_eq!(release(&mut call), (vec![waiters, notified], vec![30, 31, 32]));
}

#[test]
fn system_properties_are_freed_each() {
    let mut vm = Vm::default();
    let (a, b) = (vm.text("java.home"), vm.text("java.version"));
    let names = vm.array(POINTER, &[a, b]);
    let mut call = prepared(slot::GET_SYSTEM_PROPERTIES, &[Arg::Storage, Arg::Storage]);
    put(call.raw()[0], CType::Int, 2);
    put(call.raw()[1], POINTER, names);
    call.returned(error::NONE);
    let expected = [b"java.home".to_vec(), b"java.version".to_vec()].map(Value::Str).to_vec();
    assert_eq!(outputs(&call)[&1], Value::List(expected));
    call.disown(b);
    assert_eq!(release(&mut call), (vec![a, names], vec![]));
}

#[test]
fn a_count_that_was_not_written_counts_nothing() {
    let mut vm = Vm::default();
    let classes = vm.array(REFERENCE, &[41]);
    let mut call = prepared(slot::GET_LOADED_CLASSES, &[Arg::Null, Arg::Storage]);
    put(call.raw()[1], POINTER, classes);
    call.returned(error::NONE);
    assert_eq!(outputs(&call)[&1], Value::Pointer(classes));
    assert_eq!(release(&mut call), (vec![classes], vec![]));
}

#[test]
fn after_an_error_no_output_is_passed_on() {
    let mut vm = Vm::default();
    let freed = vm.text("");
    let mut call = prepared(slot::ALLOCATE, &[Arg::Int(16), Arg::Storage]);
    put(call.raw()[1], POINTER, freed);
    call.returned(error::NONE + 1);
    assert_eq!(call.raw_output(1, &[]), None);
}

#[test]
fn allocated_memory_stays_with_the_plan() {
    let mut vm = Vm::default();
    let memory = vm.text("");
    let mut call = prepared(slot::ALLOCATE, &[Arg::Int(16), Arg::Storage]);
    put(call.raw()[1], POINTER, memory);
    call.returned(error::NONE);
    assert_eq!(outputs(&call)[&1], Value::Pointer(memory));
    assert_eq!(call.raw_output(1, &[]), Some(memory));
    assert_eq!(release(&mut call), (vec![], vec![]));
}
