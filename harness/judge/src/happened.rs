//! What happens to an agent: calls of its start-up and shutdown functions, events of the VM's life.

use jvmti_wire::value::Value;

/// The events of the VM's life, which the probe listens to for itself.
pub(super) const LIFE_EVENTS: [&str; 3] = ["VMStart", "VMInit", "VMDeath"];

/// A call of a start-up or shutdown function, or an event of the VM's life.
#[derive(Clone, Debug)]
pub(super) struct Happened {
    /// The function or event.
    pub what: String,
    /// File name of what the function is in.
    pub image: Value,
    /// The options that it was passed.
    pub options: Value,
}

impl Happened {
    /// An event.
    pub(super) fn event(name: &str) -> Happened {
        Happened { what: name.to_owned(), image: Value::Null, options: Value::Null }
    }

    /// It in words.
    pub(super) fn told(&self) -> String {
        let text = |value: &Value| match value {
            Value::Str(text) => format!("{:?}", String::from_utf8_lossy(text)),
            _ => "null".to_owned(),
        };
        match self.what.starts_with("Agent_On") && !self.what.starts_with("Agent_OnUnload") {
            true => format!("{}({}) in {}", self.what, text(&self.options), text(&self.image)),
            false => self.what.clone(),
        }
    }
}
