//! What the stack and the map of the memory in an error report tell of a crash whose frames the JVM could not follow.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use jvmti_wire::trace::CodePlace;

/// Places on the stack that are told at most.
const MOST: usize = 16;
/// Bytes that the longest call takes.
const CALL: usize = 7;
/// Who jumps below this address has called a function that is null.
pub(super) const NULL: u64 = 0x1000;

/// The memory of the process, as far as the report tells of it.
pub(super) struct Memory<'a> {
    mappings: Vec<Mapping<'a>>,
    /// The words at the top of the stack.
    stack: Vec<u64>,
}

/// A part of the memory of the process.
struct Mapping<'a> {
    start: u64,
    end: u64,
    is_code: bool,
    /// Where it begins in the file.
    offset: u64,
    /// Where the first part of the file is.
    base: u64,
    path: &'a str,
}

impl Mapping<'_> {
    fn place(&self, address: u64) -> CodePlace {
        CodePlace { library: self.path.to_owned(), offset: address - self.base, symbol: String::new() }
    }

    /// Whether a call comes right before that address.
    fn follows_call(&self, address: u64) -> bool {
        let mut before = [0; CALL];
        let at = (self.offset + (address - self.start)).saturating_sub(CALL as u64);
        let read = File::open(self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(&mut before)
        });
        read.is_ok() && ends_with_call(before)
    }
}

/// Whether the instruction at the end is a call, on x86-64 or AArch64.
fn ends_with_call(bytes: [u8; CALL]) -> bool {
    if cfg!(target_arch = "aarch64") {
        let word = u32::from_le_bytes([bytes[3], bytes[4], bytes[5], bytes[6]]);
        return word >> 26 == 0b10_0101 || word & 0xffff_fc1f == 0xd63f_0000;
    }
    let indirect = |length: usize| bytes[CALL - length] == 0xff && (bytes[CALL - length + 1] >> 3) & 7 == 2;
    bytes[CALL - 5] == 0xe8 || [2, 3, 4, 6, 7].into_iter().any(indirect)
}

/// The words at the top of the stack.
fn words(text: &str) -> Vec<u64> {
    let lines = text.lines().skip_while(|line| !line.starts_with("Top of Stack:")).skip(1);
    let lines = lines.take_while(|line| line.starts_with("0x")).filter_map(|line| line.split_once(':'));
    let word = |word: &str| u64::from_str_radix(word, 16).ok().filter(|_| word.len() == 16);
    lines.flat_map(|(_, line)| line.split_whitespace().take(2).filter_map(word).collect::<Vec<_>>()).collect()
}

/// The map of the memory.
fn mappings(text: &str) -> Vec<Mapping<'_>> {
    let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    let listed = text.lines().skip_while(|line| !line.starts_with("Dynamic libraries:")).skip(1);
    let mut mappings: Vec<Mapping<'_>> = Vec::new();
    for line in listed.take_while(|line| !line.trim().is_empty()) {
        let mut fields = line.split_whitespace();
        let Some((start, end)) = fields.next().and_then(|range| range.split_once('-')) else { continue };
        let (Some(start), Some(end), Some(rights)) = (number(start), number(end), fields.next()) else {
            continue;
        };
        let offset = fields.next().and_then(number).unwrap_or_default();
        let path = line.find('/').map_or("", |at| line[at..].trim_end());
        let before = mappings.last().filter(|before| before.path == path && !path.is_empty());
        let base = before.map_or(start, |before| before.base);
        mappings.push(Mapping { start, end, is_code: rights.contains('x'), offset, base, path });
    }
    mappings
}

impl<'a> Memory<'a> {
    /// What this report tells.
    pub fn of(text: &'a str) -> Memory<'a> {
        Memory { mappings: mappings(text), stack: words(text) }
    }

    /// The paths of the libraries.
    pub fn libraries(&self) -> impl Iterator<Item = &'a str> {
        self.mappings.iter().map(|part| part.path).filter(|path| path.contains(".so"))
    }

    fn part(&self, address: u64) -> Option<&Mapping<'a>> {
        self.mappings.iter().find(|part| (part.start..part.end).contains(&address))
    }

    /// The part of a file that holds the code at that address.
    fn code(&self, address: u64) -> Option<&Mapping<'a>> {
        self.part(address).filter(|part| part.is_code && !part.path.is_empty())
    }

    /// Where the function returns to that the crash happened in, if it has put nothing on the stack: the first word there.
    pub fn returned_to(&self) -> Option<CodePlace> {
        let address = *self.stack.first()?;
        self.code(address).map(|part| part.place(address))
    }

    /// Places on the stack that calls return to, innermost first. They may be left from calls that have returned.
    pub fn return_addresses(&self) -> Vec<CodePlace> {
        let place = |address: &u64| {
            let part = self.code(*address).filter(|part| part.follows_call(*address))?;
            Some(part.place(*address))
        };
        self.stack.iter().filter_map(place).take(MOST).collect()
    }

    /// Whether there is no code at that address.
    pub fn is_empty_at(&self, address: u64) -> bool {
        !self.mappings.is_empty() && !self.part(address).is_some_and(|part| part.is_code)
    }

    /// Whether all libraries are those of the JDK, of the system, of the probe, or agents that the command line of the report names.
    pub fn are_only_agents(&self, text: &str) -> bool {
        let is_command = |line: &&str| line.starts_with("Command Line:") || line.starts_with("jvm_args:");
        let commands: Vec<&str> = text.lines().filter(is_command).collect();
        let is_known =
            |path: &str| path.contains("/lib/") || commands.iter().any(|command| command.contains(path));
        self.libraries().all(is_known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "Command Line: -agentpath:/home/me/libfoo.so=x Main
Current thread is native thread

Top of Stack: (sp=0x00007b7f5edcde68)
0x00007b7f5edcde68:   00007f7f8c168391 ffffffffffffffc0   ................
0x00007b7f5edcde78:   00007b7f5edce6c0 0000000000000000   ...^.{..........

Dynamic libraries:
7f7f8bf5d000-7f7f8bf5e000 r--p 00000000 fe:00 1      /home/me/libfoo.so
7f7f8c0d6000-7f7f8c0fe000 r--p 00000000 fe:00 2      /usr/lib/libc.so.6
7f7f8c0fe000-7f7f8c266000 r-xp 00028000 fe:00 2      /usr/lib/libc.so.6
7f7f8c2bd000-7f7f8c2bf000 rw-p 00000000 00:00 0

VM Arguments:
";

    #[test]
    fn the_top_of_the_stack_tells_the_caller_and_the_map_what_is_gone() {
        let memory = Memory::of(REPORT);
        let caller = memory.returned_to().map(|place| (place.library, place.offset));
        assert_eq!(caller, Some(("/usr/lib/libc.so.6".to_owned(), 0x92391)));
        assert!(memory.is_empty_at(0x7f7f_8a4b_e149) && memory.is_empty_at(0x7f7f_8c2b_d010));
        assert!(!memory.is_empty_at(0x7f7f_8c16_8391) && !Memory::of("").is_empty_at(0x7f7f_8a4b_e149));
        assert!(memory.are_only_agents(REPORT));
        let others = REPORT.replace("me/libfoo.so\n", "me/app.so\n");
        assert!(!Memory::of(&others).are_only_agents(&others));
        // The file is not there.
        assert_eq!(memory.return_addresses(), []);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn calls_are_told_from_other_instructions() {
        assert!(ends_with_call([0, 0, 0xe8, 1, 2, 3, 4]));
        // call *%rax; call *0xc0(%rax); call *0x8(%rax)
        assert!(ends_with_call([0, 0, 0, 0, 0, 0xff, 0xd0]));
        assert!(ends_with_call([0, 0xff, 0x90, 0xc0, 0, 0, 0]));
        assert!(ends_with_call([0, 0, 0, 0, 0xff, 0x50, 8]));
        // jmp *%rax, and nothing
        assert!(!ends_with_call([0, 0, 0, 0, 0, 0xff, 0xe0]) && !ends_with_call([0; CALL]));
    }
}
