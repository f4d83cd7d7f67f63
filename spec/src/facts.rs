//! The merged facts of all releases, in the form of the files under `facts/`: one entry for each function, event and so
//! on, in which each detail states the releases in which it holds.
//!
//! The build script reads the YAML into these types and embeds them; [`crate::Spec::at`] derives an [`crate::Edition`]
//! from them. The files omit what follows from other facts (the direction of a parameter from its C type, the condition
//! prefix of an error row from its error code); deriving an edition adds it again.

use serde::{Deserialize, Serialize};

use crate::Release;
use crate::edition::{Dir, NullUnless, Phase, StructKind};
use crate::span::{Flag, ReleaseSpan, Spanned, Varying};
use crate::wording::Wording;

/// Everything under `facts/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// `chapters.yaml`, in the order of the text.
    pub chapters: Vec<ChapterFacts>,
    /// `functions/*.yaml`, one list for each chapter, in the order of `chapters`.
    pub functions: Vec<Vec<FunctionFacts>>,
    /// `events.yaml`, in the order of the text.
    pub events: Vec<EventFacts>,
    /// `capabilities.yaml`, by bit.
    pub capabilities: Vec<CapabilityFacts>,
    /// `errors.yaml`.
    pub errors: ErrorFacts,
    /// `constants.yaml`.
    pub constants: Vec<crate::edition::ConstantGroup>,
    /// `callbacks.yaml`.
    pub callbacks: Vec<CallbackFacts>,
    /// `structs.yaml`.
    pub structs: Vec<StructFacts>,
    /// `wording.yaml`.
    pub wording: Wording,
}

/// A function category.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChapterFacts {
    /// Kebab-case id, also the name of its file under `facts/functions/`.
    pub id: String,
    /// Title as published.
    pub name: String,
    /// Anchor in the published HTML.
    pub anchor: String,
    /// First release that contains it.
    #[serde(default)]
    pub since: Option<Release>,
    /// Whether, and since when, it is deprecated.
    #[serde(default)]
    pub deprecated: Flag,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionFacts {
    /// C name.
    pub name: String,
    /// Published title.
    pub title: String,
    /// Position in the function table, from 1.
    pub slot: u16,
    /// JVM TI version that introduced it, as printed.
    #[serde(default = "first_version")]
    pub since: String,
    /// Release that introduced it as a preview feature, before `since`.
    #[serde(default)]
    pub preview_from: Option<Release>,
    /// Phases in which it may be called.
    pub phases: Phases,
    /// Whether heap, garbage collection and ObjectFree callbacks may call it.
    #[serde(default)]
    pub callback_safe: bool,
    /// Its capability table.
    #[serde(default)]
    pub capabilities: CapabilityRows,
    /// Whether its capability table maps capabilities to events that it can enable; the facts about events state which.
    #[serde(default)]
    pub enables_events: bool,
    /// Required state of the target thread.
    #[serde(default)]
    pub thread_state: Varying<String>,
    /// Whether the heap must not change during the call.
    #[serde(default)]
    pub heap_frozen: Flag,
    /// Whether its behaviour depends on preview features.
    #[serde(default)]
    pub preview_sensitive: Flag,
    /// Whether its description mentions virtual threads.
    #[serde(default)]
    pub virtual_threads: Flag,
    /// Parameters after the environment.
    #[serde(default)]
    pub params: Vec<ParamFacts>,
    /// Rows of its error table.
    #[serde(default)]
    pub errors: Vec<ErrorRowFacts>,
}

/// A parameter. Its kind follows from its type and count, as does its direction unless it is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamFacts {
    /// Name as published.
    pub name: String,
    /// C type as published.
    #[serde(rename = "type")]
    pub c_type: String,
    /// Direction, where it is not the usual one of the type.
    #[serde(default)]
    pub dir: Option<Dir>,
    /// Element count: a parameter's name, or `*name` for an output count.
    #[serde(default)]
    pub count: Option<String>,
    /// What null means (`current_thread`) or the error that the function returns for it (`NULL_POINTER`). By default
    /// this is `NULL_POINTER` for a pointer; for a reference or ID, the `INVALID_*` error of its type covers null.
    #[serde(default)]
    pub null: Option<String>,
    /// Condition under which an otherwise allowed null is an error.
    #[serde(default)]
    pub unless: Option<NullUnless>,
    /// When the output may be null.
    #[serde(default)]
    pub returns_null: Varying<String>,
    /// Whether the output is a JNI local reference or an array of them.
    #[serde(default)]
    pub local_ref: bool,
    /// Fields of the pointed-to structure that are local references (others qualified by their structure).
    #[serde(default)]
    pub local_ref_fields: Vec<String>,
    /// Fields of the pointed-to structure that the agent deallocates (others qualified by their structure).
    #[serde(default)]
    pub alloc_fields: Vec<String>,
}

/// A row of an error table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorRowFacts {
    /// Short name of the error code.
    pub error: String,
    /// Conditions, without the prefix that the error code implies. Empty if the error code is the whole condition.
    #[serde(default)]
    pub when: OneOrMany,
    /// First release that contains the row.
    #[serde(default)]
    pub since: Option<Release>,
    /// Last release that contains the row.
    #[serde(default)]
    pub until: Option<Release>,
}

impl ErrorRowFacts {
    /// The releases that contain the row.
    pub fn span(&self) -> ReleaseSpan {
        ReleaseSpan { since: self.since, until: self.until }
    }
}

/// The capability table of a function or event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapabilityRows {
    /// The environment must possess all of these. If there are none, the functionality is mandatory.
    #[serde(default)]
    pub required: Vec<Spanned<String>>,
    /// Each adds an optional feature.
    #[serde(default)]
    pub optional: Vec<Spanned<String>>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventFacts {
    /// Name.
    pub name: String,
    /// Published title.
    pub title: String,
    /// C constant.
    pub constant: String,
    /// Value of `jvmtiEvent`.
    pub number: u16,
    /// JVM TI version that introduced it, as printed.
    #[serde(default = "first_version")]
    pub since: String,
    /// Release that introduced it as a preview feature, before `since`.
    #[serde(default)]
    pub preview_from: Option<Release>,
    /// Phases in which it may be sent.
    pub phases: Phases,
    /// Its capability table.
    #[serde(default)]
    pub capabilities: CapabilityRows,
    /// Whether it can be enabled for one thread.
    #[serde(default = "yes")]
    pub thread_filterable: bool,
    /// Whether its callback may call only callback-safe functions.
    #[serde(default)]
    pub callback_safe_only: bool,
    /// Whether its behaviour depends on preview features.
    #[serde(default)]
    pub preview_sensitive: Flag,
    /// Whether its description mentions virtual threads.
    #[serde(default)]
    pub virtual_threads: Flag,
    /// Parameters after the environment.
    #[serde(default)]
    pub params: Vec<CallbackParamFacts>,
}

/// A parameter of an event or agent callback.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallbackParamFacts {
    /// Name as published.
    pub name: String,
    /// C type as published.
    #[serde(rename = "type")]
    pub c_type: String,
    /// When it may be null.
    #[serde(default)]
    pub null_when: Varying<String>,
}

/// A capability; its bit is its position in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapabilityFacts {
    /// Name.
    pub name: String,
    /// JVM TI version that introduced it, as printed.
    #[serde(default = "first_version")]
    pub since: String,
    /// Release that introduced it as a preview feature, before `since`.
    #[serde(default)]
    pub preview_from: Option<Release>,
    /// Whether it belongs to a feature that is still in preview.
    #[serde(default)]
    pub preview: bool,
}

/// Error codes by group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorFacts {
    /// Errors that any function may return.
    pub universal: Vec<ErrorCodeFacts>,
    /// Errors that the VM must detect.
    pub function_required: Vec<ErrorCodeFacts>,
    /// Errors that the VM need not detect.
    pub function_agent: Vec<ErrorCodeFacts>,
}

/// An error code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorCodeFacts {
    /// Short name.
    pub name: String,
    /// Value of `jvmtiError`.
    pub number: i32,
    /// First release that contains it.
    #[serde(default)]
    pub since: Option<Release>,
}

/// A type of function that the agent implements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallbackFacts {
    /// C name.
    pub name: String,
    /// Title of the chapter that defines it.
    pub chapter: String,
    /// C return type.
    #[serde(default = "void")]
    pub returns: String,
    /// Whether it may call only callback-safe functions.
    #[serde(default)]
    pub heap_callback: bool,
    /// All parameters.
    pub params: Vec<CallbackParamFacts>,
}

/// A structure, union or enumeration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructFacts {
    /// C name.
    pub name: String,
    /// Whether it is a structure, a union or an enumeration.
    #[serde(default = "structure")]
    pub kind: StructKind,
    /// Fields, unless they follow from other facts.
    #[serde(default)]
    pub fields: Vec<CallbackParamFacts>,
    /// The facts from which the fields follow otherwise.
    #[serde(default)]
    pub fields_of: Option<FieldsOf>,
}

/// Facts from which a type's fields follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldsOf {
    /// One bit for each capability, padded to 128.
    Capabilities,
    /// One callback pointer for each event in the order of their numbers, with reserved entries for gaps.
    Events,
    /// The constant group of the same name.
    Constants,
}

/// Phases of a function or event.
#[derive(Clone, Debug, PartialEq)]
pub enum Phases {
    /// All five phases.
    Any,
    /// The listed phases.
    Only(Vec<Spanned<Phase>>),
}

/// One string or a list of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OneOrMany(pub Vec<String>);

fn first_version() -> String {
    "1.0".into()
}

fn void() -> String {
    "void".into()
}

fn structure() -> StructKind {
    StructKind::Struct
}

fn yes() -> bool {
    true
}

impl Serialize for Phases {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let listed: Option<&Vec<Spanned<Phase>>> = match self {
            Phases::Any => None,
            Phases::Only(listed) => Some(listed),
        };
        listed.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Phases {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Any {
            Any,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Any(#[allow(dead_code)] Any),
            Only(Vec<Spanned<Phase>>),
        }
        if !from.is_human_readable() {
            let listed = Option::<Vec<Spanned<Phase>>>::deserialize(from)?;
            return Ok(listed.map_or(Phases::Any, Phases::Only));
        }
        Ok(match Written::deserialize(from)? {
            Written::Any(Any::Any) => Phases::Any,
            Written::Only(listed) => Phases::Only(listed),
        })
    }
}

impl Serialize for OneOrMany {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            One(String),
            Many(Vec<String>),
        }
        if !from.is_human_readable() {
            return Vec::deserialize(from).map(OneOrMany);
        }
        Ok(match Written::deserialize(from)? {
            Written::One(one) => OneOrMany(vec![one]),
            Written::Many(many) => OneOrMany(many),
        })
    }
}
