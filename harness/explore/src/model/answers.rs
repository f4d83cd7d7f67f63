//! What functions must return about threads, monitors and the JVM, whatever was called before.

use jvmti_wire::plan::{Arg, OnThread};
use jvmti_wire::value::Value;

use super::Model;
use super::outputs::Outputs;
use super::state::{ThreadArgument, Tri, int};
use crate::cast::Part;

impl Model<'_> {
    /// Checks the answers that depend on the cast only.
    pub(super) fn of_cast(&mut self, outputs: &mut Outputs<'_>) {
        match outputs.calling.function.name.as_str() {
            "GetThreadInfo" => self.thread_info(outputs),
            "GetCurrentContendedMonitor" => self.contended(outputs),
            "GetObjectMonitorUsage" => self.monitor_usage(outputs),
            "GetOwnedMonitorInfo" => self.owned(outputs),
            "GetAllThreads" => self.all_threads(outputs),
            "GetLoadedClasses" => loaded(outputs),
            "GetClassLoaderClasses" => initiated(outputs),
            "GetExtensionFunctions" | "GetExtensionEvents" => extensions(outputs),
            "GetTimerInfo" | "GetCurrentThreadCpuTimerInfo" | "GetThreadCpuTimerInfo" => timer(outputs),
            "GetThreadGroupInfo" => group(outputs),
            "GetObjectSize" => positive(outputs, "size_ptr", "object/size"),
            "GetAvailableProcessors" => positive(outputs, "processor_count_ptr", "#phase/live"),
            "GetObjectsWithTags" => self.with_tags(outputs),
            _ => {}
        }
    }

    fn role_of(&self, target: ThreadArgument) -> Option<&crate::cast::Role> {
        match target {
            ThreadArgument::Role(index) => self.roles.get(index),
            _ => None,
        }
    }

    fn thread_info(&self, outputs: &mut Outputs<'_>) {
        let target = self.target(outputs.calling, 0);
        let (name, is_virtual) = match self.role_of(target) {
            Some(role) => (role.name.clone(), role.is_virtual),
            None if target == ThreadArgument::Main => ("main".to_owned(), false),
            None => return,
        };
        let Some(info) = outputs.get("info_ptr").cloned() else { return };
        let text = |field: &str| match info.field(field) {
            Some(Value::Str(text)) => Some(String::from_utf8_lossy(text).into_owned()),
            _ => None,
        };
        let number = |field: &str| info.field(field).and_then(Value::as_int);
        if let Some(found) = text("name").filter(|found| *found != name) {
            outputs.wrong("info_ptr", format!("{{name: {name}}}"), found, "thread/info-name");
        }
        let has_ended = self.role_of(target).is_some_and(|role| role.part == Part::Ended && !role.is_virtual);
        let group = info.field("thread_group").filter(|group| has_ended && **group != Value::Null);
        if let Some(group) = group {
            let found = outputs.names.value(group);
            let expected = "{thread_group: null}".to_owned();
            outputs.wrong("info_ptr", expected, found, "thread/info-group-terminated");
        }
        let may_differ = self.state.thread(target).is_some_and(|thread| thread.has_own_priority);
        let priority = number("priority").filter(|found| *found != 5 && !may_differ);
        if let Some(found) = priority {
            let cite = if is_virtual { "thread/info-priority-virtual" } else { "thread/info-priority" };
            outputs.wrong("info_ptr", "{priority: 5}".to_owned(), found.to_string(), cite);
        }
        let daemon = i64::from(target != ThreadArgument::Main);
        if let Some(found) = number("is_daemon").filter(|found| *found != daemon) {
            let cite = if is_virtual { "thread/info-daemon-virtual" } else { "thread/info-daemon" };
            outputs.wrong("info_ptr", format!("{{is_daemon: {daemon}}}"), found.to_string(), cite);
        }
    }

    fn contended(&self, outputs: &mut Outputs<'_>) {
        let target = self.target(outputs.calling, 0);
        let Some(role) = self.role_of(target) else { return };
        if !self.state.thread(target).is_some_and(|thread| thread.undisturbed) {
            return;
        }
        // Whether a thread has been notified meanwhile is not known here.
        let (expected, cite) = match role.part {
            Part::Parked | Part::Sleeping | Part::InNative => ("null", "thread/contended-none"),
            Part::Blocked if !role.is_virtual => ("$lock", "thread/contended-enter"),
            _ => return,
        };
        outputs.object("monitor_ptr", expected, expected, cite);
    }

    /// `$lock` is owned once by the main thread all the time, and nobody owns `$object`.
    fn monitor_usage(&self, outputs: &mut Outputs<'_>) {
        let owner = match outputs.calling.arg(0) {
            Arg::Named(name) if name == "lock" => ("$main", 1),
            Arg::Named(name) if name == "object" || name == "array" => ("null", 0),
            _ => return,
        };
        let Some(info) = outputs.get("info_ptr").cloned() else { return };
        if let Some(found) = info.field("owner").map(|owner| outputs.names.value(owner))
            && found != owner.0
        {
            outputs.wrong("info_ptr", format!("{{owner: {}}}", owner.0), found, "object/monitor-owner");
        }
        if let Some(found) = info.field("entry_count").and_then(Value::as_int)
            && found != owner.1
        {
            let expected = format!("{{entry_count: {}}}", owner.1);
            outputs.wrong("info_ptr", expected, found.to_string(), "object/monitor-entry-count");
        }
    }

    /// The main thread owns `$lock` and nothing else.
    fn owned(&self, outputs: &mut Outputs<'_>) {
        let is_main = self.target(outputs.calling, 0) == ThreadArgument::Main;
        if !is_main || outputs.calling.call.on != OnThread::Current {
            return;
        }
        let Some(Value::List(found)) = outputs.get("owned_monitors_ptr").cloned() else { return };
        if !found.iter().any(|object| outputs.names.value(object) == "$lock") {
            let observed = outputs.names.value(&Value::List(found));
            outputs.wrong("owned_monitors_ptr", "{contains: $lock}".to_owned(), observed, "thread/owned");
        }
    }

    fn all_threads(&self, outputs: &mut Outputs<'_>) {
        let Some(Value::List(found)) = outputs.get("threads_ptr").cloned() else { return };
        let found: Vec<String> = found.iter().map(|thread| outputs.names.value(thread)).collect();
        for (index, role) in self.roles.iter().enumerate() {
            let alive = self.state.is_alive(ThreadArgument::Role(index));
            let name = format!("${}", role.name);
            let (expected, cite) = match (role.is_virtual, alive) {
                (false, Tri::Yes) => (true, "thread/all-live"),
                (false, Tri::No) => (false, "thread/all-only-live"),
                (true, _) => (false, "thread/all-no-virtual"),
                _ => continue,
            };
            if found.contains(&name) != expected {
                let condition = format!("{{contains: {name}}}");
                let expected = if expected { condition } else { format!("{{not: {condition}}}") };
                return outputs.wrong("threads_ptr", expected, format!("[{}]", found.join(", ")), cite);
            }
        }
    }

    /// Every object that was tagged by its name is among those with its tag.
    fn with_tags(&self, outputs: &mut Outputs<'_>) {
        let calling = outputs.calling;
        let (Some(environment), Arg::List(tags)) = (self.environment(calling.call), calling.arg(1)) else {
            return;
        };
        let Some(tags) = int(calling.arg(0)).and_then(|count| tags.get(..usize::try_from(count).ok()?))
        else {
            return;
        };
        if environment.blurred {
            return;
        }
        let wanted = |tag: i64| tag != 0 && tags.contains(&Arg::Int(tag));
        let expected = environment.tags.values().filter(|tag| wanted(**tag)).count() as i64;
        outputs.number("count_ptr", expected, "heap/with-tags-count");
    }
}

fn positive(outputs: &mut Outputs<'_>, name: &str, cite: &str) {
    if let Some(Value::Int(found)) = outputs.get(name).cloned()
        && found <= 0
    {
        outputs.wrong(name, "{at_least: 1}".to_owned(), found.to_string(), cite);
    }
}

fn loaded(outputs: &mut Outputs<'_>) {
    const SOME: [(&str, &str); 3] = [
        ("class java.lang.Object", "java/lang/Object"),
        ("class java.lang.String", "java/lang/String"),
        ("class jvmticheck.scenarios.Explored", "jvmticheck/scenarios/Explored"),
    ];
    let Some(Value::List(found)) = outputs.get("classes_ptr").cloned() else { return };
    let found: Vec<String> = found.iter().map(|class| outputs.names.value(class)).collect();
    let missing = SOME.iter().find(|(shown, _)| !found.iter().any(|class| class == shown));
    if let Some((_, name)) = missing {
        let expected = format!("{{contains: \"class({name})\"}}");
        outputs.wrong("classes_ptr", expected, format!("{} other classes", found.len()), "class/loaded");
    }
}

/// Each loader is an initiating loader of what it has defined.
fn initiated(outputs: &mut Outputs<'_>) {
    let (shown, name, cite) = match outputs.calling.arg(0) {
        Arg::Null => ("class java.lang.Object", "java/lang/Object", "class/initiated-bootstrap"),
        Arg::Named(name) if name == "loader" => {
            ("class jvmticheck.scenarios.Explored", "jvmticheck/scenarios/Explored", "class/initiated")
        }
        _ => return,
    };
    let Some(Value::List(found)) = outputs.get("classes_ptr").cloned() else { return };
    if !found.iter().any(|class| outputs.names.value(class) == shown) {
        let expected = format!("{{contains: \"class({name})\"}}");
        outputs.wrong("classes_ptr", expected, format!("{} other classes", found.len()), cite);
    }
}

/// Each extension has an id and a description, and as many parameters as it says.
fn extensions(outputs: &mut Outputs<'_>) {
    let Some(Value::List(found)) = outputs.get("extensions").cloned() else { return };
    let kind = if outputs.calling.function.name == "GetExtensionEvents" { "event" } else { "function" };
    for extension in &found {
        let text = |field: &str| extension.field(field).is_none_or(|v| matches!(v, Value::Str(_)));
        let many = match (extension.field("param_count"), extension.field("params")) {
            (Some(Value::Int(count)), Some(Value::List(params))) => *count == params.len() as i64,
            (Some(Value::Int(count)), Some(Value::Null)) => *count == 0,
            _ => true,
        };
        let about = [
            (text("id"), "id", "id"),
            (text("short_description"), "short_description", "description"),
            (many, "params", "parameters"),
        ];
        if let Some((_, field, what)) = about.iter().find(|(fine, ..)| !fine) {
            let observed = outputs.names.value(extension);
            let cite = format!("extension-mechanism/{kind}-{what}");
            return outputs.wrong("extensions", format!("{{each: {{{field}: not_null}}}}"), observed, &cite);
        }
    }
}

/// The kind of a timer, and what can be said of the fields of all timers.
fn timer(outputs: &mut Outputs<'_>) {
    /// `JVMTI_TIMER_USER_CPU`, `JVMTI_TIMER_TOTAL_CPU` and `JVMTI_TIMER_ELAPSED`.
    const KINDS: [i64; 3] = [30, 31, 32];
    let Some(info) = outputs.get("info_ptr").cloned() else { return };
    let number = |field: &str| info.field(field).and_then(Value::as_int);
    let (kinds, cite) = match outputs.calling.function.name.as_str() {
        "GetTimerInfo" => (&KINDS[2..], "timers/time-info-wall"),
        _ => (&KINDS[..2], "timers/info-kind"),
    };
    if let Some(found) = number("kind").filter(|found| !kinds.contains(found)) {
        let expected = format!("{{kind: {{any: {kinds:?}}}}}");
        outputs.wrong("info_ptr", expected, found.to_string(), cite);
    }
    for field in ["may_skip_forward", "may_skip_backward"] {
        if let Some(found) = number(field).filter(|found| !(0..=1).contains(found)) {
            let expected = format!("{{{field}: {{any: [0, 1]}}}}");
            outputs.wrong("info_ptr", expected, found.to_string(), "timers/info-direction");
        }
    }
}

fn group(outputs: &mut Outputs<'_>) {
    let Some(info) = outputs.get("info_ptr").cloned() else { return };
    if let Some(Value::Str(found)) = info.field("name")
        && found != b"group"
    {
        let observed = String::from_utf8_lossy(found).into_owned();
        outputs.wrong("info_ptr", "{name: group}".to_owned(), observed, "thread-group/info-name");
    }
}
