//! `jvmti-check`: tells whether a JVM keeps the promises of JVM TI.

mod bundle;
mod cli;
mod os;

use jvmti_results::Suite;

/// Half the time of expanding the cases is allocating. The C library's allocator takes three times as long for it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The probe's library, in programs that were built with it inside.
const PROBE: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/probe.rs"));

fn main() -> std::process::ExitCode {
    os::outlive_large_files();
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
