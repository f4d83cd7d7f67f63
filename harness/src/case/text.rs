//! Actions as people read them: `GetThreadState(thread: $sleeper)`.

use jvmti_spec::Edition;
use jvmti_wire::plan::{Action, Arg, OnThread, PathPart};

use super::setting::Setting;

/// One line for an action.
pub fn action(action: &Action, setting: &Setting<'_, '_>) -> String {
    let edition = setting.cx.edition;
    let environment = |index: u8| setting.environments.get(usize::from(index)).map_or("?", |e| e.name.as_str());
    match action {
        Action::Call { environment: index, function, args, on } => {
            let call = call(edition, *function, args);
            let owner = if setting.environments.len() > 1 { format!("{}.", environment(*index)) } else { String::new() };
            let thread = match on {
                OnThread::Current => "",
                OnThread::Attached => " on a new attached thread",
                OnThread::Unattached => " on a thread that is not attached",
            };
            format!("{owner}{call}{thread}")
        }
        Action::Jni { op, args } => format!("JNI {op:?}({})", list(args)),
        Action::Reply { value, .. } => format!("reply {}", arg(value)),
        Action::Dispose { environment: index } => format!("dispose of environment {}", environment(*index)),
    }
}

fn call(edition: &Edition, slot: u16, args: &[Arg]) -> String {
    let Some(function) = edition.functions.iter().find(|f| f.slot == slot) else { return format!("function {slot}") };
    let given = function.params.iter().zip(args).filter(|(_, value)| **value != Arg::Storage);
    let args: Vec<String> = given.map(|(param, value)| format!("{}: {}", param.name, arg(value))).collect();
    format!("{}({})", function.name, args.join(", "))
}

fn list(args: &[Arg]) -> String {
    args.iter().map(arg).collect::<Vec<_>>().join(", ")
}

/// An argument as case files write it.
pub fn arg(arg: &Arg) -> String {
    let member = |word: &str, is_static: bool, path: String| format!("{}{word}({path})", if is_static { "static_" } else { "" });
    match arg {
        Arg::Null => "null".to_owned(),
        Arg::Int(value) => value.to_string(),
        Arg::Float(value) => value.to_string(),
        Arg::Str(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        Arg::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Arg::Named(name) => format!("${name}"),
        Arg::CurrentThread => "$current_thread".to_owned(),
        Arg::Class(name) => format!("class({name})"),
        Arg::Method { class, name, signature, is_static } => {
            member("method", *is_static, format!("{class}.{name}{signature}"))
        }
        Arg::Field { class, name, signature, is_static } => {
            member("field", *is_static, format!("{class}.{name}:{signature}"))
        }
        Arg::Output { step, param, path } => {
            let way: String = path.iter().map(part).collect();
            format!("output {param}{way} of {step}")
        }
        Arg::EventParam(index) => format!("parameter {index} of the event"),
        Arg::Storage => "storage".to_owned(),
        Arg::List(items) => format!("[{}]", list(items)),
        Arg::Struct(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {}", self::arg(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Arg::Callback(_) => "callback".to_owned(),
        Arg::EventCallbacks(events) => format!("callbacks for {} events", events.len()),
        Arg::Environment(index) => format!("environment {index}"),
        Arg::Invalid(kind) => format!("invalid({kind:?})"),
    }
}

fn part(part: &PathPart) -> String {
    match part {
        PathPart::Index(index) => format!("[{index}]"),
        PathPart::Field(name) => format!(".{name}"),
    }
}
