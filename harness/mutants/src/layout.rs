//! Sizes and offsets of C types where pointers have 8 bytes.

use jvmti_spec::Edition;
use jvmti_spec::edition::StructKind;

/// Bytes that a value of that type takes; `None` for aggregates that hold bits or are not described.
pub(crate) fn size(edition: &Edition, c_type: &str) -> Option<usize> {
    Some(match c_type {
        "jboolean" | "jbyte" | "char" | "unsigned char" => 1,
        "jchar" | "jshort" => 2,
        "jint" | "jfloat" => 4,
        "jlong" | "jdouble" | "jlocation" | "jvalue" => 8,
        "jobject" | "jclass" | "jthread" | "jthreadGroup" | "jmethodID" | "jfieldID" | "jrawMonitorID" => 8,
        pointer if pointer.ends_with('*') || pointer.ends_with("Callback") => 8,
        "jvmtiExtensionFunction" | "jvmtiExtensionEvent" => 8,
        name => match edition.structure(name) {
            Some(s) if s.kind == StructKind::Struct => fields(edition, name)?.1,
            // Enumerations.
            _ if name.starts_with("jvmti") => 4,
            _ => return None,
        },
    })
}

/// A field of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) c_type: String,
    pub(crate) offset: usize,
    pub(crate) may_be_null: bool,
}

/// The fields of a structure, and its size.
pub(crate) fn fields(edition: &Edition, name: &str) -> Option<(Vec<Field>, usize)> {
    let described = edition.structure(name).filter(|s| s.kind == StructKind::Struct)?;
    let (mut fields, mut end, mut widest) = (Vec::new(), 0usize, 1);
    for field in &described.fields {
        if field.bits.is_some() {
            return None;
        }
        let size = size(edition, &field.c_type)?;
        let align = size.min(8);
        widest = widest.max(align);
        end = end.next_multiple_of(align);
        let name = field.name.clone().unwrap_or_default();
        let may_be_null = field.null_when.is_some();
        fields.push(Field { name, c_type: field.c_type.clone(), offset: end, may_be_null });
        end += size;
    }
    Some((fields, end.next_multiple_of(widest)))
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Spec;

    use super::*;

    #[test]
    fn structures_are_laid_out_as_c_does() {
        let edition = Spec::embedded().newest();
        let offsets = |name: &str| -> Vec<usize> {
            fields(&edition, name).unwrap().0.iter().map(|f| f.offset).collect()
        };
        assert_eq!(offsets("jvmtiThreadInfo"), [0, 8, 12, 16, 24]);
        assert_eq!(offsets("jvmtiStackInfo"), [0, 8, 16, 24]);
        assert_eq!(size(&edition, "jvmtiStackInfo"), Some(32));
        assert_eq!(size(&edition, "jvmtiMonitorUsage"), Some(40));
        assert_eq!(size(&edition, "jvmtiLocalVariableEntry"), Some(48));
    }
}
