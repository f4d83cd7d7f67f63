use std::ffi::CStr;

use jvmti_wire::plan::{Callback, Invalid};
use proptest::prelude::*;

use super::*;
use crate::ffi::{error, event, event_callbacks, slot};

proptest! {
    #[test]
    fn integers_are_cut_to_the_c_type(number in any::<i64>()) {
        let call = prepared(slot::FORCE_EARLY_RETURN_INT, &[Arg::Null, Arg::Int(number)]);
        let kept = number as i32;
        prop_assert_eq!(call.raw(), &[0, kept.bits()]);
        prop_assert_eq!(call.recorded_args(), &[Value::Null, Value::Int(i64::from(kept))]);
        let call = prepared(slot::SET_TAG, &[named(3), Arg::Int(number)]);
        prop_assert_eq!(call.recorded_args(), &[object(3), Value::Int(number)]);
    }

    #[test]
    fn strings_go_in_terminated(text in proptest::collection::vec(1u8.., 0..200)) {
        let call = prepared(slot::CREATE_RAW_MONITOR, &[Arg::Str(text.clone()), Arg::Storage]);
        let start = std::ptr::with_exposed_provenance(call.raw()[0] as usize);
        // SAFETY: the call holds a terminated string there.
        let seen = unsafe { CStr::from_ptr(start) };
        prop_assert_eq!(seen.to_bytes(), &text);
        prop_assert_eq!(call.recorded_args(), &[Value::Str(text), Value::Untouched]);
    }

    #[test]
    fn scalars_come_back(code in 0i32..2, long in any::<i64>()) {
        let mut call = prepared(slot::GET_TAG, &[named(1), Arg::Storage]);
        prop_assert_eq!(outputs(&call)[&1].clone(), Value::Untouched);
        prop_assume!(long.to_ne_bytes() != [0xA5; 8]);
        put(call.raw()[1], CType::Long, long.bits());
        call.returned(code);
        prop_assert_eq!(outputs(&call)[&1].clone(), Value::Int(long));
        let kept = (code == error::NONE).then(|| long.bits());
        prop_assert_eq!(call.raw_output(1, &[]), kept);
    }
}

#[test]
fn floats_convert_as_in_c() {
    let call = prepared(slot::FORCE_EARLY_RETURN_FLOAT, &[Arg::Null, Arg::Float(0.1)]);
    assert_eq!(call.raw()[1], u64::from(0.1f32.to_bits()));
    let call = prepared(slot::FORCE_EARLY_RETURN_DOUBLE, &[Arg::Null, Arg::Int(-2)]);
    assert_eq!(call.recorded_args()[1], Value::Float(-2.0));
}

#[test]
fn every_function_takes_nulls_and_storage_where_they_make_sense() {
    for function in ffi::FUNCTIONS {
        let args: Vec<Arg> = function
            .params
            .iter()
            .map(|param| match param.ty {
                ty if ty.is_integer() => Arg::Int(1),
                CType::Float | CType::Double => Arg::Float(1.0),
                _ if param.dir.is_output() => Arg::Storage,
                _ => Arg::Null,
            })
            .collect();
        let mut call = prepared(function.slot, &args);
        assert!(outputs(&call).values().all(|value| *value == Value::Untouched), "{}", function.name);
        // A VM that returns success without having written anything is a bad one, but must not harm the probe.
        call.returned(error::NONE);
        assert!(outputs(&call).values().all(|value| *value == Value::Untouched), "{}", function.name);
        assert_eq!(release(&mut call), (vec![], vec![]), "{}", function.name);
    }
}

#[test]
fn capabilities_are_bits_by_name() {
    let bits = ["can_tag_objects", "can_suspend"].map(|name| (name.to_owned(), Arg::Int(1)));
    let call = prepared(slot::ADD_CAPABILITIES, &[Arg::Struct(bits.to_vec())]);
    let mut expected = vec![0u8; 16];
    expected[0] = 1;
    expected[20 / 8] |= 1 << (20 % 8);
    assert_eq!(call.recorded_args(), [Value::Bytes(expected)]);
    let unknown = Arg::Struct(vec![("can_fly".to_owned(), Arg::Int(1))]);
    assert!(prepare(slot::ADD_CAPABILITIES, &[unknown]).is_err());
}

#[test]
fn class_definitions_are_built_by_layout() {
    let definition = |count| {
        Arg::List(vec![Arg::Struct(vec![
            ("klass".to_owned(), named(5)),
            ("class_byte_count".to_owned(), Arg::Int(count)),
            ("class_bytes".to_owned(), Arg::Bytes(vec![1, 2, 3])),
        ])])
    };
    let call = prepared(slot::REDEFINE_CLASSES, &[Arg::Int(1), definition(3)]);
    let at = call.raw()[1];
    let of = |name| layout("jvmtiClassDefinition").and_then(|l| l.field(name)).expect("a field");
    assert_eq!(get(at + of("klass").offset as u64, REFERENCE), 5);
    assert_eq!(get(at + of("class_byte_count").offset as u64, CType::Int), 3);
    let bytes = get(at + of("class_bytes").offset as u64, POINTER);
    assert_eq!(get(bytes + 2, CType::UnsignedChar), 3);
    // More than there is must not be read by the VM; a negative count is for the VM to refuse.
    assert!(prepare(slot::REDEFINE_CLASSES, &[Arg::Int(1), definition(4)]).is_err());
    assert!(prepare(slot::REDEFINE_CLASSES, &[Arg::Int(2), definition(3)]).is_err());
    assert!(prepare(slot::REDEFINE_CLASSES, &[Arg::Int(-1), definition(-1)]).is_ok());
}

#[test]
fn prefixes_are_an_array_of_strings() {
    let prefixes = Arg::List(vec![Arg::Str(b"a_".to_vec()), Arg::Str(b"b_".to_vec())]);
    let call = prepared(slot::SET_NATIVE_METHOD_PREFIXES, &[Arg::Int(2), prefixes.clone()]);
    let second = get(call.raw()[1] + POINTER.size() as u64, POINTER);
    assert_eq!(get(second, CType::UnsignedChar), u64::from(b'b'));
    assert!(prepare(slot::SET_NATIVE_METHOD_PREFIXES, &[Arg::Int(3), prefixes]).is_err());
}

#[test]
fn heap_callbacks_are_the_probes_own() {
    let callback = Callback { set_tag: Some(9), ..Callback::default() };
    let callbacks =
        Arg::Struct(vec![("heap_iteration_callback".to_owned(), Arg::Callback(callback.clone()))]);
    let mut call =
        prepared(slot::ITERATE_THROUGH_HEAP, &[Arg::Int(0), Arg::Null, callbacks.clone(), Arg::Storage]);
    let (descriptor, given) = &call.callbacks()[0];
    assert_eq!((descriptor.name, given), ("jvmtiHeapIterationCallback", &callback));
    assert_eq!(get(call.raw()[2], POINTER), descriptor.trampoline().cast_mut().bits());
    assert!(call.set_user_data(77));
    assert_eq!(call.raw()[3], 77);
    let mut own = prepared(slot::ITERATE_THROUGH_HEAP, &[Arg::Int(0), Arg::Null, callbacks, Arg::Null]);
    assert!(!own.set_user_data(78), "null is the plan's own user data");
    assert_eq!(own.raw()[3], 0);
    let mut without = prepared(slot::SET_THREAD_LOCAL_STORAGE, &[Arg::Null, Arg::Null]);
    assert!(!without.set_user_data(77));
}

#[test]
fn event_callbacks_are_laid_out_as_the_runtime_does() {
    let events = [event::VM_INIT, event::THREAD_END];
    let size = Arg::Int(ffi::EventCallbacks::size() as i64);
    let call = prepared(slot::SET_EVENT_CALLBACKS, &[Arg::EventCallbacks(events.to_vec()), size]);
    for (i, entry) in event_callbacks(&events).into_table().iter().enumerate() {
        assert_eq!(get(call.raw()[0] + (i * POINTER.size()) as u64, POINTER), *entry as u64);
    }
}

#[test]
fn invalid_references_are_not_asked_about() {
    let mut fake = Fake::default();
    let interrupt = descriptor(slot::INTERRUPT_THREAD).expect("described");
    for invalid in [Invalid::DeletedRef, Invalid::ClearedWeakRef] {
        let call = Call::prepare(interrupt, &[Arg::Invalid(invalid)], &mut fake).expect("can be prepared");
        assert_eq!((call.raw()[0], &call.recorded_args()[0]), (0xbad, &Value::Opaque));
    }
    assert_eq!(fake.identified, Vec::<u64>::new());
    let call = prepared(slot::GET_MAX_LOCALS, &[Arg::Invalid(Invalid::ZeroedMemory), Arg::Storage]);
    assert_eq!(call.recorded_args()[0], Value::Pointer(0xbad));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let wrong: &[(u16, &[Arg])] = &[
        (slot::GET_THREAD_STATE, &[Arg::Null]),
        (slot::GET_THREAD_STATE, &[Arg::Int(4), Arg::Storage]),
        (slot::GET_THREAD_STATE, &[Arg::Null, Arg::Int(1)]),
        (slot::GET_THREAD_STATE, &[Arg::Storage, Arg::Storage]),
        (slot::SET_TAG, &[Arg::Null, Arg::Null]),
        (slot::SET_TAG, &[Arg::Null, Arg::Str(vec![])]),
        (slot::FORCE_EARLY_RETURN_FLOAT, &[Arg::Null, Arg::Bytes(vec![])]),
        (slot::RAW_MONITOR_ENTER, &[Arg::Int(1234)]),
        (slot::ITERATE_OVER_HEAP, &[Arg::Int(1), Arg::Int(1), Arg::Null]),
        (slot::SUSPEND_THREAD, &[Arg::Named("nobody".to_owned())]),
        (slot::SET_EVENT_CALLBACKS, &[Arg::Callback(Callback::default()), Arg::Int(8)]),
    ];
    for (slot, args) in wrong {
        assert!(prepare(*slot, args).is_err(), "{slot}: {args:?}");
    }
    let reason = prepare(slot::GET_THREAD_STATE, &[Arg::Int(4), Arg::Storage]).expect_err("refused");
    assert_eq!(reason.to_string(), "thread: an integer is not suitable where jthread is wanted");
}
