//! What sequences call functions on: the names that the scenario `Explored` binds, classes and their members, and what is
//! known of each from its source.

use jvmti_spec::Release;
use jvmti_wire::plan::Arg;

/// Name of the Java scenario.
pub const SCENARIO: &str = "Explored";
/// Internal name of its class, whose static methods are the actions.
pub const SCENARIO_CLASS: &str = "jvmticheck/scenarios/Explored";
/// Internal name of the class that sequences redefine, of which no method is on a stack unless the main thread calls it.
pub const TARGET_CLASS: &str = "jvmticheck/scenarios/Explored$Target";
/// The checkpoint at which sequences run.
pub const CHECKPOINT: &str = "ready";

/// The release from which on there are virtual threads.
pub const VIRTUAL_SINCE: Release = Release(21);

/// What a thread of the cast does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// It is not started.
    Fresh,
    /// It has ended.
    Ended,
    /// It parks.
    Parked,
    /// It sleeps.
    Sleeping,
    /// It waits on `$monitor`.
    Waiting,
    /// It waits to enter `$lock`, which the main thread holds.
    Blocked,
    /// It stays in a native method.
    InNative,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Part::Fresh => "not started",
            Part::Ended => "ended",
            Part::Parked => "parked",
            Part::Sleeping => "sleeping",
            Part::Waiting => "waiting",
            Part::Blocked => "blocked",
            Part::InNative => "in a native method",
        })
    }
}

/// The parts, with the names of the threads that play them.
const PARTS: [(Part, &str); 7] = [
    (Part::Fresh, "fresh"),
    (Part::Ended, "ended"),
    (Part::Parked, "parked"),
    (Part::Sleeping, "sleeping"),
    (Part::Waiting, "waiting"),
    (Part::Blocked, "blocked"),
    (Part::InNative, "in_native"),
];

/// A thread of the cast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// The name that it is bound to, which is its own name, too.
    pub name: String,
    /// What it does.
    pub part: Part,
    /// Whether it is a virtual thread.
    pub is_virtual: bool,
}

/// A class, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct ClassFacts {
    /// How sequences refer to it: an internal name, or `$` and the name that it is bound to.
    pub reference: &'static str,
    /// Its signature.
    pub signature: &'static str,
    /// What kind of class it is.
    pub kind: ClassKind,
    /// The number of methods and fields that it declares, if every JVM must agree.
    pub members: Option<(usize, usize)>,
    /// Whether its loader is the bootstrap loader.
    pub is_boot: bool,
}

/// Kinds of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// A primitive type.
    Primitive,
    /// An array class.
    Array,
    /// An interface.
    Interface,
    /// Any other.
    Class,
}

/// The classes.
pub const CLASSES: [ClassFacts; 7] = [
    class("java/lang/Object", "Ljava/lang/Object;", ClassKind::Class, None, true),
    class("java/lang/String", "Ljava/lang/String;", ClassKind::Class, None, true),
    class("java/lang/Runnable", "Ljava/lang/Runnable;", ClassKind::Interface, Some((1, 0)), true),
    class(SCENARIO_CLASS, "Ljvmticheck/scenarios/Explored;", ClassKind::Class, None, false),
    class("[I", "[I", ClassKind::Array, None, true),
    class("$int_class", "I", ClassKind::Primitive, None, true),
    class(TARGET_CLASS, "Ljvmticheck/scenarios/Explored$Target;", ClassKind::Class, Some((4, 2)), false),
];

const fn class(
    reference: &'static str,
    signature: &'static str,
    kind: ClassKind,
    members: Option<(usize, usize)>,
    is_boot: bool,
) -> ClassFacts {
    ClassFacts { reference, signature, kind, members, is_boot }
}

impl ClassFacts {
    /// The class as an argument.
    pub fn arg(&self) -> Arg {
        match self.reference.strip_prefix('$') {
            Some(name) => Arg::Named(name.to_owned()),
            None => Arg::Class(self.reference.to_owned()),
        }
    }
}

/// A method, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct MethodFacts {
    /// Internal name of its class.
    pub class: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its descriptor.
    pub descriptor: &'static str,
    /// Whether it is static.
    pub is_static: bool,
    /// Its modifiers.
    pub modifiers: i64,
    /// The words that its arguments take.
    pub arguments: i64,
    /// What kind of code it has.
    pub code: Code,
}

/// The code of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// It is native.
    Native,
    /// It is abstract.
    Abstract,
    /// Bytecodes, of which nothing is known but that they begin at 0.
    Some,
    /// Bytecodes and the number of local variables, as any compiler translates a trivial method.
    Known(&'static [u8], i64),
}

/// The methods.
pub const METHODS: [MethodFacts; 7] = [
    method(SCENARIO_CLASS, "twice", "(I)I", true, 0x8, 1, Code::Known(&[0x1a, 5, 0x68, 0x3c, 0x1b, 0xac], 2)),
    method(SCENARIO_CLASS, "ready", "(IJFDLjava/lang/Object;)V", true, 0x8, 7, Code::Some),
    method(SCENARIO_CLASS, "run", "()V", false, 0x1, 1, Code::Some),
    method("java/lang/Runnable", "run", "()V", false, 0x401, 1, Code::Abstract),
    method("jvmticheck/Probe", "checkpoint", "(Ljava/lang/String;)V", true, 0x109, 1, Code::Native),
    method("java/lang/String", "length", "()I", false, 0x1, 1, Code::Some),
    method(TARGET_CLASS, "answer", "(I)I", true, 0x8, 1, Code::Some),
];

const fn method(
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    is_static: bool,
    modifiers: i64,
    arguments: i64,
    code: Code,
) -> MethodFacts {
    MethodFacts { class, name, descriptor, is_static, modifiers, arguments, code }
}

impl MethodFacts {
    /// The method as an argument.
    pub fn arg(&self) -> Arg {
        Arg::Method {
            class: self.class.to_owned(),
            name: self.name.to_owned(),
            signature: self.descriptor.to_owned(),
            is_static: self.is_static,
        }
    }
}

/// A field, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct FieldFacts {
    /// Internal name of its class.
    pub class: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its descriptor.
    pub descriptor: &'static str,
    /// Whether it is static.
    pub is_static: bool,
    /// Its modifiers.
    pub modifiers: i64,
}

/// The fields.
pub const FIELDS: [FieldFacts; 4] = [
    FieldFacts { class: SCENARIO_CLASS, name: "number", descriptor: "I", is_static: false, modifiers: 0 },
    FieldFacts { class: SCENARIO_CLASS, name: "counter", descriptor: "I", is_static: true, modifiers: 8 },
    FieldFacts {
        class: SCENARIO_CLASS,
        name: "object",
        descriptor: "Ljava/lang/Object;",
        is_static: false,
        modifiers: 0,
    },
    FieldFacts { class: "java/lang/String", name: "hash", descriptor: "I", is_static: false, modifiers: 2 },
];

impl FieldFacts {
    /// The field as an argument.
    pub fn arg(&self) -> Arg {
        Arg::Field {
            class: self.class.to_owned(),
            name: self.name.to_owned(),
            signature: self.descriptor.to_owned(),
            is_static: self.is_static,
        }
    }
}

/// Objects that are neither threads nor classes.
pub const OBJECTS: [&str; 7] = ["object", "instance", "string", "throwable", "array", "lock", "monitor"];

/// Modules, from release 9 on: the names that they are bound to, and a package of each that is named.
pub const MODULES: [(&str, Option<&str>); 3] =
    [("base", Some("java.util.jar")), ("module", Some("jvmticheck.modular")), ("unnamed", None)];

/// The name of a package that no module has.
pub const NO_PACKAGE: &str = "jvmticheck.none";

/// The variables of the method at the checkpoint: slot, and how the functions call the type.
pub const VARIABLES: [(i64, &str); 5] = [(0, "Int"), (1, "Long"), (3, "Float"), (4, "Double"), (6, "Object")];

/// Threads that are not started, for RunAgentThread; `gather` waits for their ends.
pub const AGENTS: [&str; 3] = ["agent1", "agent2", "agent3"];

/// Threads that `stir` starts, as far as the release has them, which call, throw, lock and wait all the time.
pub const STIRRED: [&str; 2] = ["stirred", "virtual_stirred"];

/// Actions that sequences take only if several threads act at the same time.
pub const STIR: &str = "stir";
/// See [`STIR`].
pub const GATHER: &str = "gather";
/// See [`STIR`].
pub const STILL: &str = "still";

/// The actions: static methods of the scenario, those that take long last.
pub const ACTIONS: [&str; 12] = [
    "fields",
    "call",
    "fling",
    "start",
    "load",
    "allocate",
    "pause",
    "wake",
    "interrupt",
    "target",
    "collect",
    "exhaust",
];

/// How many of the actions take long.
pub const SLOW_ACTIONS: usize = 2;

/// The action that lets each thread go on for a moment, so that what it was asked for comes to it.
pub const ROUSE: &str = "rouse";

/// The action that undoes what a sequence has done to the threads.
pub const REPAIR: &str = "repair";

/// The threads that there are on JVMs of a release.
pub fn roles(release: Release) -> Vec<Role> {
    let kinds: &[(bool, &str)] =
        if release >= VIRTUAL_SINCE { &[(false, ""), (true, "virtual_")] } else { &[(false, "")] };
    let role = |(is_virtual, prefix): &(bool, &str)| {
        PARTS.map(|(part, name)| Role { name: format!("{prefix}{name}"), part, is_virtual: *is_virtual })
    };
    kinds.iter().flat_map(role).collect()
}

/// The class that an argument refers to, if it is one of [`CLASSES`].
pub fn class_of(arg: &Arg) -> Option<&'static ClassFacts> {
    match arg {
        Arg::Class(name) => CLASSES.iter().find(|class| class.reference == name),
        Arg::Named(name) => CLASSES.iter().find(|class| class.reference.strip_prefix('$') == Some(name)),
        _ => None,
    }
}

/// The method that an argument refers to, if it is one of [`METHODS`].
pub fn method_of(arg: &Arg) -> Option<&'static MethodFacts> {
    let Arg::Method { class, name, .. } = arg else { return None };
    METHODS.iter().find(|method| method.class == class && method.name == name)
}

/// The field that an argument refers to, if it is one of [`FIELDS`].
pub fn field_of(arg: &Arg) -> Option<&'static FieldFacts> {
    let Arg::Field { class, name, .. } = arg else { return None };
    FIELDS.iter().find(|field| field.class == class && field.name == name)
}
