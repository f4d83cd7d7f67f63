//! The dynamic loader that an executable asks for. A JDK that comes with a C library of its own names another one than
//! this program does, and its libraries can only be loaded by that.

use std::path::{Path, PathBuf};

use object::Endianness;
use object::read::elf::{ElfFile64, ProgramHeader};

/// The loader that `theirs` asks for, if `ours` asks for another one.
pub fn other_loader(theirs: &Path, ours: &Path) -> Option<PathBuf> {
    let wanted = loader(theirs)?;
    (loader(ours)? != wanted).then_some(wanted)
}

/// The loader that an executable asks for.
fn loader(executable: &Path) -> Option<PathBuf> {
    let bytes = std::fs::read(executable).ok()?;
    let file = ElfFile64::<Endianness>::parse(bytes.as_slice()).ok()?;
    let endian = file.endian();
    let path = file
        .elf_program_headers()
        .iter()
        .find_map(|header| header.interpreter(endian, file.data()).ok()?)?;
    Some(PathBuf::from(std::str::from_utf8(path).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_loaded_by_its_own_loader() {
        let own = std::env::current_exe().unwrap();
        assert!(loader(&own).is_some_and(|path| path.is_absolute()));
        assert_eq!(other_loader(&own, &own), None);
        assert_eq!(other_loader(Path::new("/dev/null"), &own), None);
    }
}
