//! Making a JVM that breaks a rule: a library that does it, and a Java home whose launcher has that library loaded before
//! any other agent.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use jvmti_runner::jvm::{Jdk, JdkError};
use thiserror::Error;

use crate::Mutation;

/// The library, which breaks the rule that its option names: the file to compile first.
const SOURCES: [(&str, &str); 8] = [
    ("broken.c", include_str!("broken.c")),
    ("conditions.c", include_str!("conditions.c")),
    ("each_slot.c", include_str!("each_slot.c")),
    ("own_company.c", include_str!("own_company.c")),
    ("own_frame.c", include_str!("own_frame.c")),
    ("own_pace.c", include_str!("own_pace.c")),
    ("own_state.c", include_str!("own_state.c")),
    ("own_thread.c", include_str!("own_thread.c")),
];

/// Name of the file in the home that is there as soon as that mutation has made a JVM do anything else than the real one.
pub fn mark(mutation: usize) -> String {
    format!("acted-{mutation}")
}

/// A library that breaks rules, built for this machine.
#[derive(Clone, Debug)]
pub struct Broken {
    library: PathBuf,
}

/// Why there is no broken JVM.
#[derive(Debug, Error)]
pub enum BrokenError {
    /// Nothing to compile the library with.
    #[error("a C compiler is needed: no `cc` on the path")]
    NoCompiler,
    /// It does not compile.
    #[error("the library that breaks rules does not compile:\n{0}")]
    Compiler(String),
    /// A file could not be written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// What was made is no Java home.
    #[error(transparent)]
    Jdk(#[from] JdkError),
}

impl Broken {
    /// Builds the library in that folder.
    pub fn build(folder: &Path) -> Result<Broken, BrokenError> {
        let cc = which::which("cc").map_err(|_| BrokenError::NoCompiler)?;
        for (name, text) in SOURCES {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(file(&path))?;
        }
        let (source, library) = (folder.join(SOURCES[0].0), folder.join("libbroken.so"));
        let mut command = Command::new(&cc);
        command.args(["-shared", "-fPIC", "-O1", "-pthread", "-o"]).arg(&library).arg(&source);
        let output = command.output().map_err(file(&cc))?;
        match output.status.success() {
            true => Ok(Broken { library }),
            false => Err(BrokenError::Compiler(String::from_utf8_lossy(&output.stderr).into_owned())),
        }
    }

    /// Makes a home of the JVM in `home`, new, whose JVM is `real` with these mutations; an empty one breaks nothing. See
    /// [`mark`].
    pub fn home(&self, real: &Jdk, mutations: &[Mutation], home: &Path) -> Result<Jdk, BrokenError> {
        let bin = home.join("bin");
        std::fs::create_dir_all(&bin).map_err(file(&bin))?;
        for entry in std::fs::read_dir(&real.home).map_err(file(&real.home))? {
            let entry = entry.map_err(file(&real.home))?;
            if entry.file_name() != "bin" {
                let link = home.join(entry.file_name());
                symlink(entry.path(), &link).map_err(file(&link))?;
            }
        }
        let launcher = bin.join("java");
        let mut script = format!("#!/bin/sh\nexec '{}'", real.java.display());
        for (index, mutation) in mutations.iter().enumerate() {
            // A JVM loads a file once, however often it is named.
            let copy = home.join(format!("mutation-{index}.so"));
            std::fs::copy(&self.library, &copy).map_err(file(&copy))?;
            let mark = home.join(mark(index));
            script += &format!(" '-agentpath:{}={mutation};mark={}'", copy.display(), mark.display());
        }
        script += " \"$@\"\n";
        std::fs::write(&launcher, script).map_err(file(&launcher))?;
        let permissions = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&launcher, permissions).map_err(file(&launcher))?;
        Ok(Jdk::at(home, "mutant")?)
    }
}

fn file(path: &Path) -> impl FnOnce(std::io::Error) -> BrokenError + use<> {
    let path = path.to_owned();
    |error| BrokenError::File { path, error }
}
