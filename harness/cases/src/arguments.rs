//! Smallest well-formed arguments of each function, from `arguments.yaml`: what rules pass where they don't care.

use jvmti_spec::edition::{Function, Param};

use super::yaml::{Node, Value};

/// The table: by C type, by parameter name, by function; the more specific one wins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    root: Option<Node>,
}

/// Which arguments there can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// There are no objects, or none any more (OnLoad, primordial and dead phase).
    Early,
    /// There are classes, but nothing that a scenario has bound (VMStart, VMInit, VMDeath).
    Start,
    /// The scenario has bound its names.
    Live,
}

impl Stage {
    fn key(self) -> &'static str {
        match self {
            Stage::Early => "early",
            Stage::Start => "start",
            Stage::Live => "live",
        }
    }

    /// The variant for this stage, if the node has variants; else the node. Where there is none for the start, it is
    /// the early one.
    fn of(self, node: &Node) -> Option<&Node> {
        match &node.value {
            Value::Map(entries)
                if !entries.is_empty()
                    && entries
                        .iter()
                        .all(|(key, _)| matches!(key.as_str(), Some("early" | "start" | "live"))) =>
            {
                let own = node.get(self.key());
                if self == Stage::Start { own.or_else(|| node.get(Stage::Early.key())) } else { own }
            }
            _ => Some(node),
        }
    }
}

impl Arguments {
    /// The table as read from its file.
    pub fn new(root: Node) -> Self {
        Arguments { root: Some(root) }
    }

    /// The whole table; `None` if there is no file.
    pub fn root(&self) -> Option<&Node> {
        self.root.as_ref()
    }

    /// The argument for a parameter, given the name of the parameter that is being passed as null, if any: other
    /// parameters may then need other values.
    pub fn value(
        &self,
        function: &Function,
        param: &Param,
        stage: Stage,
        null: Option<&str>,
    ) -> Option<&Node> {
        let root = self.root.as_ref()?;
        let by_function = || {
            let entry = root.get("functions")?.get(&function.name)?;
            let when_null = null.and_then(|name| entry.get("when_null")?.get(name)?.get(&param.name));
            when_null.or_else(|| entry.get("with")?.get(&param.name))
        };
        let by_name = || root.get("parameters")?.get(&param.name);
        let by_type = || root.get("types")?.get(&param.c_type);
        [by_function(), by_name(), by_type()].into_iter().flatten().find_map(|node| stage.of(node))
    }

    /// Steps that must come before (`before`) or after (`after`) a call of that function.
    pub fn steps(&self, function: &Function, part: &str, stage: Stage) -> &[Node] {
        let node = self
            .root
            .as_ref()
            .and_then(|root| stage.of(root.get("functions")?.get(&function.name)?.get(part)?));
        match node.map(|node| &node.value) {
            Some(Value::List(steps)) => steps,
            _ => &[],
        }
    }
}
