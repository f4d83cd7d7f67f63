//! Identities remembered between runs, in the user's cache folder.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::home::Jdk;
use super::identity::Identity;

/// Variable that moves the folder.
const VARIABLE: &str = "JVMTI_CHECK_CACHE";

/// The folder for what this program remembers between runs, if there is a place for one.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(folder) => Some(PathBuf::from(folder)),
        None => Some(dirs::cache_dir()?.join("jvmti-check")),
    }
}

/// The place of one answer.
#[derive(Debug)]
pub(super) struct Cache {
    file: PathBuf,
    key: String,
}

#[derive(Serialize, Deserialize)]
struct Remembered {
    key: String,
    identity: Identity,
}

impl Cache {
    /// Where the answer of that JVM with these options is remembered, if there is a cache folder at all. The answer
    /// holds as long as neither the JVM nor the probe nor this program has changed.
    pub(super) fn of(jdk: &Jdk, probe: &Path, vm_options: &[String]) -> Option<Cache> {
        let folder = cache_folder()?;
        let key = format!(
            "{} {} {} {} {:?}",
            env!("CARGO_PKG_VERSION"),
            jdk.java.display(),
            stamp(&jdk.vm)?,
            stamp(probe)?,
            vm_options
        );
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let file = folder.join("jvms").join(format!("{:016x}.json", hasher.finish()));
        Some(Cache { file, key })
    }

    /// The answer, if it is remembered.
    pub(super) fn read(&self) -> Option<Identity> {
        let remembered: Remembered = serde_json::from_slice(&std::fs::read(&self.file).ok()?).ok()?;
        (remembered.key == self.key).then_some(remembered.identity)
    }

    /// Remembers it. Another run may do so at the same time.
    pub(super) fn write(&self, identity: &Identity) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        let remembered = Remembered { key: self.key.clone(), identity: identity.clone() };
        file.write_all(&serde_json::to_vec(&remembered)?)?;
        file.persist(&self.file)?;
        Ok(())
    }
}

/// Size and time of change: a file that was replaced has others.
fn stamp(path: &Path) -> Option<String> {
    let data = path.metadata().ok()?;
    let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}@{}", data.len(), changed.as_nanos()))
}
