//! A Java home: a JDK or JRE, recognised by its launcher and its JVM library.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::architecture::Target;
use crate::os::files;
use crate::os::names::{JAVA, LIBJVM, LIBS};

/// A JDK or JRE found on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jdk {
    /// Its home, all links resolved.
    pub home: PathBuf,
    /// The launcher, `bin/java`.
    pub java: PathBuf,
    /// The JVM: `libjvm`, or the launcher itself where the JVM is linked into it.
    pub vm: PathBuf,
    /// Every way in which it was found (`--jdk`, `JAVA_HOME`, `PATH`, `/usr/lib/jvm`, …).
    pub found: Vec<String>,
}

/// Why a path is no JDK that can be tested.
#[derive(Debug, Error)]
pub enum JdkError {
    /// Nothing there.
    #[error("{0}: no such file or folder")]
    Missing(PathBuf),
    /// Something else is there.
    #[error(
        "{0} is not a JDK: expected a Java home (with bin/java and a JVM library), its bin/java, or a folder of \
         several homes"
    )]
    NotAJdk(PathBuf),
    /// A launcher without a JVM.
    #[error(
        "{home} has bin/java but no JVM library: there is no {LIBJVM} in the folder {} of {}, or one level deeper in that \
         of an architecture ({})",
        VARIANTS.join(", "), LIBS.join(" or "), ARCHITECTURES.join(", ")
    )]
    NoVm {
        /// The home.
        home: PathBuf,
    },
    /// The JVM's library cannot be read.
    #[error("{path}: {error}")]
    Unreadable {
        /// The library.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The JVM is for another machine, word size or C library than this program.
    #[error(
        "{home}: its JVM is built for {theirs}, jvmti-check for {own}; a JVM loads only agents of its own kind. \
         Use a JDK for {own}, or a jvmti-check built for {theirs}"
    )]
    ForeignTarget {
        /// The home.
        home: PathBuf,
        /// What its JVM is built for.
        theirs: Target,
        /// What this program is built for.
        own: Target,
    },
}

/// VM variants by folder name, in the order in which a launcher prefers them.
const VARIANTS: [&str; 7] = ["server", "client", "minimal", "zero", "default", "j9vm", "classic"];
/// Folders in those for an architecture, as JDK 8 names them.
const ARCHITECTURES: [&str; 4] = ["amd64", "i386", "aarch64", "arm"];

impl Jdk {
    /// The JDK at this home, which has to be one. `found` says how it was found.
    pub fn at(home: &Path, found: &str) -> Result<Jdk, JdkError> {
        let home = files::canonical(home).map_err(|_| JdkError::Missing(home.to_owned()))?;
        let home = outer_home(home);
        let java = home.join("bin").join(JAVA);
        if !java.is_file() {
            return Err(JdkError::NotAJdk(home));
        }
        let vm = vm_of(&home, &java)?;
        let unreadable = |error| JdkError::Unreadable { path: vm.clone(), error };
        let theirs = Target::of(&vm).map_err(unreadable)?;
        let own = Target::own().map_err(unreadable)?;
        if !own.fits(theirs) {
            return Err(JdkError::ForeignTarget { home, theirs, own });
        }
        Ok(Jdk { home, java, vm, found: vec![found.to_owned()] })
    }

    /// The home that a launcher belongs to, links resolved: `…/bin/java` → `…`.
    pub fn home_of_launcher(java: &Path) -> Option<PathBuf> {
        let real = files::canonical(java).ok()?;
        let bin = real.parent()?;
        (bin.file_name()? == "bin").then(|| bin.parent().map(Path::to_owned))?
    }
}

/// The JDK around an inner `jre` folder, as JDK 8 has one.
fn outer_home(home: PathBuf) -> PathBuf {
    match home.parent() {
        Some(outer) if home.ends_with("jre") && outer.join("bin").join(JAVA).is_file() => outer.to_owned(),
        _ => home,
    }
}

fn vm_of(home: &Path, java: &Path) -> Result<PathBuf, JdkError> {
    if let Some(vm) = vm_places().map(|place| home.join(place)).find(|vm| vm.is_file()) {
        return Ok(vm);
    }
    // JDK 26 and later can be built with the JVM linked into the launcher.
    if home.join("lib").join("modules").is_file() && Target::of(java).is_ok() {
        return Ok(java.to_owned());
    }
    Err(JdkError::NoVm { home: home.to_owned() })
}

/// Where a home may keep its JVM. JDK 8 has an architecture level, and an inner `jre`.
fn vm_places() -> impl Iterator<Item = PathBuf> {
    let own = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "x86" => "i386",
        other => other,
    };
    // Foreign ones are looked for too, so that what is wrong with them can be said.
    let levels = [".", own].into_iter().chain(ARCHITECTURES.into_iter().filter(move |level| *level != own));
    LIBS.into_iter().flat_map(move |lib| {
        levels.clone().flat_map(move |level| {
            VARIANTS.into_iter().map(move |variant| [lib, level, variant, LIBJVM].iter().collect())
        })
    })
}
