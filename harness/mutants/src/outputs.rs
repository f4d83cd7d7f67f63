//! Mutants of what functions hand over.

use jvmti_spec::ctype::{invalid_error, pointee};
use jvmti_spec::edition::{Dir, Param};

use crate::layout::{self, Field};
use crate::mutation::{Mutation, Place};
use crate::of_function::OfFunction;
use crate::rules::Rules;

/// Arrays whose order the text fixes.
const ORDERED: [(&str, &str); 3] =
    [("GetStackTrace", "frame_buffer"), ("GetClassFields", "fields_ptr"), ("GetClassMethods", "methods_ptr")];

/// Adds the mutants of each output of the function.
pub(crate) fn add(of: &mut OfFunction<'_>) {
    for (argument, param) in (1..).zip(&of.function.params) {
        if param.dir.is_output() {
            let mut output = Output::new(of, argument, param);
            output.whole();
            output.values();
            output.elements();
            output.ownership();
            output.fields();
            output.null_output();
        }
    }
}

/// One output of a function.
struct Output<'o, 'a> {
    of: &'o mut OfFunction<'a>,
    argument: i64,
    param: &'o Param,
    /// The type of what is handed over.
    target: &'o str,
    /// The fields of that type, if it is a structure that is described.
    layout: Option<Vec<Field>>,
    /// How many pointers lead to it.
    depth: i64,
    /// Whether the output is the number of elements of another one.
    is_count: bool,
}

impl<'o, 'a> Output<'o, 'a> {
    fn new(of: &'o mut OfFunction<'a>, argument: i64, param: &'o Param) -> Output<'o, 'a> {
        let counts = Some(format!("*{}", param.name));
        let target = pointee(&param.c_type);
        Output {
            argument,
            param,
            target,
            layout: layout::fields(of.edition, target).map(|(fields, _)| fields),
            depth: param.c_type.matches('*').count() as i64,
            is_count: of.function.params.iter().any(|p| p.count == counts),
            of,
        }
    }

    fn add(&mut self, what: &str, does: &str, change: impl FnOnce(Mutation) -> Mutation, breaks: Rules) {
        self.of.add(what, does, change, breaks);
    }

    fn results(&self) -> Rules {
        Rules::of(&self.of.function.name)
    }

    fn row(&self, row: &str) -> Rules {
        self.of.rows(&[&format!("{row}/{}", self.param.name)])
    }

    fn local(&self) -> Rules {
        self.row("local-refs").and("universal/returned-references-local")
    }

    /// What the argument itself points to.
    fn direct(&self) -> Place {
        Place { argument: self.argument, dereferences: 0, offset: 0 }
    }

    /// What is handed over, `offset` bytes from its start.
    fn place(&self, offset: usize) -> Place {
        let dereferences = if self.param.dir == Dir::Out { 0 } else { self.depth - 1 };
        Place { argument: self.argument, dereferences, offset: offset as i64 }
    }

    /// Restricts a change of an element to arrays that have one, by the parameter that says how many there are. For a
    /// buffer that the agent brings, another parameter may say how much of it was used.
    fn counted(&self, mutation: Mutation, several: bool) -> Mutation {
        let params = &self.of.function.params;
        let argument = |name: &str| (1..).zip(params).find(|(_, p)| p.name == name).map(|(at, _)| at);
        let Some(count) = self.param.count.as_deref() else { return mutation };
        let told = count.strip_prefix('*').and_then(argument).or_else(|| argument("count_ptr"));
        match (told, argument(count)) {
            (Some(at), _) if several => mutation.count(at).several(1),
            (Some(at), _) => mutation.count(at),
            (None, Some(at)) => mutation.isnt(at, 0),
            (None, None) => mutation,
        }
    }

    /// The change of an element `offset` bytes from the start.
    fn element(&self, offset: usize) -> Mutation {
        self.counted(Mutation::default(), false).place(self.place(offset))
    }

    fn whole(&mut self) {
        let (name, direct) = (&self.param.name, self.direct());
        if self.depth > 1 {
            let (what, does) = (format!("output/{name}/null"), format!("sets {name} to null"));
            self.add(&what, &does, |m| m.place(direct).zero(8), self.results());
        }
        if self.is_count {
            let (what, does) = (format!("output/{name}/less"), format!("tells one less in {name}"));
            let argument = self.argument;
            self.add(&what, &does, |m| m.count(argument).place(direct).add(4, -1), self.results());
        }
    }

    /// The single values: their name, offset and type.
    fn parts(&self) -> Vec<(String, usize, String)> {
        let name = &self.param.name;
        let opaque = self.depth > 1 && (self.target == "void" || self.param.dir == Dir::Out);
        match &self.layout {
            Some(fields) => {
                let told = fields.iter().filter(|field| !field.name.starts_with("reserved"));
                told.map(|f| (format!("{name}.{}", f.name), f.offset, f.c_type.clone())).collect()
            }
            None if opaque || self.is_count => Vec::new(),
            None if self.depth > 1 => vec![(format!("{name}[0]"), 0, self.target.to_owned())],
            None => vec![(name.clone(), 0, self.target.to_owned())],
        }
    }

    fn values(&mut self) {
        for (name, offset, c_type) in self.parts() {
            let place = self.element(offset);
            let (what, does, mutation) = match c_type.as_str() {
                reference if reference.starts_with('j') && is_reference(reference) => {
                    ("null", "to null", place.zero(8))
                }
                pointer if pointer.ends_with('*') => ("null", "to null", place.zero(8)),
                "jboolean" => ("not", "to its opposite", place.flip(1)),
                // No tag of a constant pool is as high, and one instruction becomes quite another.
                "unsigned char" => ("other", "to quite another", place.add(1, 64)),
                number => match layout::size(self.of.edition, number) {
                    Some(size @ (1 | 4 | 8)) => ("more", "to one more", place.add(size as i64, 1)),
                    _ => continue,
                },
            };
            let is_state = self.target == "jvmtiStackInfo" && name.ends_with(".state");
            let results = self.results();
            let breaks = if is_state { results.and("universal/thread-state-bits") } else { results };
            let what = format!("output/{name}/{what}");
            self.add(&what, &format!("sets {name} {does}"), |m| m.then(mutation), breaks);
        }
    }

    fn elements(&mut self) {
        let name = &self.param.name;
        if self.depth == 3 {
            let (what, does) =
                (format!("output/{name}/null-element"), format!("sets the first element of {name} to null"));
            let first = Place { dereferences: 1, ..self.direct() };
            let change = self.counted(Mutation::default(), false).place(first).zero(8);
            self.add(&what, &does, |m| m.then(change), self.results());
        }
        if ORDERED.contains(&(self.of.function.name.as_str(), name)) {
            let size = layout::size(self.of.edition, self.target).unwrap_or(8) as i64;
            let (what, does) = (format!("output/{name}/reversed"), format!("turns {name} around"));
            let change = self.counted(Mutation::default(), true).place(self.place(0)).reverse(size);
            self.add(&what, &does, |m| m.then(change), self.results());
        }
    }

    /// Who owns what is handed over: references that have to be local, memory that the agent has to deallocate.
    fn ownership(&mut self) {
        let (name, direct) = (&self.param.name, self.direct());
        if self.param.local_ref {
            let (what, does) =
                (format!("local-refs/{name}/global"), format!("hands over a global reference in {name}"));
            let change = self.element(0).global(1);
            self.add(&what, &does, |m| m.then(change), self.local());
        }
        let allocated = matches!(self.param.dir, Dir::OutAlloc | Dir::OutAllocAlloc);
        if allocated && self.param.alloc_fields.is_empty() {
            let (what, does) = (
                format!("output/{name}/alien"),
                format!("hands over memory in {name} that Deallocate refuses"),
            );
            self.add(&what, &does, |m| m.place(direct).alien(1), self.row("output"));
        }
    }

    fn fields(&mut self) {
        let name = &self.param.name;
        for field in self.layout.take().into_iter().flatten() {
            let qualified = format!("{}.{}", self.target, field.name);
            let has = |of: &[String]| of.iter().any(|f| *f == field.name || *f == qualified);
            let full = format!("{name}.{}", field.name);
            if has(&self.param.local_ref_fields) {
                let (what, does) =
                    (format!("local-refs/{full}/global"), format!("hands over a global reference in {full}"));
                let change = self.element(field.offset).global(1);
                self.add(&what, &does, |m| m.then(change), self.local());
            }
            if has(&self.param.alloc_fields) {
                let (what, does) = (
                    format!("output/{full}/alien"),
                    format!("hands over memory in {full} that Deallocate refuses"),
                );
                let change = self.element(field.offset).alien(1);
                self.add(&what, &does, |m| m.then(change), self.row("output"));
            }
            if field.may_be_null && is_reference(&field.c_type) {
                let (what, does) =
                    (format!("output/{full}/unnull"), format!("tells an object in {full} where null is due"));
                let change = self.element(field.offset).unref(1);
                self.add(&what, &does, |m| m.then(change), self.results());
            }
        }
    }

    fn null_output(&mut self) {
        let (name, direct) = (&self.param.name, self.direct());
        if self.param.returns_null_when.is_some() {
            let (what, does) = (
                format!("null-output/{name}/unnull"),
                format!("tells something in {name} where null is due"),
            );
            let by_reference = is_reference(self.target) && self.depth == 1;
            let change =
                |m: Mutation| if by_reference { m.place(direct).unref(1) } else { m.place(direct).unnull(1) };
            self.add(&what, &does, change, self.row("null-output"));
        }
    }
}

/// Whether a value of that type is a reference or an id.
fn is_reference(c_type: &str) -> bool {
    invalid_error(c_type).is_some()
}
