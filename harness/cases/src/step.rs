//! Steps as case files write them: what is done, on which thread, and what must come of it.

mod class_files;
mod jni;

use jvmti_spec::edition::{Function, Param};
use jvmti_wire::plan::{self, Action, Arg, OnThread};

use super::argument::Slot;
use super::arguments::Stage;
use super::context::Fields;
use super::model::{Expect, Step};
use super::setting::{Saved, Setting};
use super::text;
use super::trigger::{TypedTrigger, phase};
use super::yaml::{Node, Value};

/// Keys of a step.
pub const KEYS: [&str; 20] = [
    "call",
    "with",
    "jni",
    "reply",
    "keep",
    "dispose",
    "edit",
    "by",
    "survey",
    "functions",
    "as",
    "on",
    "at",
    "env",
    "expect",
    "cites",
    "args",
    "only",
    "given",
    "times",
];

impl<'a> Setting<'_, 'a> {
    /// Reads a step and appends it, with the steps that its arguments need around it.
    pub fn step(
        &mut self,
        node: &Node,
        default_at: Option<&TypedTrigger<'a>>,
        into: &mut Vec<Step>,
    ) -> Option<TypedTrigger<'a>> {
        let fields = self.cx.fields(node, "a step", &KEYS)?;
        if !self.is_for_function(&fields) {
            return default_at.cloned();
        }
        let moment = match fields.get("at") {
            // Where the moment is at fault, the rest is read all the same, for the sake of its own faults.
            Some(at) => self.trigger(at).unwrap_or_else(TypedTrigger::unknown),
            None => match default_at {
                Some(moment) => moment.clone(),
                None => {
                    self.cx.error(
                        node.span,
                        "the step needs `at`: a trigger such as `on_load` or `checkpoint(name)`",
                    );
                    return None;
                }
            },
        };
        self.happening = moment.params;
        if !self.cx.is_given(&fields) {
            return Some(moment);
        }
        let cites = self.citations(fields.get("cites"));
        for _ in 0..self.repetitions(&fields) {
            self.step_at(&fields, &moment, cites.clone(), into);
        }
        Some(moment)
    }

    /// Whether it is not `only` for another function than the one that a rule is expanded for.
    pub fn is_for_function(&self, fields: &Fields<'_>) -> bool {
        let only = fields.get("only").and_then(|node| self.cx.text(node, "a function"));
        only.is_none_or(|only| self.cx.bound("function") == Some(&*only))
    }

    /// The one step of a case that has its step's keys itself.
    pub fn step_of_case(
        &mut self,
        fields: &Fields<'_>,
        at: Option<&TypedTrigger<'a>>,
        into: &mut Vec<Step>,
    ) -> Option<()> {
        let Some(moment) = at else {
            self.cx
                .error(fields.span, "the case needs `at`: a trigger such as `on_load` or `checkpoint(name)`");
            return None;
        };
        self.happening = moment.params;
        (0..self.repetitions(fields)).try_for_each(|_| self.step_at(fields, moment, Vec::new(), into))
    }

    /// How often in a row the step is taken.
    fn repetitions(&self, fields: &Fields<'_>) -> u8 {
        let times = fields.get("times").and_then(|node| self.cx.int(node, "a number of times"));
        times.unwrap_or(1).max(1)
    }

    fn step_at(
        &mut self,
        fields: &Fields<'_>,
        moment: &TypedTrigger<'a>,
        cites: Vec<String>,
        into: &mut Vec<Step>,
    ) -> Option<()> {
        let environment = self.step_environment(fields)?;
        let called = match fields.get("call") {
            Some(node) => Some(self.called(node)?),
            None => None,
        };
        let function = called.map(|(function, _)| function);
        let minimal = called.filter(|(_, minimal)| *minimal).map(|(function, _)| function);
        let outer = self.saved.len();
        if let Some(function) = minimal {
            self.around(function, "before", moment, environment, into)?;
        }
        let action = self.action(fields, moment, environment);
        let expect = self.expect(fields, function);
        let action = action?;
        let text = text::action(&action, self);
        self.check_call(fields, function, moment, environment, expect.as_ref());
        let save = match fields.get("as") {
            Some(name) => Some(self.save(name, function)?),
            None => None,
        };
        let plan = plan::PlannedStep { at: moment.trigger.clone(), action, save };
        let helper = fields.get("expect").is_none() && cites.is_empty() && self.expects_something;
        into.push(Step { plan, expect, cites, helper, text });
        if let Some(function) = minimal {
            self.around(function, "after", moment, environment, into)?;
        }
        // The argument table's own names are no business of later steps.
        for local in self.saved.iter_mut().skip(outer).filter(|saved| saved.unique.starts_with('_')) {
            local.name.clear();
        }
        Some(())
    }

    /// Appends the steps that the argument table puts before or after a call. Those with `env: able` are taken in the
    /// environment of that name, if the case has one: the call's own may lack what they need. What the moment's phase
    /// forbids is prepared in OnLoad.
    fn around(
        &mut self,
        function: &'a Function,
        part: &str,
        moment: &TypedTrigger<'a>,
        environment: u8,
        into: &mut Vec<Step>,
    ) -> Option<()> {
        for node in self.cx.library.arguments.steps(function, part, stage(moment)) {
            let fields = self.cx.fields(node, "a step", &["call", "with", "as", "env", "expect"])?;
            let wanted = fields.get("env").and_then(Node::as_str);
            let other = wanted.and_then(|name| self.environments.iter().position(|e| e.name == name));
            let environment = other.and_then(|index| u8::try_from(index).ok()).unwrap_or(environment);
            let (function, _) =
                self.called(fields.require(self.cx, "call", "a step of the argument table")?)?;
            let allowed =
                phase(&moment.trigger, self.cx.edition).is_none_or(|phase| function.phases.contains(&phase));
            let at = match part {
                _ if allowed => moment.trigger.clone(),
                "before" => plan::Trigger::OnLoad,
                _ => continue,
            };
            let action = self.action(&fields, moment, environment)?;
            let text = text::action(&action, self);
            let save = match fields.get("as") {
                Some(node) => {
                    let name = self.cx.text(node, "a name")?.into_owned();
                    let unique = format!("_{}_{name}", into.len());
                    self.saved.push(Saved { name, unique: unique.clone(), function: Some(function) });
                    Some(unique)
                }
                None => None,
            };
            let expect = self.expect(&fields, Some(function));
            let plan = plan::PlannedStep { at, action, save };
            into.push(Step { plan, expect, cites: Vec::new(), helper: true, text });
        }
        Some(())
    }

    fn step_environment(&self, fields: &Fields<'_>) -> Option<u8> {
        match fields.get("env") {
            Some(node) => self.environment(&self.cx.text(node, "an environment")?, node.span),
            None => Some(0),
        }
    }

    fn save(&mut self, node: &Node, function: Option<&'a Function>) -> Option<String> {
        let name = self.cx.text(node, "a name")?.into_owned();
        if self.saved.iter().any(|saved| saved.name == name) {
            self.cx.error(node.span, format!("a second step named `{name}`"));
            return None;
        }
        // A call's outputs are told apart by their names, the result of a JNI operation has none.
        if function.is_none() && self.scenario.is_some_and(|scenario| scenario.binds(&name)) {
            self.cx.error(node.span, format!("the scenario binds `{name}`; name the step otherwise"));
            return None;
        }
        if name.starts_with('_') || name.is_empty() || name.contains(['.', '[', ' ']) {
            self.cx.error(node.span, "a step's name begins with a letter and has no dot, bracket or blank");
            return None;
        }
        self.saved.push(Saved { name: name.clone(), unique: name.clone(), function });
        Some(name)
    }

    /// Reads what is done.
    pub fn action(&self, fields: &Fields<'_>, moment: &TypedTrigger<'a>, environment: u8) -> Option<Action> {
        let kinds = ["call", "jni", "reply", "keep", "dispose", "edit", "survey"];
        let given: Vec<&str> = kinds.into_iter().filter(|kind| fields.get(kind).is_some()).collect();
        for (key, kind) in [("with", "call"), ("args", "jni")] {
            if let (Some(node), [other]) = (fields.get(key), given.as_slice())
                && *other != kind
            {
                self.cx.error(node.span, format!("`{key}` goes with `{kind}`, not with `{other}`"));
            }
        }
        match given.as_slice() {
            ["call"] => self.call(fields, moment, environment),
            ["jni"] => self.jni(fields),
            ["reply"] => self.reply(fields),
            ["edit"] => self.edit(fields),
            ["survey"] => self.survey(fields),
            ["keep"] => {
                let node = fields.get("keep")?;
                let value = self.arg(node, Slot { name: "keep", c_type: "void*" })?;
                if !matches!(value, Arg::EventParam(_)) {
                    self.cx.expected(node, "a parameter of the event, such as `event.address`");
                    return None;
                }
                Some(Action::Keep { value })
            }
            ["dispose"] => {
                let node = fields.get("dispose")?;
                let environment = self.environment(&self.cx.text(node, "an environment")?, node.span)?;
                Some(Action::Dispose { environment })
            }
            _ => {
                self.cx.error(
                    fields.span,
                    "a step has one of `call`, `jni`, `reply`, `keep`, `dispose`, `edit`, `survey`",
                );
                None
            }
        }
    }

    /// The function that a `call` names, and whether the rest of its arguments are to be the smallest well-formed.
    pub fn called(&self, node: &Node) -> Option<(&'a Function, bool)> {
        let (name, span, minimal) = match &node.value {
            Value::Map(entries) if entries.len() == 1 => {
                let (key, how) = &entries[0];
                if how.as_str() != Some("minimal") {
                    self.cx.expected(how, "`minimal`");
                    return None;
                }
                (key.as_str()?, key.span, true)
            }
            Value::Str(name) => (name.as_str(), node.span, false),
            _ => {
                self.cx.expected(node, "a function, or `{Function: minimal}`");
                return None;
            }
        };
        let name = self.cx.key(name);
        self.cx.function(name, span).map(|function| (function, minimal))
    }

    fn call(&self, fields: &Fields<'_>, moment: &TypedTrigger<'a>, environment: u8) -> Option<Action> {
        let node = fields.get("call")?;
        let (function, minimal) = self.called(node)?;
        let given = match fields.get("with") {
            Some(with) => self.cx.entries(with, "arguments by parameter")?,
            None => Vec::new(),
        };
        let resolved = |name: &'_ str| match name {
            "$param" => self.cx.bound("param").unwrap_or(name).to_owned(),
            other => other.to_owned(),
        };
        let given: Vec<(String, &Node, &Node)> =
            given.into_iter().map(|(name, key, value)| (resolved(name), key, value)).collect();
        for (name, key, _) in &given {
            if !function.params.iter().any(|p| p.name == *name) {
                let known = function.params.iter().map(|p| p.name.as_str());
                self.cx.unknown(key.span, &format!("parameter of {}", function.name), name, known);
            }
        }
        let null =
            given.iter().find(|(.., value)| value.value == Value::Null).map(|(name, ..)| name.as_str());
        let arg = |param: &Param| {
            let slot = Slot { name: &param.name, c_type: &param.c_type };
            match given.iter().find(|(name, ..)| *name == param.name) {
                Some((.., value)) => self.arg(value, slot),
                None if minimal => self.minimal(function, param, stage(moment), null, node),
                None if param.dir.is_output() => Some(Arg::Storage),
                None => {
                    self.cx.error(
                        fields.span,
                        format!("{} needs an argument for `{}`", function.name, param.name),
                    );
                    None
                }
            }
        };
        let args: Vec<Option<Arg>> = function.params.iter().filter(|p| p.c_type != "...").map(arg).collect();
        let args = args.into_iter().collect::<Option<Vec<Arg>>>()?;
        Some(Action::Call { environment, function: function.slot, args, on: self.on_thread(fields)? })
    }

    fn minimal(
        &self,
        function: &Function,
        param: &Param,
        stage: Stage,
        null: Option<&str>,
        call: &Node,
    ) -> Option<Arg> {
        match self.cx.library.arguments.value(function, param, stage, null) {
            // Where a value does not matter, no more does the format of locations.
            Some(node) => self.plain_arg(node, Slot { name: &param.name, c_type: &param.c_type }),
            None if param.dir.is_output() => Some(Arg::Storage),
            None => {
                let message =
                    format!("the argument table has nothing for `{}` of {}", param.name, function.name);
                self.cx.error(call.span, message);
                None
            }
        }
    }

    fn on_thread(&self, fields: &Fields<'_>) -> Option<OnThread> {
        let Some(node) = fields.get("on") else { return Some(OnThread::Current) };
        let name = self.cx.text(node, "a thread")?;
        match name.as_ref() {
            "current" => Some(OnThread::Current),
            "attached" => Some(OnThread::Attached),
            "unattached" => Some(OnThread::Unattached),
            _ => {
                self.cx.unknown(node.span, "thread", &name, ["current", "attached", "unattached"]);
                None
            }
        }
    }

    fn reply(&self, fields: &Fields<'_>) -> Option<Action> {
        let node = fields.get("reply")?;
        let entries = self.cx.entries(node, "an event parameter and its value")?;
        let [(name, key, value)] = entries.as_slice() else {
            self.cx.error(node.span, "`reply` sets one parameter; write several steps for several");
            return None;
        };
        let param = self.event_param(name, key.span)?;
        let c_type = &self.happening?.get(usize::from(param))?.c_type;
        let value = self.arg(value, Slot { name, c_type })?;
        Some(Action::Reply { param, value })
    }

    fn expect(&self, fields: &Fields<'_>, function: Option<&Function>) -> Option<Expect> {
        match (fields.get("expect"), function) {
            (Some(node), Some(function)) => self.expectation(node, function),
            (Some(node), None) if ["jni", "survey"].iter().any(|key| fields.get(key).is_some()) => {
                self.jni_expectation(node)
            }
            (Some(node), None) => {
                self.cx
                    .error(node.span, "only a call or a JNI operation can be expected to achieve something");
                None
            }
            (None, Some(_)) => Some(Expect::success()),
            (None, None) => None,
        }
    }
}

/// Which arguments there can be at that moment.
pub fn stage(moment: &TypedTrigger<'_>) -> Stage {
    match &moment.trigger {
        plan::Trigger::Checkpoint(_) => Stage::Live,
        plan::Trigger::VmStart | plan::Trigger::VmInit | plan::Trigger::VmDeath => Stage::Start,
        _ => Stage::Early,
    }
}
