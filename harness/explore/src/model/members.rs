//! What functions must return about the classes, methods and fields of the cast.

use jvmti_traces::type_name;
use jvmti_wire::value::Value;

use super::outputs::Outputs;
use crate::cast::{self, ClassFacts, ClassKind, Code, MethodFacts};

/// Checks the answers about a class.
pub(super) fn of_class(outputs: &mut Outputs<'_>) {
    let klass = outputs.calling.index("klass").map(|index| outputs.calling.arg(index));
    let Some(class) = klass.and_then(cast::class_of) else { return };
    let kind = class.kind;
    match outputs.calling.function.name.as_str() {
        "GetClassSignature" => {
            let cite = match kind {
                ClassKind::Array => "class/signature-array",
                ClassKind::Primitive => "class/signature-primitive",
                _ => "class/signature",
            };
            outputs.text("signature_ptr", class.signature, cite);
        }
        "IsInterface" => {
            outputs.number("is_interface_ptr", (kind == ClassKind::Interface).into(), "class/is-interface");
        }
        "IsArrayClass" => {
            outputs.number("is_array_class_ptr", (kind == ClassKind::Array).into(), "class/is-array");
        }
        "GetClassStatus" => class_status(outputs, class),
        "GetClassMethods" => {
            outputs.counted("method_count_ptr", "methods_ptr", "class/methods");
            if let Some((methods, _)) = class.members {
                outputs.number("method_count_ptr", methods as i64, "class/methods");
            }
        }
        "GetClassFields" => {
            outputs.counted("field_count_ptr", "fields_ptr", "class/fields");
            if let Some((_, fields)) = class.members {
                outputs.number("field_count_ptr", fields as i64, "class/fields");
            }
        }
        "GetClassLoader" => {
            let (expected, cite) = match class.is_boot {
                true => ("null", "class/loader-bootstrap"),
                false => ("$loader", "class/loader"),
            };
            outputs.object("classloader_ptr", expected, expected, cite);
        }
        _ => {}
    }
}

fn class_status(outputs: &mut Outputs<'_>, class: &ClassFacts) {
    const ARRAY: i64 = 16;
    const PRIMITIVE: i64 = 32;
    const USABLE: i64 = 7;
    match class.kind {
        ClassKind::Array => outputs.number("status_ptr", ARRAY, "class/status-array"),
        ClassKind::Primitive => outputs.number("status_ptr", PRIMITIVE, "class/status-primitive"),
        ClassKind::Class => outputs.number("status_ptr", USABLE, "class/status-initialized"),
        // Nobody has to have initialised it.
        ClassKind::Interface => {}
    }
}

/// Checks the answers about a method.
pub(super) fn of_method(outputs: &mut Outputs<'_>) {
    let method = outputs.calling.index("method").map(|index| outputs.calling.arg(index));
    let Some(method) = method.and_then(cast::method_of) else { return };
    match outputs.calling.function.name.as_str() {
        "GetMethodName" => {
            outputs.text("name_ptr", method.name, "method/name");
            outputs.text("signature_ptr", method.descriptor, "method/signature");
        }
        "GetMethodDeclaringClass" => declaring(outputs, method.class, "method/declaring-class"),
        "GetMethodModifiers" => outputs.number("modifiers_ptr", method.modifiers, "method/modifiers"),
        "GetArgumentsSize" => outputs.number("size_ptr", method.arguments, "method/arguments-size"),
        "IsMethodNative" => {
            outputs.number("is_native_ptr", (method.code == Code::Native).into(), "method/native");
        }
        "IsMethodSynthetic" => outputs.number("is_synthetic_ptr", 0, "method/synthetic"),
        "IsMethodObsolete" => outputs.number("is_obsolete_ptr", 0, "method/obsolete"),
        "GetLocalVariableTable" => variables(outputs),
        _ => of_code(outputs, method),
    }
}

/// Each variable has a name and a type.
fn variables(outputs: &mut Outputs<'_>) {
    let Some(Value::List(found)) = outputs.get("table_ptr").cloned() else { return };
    for (field, cite) in [("name", "method/variable-name"), ("signature", "method/variable-signature")] {
        let is_text = |entry: &&Value| {
            entry.field(field).is_none_or(|value| matches!(value, Value::Str(text) if !text.is_empty()))
        };
        if let Some(entry) = found.iter().find(|entry| !is_text(entry)) {
            let observed = outputs.names.value(entry);
            return outputs.wrong("table_ptr", format!("{{each: {{{field}: not_null}}}}"), observed, cite);
        }
    }
}

fn of_code(outputs: &mut Outputs<'_>, method: &MethodFacts) {
    let Code::Known(code, locals) = method.code else { return };
    match outputs.calling.function.name.as_str() {
        "GetMaxLocals" => outputs.number("max_ptr", locals, "method/max-locals"),
        "GetBytecodes" => outputs.number("bytecode_count_ptr", code.len() as i64, "method/bytecodes-count"),
        "GetMethodLocation" => {
            outputs.number("start_location_ptr", 0, "method/location");
            outputs.number("end_location_ptr", code.len() as i64 - 1, "method/location");
        }
        _ => {}
    }
}

/// Checks the answers about a field.
pub(super) fn of_field(outputs: &mut Outputs<'_>) {
    let field = outputs.calling.index("field").map(|index| outputs.calling.arg(index));
    let Some(field) = field.and_then(cast::field_of) else { return };
    match outputs.calling.function.name.as_str() {
        "GetFieldName" => {
            outputs.text("name_ptr", field.name, "field/name");
            outputs.text("signature_ptr", field.descriptor, "field/signature");
        }
        "GetFieldDeclaringClass" => declaring(outputs, field.class, "field/declaring-class"),
        "GetFieldModifiers" => outputs.number("modifiers_ptr", field.modifiers, "field/modifiers"),
        "IsFieldSynthetic" => outputs.number("is_synthetic_ptr", 0, "field/synthetic"),
        _ => {}
    }
}

fn declaring(outputs: &mut Outputs<'_>, class: &str, cite: &str) {
    let expected = format!("class {}", type_name(&format!("L{class};")));
    outputs.object("declaring_class_ptr", &expected, &format!("class({class})"), cite);
}
