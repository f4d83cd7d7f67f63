//! What cannot hold together: the rule that a mutant breaks, and a condition that would narrow it. A live thread is not answered
//! THREAD_NOT_ALIVE, an array class has no fields.

use jvmti_spec::Edition;
use jvmti_spec::edition::{ErrorRow, Function};

/// Kinds of threads that are not alive.
const NOT_ALIVE: [&str; 2] = ["new", "ended"];
/// Kinds of threads that have frames of Java methods.
const IN_JAVA: [&str; 8] = [
    "running",
    "sleeping",
    "waiting",
    "waiting-timed",
    "parked",
    "parked-timed",
    "suspended-waiting",
    "suspended-running",
];
/// Kinds of live threads besides.
const ALIVE: [&str; 5] = ["own", "in-native", "blocked", "suspended", "interrupted"];
/// Objects that may be of any kind; others are a thread group, a module, a loader and the like.
const ANY_OBJECT: [&str; 3] = ["object", "value", "monitor"];
/// Events that are not sent for arrays and primitive types.
const OF_LOADED: [&str; 4] = ["ClassLoad", "ClassPrepare", "FieldAccess", "FieldModification"];
/// Events of methods with instructions.
const OF_INSTRUCTIONS: [&str; 2] = ["Breakpoint", "SingleStep"];
/// Functions that tell of the instructions of a method.
const TELLING_CODE: [&str; 6] = [
    "GetLineNumberTable",
    "GetLocalVariableTable",
    "GetBytecodes",
    "GetMethodLocation",
    "SetBreakpoint",
    "ClearBreakpoint",
];

/// Whether no call or event can be as the mutant `subject/what` and the condition that `param` is of that kind want it.
pub(crate) fn contradicts(edition: &Edition, subject: &str, what: &str, param: &str, kind: &str) -> bool {
    let function = edition.function(subject);
    let has_field = function.is_some_and(|f| f.params.iter().any(|p| p.c_type == "jfieldID"));
    match param {
        "klass" | "object_klass" | "field_klass" => {
            let made = has_field || OF_LOADED.contains(&subject) || what == "errors/CLASS_NOT_PREPARED/none";
            let allocated = param == "object_klass" && matches!(kind, "interface" | "primitive");
            allocated || (made && matches!(kind, "array" | "primitive"))
        }
        "method" => of_method(function, subject, what, kind),
        "virtual_thread" => kind == "platform",
        // StopThread has to refuse what is no exception.
        "exception" if function.is_some() => false,
        _ if is_object_kind(kind) => !ANY_OBJECT.contains(&param),
        _ => function.is_some_and(|function| of_thread(function, what, kind)),
    }
}

/// Whether that is the kind of a thread that has not started or has ended.
pub(crate) fn is_dead(kind: &str) -> bool {
    NOT_ALIVE.contains(&kind.strip_prefix("virtual-").unwrap_or(kind))
}

fn is_object_kind(kind: &str) -> bool {
    matches!(kind, "array" | "string" | "class" | "thread")
}

fn of_method(function: Option<&Function>, subject: &str, what: &str, kind: &str) -> bool {
    match kind {
        // No abstract method runs, and it has no instructions.
        "abstract" if function.is_none() => true,
        "abstract" => {
            what.contains("NATIVE_METHOD") || (what != "suppressed" && TELLING_CODE.contains(&subject))
        }
        "native" => {
            let refuses = function.is_some_and(|f| f.errors.iter().any(|row| row.error == "NATIVE_METHOD"));
            let answers = what == "refused" || what.starts_with("output/");
            OF_INSTRUCTIONS.contains(&subject) || (refuses && answers)
        }
        "obsolete" => subject == "NativeMethodBind",
        _ => false,
    }
}

/// The same for a thread that a function is called with.
fn of_thread(function: &Function, what: &str, kind: &str) -> bool {
    let state = kind.strip_prefix("virtual-").unwrap_or(kind);
    let rows = |error: &str| function.errors.iter().filter(|row| row.error == error).collect::<Vec<_>>();
    let needs_life = !rows("THREAD_NOT_ALIVE").is_empty();
    let (is_dead, is_suspended) = (is_dead(kind), state.starts_with("suspended"));
    let spares_own = |error: &str| {
        rows(error).iter().all(|row| row.conditions.iter().any(|c| c.ends_with(":not_current")))
    };
    let succeeds = what == "refused" || what.contains("output/") || what.contains("local-refs/");
    // Only a thread that has not been started can be.
    if function.name == "RunAgentThread" && !matches!(state, "new" | "platform" | "virtual") {
        return true;
    }
    match what.strip_prefix("errors/").and_then(|rest| rest.strip_suffix("/none")) {
        Some("THREAD_NOT_ALIVE") => ALIVE.contains(&state) || IN_JAVA.contains(&state),
        Some("THREAD_NOT_SUSPENDED") => {
            is_suspended || is_dead || (kind == "own" && spares_own("THREAD_NOT_SUSPENDED"))
        }
        Some("THREAD_SUSPENDED") => state == "running" || is_dead || kind == "own",
        // These have to be found out from the frame of a live thread.
        Some("TYPE_MISMATCH" | "NO_MORE_FRAMES" | "OPAQUE_FRAME" | "DUPLICATE") if is_dead && needs_life => {
            true
        }
        Some("NO_MORE_FRAMES") => {
            let empty = [":empty_stack", ":fewer_than_2_frames"];
            let of_empty =
                |row: &&ErrorRow| row.conditions.iter().any(|c| empty.iter().any(|e| c.ends_with(e)));
            rows("NO_MORE_FRAMES").iter().any(of_empty) && IN_JAVA.contains(&state)
        }
        Some(_) => false,
        None => succeeds && is_dead && needs_life,
    }
}

#[cfg(test)]
mod tests {
    use jvmti_spec::{Release, Spec};

    use super::*;

    #[test]
    fn only_what_cannot_be_is_left_out() {
        let edition = Spec::embedded().at(Release(25));
        let left_out = |subject, what, param, kind| contradicts(&edition, subject, what, param, kind);
        for (subject, what, param, kind) in [
            ("GetLocalInt", "errors/THREAD_NOT_ALIVE/none", "thread", "virtual-parked"),
            ("GetLocalInt", "errors/THREAD_NOT_SUSPENDED/none", "thread", "suspended-running"),
            ("GetStackTrace", "output/count_ptr/less", "thread", "new"),
            ("SetFieldAccessWatch", "errors/DUPLICATE/none", "klass", "array"),
            ("GetLineNumberTable", "output/table_ptr.start_location/more", "method", "abstract"),
            ("AddModuleOpens", "suppressed", "module", "array"),
            ("PopFrame", "errors/NO_MORE_FRAMES/none", "thread", "parked"),
            ("PopFrame", "errors/THREAD_NOT_SUSPENDED/none", "thread", "own"),
            ("RunAgentThread", "refused", "thread", "parked-timed"),
            ("GetMaxLocals", "refused", "method", "native"),
        ] {
            assert!(left_out(subject, what, param, kind), "{subject}/{what}@{param}-{kind}");
        }
        for (subject, what, param, kind) in [
            ("GetLocalInt", "errors/THREAD_NOT_ALIVE/none", "thread", "ended"),
            ("GetLocalInt", "errors/THREAD_NOT_ALIVE/none", "depth", "over-0"),
            ("GetLocalInt", "errors/NO_MORE_FRAMES/none", "thread", "parked"),
            ("GetThreadState", "output/thread_state_ptr/more", "thread", "new"),
            ("GetThreadInfo", "refused", "thread", "ended"),
            ("SetFieldAccessWatch", "errors/DUPLICATE/none", "klass", "interface"),
            ("GetObjectSize", "output/size_ptr/more", "object", "thread"),
            ("GetMethodName", "refused", "method", "abstract"),
            ("StopThread", "suppressed", "exception", "thread"),
            ("ResumeThread", "errors/THREAD_NOT_SUSPENDED/none", "thread", "own"),
            ("RunAgentThread", "refused", "thread", "new"),
            ("GetMaxLocals", "errors/NATIVE_METHOD/none", "method", "native"),
        ] {
            assert!(!left_out(subject, what, param, kind), "{subject}/{what}@{param}-{kind}");
        }
    }
}
