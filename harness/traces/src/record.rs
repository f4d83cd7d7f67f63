//! A whole record as one line.

use jvmti_wire::trace::{
    Body, CodePlace, EntryPoint, Exit, Handed, JniMisuse, MonitorChange, Process, Record, ReferenceKind,
};
use jvmti_wire::value::Value;

use super::Names;
use super::native_code::native_code;

impl Names<'_> {
    /// What the record says, without its time and thread. Pass the record to [`Names::observe`] afterwards.
    #[expect(clippy::too_many_lines, reason = "one text for each kind of record")]
    pub fn record(&self, record: &Record) -> String {
        match &record.body {
            Body::Entry(entry) => format!("{} is called", entry_point(*entry)),
            Body::EntryReturned { entry, code } => format!("{} returns {code}", entry_point(*entry)),
            Body::Identity { key, value } => format!("{key} = {value:?}"),
            Body::ThreadSeen { object, native } => match object {
                Some(object) => format!("thread {native} is {}", self.object(*object)),
                None => format!("thread {native}"),
            },
            Body::ObjectSeen { object, class, name } => {
                format!("object #{} is a {} {name:?}", object.0, super::type_name(class))
            }
            Body::MethodSeen { method, class, name, signature } => {
                format!("method {method:#x} is {}.{name}{signature}", super::type_name(class))
            }
            Body::EnvironmentMade { environment, case, index, code } => {
                let whose = match case {
                    Some(case) => format!("environment {environment} (case {case}, {index})"),
                    None => format!("environment {environment}"),
                };
                if *code == 0 {
                    format!("{whose} is made")
                } else {
                    format!("{whose}: GetEnv returns {code}")
                }
            }
            Body::EnvironmentGone { environment } => format!("environment {environment} is disposed of"),
            Body::RunBegin { run } => format!("scenario run {run} begins"),
            Body::RunEnd { run } => format!("scenario run {run} ends"),
            Body::Checkpoint { name } => format!("checkpoint {name:?}"),
            Body::Bind { name, value } => format!("${name} is {}", self.value(value)),
            Body::Fact { key, value } => format!("fact {key:?} is {}", self.value(value)),
            Body::CallBegin { function, args, .. } => self.call(*function, args),
            Body::CallEnd { call, code, outputs, exception } => {
                let function = self.calls.get(*call).map(|call| call.function);
                let name = function.map_or_else(|| format!("call {call}"), |f| self.function(f).into_owned());
                let mut text = format!("{name} → {}", self.result(function.unwrap_or(0), *code, outputs));
                if exception.0 != exception.1 {
                    text += if exception.1 { ", an exception is pending" } else { ", the exception is gone" };
                }
                text
            }
            Body::Jni { result, .. } => format!("JNI → {}", self.value(result)),
            Body::Event { event, args, .. } => self.event_with(*event, args),
            Body::EventEnd { event } => format!("{} callback returns", self.event(*event)),
            Body::Callback { callback, args, returned, .. } => {
                let args: Vec<String> = args.iter().map(|a| self.value(a)).collect();
                format!("{callback}({}) → {returned}", args.join(", "))
            }
            Body::CallbacksCounted { callback, count, .. } => format!("{callback} came {count} times"),
            Body::StepFailed { reason, .. } => format!("step could not be taken: {reason}"),
            Body::FunctionMissing { function, entry, .. } => {
                format!("{} could not be called: {entry}", self.function(*function))
            }
            Body::Given { memory, references, .. } => given(memory, references),
            Body::Trouble { message } => format!("trouble: {message}"),
            Body::AgentEnvironment { environment, site, version, .. } => {
                format!(
                    "environment {environment} is an agent's: version {version:#x}, asked for at place {site}"
                )
            }
            Body::SiteSeen { site, stack } => {
                let stack: Vec<String> = stack.iter().map(code_place).collect();
                format!("place {site} is {}", stack.join(" < "))
            }
            Body::Blocks { blocks, .. } => format!("memory given: {}", addresses(blocks)),
            Body::CallBrief { function, about, blocks, .. } => {
                let call = format!("{}({}), counted", self.function(*function), self.value(about));
                if blocks.is_empty() { call } else { format!("{call}, gave {}", addresses(blocks)) }
            }
            Body::CallbacksSet { environment, functions } => {
                let functions: Vec<String> = functions
                    .iter()
                    .map(|(event, place)| format!("{}: {}", self.event(*event), code_place(place)))
                    .collect();
                format!("environment {environment} has callbacks: {}", functions.join(", "))
            }
            Body::ExtensionEvent { id, args, .. } => {
                let args: Vec<String> = args.iter().map(|arg| self.value(arg)).collect();
                format!("{id}({})", args.join(", "))
            }
            Body::ExtensionEventEnd { index } => format!("callback of extension event {index} returns"),
            Body::MemoryTaken { event, at } => {
                format!("{} callback leaves {at:#x} to the JVM", self.event(*event))
            }
            Body::CallsCounted { site, function, count } => {
                format!("{count} calls of {} from place {site} only counted so far", self.function(*function))
            }
            Body::EventsCounted { environment, event, count } => {
                let event = self.event(*event);
                format!("{count} callbacks of {event} for environment {environment} only counted so far")
            }
            Body::CallbacksOverlap { callback, .. } => {
                format!("{callback} invoked before another invocation for the call has returned")
            }
            Body::ReferencesHeld { event, held, calls, room, .. } => {
                let within = event.map_or_else(
                    || "this agent thread".to_owned(),
                    |event| format!("the callback of {}", self.event(event)),
                );
                format!("{within} holds {held} local references of {calls} calls, with room for {room}")
            }
            Body::JniUsed { function, site } => {
                format!(
                    "{} of JNI is used at place {site}, where it must not be",
                    super::jni::name(*function)
                )
            }
            Body::JniMisused { function, site, misuse } => {
                let state = match misuse {
                    JniMisuse::ExceptionPending => "while an exception is pending",
                    JniMisuse::CriticalRegion => "in a critical region",
                    JniMisuse::OtherThread => "with the JNIEnv of another thread",
                    JniMisuse::Deallocated => "with memory that was deallocated",
                    JniMisuse::OtherClass => "with the id of a method or field of another class",
                    JniMisuse::OtherKind => "with the id of a method of another kind",
                    JniMisuse::Text => "with text that is not modified UTF-8",
                    JniMisuse::Contents => {
                        "with contents that it does not release, or that were released before"
                    }
                    JniMisuse::DeadPhase => "in the dead phase",
                    JniMisuse::Cleared => "with a weak global reference whose object is gone",
                };
                format!("{} of JNI is used at place {site} {state}", super::jni::name(*function))
            }
            Body::JavaMonitor { object, change, site } => {
                let does = match change {
                    MonitorChange::Wanted => "is about to enter",
                    MonitorChange::Entered => "has entered",
                    MonitorChange::Refused => "could not enter",
                    MonitorChange::Exited => "exits",
                    MonitorChange::Unfollowed => return "no more Java monitors are recorded".to_owned(),
                };
                format!(
                    "this thread {does} the monitor of {} at place {site}",
                    self.value(&Value::Object(*object))
                )
            }
            Body::LeftAttached { site } => {
                format!("this thread ends attached; place {site} attached it")
            }
            Body::ClassDataWritten { offset } => {
                format!("the callback has changed its class file data from offset {offset} on")
            }
            Body::Native(native) => native_code(native),
            Body::Retired => "a record of an earlier version".to_owned(),
            Body::ThreadEnds => "this thread is about to end".to_owned(),
            Body::ExtensionFunctionSeen { function, id } => format!("function {function} is {id}"),
            Body::WrittenAfterDeallocate { call, at, offset } => {
                format!("{at:#x}, deallocated by call {call}, was written to at offset {offset} afterwards")
            }
            Body::GlobalsKnown { known: true } => "the probe watches global references".to_owned(),
            Body::GlobalsKnown { known: false } => "no more global references are recorded".to_owned(),
            Body::CallStack { stack, .. } => {
                let stack: Vec<String> = stack.iter().map(code_place).collect();
                format!("a call that failed comes from {}", stack.join(" < "))
            }
            Body::TimeSpent { recording, cpu } => {
                let cpu = cpu.map(|cpu| format!(", CPU: {cpu} ns")).unwrap_or_default();
                format!("of what ends now: recording: {recording} ns{cpu}")
            }
            Body::RecordingCost { recorded, took, counting } => {
                let counting =
                    counting.map(|each| format!("; counting a call takes {each} ns")).unwrap_or_default();
                format!("recording {recorded} calls and callbacks took {took} ns{counting}")
            }
            Body::GlobalCreated { handle, weak } => {
                let kind = if *weak { ReferenceKind::Weak } else { ReferenceKind::Global };
                format!("{} {handle:#x} is created", reference_kind(kind))
            }
            Body::ReferenceDeleted { handle, kind, site } => {
                format!("{} {handle:#x} is deleted at place {site}", reference_kind(*kind))
            }
            Body::LocalsKnown { known: true } => "the probe watches local references".to_owned(),
            Body::LocalsKnown { known: false } => "local references come from JNI".to_owned(),
            Body::ReferencesGiven { handles } => format!("local references: {}", handles.len()),
            Body::ExceptionChanged { event, pending } => {
                let event = self.event(*event);
                match pending {
                    true => format!("{event}: the callback left a JNI exception pending"),
                    false => {
                        format!("{event}: the callback cleared the JNI exception that was pending before")
                    }
                }
            }
            Body::FreedElsewhere { site, function, at } => {
                format!("{at:#x}, which the JVM gave, is passed to {function} at place {site}")
            }
            Body::AgentCalled { function, image, options } => {
                format!("{function} of {image} gets the options {}", self.value(options))
            }
            Body::Ended(process) => ended(process),
        }
    }

    /// A call: `GetThreadState(thread: $sleeper)`. Output parameters are left out.
    pub fn call(&self, function: u16, args: &[Value]) -> String {
        let facts = self.facts(function);
        let shown: Vec<String> = args
            .iter()
            .enumerate()
            .filter_map(|(i, value)| {
                let param = facts.and_then(|f| f.params.get(i));
                // Storage is where the answer goes; a null there is worth showing.
                if param.is_some_and(|p| p.dir.is_output()) && *value != Value::Null {
                    return None;
                }
                let text = self.parameter(function, i as u16, value);
                Some(param.map_or_else(|| text.clone(), |p| format!("{}: {text}", p.name)))
            })
            .collect();
        format!("{}({})", self.function(function), shown.join(", "))
    }

    /// What a call came to: `NONE (0), thread_state_ptr: ALIVE | RUNNABLE (0x5)`.
    pub fn result(&self, function: u16, code: i32, outputs: &[(u16, Value)]) -> String {
        let facts = self.facts(function);
        let mut text = self.error(code);
        for (i, value) in outputs.iter().filter(|(_, v)| code == 0 || *v != Value::Untouched) {
            let name = facts.and_then(|f| f.params.get(usize::from(*i))).map(|p| p.name.clone());
            let name = name.unwrap_or_else(|| format!("parameter {i}"));
            text += &format!(", {name}: {}", self.parameter(function, *i, value));
        }
        text
    }

    /// A parameter: `owned_monitors_ptr`.
    pub fn parameter_name(&self, function: u16, param: u16) -> String {
        let facts = self.facts(function);
        let known = facts.and_then(|f| f.params.get(usize::from(param)));
        known.map_or_else(|| format!("parameter {param}"), |param| param.name.clone())
    }

    /// Whether the VM writes through that parameter.
    pub fn is_output(&self, function: u16, param: usize) -> bool {
        let facts = self.facts(function);
        facts.and_then(|f| f.params.get(param)).is_some_and(|param| param.dir.is_output())
    }

    /// An output parameter: `owned_monitors_ptr of GetOwnedMonitorInfo`.
    pub fn output_of(&self, function: u16, param: u16) -> String {
        format!("{} of {}", self.parameter_name(function, param), self.function(function))
    }

    /// An event: `ClassLoad(thread: …, klass: …)`. The JNI environment is left out.
    pub fn event_with(&self, event: u16, args: &[Value]) -> String {
        let facts = self.spec.event_by_number(event);
        let shown: Vec<String> = args
            .iter()
            .enumerate()
            .filter_map(|(i, value)| {
                let param = facts.and_then(|e| e.params.get(i));
                if param.is_some_and(|p| p.c_type.contains("JNIEnv")) {
                    return None;
                }
                let text = self.event_parameter(event, i as u16, value);
                Some(param.map_or_else(|| text.clone(), |p| format!("{}: {text}", p.name)))
            })
            .collect();
        format!("{}({})", self.event(event), shown.join(", "))
    }
}

/// A place in code: `libfoo.so+0x11d3 (on_load)`.
pub fn code_place(place: &CodePlace) -> String {
    let file = place.library.rsplit('/').next().unwrap_or_default();
    let symbol = match place.symbol.as_str() {
        "" => String::new(),
        symbol => format!(" ({})", super::text::printable(symbol)),
    };
    match file {
        "" => format!("{:#x}{symbol}", place.offset),
        file => format!("{}+{:#x}{symbol}", super::text::printable(file), place.offset),
    }
}

fn addresses(blocks: &[(u16, u64)]) -> String {
    let addresses: Vec<String> = blocks.iter().map(|(_, at)| format!("{at:#x}")).collect();
    addresses.join(", ")
}

fn given(memory: &[Handed], references: &[Handed]) -> String {
    let told = |what: &str, all: &[Handed]| {
        let count: u32 = all.iter().map(|handed| handed.count).sum();
        (count > 0).then(|| format!("{count} {what}"))
    };
    let parts =
        [told("blocks of memory are given back", memory), told("references were returned", references)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn ended(process: &Process) -> String {
    let mut text = match process.exit {
        Exit::Code(code) => format!("the process exited with code {code}"),
        Exit::Signal(signal) => format!("the process was ended by signal {signal}"),
        Exit::TimedOut => "the process did not end in time".to_owned(),
        Exit::Unknown => "the process was ended before its time".to_owned(),
    };
    for (what, said) in [("standard output", &process.stdout), ("standard error", &process.stderr)] {
        if !said.trim().is_empty() {
            text += &format!("; {what}: {:?}", said.trim());
        }
    }
    text
}

fn entry_point(entry: EntryPoint) -> &'static str {
    match entry {
        EntryPoint::OnLoad => "Agent_OnLoad",
        EntryPoint::OnAttach => "Agent_OnAttach",
        EntryPoint::OnUnload => "Agent_OnUnload",
    }
}

pub(crate) fn reference_kind(kind: ReferenceKind) -> &'static str {
    match kind {
        ReferenceKind::Local => "local reference",
        ReferenceKind::Global => "global reference",
        ReferenceKind::Weak => "weak global reference",
    }
}
