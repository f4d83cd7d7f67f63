//! Steps that execute an operation of JNI.

use jvmti_wire::plan::{Action, Arg, FieldAccess, JniOp, OnThread};

use crate::argument::Slot;
use crate::context::Fields;
use crate::setting::Setting;

/// Those that are not about fields.
const OPERATIONS: [JniOp; 23] = [
    JniOp::NewGlobalRef,
    JniOp::NewLocalRef,
    JniOp::NewWeakGlobalRef,
    JniOp::DeleteRef,
    JniOp::ThrowNew,
    JniOp::ExceptionClear,
    JniOp::ExceptionCheck,
    JniOp::MonitorEnter,
    JniOp::MonitorExit,
    JniOp::GetObjectClass,
    JniOp::IsSameObject,
    JniOp::GetArrayLength,
    JniOp::GetByteArrayRegion,
    JniOp::GetVersion,
    JniOp::InterceptGetVersion,
    JniOp::RegisterNatives,
    JniOp::GetEnv,
    JniOp::GetObjectRefType,
    JniOp::GetFieldID,
    JniOp::CallExtensionFunction,
    JniOp::CallStaticVoidMethod,
    JniOp::CallAndDescribe,
    JniOp::DeleteLocalRef,
];

/// All operations.
fn operations() -> impl Iterator<Item = JniOp> {
    OPERATIONS.into_iter().chain(FieldAccess::all().map(JniOp::Field))
}

impl Setting<'_, '_> {
    /// `{jni: GetIntField, args: [$object, $field]}`.
    pub(super) fn jni(&self, fields: &Fields<'_>) -> Option<Action> {
        let node = fields.get("jni")?;
        let name = self.cx.text(node, "a JNI operation")?;
        let Some(op) = operations().find(|op| op.to_string() == name) else {
            let known: Vec<String> = operations().map(|op| op.to_string()).collect();
            self.cx.unknown(node.span, "JNI operation", &name, known.iter().map(String::as_str));
            return None;
        };
        let args =
            fields.get("args").map(|node| self.cx.list(node, "a list of arguments")).unwrap_or_default();
        let c_type = match op {
            JniOp::ThrowNew
            | JniOp::RegisterNatives
            | JniOp::CallStaticVoidMethod
            | JniOp::CallAndDescribe => "const char*",
            JniOp::GetEnv => "jint",
            JniOp::CallExtensionFunction => "jvmtiExtensionFunction",
            _ => "jobject",
        };
        let args: Vec<Option<Arg>> = (0..)
            .zip(args)
            .map(|(place, n)| {
                // The third argument of those that write a field is its value.
                let c_type = match op {
                    JniOp::Field(FieldAccess { writes: true, holds, .. }) if place == 2 => holds.c_type(),
                    _ => c_type,
                };
                self.arg(n, Slot { name: "argument", c_type })
            })
            .collect();
        let on = self.on_thread(fields)?;
        if let Some(node) =
            fields.get("on").filter(|_| (op != JniOp::GetEnv || args.is_empty()) && on != OnThread::Current)
        {
            self.cx
                .error(node.span, "of JNI's operations only GetEnv of a version is done on another thread");
        }
        Some(Action::Jni { op, args: args.into_iter().collect::<Option<Vec<_>>>()?, on })
    }
}
