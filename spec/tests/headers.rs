//! Compares the facts with the `jvmti.h` of every JDK on this machine: slots, signatures, constants, structures.
//!
//! The test looks in `/usr/lib/jvm/*`, `$JAVA_HOME` and the folders in `JVMTI_CHECK_JDKS` (separated as in `PATH`), each a
//! JDK or a folder of JDKs. If it finds none, it is ignored.

#[path = "../../harness/tests/support/trials.rs"]
mod trials;

mod support {
    pub(crate) use crate::trials;
}

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jvmti_spec::edition::{Function, Struct, StructKind};
use jvmti_spec::{Edition, Release, Spec};
use regex::Regex;
use trials::{Missing, Tested, tests};

fn facts_agree_with_the_headers_of_this_machine() -> Tested {
    let headers = headers();
    if headers.is_empty() {
        return Err(Missing("no JDK with include/jvmti.h".to_owned()));
    }
    for (header, release) in headers {
        let text = std::fs::read_to_string(&header).unwrap_or_else(|e| panic!("{}: {e}", header.display()));
        let spec = Spec::embedded().at(release);
        let text = without_preprocessor(&text);
        functions(&spec, &text);
        constants(&spec, &text);
        structures(&spec, &text);
        callbacks(&spec, &text);
    }
    Ok(())
}

tests! { facts_agree_with_the_headers_of_this_machine }

/// Each `jvmti.h` found, with the release of its JDK.
fn headers() -> BTreeMap<PathBuf, Release> {
    let mut homes: BTreeSet<PathBuf> = std::env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().collect();
    let mut folders = vec![PathBuf::from("/usr/lib/jvm")];
    folders.extend(std::env::var_os("JVMTI_CHECK_JDKS").iter().flat_map(std::env::split_paths));
    for folder in folders {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        homes.extend(entries.map(|entry| entry.path()));
        homes.insert(folder);
    }
    homes
        .iter()
        .filter_map(|home| {
            let header = home.join("include/jvmti.h").canonicalize().ok()?;
            Some((header, release_of(home)?))
        })
        .collect()
}

fn release_of(home: &Path) -> Option<Release> {
    let text = std::fs::read_to_string(home.join("release")).ok()?;
    let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?.trim_matches('"');
    let version = version.strip_prefix("1.").unwrap_or(version);
    version.split(['.', '-', '_']).next()?.parse().ok()
}

/// The C part of the header: the C++ wrappers repeat every function.
fn without_preprocessor(text: &str) -> String {
    let end = text.find("struct _jvmtiEnv {").unwrap_or(text.len());
    text[..end].lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n")
}

fn re(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|e| panic!("{pattern}: {e}"))
}

/// A C type or parameter list with single blanks, and `*` written with its type.
fn tidy(text: &str) -> String {
    static STAR: LazyLock<Regex> = LazyLock::new(|| re(r"\*(\w)"));
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" *", "*");
    STAR.replace_all(&joined, "* $1").into_owned()
}

fn functions(spec: &Edition, text: &str) {
    let entry = re(r"/\*\s+(\d+) : [^*]*\*/\s+jvmtiError \(JNICALL \*(\w+)\) \(([^;]*)\);");
    let reserved = re(r"/\*\s+(\d+) :\s+RESERVED \*/");
    let found: BTreeMap<u16, (String, String)> = entry
        .captures_iter(text)
        .map(|c| (c[1].parse().expect("slot"), (c[2].to_string(), tidy(&c[3]))))
        .collect();
    let ours: BTreeMap<u16, (String, String)> =
        spec.functions.iter().map(|f| (f.slot, (f.name.clone(), signature(f)))).collect();
    assert_eq!(ours, found, "functions of release {}", spec.release);
    for slot in reserved.captures_iter(text) {
        let slot: u16 = slot[1].parse().expect("slot");
        assert!(!ours.contains_key(&slot), "slot {slot} is reserved in release {}", spec.release);
    }
}

fn signature(f: &Function) -> String {
    let param = |p: &jvmti_spec::edition::Param| match p.name.as_str() {
        "..." => "...".to_string(),
        name => format!("{} {name}", p.c_type),
    };
    let params = f.params.iter().map(param);
    ["jvmtiEnv* env".to_string()].into_iter().chain(params).collect::<Vec<_>>().join(", ")
}

fn constants(spec: &Edition, text: &str) {
    let entry = re(r"(?m)^\s+(JVMTI_\w+)\s*=\s*([^,}]+?),?\s*$");
    let mut values: BTreeMap<String, i64> = BTreeMap::new();
    for c in entry.captures_iter(text) {
        // Markers that only the header contains, without a counterpart in the specification.
        if !matches!(&c[1], "JVMTI_MIN_EVENT_TYPE_VAL" | "JVMTI_MAX_EVENT_TYPE_VAL" | "JVMTI_ERROR_MAX")
            && !c[1].starts_with("JVMTI_VERSION")
        {
            let value = c[2].split('|').fold(0, |sum, term| sum | value(&values, term.trim()));
            values.insert(c[1].to_string(), value);
        }
    }
    let mut ours: BTreeMap<String, i64> = BTreeMap::new();
    let groups = spec.constants.iter().filter(|g| !g.name.starts_with("jvmtiVersion"));
    ours.extend(groups.flat_map(|g| &g.constants).map(|c| (c.name.clone(), c.value)));
    ours.extend(spec.errors.iter().map(|e| (format!("JVMTI_ERROR_{}", e.name), i64::from(e.number))));
    ours.extend(spec.events.iter().map(|e| (e.constant.clone(), i64::from(e.number))));
    assert_eq!(ours, values, "constants of release {}", spec.release);
}

fn value(known: &BTreeMap<String, i64>, term: &str) -> i64 {
    match term.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).expect("hex"),
        None => term.parse().unwrap_or_else(|_| *known.get(term).unwrap_or_else(|| panic!("{term}"))),
    }
}

fn structures(spec: &Edition, text: &str) {
    for s in spec.structs.iter().filter(|s| s.kind != StructKind::Enum) {
        let ours: Vec<String> = s.fields.iter().map(declaration).collect();
        assert_eq!(ours, fields(text, s), "{} of release {}", s.name, spec.release);
    }
}

fn declaration(f: &jvmti_spec::edition::Field) -> String {
    let name = f.name.as_ref().map_or(String::new(), |name| format!(" {name}"));
    let bits = f.bits.map_or(String::new(), |bits| format!(" : {bits}"));
    format!("{}{name}{bits}", f.c_type)
}

/// The declarations between the braces of a structure, in either form of `struct`.
fn fields(text: &str, s: &Struct) -> Vec<String> {
    let keyword = if s.kind == StructKind::Union { "union" } else { "struct" };
    let start = format!("{keyword} {} {{", s.name);
    let body = match text.find(&start) {
        Some(at) => text[at + start.len()..].split('}').next(),
        None => {
            let end = text.find(&format!("}} {};", s.name)).unwrap_or_else(|| panic!("no {}", s.name));
            text[..end].rsplit('{').next()
        }
    };
    let comments = re(r"(?s)/\*.*?\*/");
    let body = comments.replace_all(body.unwrap_or_default(), "").into_owned();
    body.split(';').map(tidy).filter(|line| !line.is_empty()).collect()
}

fn callbacks(spec: &Edition, text: &str) {
    let typedef = re(r"typedef\s+([\w*]+)\s+\(JNICALL \*(\w+)\)\s*\(([^;]*)\);");
    let found: BTreeMap<String, (String, String)> =
        typedef.captures_iter(text).map(|c| (c[2].to_string(), (tidy(&c[1]), tidy(&c[3])))).collect();
    for c in &spec.callbacks {
        let params: Vec<String> = c
            .params
            .iter()
            .map(|p| if p.name == "..." { "...".into() } else { format!("{} {}", p.c_type, p.name) })
            .collect();
        assert_eq!(found.get(&c.name), Some(&(c.returns.clone(), params.join(", "))), "{}", c.name);
    }
    for e in &spec.events {
        let params = e.params.iter().map(|p| format!("{} {}", p.c_type, p.name));
        let params: Vec<String> = ["jvmtiEnv* jvmti_env".to_string()].into_iter().chain(params).collect();
        let name = format!("jvmtiEvent{}", e.name);
        assert_eq!(found.get(&name), Some(&("void".to_string(), params.join(", "))), "{name}");
    }
}
