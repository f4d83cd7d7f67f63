//! The agent's entry points.

use std::any::Any;
use std::ffi::{CStr, OsString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use jni_sys::{JNI_ERR, JNI_OK, JavaVM, jint};
use jvmti_wire::Value;
use jvmti_wire::plan::{Made, TRACE_VARIABLE};
use jvmti_wire::trace::{Body, EntryPoint, TraceError};

use crate::execute::callbacks;
use crate::execute::cases;
use crate::execute::occurrence::{Firing, Occurrence};
use crate::execute::setup;
use crate::ffi;
use crate::intercept;
use crate::lifecycle::capability_holder;
use crate::lifecycle::events;
use crate::lifecycle::own_trace;
use crate::lifecycle::vm_life;
use crate::os::images;
use crate::recording::clock;
use crate::recording::{self, record, trouble};
use crate::vm::image;
use crate::vm::jni::{self, Jni};
use crate::vm::probe_environment::ProbeEnvironment;
use crate::vm::stage::{self, Stage};

/// Why the agent could not start.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error(
        "it needs the option trace=FILE, where FILE is a trace file that jvmti-check made with the plan in it \
         (-agentpath:LIBRARY=trace=FILE); {given}"
    )]
    Options { given: String },
    #[error("{path}: {source}")]
    Trace { path: String, source: TraceError },
    #[error("it is loaded already; one JVM has one trace")]
    Twice,
    #[error("this JVM offers no JVM TI environment: GetEnv returned {0}")]
    NoInterface(i32),
}

static STARTS: AtomicUsize = AtomicUsize::new(0);

/// The agent's functions by the names that a VM looks for in a library of its own.
mod exported {
    use super::{EntryPoint, JavaVM, c_char, c_void, jint, unload};

    /// Called by the VM when it starts.
    #[unsafe(no_mangle)]
    pub extern "system" fn Agent_OnLoad(
        vm: *mut JavaVM,
        options: *mut c_char,
        _reserved: *mut c_void,
    ) -> jint {
        super::start_up(EntryPoint::OnLoad, "Agent_OnLoad", vm, options)
    }

    /// Called by the VM when the agent is attached to it while it runs.
    #[unsafe(no_mangle)]
    pub extern "system" fn Agent_OnAttach(
        vm: *mut JavaVM,
        options: *mut c_char,
        _reserved: *mut c_void,
    ) -> jint {
        super::start_up(EntryPoint::OnAttach, "Agent_OnAttach", vm, options)
    }

    /// Called by the VM before it ends.
    #[unsafe(no_mangle)]
    pub extern "system" fn Agent_OnUnload(_vm: *mut JavaVM) {
        unload("Agent_OnUnload");
    }
}

/// What the start-up functions do, whatever their names.
pub fn start_up(entry: EntryPoint, function: &str, vm: *mut JavaVM, options: *mut c_char) -> jint {
    if entry == EntryPoint::OnLoad {
        intercept::loading();
    }
    let number = STARTS.fetch_add(1, Ordering::Relaxed);
    let again = recording::recorder().is_some();
    let done = guarded(|| {
        if again {
            // Without the variable each start brings a trace of its own, and there can be one only.
            trace_variable().ok_or(Refusal::Twice)?;
            record(&called(function, options));
            return Ok(());
        }
        if start(vm, options, entry, function)? {
            match entry {
                EntryPoint::OnAttach => attached(),
                _ => loaded(),
            }
        }
        Ok(())
    });
    if entry == EntryPoint::OnLoad {
        stage::reached(Stage::Primordial);
    }
    let wanted = cases::get().and_then(|cases| cases.returns(number)).unwrap_or(JNI_OK);
    let code = if done { wanted } else { JNI_ERR };
    record(&Body::EntryReturned { entry, code });
    code
}

fn loaded() {
    vm_life::loaded();
    Firing { occurrence: Occurrence::OnLoad, jni: None }.fire_where(|_| true);
}

fn attached() {
    stage::reached(Stage::Live);
    vm_life::loaded();
    let jni = Jni::current();
    jni.into_iter().for_each(vm_life::attached);
    for case in cases::get().into_iter().flat_map(|cases| cases.all()) {
        [Made::VmStart, Made::VmInit].into_iter().for_each(|made| setup::make(case, made));
    }
    Firing { occurrence: Occurrence::OnAttach, jni }.fire_where(|_| true);
}

/// What the shutdown functions do, whatever their names.
pub fn unload(function: &str) {
    guarded(|| {
        if recording::recorder().is_some() {
            record(&called(function, std::ptr::null_mut()));
            record(&Body::Entry(EntryPoint::OnUnload));
            intercept::record_totals();
            stage::reached(Stage::Ending);
            intercept::finish();
            let jni = stage::is_running().then(Jni::current).flatten();
            Firing { occurrence: Occurrence::OnUnload, jni }.fire_where(|_| true);
            record(&Body::EntryReturned { entry: EntryPoint::OnUnload, code: JNI_OK });
        }
        Ok(())
    });
}

/// Runs the body of an entry point: no panic may reach the VM. Whether it did what it should.
fn guarded(body: impl FnOnce() -> Result<(), Refusal>) -> bool {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => true,
        Ok(Err(refusal)) => {
            eprintln!("jvmti-probe: cannot start: {refusal}");
            trouble(refusal.to_string());
            false
        }
        Err(_) => false,
    }
}

/// Begins to record. `false`: there is no trace for this JVM.
fn start(vm: *mut JavaVM, options: *mut c_char, entry: EntryPoint, function: &str) -> Result<bool, Refusal> {
    clock::start();
    images::keep_own();
    image::end_with_parent();
    let path = match trace_variable() {
        Some(path) => path.to_string_lossy().into_owned(),
        None => trace_path(options)?,
    };
    let failed = |source| Refusal::Trace { path: path.clone(), source };
    let Some((recorder, plan)) = own_trace::open(Path::new(&path)).map_err(failed)? else {
        return Ok(false);
    };
    let (wanted, held) = (plan.intercept.clone(), plan.capability_holder.clone());
    if !recording::install(recorder) || !cases::install(plan) {
        return Err(Refusal::Twice);
    }
    record(&Body::Entry(entry));
    record(&called(function, options));
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        trouble(format!("the probe panicked at {place}: {}", message(panic.payload())));
    }));
    jni::set_vm(vm);
    if let Some(capabilities) = held {
        return capability_holder::hold(&capabilities).map(|()| true).map_err(Refusal::NoInterface);
    }
    ffi::install_dispatch(events::dispatch, callbacks::dispatch);
    ProbeEnvironment::install().map_err(Refusal::NoInterface)?;
    if let Some(wanted) = wanted {
        intercept::install(vm, wanted, entry);
    }
    Ok(true)
}

fn called(function: &str, options: *mut c_char) -> Body {
    let options = match options.is_null() {
        true => Value::Null,
        // SAFETY: the VM passes a terminated string, which stays during the call.
        false => Value::Str(unsafe { CStr::from_ptr(options) }.to_bytes().to_vec()),
    };
    Body::AgentCalled { function: function.to_owned(), image: image::name().to_owned(), options }
}

fn trace_variable() -> Option<OsString> {
    std::env::var_os(TRACE_VARIABLE).filter(|path| !path.is_empty())
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

fn trace_path(options: *mut c_char) -> Result<String, Refusal> {
    if options.is_null() {
        return Err(Refusal::Options { given: "no options were given".to_owned() });
    }
    // SAFETY: the VM passes a terminated string, which stays during the call.
    let options = unsafe { CStr::from_ptr(options) }.to_string_lossy();
    match options.strip_prefix("trace=") {
        Some(path) if !path.is_empty() => Ok(path.to_owned()),
        _ => Err(Refusal::Options { given: format!("the options given were {options:?}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(options: &CStr) -> Result<String, String> {
        trace_path(options.as_ptr().cast_mut()).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn the_path_is_all_that_follows() {
        assert_eq!(path(c"trace=/a,b=c d").as_deref(), Ok("/a,b=c d"));
    }

    #[test]
    fn wrong_options_are_named() {
        assert!(path(c"file=/a").unwrap_err().contains("\"file=/a\""));
        assert!(path(c"trace=").unwrap_err().contains("trace=FILE"));
        assert!(trace_path(std::ptr::null_mut()).unwrap_err().to_string().contains("no options"));
    }
}
