use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::{c_char, c_void};

use jni_sys::{jdouble, jfloat, jint, jlong};
use proptest::prelude::*;

use super::describe::Code;
use super::raw::{Bits, jboolean};
use super::*;

type Pointer = *mut c_void;

thread_local! {
    static SEEN: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    static DELIVERED: RefCell<Vec<(String, usize, Vec<u64>)>> = const { RefCell::new(Vec::new()) };
}

const ANSWER: jint = 4711;

/// A function of the given C signature that notes what it was passed.
macro_rules! stand_in {
    ($name:ident($($param:ident: $ty:ty),*)) => {
        unsafe extern "C" fn $name(env: Pointer, $($param: $ty),*) -> jint {
            SEEN.with(|seen| *seen.borrow_mut() = vec![env.bits(), $($param.bits()),*]);
            ANSWER
        }
    };
}

#[allow(non_snake_case)]
mod generated_tests {
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/jvmti_tests.rs"));
    pub(super) fn stand_ins() -> &'static [(u16, Code, &'static [&'static str])] {
        STAND_INS
    }
}
use generated_tests::stand_ins;

const NEWEST: i32 = 28 << 16 | 0x3000_0000;

/// What a value of that type keeps of 64 bits.
fn cut(ty: &str, bits: u64) -> u64 {
    match ty {
        "jint" => jint::of_bits(bits).bits(),
        "jboolean" => jboolean::of_bits(bits).bits(),
        "c_char" => c_char::of_bits(bits).bits(),
        "jfloat" => jfloat::of_bits(bits).bits(),
        "jdouble" => jdouble::of_bits(bits).bits(),
        "jlong" => jlong::of_bits(bits).bits(),
        "Pointer" => bits,
        other => panic!("no function takes {other}"),
    }
}

fn environment<'a>(table: &'a [*const c_void], head: &'a mut *const *const c_void) -> Env {
    *head = table.as_ptr();
    Env(std::ptr::from_mut(head).cast())
}

/// As [`super::call`], with a table of stand-ins, which look at nothing behind their arguments.
fn call(env: Env, slot: u16, args: &[u64]) -> Result<jint, Missing> {
    // SAFETY: tests make such environments only.
    unsafe { super::call(env, slot, args) }
}

fn newest_table() -> Vec<*const c_void> {
    set_vm_version(NEWEST);
    let mut table = vec![std::ptr::null(); usize::from(table_length(28))];
    for (slot, code, _) in stand_ins() {
        table[usize::from(*slot) - 1] = code.0;
    }
    table
}

#[test]
fn every_function_has_a_slot_of_its_own_and_a_stand_in() {
    let slots: BTreeSet<u16> = FUNCTIONS.iter().map(|f| f.slot).collect();
    assert_eq!(slots.len(), FUNCTIONS.len());
    assert_eq!(slots, stand_ins().iter().map(|(slot, ..)| *slot).collect());
    assert_eq!(descriptor(slot::GET_THREAD_STATE).map(|f| f.name), Some("GetThreadState"));
    assert_eq!(descriptor(slot::GET_JNI_FUNCTION_TABLE).map(|f| f.name), Some("GetJNIFunctionTable"));
    assert!(descriptor(1).is_none(), "a reserved slot");
}

#[test]
fn tables_grow_with_the_release() {
    assert_eq!(table_length(8), 155);
    assert_eq!(table_length(10), 155);
    assert_eq!(table_length(11), 156);
    assert_eq!(table_length(28), 156);
    assert_eq!(release_of_version(0x3001_0203), 8);
    assert_eq!(release_of_version(0x3009_0000), 9);
    assert_eq!(release_of_version(0x3019_0000), 25);
    assert!(TABLE_LENGTHS.first().is_some_and(|(_, length)| *length >= slot::GET_VERSION_NUMBER));
}

#[test]
fn what_is_missing_is_told() {
    let table = newest_table();
    let mut head = std::ptr::null();
    let env = environment(&table, &mut head);
    assert_eq!(call(env, 1, &[]), Err(Missing::Unknown { slot: 1 }));
    assert_eq!(call(env, 0, &[]), Err(Missing::Unknown { slot: 0 }));
    // SAFETY: the environment has a table.
    let function = |slot| unsafe { function(env, slot) };
    assert_eq!(function(200), Err(Missing::BeyondTable { slot: 200, length: 156 }));
    assert_eq!(function(1), Err(Missing::NullEntry { slot: 1 }));
    assert_eq!(call(env, slot::GET_PHASE, &[]), Err(Missing::Arguments { given: 0 }));
    assert_eq!(call(Env(std::ptr::null_mut()), slot::GET_PHASE, &[0]), Err(Missing::NullEnvironment));
}

proptest! {
    #[test]
    fn every_signature_passes_its_arguments(seed in any::<[u64; 10]>()) {
        let table = newest_table();
        let mut head = std::ptr::null();
        let env = environment(&table, &mut head);
        for (slot, _, types) in stand_ins() {
            let args = &seed[..types.len()];
            prop_assert_eq!(call(env, *slot, args), Ok(ANSWER));
            let expected: Vec<u64> =
                [env.0.bits()].into_iter().chain(args.iter().zip(*types).map(|(a, ty)| cut(ty, *a))).collect();
            prop_assert_eq!(SEEN.take(), expected, "slot {}", slot);
        }
    }

    #[test]
    fn bits_keep_values(i in any::<i32>(), f in any::<f32>(), d in any::<f64>(), p in any::<usize>()) {
        prop_assert_eq!(jint::of_bits(i.bits()), i);
        prop_assert_eq!(RawArg(i.bits()).int(), i64::from(i));
        prop_assert_eq!(jfloat::of_bits(f.bits()).to_bits(), f.to_bits());
        prop_assert_eq!(jdouble::of_bits(d.bits()).to_bits(), d.to_bits());
        prop_assert_eq!(Pointer::of_bits(p as u64).bits(), p as u64);
    }
}

fn note_event(env: Env, event: u16, args: &[RawArg]) {
    DELIVERED.with(|all| {
        all.borrow_mut().push((event.to_string(), env.0.addr(), args.iter().map(|a| a.0).collect()));
    });
    assert_ne!(event, event::VM_DEATH, "leaves");
}

fn note_callback(of: &'static CallbackDescriptor, user_data: *mut c_void, args: &[RawArg]) -> i64 {
    DELIVERED.with(|all| {
        all.borrow_mut().push((of.name.to_owned(), user_data.addr(), args.iter().map(|a| a.0).collect()));
    });
    -7
}

#[test]
fn events_are_delivered_with_all_parameters() {
    install_dispatch(note_event, note_callback);
    let env = std::ptr::without_provenance_mut::<c_void>(0x40);
    let modification = event_descriptor(event::FIELD_MODIFICATION).expect("described");
    type FieldModification = unsafe extern "C" fn(
        Pointer,
        Pointer,
        Pointer,
        Pointer,
        jlong,
        Pointer,
        Pointer,
        Pointer,
        c_char,
        jni_sys::jvalue,
    );
    // SAFETY: this is the signature that the specification gives for the event.
    let trampoline =
        unsafe { std::mem::transmute::<*const c_void, FieldModification>(modification.trampoline.0) };
    let p = std::ptr::without_provenance_mut::<c_void>;
    // SAFETY: the dispatch looks at nothing behind the pointers.
    unsafe {
        trampoline(env, p(1), p(2), p(3), -4, p(5), p(6), p(7), b'D' as c_char, jni_sys::jvalue { d: 0.5 })
    };
    let wanted = vec![1, 2, 3, (-4i64).cast_unsigned(), 5, 6, 7, u64::from(b'D'), 0.5f64.to_bits()];
    assert_eq!(DELIVERED.take(), [("64".to_owned(), 0x40, wanted)]);
}

#[test]
fn what_leaves_the_callback_of_an_agent_passes() {
    install_dispatch(note_event, note_callback);
    let death = event_descriptor(event::VM_DEATH).expect("described");
    type Death = unsafe extern "C-unwind" fn(Pointer, Pointer);
    // SAFETY: this is the signature that the specification gives for the event.
    let trampoline = unsafe { std::mem::transmute::<*const c_void, Death>(death.trampoline.0) };
    // SAFETY: the dispatch looks at nothing behind the pointers.
    let deliver = || unsafe { trampoline(std::ptr::null_mut(), std::ptr::null_mut()) };
    assert!(std::panic::catch_unwind(deliver).is_err());
    assert_eq!(DELIVERED.take().len(), 1);
}

#[test]
fn callbacks_find_their_user_data_and_answer() {
    install_dispatch(note_event, note_callback);
    let iteration = callback("jvmtiHeapIterationCallback").expect("described");
    type HeapIteration = unsafe extern "C" fn(jlong, jlong, Pointer, jint, Pointer) -> jint;
    // SAFETY: this is the signature that the specification gives for the callback.
    let trampoline = unsafe { std::mem::transmute::<*const c_void, HeapIteration>(iteration.trampoline()) };
    let p = std::ptr::without_provenance_mut::<c_void>;
    // SAFETY: the dispatch looks at nothing behind the pointers.
    let returned = unsafe { trampoline(-1, 2, p(3), -1, p(0x55)) };
    assert_eq!(returned, -7);
    let wanted = vec![u64::MAX, 2, 3, u64::MAX, 0x55];
    assert_eq!(DELIVERED.take(), [("jvmtiHeapIterationCallback".to_owned(), 0x55, wanted)]);
}

#[test]
fn event_callbacks_hold_the_trampolines_asked_for() {
    let callbacks = event_callbacks(&[event::VM_INIT, event::SAMPLED_OBJECT_ALLOC, 7]);
    let table = callbacks.into_table();
    let set: Vec<usize> = table.iter().enumerate().filter(|(_, p)| **p != 0).map(|(i, _)| i).collect();
    assert_eq!(set, [0, usize::from(event::SAMPLED_OBJECT_ALLOC - 50)]);
    assert_eq!(EVENTS.len(), 34);
    assert_eq!(EventCallbacks::size(), 39 * 8);
    assert_eq!(EventCallbacks::size_at(8), 35 * 8);
    assert_eq!(EventCallbacks::size_at(11), 37 * 8);
    assert_eq!(EventCallbacks::size_at(28), EventCallbacks::size());
}

#[test]
fn every_array_knows_its_length() {
    let unknown_in_structs: Vec<_> = LAYOUTS
        .iter()
        .flat_map(|l| l.fields.iter().map(move |f| (l.name, f)))
        .filter(|(_, f)| {
            f.count.is_none()
                && matches!(f.ty.pointee(), Some(to) if !matches!(to, CType::Void | CType::Char))
        })
        .map(|(layout, f)| format!("{layout}.{}", f.name))
        .collect();
    assert!(unknown_in_structs.is_empty(), "{unknown_in_structs:?}");
    let load_hook = event_descriptor(event::CLASS_FILE_LOAD_HOOK).expect("described");
    let data = load_hook.params.iter().find(|p| p.name == "class_data").expect("a parameter");
    assert!(matches!(data.count, Some(Count::Value(_))));
    let strings = callback("jvmtiStringPrimitiveValueCallback").expect("described");
    assert_eq!(
        strings.params.iter().find(|p| p.name == "value").and_then(|p| p.count),
        Some(Count::Value(4))
    );
    let array = callback("jvmtiArrayPrimitiveValueCallback").expect("described");
    let elements = array.params.iter().find(|p| p.name == "elements").expect("a parameter");
    assert_eq!((elements.count, elements.selector), (Some(Count::Value(3)), Some(4)));
    for (name, param) in FUNCTIONS.iter().flat_map(|f| f.params.iter().map(move |p| (f.name, p))) {
        let array_out = matches!(param.dir, Dir::OutBuf | Dir::InBuf);
        assert!(!array_out || param.count.is_some(), "{name}.{}", param.name);
    }
    let all_traces = descriptor(slot::GET_ALL_STACK_TRACES).expect("described");
    assert_eq!(
        all_traces.params.iter().map(|p| p.count).collect::<Vec<_>>(),
        [None, Some(Count::Pointee(2)), None]
    );
}

#[test]
fn reference_info_is_told_by_kind() {
    let info = layout("jvmtiHeapReferenceInfo").expect("laid out");
    let member = |kind: i64| {
        let (_, index) = info.members.iter().find(|(k, _)| *k == kind)?;
        info.fields.get(usize::from(*index)).map(|f| f.name)
    };
    let named = [
        (2, "field"),
        (3, "array"),
        (8, "field"),
        (9, "constant_pool"),
        (24, "stack_local"),
        (25, "jni_local"),
    ];
    for (kind, name) in named {
        assert_eq!(member(kind), Some(name), "{kind}: {:?}", info.members);
    }
    assert_eq!(member(1), None);
}
