//! Structures and unions as Rust types, and their descriptions. The compiler lays them out as C would.

use std::fmt::Write as _;

use jvmti_spec::Edition;
use jvmti_spec::edition::{Field, Struct, StructKind};

use crate::c_type::{Types, UnknownType, count_expression, is_data_pointer};

pub fn generate(edition: &Edition, types: &Types<'_>) -> Result<String, UnknownType> {
    let mut out = String::new();
    let structs = || edition.structs.iter().filter(|s| s.kind != StructKind::Enum);
    for structure in structs() {
        if structure.fields.iter().any(|f| f.bits.is_some()) {
            bits(&mut out, structure);
        } else {
            plain(&mut out, edition, structure, types)?;
        }
    }
    let _ = writeln!(out, "/// All structures and unions.\npub static LAYOUTS: &[&StructLayout] = &[");
    for structure in structs() {
        let _ = writeln!(out, "&LAYOUT_{},", structure.name);
    }
    let _ = writeln!(out, "];");
    Ok(out)
}

fn plain(
    out: &mut String,
    edition: &Edition,
    structure: &Struct,
    types: &Types<'_>,
) -> Result<(), UnknownType> {
    let name = &structure.name;
    let union = structure.kind == StructKind::Union;
    let keyword = if union { "union" } else { "struct" };
    let _ =
        writeln!(out, "#[repr(C)]\n#[derive(Clone, Copy)]\n#[allow(dead_code)]\n{keyword} layout_{name} {{");
    for (field_name, field) in named(structure) {
        let _ = writeln!(out, "    r#{field_name}: {},", types.value(&field.c_type));
    }
    let _ = writeln!(out, "}}");
    head(out, structure);
    for (field_name, field) in named(structure) {
        let _ = writeln!(
            out,
            "    FieldLayout {{ name: {field_name:?}, ty: {}, offset: std::mem::offset_of!(layout_{name}, r#{field_name}), \
             bit: None, count: {} }},",
            types.describe(&field.c_type)?,
            count_expression(count(structure, field_name, field)),
        );
    }
    let members = if union { members(edition, structure) } else { Vec::new() };
    let _ = writeln!(out, "], members: &{members:?} }};");
    Ok(())
}

/// A structure of bits, in units of 32.
fn bits(out: &mut String, structure: &Struct) {
    let name = &structure.name;
    let width: usize = structure.fields.iter().map(|f| usize::from(f.bits.unwrap_or(0))).sum();
    let units = width.div_ceil(32);
    let _ =
        writeln!(out, "#[repr(C)]\n#[allow(dead_code)]\nstruct layout_{name} {{ units: [u32; {units}] }}");
    head(out, structure);
    let mut position = 0;
    for field in &structure.fields {
        if let Some(field_name) = &field.name {
            let _ = writeln!(
                out,
                "    FieldLayout {{ name: {field_name:?}, ty: CType::Int, offset: {}, bit: Some(bit_in_unit({})), \
                 count: None }},",
                position / 32 * 4,
                position % 32
            );
        }
        position += usize::from(field.bits.unwrap_or(0));
    }
    let _ = writeln!(out, "], members: &[] }};");
}

fn head(out: &mut String, structure: &Struct) {
    let name = &structure.name;
    let _ = writeln!(
        out,
        "static LAYOUT_{name}: StructLayout = StructLayout {{ name: {name:?}, size: size_of::<layout_{name}>(), \
         align: align_of::<layout_{name}>(), union: {}, fields: &[",
        structure.kind == StructKind::Union
    );
}

fn named(structure: &Struct) -> impl Iterator<Item = (&str, &Field)> {
    structure.fields.iter().filter_map(|f| f.name.as_deref().map(|name| (name, f)))
}

/// The length of an array goes by the array's name: `waiter_count` of `waiters`, `frame_count` of `frame_buffer`.
fn count(structure: &Struct, field_name: &str, field: &Field) -> Option<(&'static str, usize)> {
    if !is_data_pointer(&field.c_type) {
        return None;
    }
    let stem = field_name.strip_suffix("_buffer").or(field_name.strip_suffix('s')).unwrap_or(field_name);
    let length = format!("{stem}_count");
    named(structure).position(|(name, _)| name == length).map(|index| ("Value", index))
}

/// Union member by value of the selecting enumeration: each constant goes with the member it is named after.
fn members(edition: &Edition, union: &Struct) -> Vec<(i64, usize)> {
    let kind = union.name.replace("Info", "Kind");
    let constants = edition.constants.iter().filter(|g| g.name == kind).flat_map(|g| &g.constants);
    let by_name = |constant: &str| {
        named(union).position(|(name, _)| {
            let member = format!("_{}", name.to_uppercase());
            constant.ends_with(&member) || constant.contains(&format!("{member}_"))
        })
    };
    constants.filter_map(|c| Some((c.value, by_name(&c.name)?))).collect()
}
