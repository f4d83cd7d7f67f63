use super::*;
use crate::ffi::{CallbackParam, RawArg, event, event_descriptor};

fn event_values(number: u16, args: &[u64]) -> Vec<Value> {
    let params: &[CallbackParam] = event_descriptor(number).expect("described").params;
    let args: Vec<RawArg> = args.iter().map(|bits| RawArg(*bits)).collect();
    assert_eq!(params.len(), args.len());
    // SAFETY: the pointers among them lead to memory of the tests.
    unsafe { event_args(params, &args, &mut Fake::default()) }
}

#[test]
fn class_bytes_of_an_event_are_copied() {
    let mut vm = Vm::default();
    let (name, bytes) = (vm.text("a/B"), vm.text("\u{1}\u{2}\u{3}"));
    let values = event_values(event::CLASS_FILE_LOAD_HOOK, &[0x9, 0, 2, name, 0, 3, bytes, 0x70, 0x78]);
    let expected = [
        Value::Pointer(9),
        Value::Null,
        object(2),
        Value::Str(b"a/B".to_vec()),
        Value::Null,
        Value::Int(3),
        Value::Bytes(vec![1, 2, 3]),
        Value::Pointer(0x70),
        Value::Pointer(0x78),
    ];
    assert_eq!(values, expected);
}

#[test]
fn the_bytes_of_a_class_can_be_returned_in_memory_of_the_agents() {
    let mut vm = Vm::default();
    let bytes = vm.text("\u{1}\u{2}\u{3}");
    let params = event_descriptor(event::CLASS_FILE_LOAD_HOOK).expect("described").params;
    let args = [0x9, 0, 2, 0, 0, 3, bytes, 0x70, 0x78].map(RawArg);
    // SAFETY: the pointer that has a length leads to memory of the test.
    let passed = |index| unsafe { passed_bytes(params, &args, index) };
    assert_eq!(passed(6), Some(vec![1, 2, 3]));
    assert_eq!((passed(5), passed(2), passed(9)), (None, None, None));
}

#[test]
fn values_of_variable_type_are_read_by_their_type() {
    let modification = |ty: u8, bits: u64| {
        event_values(event::FIELD_MODIFICATION, &[9, 1, 2, 3, 4, 0, 5, u64::from(ty), bits])
            .pop()
            .expect("a value")
    };
    assert_eq!(modification(b'I', u64::from(u32::MAX)), Value::Int(-1));
    assert_eq!(modification(b'S', 0xFFFF), Value::Int(-1));
    assert_eq!(modification(b'Z', 1), Value::Int(1));
    assert_eq!(modification(b'D', 0.5f64.to_bits()), Value::Float(0.5));
    assert_eq!(modification(b'L', 6), object(6));
    let exit = |method: u8, popped: u64, bits: u64| {
        event_values(event::METHOD_EXIT, &[9, 1, u64::from(method), popped, bits]).pop().expect("a value")
    };
    assert_eq!(exit(b'L', 0, 6), object(6));
    assert_eq!(exit(b'L', 1, 6), Value::Int(6), "nothing was returned");
    assert_eq!(exit(b'B', 0, 0xFF), Value::Int(-1));
}

#[test]
fn heap_callbacks_are_read_by_kind_and_type() {
    let mut vm = Vm::default();
    let values = |name: &str, args: &[u64]| {
        let args: Vec<RawArg> = args.iter().map(|bits| RawArg(*bits)).collect();
        // SAFETY: the pointers among them lead to memory of the tests.
        unsafe { callback_args(ffi::callback(name).expect("described").params, &args, &mut Fake::default()) }
    };
    let info = vm.structs("jvmtiHeapReferenceInfoStackLocal", &[&[1, 2, 3, 4, 5, 6]]);
    let tag = vm.array(CType::Long, &[55]);
    let seen = values("jvmtiHeapReferenceCallback", &[24, info, 1, 2, 16, tag, 0, u64::MAX, 0x77]);
    let local = seen[1].field("stack_local").expect("the member for stack locals");
    assert_eq!(local.field("slot"), Some(&Value::Int(6)));
    assert_eq!((&seen[5], &seen[6]), (&Value::Int(55), &Value::Null));
    assert_eq!(seen[8], Value::Pointer(0x77));
    let shorts = vm.array(CType::Short, &[1, u64::MAX]);
    let seen = values("jvmtiArrayPrimitiveValueCallback", &[1, 16, tag, 2, u64::from(b'S'), shorts, 0]);
    assert_eq!(seen[5], Value::List(vec![Value::Int(1), Value::Int(-1)]));
}

#[test]
fn replies_are_written_through() {
    let params = event_descriptor(event::CLASS_FILE_LOAD_HOOK).expect("described").params;
    let mut vm = Vm::default();
    let (length, data) = (vm.array(CType::Int, &[0]), vm.array(POINTER, &[0]));
    let given = vm.array(CType::Long, &[0]);
    let write = |index: usize, at: u64, value: Arg| {
        let mut allocate = |_: usize| Some(Bits::of_bits(given));
        // SAFETY: the places and the memory are long enough.
        unsafe { reply(&params[index], RawArg(at), &value, &mut Fake::default(), &mut allocate) }
    };
    assert_eq!(write(7, length, Arg::Int(2)), Ok(()));
    assert_eq!(write(8, data, Arg::Bytes(vec![4, 5])), Ok(()));
    assert!(write(6, data, Arg::Bytes(vec![4, 5])).is_err(), "constant data");
    assert!(write(8, 0, Arg::Bytes(vec![4, 5])).is_err(), "no place");
    assert_eq!((get(length, CType::Int), get(data, POINTER)), (2, given));
    assert_eq!(get(given + 1, CType::UnsignedChar), 5);
}
