//! Steps about whole classes: the edit of a class file, and the survey of what functions answer.

use jvmti_wire::plan::{Action, Arg, JniOp, OnThread};

use crate::argument::Slot;
use crate::context::Fields;
use crate::setting::Setting;

/// Functions that tell places in methods.
const LOCATED: [&str; 3] = ["GetLineNumberTable", "GetLocalVariableTable", "GetMethodLocation"];

impl Setting<'_, '_> {
    /// `{edit: $class_file, by: "method remove spare"}`.
    pub(super) fn edit(&self, fields: &Fields<'_>) -> Option<Action> {
        let file = self.arg(fields.get("edit")?, Slot { name: "edit", c_type: "void*" })?;
        let by = self.cx.text(fields.require(self.cx, "by", "an edit")?, "edits of a class file")?;
        let args = vec![file, Arg::Str(by.as_bytes().to_vec())];
        Some(Action::Jni { op: JniOp::EditClassFile, args, on: OnThread::Current })
    }

    /// `{survey: $classes, functions: [GetMethodName]}`.
    pub(super) fn survey(&self, fields: &Fields<'_>) -> Option<Action> {
        let classes = self.arg(fields.get("survey")?, Slot { name: "survey", c_type: "jobject" })?;
        let names = self.cx.texts(fields.require(self.cx, "functions", "a survey")?, "a function");
        // In a class file places in methods are indices in bytecode.
        let compared = fields.get("expect").and_then(|node| node.get("result")?.get("class_file"));
        if compared.is_some() && names.iter().any(|(name, _)| LOCATED.contains(&name.as_str())) {
            self.bytecode_indices.set(true);
        }
        let slots = names
            .iter()
            .map(|(name, span)| self.cx.function(name, *span).map(|function| Arg::Int(function.slot.into())));
        let args = vec![classes, Arg::List(slots.collect::<Option<Vec<_>>>()?)];
        Some(Action::Jni { op: JniOp::Survey, args, on: OnThread::Current })
    }
}
