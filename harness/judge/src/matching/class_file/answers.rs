//! What the class file says that a function has to answer.
//!
//! An answer is a list: the error code, and the outputs if that is 0. Where several answers are right all of them are given,
//! and none where the class file does not tell.

use jvmti_class_files::{ClassFile, Code, Member, Reader};
use jvmti_wire::value::Value;

const ABSENT_INFORMATION: i64 = 101;
const NATIVE_METHOD: i64 = 104;

const STATIC: u16 = 0x8;
const SUPER: u16 = 0x20;
const NATIVE: u16 = 0x100;
const INTERFACE: u16 = 0x200;
const ABSTRACT: u16 = 0x400;
const SYNTHETIC: u16 = 0x1000;

fn success(outputs: impl IntoIterator<Item = Value>) -> Value {
    Value::List(std::iter::once(Value::Int(0)).chain(outputs).collect())
}

fn failure(code: i64) -> Value {
    Value::List(vec![Value::Int(code)])
}

/// The answer of a JVM that has not kept what was asked for.
pub fn absent() -> Value {
    failure(ABSENT_INFORMATION)
}

fn text(bytes: Option<&[u8]>) -> Value {
    bytes.map_or(Value::Null, |bytes| Value::Str(bytes.to_vec()))
}

fn int(number: impl Into<i64>) -> Value {
    Value::Int(number.into())
}

/// Whether the function returned without an error.
pub fn succeeded(answer: &Value) -> bool {
    matches!(answer, Value::List(items) if items.first() == Some(&Value::Int(0)))
}

/// `Lname;`
fn signature(name: &[u8]) -> Value {
    Value::Str([b"L", name, b";"].concat())
}

/// A list in an order of its own, since the text sets none: that of its parts' texts. Of an answer, the lists in it.
pub fn in_order(answer: &Value) -> Value {
    let Value::List(items) = answer else { return answer.clone() };
    let sorted = |item: &Value| match item {
        Value::List(parts) => {
            let mut parts = parts.clone();
            parts.sort_by_key(shown);
            Value::List(parts)
        }
        Value::Null if items.get(1) == Some(&Value::Int(0)) => Value::List(Vec::new()),
        other => other.clone(),
    };
    Value::List(items.iter().map(sorted).collect())
}

/// The answer, for people.
pub fn shown(answer: &Value) -> String {
    match answer {
        Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(" ")),
        Value::Str(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Value::Int(number) => number.to_string(),
        Value::Null => "null".to_owned(),
        other => format!("{other:?}"),
    }
}

fn all(values: Vec<Value>) -> Vec<Value> {
    values.iter().map(in_order).collect()
}

/// About the class itself.
pub fn of_class(function: &str, file: &ClassFile) -> Vec<Value> {
    let attribute = |name| file.attribute_text(&file.attributes, name);
    let or_absent =
        |found: Option<&[u8]>| found.map_or(failure(ABSENT_INFORMATION), |t| success([text(Some(t))]));
    let listed = |count: usize, list: Vec<Value>| success([int(count as i64), Value::List(list)]);
    all(match function {
        "GetClassSignature" => vec![success([signature(file.name()), text(attribute("Signature"))])],
        "GetClassVersionNumbers" => vec![success([int(file.minor), int(file.major)])],
        "GetSourceFileName" => vec![or_absent(attribute("SourceFile"))],
        "GetSourceDebugExtension" => {
            vec![or_absent(file.attribute(&file.attributes, "SourceDebugExtension"))]
        }
        "IsInterface" => vec![success([int(i64::from(file.flags & INTERFACE != 0))])],
        "IsArrayClass" => vec![success([int(0)])],
        "GetImplementedInterfaces" => {
            let names = file.interfaces.iter().filter_map(|index| file.constants.class(*index));
            vec![listed(file.interfaces.len(), names.map(signature).collect())]
        }
        "GetClassModifiers" => modifiers(file),
        _ => Vec::new(),
    })
}

/// The access flags of the class: those of the class file, or those that its `InnerClasses` attribute has for it. Whether
/// `ACC_SUPER` is one of them depends on the release.
fn modifiers(file: &ClassFile) -> Vec<Value> {
    let inner = || {
        let mut reader = Reader(file.attribute(&file.attributes, "InnerClasses")?);
        let all = reader.each(|r| Some((r.u2()?, r.u2()?, r.u2()?, r.u2()?)))?;
        let own = all.into_iter().find(|(class, ..)| file.constants.class(*class) == Some(file.name()));
        own.map(|(.., flags)| flags)
    };
    let flags = std::iter::once(file.flags).chain(inner());
    flags.flat_map(|flags| [flags & !SUPER, flags | SUPER]).map(|flags| success([int(flags)])).collect()
}

/// Access flags of a member, and the same with the flag for what its `Synthetic` attribute says.
fn flags(file: &ClassFile, member: &Member) -> Vec<Value> {
    let mut right = vec![success([int(member.flags)])];
    if file.attribute(&member.attributes, "Synthetic").is_some() {
        right.push(success([int(member.flags | SYNTHETIC)]));
    }
    right
}

fn is_synthetic(file: &ClassFile, member: &Member) -> Value {
    let is = member.flags & SYNTHETIC != 0 || file.attribute(&member.attributes, "Synthetic").is_some();
    success([int(i64::from(is))])
}

fn named(file: &ClassFile, member: &Member) -> Value {
    let of = |index| text(file.constants.text(index));
    let generic = text(file.attribute_text(&member.attributes, "Signature"));
    success([of(member.name), of(member.descriptor), generic])
}

/// About a field.
pub fn of_field(function: &str, file: &ClassFile, field: &Member) -> Vec<Value> {
    match function {
        "GetFieldName" => vec![named(file, field)],
        "GetFieldDeclaringClass" => vec![success([signature(file.name())])],
        "GetFieldModifiers" => flags(file, field),
        "IsFieldSynthetic" => vec![is_synthetic(file, field)],
        _ => Vec::new(),
    }
}

/// About a method.
pub fn of_method(function: &str, file: &ClassFile, method: &Member) -> Vec<Value> {
    let is_native = method.flags & NATIVE != 0;
    let initialiser = file.constants.text(method.name) == Some(b"<clinit>");
    let code = file.code(method);
    all(match (function, code) {
        ("GetMethodName", _) => vec![named(file, method)],
        ("GetMethodDeclaringClass", _) => vec![success([signature(file.name())])],
        // All flags of a class initialiser but ACC_STATIC and ACC_STRICT are ignored.
        ("GetMethodModifiers", _) if initialiser => {
            let mut right = flags(file, method);
            right.push(success([int(STATIC)]));
            right
        }
        ("GetMethodModifiers", _) => flags(file, method),
        ("IsMethodNative", _) => vec![success([int(i64::from(is_native))])],
        ("IsMethodSynthetic", _) => vec![is_synthetic(file, method)],
        ("IsMethodObsolete", _) => vec![success([int(0)])],
        (
            "GetMaxLocals"
            | "GetArgumentsSize"
            | "GetLineNumberTable"
            | "GetLocalVariableTable"
            | "GetMethodLocation"
            | "GetBytecodes",
            _,
        ) if is_native => vec![failure(NATIVE_METHOD)],
        ("GetArgumentsSize", _) => vec![success([int(slots(file, method))])],
        ("GetMethodLocation", None) => vec![success([int(-1), int(-1)])],
        ("GetMethodLocation", Some(code)) => {
            // A JVM may have no information about locations.
            vec![success([int(0), int(code.bytes.len() as i64 - 1)]), success([int(-1), int(-1)])]
        }
        ("GetMaxLocals", Some(code)) => vec![success([int(code.max_locals)])],
        ("GetLineNumberTable", Some(code)) => lines(file, &code),
        ("GetLocalVariableTable", Some(code)) => variables(file, &code),
        ("GetBytecodes", Some(_)) => vec![success([])],
        _ if method.flags & ABSTRACT != 0 => Vec::new(),
        _ => Vec::new(),
    })
}

/// The slots that the arguments take, with that of `this`.
fn slots(file: &ClassFile, method: &Member) -> i64 {
    let descriptor = String::from_utf8_lossy(file.constants.text(method.descriptor).unwrap_or_default());
    i64::from(jvmti_class_files::slots(&descriptor)) + i64::from(method.flags & STATIC == 0)
}

/// The contents of all attributes of that name.
fn contents<'c>(file: &ClassFile, code: &'c Code, name: &str) -> Vec<&'c [u8]> {
    let is_meant = |a: &&jvmti_class_files::Attribute| file.constants.text(a.name) == Some(name.as_bytes());
    code.attributes.iter().filter(is_meant).map(|a| a.content.as_slice()).collect()
}

/// A table of a method. Without entries it may be absent or empty: the text speaks of what the class has, not the method.
fn table(entries: Vec<Value>) -> Vec<Value> {
    let absent = entries.is_empty().then(|| failure(ABSENT_INFORMATION));
    let list = success([int(entries.len() as i64), Value::List(entries)]);
    std::iter::once(list).chain(absent).collect()
}

fn lines(file: &ClassFile, code: &Code) -> Vec<Value> {
    let all = contents(file, code, "LineNumberTable");
    let entry = |r: &mut Reader<'_>| Some(Value::List(vec![int(r.u2()?), int(r.u2()?)]));
    table(all.iter().filter_map(|c| Reader(c).each(entry)).flatten().collect())
}

fn variables(file: &ClassFile, code: &Code) -> Vec<Value> {
    type Variable = [u16; 5];
    let read = |name| {
        let all = contents(file, code, name);
        let entry = |r: &mut Reader<'_>| Some([r.u2()?, r.u2()?, r.u2()?, r.u2()?, r.u2()?]);
        all.iter().filter_map(|c| Reader(c).each(entry)).flatten().collect::<Vec<Variable>>()
    };
    let typed = read("LocalVariableTypeTable");
    let entries = read("LocalVariableTable");
    let of = |index| file.constants.text(index);
    let shown = |[start, length, name, descriptor, slot]: &Variable| {
        let same = |t: &&Variable| (t[0], t[1], of(t[2]), t[4]) == (*start, *length, of(*name), *slot);
        let generic = typed.iter().find(same).and_then(|t| of(t[3]));
        Value::List(vec![
            int(*start),
            int(*length),
            text(of(*name)),
            text(of(*descriptor)),
            text(generic),
            int(*slot),
        ])
    };
    table(entries.iter().map(shown).collect())
}
