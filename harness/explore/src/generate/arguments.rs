//! Arguments by type and name: what is fine, what is wrong, and what is at the edge.

use jvmti_spec::Release;
use jvmti_spec::edition::{Function, NullRule, Param, ParamKind};
use jvmti_wire::plan::{Arg, Invalid, PathPart};

use super::heap;
use crate::cast::{self, CLASSES, FIELDS, METHODS, OBJECTS};
use crate::chance::Chance;
use crate::model::{Model, Tables};
use crate::sequence::Moment;

/// Numbers at the edges.
const EDGES: [i64; 10] = [0, 1, -1, 2, 3, 7, 1000, i32::MAX as i64, i32::MIN as i64, 0x4000_0000];
/// How rarely an argument is not what its parameter asks for.
const ODD: usize = 16;

/// What the calls of one sequence choose from.
#[derive(Clone, Debug)]
pub struct Pools<'t> {
    tables: &'t Tables,
    moment: Moment,
    threads: Vec<Arg>,
    objects: Vec<Arg>,
    events: Vec<i64>,
    undefined: bool,
    /// How rarely an argument is not what its parameter asks for.
    odd: usize,
}

fn named(name: &str) -> Arg {
    Arg::Named(name.to_owned())
}

impl<'t> Pools<'t> {
    /// The same with these threads and events.
    pub(super) fn about(self, threads: Vec<Arg>, events: Vec<i64>) -> Pools<'t> {
        Pools { threads, events, ..self }
    }

    /// The same; one in so many arguments is not what its parameter asks for, if that is given.
    pub(super) fn with_odd(&self, odd: Option<usize>) -> Pools<'t> {
        Pools { odd: odd.unwrap_or(self.odd), ..self.clone() }
    }

    /// A few threads, objects and events.
    pub fn new(tables: &'t Tables, moment: Moment, chance: &mut Chance, undefined: bool) -> Pools<'t> {
        let mut threads: Vec<Arg> =
            (0..1 + chance.below(3)).map(|_| named(&chance.pick(&tables.roles).name)).collect();
        if chance.one_in(2) {
            threads.push(Arg::CurrentThread);
        }
        let objects = (0..1 + chance.below(3)).map(|_| named(OBJECTS[chance.below(OBJECTS.len())])).collect();
        let numbers: Vec<i64> = tables.edition.events.iter().map(|event| event.number.into()).collect();
        let events = (0..1 + chance.below(3)).map(|_| *chance.pick(&numbers)).collect();
        Pools { tables, moment, threads, objects, events, undefined, odd: ODD }
    }

    /// Arguments for a call; `None`: there is nothing to pass.
    pub fn arguments(&self, function: &Function, chance: &mut Chance, model: &Model<'_>) -> Option<Vec<Arg>> {
        let mut args: Vec<Arg> = Vec::with_capacity(function.params.len());
        let pair = if self.moment == Moment::Checkpoint { chance.pick(&FIELDS) } else { &FIELDS[3] };
        for param in &function.params {
            if param.c_type == "..." {
                continue;
            }
            let odd = chance.one_in(self.odd);
            let arg = match param.c_type.as_str() {
                _ if self.moment != Moment::Checkpoint
                    && matches!(param.kind, ParamKind::JniRef | ParamKind::Id)
                    && !param.dir.is_output() =>
                {
                    self.early(function, param, chance, model)?
                }
                "jclass" if has_field(function) && !odd => Arg::Class(pair.class.to_owned()),
                "jfieldID" if !odd => pair.arg(),
                // What is switched on writes to the output.
                "jboolean" if function.name == "SetVerboseFlag" => Arg::Int(0),
                _ if odd => self.odd(function, param, chance),
                _ if param.dir.is_output() => output(param, chance),
                _ => self.fine(function, param, chance, model)?,
            };
            args.push(arg);
        }
        self.lists_match_counts(function, &mut args, chance);
        Some(args)
    }

    /// A reference or id where there is no cast: null, or something of the class library.
    fn early(
        &self,
        function: &Function,
        param: &Param,
        chance: &mut Chance,
        model: &Model<'_>,
    ) -> Option<Arg> {
        let from_library = |class: &str| class.starts_with("java/lang/");
        let classes = self.moment.has_classes();
        Some(match param.c_type.as_str() {
            "jrawMonitorID" => return self.fine(function, param, chance, model),
            "jclass" if classes && has_field(function) => Arg::Class(FIELDS[3].class.to_owned()),
            "jfieldID" if classes => FIELDS[3].arg(),
            "jclass" if classes => chance.pick(&CLASSES[..3]).arg(),
            "jobject" if classes && param.name == "object" => chance.pick(&CLASSES[..3]).arg(),
            "jmethodID" if classes => {
                let some: Vec<_> = METHODS.iter().filter(|method| from_library(method.class)).collect();
                chance.pick(&some).arg()
            }
            _ => Arg::Null,
        })
    }

    fn fine(
        &self,
        function: &Function,
        param: &Param,
        chance: &mut Chance,
        model: &Model<'_>,
    ) -> Option<Arg> {
        Some(match (param.c_type.as_str(), param.name.as_str()) {
            // Another thread is no thread that can be started.
            ("jthread", _) if function.name == "RunAgentThread" => named("fresh"),
            ("jthread", _) => match (&param.null, chance.below(8)) {
                (NullRule::Means { .. }, 0 | 1) => Arg::Null,
                _ => chance.pick(&self.threads).clone(),
            },
            ("jclass", _) => chance.pick(&CLASSES).arg(),
            ("jmethodID", _) => chance.pick(&METHODS).arg(),
            ("jrawMonitorID", _) => {
                let mut names: Vec<&String> = model.state.monitors.keys().collect();
                names.sort();
                output_of(chance.below(names.len()).checked_add(0).and_then(|at| names.get(at))?, 1)
            }
            ("jthreadGroup", _) => named("group"),
            ("jobject", "exception") => named("throwable"),
            ("jobject", "initiating_loader") => named("loader"),
            ("jobject", "module" | "to_module") => self.module(chance)?,
            ("jobject", "class_loader") => match chance.below(8) {
                0..=3 => Arg::Null,
                4..=6 => named("loader"),
                _ => named("instance"),
            },
            ("jobject", _) => match chance.below(6) {
                0 => chance.pick(&CLASSES).arg(),
                1 => chance.pick(&self.threads).clone(),
                _ => chance.pick(&self.objects).clone(),
            },
            ("jvmtiEvent", _) => Arg::Int(*chance.pick(&self.events)),
            ("jvmtiEventMode", _) => Arg::Int(chance.below(2) as i64),
            ("jvmtiHeapObjectFilter", _) => Arg::Int(1 + chance.below(3) as i64),
            ("jvmtiError", _) => Arg::Int(chance.pick(&self.tables.edition.errors).number.into()),
            ("const jvmtiCapabilities*", _) => self.capabilities(chance),
            ("const jvmtiHeapCallbacks*", _) => heap::callbacks(chance),
            ("jvmtiVerboseFlag", _) => Arg::Int(*chance.pick(&[0, 1, 2, 4])),
            ("const void*", "data") => Arg::Int(*chance.pick(&[0, 1, 0x7001, 0x7002])),
            ("const void*", _) => Arg::Storage,
            ("jlong", "tag") => Arg::Int(*chance.pick(&[0, 1, -1, 77, i64::MAX, i64::MIN])),
            ("jlong", "millis") => Arg::Int(1),
            ("jlong", "size") => Arg::Int(*chance.pick(&[0, 1, 16, 4096])),
            ("jlocation", _) => Arg::Int(*chance.pick(&[0, 0, 0, 1, 5, 6, -1, i64::MAX])),
            ("jint", "depth") => Arg::Int(*chance.pick(&[0, 1, 1, 1, 2, 3, 5, 40])),
            ("jint", "slot") => Arg::Int(*chance.pick(&[0, 0, 1, 1, 3, 4, 6, 2, 7, 200])),
            ("jint", "start_depth") => Arg::Int(*chance.pick(&[0, 0, 0, 1, -1, 2])),
            ("jint", "max_frame_count") => Arg::Int(*chance.pick(&[0, 1, 10, 100])),
            ("jint", "priority") => Arg::Int(5),
            ("jint", _) => Arg::Int(*chance.pick(&[0, 1, 2])),
            ("jlong", _) => Arg::Int(*chance.pick(&EDGES)),
            ("jfloat" | "jdouble", _) => Arg::Float(0.5),
            ("jboolean", _) => Arg::Int(chance.below(2) as i64),
            ("const char*", name) => Arg::Str(self.text(name, chance).as_bytes().to_vec()),
            ("unsigned char*", _) => Arg::Null,
            (callback, _) if callback.ends_with("Callback") || callback.ends_with("StartFunction") => {
                Arg::Callback(heap::callback(callback, chance))
            }
            (list, _) if param.count.is_some() && list.starts_with("const ") => Arg::List(vec![]),
            _ => return None,
        })
    }

    /// A text for the parameter of that name.
    fn text(&self, name: &str, chance: &mut Chance) -> &'static str {
        match name {
            "property" if self.moment == Moment::OnLoad => "jvmticheck.explored",
            "property" if chance.one_in(2) => "java.vm.name",
            "property" => "jvmticheck.none",
            "pkg_name" => {
                let own = cast::MODULES.iter().filter_map(|(_, package)| *package);
                let some: Vec<&str> = own.chain([cast::NO_PACKAGE, "java/lang", ""]).collect();
                some[chance.below(some.len())]
            }
            "package_name" => {
                const SOME: [&str; 6] =
                    ["java/lang", "jvmticheck/modular", "jvmticheck/scenarios", "no/such", "", "java.lang"];
                SOME[chance.below(SOME.len())]
            }
            _ => "java/lang",
        }
    }

    /// A module; sometimes an object that is none. `None`: the release has no modules.
    fn module(&self, chance: &mut Chance) -> Option<Arg> {
        const FIRST: Release = Release(9);
        let name = if chance.one_in(12) { "instance" } else { chance.pick(&cast::MODULES).0 };
        (self.tables.edition.release >= FIRST).then(|| named(name))
    }

    fn capabilities(&self, chance: &mut Chance) -> Arg {
        let all = &self.tables.edition.capabilities;
        let field = |chance: &mut Chance| (chance.pick(all).name.clone(), Arg::Int(1));
        Arg::Struct((0..1 + chance.below(2)).map(|_| field(chance)).collect())
    }

    /// An argument that is not what its parameter asks for.
    fn odd(&self, function: &Function, param: &Param, chance: &mut Chance) -> Arg {
        let nullable = |param: &Param| !matches!(param.null, NullRule::Inapplicable);
        match param.c_type.as_str() {
            _ if param.dir.is_output() => Arg::Null,
            "jint" | "jvmtiEvent" | "jvmtiEventMode" | "jvmtiError" | "jvmtiHeapObjectFilter"
                if !function.name.starts_with("RawMonitor") =>
            {
                Arg::Int(*chance.pick(&EDGES))
            }
            "jlong" | "jlocation" => Arg::Int(*chance.pick(&EDGES)),
            "jthread" | "jclass" | "jthreadGroup"
                if self.moment == Moment::Checkpoint && chance.one_in(2) =>
            {
                match self.undefined {
                    true => Arg::Invalid(*chance.pick(&[Invalid::DeletedRef, Invalid::ClearedWeakRef])),
                    false => Arg::Invalid(Invalid::PlainObject),
                }
            }
            "jmethodID" | "jfieldID" if self.undefined => Arg::Invalid(Invalid::ZeroedMemory),
            "jrawMonitorID" if self.undefined => Arg::Invalid(Invalid::DestroyedMonitor),
            "jfloat" | "jdouble" => Arg::Float(-0.0),
            "jboolean" => Arg::Int(2),
            "jvmtiVerboseFlag" => Arg::Int(77),
            _ if nullable(param) => Arg::Null,
            _ => Arg::Int(0),
        }
    }
}

pub(super) fn has_field(function: &Function) -> bool {
    function.params.iter().any(|param| param.c_type == "jfieldID")
}

/// Storage for an output; null where that means that it is not wanted.
fn output(param: &Param, chance: &mut Chance) -> Arg {
    match &param.null {
        NullRule::Means { .. } if chance.one_in(6) => Arg::Null,
        _ => Arg::Storage,
    }
}

/// An output of the call that was saved under a name.
fn output_of(step: &str, param: u16) -> Arg {
    Arg::Output { step: step.to_owned(), param, path: Vec::<PathPart>::new() }
}

impl Pools<'_> {
    /// Makes lists as long as the counts that come with them say.
    fn lists_match_counts(&self, function: &Function, args: &mut [Arg], chance: &mut Chance) {
        for index in 0..function.params.len().min(args.len()) {
            let param = &function.params[index];
            let count = param.count.as_deref().filter(|count| !count.starts_with('*'));
            let counted = count.and_then(|count| function.params.iter().position(|p| p.name == count));
            let Some(counted) = counted else { continue };
            if param.dir.is_output() {
                continue;
            }
            let Arg::List(_) = args[index] else { continue };
            let is_here = self.moment == Moment::Checkpoint;
            let longest = if param.c_type.contains("Definition") { 1 } else { 4 };
            let list: Vec<Arg> = (0..chance.below(longest))
                .map(|_| match param.c_type.as_str() {
                    "const jthread*" | "const jclass*" if !is_here => Arg::Null,
                    // Neither a thread nor a class.
                    "const jthread*" | "const jclass*" if chance.one_in(self.odd) => {
                        Arg::Invalid(Invalid::PlainObject)
                    }
                    "const jthread*" => chance.pick(&self.threads).clone(),
                    "const jclass*" => chance.pick(&CLASSES).arg(),
                    _ => Arg::Int(*chance.pick(&[1, -1, 77, i64::MAX])),
                })
                .collect();
            let negative = matches!(args[counted], Arg::Int(count) if count < 0);
            if !negative {
                args[counted] = Arg::Int(list.len() as i64);
            }
            args[index] = Arg::List(list);
        }
    }
}
