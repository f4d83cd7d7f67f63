//! Capabilities as calls return them: bits, read by the names that the specification gives them.

use jvmti_spec::{Edition, ctype};
use jvmti_wire::value::Value;

/// Reads outputs of type `jvmtiCapabilities` as structures. Bits that the VM did not write are zero.
pub(super) fn by_name(spec: &Edition, function: u16, outputs: &mut [(u16, Value)]) {
    let Some(function) = spec.function_at(function) else { return };
    for (index, value) in outputs {
        let param = function.params.get(usize::from(*index));
        if let (Value::Bytes(bytes), true) =
            (&*value, param.is_some_and(|p| ctype::pointee(&p.c_type) == "jvmtiCapabilities"))
        {
            *value = named(spec, bytes);
        }
    }
}

fn named(spec: &Edition, bytes: &[u8]) -> Value {
    let set: Vec<&str> = spec.capabilities_in(bytes).map(|c| c.name.as_str()).collect();
    let field = |name: &String| (name.clone(), Value::Int(set.contains(&name.as_str()).into()));
    Value::Struct(spec.capabilities.iter().map(|c| field(&c.name)).collect())
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Spec;

    use super::*;

    #[test]
    fn bits_get_their_names() {
        let spec = Spec::embedded().newest();
        let slot = spec.function("GetCapabilities").expect("it").slot;
        let mut outputs = [(0, Value::Bytes(vec![0b1, 0, 0, 0, 0, 0b10]))];
        by_name(&spec, slot, &mut outputs);
        let is = |name: &str| outputs[0].1.field(name).and_then(Value::as_int);
        assert_eq!(is("can_tag_objects"), Some(1));
        assert_eq!(is("can_generate_early_vmstart"), Some(1));
        assert_eq!(is("can_generate_field_access_events"), Some(0));
        assert_eq!(is("can_support_virtual_threads"), Some(0));
    }

    #[test]
    fn other_memory_stays_as_it_is() {
        let spec = Spec::embedded().newest();
        let slot = spec.function("GetBytecodes").expect("it").slot;
        let mut outputs = [(2, Value::Bytes(vec![1, 2]))];
        by_name(&spec, slot, &mut outputs);
        assert_eq!(outputs[0].1, Value::Bytes(vec![1, 2]));
    }
}
