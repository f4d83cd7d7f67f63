//! `jvmti-check`: tells whether a JVM keeps the promises of JVM TI.

mod bundle;
mod cli;

use jvmti_results::Suite;

/// The probe's library, in programs that were built with it inside.
const PROBE: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/probe.rs"));

fn main() -> std::process::ExitCode {
    // With a handler, a file that grows beyond the limit of the process is an error, and no longer the end of the process.
    // The JVMs that it starts do not inherit a handler. What cannot be had is done without.
    let _ = signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), std::sync::Arc::default());
    cli::main()
}

/// This suite: the version of the program, and the commit that it was built from if the build knew it.
fn suite() -> Suite {
    Suite {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("JVMTI_CHECK_COMMIT").map(str::to_owned),
        cases: None,
    }
}
