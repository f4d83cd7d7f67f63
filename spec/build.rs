//! Converts the YAML under `facts/` and `assertions/` to a form that loads in about a millisecond, and embeds it.

#![allow(dead_code, missing_docs)]

#[path = "src/assertion.rs"]
mod assertion;
#[path = "src/edition.rs"]
mod edition;
#[path = "src/facts.rs"]
mod facts;
#[path = "src/prose.rs"]
mod prose;
#[path = "src/release.rs"]
mod release;
#[path = "src/span.rs"]
mod span;
#[path = "src/wording.rs"]
mod wording;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use facts::{ChapterFacts, Facts};
use prose::Prose;
use release::Release;
use serde::de::DeserializeOwned;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=facts");
    println!("cargo:rerun-if-changed=assertions");
    let spec = (read_facts(Path::new("facts"))?, read_prose(Path::new("assertions"))?);
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("spec.postcard");
    fs::write(out, postcard::to_allocvec(&spec)?)?;
    Ok(())
}

fn read_facts(dir: &Path) -> Result<Facts, Box<dyn Error>> {
    let chapters: Vec<ChapterFacts> = read(&dir.join("chapters.yaml"))?;
    let functions = chapters
        .iter()
        .map(|chapter| read(&dir.join("functions").join(format!("{}.yaml", chapter.id))))
        .collect::<Result<_, _>>()?;
    Ok(Facts {
        chapters,
        functions,
        events: read(&dir.join("events.yaml"))?,
        capabilities: read(&dir.join("capabilities.yaml"))?,
        errors: read(&dir.join("errors.yaml"))?,
        constants: read(&dir.join("constants.yaml"))?,
        callbacks: read(&dir.join("callbacks.yaml"))?,
        structs: read(&dir.join("structs.yaml"))?,
        wording: read(&dir.join("wording.yaml"))?,
    })
}

fn read_prose(dir: &Path) -> Result<Vec<Prose>, Box<dyn Error>> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "yaml"))
        .collect();
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

fn read<T: DeserializeOwned>(file: &Path) -> Result<T, Box<dyn Error>> {
    let text = fs::read_to_string(file).map_err(|e| format!("spec/{}: {e}", file.display()))?;
    Ok(serde_yaml::from_str(&text).map_err(|e| format!("spec/{}: {e}", file.display()))?)
}
