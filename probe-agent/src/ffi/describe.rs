//! What is known of each function, event, agent callback and structure: the types of the generated descriptions.

use std::ffi::c_void;
use std::fmt;

pub use jvmti_spec::edition::{Dir, ParamKind};

use super::raw::{Caller, Forward};

/// A C type of the interface, resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CType {
    /// Behind a pointer only: memory of unknown content.
    Void,
    /// `char`
    Char,
    /// `unsigned char`
    UnsignedChar,
    /// `jboolean`
    Boolean,
    /// `jbyte`
    Byte,
    /// `jchar`
    JChar,
    /// `jshort`
    Short,
    /// `jint`
    Int,
    /// `jlong`, `jlocation`
    Long,
    /// `jfloat`
    Float,
    /// `jdouble`
    Double,
    /// `jvalue`
    JValue,
    /// An enumeration, by C name (`jvmtiError` included).
    Enum(&'static str),
    /// A JNI reference, by C name.
    Reference(&'static str),
    /// `jmethodID`
    Method,
    /// `jfieldID`
    Field,
    /// `jrawMonitorID`
    Monitor,
    /// Function of the agent's, of a type that the specification describes.
    Callback(&'static CallbackDescriptor),
    /// Any other function, by C name of its type.
    Function(&'static str),
    /// A structure or union.
    Struct(&'static StructLayout),
    /// Type that only ever stands behind a pointer and is not looked into (`JNIEnv`, `jniNativeInterface`), by C name.
    Opaque(&'static str),
    /// `...`
    Varargs,
    /// Pointer to that type.
    Pointer(&'static CType),
}

impl CType {
    /// Size in bytes of a value in memory; 0 for what has no value of its own.
    pub fn size(self) -> usize {
        match self {
            CType::Void | CType::Opaque(_) | CType::Varargs => 0,
            CType::Char | CType::UnsignedChar | CType::Boolean | CType::Byte => 1,
            CType::JChar | CType::Short => 2,
            CType::Int | CType::Float | CType::Enum(_) => 4,
            CType::Long | CType::Double | CType::JValue => 8,
            CType::Struct(layout) => layout.size,
            CType::Reference(_)
            | CType::Method
            | CType::Field
            | CType::Monitor
            | CType::Callback(_)
            | CType::Function(_)
            | CType::Pointer(_) => size_of::<*const c_void>(),
        }
    }

    /// The type that this one points to.
    pub fn pointee(self) -> Option<CType> {
        match self {
            CType::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    /// Whether it is an integer, boolean or enumeration.
    pub fn is_integer(self) -> bool {
        use CType::{Boolean, Byte, Char, Enum, Int, JChar, Long, Short, UnsignedChar};
        matches!(self, Char | UnsignedChar | Boolean | Byte | JChar | Short | Int | Long | Enum(_))
    }
}

impl fmt::Display for CType {
    /// As in C.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CType::Void => "void",
            CType::Char => "char",
            CType::UnsignedChar => "unsigned char",
            CType::Boolean => "jboolean",
            CType::Byte => "jbyte",
            CType::JChar => "jchar",
            CType::Short => "jshort",
            CType::Int => "jint",
            CType::Long => "jlong",
            CType::Float => "jfloat",
            CType::Double => "jdouble",
            CType::JValue => "jvalue",
            CType::Method => "jmethodID",
            CType::Field => "jfieldID",
            CType::Monitor => "jrawMonitorID",
            CType::Varargs => "...",
            CType::Enum(name) | CType::Reference(name) | CType::Function(name) | CType::Opaque(name) => name,
            CType::Callback(callback) => callback.name,
            CType::Struct(layout) => layout.name,
            CType::Pointer(to) => return write!(f, "{to}*"),
        })
    }
}

/// Number of elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Value of the parameter or field of that index.
    Value(u16),
    /// Value that the output parameter of that index points to.
    Pointee(u16),
}

/// A function of the interface.
#[derive(Debug)]
pub struct FunctionDescriptor {
    /// C name.
    pub name: &'static str,
    /// Position in the function table, from 1.
    pub slot: u16,
    /// JVM TI version that introduced it, as printed.
    pub since: &'static str,
    /// Parameters after the environment.
    pub params: &'static [ParamDescriptor],
    pub(crate) caller: Caller,
}

/// A parameter of a function.
#[derive(Debug)]
pub struct ParamDescriptor {
    /// Name as published.
    pub name: &'static str,
    /// C type as published.
    pub c_type: &'static str,
    /// C type, resolved.
    pub ty: CType,
    /// What sort of C value it is.
    pub kind: ParamKind,
    /// Which way data flows through it.
    pub dir: Dir,
    /// Number of elements of the array that it, or the pointer it is set to, points to.
    pub count: Option<Count>,
    /// The output is a JNI local reference, or an array of them.
    pub local_ref: bool,
    /// Fields that are JNI local references (`jvmtiStackInfo.thread`).
    pub local_ref_fields: &'static [&'static str],
    /// Fields to be deallocated (`jvmtiThreadInfo.name`).
    pub alloc_fields: &'static [&'static str],
}

impl ParamDescriptor {
    /// Whether it is, or holds, memory that the caller is to deallocate.
    pub fn gives_memory(&self) -> bool {
        self.dir.is_output()
            && (matches!(self.dir, Dir::OutAlloc | Dir::OutAllocAlloc) || !self.alloc_fields.is_empty())
    }
}

/// An event.
#[derive(Debug)]
pub struct EventDescriptor {
    /// Name.
    pub name: &'static str,
    /// Value of `jvmtiEvent`.
    pub number: u16,
    /// JVM TI version that introduced it, as printed.
    pub since: &'static str,
    /// Whether the first parameter is the `JNIEnv` of the thread.
    pub carries_jni: bool,
    /// Parameters after the environment.
    pub params: &'static [CallbackParam],
    pub(crate) trampoline: Code,
    pub(crate) forward: Forward,
}

impl EventDescriptor {
    /// Address of the probe's own function for the event.
    pub fn trampoline(&self) -> *const c_void {
        self.trampoline.0
    }
}

/// A type of function that the agent implements.
#[derive(Debug)]
pub struct CallbackDescriptor {
    /// C name.
    pub name: &'static str,
    /// C return type as published.
    pub returns: &'static str,
    /// All parameters in order.
    pub params: &'static [CallbackParam],
    /// Whether only callback-safe functions may be called inside it.
    pub heap_callback: bool,
    /// Address of the probe's own function of that type.
    pub(crate) trampoline: Code,
}

impl CallbackDescriptor {
    /// Address of the probe's own function of that type.
    pub fn trampoline(&self) -> *const c_void {
        self.trampoline.0
    }

    /// Index of the parameter of that name.
    pub fn param(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|p| p.name == name)
    }
}

// Two descriptions are the same type if they have its name; the trampoline's address adds nothing.
impl PartialEq for CallbackDescriptor {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }
}

/// A parameter of an event or agent callback.
#[derive(Debug)]
pub struct CallbackParam {
    /// Name as published.
    pub name: &'static str,
    /// C type as published.
    pub c_type: &'static str,
    /// C type, resolved.
    pub ty: CType,
    /// Number of elements of the array that it points to.
    pub count: Option<Count>,
    /// Parameter that tells the type of a `jvalue`, of the elements of a `void*` array, or the member of a union.
    pub selector: Option<u16>,
}

/// How a structure or union lies in memory, on the platform that the agent is built for.
#[derive(Debug)]
pub struct StructLayout {
    /// C name.
    pub name: &'static str,
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Whether it is a union.
    pub union: bool,
    /// Fields in order; padding bits are left out.
    pub fields: &'static [FieldLayout],
    /// Union only: which member goes with which value of the selecting enumeration.
    pub members: &'static [(i64, u16)],
}

impl StructLayout {
    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&'static FieldLayout> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// Whether it consists of bit fields (`jvmtiCapabilities`).
    pub fn is_bits(&self) -> bool {
        self.fields.first().is_some_and(|f| f.bit.is_some())
    }
}

impl PartialEq for StructLayout {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }
}

/// A field of a structure.
#[derive(Debug)]
pub struct FieldLayout {
    /// Name.
    pub name: &'static str,
    /// C type, resolved.
    pub ty: CType,
    /// Offset in bytes; for a bit field, of the 32-bit unit it lies in.
    pub offset: usize,
    /// Number of the bit in its 32-bit unit, from the least significant, for a bit field.
    pub bit: Option<u8>,
    /// Number of elements of the array that it points to.
    pub count: Option<Count>,
}

/// Number of a bit field's bit from the least significant of its unit; C compilers allocate from the end of the lower
/// address.
pub(crate) const fn bit_in_unit(position: u8) -> u8 {
    if cfg!(target_endian = "big") { 31 - position } else { position }
}

/// Address of code, to stand in static descriptions.
#[derive(Clone, Copy, Debug)]
pub struct Code(pub(crate) *const c_void);

// SAFETY: the address of a function is never written through, and the function lives as long as the program.
unsafe impl Sync for Code {}
// SAFETY: as above.
unsafe impl Send for Code {}
