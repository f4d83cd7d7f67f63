use std::fmt;

use serde::{Deserialize, Serialize};

/// A JNI function that reads or writes a field, such as `SetStaticLongField`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FieldAccess {
    /// Whether it writes the field.
    pub writes: bool,
    /// Whether the field is static.
    pub of_class: bool,
    /// What the field holds.
    pub holds: FieldType,
}

/// What a field holds, as the names of JNI functions tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FieldType {
    /// A reference.
    Object,
    /// `jboolean`
    Boolean,
    /// `jbyte`
    Byte,
    /// `jchar`
    Char,
    /// `jshort`
    Short,
    /// `jint`
    Int,
    /// `jlong`
    Long,
    /// `jfloat`
    Float,
    /// `jdouble`
    Double,
}

/// Each with its type in C.
const TYPES: [(FieldType, &str); 9] = [
    (FieldType::Object, "jobject"),
    (FieldType::Boolean, "jboolean"),
    (FieldType::Byte, "jbyte"),
    (FieldType::Char, "jchar"),
    (FieldType::Short, "jshort"),
    (FieldType::Int, "jint"),
    (FieldType::Long, "jlong"),
    (FieldType::Float, "jfloat"),
    (FieldType::Double, "jdouble"),
];

impl FieldAccess {
    /// All of these functions.
    pub fn all() -> impl Iterator<Item = Self> {
        let kinds = [(false, false), (true, false), (false, true), (true, true)];
        kinds.into_iter().flat_map(|(writes, of_class)| {
            TYPES.iter().map(move |(holds, _)| FieldAccess { writes, of_class, holds: *holds })
        })
    }
}

/// The name of the function in JNI.
impl fmt::Display for FieldAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.writes { "Set" } else { "Get" };
        let of = if self.of_class { "Static" } else { "" };
        write!(f, "{verb}{of}{:?}Field", self.holds)
    }
}

impl FieldType {
    /// Its type in C.
    pub fn c_type(self) -> &'static str {
        TYPES.iter().find(|(kind, _)| *kind == self).map_or("jobject", |(_, c_type)| c_type)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_function_has_the_name_that_it_has_in_jni() {
        let names: BTreeSet<String> = FieldAccess::all().map(|access| access.to_string()).collect();
        assert_eq!(names.len(), 36);
        assert!(!names.contains("GetFieldID") && !names.contains("SetStaticVoidField"));
        let access = FieldAccess::all().find(|access| access.to_string() == "SetStaticLongField").unwrap();
        assert!(access.writes && access.of_class && access.holds.c_type() == "jlong");
    }
}
