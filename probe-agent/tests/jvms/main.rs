//! The probe on each JVM of this machine. What cannot be tested here is reported as ignored, with the reason.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod attach;
mod headers;
mod intercept;
mod plans;
mod smoke;
mod support;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Trial};

use support::{Skipped, Tested, jvms};

/// A test, which is run on each JVM.
type Test = fn(&Path) -> Tested;

/// The tests of a module, with their names.
macro_rules! tests {
    ($($module:ident: $($name:ident),+;)+) => {
        [$($((concat!(stringify!($module), "::", stringify!($name)), $module::$name as Test)),+),+]
    };
}

const TESTS: &[(&str, Test)] = &tests! {
    attach: a_running_jvm_is_joined, options_that_do_not_do_are_explained;
    headers: layouts_and_slots_are_those_of_the_headers;
    intercept: an_agent_is_recorded_and_does_not_notice, what_is_not_wanted_is_not_recorded,
        the_probe_uses_no_jni_function_of_an_agents;
    plans: the_vm_says_what_it_is_and_the_phases_follow_each_other, objects_keep_their_identity,
        wrong_references_and_nulls_arrive, events_trigger_steps_and_handlers, heap_callbacks_are_recorded_and_answered,
        threads_and_exceptions, a_call_that_ends_the_process_is_the_last_record;
    smoke: every_function_is_called, every_function_is_called_with_nulls, every_event_is_listened_to;
};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let jvms = jvms();
    let on_each = |(name, test): &(&str, Test)| -> Vec<Trial> {
        if jvms.is_empty() {
            let reason = "no JVM was found in JVMTI_PROBE_JDKS, below /usr/lib/jvm or in JAVA_HOME";
            return vec![Trial::ignorable_test(*name, move || Ok(Completion::ignored_with(reason)))];
        }
        let on = |home: &std::path::PathBuf| {
            let (test, home) = (*test, home.clone());
            let label = home.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Trial::ignorable_test(format!("{name} on {label}"), move || match test(&home) {
                Ok(()) => Ok(Completion::Completed),
                Err(Skipped(reason)) => Ok(Completion::ignored_with(reason)),
            })
        };
        jvms.iter().map(on).collect()
    };
    libtest_mimic::run(&arguments, TESTS.iter().flat_map(on_each).collect()).exit_code()
}
