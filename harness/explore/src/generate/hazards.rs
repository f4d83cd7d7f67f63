//! What sequences do not do, because a JVM that keeps every promise might hang, or end.

use jvmti_wire::plan::{Arg, OnThread};

use crate::cast::{self, Part};
use crate::model::Model;
use crate::model::conditions::Calling;
use crate::model::state::{ThreadArgument, Tri, int};
use crate::sequence::Move;

/// Whether a step neither hangs a JVM that keeps every promise nor leaves open, by the text, what follows.
pub fn is_safe(model: &Model<'_>, step: &Move, undefined: bool) -> bool {
    match step {
        Move::Java(action) => java(model, action),
        Move::Edit { .. } | Move::Reply(_) => true,
        Move::Call(call) => {
            let Some(function) = model.tables.function(call.function) else { return false };
            let calling = Calling { call, function };
            !hangs(model, calling) && (undefined || is_defined(model, calling))
        }
    }
}

/// An action of the scenario must not wait for a thread that is suspended.
fn java(model: &Model<'_>, action: &str) -> bool {
    let holds_monitor = |(index, role): (usize, &crate::cast::Role)| {
        role.part == Part::Waiting && model.state.is_suspended(ThreadArgument::Role(index)) != Tri::No
    };
    match action {
        "wake" => !model.roles.iter().enumerate().any(holds_monitor),
        _ => true,
    }
}

/// Nothing that a JVM need not detect is wrong with the call, apart from what all JVMs are known to detect.
fn is_defined(model: &Model<'_>, calling: Calling<'_>) -> bool {
    !has_known_end(calling)
        && !calling.call.args.iter().any(is_garbage)
        && !model.state.lost
        && (!calling.function.name.starts_with("SetLocal") || is_settable(model, calling))
        && (calling.function.name != "SetBreakpoint" || is_instruction_or_outside(calling))
        && (calling.function.name != "RunAgentThread" || is_startable(model, calling))
}

/// Whether HotSpot is known to crash or hang by an error that no JVM has to detect.
fn has_known_end(calling: Calling<'_>) -> bool {
    use jvmti_wire::plan::Invalid::PlainObject;
    match calling.function.name.as_str() {
        // A variable of two words there would reach beyond the largest slot.
        "GetLocalLong" | "GetLocalDouble" | "SetLocalLong" | "SetLocalDouble" => {
            int(calling.named("slot")) == Some(i32::MAX.into())
        }
        "GetThreadGroupInfo" | "GetThreadGroupChildren" => *calling.arg(0) == Arg::Invalid(PlainObject),
        "SuspendAllVirtualThreads" | "ResumeAllVirtualThreads" => {
            *calling.arg(1) == Arg::Null && int(calling.arg(0)).is_none_or(|count| count > 0)
        }
        _ => false,
    }
}

/// Whether an instruction is sure to begin at the location, or it is outside of any method. The text has no error for a location
/// inside an instruction, and HotSpot overwrites part of the instruction.
fn is_instruction_or_outside(calling: Calling<'_>) -> bool {
    int(calling.named("location")).is_none_or(|location| !(1..=i64::from(u16::MAX)).contains(&location))
}

/// Whether a variable has the type that it is set to, or does not exist at all: few JVMs know the types of variables, and what
/// they overwrite may be needed.
fn is_settable(model: &Model<'_>, calling: Calling<'_>) -> bool {
    const NOWHERE: i64 = 40;
    if int(calling.named("depth")).is_some_and(|depth| !(0..NOWHERE).contains(&depth)) {
        return true;
    }
    let Some(index) = calling.index("slot") else { return false };
    if model.no_slot(calling, index) == Tri::Yes {
        return true;
    }
    let slot = int(calling.arg(index));
    let has_type = |(at, kind): &(i64, &str)| Some(*at) == slot && calling.function.name.ends_with(kind);
    model.is_about_checkpoint(calling) && cast::VARIABLES.iter().any(has_type)
}

/// Whether the thread was not started yet, or is no thread at all: the text says nothing of other threads.
fn is_startable(model: &Model<'_>, calling: Calling<'_>) -> bool {
    match model.target(calling, 0) {
        ThreadArgument::None => true,
        ThreadArgument::Role(index) => {
            model.roles[index].part == Part::Fresh && model.state.threads[index].undisturbed
        }
        _ => false,
    }
}

fn is_garbage(arg: &Arg) -> bool {
    use jvmti_wire::plan::Invalid::PlainObject;
    match arg {
        Arg::Invalid(invalid) => *invalid != PlainObject,
        Arg::List(list) => list.iter().any(is_garbage),
        _ => false,
    }
}

fn hangs(model: &Model<'_>, calling: Calling<'_>) -> bool {
    if !calling.function.phases.contains(&model.state.moment.phase()) {
        return false;
    }
    let attached = calling.call.on != OnThread::Current;
    match calling.function.name.as_str() {
        // The current thread would wait to be resumed by itself.
        "SuspendThread" => !matches!(
            model.target(calling, 0),
            ThreadArgument::Role(_) | ThreadArgument::Busy | ThreadArgument::None
        ),
        "SuspendThreadList" => match calling.arg(1) {
            Arg::List(threads) => threads.iter().any(|arg| {
                let target = model.state.target(model.roles, arg, true, calling.call.on);
                !matches!(target, ThreadArgument::Role(_) | ThreadArgument::Busy | ThreadArgument::None)
            }),
            _ => false,
        },
        // Null is no thread by the text, and the current one to some JVMs.
        "InterruptThread" if *calling.arg(0) == Arg::Null => true,
        "StopThread" | "InterruptThread" => !matches!(
            model.target(calling, 0),
            ThreadArgument::Role(_) | ThreadArgument::Busy | ThreadArgument::None
        ),
        name if name.starts_with("ForceEarlyReturn") || name == "PopFrame" => {
            let target = model.target(calling, 0);
            // The method in which an event has come can be left.
            let is_own = target == ThreadArgument::Main && model.state.inside == Some(true);
            !is_own
                && !matches!(target, ThreadArgument::Role(_) | ThreadArgument::Busy | ThreadArgument::None)
        }
        "RawMonitorWait" => attached || !matches!(int(calling.arg(1)), Some(1..=3)),
        "RawMonitorEnter" => attached,
        // These would be sent without end.
        "SetEventNotificationMode" => {
            let number = int(calling.arg(1));
            let event = model.tables.edition.events.iter().find(|e| Some(i64::from(e.number)) == number);
            event.is_some_and(|event| is_dense(&event.name)) && *calling.arg(2) == Arg::Null
        }
        // Storage for so many frames is more than the JVM may have.
        "GetAllStackTraces" | "GetThreadListStackTraces" => {
            int(calling.named("max_frame_count")).is_some_and(|most| most > 1 << 16)
        }
        "Allocate" => int(calling.arg(0)).is_some_and(|size| size > 1 << 16 && size < i64::MAX / 4),
        _ => false,
    }
}

/// Events that come so often that they are enabled for single threads only.
pub fn is_dense(event: &str) -> bool {
    matches!(event, "SingleStep" | "MethodEntry" | "MethodExit" | "VMObjectAlloc" | "SampledObjectAlloc")
}
