//! Arguments as the plan gives them to the probe.

use serde::{Deserialize, Serialize};

/// One argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Arg {
    /// Null pointer or reference.
    Null,
    /// Integer, boolean, enumeration.
    Int(i64),
    /// `jfloat`, `jdouble`.
    Float(#[serde(with = "exact")] f64),
    /// String, passed as it is with a terminator.
    Str(Vec<u8>),
    /// Memory of that content.
    Bytes(Vec<u8>),
    /// An object that the scenario bound to this name with `Probe.bind`, or a saved JNI result.
    Named(String),
    /// The current thread, as a reference.
    CurrentThread,
    /// A class by its internal name (`java/lang/String`), as JNI `FindClass` finds it.
    Class(String),
    /// A method of a class, found by JNI without initialising more than that does.
    Method {
        /// Internal name of the class.
        class: String,
        /// Method name.
        name: String,
        /// Its descriptor; empty: the first of that name.
        signature: String,
        /// Whether it is static.
        is_static: bool,
    },
    /// A field of a class.
    Field {
        /// Internal name of the class.
        class: String,
        /// Field name.
        name: String,
        /// Its descriptor.
        signature: String,
        /// Whether it is static.
        is_static: bool,
    },
    /// An output of an earlier step of the case.
    Output {
        /// Name under which the step was saved.
        step: String,
        /// Index of the parameter after the environment.
        param: u16,
        /// Way into it.
        path: Vec<PathPart>,
    },
    /// A number that is `times` another plus `plus`.
    Linear {
        /// The other number.
        of: Box<Arg>,
        /// What it is multiplied by.
        times: i64,
        /// What is added to that.
        plus: i64,
    },
    /// The index of the first element of an array, an output of an earlier step, whose field is this.
    Position {
        /// Name under which the step was saved.
        step: String,
        /// Index of the parameter after the environment.
        param: u16,
        /// Name of the field.
        field: String,
        /// What it has to be.
        is: Box<Arg>,
    },
    /// A parameter of the event being handled.
    EventParam(u16),
    /// Storage of the probe's, prepared with a pattern and decoded afterwards. For any output parameter. For user data
    /// (`const void*`): what the probe likes, so that it can tell the callbacks of different calls apart.
    Storage,
    /// An array.
    List(Vec<Arg>),
    /// A structure; fields not named are zero. `jvmtiCapabilities`: names of bits that are 1.
    Struct(Vec<(String, Arg)>),
    /// A function of the probe's that records its invocations. Field values of `jvmtiHeapCallbacks` too.
    Callback(Callback),
    /// `jvmtiEventCallbacks` with the probe's recorder for these events only.
    EventCallbacks(Vec<u16>),
    /// Another environment of the case, by index.
    Environment(u8),
    /// A reference or id that is not what the parameter asks for.
    Invalid(Invalid),
}

/// Way into a structured output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PathPart {
    /// Element of an array.
    Index(u32),
    /// Field of a structure.
    Field(String),
}

/// What a callback of the probe's does besides recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Callback {
    /// Values returned by successive invocations; the last one is repeated. Empty: the type's "go on" value
    /// (`JVMTI_VISIT_OBJECTS`, `JVMTI_ITERATION_CONTINUE`).
    pub returns: Vec<i64>,
    /// A tag written through the object's tag pointer at each invocation, if the type has one.
    pub set_tag: Option<i64>,
    /// A tag written through the referrer's tag pointer at each invocation, if there is a referrer.
    pub set_referrer_tag: Option<i64>,
    /// How many invocations are recorded in full; the others are only counted. `None`: all.
    pub record: Option<u32>,
}

/// Deliberately wrong references and ids, by kind. None points to memory that is not the probe's own or the VM's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Invalid {
    /// A valid reference to a plain `java.lang.Object`, where a thread, group, class or module is wanted.
    PlainObject,
    /// A JNI global reference that has been deleted.
    DeletedRef,
    /// A weak global reference whose object is gone.
    ClearedWeakRef,
    /// The address of zeroed memory of the probe's, where an id is wanted.
    ZeroedMemory,
    /// A raw monitor that has been destroyed.
    DestroyedMonitor,
    /// An environment that has been disposed of.
    DisposedEnvironment,
}

/// Numbers that JSON has no way of writing (`NaN`, `inf`) or that a JSON reader may round: as text.
pub mod exact {
    use serde::Deserialize;
    use serde::de::{Deserializer, Error};
    use serde::ser::Serializer;

    /// Writes the number as text.
    pub fn serialize<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    /// As it is written, or as it was in traces of November 2026.
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        Number(f64),
    }

    /// Reads the number from text; older traces have numbers.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        match Written::deserialize(from)? {
            Written::Text(text) => text.parse().map_err(D::Error::custom),
            Written::Number(number) => Ok(number),
        }
    }
}
