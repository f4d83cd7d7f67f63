//! The folders of the crate use each other in one direction only, and so do the modules of each folder.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// The folders, each of which may use those before it. `lib.rs` says what they hold.
const FOLDERS: [&str; 11] = [
    "arch",
    "os",
    "ffi",
    "recording",
    "marshal",
    "vm",
    "scenario_natives",
    "intercept",
    "execute",
    "lifecycle",
    "embed",
];

/// Folders that may not use each other, whatever their order.
const STRANGERS: [(&str, &str); 1] = [("execute", "intercept")];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The source files below a folder, with their code: comments and strings left out, tests too.
fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(files(&entry));
        } else if !entry.to_string_lossy().contains("tests") {
            found.push((entry.clone(), code(&fs::read_to_string(&entry).unwrap())));
        }
    }
    found
}

fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    Regex::new(r#"(?m)//.*$|"(\\(?s:.)|[^"\\])*""#).unwrap().replace_all(text, "").into_owned()
}

/// Paths that the code mentions after a prefix (`crate` or `super`), groups resolved to their first names.
fn paths(code: &str, prefix: &str) -> BTreeSet<String> {
    let single = Regex::new(&format!(r"\b{prefix}::(\w+(?:::[a-z_]+)?)")).unwrap();
    let group = Regex::new(&format!(r"\b{prefix}::\{{([^;]*)\}};")).unwrap();
    let singles = single.captures_iter(code).map(|found| found[1].to_owned());
    let nested = Regex::new(r"::\{[^}]*\}").unwrap();
    let grouped = group.captures_iter(code).flat_map(|found| {
        let names: Vec<String> =
            nested.replace_all(&found[1], "").split(',').map(|n| n.trim().to_owned()).collect();
        names
    });
    singles.chain(grouped).filter(|name| !name.is_empty()).collect()
}

#[test]
fn folders_use_those_before_them_only() {
    let rank = |folder: &str| FOLDERS.iter().position(|known| *known == folder);
    let mut wrong = Vec::new();
    for folder in FOLDERS {
        for (path, code) in files(&source().join(folder)) {
            for used in paths(&code, "crate") {
                let first = used.split("::").next().unwrap_or_default();
                let strangers = STRANGERS.contains(&(folder, first)) || STRANGERS.contains(&(first, folder));
                if rank(first).is_none_or(|used| Some(used) > rank(folder)) || strangers {
                    wrong.push(format!("{} uses crate::{used}", path.display()));
                }
            }
            if code.contains("super::super") {
                wrong.push(format!(
                    "{} uses super::super: name the folder, beginning with crate::",
                    path.display()
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nA folder may use those above it in the table of lib.rs, and none below: move what both need to the lowest of \
         them, or let the higher one install a function, as ffi::stub::install does.",
        wrong.join("\n")
    );
}

#[test]
fn every_folder_has_its_place() {
    let text = fs::read_to_string(source().join("lib.rs")).unwrap();
    for entry in
        fs::read_dir(source()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        assert!(FOLDERS.contains(&name.as_str()), "the folder {name} is not in the order of this test");
        assert!(
            text.contains(&format!("//! | [`{name}`] |")) || text.contains(&format!("//! | `{name}` |")),
            "{name}"
        );
    }
}

#[test]
fn modules_of_a_folder_use_each_other_in_one_direction() {
    for folder in FOLDERS {
        let folder_path = source().join(folder);
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (path, code) in files(&folder_path) {
            let inside = path.strip_prefix(&folder_path).unwrap();
            let module = inside.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
            // What it is all for stands there, and names that are used from outside.
            if module == "mod" {
                continue;
            }
            let own = format!("{folder}::");
            let used =
                paths(&code, "super").into_iter().map(|path| path.split("::").next().unwrap().to_owned());
            let by_crate = paths(&code, "crate")
                .into_iter()
                .filter_map(|path| Some(path.strip_prefix(&own)?.to_owned()));
            uses.entry(module).or_default().extend(used.chain(by_crate));
        }
        for (module, used) in &mut uses {
            used.remove(module);
        }
        let mut left = uses;
        while let Some(free) = left.iter().find(|(_, used)| !used.iter().any(|used| left.contains_key(used)))
        {
            let free = free.0.clone();
            left.remove(&free);
        }
        let cycle: Vec<String> = left
            .iter()
            .map(|(module, used)| {
                let used: Vec<&str> =
                    used.iter().filter(|used| left.contains_key(*used)).map(String::as_str).collect();
                format!("{module} → {}", used.join(", "))
            })
            .collect();
        assert!(
            cycle.is_empty(),
            "in {folder} these modules use each other in a circle:\n{}",
            cycle.join("\n")
        );
    }
}

/// The modules that may contain unsafe code: the edge to C, and what reads and writes the memory of others.
const UNSAFE: &str = include_str!("unsafe_modules.txt");

#[test]
fn unsafe_code_stays_where_it_is_known() {
    let word = Regex::new(r"\bunsafe\b").unwrap();
    let found: BTreeSet<String> = files(&source())
        .iter()
        .filter(|(_, code)| word.is_match(code))
        .map(|(path, _)| path.strip_prefix(source()).unwrap().to_string_lossy().into_owned())
        .collect();
    let listed: BTreeSet<String> =
        UNSAFE.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect();
    let new: Vec<&String> = found.difference(&listed).collect();
    assert!(
        new.is_empty(),
        "unsafe code in {new:?}\nKeep it at the edge: let a module of tests/unsafe_modules.txt offer what you need as a safe \
         function, or as a type whose unsafe constructor says what has to hold (vm::event::Event, marshal::Passed). If \
         there is no way around it, add the module to that list."
    );
    let gone: Vec<&String> = listed.difference(&found).collect();
    assert!(gone.is_empty(), "no unsafe code any more in {gone:?}: take them off tests/unsafe_modules.txt");
}
