//! Outputs that the text leaves open: the order of lists, estimates, the vendor's bits, extensions.

use jvmti_spec::Edition;
use jvmti_spec::ctype::pointee;
use jvmti_spec::edition::{Dir, Function, Param};

use super::{Variant, Variants};
use crate::layout;
use crate::mutant::Numbers;
use crate::mutation::{Mutation, Place};

/// Arrays whose order the text fixes, or whose elements belong to those of another array.
const IN_ORDER: [(&str, &str); 8] = [
    ("GetStackTrace", "frame_buffer"),
    ("GetThreadListStackTraces", "stack_info_ptr"),
    ("GetClassFields", "fields_ptr"),
    ("GetClassMethods", "methods_ptr"),
    ("GetBytecodes", "bytecodes_ptr"),
    ("GetConstantPool", "constant_pool_bytes_ptr"),
    ("GetObjectsWithTags", "object_result_ptr"),
    ("GetObjectsWithTags", "tag_result_ptr"),
];

/// Numbers that a JVM may choose: the function, the parameter, a name, what is added, and the number's bytes.
const CHOSEN: [(&str, &str, &str, i64, i64); 5] = [
    ("GetObjectSize", "size_ptr", "estimates 64 bytes more", 64, 8),
    ("GetTime", "nanos_ptr", "counts from another time", 1_000_000_007, 8),
    ("GetVersionNumber", "version_ptr", "has another micro version", 1, 4),
    ("GetObjectHashCode", "hash_code_ptr", "computes other hash codes", 1, 4),
    ("GetThreadState", "thread_state_ptr", "sets a bit that belongs to the vendor", 0x1000_0000, 4),
];

/// Numbers that may be the same for all objects: the function, the parameter, what they say, the number, and its bytes.
const SAME: [(&str, &str, &str, i64, i64); 2] = [
    ("GetObjectSize", "size_ptr", "estimates the same size for each object", 24, 8),
    ("GetObjectHashCode", "hash_code_ptr", "computes the same hash code for each object", 7, 4),
];

/// Adds all of them.
pub(super) fn add(of: &mut Variants<'_>, function: &Function) {
    for (argument, param) in (1..).zip(&function.params) {
        order(of, function, argument, param);
        for (_, _, does, more, bytes) in
            CHOSEN.iter().filter(|(f, p, ..)| *f == function.name && *p == param.name)
        {
            let place = Place { argument, dereferences: 0, offset: 0 };
            let change = call(function).place(place).add(*bytes, *more);
            of.add(&format!("chosen/{}", param.name), does, vec![change]);
        }
        same(of, function, argument, param);
        timer(of, function, argument, param);
    }
    whole(of, function);
}

fn call(function: &Function) -> Mutation {
    Mutation::default().function(function.slot.into())
}

fn same(of: &mut Variants<'_>, function: &Function, argument: i64, param: &Param) {
    for (_, _, does, number, bytes) in
        SAME.iter().filter(|(f, p, ..)| *f == function.name && *p == param.name)
    {
        let place = Place { argument, dereferences: 0, offset: 0 };
        of.add(
            &format!("same/{}", param.name),
            does,
            vec![call(function).place(place).zero(*bytes).or(*number)],
        );
    }
}

fn order(of: &mut Variants<'_>, function: &Function, argument: i64, param: &Param) {
    let is_list = matches!(param.dir, Dir::OutAlloc | Dir::OutAllocAlloc);
    let counted = param.count.as_deref().and_then(|count| count.strip_prefix('*'));
    let count = counted.and_then(|name| (1..).zip(&function.params).find(|(_, p)| p.name == name));
    let (true, Some((count, _))) = (is_list, count) else { return };
    if IN_ORDER.contains(&(function.name.as_str(), param.name.as_str())) {
        return;
    }
    let target = pointee(&param.c_type);
    let is_pointers = param.c_type.matches('*').count() == 3;
    let size = if is_pointers { Some(8) } else { layout::size(of.edition, target) };
    let Some(size) = size else { return };
    let place = Place { argument, dereferences: 1, offset: 0 };
    let change = call(function).count(count).several(1).place(place).reverse(size as i64);
    of.add(
        &format!("order/{}", param.name),
        &format!("returns {} in another order", param.name),
        vec![change],
    );
}

/// The booleans of a timer's description.
fn timer(of: &mut Variants<'_>, function: &Function, argument: i64, param: &Param) {
    if pointee(&param.c_type) != "jvmtiTimerInfo" {
        return;
    }
    let Some((fields, _)) = layout::fields(of.edition, "jvmtiTimerInfo") else { return };
    let is_free = |name: &str| name.starts_with("may_skip") || name == "max_value";
    for field in fields.iter().filter(|field| is_free(&field.name)) {
        let at = call(function).place(Place { argument, dereferences: 0, offset: field.offset as i64 });
        let does = format!("describes a timer with another {}", field.name);
        // The greatest value of HotSpot's timers has all bits: half of that.
        let changed = if field.name == "max_value" { at.add(8, i64::MIN) } else { at.flip(1) };
        of.add(&format!("timer/{}", field.name), &does, vec![changed]);
    }
}

/// Timers whose values change every 16 ms or so.
pub(super) fn coarse(edition: &Edition) -> Variant {
    let times = ["GetTime", "GetCurrentThreadCpuTime", "GetThreadCpuTime"];
    let rounded = |name: &&str| {
        let function = edition.function(name)?;
        let nanos = (1..).zip(&function.params).find(|(_, param)| param.name == "nanos_ptr")?.0;
        let place = Place { argument: nanos, dereferences: 0, offset: 0 };
        Some(call(function).place(place).clear(0x00ff_ffff))
    };
    let mutations = times.iter().filter_map(rounded).collect();
    let touches = times.map(str::to_owned).into();
    Variant { touches, ..Variant::new("timers/coarse", "timers change every 16 ms", mutations) }
}

/// Which properties a JVM tells of is up to it.
pub(super) fn no_properties(edition: &Edition) -> Variant {
    let of = |name: &str| Mutation::default().function(edition.slot(name));
    let unavailable = edition.code("NOT_AVAILABLE");
    let count = Place { argument: 1, dereferences: 0, offset: 0 };
    let mutations = vec![
        of("GetSystemProperties").place(count).zero(4),
        of("GetSystemProperty").error(0).answer(unavailable),
        of("SetSystemProperty").answer_instead(unavailable),
    ];
    let touches = ["GetSystemProperties", "GetSystemProperty", "SetSystemProperty"].map(str::to_owned).into();
    Variant { touches, ..Variant::new("properties/none", "the JVM tells of no property", mutations) }
}

/// Functions that may have nothing to tell, or nothing to change.
fn whole(of: &mut Variants<'_>, function: &Function) {
    let zero =
        |argument, bytes| call(function).place(Place { argument, dereferences: 0, offset: 0 }).zero(bytes);
    match function.name.as_str() {
        "GetExtensionFunctions" | "GetExtensionEvents" => {
            of.add("none", "tells of no extension", vec![zero(1, 4), zero(2, 8)]);
        }
        "GetObjectsWithTags" => {
            let reversed = |list| {
                let place = Place { argument: list, dereferences: 1, offset: 0 };
                call(function).count(3).several(1).place(place).reverse(8)
            };
            of.add(
                "order/pairs",
                "returns objects and their tags in another order",
                vec![reversed(4), reversed(5)],
            );
        }
        "GetClassMethods" => {
            let keeps_order = of.edition.capability("can_maintain_original_method_order");
            let place = Place { argument: 3, dereferences: 1, offset: 0 };
            if let Some(keeps_order) = keeps_order {
                let reversed = call(function).lacks(keeps_order.bit.into());
                let reversed = reversed.count(2).several(1).place(place).reverse(8);
                let does =
                    "returns methods in another order unless they have to be in that of the class file";
                of.add("order/methods_ptr", does, vec![reversed]);
            }
        }
        "ForceGarbageCollection" => {
            let live = of.edition.phase(jvmti_spec::edition::Phase::Live);
            of.add("vain", "frees nothing", vec![call(function).phase(live).answer_instead(0)]);
        }
        "SetSystemProperty" => {
            let code = of.edition.code("NOT_AVAILABLE");
            of.add("not-writable", "finds no property writable", vec![call(function).answer_instead(code)]);
        }
        "GetJLocationFormat" => {
            let format = of.edition.constant(Some("jvmtiJlocationFormat"), "JVMTI_JLOCATION_OTHER");
            if let Some(format) = format {
                let set = zero(1, 4).or(format);
                of.add("other", "tells of another format of locations", vec![set]);
            }
        }
        _ => {}
    }
}
