//! Compiles the Java side with whatever `javac` the machine has, for JDK 8, and packs it into one jar.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

#[path = "build/compile.rs"]
mod compile;

use compile::compile;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Where a JAR file has the classes that JVMs of release 9 and newer use instead.
const NEWER: &str = "META-INF/versions/9";
/// Makes JVMs look there.
const MANIFEST: &str = "Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n";

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=versions");
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let sources = files_below(Path::new("src"), "java")?;
    let classes = out.join("classes");
    if classes.exists() {
        fs::remove_dir_all(&classes)?;
    }
    let newer = classes.join(NEWER);
    fs::create_dir_all(&newer)?;
    compile(&sources, &classes)?;
    compile(&files_below(Path::new("versions"), "java")?, &newer)?;
    pack(&classes, &out.join("java-tests.jar"))?;
    fs::write(out.join("scenarios.rs"), scenario_list(&sources)?)?;
    Ok(())
}

fn pack(classes: &Path, jar: &Path) -> Result<()> {
    let mut zip = zip::ZipWriter::new(File::create(jar)?);
    // Stored, not deflated: class loading is part of every launch.
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file("META-INF/MANIFEST.MF", options)?;
    zip.write_all(MANIFEST.as_bytes())?;
    for class in files_below(classes, "class")? {
        let name = class.strip_prefix(classes)?.to_string_lossy().replace('\\', "/");
        zip.start_file(name, options)?;
        zip.write_all(&fs::read(&class)?)?;
    }
    zip.finish()?;
    Ok(())
}

/// Simple names of the classes in `scenarios/` that implement `Scenario`, as a Rust array.
fn scenario_list(sources: &[PathBuf]) -> Result<String> {
    let mut list = String::from("&[");
    for source in sources.iter().filter(|s| s.parent().is_some_and(|p| p.ends_with("scenarios"))) {
        if fs::read_to_string(source)?.contains("implements Scenario") {
            write!(list, "{:?}, ", source.file_stem().unwrap_or_default().to_string_lossy())?;
        }
    }
    list.push(']');
    Ok(list)
}

/// Files of that extension, sorted, so that the jar is the same from the same sources.
fn files_below(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files_below(&path, extension)?);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
