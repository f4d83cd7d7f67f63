//! How many elements a call says that a list has which it returned.

use jvmti_spec::edition::{Dir, Function, Param};
use jvmti_wire::value::Value;

/// The number that the function returned in the output that counts the elements of this one, if there is such an output.
pub(crate) fn elements(function: &Function, of: &Param, outputs: &[(u16, Value)]) -> Option<i64> {
    if !matches!(of.dir, Dir::OutAlloc | Dir::OutAllocAlloc) {
        return None;
    }
    let counter = of.count.as_deref()?.strip_prefix('*')?;
    let index = function.params.iter().position(|param| param.name == counter)?;
    outputs.iter().find(|(i, _)| usize::from(*i) == index)?.1.as_int()
}
