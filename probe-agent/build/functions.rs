//! Signatures and descriptions of the functions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use jvmti_spec::edition::{Dir, Function, Param};
use jvmti_spec::{Edition, Release};

use crate::c_type::{Types, UnknownType, count_expression, is_data_pointer};

pub fn generate(edition: &Edition, types: &Types<'_>) -> Result<String, UnknownType> {
    let mut out = String::new();
    let signatures: BTreeSet<Signature> = edition.functions.iter().map(|f| Signature::of(f, types)).collect();
    for signature in &signatures {
        let variadic = if signature.variadic { "variadic " } else { "" };
        let _ = writeln!(out, "signature!({variadic}{}({}));", signature.caller(), signature.parameters());
    }
    let mut functions: Vec<&Function> = edition.functions.iter().collect();
    functions.sort_by_key(|f| f.slot);
    let _ = writeln!(out, "/// All functions, by slot.\npub static FUNCTIONS: &[FunctionDescriptor] = &[");
    for function in &functions {
        let _ = writeln!(
            out,
            "FunctionDescriptor {{ name: {:?}, slot: {}, since: {:?}, caller: {}, params: &[",
            function.name,
            function.slot,
            function.since,
            Signature::of(function, types).caller()
        );
        for param in &function.params {
            describe(&mut out, function, param, types)?;
        }
        let _ = writeln!(out, "] }},");
    }
    let _ = writeln!(out, "];");
    stubs(&mut out, &functions);
    let _ = writeln!(
        out,
        "/// Number of slots in the function table, by the release from which on it is so.\n\
         pub static TABLE_LENGTHS: &[(u16, u16)] = &{:?};",
        table_lengths(&functions)
    );
    Ok(out)
}

/// Slots beyond those of the function table (`src/ffi/stub.rs`): extension functions and extension events, of which that
/// many functions can be stood in for, and `GetEnv`.
const EXTENSION_FUNCTIONS: std::ops::Range<u16> = 0xd000..0xd040;
const EXTENSIONS: std::ops::Range<u16> = 0xe000..0xe040;
const GET_ENV: u16 = 0xf000;

/// What agents are given in place of the JVM's functions.
fn stubs(out: &mut String, functions: &[&Function]) {
    let slots = || {
        let functions = functions.iter().map(|f| f.slot);
        functions.chain(EXTENSION_FUNCTIONS).chain(EXTENSIONS).chain([GET_ENV])
    };
    for slot in slots() {
        let _ = writeln!(out, "stub!(stub_{slot}, {slot});");
    }
    let _ = writeln!(out, "/// The stub of each slot.\npub static STUBS: &[(u16, Code)] = &[");
    for slot in slots() {
        let _ = writeln!(out, "({slot}, Code(stub_{slot} as *const c_void)),");
    }
    let _ = writeln!(out, "];");
}

/// A table reaches to the last function of its release.
fn table_lengths(functions: &[&Function]) -> Vec<(u16, u16)> {
    let mut last = BTreeMap::new();
    for function in functions {
        if let Some(Release(since)) = Release::of_since(&function.since) {
            let length = last.entry(since).or_insert(0u16);
            *length = function.slot.max(*length);
        }
    }
    let mut longest = 0;
    last.into_iter()
        .map(|(since, length)| {
            longest = length.max(longest);
            (since, longest)
        })
        .collect()
}

fn describe(
    out: &mut String,
    function: &Function,
    param: &Param,
    types: &Types<'_>,
) -> Result<(), UnknownType> {
    let _ = writeln!(
        out,
        "    ParamDescriptor {{ name: {:?}, c_type: {:?}, ty: {}, kind: ParamKind::{:?}, dir: Dir::{:?}, count: {}, \
         local_ref: {}, local_ref_fields: &{:?}, alloc_fields: &{:?} }},",
        param.name,
        param.c_type,
        types.describe(&param.c_type)?,
        param.kind,
        param.dir,
        count_expression(count(function, param, types)),
        param.local_ref,
        param.local_ref_fields,
        param.alloc_fields,
    );
    Ok(())
}

/// Where the element count of an array parameter stands.
fn count(function: &Function, param: &Param, types: &Types<'_>) -> Option<(&'static str, usize)> {
    let index = |name: &str| function.params.iter().position(|p| p.name == name);
    let Some(expression) = &param.count else {
        return unnamed_count(function, param, types);
    };
    let index = index(expression.trim_start_matches('*'))?;
    let through_pointer = expression.starts_with('*') && function.params[index].dir.is_output();
    Some((if through_pointer { "Pointee" } else { "Value" }, index))
}

/// An array of structures whose count the facts leave out: the only `jint` that the function gives beside it.
/// An array of strings going in: the only `jint` that goes in.
fn unnamed_count(function: &Function, param: &Param, types: &Types<'_>) -> Option<(&'static str, usize)> {
    let structs = param.dir == Dir::OutAlloc
        && types.describe(&param.c_type).is_ok_and(|described| described.contains("CType::Struct"));
    let strings = param.dir == Dir::InPtr && !is_data_pointer(&param.c_type) && param.c_type.ends_with("**");
    let (wanted, variant) = match (structs, strings) {
        (true, _) => ("jint*", "Pointee"),
        (_, true) => ("jint", "Value"),
        _ => return None,
    };
    let mut found = function.params.iter().enumerate().filter(|(_, p)| p.c_type == wanted);
    match (found.next(), found.next()) {
        (Some((index, _)), None) => Some((variant, index)),
        _ => None,
    }
}

/// The C signature of a function, after the environment.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Signature {
    variadic: bool,
    params: Vec<String>,
}

impl Signature {
    fn of(function: &Function, types: &Types<'_>) -> Self {
        let fixed = function.params.iter().filter(|p| p.c_type != "...");
        Signature {
            variadic: function.params.iter().any(|p| p.c_type == "..."),
            params: fixed.map(|p| types.value(&p.c_type)).collect(),
        }
    }

    /// Name of the caller: `call_Pointer_jint`.
    fn caller(&self) -> String {
        let ending = self.variadic.then(|| "variadic".to_owned());
        ["call".to_owned()]
            .into_iter()
            .chain(self.params.iter().cloned())
            .chain(ending)
            .collect::<Vec<_>>()
            .join("_")
    }

    fn parameters(&self) -> String {
        self.params.iter().enumerate().map(|(i, ty)| format!("a{i}: {ty}")).collect::<Vec<_>>().join(", ")
    }
}

/// A stand-in for each signature, and which one stands in for each function.
pub fn generate_tests(edition: &Edition, types: &Types<'_>) -> Result<String, UnknownType> {
    let mut out = String::new();
    let signatures: BTreeSet<Signature> = edition.functions.iter().map(|f| Signature::of(f, types)).collect();
    for signature in &signatures {
        let _ = writeln!(out, "stand_in!({}({}));", signature.caller(), signature.parameters());
    }
    let _ = writeln!(out, "static STAND_INS: &[(u16, Code, &[&str])] = &[");
    for function in &edition.functions {
        let signature = Signature::of(function, types);
        let _ = writeln!(
            out,
            "({}, Code({} as *const c_void), &{:?}),",
            function.slot,
            signature.caller(),
            signature.params
        );
    }
    let _ = writeln!(out, "];");
    Ok(out)
}
