//! Shows traces to people.
//!
//! [`Names`] gives names to what is in a trace: constants, bits and error codes by the names of the specification, objects
//! by the name that the scenario gave them or by their class, methods by class and name; and it puts a whole record into
//! words. [`listing`] prints a trace line by line, or the part of it that belongs to a case, function, event or thread;
//! [`timeline`] draws it for trace viewers.

use std::borrow::Cow;

use jvmti_spec::Edition;
use jvmti_spec::edition::{Function, Phase};
use jvmti_wire::trace::{Definitions, JNI_FUNCTION, OpenCall, OpenCalls, Record};
use jvmti_wire::value::{ObjectId, Value};

mod constants;
pub mod jni;
pub mod listing;
mod native_code;
mod record;
mod text;
pub mod timeline;

pub use record::code_place;
pub use text::{decode_modified_utf8, is_modified_utf8, modified_utf8};

/// Names for what is in a trace, as far as the trace has defined it. Pass every record to [`Names::observe`].
///
/// ```
/// use jvmti_spec::Spec;
/// use jvmti_traces::Names;
/// use jvmti_wire::trace::{Body, Record, StepRef};
/// use jvmti_wire::value::{ObjectId, Value};
///
/// let spec = Spec::embedded().newest();
/// let mut names = Names::new(&spec);
/// let object = ObjectId(7);
/// let body = Body::ObjectSeen { object, class: "Ljava/lang/Thread;".into(), name: "main".into() };
/// names.observe(&Record { seq: 8, at: 0, thread: 1, body });
///
/// let function = spec.function("GetThreadState").unwrap().slot;
/// let args = vec![Value::Object(object), Value::Pointer(0x7f00)];
/// let body = Body::CallBegin { call: 1, environment: 1, function, step: StepRef::None, args };
/// let begun = Record { seq: 16, at: 1000, thread: 1, body };
/// assert_eq!(names.record(&begun), "GetThreadState(thread: java.lang.Thread \"main\")");
/// ```
pub struct Names<'a> {
    spec: &'a Edition,
    /// Its functions, by slot.
    slots: Vec<Option<&'a Function>>,
    definitions: Definitions,
    calls: OpenCalls,
}

impl<'a> Names<'a> {
    /// Nothing seen yet; names of functions, events, errors and constants are those of `spec`.
    pub fn new(spec: &'a Edition) -> Self {
        let mut slots = vec![None; spec.functions.iter().map(|f| usize::from(f.slot) + 1).max().unwrap_or(0)];
        for function in &spec.functions {
            slots[usize::from(function.slot)] = Some(function);
        }
        Names { spec, slots, definitions: Definitions::default(), calls: OpenCalls::default() }
    }

    /// The edition whose names are used.
    pub fn spec(&self) -> &'a Edition {
        self.spec
    }

    /// Learns from a record; returns the call that it ends.
    pub fn observe(&mut self, record: &Record) -> Option<OpenCall> {
        self.definitions.record(record);
        self.calls.record(record)
    }

    /// What the trace has defined so far.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// The calls that have not returned.
    pub fn calls(&self) -> &OpenCalls {
        &self.calls
    }

    /// The name of a recorded thread, if it has one.
    pub fn thread_name(&self, thread: u32) -> Option<&str> {
        self.definitions.thread_object(thread).and_then(|object| self.definitions.name_of(object))
    }

    /// A recorded thread: `3 "worker"`.
    pub fn thread(&self, thread: u32) -> String {
        match self.thread_name(thread) {
            Some(name) => format!("{thread} \"{}\"", text::printable(name)),
            None if thread == 0 => "?".to_owned(),
            None => thread.to_string(),
        }
    }

    /// A function by its slot, or [`JNI_FUNCTION`] and its index.
    pub fn function(&self, slot: u16) -> Cow<'_, str> {
        match (self.facts(slot), self.definitions.extension_function(slot)) {
            (Some(facts), _) => Cow::Borrowed(&facts.name),
            // Extension functions have numbers with that bit, too.
            (None, Some(extension)) => Cow::Borrowed(extension),
            (None, None) if slot & JNI_FUNCTION != 0 => Cow::Owned(jni::name(slot & !JNI_FUNCTION)),
            (None, None) => Cow::Owned(format!("function {slot}")),
        }
    }

    /// What the specification says of a function, by its slot.
    pub fn facts(&self, slot: u16) -> Option<&'a Function> {
        self.slots.get(usize::from(slot)).copied().flatten()
    }

    /// An event by its number.
    pub fn event(&self, number: u16) -> String {
        match self.spec.event_by_number(number) {
            Some(e) => e.name.clone(),
            None => format!("event {number}"),
        }
    }

    /// An error code: `INVALID_THREAD (10)`.
    pub fn error(&self, code: i32) -> String {
        match self.spec.error_by_number(code) {
            Some(e) => format!("{} ({code})", e.name),
            None => format!("{code}, which is no error code"),
        }
    }

    /// An object, as well as it is known: `$worker`, `Thread "main"`, `class java.util.List`, `java.lang.Object #7`.
    pub fn object(&self, object: ObjectId) -> String {
        if let Some(name) = self.definitions.bound_name(object) {
            return format!("${}", text::printable(name));
        }
        let Some(class) = self.definitions.class_of(object) else { return format!("object #{}", object.0) };
        match (class, self.definitions.name_of(object)) {
            ("Ljava/lang/Class;", Some(name)) => format!("class {}", type_name(name)),
            (class, Some(name)) => format!("{} \"{}\"", type_name(class), text::printable(name)),
            (class, None) => format!("{} #{}", type_name(class), object.0),
        }
    }

    /// Whether it is a virtual thread. The JDK has classes of its own for these, whose names tell.
    pub fn is_virtual_thread(&self, object: ObjectId) -> bool {
        self.definitions.class_of(object).is_some_and(|class| class.ends_with("VirtualThread;"))
    }

    /// A method: `java.lang.String.length()I`.
    pub fn method(&self, method: u64) -> String {
        match self.definitions.method(method) {
            Some(m) => format!("{}.{}{}", type_name(&m.class), text::printable(&m.name), m.signature),
            None => format!("method {method:#x}"),
        }
    }

    /// A value of which nothing more is known.
    pub fn value(&self, value: &Value) -> String {
        self.shown(value, None)
    }

    /// An argument of a function or one of its outputs, its constants and bits by name.
    pub fn parameter(&self, function: u16, param: u16, value: &Value) -> String {
        self.shown(value, constants::of_function(self.spec, function, param))
    }

    /// A parameter of an event.
    pub fn event_parameter(&self, event: u16, param: u16, value: &Value) -> String {
        self.shown(value, constants::of_event(self.spec, event, param))
    }

    /// A thread's state bits by name.
    pub fn thread_state(&self, bits: u32) -> String {
        constants::show(self.spec, constants::Named::Bits("jvmtiThreadState"), bits.into())
    }

    /// The names of the bits of a thread's state.
    pub fn thread_state_bits(&self, bits: u32) -> Vec<String> {
        constants::bit_names(self.spec, "jvmtiThreadState", bits.into())
    }

    /// A value of which the constant group is known (`jvmtiThreadState`).
    fn shown(&self, value: &Value, named: Option<constants::Named>) -> String {
        const SHOWN: usize = 12;
        match value {
            Value::Null => "null".to_owned(),
            Value::Untouched => "(untouched)".to_owned(),
            Value::Int(i) => match named {
                Some(named) => constants::show(self.spec, named, *i),
                None => i.to_string(),
            },
            Value::Float(f) => format!("{f:?}"),
            Value::Str(bytes) => match decode_modified_utf8(bytes) {
                Some(s) => format!("{:?}", text::shortened(&s, 200)),
                None => format!("not modified UTF-8: {}", text::hex(bytes, 40)),
            },
            Value::Bytes(bytes) => format!("{} bytes {}", bytes.len(), text::hex(bytes, 16)),
            Value::Object(object) => self.object(*object),
            Value::Opaque | Value::Reference(_) => "(a reference)".to_owned(),
            Value::Method(method) => self.method(*method),
            Value::Field(field) => format!("field {field:#x}"),
            Value::Pointer(pointer) => format!("{pointer:#x}"),
            Value::List(items) => {
                let mut shown: Vec<String> = items.iter().take(SHOWN).map(|v| self.shown(v, named)).collect();
                if items.len() > SHOWN {
                    shown.push(format!("… {} in all", items.len()));
                }
                format!("[{}]", shown.join(", "))
            }
            Value::Struct(fields) => {
                let only_bits = fields.len() > SHOWN
                    && fields.iter().all(|(_, v)| matches!(v, Value::Int(0 | 1) | Value::Untouched));
                let shown: Vec<String> = fields
                    .iter()
                    .filter(|(_, v)| !only_bits || *v == Value::Int(1))
                    .map(|(n, v)| match only_bits {
                        true => n.clone(),
                        false => format!("{n}: {}", self.shown(v, constants::of_field(n))),
                    })
                    .collect();
                format!("{{{}}}", shown.join(", "))
            }
        }
    }
}

/// A class signature as Java writes the type: `Ljava/util/List;` → `java.util.List`, `[I` → `int[]`.
pub fn type_name(signature: &str) -> String {
    let element = signature.trim_start_matches('[');
    let dimensions = signature.len() - element.len();
    let base = match element {
        "Z" => "boolean".to_owned(),
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "S" => "short".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "F" => "float".to_owned(),
        "D" => "double".to_owned(),
        "V" => "void".to_owned(),
        _ => {
            let inner = element.strip_prefix('L').and_then(|s| s.strip_suffix(';')).unwrap_or(element);
            text::printable(&inner.replace('/', "."))
        }
    };
    base + &"[]".repeat(dimensions)
}

/// A phase in words.
pub fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::OnLoad => "OnLoad",
        Phase::Primordial => "primordial",
        Phase::Start => "start",
        Phase::Live => "live",
        Phase::Dead => "dead",
    }
}
