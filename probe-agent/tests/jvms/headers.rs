//! What was generated, against what a C compiler makes of the `jvmti.h` of a JDK.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use jvmti_probe::ffi::{EventCallbacks, FUNCTIONS, LAYOUTS, release_of_version, table_length};

use crate::support::{Skipped, Tested, headers};

/// A C program that prints what the header says of all that is described here and that the header knows.
fn program(header: &str) -> String {
    let knows = |name: &str| header.contains(name);
    let mut c = String::from(
        "#include <jvmti.h>\n#include <stddef.h>\n#include <stdio.h>\n#include <string.h>\n\
         #define SAY(what, value) printf(\"%s %ld\\n\", what, (long)(value))\n\
         int main(void) {\nSAY(\"version\", JVMTI_VERSION);\n\
         SAY(\"table\", sizeof(jvmtiInterface_1) / sizeof(void*));\n",
    );
    for function in FUNCTIONS.iter().filter(|f| knows(&format!("*{})", f.name))) {
        let name = function.name;
        let _ = writeln!(c, "SAY(\"{name}\", offsetof(jvmtiInterface_1, {name}) / sizeof(void*) + 1);");
    }
    for (name, _) in numbers().iter().filter(|(name, _)| knows(&format!(" {name} "))) {
        let _ = writeln!(c, "SAY(\"{name}\", {name});");
    }
    for layout in LAYOUTS.iter().filter(|l| knows(l.name)) {
        let name = layout.name;
        let _ = writeln!(c, "SAY(\"{name}\", sizeof({name}));\nSAY(\"{name} align\", _Alignof({name}));");
        for field in layout.fields.iter().filter(|f| knows(&format!(" {}", f.name))) {
            let label = format!("{name}.{}", field.name);
            let member = field.name;
            if field.bit.is_some() {
                let _ = writeln!(
                    c,
                    "{{ {name} s; memset(&s, 0, sizeof s); s.{member} = 1; for (size_t i = 0; i < sizeof s / 4; i++) {{ \
                     unsigned int unit; memcpy(&unit, (char*)&s + 4 * i, 4); \
                     if (unit) SAY(\"{label}\", 32 * i + __builtin_ctz(unit)); }} }}"
                );
            } else {
                let _ = writeln!(
                    c,
                    "SAY(\"{label}\", offsetof({name}, {member}));\nSAY(\"{label} size\", sizeof((({name}*)0)->{member}));"
                );
            }
        }
    }
    c.push_str("return 0;\n}\n");
    c
}

/// The error codes, events and constants of the specification.
fn numbers() -> Vec<(String, i64)> {
    let edition = jvmti_spec::Spec::embedded().newest();
    let errors = edition.errors.iter().map(|e| (format!("JVMTI_ERROR_{}", e.name), i64::from(e.number)));
    let events = edition.events.iter().map(|e| (e.constant.clone(), i64::from(e.number)));
    let constants = edition.constants.iter().flat_map(|group| &group.constants);
    errors.chain(events).chain(constants.map(|c| (c.name.clone(), c.value))).collect()
}

/// What the compiler says, by label.
fn answers(compiler: &Path, include: &Path, program: &str) -> BTreeMap<String, i64> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, binary) = (folder.path().join("say.c"), folder.path().join("say"));
    fs::write(&source, program).expect("written");
    let compiled = Command::new(compiler)
        .arg("-I")
        .arg(include)
        .arg("-I")
        .arg(include.join("linux"))
        .arg(&source)
        .arg("-o")
        .arg(&binary)
        .output()
        .expect("the compiler runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let said = Command::new(&binary).output().expect("the program runs").stdout;
    String::from_utf8(said)
        .expect("text")
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(label, value)| (label.to_owned(), value.parse().expect("a number")))
        .collect()
}

/// What the descriptions say, by the same labels.
fn described(release: u16) -> BTreeMap<String, i64> {
    let int = |size: usize| i64::try_from(size).expect("a size");
    let mut all = BTreeMap::from([("table".to_owned(), i64::from(table_length(release)))]);
    all.extend(FUNCTIONS.iter().map(|f| (f.name.to_owned(), i64::from(f.slot))));
    all.extend(numbers());
    for layout in LAYOUTS {
        let name = layout.name;
        let size = if name == "jvmtiEventCallbacks" { EventCallbacks::size_at(release) } else { layout.size };
        all.insert(name.to_owned(), int(size));
        all.insert(format!("{name} align"), int(layout.align));
        for field in layout.fields {
            let place = match field.bit {
                Some(bit) => field.offset * 8 + usize::from(bit),
                None => field.offset,
            };
            all.insert(format!("{name}.{}", field.name), int(place));
            all.insert(format!("{name}.{} size", field.name), int(field.ty.size()));
        }
    }
    all
}

pub fn layouts_and_slots_are_those_of_the_headers(home: &Path) -> Tested {
    let include = headers(home)?;
    let compiler = which::which("gcc").or_else(|_| which::which("cc"));
    let compiler = compiler.map_err(|_| Skipped::new("there is no C compiler"))?;
    let header = fs::read_to_string(include.join("jvmti.h")).expect("readable");
    let mut answers = answers(&compiler, &include, &program(&header));
    let version = answers.remove("version").expect("a version");
    let release = release_of_version(i32::try_from(version).expect("an int"));
    let described = described(release);
    assert!(answers.len() > 550, "only {} facts", answers.len());
    for (label, said) in answers {
        assert_eq!(described.get(&label), Some(&said), "{label}");
    }
    Ok(())
}
