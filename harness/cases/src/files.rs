//! The files of a folder of cases.

use std::path::{Path, PathBuf};

use super::source::SourceFile;

/// Larger than any case file; a file beyond it is not one.
const LARGEST: u64 = 4 << 20;
/// Folders below the cases folder whose files have another form.
const OTHER_FORMS: [&str; 1] = ["agents"];

/// A folder or file that can't be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The system says no.
    #[error("cannot read {path}: {error}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Not a text.
    #[error("{path} is not UTF-8 text (byte {at})")]
    NotText {
        /// Which.
        path: PathBuf,
        /// First byte that isn't.
        at: usize,
    },
    /// Too large.
    #[error("{path} is too large for a case file: {size} bytes")]
    TooLarge {
        /// Which.
        path: PathBuf,
        /// Its size.
        size: u64,
    },
    /// Nothing there.
    #[error("no case files (*.yaml) in {path}")]
    Empty {
        /// The folder.
        path: PathBuf,
    },
}

/// Reads all case files of a folder, in the order of their names.
pub fn read(dir: &Path) -> Result<Vec<SourceFile>, Unreadable> {
    let mut paths = Vec::new();
    collect(dir, dir, &mut paths)?;
    if paths.is_empty() {
        return Err(Unreadable::Empty { path: dir.to_owned() });
    }
    paths.sort();
    paths.into_iter().map(|(name, path)| Ok(SourceFile { name, text: text(&path)? })).collect()
}

fn collect(root: &Path, dir: &Path, into: &mut Vec<(String, PathBuf)>) -> Result<(), Unreadable> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| Unreadable::Io { path, error }
    };
    for entry in std::fs::read_dir(dir).map_err(io(dir))? {
        let entry = entry.map_err(io(dir))?;
        let path = entry.path();
        let Some(name) = path.strip_prefix(root).ok().and_then(|p| p.to_str()) else { continue };
        let name = name.replace(std::path::MAIN_SEPARATOR, "/");
        if entry.file_type().map_err(io(&path))?.is_dir() {
            if !OTHER_FORMS.contains(&name.as_str()) {
                collect(root, &path, into)?;
            }
        } else if matches!(path.extension().and_then(|e| e.to_str()), Some("yaml" | "yml")) {
            into.push((name, path));
        }
    }
    Ok(())
}

fn text(path: &Path) -> Result<String, Unreadable> {
    let io = |error| Unreadable::Io { path: path.to_owned(), error };
    let size = std::fs::metadata(path).map_err(io)?.len();
    if size > LARGEST {
        return Err(Unreadable::TooLarge { path: path.to_owned(), size });
    }
    let bytes = std::fs::read(path).map_err(io)?;
    String::from_utf8(bytes)
        .map_err(|error| Unreadable::NotText { path: path.to_owned(), at: error.utf8_error().valid_up_to() })
}
