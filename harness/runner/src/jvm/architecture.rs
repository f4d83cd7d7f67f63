//! What machine and C library a JVM's library is built for, by its header: an agent can be loaded only by a JVM of its own
//! kind.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;

use object::read::elf::ElfFile64;
use object::read::{Object, ReadCache, ReadRef};
use object::{Architecture, Endianness, FileKind, elf};

/// Machine, word size and C library of an object file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Instruction set; `None`: the header could not be read further than the word size.
    machine: Option<Architecture>,
    /// Pointer width.
    bits: u8,
    /// `None`: it needs no C library, or one of another name.
    c_library: Option<CLibrary>,
}

/// Two libraries for different ones cannot be in one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CLibrary {
    Gnu,
    Musl,
    /// Those of Windows, whichever it is: they can be in one process.
    Windows,
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
            FileKind::Elf32 | FileKind::Pe32 => 32,
            FileKind::Elf64 | FileKind::Pe64 => 64,
            kind => {
                let what = format!("not a native library but {kind:?}");
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        };
        Ok(Target { machine: machine(&cache), bits, c_library: c_library(kind, &cache) })
    }

    /// Whether a library for `other` can be loaded into a process of this target.
    pub fn fits(self, other: Target) -> bool {
        self.bits == other.bits
            && agree(self.machine, other.machine)
            && agree(self.c_library, other.c_library)
    }
}

/// Whether two properties are equal, as far as they are known.
fn agree<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    one.is_none() || other.is_none() || one == other
}

fn machine<'d>(data: impl ReadRef<'d>) -> Option<Architecture> {
    Some(object::File::parse(data).ok()?.architecture())
}

/// The C library among those that it names as needed.
fn c_library<'d>(kind: FileKind, data: impl ReadRef<'d>) -> Option<CLibrary> {
    if matches!(kind, FileKind::Pe32 | FileKind::Pe64) {
        return Some(CLibrary::Windows);
    }
    let table = ElfFile64::<Endianness, _>::parse(data).ok()?.elf_dynamic_table().ok()?;
    let needed = table.iter().filter(|entry| entry.tag == elf::DT_NEEDED);
    needed.filter_map(|entry| table.string(entry).ok()).find_map(|name| match name {
        b"libc.so.6" => Some(CLibrary::Gnu),
        b"libc.so" => Some(CLibrary::Musl),
        name if name.starts_with(b"libc.musl-") => Some(CLibrary::Musl),
        _ => None,
    })
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.machine {
            Some(Architecture::Unknown) | None => write!(f, "an unknown {}-bit machine", self.bits)?,
            Some(machine) => write!(f, "{}-bit {}", self.bits, format!("{machine:?}").to_lowercase())?,
        }
        match self.c_library {
            Some(CLibrary::Gnu) => f.write_str(" with the GNU C library"),
            Some(CLibrary::Musl) => f.write_str(" with the C library musl"),
            Some(CLibrary::Windows) => f.write_str(" with Windows"),
            None => Ok(()),
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
        assert_eq!(target.to_string(), "64-bit riscv64 with the GNU C library");

        let mut narrow = own;
        narrow[4] = 1; // EI_CLASS: ELFCLASS32
        std::fs::write(&path, narrow).unwrap();
        assert!(!Target::own().unwrap().fits(Target::of(&path).unwrap()));
    }

    #[test]
    fn another_c_library_does_not_fit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("libjvm.so");
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let name = b"\0libc.so.6\0";
        let at =
            own.windows(name.len()).position(|part| part == name).expect("this test needs the GNU C library");

        let mut musl = own.clone();
        musl[at..at + name.len()].copy_from_slice(b"\0libc.so\0\0\0");
        std::fs::write(&path, musl).unwrap();
        let target = Target::of(&path).unwrap();
        assert!(!Target::own().unwrap().fits(target));
        assert!(target.to_string().ends_with(" with the C library musl"), "{target}");

        let mut unknown = own;
        unknown[at + 1..at + name.len() - 1].copy_from_slice(b"libd.so.6");
        std::fs::write(&path, unknown).unwrap();
        assert!(Target::own().unwrap().fits(Target::of(&path).unwrap()), "it may be loaded somehow");
    }
}
