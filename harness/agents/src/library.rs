//! The agent that a user names.

use std::path::{Path, PathBuf};

use jvmti_runner::jvm::Target;
use thiserror::Error;

/// An agent, as a JVM is told to load it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Library {
    /// A library by path: `-agentpath`.
    Path(PathBuf, String),
    /// A library by name, which the JVM looks for: `-agentlib`.
    Name(String, String),
    /// A jar: `-javaagent`, for which the JVM loads its `instrument` library.
    Jar(PathBuf, String),
}

/// Why an agent cannot be used.
#[derive(Debug, Error)]
pub enum LibraryError {
    /// No file.
    #[error(
        "the agent {path} is not there. A name without a folder is looked for by the JVM: --agent {name}",
        path = path.display(), name = name(path)
    )]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A file of another kind.
    #[error("the agent {} cannot be loaded by a JVM: {error}", path.display())]
    NoLibrary {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A library for another machine.
    #[error(
        "the agent {} is built for {theirs}, this machine's JVMs are for {own}; build it for {own}",
        path.display()
    )]
    ForeignTarget {
        /// The library.
        path: PathBuf,
        /// What it is for.
        theirs: Target,
        /// What JVMs here are for.
        own: Target,
    },
    /// A path that a JVM would take apart.
    #[error(
        "the agent cannot be loaded from {}: a JVM takes the `=` in it for the start of the agent's options",
        .0.display()
    )]
    Divided(PathBuf),
}

fn name(path: &Path) -> String {
    let file = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    file.strip_prefix("lib").unwrap_or(&file).to_owned()
}

impl Library {
    /// Reads `./libfoo.so=options`, `foo.jar=options` or `jdwp=options`: what has a folder, or the ending of a library
    /// or jar, is a file.
    pub fn parse(text: &str) -> Library {
        let (library, options) = text.split_once('=').unwrap_or((text, ""));
        let options = options.to_owned();
        let ending = Path::new(library).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending {
            "jar" => Library::Jar(library.into(), options),
            "so" => Library::Path(library.into(), options),
            _ if library.contains('/') => Library::Path(library.into(), options),
            _ => Library::Name(library.to_owned(), options),
        }
    }

    /// Finds out whether a JVM of this machine could load it; makes its path absolute.
    pub fn checked(self) -> Result<Library, LibraryError> {
        match self {
            Library::Name(..) => Ok(self),
            Library::Jar(path, options) => Ok(Library::Jar(present(&path)?, options)),
            Library::Path(path, options) => {
                let path = present(&path)?;
                let unreadable = |error| LibraryError::NoLibrary { path: path.clone(), error };
                let theirs = Target::of(&path).map_err(unreadable)?;
                let own = Target::own().map_err(unreadable)?;
                if !own.fits(theirs) {
                    return Err(LibraryError::ForeignTarget { path, theirs, own });
                }
                if path.to_string_lossy().contains('=') {
                    return Err(LibraryError::Divided(path));
                }
                Ok(Library::Path(path, options))
            }
        }
    }

    /// The option that loads it.
    pub fn option(&self) -> String {
        let (option, library, options) = match self {
            Library::Path(path, options) => ("-agentpath:", path.display().to_string(), options),
            Library::Name(name, options) => ("-agentlib:", name.clone(), options),
            Library::Jar(path, options) => ("-javaagent:", path.display().to_string(), options),
        };
        let separator = if options.is_empty() { "" } else { "=" };
        format!("{option}{library}{separator}{options}")
    }
}

fn present(path: &Path) -> Result<PathBuf, LibraryError> {
    match path.canonicalize() {
        Ok(found) if found.is_file() => Ok(found),
        _ => Err(LibraryError::Missing { path: path.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_shows_in_its_form() {
        let option = |text: &str| Library::parse(text).option();
        assert_eq!(option("./libfoo.so=a=b,c"), "-agentpath:./libfoo.so=a=b,c");
        assert_eq!(option("/opt/agents/foo"), "-agentpath:/opt/agents/foo");
        assert_eq!(option("jdwp=transport=dt_socket"), "-agentlib:jdwp=transport=dt_socket");
        assert_eq!(option("hprof"), "-agentlib:hprof");
        assert_eq!(option("foo.jar=x"), "-javaagent:foo.jar=x");
    }

    #[test]
    fn what_is_not_a_library_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let absent = Library::parse(folder.path().join("libabsent.so").to_str().unwrap());
        assert!(absent.checked().unwrap_err().to_string().contains("--agent absent"));
        let text = folder.path().join("text.so");
        std::fs::write(&text, "no library").unwrap();
        let text = Library::Path(text, String::new()).checked().unwrap_err();
        assert!(matches!(text, LibraryError::NoLibrary { .. }), "{text}");
    }
}
