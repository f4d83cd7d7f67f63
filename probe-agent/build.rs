//! Generates the C side of JVM TI from the newest edition of the specification.

#[path = "build/c_type.rs"]
mod c_type;
#[path = "build/callbacks.rs"]
mod callbacks;
#[path = "build/constants.rs"]
mod constants;
#[path = "build/functions.rs"]
mod functions;
#[path = "build/layouts.rs"]
mod layouts;

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use jvmti_spec::Spec;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let edition = Spec::embedded().newest();
    let types = c_type::Types::new(&edition);
    let source = [
        constants::generate(&edition),
        functions::generate(&edition, &types)?,
        callbacks::generate(&edition, &types)?,
        layouts::generate(&edition, &types)?,
    ]
    .concat();
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("jvmti.rs"), source)?;
    fs::write(Path::new(&out).join("jvmti_tests.rs"), functions::generate_tests(&edition, &types)?)?;
    Ok(())
}
