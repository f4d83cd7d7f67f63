//! Whether conditions hold, as far as a trace tells.

use std::fmt;

/// Whether a condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Holds,
    Fails,
    /// The trace cannot tell: never held against the JVM, never counted as kept.
    Unknown(Cause),
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Truth::Holds } else { Truth::Fails }
    }
}

impl Truth {
    pub(super) fn and(self, other: impl FnOnce() -> Truth) -> Truth {
        match self {
            Truth::Holds => other(),
            Truth::Fails => Truth::Fails,
            Truth::Unknown(cause) => match other() {
                Truth::Fails => Truth::Fails,
                _ => Truth::Unknown(cause),
            },
        }
    }

    pub(super) fn or(self, other: impl FnOnce() -> Truth) -> Truth {
        self.not().and(|| other().not()).not()
    }

    pub(super) fn not(self) -> Truth {
        match self {
            Truth::Holds => Truth::Fails,
            Truth::Fails => Truth::Holds,
            unknown => unknown,
        }
    }
}

/// Why a condition could not be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The scenario has not bound this name.
    NotBound(String),
    /// The scenario has not stated this fact.
    NoFact(String),
    /// The step of that name has no such output.
    NoOutput(String),
    /// The list that the step of that name returned is too short.
    NoElement(String),
    /// The probe could not tell which object a reference refers to.
    Identity,
    /// The trace does not say what this object or method is.
    Undefined,
    /// A class file to compare with cannot be read.
    ClassFile(String),
}

impl Cause {
    /// Whether a later record may settle it. A thread may mention an object before the one that has met it first has told what it is.
    pub(super) fn may_settle(&self) -> bool {
        matches!(self, Cause::NotBound(_) | Cause::NoFact(_) | Cause::NoOutput(_) | Cause::Undefined)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::NotBound(name) => write!(f, "nothing was ever bound to ${name}"),
            Cause::NoFact(key) => write!(f, "the fact {key:?} was never stated"),
            Cause::NoOutput(step) => write!(f, "step {step:?} has no such output"),
            Cause::NoElement(step) => write!(f, "the list of step {step:?} has no such element"),
            Cause::ClassFile(why) => f.write_str(why),
            Cause::Identity => f.write_str("the probe could not tell which object a reference refers to"),
            Cause::Undefined => f.write_str("the trace does not define a class or method in question"),
        }
    }
}
