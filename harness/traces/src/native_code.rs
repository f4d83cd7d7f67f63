//! What a record of native code says, in words.

use jvmti_wire::trace::{NativeCode, ReferenceKind};

use super::jni;
use super::record::{code_place, reference_kind};

/// What native code does.
pub(crate) fn native_code(native: &NativeCode) -> String {
    match native {
        NativeCode::LocalFrame { pushed: true } => "the native code pushes a local frame".to_owned(),
        NativeCode::LocalFrame { pushed: false } => "the native code pops a local frame".to_owned(),
        NativeCode::CriticalRegion { entered: true } => "the native code enters a critical region".to_owned(),
        NativeCode::CriticalRegion { entered: false } => {
            "the native code leaves a critical region".to_owned()
        }
        NativeCode::Detached { site } => {
            format!("place {site} detaches this thread, which nobody attached")
        }
        NativeCode::AttachedEarly { site } => {
            format!("place {site} attaches this thread to the JVM, which has not started yet")
        }
        NativeCode::ThreadThrew { site } => {
            format!("the function of this thread, which place {site} started, has left an exception pending")
        }
        NativeCode::ReferenceUsed { function, site, handle } => {
            format!("place {site} passes reference {handle:#x} to {}", jni::name(*function))
        }
        NativeCode::TableLacks { function, count } => {
            format!("the JNI function table lacks {count} functions, {} first", jni::name(*function))
        }
        NativeCode::ClassDataLength { length } => {
            format!("the callback left class data with the length {length}")
        }
        NativeCode::UserThread { attached: true, site } => {
            format!("place {site} has attached this thread as a user thread")
        }
        NativeCode::UserThread { attached: false, .. } => {
            "this thread, which was attached as a user thread, is about to be detached".to_owned()
        }
        NativeCode::GlobalCreated { handle, weak, site } => {
            let kind = if *weak { ReferenceKind::Weak } else { ReferenceKind::Global };
            format!("{} {handle:#x} is created at place {site}", reference_kind(kind))
        }
        NativeCode::MethodEntered { name, .. } => format!("Java code calls native method {name}"),
        NativeCode::MethodLeft => "the native method has returned".to_owned(),
        NativeCode::ThreadBegan { site, .. } => {
            format!("the function of this thread begins, which place {site} started")
        }
        NativeCode::WrittenAfterDeallocate { .. }
        | NativeCode::ContentsKept { .. }
        | NativeCode::StackAddress { .. }
        | NativeCode::WrittenBeyond { .. }
        | NativeCode::DeallocatedPassed { .. }
        | NativeCode::Crashed { .. }
        | NativeCode::CrashStack { .. }
        | NativeCode::Aborted { .. }
        | NativeCode::ClassDataMalformed { .. }
        | NativeCode::StaticAddress { .. }
        | NativeCode::CalledInFork { .. }
        | NativeCode::AllocatedAddress { .. }
        | NativeCode::FramesOpen { .. }
        | NativeCode::HeapAnswer { .. }
        | NativeCode::FatalError { .. }
        | NativeCode::ThreadUnmade { .. }
        | NativeCode::NoHeapCallback { .. } => rarely(native),
    }
}

/// What native code seldom does: mostly what it does wrong with memory, or has left behind.
fn rarely(native: &NativeCode) -> String {
    match native {
        NativeCode::WrittenAfterDeallocate { site, at, offset } => {
            format!("{at:#x}, deallocated at place {site}, was written to at offset {offset} afterwards")
        }
        NativeCode::ContentsKept { got, released, .. } => {
            format!("the callback got the contents of {got} strings and arrays, and released {released}")
        }
        NativeCode::StackAddress { site, room, .. } => {
            format!("place {site} passes an address of its callback's stack, {room} bytes from the end")
        }
        NativeCode::WrittenBeyond { site, at, size } => {
            format!("{at:#x}, {size} bytes from place {site}, was written to behind its end")
        }
        NativeCode::DeallocatedPassed { site, .. } => {
            format!("place {site} passes an address in memory that was deallocated")
        }
        NativeCode::Crashed { words, .. } => format!("the JVM crashed: {}", words.join("; ")),
        NativeCode::CrashStack { stack } => {
            format!("the stack of the thread that crashed holds {} places that calls return to", stack.len())
        }
        NativeCode::FramesOpen { open, .. } => {
            format!("this thread has pushed {open} local frames, and popped none of them")
        }
        NativeCode::Aborted { stack } => {
            let places: Vec<String> = stack.iter().map(code_place).collect();
            format!("this thread ends the program by SIGABRT in {}", places.join(", called from "))
        }
        NativeCode::ClassDataMalformed { name } if name.is_empty() => {
            "the callback left class data that are no class file".to_owned()
        }
        NativeCode::ClassDataMalformed { name } => format!("the callback left class data that define {name}"),
        NativeCode::CalledInFork { site, .. } => {
            format!("place {site} makes a call in a process that fork has made")
        }
        NativeCode::AllocatedAddress { site, room, .. } => {
            format!("place {site} passes memory of the C library, with {room} bytes")
        }
        NativeCode::HeapAnswer { site, answer, count, .. } => {
            format!("the heap callback at place {site} returned {answer:#x} and the like {count} times")
        }
        NativeCode::FatalError { site } => format!("place {site} ends the program by FatalError"),
        NativeCode::ThreadUnmade { site } => {
            format!("the object of this thread, which place {site} started, was never constructed")
        }
        NativeCode::NoHeapCallback { index, place, count } => {
            format!(
                "{count} heap callbacks are no functions, the first of them number {index}: {}",
                code_place(place)
            )
        }
        NativeCode::StaticAddress { site, place, .. } => {
            format!("place {site} passes the address {}", code_place(place))
        }
        _ => String::new(),
    }
}
