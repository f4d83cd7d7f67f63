//! Runs the importer on two small pages, one in each published layout, that state the same facts.
#![cfg(feature = "import")]

use jvmti_spec::edition::Phase;
use jvmti_spec::{Edition, Release, diff, import};

const OLDER: &str = include_str!("fixtures/older.html");
const NEWER: &str = include_str!("fixtures/newer.html");

fn read(html: &str) -> Edition {
    import::read(html).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn both_shapes_are_read_alike() {
    let (older, newer) = (read(OLDER), read(NEWER));
    assert_eq!((older.release, newer.release), (Release(8), Release(25)));
    let differences = diff::editions(&older, &newer);
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn what_a_page_states_is_read() {
    insta::assert_json_snapshot!(read(NEWER));
}

#[test]
fn a_changed_page_shows_what_changed() {
    let changed = NEWER
        .replace("only be called during the start or the live", "only be called during the live")
        .replace("jint* count_ptr", "jlong* count_ptr")
        .replace("(99)", "(98)")
        .replace("0x10", "0x20")
        .replace(
            "<code>JVMTI_ERROR_NULL_POINTER</code></a></th>\n<td><a href=\"#GetWidgets.count_ptr\">",
            "",
        );
    let edition = read(&changed);
    assert_eq!(edition.functions[0].phases, [Phase::Live]);
    insta::assert_snapshot!(diff::editions(&read(NEWER), &edition));
}

#[test]
fn pages_cut_off_anywhere_are_read_or_refused() {
    for end in (0..NEWER.len()).step_by(97).filter(|end| NEWER.is_char_boundary(*end)) {
        if let Err(error) = import::read(&NEWER[..end]) {
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn deep_nesting_is_survived() {
    let page = format!("<title>JVM(TM) Tool Interface 25.0.0</title>{}", "<div>".repeat(3_000));
    assert!(import::read(&page).is_err());
}
