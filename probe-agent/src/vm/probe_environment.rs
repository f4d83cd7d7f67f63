//! The probe's private environment: it gives objects their identity, describes classes, threads and methods, and
//! tells when the VM starts and ends.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

use jvmti_wire::trace::Body;

use crate::ffi::extension::{ParamInfo, described, kinds};
use crate::ffi::{self, Env, FieldLayout, error, event, slot};
use crate::recording::{record, trouble};
use crate::vm::jni::{self, Ref};
use crate::vm::{environments, held};

static ENVIRONMENT: OnceLock<ProbeEnvironment> = OnceLock::new();

/// The system properties that JVM TI gives already in `Agent_OnLoad`.
const PROPERTIES: [&str; 5] =
    ["java.vm.name", "java.vm.version", "java.vm.vendor", "java.vm.info", "java.home"];

/// `jvmtiStartFunction`
pub type StartFunction = unsafe extern "C" fn(*mut c_void, *mut jni_sys::JNIEnv, *mut c_void);

/// `JVMTI_THREAD_NORM_PRIORITY`
const NORM_PRIORITY: u64 = 5;
const PHASE_START: i32 = 6;
const PHASE_LIVE: i32 = 4;

/// A thing that the VM writes into storage of the caller's.
macro_rules! written {
    ($value:expr) => {
        (&raw mut $value).expose_provenance() as u64
    };
}

/// The number of functions in the JNI function table of version 1.6, with the entries that are reserved.
const JNI_FUNCTIONS: usize = 233;

/// Calls a function through the probe's environment; a missing one is answered with -1.
macro_rules! call {
    ($self:expr, $slot:ident $(, $arg:expr)* $(,)?) => {
        // SAFETY: the JVM gave the environment. The arguments are as the function takes them: numbers, what the JVM has
        // given, terminated strings, and storage of the caller's for what the JVM writes.
        unsafe { ffi::call($self.env, slot::$slot, &[$($arg),*]) }.unwrap_or(-1)
    };
}

mod fields;

/// Whether a value of `jvmtiPhase` is the start or live phase.
pub fn is_running_phase(phase: i32) -> bool {
    phase == PHASE_START || phase == PHASE_LIVE
}

/// The probe's private environment.
#[derive(Clone, Copy)]
pub struct ProbeEnvironment {
    env: Env,
    tags: bool,
}

/// An extension event, as the JVM describes it.
#[derive(Debug)]
pub struct ExtensionEvent {
    /// Its index.
    pub index: i32,
    /// Its name.
    pub id: String,
    /// `jvmtiParamKind` and `jvmtiParamTypes` of its parameters.
    pub params: Vec<(i32, i32)>,
}

/// The private environment, once made.
pub fn get() -> Option<ProbeEnvironment> {
    ENVIRONMENT.get().copied()
}

/// Gives memory back that the JVM allocated.
///
/// # Safety
/// The JVM has to have allocated the memory, and nobody may use it any more.
pub unsafe fn deallocate(memory: u64) {
    if let Some(environment) = get() {
        call!(environment, DEALLOCATE, memory);
    }
}

/// Records capabilities under a key.
pub fn record_capabilities(key: &str, names: &[&str]) {
    record(&Body::Identity { key: key.to_owned(), value: names.join(" ") });
}

/// Records the capabilities that the JVM offers at present.
pub fn record_offered_capabilities(key: &str) {
    let names = get().map(|environment| environment.potential_capabilities()).unwrap_or_default();
    record_capabilities(key, &names);
}

impl ProbeEnvironment {
    /// Makes it. Fails with what `GetEnv` returned if this VM offers no JVM TI.
    pub fn install() -> Result<ProbeEnvironment, i32> {
        let (mut environment, number) = ProbeEnvironment::bare()?;
        let env = environment.env;
        environment.tags =
            ffi::capability_bit("can_tag_objects").is_some_and(|bit| environment.add_capabilities(&[bit]));
        if !environment.tags {
            trouble("this VM does not let the probe tag objects: identities come from hash codes");
        }
        let _ = ENVIRONMENT.set(environment);
        environments::set_callbacks(env);
        for wanted in [event::VM_START, event::VM_INIT, event::VM_DEATH] {
            let code = environment.enable(wanted);
            if code != error::NONE {
                trouble(format!("environment {number}: enabling event {wanted} gave error {code}"));
            }
        }
        Ok(environment)
    }

    /// An environment that has asked for nothing yet, and its number.
    pub fn bare() -> Result<(ProbeEnvironment, u32), i32> {
        let (env, number) = environments::make_own()?;
        let mut version = 0i32;
        let environment = ProbeEnvironment { env, tags: false };
        call!(environment, GET_VERSION_NUMBER, written!(version));
        ffi::set_vm_version(version);
        record(&Body::Identity {
            key: "jvmti.version".to_owned(),
            value: format!("{}.{}.{}", (version >> 16) & 0xfff, (version >> 8) & 0xff, version & 0xff),
        });
        Ok((environment, number))
    }

    /// Enables an event for all threads; gives the error code.
    pub fn enable(&self, event: u16) -> i32 {
        call!(self, SET_EVENT_NOTIFICATION_MODE, 1, event.into(), 0)
    }

    /// Adds capabilities, given by bit; whether that worked.
    pub fn add_capabilities(&self, bits: &[u16]) -> bool {
        let mut structure = held::structure(bits);
        call!(self, ADD_CAPABILITIES, written!(structure)) == error::NONE
    }

    /// Whether objects can be told apart by tags.
    pub fn tags(&self) -> bool {
        self.tags
    }

    /// The `jvmtiPhase`.
    pub fn phase(&self) -> Option<i32> {
        let mut phase = 0i32;
        (call!(self, GET_PHASE, written!(phase)) == error::NONE).then_some(phase)
    }

    /// The object's tag; 0: none.
    pub fn tag(&self, object: Ref) -> Option<u64> {
        let mut tag = 0i64;
        (call!(self, GET_TAG, object.word(), written!(tag)) == error::NONE).then_some(tag.cast_unsigned())
    }

    /// Tags the object; whether that worked.
    pub fn set_tag(&self, object: Ref, tag: u64) -> bool {
        call!(self, SET_TAG, object.word(), tag) == error::NONE
    }

    /// The object's hash code.
    pub fn hash_code(&self, object: Ref) -> Option<i32> {
        let mut hash = 0i32;
        (call!(self, GET_OBJECT_HASH_CODE, object.word(), written!(hash)) == error::NONE).then_some(hash)
    }

    /// The current thread, as a local reference.
    pub fn current_thread(&self) -> Option<Ref> {
        let mut thread = 0u64;
        let code = call!(self, GET_CURRENT_THREAD, written!(thread));
        (code == error::NONE && thread != 0).then_some(Ref::from_word(thread))
    }

    /// A new raw monitor.
    pub fn raw_monitor(&self, name: &CStr) -> Option<u64> {
        let mut monitor = 0u64;
        let name = name.as_ptr().expose_provenance() as u64;
        (call!(self, CREATE_RAW_MONITOR, name, written!(monitor)) == error::NONE).then_some(monitor)
    }

    /// Enters a raw monitor; whether that worked, as for the functions below.
    pub fn enter_raw(&self, monitor: u64) -> bool {
        call!(self, RAW_MONITOR_ENTER, monitor) == error::NONE
    }

    /// Exits a raw monitor.
    pub fn exit_raw(&self, monitor: u64) -> bool {
        call!(self, RAW_MONITOR_EXIT, monitor) == error::NONE
    }

    /// Waits on a raw monitor without a timeout.
    pub fn wait_raw(&self, monitor: u64) -> bool {
        call!(self, RAW_MONITOR_WAIT, monitor, 0) == error::NONE
    }

    /// Notifies all that wait on a raw monitor.
    pub fn notify_raw(&self, monitor: u64) -> bool {
        call!(self, RAW_MONITOR_NOTIFY_ALL, monitor) == error::NONE
    }

    /// Runs the function with this argument on the thread, which has not started; whether the JVM has started it.
    pub fn run_agent_thread(&self, thread: Ref, function: StartFunction, argument: u64) -> bool {
        let function = (function as *const c_void).expose_provenance() as u64;
        call!(self, RUN_AGENT_THREAD, thread.word(), function, argument, NORM_PRIORITY) == error::NONE
    }

    /// How many frames of Java the current thread has.
    pub fn frame_count(&self) -> Option<u32> {
        let mut count = 0i32;
        let code = call!(self, GET_FRAME_COUNT, 0, written!(count));
        (code == error::NONE).then(|| u32::try_from(count).ok()).flatten()
    }

    /// Signature of the class.
    pub fn class_signature(&self, class: Ref) -> Option<String> {
        let mut signature = null_mut::<c_char>();
        let code = call!(self, GET_CLASS_SIGNATURE, class.word(), written!(signature), 0);
        (code == error::NONE).then(|| self.take_string(signature))
    }

    /// Name of the thread; live phase only.
    pub fn thread_name(&self, thread: Ref, delete_local: impl Fn(Ref)) -> Option<String> {
        self.thread_info(thread, delete_local).map(|(name, _)| name)
    }

    /// Name of the thread, and whether it belongs to a group; live phase only.
    pub fn thread_info(&self, thread: Ref, delete_local: impl Fn(Ref)) -> Option<(String, bool)> {
        // jvmtiThreadInfo: name, priority, is_daemon, thread_group, context_class_loader.
        #[repr(C)]
        struct Info {
            name: *mut c_char,
            priority: i32,
            is_daemon: u8,
            group: u64,
            loader: u64,
        }
        let mut info = Info { name: null_mut(), priority: 0, is_daemon: 0, group: 0, loader: 0 };
        if call!(self, GET_THREAD_INFO, thread.word(), written!(info)) != error::NONE {
            return None;
        }
        for reference in [info.group, info.loader].map(Ref::from_word) {
            if !reference.is_null() {
                delete_local(reference);
            }
        }
        Some((self.take_string(info.name), info.group != 0))
    }

    /// Declaring class (a local reference), name and descriptor of the method.
    pub fn method(&self, method: u64) -> Option<(Ref, String, String)> {
        let (mut name, mut signature) = (null_mut::<c_char>(), null_mut::<c_char>());
        if call!(self, GET_METHOD_NAME, method, written!(name), written!(signature), 0) != error::NONE {
            return None;
        }
        let (name, signature) = (self.take_string(name), self.take_string(signature));
        self.declaring_class(method).map(|class| (class, name, signature))
    }

    /// The class that declares the method, as a local reference.
    pub fn declaring_class(&self, method: u64) -> Option<Ref> {
        let mut class = 0u64;
        let code = call!(self, GET_METHOD_DECLARING_CLASS, method, written!(class));
        (code == error::NONE && class != 0).then_some(Ref::from_word(class))
    }

    /// Whether the method is static; `None`: the JVM does not say.
    pub fn is_static(&self, method: u64) -> Option<bool> {
        let mut modifiers = 0i32;
        let code = call!(self, GET_METHOD_MODIFIERS, method, written!(modifiers));
        (code == error::NONE).then_some(modifiers & 8 != 0)
    }

    /// The loaded classes, as local references.
    pub fn loaded_classes(&self) -> Vec<Ref> {
        let (mut count, mut classes) = (0i32, null_mut::<u64>());
        if call!(self, GET_LOADED_CLASSES, written!(count), written!(classes)) != error::NONE
            || classes.is_null()
        {
            return Vec::new();
        }
        // SAFETY: the VM returned that many references in memory that is the caller's until Deallocate.
        let all = unsafe { std::slice::from_raw_parts(classes, usize::try_from(count).unwrap_or(0)) };
        let all = all.iter().copied().map(Ref::from_word).collect();
        call!(self, DEALLOCATE, classes.expose_provenance() as u64);
        all
    }

    /// The first method of that name which the class itself declares.
    pub fn method_named(&self, class: Ref, name: &str) -> Option<u64> {
        let (mut count, mut methods) = (0i32, null_mut::<u64>());
        if call!(self, GET_CLASS_METHODS, class.word(), written!(count), written!(methods)) != error::NONE
            || methods.is_null()
        {
            return None;
        }
        // SAFETY: the VM returned that many ids in memory that is the caller's until Deallocate.
        let ids = unsafe { std::slice::from_raw_parts(methods, usize::try_from(count).unwrap_or(0)) };
        let found = ids.iter().copied().find(|id| self.method_name(*id).is_some_and(|found| found == name));
        call!(self, DEALLOCATE, methods.expose_provenance() as u64);
        found
    }

    fn method_name(&self, method: u64) -> Option<String> {
        let mut name = null_mut::<c_char>();
        let code = call!(self, GET_METHOD_NAME, method, written!(name), 0, 0);
        (code == error::NONE).then(|| self.take_string(name))
    }

    /// A system property.
    pub fn system_property(&self, key: &CStr) -> Option<String> {
        let mut value = null_mut::<c_char>();
        let key = key.as_ptr().expose_provenance() as u64;
        let code = call!(self, GET_SYSTEM_PROPERTY, key, written!(value));
        (code == error::NONE).then(|| self.take_string(value))
    }

    /// Records what the JVM says of itself in any phase.
    pub fn record_properties(&self) {
        for key in PROPERTIES {
            if let Some(value) = CString::new(key).ok().and_then(|name| self.system_property(&name)) {
                record(&Body::Identity { key: key.to_owned(), value });
            }
        }
    }

    /// A raw monitor, destroyed again: an id that is none.
    pub fn destroyed_monitor(&self) -> Option<u64> {
        let mut monitor = 0u64;
        let name = c"destroyed".as_ptr().expose_provenance() as u64;
        if call!(self, CREATE_RAW_MONITOR, name, written!(monitor)) != error::NONE {
            return None;
        }
        (call!(self, DESTROY_RAW_MONITOR, monitor) == error::NONE).then_some(monitor)
    }

    /// Keeps the JNI functions as they are now for the probe's own use, unless some have been kept before.
    pub fn keep_jni_functions(&self) {
        if jni::function(0).is_some() {
            return;
        }
        let mut functions = null_mut::<c_void>();
        // The copy belongs to the probe, and is never given back.
        if call!(self, GET_JNI_FUNCTION_TABLE, written!(functions)) == error::NONE && !functions.is_null() {
            jni::set_functions(functions);
        }
    }

    /// Replaces JNI functions for all threads: `edit` gets the table as it is. Whether that worked.
    pub fn edit_jni_functions(&self, edit: impl FnOnce(&mut [*const c_void])) -> bool {
        let mut functions = null_mut::<*const c_void>();
        if call!(self, GET_JNI_FUNCTION_TABLE, written!(functions)) != error::NONE || functions.is_null() {
            return false;
        }
        // SAFETY: the VM returned a table in memory that is the caller's until Deallocate, and each version of JNI since 1.6
        // has that many functions.
        edit(unsafe { std::slice::from_raw_parts_mut(functions, JNI_FUNCTIONS) });
        let code = call!(self, SET_JNI_FUNCTION_TABLE, functions.expose_provenance() as u64);
        call!(self, DEALLOCATE, functions.expose_provenance() as u64);
        code == error::NONE
    }

    /// The names of the capabilities that the VM offers at present.
    pub fn potential_capabilities(&self) -> Vec<&'static str> {
        self.capabilities(|told| call!(self, GET_POTENTIAL_CAPABILITIES, told))
    }

    /// The names of the capabilities that the environment possesses.
    pub fn held_capabilities(&self) -> Vec<&'static str> {
        self.capabilities(|told| call!(self, GET_CAPABILITIES, told))
    }

    fn capabilities(&self, told_by: impl Fn(u64) -> i32) -> Vec<&'static str> {
        // Room for more bits than any version has.
        let mut told = [0u32; 32];
        if told_by(written!(told)) != error::NONE {
            return Vec::new();
        }
        let fields = ffi::layout("jvmtiCapabilities").map_or(&[][..], |layout| layout.fields);
        let is_set = |field: &&FieldLayout| {
            told.get(field.offset / 4).is_some_and(|unit| unit >> field.bit.unwrap_or(0) & 1 == 1)
        };
        fields.iter().filter(is_set).map(|field| field.name).collect()
    }

    /// The JVM's extension events.
    pub fn extension_events(&self) -> Vec<ExtensionEvent> {
        #[repr(C)]
        struct Event {
            index: i32,
            id: *mut c_char,
            description: *mut c_char,
            count: i32,
            params: *mut ParamInfo,
        }
        let (mut count, mut events) = (0i32, null_mut::<Event>());
        let code = call!(self, GET_EXTENSION_EVENTS, written!(count), written!(events));
        if code != error::NONE || events.is_null() {
            return Vec::new();
        }
        // SAFETY: the VM returned that many structures in memory that is the caller's until Deallocate.
        let all = unsafe { std::slice::from_raw_parts(events, usize::try_from(count).unwrap_or(0)) };
        let described = |event: &Event| {
            // SAFETY: as above.
            let params = unsafe { described(event.count, event.params) };
            let kinds = kinds(params);
            params.iter().for_each(|param| drop(self.take_string(param.name)));
            call!(self, DEALLOCATE, event.params.expose_provenance() as u64);
            self.take_string(event.description);
            ExtensionEvent { index: event.index, id: self.take_string(event.id), params: kinds }
        };
        let described = all.iter().map(described).collect();
        call!(self, DEALLOCATE, events.expose_provenance() as u64);
        described
    }

    /// Collects garbage; whether that worked.
    pub fn force_garbage_collection(&self) -> bool {
        call!(self, FORCE_GARBAGE_COLLECTION) == error::NONE
    }

    /// Copies a string that the VM allocated, and frees it. What is not UTF-8 is replaced.
    fn take_string(&self, string: *mut c_char) -> String {
        if string.is_null() {
            return String::new();
        }
        // SAFETY: the VM returned a terminated string that is the caller's until Deallocate.
        let text = unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned();
        call!(self, DEALLOCATE, string.cast::<c_void>().expose_provenance() as u64);
        text
    }
}
