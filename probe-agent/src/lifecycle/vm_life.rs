//! The JVM's life, as events tell the probe's own environment of it: at each stage the probe makes the environments that
//! cases want by then, and has the cases act.

use jvmti_wire::plan::Made;
use jvmti_wire::trace::Body;

use crate::execute::cases::{self, RunningCase};
use crate::execute::natives;
use crate::execute::occurrence::{Firing, Occurrence};
use crate::execute::primordial;
use crate::execute::setup;
use crate::ffi::event;
use crate::intercept;
use crate::recording::record;
use crate::vm::jni::Jni;
use crate::vm::probe_environment;
use crate::vm::stage::{self, Stage};

/// What only the class library knows.
const LIBRARY_PROPERTIES: [&str; 4] = ["java.version", "java.specification.version", "os.arch", "os.name"];

/// The agent is loaded: environments of cases that want it are made.
pub fn loaded() {
    probe_environment::get().into_iter().for_each(|environment| environment.record_properties());
    make(Made::OnLoad);
    primordial::listen();
}

/// The agent has come to a VM that runs already.
pub fn attached(jni: Jni) {
    if intercept::is_on() {
        // The program is not the probe's own: what the probe needs is got without Java code as far as can be.
        intercept::started();
        intercept::live();
    } else {
        ask_library(jni);
        natives::register(jni);
    }
}

/// An event of the VM's life came to the probe's own environment: the stage it begins.
pub fn begins(number: u16) {
    match number {
        event::VM_START => stage::reached(Stage::Start),
        event::VM_INIT => stage::reached(Stage::Live),
        event::VM_DEATH => stage::reached(Stage::Ending),
        _ => {}
    }
}

/// An event of the VM's life came to the probe's own environment, and was recorded: what is done then.
pub fn act(number: u16, jni: Option<Jni>) {
    let occurrence = match number {
        event::VM_START => {
            intercept::started();
            primordial::end();
            make(Made::VmStart);
            Occurrence::VmStart
        }
        event::VM_INIT => {
            jni.into_iter().for_each(attached);
            make(Made::VmInit);
            make_for_no_run();
            Occurrence::VmInit
        }
        event::VM_DEATH => {
            intercept::record_totals();
            Occurrence::VmDeath
        }
        _ if primordial::is_here(number) => Occurrence::Primordial,
        _ => return,
    };
    // The others act when their own environment is told; no event tells it of the primordial phase.
    let is_for_all = matches!(occurrence, Occurrence::Primordial);
    let firing = Firing { occurrence, jni };
    let cases = cases::get().into_iter().flat_map(|cases| cases.of_life());
    cases.filter(|case| is_for_all || !setup::is_sent(case, number)).for_each(|case| {
        firing.fire_for(case);
    });
}

fn make(made: Made) {
    for case in cases::get().map(|cases| cases.all()).unwrap_or_default() as &[RunningCase] {
        setup::make(case, made);
    }
}

/// Environments that are to be made with the scenario run, of cases that have none.
fn make_for_no_run() {
    let cases = cases::get().into_iter().flat_map(|cases| cases.all());
    cases.filter(|case| case.plan.run.is_none()).for_each(|case| setup::make(case, Made::ScenarioRun));
}

fn ask_library(jni: Jni) {
    let Some(system) = jni.find_class(c"java/lang/System") else { return jni.exception_clear() };
    let signature = c"(Ljava/lang/String;)Ljava/lang/String;";
    if let Some(get) = jni.method_id(system, c"getProperty", signature, true) {
        for key in LIBRARY_PROPERTIES {
            if let Some(value) = jni.call_static_with_string(system, get, key) {
                record(&Body::Identity { key: key.to_owned(), value });
            }
        }
    }
    jni.exception_clear();
    jni.delete_local(system);
}
