//! What machine a JVM's library is built for, by its header: an agent can be loaded only by a JVM of its own kind.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;

use object::read::{Object, ReadCache, ReadRef};
use object::{Architecture, FileKind};

/// Machine and word size of an object file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Instruction set; `None`: the header could not be read further than the word size.
    machine: Option<Architecture>,
    /// Pointer width.
    bits: u8,
}

impl Target {
    /// That of this very program, hence of the probe agent built with it.
    pub fn own() -> io::Result<Target> {
        Target::of(&std::env::current_exe()?)
    }

    /// That of an executable or shared library.
    pub fn of(path: &Path) -> io::Result<Target> {
        let cache = ReadCache::new(File::open(path)?);
        let bad = |e| io::Error::new(io::ErrorKind::InvalidData, format!("not a native library: {e}"));
        let kind = FileKind::parse(&cache).map_err(bad)?;
        let bits = match kind {
            FileKind::Elf32 | FileKind::MachO32 | FileKind::Pe32 => 32,
            FileKind::Elf64 | FileKind::MachO64 | FileKind::Pe64 => 64,
            // A universal binary holds several; the loader picks the one that fits.
            FileKind::MachOFat32 | FileKind::MachOFat64 => return Target::own_of_universal(),
            _ => return Err(bad_kind(kind)),
        };
        Ok(Target { machine: machine(&cache), bits })
    }

    /// Whether a library for `other` can be loaded into a process of this target.
    pub fn fits(self, other: Target) -> bool {
        self.bits == other.bits
            && (self.machine == other.machine || self.machine.is_none() || other.machine.is_none())
    }

    fn own_of_universal() -> io::Result<Target> {
        Ok(Target { machine: None, bits: usize::BITS as u8 })
    }
}

fn machine<'d>(data: impl ReadRef<'d>) -> Option<Architecture> {
    let file = object::File::parse(data).ok()?;
    Some(file.architecture())
}

fn bad_kind(kind: FileKind) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("not a native library but {kind:?}"))
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.machine {
            Some(Architecture::Unknown) | None => write!(f, "an unknown {}-bit machine", self.bits),
            Some(machine) => write!(f, "{}-bit {}", self.bits, format!("{machine:?}").to_lowercase()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_fits_itself() {
        let own = Target::own().unwrap();
        assert!(own.fits(own));
        assert_eq!(u32::from(own.bits), usize::BITS);
    }

    #[test]
    fn a_text_file_is_no_library() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("libjvm.so");
        std::fs::write(&path, "#!/bin/sh\nexit 1\nnot a library at all, but long enough to be read\n")
            .unwrap();
        assert_eq!(Target::of(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
        std::fs::write(&path, "").unwrap();
        assert_eq!(Target::of(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn another_machine_or_word_size_does_not_fit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("libjvm.so");
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();

        let mut riscv = own.clone();
        riscv[18] = 0xf3; // e_machine: EM_RISCV
        riscv[19] = 0;
        std::fs::write(&path, riscv).unwrap();
        let target = Target::of(&path).unwrap();
        assert!(!Target::own().unwrap().fits(target));
        assert_eq!(target.to_string(), "64-bit riscv64");

        let mut narrow = own;
        narrow[4] = 1; // EI_CLASS: ELFCLASS32
        std::fs::write(&path, narrow).unwrap();
        assert!(!Target::own().unwrap().fits(Target::of(&path).unwrap()));
    }
}
