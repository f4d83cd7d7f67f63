//! Functions and source lines of places in code, read from symbol tables and debug information.
//!
//! A trace contains libraries and offsets only, so that recording costs little. When it is read, the libraries tell the rest,
//! as long as they are still those that were recorded.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use addr2line::{Loader, demangle_auto};
use jvmti_traces::code_place;
use jvmti_wire::trace::CodePlace;
use object::read::ReadCache;
use object::{Object, ObjectSymbol, SymbolKind};
use serde::Serialize;

/// A function, and the line in it, if debug information tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceLine {
    /// The function's name, demangled.
    pub function: String,
    /// The source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl SourceLine {
    /// `foo at agent.c:12`; `None`: the line is not known.
    fn text(&self) -> Option<String> {
        let (file, line) = (self.file.as_ref()?, self.line?);
        Some(format!("{} at {file}:{line}", self.function))
    }
}

/// A place in code, and where it is in the source.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Located {
    /// The place, as the trace has it.
    #[serde(flatten)]
    pub code: CodePlace,
    /// The functions that it is in, innermost first: each is inlined into the next one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<SourceLine>,
}

impl Located {
    /// In one line: `foo at agent.c:12 (libfoo.so+0x11d3)`, or `libfoo.so+0x11d3 (foo)` without debug information.
    pub fn text(&self) -> String {
        match self.source.first().and_then(SourceLine::text) {
            Some(text) => format!("{text} ({})", code_place(&bare(&self.code))),
            None => code_place(&self.named()),
        }
    }

    /// The names of the functions that it is in, innermost first; an empty one if none is known.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        let symbol = Some(self.code.symbol.as_str()).filter(|_| self.source.is_empty());
        self.source.iter().map(|line| line.function.as_str()).chain(symbol)
    }

    /// The lines of a report: the inlined functions, and the one that they are inlined into with the place.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.source.iter().filter_map(SourceLine::text).collect();
        match lines.split_last_mut() {
            None => lines.push(code_place(&self.named())),
            Some((last, inlined)) => {
                last.push_str(&format!(" ({})", code_place(&bare(&self.code))));
                inlined.iter_mut().for_each(|line| line.push_str(", inlined into"));
            }
        }
        lines
    }

    /// The place, with the best name that is known.
    fn named(&self) -> CodePlace {
        let symbol = match self.source.last() {
            Some(source) => source.function.clone(),
            None => demangle_auto(self.code.symbol.as_str().into(), None).into_owned(),
        };
        CodePlace { symbol, ..self.code.clone() }
    }
}

pub(crate) fn bare(place: &CodePlace) -> CodePlace {
    CodePlace { symbol: String::new(), ..place.clone() }
}

/// Finds source lines. Libraries are opened at first need.
#[derive(Default)]
pub struct Symbols {
    /// Folders with libraries or files of debug information, which come first.
    folders: Vec<PathBuf>,
    /// When the recording began. A library that has changed since is another one.
    recorded: Option<SystemTime>,
    libraries: RefCell<HashMap<String, Option<Loader>>>,
}

/// Where distributions install separate debug information, by build id.
const DEBUG_FILES: &str = "/usr/lib/debug/.build-id";
/// A larger file is not read.
const LARGEST: u64 = 4 << 30;

impl Symbols {
    /// Looks into these folders first.
    pub fn with_folders(folders: Vec<PathBuf>) -> Symbols {
        Symbols { folders, ..Symbols::default() }
    }

    /// For a recording that began that many nanoseconds after 1970.
    pub fn recorded_at(self, nanoseconds: u64) -> Symbols {
        let recorded = UNIX_EPOCH.checked_add(Duration::from_nanos(nanoseconds)).filter(|_| nanoseconds > 0);
        Symbols { recorded, ..self }
    }

    /// The place with its source lines.
    pub fn locate(&self, code: &CodePlace) -> Located {
        let mut libraries = self.libraries.borrow_mut();
        let known = libraries.entry(code.library.clone()).or_insert_with(|| self.open(&code.library));
        let source = known.as_ref().map_or_else(Vec::new, |library| source(library, code.offset));
        Located { code: code.clone(), source }
    }

    /// The variable of a library that this address is in, and the bytes from there to its end.
    pub fn variable(&self, place: &CodePlace) -> Option<(String, u64)> {
        self.files(&place.library).iter().find_map(|file| variable(file, place.offset))
    }

    /// Whether the library of a trace is there, and has not changed since the recording.
    fn is_as_recorded(&self, library: &Path) -> bool {
        let is_older = match (self.recorded, library.metadata().and_then(|file| file.modified())) {
            (Some(recorded), Ok(modified)) => modified <= recorded,
            _ => true,
        };
        library.is_absolute() && is_file(library) && is_older
    }

    fn open(&self, library: &str) -> Option<Loader> {
        self.files(library).iter().find_map(|file| Loader::new(file).ok())
    }

    /// The files that may have symbols or debug information of the library, the best first.
    fn files(&self, library: &str) -> Vec<PathBuf> {
        let path = Path::new(library);
        let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else {
            return Vec::new();
        };
        let given = |name: &str| {
            let mut files = self.folders.iter().map(|folder| folder.join(name));
            files.find(|file| is_file(file))
        };
        let mut files: Vec<PathBuf> = given(&format!("{name}.debug")).into_iter().collect();
        let recorded = Some(path.to_owned()).filter(|path| self.is_as_recorded(path));
        for library in given(&name).into_iter().chain(recorded) {
            let separate = build_id(&library).into_iter().flat_map(|id| self.debug_files(&id));
            files.extend(separate.filter(|file| is_file(file)));
            files.push(library);
        }
        files
    }

    /// Where the debug information of the library with that build id may be.
    fn debug_files(&self, id: &str) -> Vec<PathBuf> {
        let Some((start, rest)) = id.split_at_checked(2) else { return Vec::new() };
        let file = Path::new(start).join(format!("{rest}.debug"));
        let given = self.folders.iter().flat_map(|folder| [folder.join(".build-id"), folder.clone()]);
        given.chain([PathBuf::from(DEBUG_FILES)]).map(|folder| folder.join(&file)).collect()
    }
}

/// The variable at that offset in a library, as the symbols in a file tell, and the bytes from there to its end.
fn variable(file: &Path, offset: u64) -> Option<(String, u64)> {
    let bytes = ReadCache::new(std::fs::File::open(file).ok()?);
    let file = object::File::parse(&bytes).ok()?;
    let address = offset.wrapping_add(file.relative_address_base());
    let room = |symbol: &object::Symbol<'_, '_, _>| {
        let end = symbol.address().saturating_add(symbol.size());
        let holds = symbol.kind() == SymbolKind::Data && (symbol.address()..end).contains(&address);
        holds.then(|| end - address)
    };
    let mut symbols = file.symbols().chain(file.dynamic_symbols());
    let (symbol, room) = symbols.find_map(|symbol| room(&symbol).map(|room| (symbol, room)))?;
    Some((demangle_auto(symbol.name().ok()?.into(), None).into_owned(), room))
}

/// The file name of a library's path, as traces have it.
pub fn file_name(library: &str) -> &str {
    library.rsplit('/').next().unwrap_or_default()
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.len() <= LARGEST)
}

/// The build id of a library, in hexadecimal digits.
fn build_id(library: &Path) -> Option<String> {
    let bytes = ReadCache::new(std::fs::File::open(library).ok()?);
    let file = object::File::parse(&bytes).ok()?;
    Some(file.build_id().ok()??.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The functions that an offset in a library is in, innermost first.
fn source(library: &Loader, offset: u64) -> Vec<SourceLine> {
    let offset = offset.wrapping_add(library.relative_address_base());
    let symbol = library.find_symbol_info(offset);
    // A place is a function, or an address that a call returns to, which may belong to the next line already. No call returns to
    // the first byte behind the start of a function: that place stands for the function, too.
    let start = symbol.as_ref().map(|symbol| symbol.address());
    let within = if start == Some(offset) { offset } else { offset.saturating_sub(1) };
    let name = library.find_symbol(within).map(|name| demangle_auto(name.into(), None).into_owned());
    let mut source = Vec::new();
    if let Ok(mut frames) = library.find_frames(within) {
        while let Ok(Some(frame)) = frames.next() {
            let function = frame.function.as_ref().and_then(|name| name.demangle().ok());
            let function = function.map(|name| name.into_owned()).or_else(|| name.clone());
            let location = frame.location.as_ref();
            let file = location.and_then(|location| location.file).map(str::to_owned);
            let line = location.and_then(|location| location.line);
            source.extend(function.map(|function| SourceLine { function, file, line }));
        }
    }
    if source.is_empty() {
        source.extend(name.map(|function| SourceLine { function, file: None, line: None }));
    }
    // What a function begins with may be inlined, but the place is the function.
    if start == Some(within) {
        source.split_off(source.len().saturating_sub(1))
    } else {
        without_wrappers(source)
    }
}

/// The classes of jvmti.h and jni.h by whose inline functions agents in C++ call the interface.
const WRAPPERS: [&str; 3] = ["_jvmtiEnv::", "JNIEnv_::", "JavaVM_::"];

fn is_wrapper(line: &SourceLine) -> bool {
    WRAPPERS.iter().any(|class| line.function.starts_with(class))
}

/// The lines from the first one on that somebody wrote for the agent.
fn without_wrappers(mut lines: Vec<SourceLine>) -> Vec<SourceLine> {
    let first = lines.iter().position(|line| !is_wrapper(line)).unwrap_or(0);
    lines.split_off(first)
}

/// The frames of a call stack from the first one on that somebody wrote for the agent: compilers inline no functions that take a variable
/// number of arguments, such as CallObjectMethod of jni.h.
pub fn without_wrapper_frames(mut stack: Vec<Located>) -> Vec<Located> {
    let is_wrapper = |frame: &Located| frame.source.last().is_some_and(is_wrapper);
    let first = stack.iter().position(|frame| !is_wrapper(frame)).unwrap_or(0);
    stack.split_off(first)
}

/// The parts of Rust's standard library, which is linked into agents, and what the compiler adds.
const RUNTIME: [&str; 6] = ["std::", "core::", "alloc::", "__rust", "rust_panic", "rust_begin_unwind"];

/// The frames of a call stack from the first one on that has a line of the agent's: a panic of Rust comes from functions of its standard
/// library. All of them, if it has none.
pub fn without_runtime_frames(mut stack: Vec<Located>) -> Vec<Located> {
    let is_runtime =
        |frame: &Located| frame.functions().all(|name| RUNTIME.iter().any(|part| name.starts_with(part)));
    let first = stack.iter().position(|frame| !is_runtime(frame)).unwrap_or(0);
    stack.split_off(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(symbol: &str) -> CodePlace {
        CodePlace { library: "/opt/libfoo.so".into(), offset: 0x11d3, symbol: symbol.into() }
    }

    fn line(function: &str, line: Option<u32>) -> SourceLine {
        SourceLine { function: function.into(), file: line.map(|_| "agent.cpp".into()), line }
    }

    #[test]
    fn places_are_told_as_well_as_they_are_known() {
        let located =
            |symbol: &str, source: &[SourceLine]| Located { code: place(symbol), source: source.to_vec() };
        assert_eq!(located("", &[]).text(), "libfoo.so+0x11d3");
        assert_eq!(located("_ZN3foo3barEv", &[]).text(), "libfoo.so+0x11d3 (foo::bar())");
        assert_eq!(located("", &[line("bar", None)]).text(), "libfoo.so+0x11d3 (bar)");
        let inlined = located("baz", &[line("bar", Some(7)), line("baz", Some(20))]);
        assert_eq!(inlined.text(), "bar at agent.cpp:7 (libfoo.so+0x11d3)");
        let lines = ["bar at agent.cpp:7, inlined into", "baz at agent.cpp:20 (libfoo.so+0x11d3)"];
        assert_eq!(inlined.lines(), lines);
    }

    #[test]
    fn the_inline_functions_of_the_headers_are_not_the_agents() {
        let [wrapper, agents] = [line("_jvmtiEnv::GetPhase(jvmtiPhase*)", Some(1)), line("run()", Some(7))];
        assert_eq!(without_wrappers(vec![wrapper.clone(), agents.clone()]), std::slice::from_ref(&agents));
        // Not inlined, it is all that is known.
        assert_eq!(without_wrappers(vec![wrapper.clone()]), [wrapper]);
    }

    #[test]
    fn a_call_stack_begins_with_the_agents_own_frame() {
        let frame = |function: &str| Located { code: place(""), source: vec![line(function, Some(7))] };
        let [wrapper, agents] =
            [frame("JNIEnv_::CallObjectMethod(_jobject*, _jmethodID*, ...)"), frame("run()")];
        let stack = vec![wrapper.clone(), agents.clone(), wrapper.clone()];
        assert_eq!(without_wrapper_frames(stack), [agents, wrapper.clone()]);
        assert_eq!(without_wrapper_frames(vec![wrapper.clone()]), [wrapper]);
    }

    #[test]
    fn debug_information_lies_by_build_id() {
        let files = Symbols::with_folders(vec!["/symbols".into()]).debug_files("ab12cd");
        let expected = [
            "/symbols/.build-id/ab/12cd.debug",
            "/symbols/ab/12cd.debug",
            "/usr/lib/debug/.build-id/ab/12cd.debug",
        ];
        assert_eq!(files, expected.map(PathBuf::from));
    }

    #[test]
    fn a_function_of_this_program_is_found_unless_the_program_is_newer_than_the_recording() {
        let library = std::env::current_exe().expect("a path").to_string_lossy().into_owned();
        let bytes = std::fs::read(&library).expect("this program");
        let file = object::File::parse(&*bytes).expect("an object file");
        let name = "a_function_of_this_program_is_found";
        let symbol = object::ObjectSymbolTable::symbols(&file.symbol_table().expect("symbols"))
            .find(|symbol| object::ObjectSymbol::name(symbol).is_ok_and(|found| found.contains(name)))
            .expect("this test");
        let offset = object::ObjectSymbol::address(&symbol) - file.relative_address_base();
        let code = CodePlace { library, offset, symbol: String::new() };
        let located = Symbols::default().locate(&code);
        let found = located.source.last().expect("it is found");
        assert!(found.function.contains(name), "{found:?}");
        // A release build has no lines.
        let has_line = found.file.as_ref().is_some_and(|file| file.ends_with("symbols.rs"));
        assert!(has_line || !cfg!(debug_assertions), "{found:?}");
        assert_eq!(Symbols::default().recorded_at(1).locate(&code).source, []);
    }

    #[test]
    fn a_variable_of_a_library_without_symbols_is_found_in_the_folder_that_is_given() {
        static ROOM: [std::sync::atomic::AtomicU8; 48] = [const { std::sync::atomic::AtomicU8::new(1) }; 48];
        std::hint::black_box(&ROOM);
        let program = std::env::current_exe().expect("a path");
        let bytes = std::fs::read(&program).expect("this program");
        let file = object::File::parse(&*bytes).expect("an object file");
        let symbol =
            object::ObjectSymbolTable::symbols(&file.symbol_table().expect("symbols")).find(|symbol| {
                let found = object::ObjectSymbol::name(symbol).is_ok_and(|name| name.contains("4ROOM"));
                found && object::ObjectSymbol::size(symbol) == ROOM.len() as u64
            });
        // Other linkers name it otherwise.
        let Some(symbol) = symbol else { return };
        let offset = object::ObjectSymbol::address(&symbol) - file.relative_address_base() + 8;
        let folder = tempfile::tempdir().expect("a folder");
        let name = program.file_name().expect("a name").to_string_lossy().into_owned();
        std::fs::copy(&program, folder.path().join(format!("{name}.debug"))).expect("it is copied");
        // The library itself is gone.
        let code = CodePlace { library: format!("/no/such/{name}"), offset, symbol: String::new() };
        assert_eq!(Symbols::default().variable(&code), None);
        let found = Symbols::with_folders(vec![folder.path().to_owned()]).variable(&code);
        assert_eq!(found.map(|(_, room)| room), Some(40));
    }
}
