//! Mutants of what functions hand over.

use jvmti_spec::ctype::pointee;
use jvmti_spec::edition::{Dir, Param};

use crate::functions::Of;
use crate::layout;
use crate::mutant::Rules;

/// Arrays whose order the text fixes.
const ORDERED: [(&str, &str); 3] =
    [("GetStackTrace", "frame_buffer"), ("GetClassFields", "fields_ptr"), ("GetClassMethods", "methods_ptr")];

/// Something that a function writes: what it is called, where it is, and its type.
struct Place<'a> {
    name: String,
    at: String,
    c_type: &'a str,
}

/// All mutants of a function's outputs.
pub(crate) fn of(of: &mut Of<'_>) {
    let function = of.function;
    for (index, param) in function.params.iter().enumerate().map(|(i, p)| (i + 1, p)) {
        if param.dir.is_output() {
            param_mutants(of, index, param);
        }
    }
}

fn param_mutants(of: &mut Of<'_>, index: usize, param: &Param) {
    let (function, edition, name) = (of.function, of.edition, &param.name);
    let results = || Rules::of(&function.name);
    let row = |row: &str| Rules::ids([format!("{}#{row}/{name}", function.name)]);
    let local = || {
        let own = format!("{}#local-refs/{name}", function.name);
        Rules::ids([own.as_str(), "universal/returned-references-local"])
    };
    let direct = format!("place={index}:0:0");
    let target = pointee(&param.c_type);
    let depth = param.c_type.matches('*').count();
    // What holds only of arrays with an element, by the parameter that tells how many there are. Of a buffer that the agent
    // brings another one may tell how much of it was used.
    let place_of = |name: &str| function.params.iter().position(|p| p.name == name).map(|at| at + 1);
    let counted = |several: &str| match param.count.as_deref().map(|count| (count, count.strip_prefix('*'))) {
        Some((count, told)) => match told.and_then(place_of).or_else(|| place_of("count_ptr")) {
            Some(at) => format!("count={at};{several}"),
            None => place_of(count).map_or_else(String::new, |at| format!("isnt={at}:0;")),
        },
        None => String::new(),
    };
    let is_count = function.params.iter().any(|p| p.count.as_deref() == Some(&format!("*{name}")));
    if depth > 1 {
        of.add(
            &format!("output/{name}/null"),
            &format!("sets {name} to null"),
            &format!("{direct};zero=8"),
            results(),
        );
    }
    if is_count {
        of.add(
            &format!("output/{name}/less"),
            &format!("tells one less in {name}"),
            &format!("count={index};{direct};add=4:-1"),
            results(),
        );
    }
    let derefs = if param.dir == Dir::Out { 0 } else { depth - 1 };
    let any_element = counted("");
    let place = |offset: usize| format!("{any_element}place={index}:{derefs}:{offset}");
    let fields = layout::fields(edition, target).map(|(fields, _)| fields);
    let opaque = depth > 1 && (target == "void" || param.dir == Dir::Out);
    let mut places = Vec::new();
    match &fields {
        Some(fields) => {
            places.extend(fields.iter().filter(|f| !f.name.starts_with("reserved")).map(|field| Place {
                name: format!("{name}.{}", field.name),
                at: place(field.offset),
                c_type: &field.c_type,
            }))
        }
        None if opaque || is_count => {}
        None => {
            let name = if depth > 1 { format!("{name}[0]") } else { name.clone() };
            places.push(Place { name, at: place(0), c_type: target });
        }
    }
    for Place { name, at, c_type } in &places {
        let (what, does, change) = match c_type {
            reference if reference.starts_with('j') && is_reference(reference) => {
                ("null", "to null", "zero=8".into())
            }
            pointer if pointer.ends_with('*') => ("null", "to null", "zero=8".into()),
            &"jboolean" => ("not", "to its opposite", "flip=1".into()),
            // No tag of a constant pool is as high, and one instruction becomes quite another.
            &"unsigned char" => ("other", "to quite another", "add=1:64".into()),
            number => match layout::size(edition, number) {
                Some(size @ (1 | 4 | 8)) => ("more", "to one more", format!("add={size}:1")),
                _ => continue,
            },
        };
        let is_state = target == "jvmtiStackInfo" && name.ends_with(".state");
        let breaks = if is_state { results().and("universal/thread-state-bits") } else { results() };
        of.add(
            &format!("output/{name}/{what}"),
            &format!("sets {name} {does}"),
            &format!("{at};{change}"),
            breaks,
        );
    }
    if depth == 3 {
        of.add(
            &format!("output/{name}/null-element"),
            &format!("sets the first element of {name} to null"),
            &format!("{any_element}place={index}:1:0;zero=8"),
            results(),
        );
    }
    if ORDERED.contains(&(function.name.as_str(), name)) {
        let size = layout::size(edition, target).unwrap_or(8);
        of.add(
            &format!("output/{name}/reversed"),
            &format!("turns {name} around"),
            &format!("{}place={index}:{derefs}:0;reverse={size}", counted("several=1;")),
            results(),
        );
    }
    if param.local_ref {
        of.add(
            &format!("local-refs/{name}/global"),
            &format!("hands over a global reference in {name}"),
            &format!("{};global=1", place(0)),
            local(),
        );
    }
    if matches!(param.dir, Dir::OutAlloc | Dir::OutAllocAlloc) && param.alloc_fields.is_empty() {
        of.add(
            &format!("output/{name}/alien"),
            &format!("hands over memory in {name} that Deallocate refuses"),
            &format!("{direct};alien=1"),
            row("output"),
        );
    }
    for field in fields.iter().flatten() {
        let qualified = format!("{target}.{}", field.name);
        let has = |of: &[String]| of.iter().any(|f| *f == field.name || *f == qualified);
        if has(&param.local_ref_fields) {
            of.add(
                &format!("local-refs/{name}.{}/global", field.name),
                &format!("hands over a global reference in {name}.{}", field.name),
                &format!("{};global=1", place(field.offset)),
                local(),
            );
        }
        if has(&param.alloc_fields) {
            of.add(
                &format!("output/{name}.{}/alien", field.name),
                &format!("hands over memory in {name}.{} that Deallocate refuses", field.name),
                &format!("{};alien=1", place(field.offset)),
                row("output"),
            );
        }
        if field.may_be_null && is_reference(&field.c_type) {
            of.add(
                &format!("output/{name}.{}/unnull", field.name),
                &format!("tells an object in {name}.{} where null is due", field.name),
                &format!("{};unref=1", place(field.offset)),
                results(),
            );
        }
    }
    if param.returns_null_when.is_some() {
        let change = if is_reference(target) && depth == 1 { "unref=1" } else { "unnull=1" };
        of.add(
            &format!("null-output/{name}/unnull"),
            &format!("tells something in {name} where null is due"),
            &format!("{direct};{change}"),
            row("null-output"),
        );
    }
}

/// Whether a value of that type is a reference or an id.
fn is_reference(c_type: &str) -> bool {
    jvmti_spec::ctype::invalid_error(c_type).is_some()
}
