use Truth::{Fails, Holds};
use jvmti_cases::model::Reference;
use jvmti_traces::Names;
use jvmti_wire::value::ObjectId;

use super::*;
use crate::references::Statements;
use crate::tests::bench::edition;

fn check(matcher: &Matcher, value: &Value) -> Truth {
    let mut names = Names::new(edition());
    let mut see = |body| drop(names.observe(&jvmti_wire::trace::Record { seq: 0, at: 0, thread: 1, body }));
    see(jvmti_wire::trace::Body::ObjectSeen {
        object: ObjectId(1),
        class: "Ljava/lang/Class;".into(),
        name: "Ljava/lang/String;".into(),
    });
    see(jvmti_wire::trace::Body::ObjectSeen {
        object: ObjectId(2),
        class: "LA;".into(),
        name: String::new(),
    });
    see(jvmti_wire::trace::Body::MethodSeen {
        method: 5,
        class: "LA;".into(),
        name: "run".into(),
        signature: "()V".into(),
    });
    let statements = Statements::default();
    let scope = Scope { names: &names, statements: &statements, steps: &[], saved: &[], run: None, seq: 0 };
    scope.check(matcher, value)
}

fn int(i: i64) -> Matcher {
    Matcher::Equals(Literal::Int(i))
}

fn list(items: &[i64]) -> Value {
    Value::List(items.iter().map(|i| Value::Int(*i)).collect())
}

#[test]
fn literals() {
    let text = |t: &str| Matcher::Equals(Literal::Str(t.into()));
    assert_eq!(check(&Matcher::Equals(Literal::Null), &Value::Null), Holds);
    assert_eq!(check(&Matcher::Equals(Literal::Null), &Value::Opaque), Fails);
    for null in [Value::Method(0), Value::Field(0), Value::Pointer(0)] {
        assert_eq!(check(&Matcher::Equals(Literal::Null), &null), Holds);
        assert_eq!(check(&Matcher::NotNull, &null), Fails);
    }
    assert_eq!(check(&int(-1), &Value::Int(-1)), Holds);
    assert_eq!(check(&int(0), &Value::Null), Fails);
    assert_eq!(check(&int(7), &Value::Pointer(7)), Holds);
    assert_eq!(check(&Matcher::Equals(Literal::Float(f64::NAN)), &Value::Float(f64::NAN)), Holds);
    assert_eq!(check(&Matcher::Equals(Literal::Float(-0.0)), &Value::Float(-0.0)), Holds);
    assert_eq!(check(&Matcher::Equals(Literal::Float(-0.0)), &Value::Float(0.0)), Fails);
    assert_eq!(check(&int(0), &Value::Float(-0.0)), Holds);
    assert_eq!(check(&text("a\0"), &Value::Str(vec![b'a', 0xc0, 0x80])), Holds);
    assert_eq!(check(&text("a"), &Value::Str(b"b".to_vec())), Fails);
}

#[test]
fn numbers_and_bits() {
    assert_eq!(check(&Matcher::Range(Some(1), None), &Value::Int(1)), Holds);
    assert_eq!(check(&Matcher::Range(None, Some(0)), &Value::Int(1)), Fails);
    assert_eq!(check(&Matcher::Range(None, None), &Value::Null), Fails);
    let bits = Matcher::Bits { has: vec![("A".into(), 1)], lacks: vec![("B".into(), 6)] };
    assert_eq!(check(&bits, &Value::Int(9)), Holds);
    assert_eq!(check(&bits, &Value::Int(3)), Fails);
    assert_eq!(check(&bits, &Value::Int(8)), Fails);
    assert_eq!(check(&Matcher::ThreadState(Some("TIMED_WAITING".into())), &Value::Int(0xe1)), Holds);
    assert_eq!(check(&Matcher::ThreadState(Some("WAITING".into())), &Value::Int(0xe1)), Fails);
    assert_eq!(check(&Matcher::ThreadState(None), &Value::Int(0x40)), Fails);
}

#[test]
fn thread_states_are_compared_without_the_vendors_bits() {
    let names = Names::new(edition());
    let mut statements = Statements::default();
    statements.state("state".to_owned(), 0, None, Value::Int(0x1000_0005));
    let scope = Scope { names: &names, statements: &statements, steps: &[], saved: &[], run: None, seq: 0 };
    let matcher = Matcher::SameThreadState(Reference::Fact("state".into()));
    let same = |state| scope.check(&matcher, &Value::Int(state));
    assert_eq!(same(0x5), Holds);
    assert_eq!(same(0x4000_0005), Holds);
    assert_eq!(same(0x1), Fails);
    assert_eq!(same(0x1010_0005), Fails);
}

#[test]
fn texts_and_arrays() {
    let some = |m: Matcher| Box::new(m);
    assert_eq!(check(&Matcher::Substring("bc".into()), &Value::Str(b"abcd".to_vec())), Holds);
    assert_eq!(check(&Matcher::Substring("x".into()), &Value::Str(b"abcd".to_vec())), Fails);
    assert_eq!(check(&Matcher::Length(some(int(2))), &list(&[4, 5])), Holds);
    assert_eq!(check(&Matcher::Length(some(int(0))), &Value::Null), Holds);
    assert_eq!(check(&Matcher::Length(some(int(0))), &Value::Int(0)), Fails);
    assert_eq!(check(&Matcher::Contains(some(int(5))), &list(&[4, 5])), Holds);
    assert_eq!(check(&Matcher::Contains(some(int(6))), &list(&[4, 5])), Fails);
    assert_eq!(check(&Matcher::Each(some(int(4))), &list(&[4, 4])), Holds);
    assert_eq!(check(&Matcher::Each(some(int(4))), &list(&[4, 5])), Fails);
    assert_eq!(check(&Matcher::Consecutive(vec![int(4), int(5)]), &list(&[3, 4, 5])), Holds);
    assert_eq!(check(&Matcher::Consecutive(vec![int(3), int(5)]), &list(&[3, 4, 5])), Fails);
    assert_eq!(check(&Matcher::Consecutive(vec![int(5), int(6)]), &list(&[3, 4, 5])), Fails);
    assert_eq!(check(&Matcher::Elements(vec![int(4), int(5)]), &list(&[4, 5])), Holds);
    assert_eq!(check(&Matcher::Elements(vec![int(5), int(4)]), &list(&[4, 5])), Fails);
    assert_eq!(check(&Matcher::Elements(vec![int(4)]), &list(&[4, 5])), Fails);
    assert_eq!(check(&Matcher::ModifiedUtf8, &Value::Str(vec![0xff])), Fails);
    assert_eq!(check(&Matcher::ModifiedUtf8, &Value::Str(b"x".to_vec())), Holds);
}

#[test]
fn a_set_is_matched_as_a_whole() {
    let either = Matcher::Any(vec![int(1), int(2)]);
    assert_eq!(check(&Matcher::Set(vec![either.clone(), int(1)]), &list(&[1, 2])), Holds, "not greedily");
    assert_eq!(check(&Matcher::Set(vec![either.clone(), int(3)]), &list(&[1, 2])), Fails);
    assert_eq!(check(&Matcher::Set(vec![either.clone(), either]), &list(&[2, 2])), Holds);
    assert_eq!(check(&Matcher::Set(vec![]), &Value::Null), Holds);
}

#[test]
fn structures_and_combinations() {
    let info = Value::Struct(vec![("priority".into(), Value::Int(5)), ("name".into(), Value::Null)]);
    let priority = |i| Matcher::Fields(vec![("priority".into(), int(i))]);
    assert_eq!(check(&priority(5), &info), Holds);
    assert_eq!(check(&priority(6), &info), Fails);
    assert_eq!(check(&Matcher::Fields(vec![("other".into(), int(5))]), &info), Fails);
    assert_eq!(check(&Matcher::All(vec![priority(5), Matcher::NotNull]), &info), Holds);
    assert_eq!(check(&Matcher::Any(vec![priority(6), Matcher::NotNull]), &info), Holds);
    assert_eq!(check(&Matcher::Not(Box::new(priority(6))), &info), Holds);
    assert_eq!(check(&Matcher::NotNull, &Value::Null), Fails);
}

#[test]
fn what_was_left_untouched_satisfies_nothing_else() {
    assert_eq!(check(&Matcher::Untouched, &Value::Untouched), Holds);
    assert_eq!(check(&Matcher::Untouched, &Value::Int(0)), Fails);
    assert_eq!(check(&Matcher::NotNull, &Value::Untouched), Fails);
    assert_eq!(check(&Matcher::Not(Box::new(int(1))), &Value::Untouched), Fails);
}

#[test]
fn classes_and_methods_are_known_by_the_trace() {
    let class = |s: &str| Matcher::Is(Reference::Class(s.into()));
    let object = |id| Value::Object(ObjectId(id));
    assert_eq!(check(&class("Ljava/lang/String;"), &object(1)), Holds);
    assert_eq!(check(&class("Ljava/lang/Object;"), &object(1)), Fails);
    assert_eq!(check(&class("LA;"), &object(2)), Fails, "an instance is not its class");
    assert_eq!(check(&class("LA;"), &object(3)), Truth::Unknown(Cause::Undefined));
    assert_eq!(check(&class("LA;"), &Value::Opaque), Truth::Unknown(Cause::Identity));
    let method = |signature: Option<&str>| {
        let signature = signature.map(str::to_owned);
        Matcher::Is(Reference::Method { class: "LA;".into(), name: "run".into(), signature })
    };
    assert_eq!(check(&method(None), &Value::Method(5)), Holds);
    assert_eq!(check(&method(Some("()V")), &Value::Method(5)), Holds);
    assert_eq!(check(&method(Some("()I")), &Value::Method(5)), Fails);
    assert_eq!(check(&method(None), &Value::Method(6)), Truth::Unknown(Cause::Undefined));
}

#[test]
fn unknowns_decide_only_where_they_matter() {
    let unknown = Matcher::Is(Reference::Named("nobody".into()));
    let cause = Truth::Unknown(Cause::NotBound("nobody".into()));
    let one = Value::Int(1);
    assert_eq!(check(&Matcher::All(vec![unknown.clone(), int(2)]), &one), Fails);
    assert_eq!(check(&Matcher::All(vec![unknown.clone(), int(1)]), &one), cause);
    assert_eq!(check(&Matcher::Any(vec![unknown.clone(), int(1)]), &one), Holds);
    assert_eq!(check(&Matcher::Any(vec![int(2), unknown.clone()]), &one), cause);
    assert_eq!(check(&Matcher::Not(Box::new(unknown)), &one), cause);
}
