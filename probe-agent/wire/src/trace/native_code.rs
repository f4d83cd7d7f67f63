//! What native code of agents does, beside calls of JVM TI functions. The order is the file format (see [`super::FORMAT`]).

use serde::{Deserialize, Serialize};

use super::CodePlace;

/// What native code of an agent does, or has done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NativeCode {
    /// The native code of an agent is about to push a local frame, or to pop one; only where [`super::Body::LocalsKnown`] holds.
    LocalFrame {
        /// Whether it pushes one.
        pushed: bool,
    },
    /// The native code of an agent is about to enter a critical region, or to leave the outermost one.
    CriticalRegion {
        /// Whether it enters one.
        entered: bool,
    },
    /// The thread that writes this is about to be detached from the JVM, although it was not attached by AttachCurrentThread.
    Detached {
        /// The place that detaches it ([`super::Body::SiteSeen`]).
        site: u32,
    },
    /// The thread that writes this is about to be attached to the JVM, which has not started yet.
    AttachedEarly {
        /// The place that attaches it ([`super::Body::SiteSeen`]).
        site: u32,
    },
    /// The function of an agent thread has returned with a JNI exception pending.
    ThreadThrew {
        /// The place that started the thread ([`super::Body::SiteSeen`]).
        site: u32,
    },
    /// A callback of an agent has got the contents of more strings and arrays than it released, or of fewer. Comes before its end.
    ContentsKept {
        /// The function by which it got the first: an index in the table of JNI functions; 0 if it got none.
        function: u16,
        /// The place where it did ([`super::Body::SiteSeen`]).
        site: u32,
        /// How many it got.
        got: u32,
        /// How many it released.
        released: u32,
    },
    /// Memory that a counted call of Deallocate has returned was written to afterwards; seen in recordings that poison.
    WrittenAfterDeallocate {
        /// The place that the call came from ([`super::Body::SiteSeen`]).
        site: u32,
        /// Address of the memory.
        at: u64,
        /// How far behind that the first byte is that has changed.
        offset: u64,
    },
    /// The native code of an agent is about to pass this reference to a JNI function, and has not got it, as far as the probe
    /// remembers; only where [`super::Body::LocalsKnown`] holds.
    ReferenceUsed {
        /// The function: an index in the table of JNI functions.
        function: u16,
        /// The place that uses it ([`super::Body::SiteSeen`]).
        site: u32,
        /// The reference.
        handle: u64,
    },
    /// The JNI function table that an agent is about to set lacks functions that the JVM's has. Comes before the call's end.
    TableLacks {
        /// The first one: an index in the table of JNI functions.
        function: u16,
        /// How many.
        count: u16,
    },
    /// A callback for ClassFileLoadHook has left class data to the JVM. Comes before [`super::Body::MemoryTaken`].
    ClassDataLength {
        /// The length that it has left; 0 or less: none that they could have.
        length: i32,
    },
    /// The thread that writes this has been attached to the JVM as a user thread, or is about to be detached after that.
    UserThread {
        /// Whether it has been attached.
        attached: bool,
        /// The place that attached it ([`super::Body::SiteSeen`]).
        site: u32,
    },
    /// A call that is about to begin passes an address in the frames that the callback around it has on the stack.
    StackAddress {
        /// Slot of the function.
        function: u16,
        /// The place that makes the call ([`super::Body::SiteSeen`]).
        site: u32,
        /// The bytes from the address to the end of these frames.
        room: u64,
    },
    /// A global reference has been created, in place of [`super::Body::GlobalCreated`].
    GlobalCreated {
        /// The reference.
        handle: u64,
        /// Whether it is a weak one.
        weak: bool,
        /// The place that created it ([`super::Body::SiteSeen`]); 0: not known.
        site: u32,
    },
    /// Java code has called a native method of an agent. Until [`NativeCode::MethodLeft`], the thread is in it.
    MethodEntered {
        /// Class and name of the method.
        name: String,
        /// The place where its function begins ([`super::Body::SiteSeen`]).
        site: u32,
        /// The references among its arguments: the object or the class first.
        handles: Vec<u64>,
    },
    /// The native method of an agent has returned that the thread entered last.
    MethodLeft,
    /// The function of an agent thread begins.
    ThreadBegan {
        /// The place that started the thread ([`super::Body::SiteSeen`]).
        site: u32,
        /// The argument that it was started with.
        argument: u64,
    },
    /// Memory from Allocate was written to behind its end; seen in recordings that poison.
    WrittenBeyond {
        /// The place that allocated it ([`super::Body::SiteSeen`]).
        site: u32,
        /// Address of the memory.
        at: u64,
        /// How many bytes were asked for.
        size: u64,
    },
    /// A call that is about to begin passes an address in memory that was deallocated; seen in recordings that poison.
    DeallocatedPassed {
        /// Slot of the function.
        function: u16,
        /// The place that makes the call ([`super::Body::SiteSeen`]).
        site: u32,
        /// The parameter.
        param: u16,
    },
    /// The JVM has crashed, and says so in its error report.
    Crashed {
        /// What it says of the cause and of the frame that it happened in.
        words: Vec<String>,
        /// Native code on the stack of the thread, innermost first.
        stack: Vec<CodePlace>,
    },
    /// Places on the stack of the thread that has crashed to which calls return, innermost first, where the JVM could not follow the
    /// frames. Some may be left from calls that have returned. One without a library is the address of the crash, if no code is there.
    CrashStack {
        /// The places.
        stack: Vec<CodePlace>,
    },
    /// The native code of a thread has pushed so many local frames and not popped them; in no callback and no native method.
    FramesOpen {
        /// The place that pushes the next one ([`super::Body::SiteSeen`]).
        site: u32,
        /// How many.
        open: u32,
    },
    /// A thread of the program is about to end it by SIGABRT.
    Aborted {
        /// Native code on the stack of the thread, innermost first.
        stack: Vec<CodePlace>,
    },
    /// A callback for ClassFileLoadHook has left class data that define no class, or another one. Comes after
    /// [`NativeCode::ClassDataLength`].
    ClassDataMalformed {
        /// The class that they define; empty: none.
        name: String,
    },
    /// A call that is about to begin passes an address in the data of a library.
    StaticAddress {
        /// Slot of the function.
        function: u16,
        /// The place that makes the call ([`super::Body::SiteSeen`]).
        site: u32,
        /// The address.
        place: CodePlace,
    },
    /// An agent is about to make a call in a process that `fork` has made of the JVM's.
    CalledInFork {
        /// Slot of the function.
        function: u16,
        /// The place that makes the call ([`super::Body::SiteSeen`]).
        site: u32,
    },
    /// A call that is about to begin passes the address of memory from the allocator of the C library; seen in recordings that poison.
    AllocatedAddress {
        /// Slot of the function.
        function: u16,
        /// The place that makes the call ([`super::Body::SiteSeen`]).
        site: u32,
        /// The bytes from the address to the end of this memory.
        room: u64,
    },
    /// A heap callback of an agent has returned what it must not during a walk through the heap that is over.
    HeapAnswer {
        /// Slot of the function that walked.
        function: u16,
        /// The place where the callback begins ([`super::Body::SiteSeen`]).
        site: u32,
        /// What it has returned first of these.
        answer: i32,
        /// How often it has returned such values.
        count: u64,
    },
    /// Native code is about to end the program by JNI's FatalError.
    FatalError {
        /// The place that calls it ([`super::Body::SiteSeen`]).
        site: u32,
    },
    /// The function of an agent thread begins whose object was never constructed.
    ThreadUnmade {
        /// The place that started the thread ([`super::Body::SiteSeen`]).
        site: u32,
    },
    /// The call that the thread makes, which is to walk through the heap, passes callbacks that are no functions.
    NoHeapCallback {
        /// Which is the first of them: its place in `jvmtiHeapCallbacks`, or among the callbacks that the function takes.
        index: u16,
        /// Where there is no code.
        place: CodePlace,
        /// How many there are.
        count: u16,
    },
}
