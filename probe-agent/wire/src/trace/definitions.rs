//! What a trace has defined so far: objects, methods, threads, environments, extension functions, and the names that
//! scenarios gave to objects.

use rustc_hash::FxHashMap;

use super::{Body, Record};
use crate::value::{ObjectId, Value};

/// An index of the definitions in a trace. Pass it every record, in order.
///
/// ```
/// use jvmti_wire::trace::{Body, Definitions, Record};
/// use jvmti_wire::value::ObjectId;
///
/// let mut definitions = Definitions::default();
/// let object = ObjectId(7);
/// let body = Body::ObjectSeen { object, class: "Ljava/lang/Thread;".into(), name: "main".into() };
/// definitions.record(&Record { seq: 8, at: 0, thread: 1, body });
/// assert_eq!(definitions.class_of(object), Some("Ljava/lang/Thread;"));
/// assert_eq!(definitions.name_of(object), Some("main"));
/// ```
#[derive(Default)]
pub struct Definitions {
    objects: FxHashMap<ObjectId, DefinedObject>,
    methods: FxHashMap<u64, DefinedMethod>,
    /// What ids stood for before a JVM gave them to other methods.
    former: Vec<(u64, DefinedMethod)>,
    bound: FxHashMap<ObjectId, String>,
    threads: FxHashMap<u32, ObjectId>,
    environments: FxHashMap<u32, Owner>,
    extensions: FxHashMap<u16, String>,
    strings: Strings,
}

#[derive(Clone, Copy)]
struct DefinedObject {
    class: u32,
    name: u32,
}

/// A method as the trace defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinedMethod {
    /// Signature of the declaring class.
    pub class: String,
    /// Name.
    pub name: String,
    /// Descriptor.
    pub signature: String,
}

/// Whose an environment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Index of the case in the plan; `None`: the probe's own or an agent's.
    pub case: Option<u32>,
    /// Index among the case's environments.
    pub index: u8,
}

/// Strings kept once each: a trace may define millions of objects of few classes.
#[derive(Default)]
struct Strings {
    all: Vec<String>,
    index: FxHashMap<String, u32>,
}

impl Strings {
    fn keep(&mut self, text: &str) -> u32 {
        if let Some(i) = self.index.get(text) {
            return *i;
        }
        let i = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(text.to_owned());
        self.index.insert(text.to_owned(), i);
        i
    }

    fn get(&self, i: u32) -> &str {
        self.all.get(i as usize).map_or("", String::as_str)
    }
}

impl Definitions {
    /// Keeps what the record defines.
    pub fn record(&mut self, record: &Record) {
        match &record.body {
            Body::ObjectSeen { object, class, name } => {
                let defined =
                    DefinedObject { class: self.strings.keep(class), name: self.strings.keep(name) };
                self.objects.insert(*object, defined);
            }
            Body::MethodSeen { method, class, name, signature } => {
                let (class, name, signature) = (class.clone(), name.clone(), signature.clone());
                let defined = DefinedMethod { class, name, signature };
                let former = self.methods.insert(*method, defined);
                self.former.extend(former.map(|former| (*method, former)));
            }
            Body::ThreadSeen { object: Some(object), .. } => {
                self.threads.insert(record.thread, *object);
            }
            Body::Bind { name, value: Value::Object(object) } => {
                self.bound.insert(*object, name.clone());
            }
            Body::EnvironmentMade { environment, case, index, .. } => {
                self.environments.insert(*environment, Owner { case: *case, index: *index });
            }
            Body::ExtensionFunctionSeen { function, id } => {
                self.extensions.insert(*function, id.clone());
            }
            _ => {}
        }
    }

    /// Signature of an object's class.
    pub fn class_of(&self, object: ObjectId) -> Option<&str> {
        self.objects.get(&object).map(|o| self.strings.get(o.class))
    }

    /// An object's own name: a thread's name, a class's signature.
    pub fn name_of(&self, object: ObjectId) -> Option<&str> {
        self.objects.get(&object).map(|o| self.strings.get(o.name)).filter(|n| !n.is_empty())
    }

    /// The signature of the class that this object is, if the object is known; `Some(None)`: it is no class.
    pub fn class_signature(&self, object: ObjectId) -> Option<Option<&str>> {
        let class = self.class_of(object)?;
        Some((class == "Ljava/lang/Class;").then(|| self.name_of(object).unwrap_or_default()))
    }

    /// The name that a scenario bound the object to, the latest.
    pub fn bound_name(&self, object: ObjectId) -> Option<&str> {
        self.bound.get(&object).map(String::as_str)
    }

    /// The method of that id, the latest.
    pub fn method(&self, method: u64) -> Option<&DefinedMethod> {
        self.methods.get(&method)
    }

    /// All methods that the id stood for, the latest first: a JVM may use an id again when the class has been unloaded.
    pub fn methods(&self, method: u64) -> impl Iterator<Item = &DefinedMethod> {
        let former = self.former.iter().rev().filter(move |(id, _)| *id == method);
        self.methods.get(&method).into_iter().chain(former.map(|(_, defined)| defined))
    }

    /// The `java.lang.Thread` of a native thread, once known.
    pub fn thread_object(&self, thread: u32) -> Option<ObjectId> {
        self.threads.get(&thread).copied()
    }

    /// Whose an environment is, by the probe's number.
    pub fn owner(&self, environment: u32) -> Option<Owner> {
        self.environments.get(&environment).copied()
    }

    /// The name of an extension function, by the number that stands for its slot.
    pub fn extension_function(&self, function: u16) -> Option<&str> {
        self.extensions.get(&function).map(String::as_str)
    }
}
