//! The classes that sequences redefine, and the edits of their class files.

use jvmti_wire::plan::Arg;

use crate::cast;

/// A class that sequences redefine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redefinable {
    /// Its internal name.
    pub class: &'static str,
    /// The name that its class file is bound to.
    pub file: &'static str,
}

/// A class of which no method is on a stack, unless the main thread calls it.
const TARGET: Redefinable = Redefinable { class: cast::TARGET_CLASS, file: "target_file" };

/// The classes: one that nobody uses, one whose methods are on the stacks of the cast, and one whose methods are on the stack
/// of the main thread.
pub const REDEFINABLE: [Redefinable; 3] = [
    TARGET,
    Redefinable { class: "jvmticheck/scenarios/Explored$Loop", file: "loop_file" },
    Redefinable { class: cast::SCENARIO_CLASS, file: "explored_file" },
];

/// An edit of a class file, and what has to come of a redefinition with the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The edits, as class files are edited.
    pub by: &'static str,
    /// The error; `None`: it succeeds.
    pub error: Option<&'static str>,
    /// Whether it is of the class that nobody uses.
    pub of_target: bool,
}

const fn fine(by: &'static str) -> Edit {
    Edit { by, error: None, of_target: false }
}

const fn fine_target(by: &'static str) -> Edit {
    Edit { by, error: None, of_target: true }
}

const fn refused(by: &'static str, error: &'static str) -> Edit {
    Edit { by, error: Some(error), of_target: false }
}

const fn refused_target(by: &'static str, error: &'static str) -> Edit {
    Edit { by, error: Some(error), of_target: true }
}

/// The edits: those that change nothing but bodies, constants and attributes, and those that are refused.
pub const EDITS: [Edit; 39] = [
    fine(""),
    fine("constants add 3"),
    fine("constants double"),
    fine("constants move 5"),
    fine("attribute set class jvmticheck u2(7)"),
    fine("constants add 300 then constants move 300"),
    fine("attribute remove class SourceFile"),
    fine("attribute set class SourceDebugExtension bytes(an-extension)"),
    fine("attribute set class RuntimeVisibleAnnotations u2(1) text(Ljava/lang/Deprecated;) u2(0)"),
    fine("methods reverse"),
    fine_target("limits answer 1 3"),
    fine_target("attribute remove code:answer LineNumberTable"),
    // Three times instead of twice.
    fine_target("code replace answer 1a0568ac 1a0668ac"),
    fine_target("attribute set method:answer Deprecated"),
    fine_target("attribute set method:answer Signature text(<T:Ljava/lang/Object;>(I)I)"),
    fine_target("attribute set method:answer Exceptions u2(1) class(java/io/IOException)"),
    fine_target("attribute set method:answer MethodParameters u1(1) text(renamed) u2(16)"),
    fine_target(
        "attribute set method:answer RuntimeVisibleParameterAnnotations u1(1) u2(1) text(Ljava/lang/Deprecated;) u2(0)",
    ),
    fine_target(
        "attribute set method:spare RuntimeVisibleAnnotations u2(1) text(Ljava/lang/Deprecated;) u2(0)",
    ),
    fine_target("attribute set code:answer LineNumberTable u2(1) u2(0) u2(4711)"),
    fine_target("attribute set code:answer LocalVariableTable u2(1) u2(0) u2(1) text(renamed) text(I) u2(0)"),
    fine_target("attribute set field:kept Signature text(TT;)"),
    fine_target(
        "attribute set field:kept RuntimeVisibleAnnotations u2(1) text(Ljava/lang/Deprecated;) u2(0)",
    ),
    fine_target("attribute set field:other Deprecated"),
    fine_target("limits loop 2 2 then constants move 9"),
    refused("method add 0x1 more ()V", "UNSUPPORTED_REDEFINITION_METHOD_ADDED"),
    refused("field add 0x1 more I", "UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED"),
    refused("flags class +0x1000", "UNSUPPORTED_REDEFINITION_CLASS_MODIFIERS_CHANGED"),
    refused("interface add java/io/Serializable", "UNSUPPORTED_REDEFINITION_HIERARCHY_CHANGED"),
    refused("class jvmticheck/Other", "NAMES_DONT_MATCH"),
    refused("version 99.0", "UNSUPPORTED_VERSION"),
    refused("attribute set class SourceFile u2(0)", "INVALID_CLASS_FORMAT"),
    refused_target("superclass java/util/Random", "UNSUPPORTED_REDEFINITION_HIERARCHY_CHANGED"),
    refused_target("field remove kept", "UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED"),
    refused_target("field type kept J", "UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED"),
    refused_target("method remove spare", "UNSUPPORTED_REDEFINITION_METHOD_DELETED"),
    refused_target("flags method:spare +0x1000", "UNSUPPORTED_REDEFINITION_METHOD_MODIFIERS_CHANGED"),
    refused_target("fields reverse then field remove kept", "UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED"),
    // It takes two words from an empty stack.
    refused_target("code replace answer 1a0568ac 575768ac", "FAILS_VERIFICATION"),
];

/// The edit of a class file that was saved: the class, and what a redefinition has to come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The class.
    pub class: &'static str,
    /// The error; `None`: it succeeds.
    pub error: Option<&'static str>,
}

impl Edited {
    /// What the edit of a file by these texts is.
    pub fn of(file: &str, by: &str) -> Option<Edited> {
        let class = REDEFINABLE.iter().find(|class| class.file == file)?.class;
        let error = EDITS.iter().find(|edit| edit.by == by)?.error;
        Some(Edited { class, error })
    }
}

/// The class of the first definition in an argument of RedefineClasses, and the name under which its class file was saved.
pub fn definition(arg: &Arg) -> Option<(&str, &str)> {
    let Arg::List(definitions) = arg else { return None };
    let [Arg::Struct(fields)] = definitions.as_slice() else { return None };
    let field = |name: &str| fields.iter().find(|(field, _)| field == name).map(|(_, value)| value);
    match (field("klass")?, field("class_bytes")?) {
        (Arg::Class(class), Arg::Output { step, .. }) => Some((class, step)),
        _ => None,
    }
}
