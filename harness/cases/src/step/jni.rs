//! Steps that execute an operation of JNI.

use jvmti_wire::plan::{Action, Arg, FieldAccess, JniOp, OnThread};

use crate::argument::Slot;
use crate::context::Fields;
use crate::setting::Setting;

const JNI_OPS: &[(&str, JniOp)] = &[
    ("NewGlobalRef", JniOp::NewGlobalRef),
    ("NewLocalRef", JniOp::NewLocalRef),
    ("NewWeakGlobalRef", JniOp::NewWeakGlobalRef),
    ("DeleteRef", JniOp::DeleteRef),
    ("ThrowNew", JniOp::ThrowNew),
    ("ExceptionClear", JniOp::ExceptionClear),
    ("ExceptionCheck", JniOp::ExceptionCheck),
    ("MonitorEnter", JniOp::MonitorEnter),
    ("MonitorExit", JniOp::MonitorExit),
    ("GetObjectClass", JniOp::GetObjectClass),
    ("IsSameObject", JniOp::IsSameObject),
    ("GetArrayLength", JniOp::GetArrayLength),
    ("GetByteArrayRegion", JniOp::GetByteArrayRegion),
    ("GetVersion", JniOp::GetVersion),
    ("InterceptGetVersion", JniOp::InterceptGetVersion),
    ("RegisterNatives", JniOp::RegisterNatives),
    ("GetEnv", JniOp::GetEnv),
    ("GetObjectRefType", JniOp::GetObjectRefType),
    ("GetFieldID", JniOp::GetFieldID),
    ("CallExtensionFunction", JniOp::CallExtensionFunction),
    ("CallStaticVoidMethod", JniOp::CallStaticVoidMethod),
];

fn operation(name: &str) -> Option<JniOp> {
    let known = JNI_OPS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op);
    known.or_else(|| FieldAccess::named(name).map(JniOp::Field))
}

impl Setting<'_, '_> {
    /// `{jni: GetIntField, args: [$object, $field]}`.
    pub(super) fn jni(&self, fields: &Fields<'_>) -> Option<Action> {
        let node = fields.get("jni")?;
        let name = self.cx.text(node, "a JNI operation")?;
        let Some(op) = operation(&name) else {
            let fields: Vec<String> = FieldAccess::all().map(|access| access.to_string()).collect();
            let known = JNI_OPS.iter().map(|(n, _)| *n).chain(fields.iter().map(String::as_str));
            self.cx.unknown(node.span, "JNI operation", &name, known);
            return None;
        };
        let args =
            fields.get("args").map(|node| self.cx.list(node, "a list of arguments")).unwrap_or_default();
        let c_type = match op {
            JniOp::ThrowNew | JniOp::RegisterNatives | JniOp::CallStaticVoidMethod => "const char*",
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
