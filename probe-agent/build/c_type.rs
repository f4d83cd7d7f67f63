//! C types as published, in Rust: as the type of a value, and as its description.

use std::collections::BTreeSet;

use jvmti_spec::Edition;
use jvmti_spec::edition::{CallbackType, StructKind};

/// The named types of an edition.
pub struct Types<'a> {
    structs: BTreeSet<&'a str>,
    enums: BTreeSet<&'a str>,
    /// Types of function that an agent implements.
    callbacks: BTreeSet<&'a str>,
}

/// A C type that the specification uses but this build script does not know.
#[derive(Debug)]
pub struct UnknownType(String);

impl std::fmt::Display for UnknownType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unknown C type {:?}", self.0)
    }
}

impl std::error::Error for UnknownType {}

/// The types of function that an agent implements, other than events. Those that return a `jvmtiError` are the VM's.
pub fn agent_callbacks(edition: &Edition) -> impl Iterator<Item = &CallbackType> {
    edition.callbacks.iter().filter(|c| c.returns != "jvmtiError")
}

impl<'a> Types<'a> {
    pub fn new(edition: &'a Edition) -> Self {
        let enums_by_name = edition.constants.iter().map(|group| group.name.as_str());
        let of_kind = |enumeration: bool| {
            edition
                .structs
                .iter()
                .filter(move |s| (s.kind == StructKind::Enum) == enumeration)
                .map(|s| s.name.as_str())
        };
        Types {
            structs: of_kind(false).collect(),
            enums: of_kind(true).chain(enums_by_name).chain(["jvmtiError", "jvmtiEvent"]).collect(),
            callbacks: agent_callbacks(edition).map(|c| c.name.as_str()).collect(),
        }
    }

    /// The `CType` expression of a C type.
    pub fn describe(&self, c_type: &str) -> Result<String, UnknownType> {
        let bare = c_type.trim().trim_start_matches("const ").trim();
        if let Some(pointee) = bare.strip_suffix('*') {
            return Ok(format!("CType::Pointer(&{})", self.describe(pointee)?));
        }
        let simple = match bare {
            "void" => "Void",
            "char" => "Char",
            "unsigned char" => "UnsignedChar",
            "jboolean" => "Boolean",
            "jchar" => "JChar",
            "jint" | "unsigned int" => "Int",
            "jlong" | "jlocation" => "Long",
            "jfloat" => "Float",
            "jdouble" => "Double",
            "jvalue" => "JValue",
            "jmethodID" => "Method",
            "jfieldID" => "Field",
            "jrawMonitorID" => "Monitor",
            "..." => "Varargs",
            _ => "",
        };
        if !simple.is_empty() {
            return Ok(format!("CType::{simple}"));
        }
        Ok(match bare {
            "jobject" | "jclass" | "jthread" | "jthreadGroup" => format!("CType::Reference({bare:?})"),
            "JNIEnv" | "jvmtiEnv" | "jniNativeInterface" => format!("CType::Opaque({bare:?})"),
            _ if self.structs.contains(bare) => format!("CType::Struct(&LAYOUT_{bare})"),
            _ if self.enums.contains(bare) => format!("CType::Enum({bare:?})"),
            _ if self.callbacks.contains(bare) => format!("CType::Callback(&CALLBACK_{bare})"),
            _ if bare.starts_with("jvmtiEvent")
                || bare.starts_with("jvmtiExtension")
                || bare == "jvmtiReserved" =>
            {
                format!("CType::Function({bare:?})")
            }
            _ => return Err(UnknownType(c_type.to_owned())),
        })
    }

    /// The Rust type of a value of that C type, as it is passed and lies in memory.
    pub fn value(&self, c_type: &str) -> String {
        let bare = c_type.trim().trim_start_matches("const ").trim();
        match bare {
            "char" => "c_char".to_owned(),
            "unsigned char" => "u8".to_owned(),
            "unsigned int" => "u32".to_owned(),
            "jlocation" => "jlong".to_owned(),
            "jboolean" | "jchar" | "jint" | "jlong" | "jfloat" | "jdouble" | "jvalue" => bare.to_owned(),
            _ if self.enums.contains(bare) => "jint".to_owned(),
            _ if self.structs.contains(bare) => format!("layout_{bare}"),
            // References, ids, functions and whatever has a star.
            _ => "Pointer".to_owned(),
        }
    }
}

/// Whether the C type points to data whose length has to be told: not a string, not a pointer to a pointer.
pub fn is_data_pointer(c_type: &str) -> bool {
    let bare = c_type.trim_start_matches("const ").trim();
    bare.strip_suffix('*').is_some_and(|pointee| !pointee.ends_with('*') && pointee.trim() != "char")
}

/// A `Some(Count::…)` or `None` expression.
pub fn count_expression(count: Option<(&str, usize)>) -> String {
    count.map_or_else(|| "None".to_owned(), |(variant, index)| format!("Some(Count::{variant}({index}))"))
}
