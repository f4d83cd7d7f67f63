//! What the JVM says of a crash: HotSpot writes an error report to a file, into the folder that the program runs in unless an option
//! names another place.

mod memory;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jvmti_results::without_process;
use jvmti_wire::trace::{CodePlace, NativeCode};

use self::memory::Memory;

/// The option that names the file.
const OPTION: &str = "-XX:ErrorFile=";
/// Environment variables by which a JVM and its launcher take options; those of the last one win.
const VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];
/// A larger file is no error report.
const LARGEST: u64 = 64 << 20;
/// Frames of native code that are read at most.
const FRAMES: usize = 32;

/// What the error report of the process says, if there is one. `folder`: where the process ran; `probe`: the library of the probe,
/// whose frames are left out.
pub(crate) fn read(pid: u32, args: &[OsString], folder: &Path, probe: &Path) -> Vec<NativeCode> {
    let text = places(pid, args, folder).iter().find_map(|path| {
        let is_report = path.metadata().is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
        let bytes = is_report.then(|| std::fs::read(path).ok()).flatten()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // A process of old may have had the same number.
        text.contains(&format!("pid={pid},")).then_some(text)
    });
    let (text, probe) = (text.unwrap_or_default(), probe.to_string_lossy());
    let report = Report::new(&text, &probe);
    report.crashed().map_or_else(Vec::new, |crashed| std::iter::once(crashed).chain(report.held()).collect())
}

/// An error report.
struct Report<'a> {
    text: &'a str,
    /// The library of the probe, whose frames are left out.
    probe: &'a str,
    memory: Memory<'a>,
    /// The frames of native code that the JVM could follow.
    frames: Vec<CodePlace>,
    /// The address at which the crash happened.
    pc: Option<u64>,
}

impl<'a> Report<'a> {
    fn new(text: &'a str, probe: &'a str) -> Report<'a> {
        let memory = Memory::of(text);
        let frames = text.lines().skip_while(|line| !line.starts_with("Native frames:")).skip(1);
        let frames = frames.take_while(|line| !line.trim().is_empty()).take(FRAMES);
        let frames = frames.filter_map(|line| place(line, &memory)).collect();
        Report { text, probe, memory, frames, pc: pc(text) }
    }

    /// What the JVM says, and the frames; `None`: it is no report.
    fn crashed(&self) -> Option<NativeCode> {
        let header = self.text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim);
        let header: Vec<&str> = header.filter(|line| !line.is_empty()).collect();
        let cause = header.iter().skip(1).take_while(|line| !line.starts_with("JRE version"));
        let mut words: Vec<String> = cause.map(|line| single_spaced(&without_process(line))).collect();
        if words.is_empty() {
            return None;
        }
        let frame = header.iter().skip_while(|line| !line.starts_with("Problematic frame")).nth(1);
        words.extend(frame.map(|frame| format!("problematic frame: {}", single_spaced(frame))));
        let address = self.text.lines().find(|line| line.starts_with("siginfo:"));
        words.extend(address.map(single_spaced));
        if self.pc.is_some_and(|pc| pc < memory::NULL) {
            words.push("a function was called whose address is null".to_owned());
        } else if self.gone().is_some() {
            words.push("there is no code at this address: its library may have been unloaded".to_owned());
        }
        let mut stack = self.frames.clone();
        if stack.is_empty() {
            stack.extend(frame.and_then(|frame| place(frame, &self.memory)));
        }
        // All other frames are places that calls return to.
        if let Some(innermost) = stack.first_mut() {
            innermost.offset += 1;
        }
        if stack.len() <= 1 {
            // A function of the C library without a frame of its own, or a call of what is no function.
            stack.extend(self.memory.returned_to());
        }
        stack.retain(|place| place.library != self.probe);
        Some(NativeCode::Crashed { words, stack })
    }

    /// What the stack holds, if the JVM could not follow its frames.
    fn held(&self) -> Option<NativeCode> {
        if self.frames.len() > 1 {
            return None;
        }
        let mut stack = self.memory.return_addresses();
        stack.retain(|place| place.library != self.probe);
        // A destructor of thread-local data, most probably: the thread is none of the JVM's, or no longer.
        let is_ending = self.text.lines().any(|line| line.starts_with("Current thread is native thread"));
        let gone = self.gone().filter(|_| is_ending && self.memory.are_only_agents(self.text));
        if let Some(offset) = gone {
            stack.insert(0, CodePlace { library: String::new(), offset, symbol: String::new() });
        }
        (!stack.is_empty()).then_some(NativeCode::CrashStack { stack })
    }

    /// The address at which the crash happened, if no code is there.
    fn gone(&self) -> Option<u64> {
        self.pc.filter(|pc| *pc >= memory::NULL && self.memory.is_empty_at(*pc))
    }
}

/// The address at which the crash happened.
fn pc(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once(" at pc=0x")?;
    u64::from_str_radix(rest.split(|end: char| !end.is_ascii_hexdigit()).next()?, 16).ok()
}

/// Where the report may be.
fn places(pid: u32, args: &[OsString], folder: &Path) -> Vec<PathBuf> {
    let variables = VARIABLES.iter().filter_map(|name| std::env::var(name).ok());
    let given = args.iter().map(|arg| arg.to_string_lossy().into_owned());
    let options = variables.flat_map(|value| value.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    let named = options.chain(given).filter_map(|option| option.strip_prefix(OPTION).map(str::to_owned));
    let mut places: Vec<PathBuf> =
        named.map(|name| folder.join(name.replace("%p", &pid.to_string()).replace("%%", "%"))).collect();
    let name = format!("hs_err_pid{pid}.log");
    places.reverse();
    places.extend([folder.join(&name), std::env::temp_dir().join(&name)]);
    places
}

fn single_spaced(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The place that a line `C  [libfoo.so+0x11d3]  on_load+0x13` tells of; `None`: it is none in a library.
fn place(line: &str, memory: &Memory<'_>) -> Option<CodePlace> {
    let rest = line.trim().strip_prefix(['C', 'V'])?.trim_start().strip_prefix('[')?;
    let (at, function) = rest.split_once(']')?;
    let (name, offset) = at.rsplit_once("+0x")?;
    let path = memory.libraries().find(|path| path.rsplit('/').next() == Some(name));
    Some(CodePlace {
        library: path.map_or_else(|| name.to_owned(), str::to_owned),
        offset: u64::from_str_radix(offset, 16).ok()?,
        symbol: function.trim().split("+0x").next().unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f3e5c2de139, pid=4711, tid=4712
#
# JRE version: OpenJDK Runtime Environment (25.0.1+8)
# Problematic frame:
# C  [libfoo.so+0x1139]  on_load+0x9
#
# No core dump will be written.

---------------  T H R E A D  ---------------

Native frames: (J=compiled Java code, V=VM code, C=native code)
C  [libfoo.so+0x1139]  on_load+0x9
C  [libprobe.so+0x2000]
V  [libjvm.so+0x9a1]  JvmtiExport::post_vm_initialized()+0x1a1
C  0x00007f3e5c2de139

siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x0000000000000000

Dynamic libraries:
7f3e5c2dd000-7f3e5c2de000 r--p 00000000 08:01 1  /home/me/libfoo.so
7f3e5c2de000-7f3e5c2df000 r-xp 00000000 08:01 1  /opt/libprobe.so
";

    #[test]
    fn a_report_tells_the_cause_and_the_stack() {
        let Some(NativeCode::Crashed { words, stack }) = Report::new(REPORT, "/opt/libprobe.so").crashed()
        else {
            panic!()
        };
        let expected = [
            "SIGSEGV (0xb) at pc=0x00007f3e5c2de139",
            "problematic frame: C [libfoo.so+0x1139] on_load+0x9",
            "siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x0000000000000000",
        ];
        assert_eq!(words, expected);
        let places: Vec<_> =
            stack.iter().map(|place| (place.library.as_str(), place.offset, place.symbol.as_str())).collect();
        let jvm = ("libjvm.so", 0x9a1, "JvmtiExport::post_vm_initialized()");
        assert_eq!(places, [("/home/me/libfoo.so", 0x113a, "on_load"), jvm]);
    }

    #[test]
    fn a_function_without_a_frame_was_called_by_what_it_returns_to() {
        const LEAF: &str = "#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007fe787810499, pid=10907, tid=10909
#
# JRE version: OpenJDK
# Problematic frame:
# C  [libc.so.6+0x16a499]
#
Native frames: (J=compiled Java code, C=native code)
C  [libc.so.6+0x16a499]

Top of Stack: (sp=0x00007fe785bfc2f8)
0x00007fe785bfc2f8:   00007f3e5c2de1b9 00007fe7800157e0   ........

Dynamic libraries:
7f3e5c2dd000-7f3e5c2de000 r--p 00000000 08:01 1  /home/me/libfoo.so
7f3e5c2de000-7f3e5c2df000 r-xp 00001000 08:01 1  /home/me/libfoo.so
7fe7876a6000-7fe787900000 r-xp 00000000 08:01 1  /lib/libc.so.6
";
        let Some(NativeCode::Crashed { stack, .. }) = Report::new(LEAF, "").crashed() else { panic!() };
        let places: Vec<_> = stack.iter().map(|place| (place.library.as_str(), place.offset)).collect();
        assert_eq!(places, [("/lib/libc.so.6", 0x16a49a), ("/home/me/libfoo.so", 0x11b9)]);
    }

    #[test]
    fn the_last_option_names_the_file() {
        let args = ["-XX:ErrorFile=a.log", "-XX:ErrorFile=/tmp/b%p.log", "Main"].map(OsString::from);
        let places = places(7, &args, Path::new("/run"));
        assert_eq!(places[0], Path::new("/tmp/b7.log"));
        assert!(places.contains(&PathBuf::from("/run/hs_err_pid7.log")));
    }

    #[test]
    fn what_is_no_report_tells_nothing() {
        assert_eq!(Report::new("", "").crashed(), None);
        assert_eq!(Report::new("# one line\n", "").crashed(), None);
    }
}
