use jvmti_class_files::edited;

use super::*;

/// A class `A` without members: the constants are its name, `B`, and the classes of these names.
const FILE: &[u8] = &[
    0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 5, 1, 0, 1, b'A', 1, 0, 1, b'B', 7, 0, 1, 7, 0, 2, 0, 0x21, 0, 3,
    0, 4, 0, 0, 0, 0, 0, 0, 0, 0,
];

fn text(text: &str) -> Value {
    Value::Str(text.as_bytes().to_vec())
}

fn answer(items: impl IntoIterator<Item = Value>) -> Value {
    Value::List(items.into_iter().collect())
}

fn surveyed(answers: Vec<(&str, Value)>) -> Value {
    let answers = answers.into_iter().map(|(name, value)| (name.to_owned(), value));
    Value::List(vec![Value::Struct(
        std::iter::once(("class".to_owned(), text("LA;"))).chain(answers).collect(),
    )])
}

#[test]
fn right_answers_make_no_difference() {
    let file = edited(FILE, "attribute set class SourceFile text(A.java) then interface add I").unwrap();
    let survey = surveyed(vec![
        ("GetClassSignature", answer([Value::Int(0), text("LA;"), Value::Null])),
        ("GetClassVersionNumbers", answer([Value::Int(0), Value::Int(0), Value::Int(52)])),
        ("GetSourceFileName", answer([Value::Int(0), text("A.java")])),
        ("GetSourceDebugExtension", answer([Value::Int(101)])),
        ("GetClassModifiers", answer([Value::Int(0), Value::Int(1)])),
        ("GetImplementedInterfaces", answer([Value::Int(0), Value::Int(1), answer([text("LI;")])])),
        ("GetMethodName", Value::Struct(Vec::new())),
    ]);
    assert_eq!(differences(&survey, &file), Ok(Vec::new()));
}

#[test]
fn a_jvm_may_have_no_information_about_locations() {
    let file = edited(FILE, "method add 0x9 m ()V").unwrap();
    let found = |answered: Value| {
        let of_method = |answer| Value::Struct(vec![("m ()V".to_owned(), answer)]);
        let name = answer([Value::Int(0), text("m"), text("()V"), Value::Null]);
        let survey = vec![("GetMethodName", of_method(name)), ("GetMethodLocation", of_method(answered))];
        differences(&surveyed(survey), &file).unwrap().len()
    };
    assert_eq!(found(answer([Value::Int(0), Value::Int(-1), Value::Int(-1)])), 0);
    assert_eq!(found(answer([Value::Int(101)])), 0);
    assert_eq!(found(answer([Value::Int(0), Value::Int(0), Value::Int(-1)])), 1);
    assert_eq!(found(answer([Value::Int(0), Value::Int(0), Value::Int(70)])), 1);
}

#[test]
fn wrong_answers_are_told() {
    let file = edited(FILE, "field add 0x1 f I then method add 0x9 m ()V").unwrap();
    let method = Value::Struct(vec![("n ()V".to_owned(), answer([Value::Int(0)]))]);
    let survey = surveyed(vec![
        ("GetClassVersionNumbers", answer([Value::Int(0), Value::Int(52), Value::Int(0)])),
        ("GetFieldName", Value::Struct(Vec::new())),
        ("GetMethodName", method),
        ("GetConstantPool", answer([Value::Int(113)])),
    ]);
    let found = differences(&survey, &file).unwrap();
    assert_eq!(found.len(), 5, "{found:#?}");
    assert!(found[0].what.contains("expected [0 0 52], observed [0 52 0]"), "{:?}", found[0]);
    assert_eq!(
        (&*found[1].place, &*found[1].what),
        ("GetFieldName of A.f I", "expected listed, observed it is missing")
    );
    assert!(told(&found).contains("GetMethodName of A.n ()V: expected no such member"));
    assert!(found[4].what.starts_with("expected a constant pool"), "{:?}", found[4]);
}

#[test]
fn bytecodes_may_refer_to_another_layout_of_the_constants() {
    let file = edited(FILE, "method add 0x9 m ()I then attribute set class X string(hi)").unwrap();
    let read = ClassFile::read(&file).unwrap();
    let index = u8::try_from(read.constants.count() - 1).unwrap();
    let code = format!("code replace m 03ac 12{:02x}57{:02x}ac", index - 1, 3);
    let file = edited(&file, &code).unwrap();
    let pool = [1, 0, 2, b'h', b'i', 8, 0, 1];
    let with = |code: &[u8]| {
        let codes = answer([Value::Int(0), Value::Int(5), Value::Bytes(code.to_vec())]);
        surveyed(vec![
            ("GetConstantPool", answer([Value::Int(0), Value::Int(3), Value::Bytes(pool.to_vec())])),
            ("GetBytecodes", Value::Struct(vec![("m ()I".to_owned(), codes)])),
        ])
    };
    let found = |code: &[u8]| differences(&with(code), &file).unwrap();
    let right = found(&[0x12, 2, 0x57, 3, 0xac]);
    let wrong = found(&[0x12, 1, 0x57, 3, 0xac]);
    assert!(right.is_empty() != wrong.is_empty(), "{right:?} {wrong:?}");
    assert!(found(&[0x12, 2, 0x57, 4, 0xac])[0].what.contains("expected 03 at 3, observed 04"));
    assert!(found(&[0xcb])[0].what.contains("no code"));
}

#[test]
fn a_difference_is_the_same_if_it_says_the_same() {
    let wrong = |major| {
        surveyed(vec![("GetClassVersionNumbers", answer([Value::Int(0), Value::Int(0), Value::Int(major)]))])
    };
    let found = |major| differences(&wrong(major), FILE).unwrap();
    assert_eq!(found(51), found(51));
    assert!(found(51) != found(50) && found(52).is_empty());
}
