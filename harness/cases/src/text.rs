//! Actions as people read them: `GetThreadState(thread: $sleeper)`.

use jvmti_wire::plan::{Action, Arg, OnThread, PathPart};

use super::argument::invalid_name;
use super::constant;
use super::setting::Setting;

/// One line for an action.
pub fn action(action: &Action, setting: &Setting<'_, '_>) -> String {
    let environment =
        |index: u8| setting.environments.get(usize::from(index)).map_or("?", |e| e.name.as_str());
    match action {
        Action::Call { environment: index, function, args, on } => {
            let call = call(setting, *function, args);
            let owner = if setting.environments.len() > 1 {
                format!("{}.", environment(*index))
            } else {
                String::new()
            };
            let thread = match on {
                OnThread::Current => "",
                OnThread::Attached => " on a new attached thread",
                OnThread::Unattached => " on a thread that is not attached",
            };
            format!("{owner}{call}{thread}")
        }
        Action::Jni { op, args, .. } => format!("JNI {op}({})", list(setting, args)),
        Action::Reply { value, .. } => format!("reply {}", arg(setting, value)),
        Action::Keep { value } => format!("keep {}", arg(setting, value)),
        Action::Dispose { environment: index } => format!("dispose of environment {}", environment(*index)),
    }
}

fn call(setting: &Setting<'_, '_>, slot: u16, args: &[Arg]) -> String {
    let edition = setting.cx.edition;
    let Some(function) = edition.function_at(slot) else {
        return format!("function {slot}");
    };
    let given = function.params.iter().zip(args).filter(|(_, value)| **value != Arg::Storage);
    let args: Vec<String> = given
        .map(|(param, value)| {
            let named = match value {
                Arg::Int(number) => constant::name(edition, &param.c_type, *number),
                _ => None,
            };
            format!("{}: {}", param.name, named.unwrap_or_else(|| arg(setting, value)))
        })
        .collect();
    format!("{}({})", function.name, args.join(", "))
}

fn list(setting: &Setting<'_, '_>, args: &[Arg]) -> String {
    args.iter().map(|value| arg(setting, value)).collect::<Vec<_>>().join(", ")
}

/// An argument as case files write it.
fn arg(setting: &Setting<'_, '_>, value: &Arg) -> String {
    let member = |word: &str, is_static: bool, path: String| {
        format!("{}{word}({path})", if is_static { "static_" } else { "" })
    };
    match value {
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
        Arg::Output { step, param, path } => output(setting, step, *param, path),
        Arg::Linear { of, times, plus } => {
            let sign = if *times < 0 { "-" } else { "" };
            let of = arg(setting, of);
            match *plus {
                0 => format!("{sign}{of}"),
                plus if plus < 0 => format!("{sign}{of} - {}", plus.unsigned_abs()),
                plus => format!("{sign}{of} + {plus}"),
            }
        }
        Arg::Position { step, param, is, .. } => {
            format!("index({}, {})", output(setting, step, *param, &[]), arg(setting, is))
        }
        Arg::EventParam(index) => {
            let param = setting.happening.and_then(|params| params.get(usize::from(*index)));
            format!("event.{}", param.map_or("?", |p| p.name.as_str()))
        }
        Arg::Storage => "storage".to_owned(),
        Arg::List(items) => format!("[{}]", list(setting, items)),
        Arg::Struct(fields) => {
            let field = |(name, value): &(String, Arg)| format!("{name}: {}", arg(setting, value));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        Arg::Callback(_) => "callback".to_owned(),
        Arg::EventCallbacks(events) => format!("callbacks for {} events", events.len()),
        Arg::Environment(index) => {
            let environment = setting.environments.get(usize::from(*index));
            format!("environment({})", environment.map_or("?", |e| e.name.as_str()))
        }
        Arg::Invalid(kind) => format!("invalid({})", invalid_name(*kind)),
    }
}

fn output(setting: &Setting<'_, '_>, step: &str, param: u16, path: &[PathPart]) -> String {
    let way: String = path.iter().map(part).collect();
    let saved = setting.saved.iter().rev().find(|saved| saved.unique == step);
    let name = saved.map_or(step, |saved| saved.name.as_str());
    let param = saved.and_then(|saved| saved.function).and_then(|f| f.params.get(usize::from(param)));
    param.map_or_else(|| format!("${name}{way}"), |param| format!("${name}.{}{way}", param.name))
}

fn part(part: &PathPart) -> String {
    match part {
        PathPart::Index(index) => format!("[{index}]"),
        PathPart::Field(name) => format!(".{name}"),
    }
}
