//! What is fuzzed: everything that reads what others wrote. Each target takes any bytes, and must neither panic nor take
//! memory out of proportion.
//!
//! `cargo +nightly fuzz run TARGET`, from the folder above, searches for inputs; what it finds belongs into
//! `corpus/TARGET`; `spec_import` begins with the pages in `spec/tests/fixtures`. The test `fuzz` of jvmti-check replays
//! the corpus, and mutants of it, with every `cargo test`.

use jvmti_spec::{Release, Spec};

/// Feeds a target with bytes.
pub type Target = fn(&[u8]);

/// The targets by name.
pub const TARGETS: [(&str, Target); 5] = [
    ("case_file", case_file),
    ("agent_case", agent_case),
    ("trace", trace),
    ("results", results),
    ("spec_import", spec_import),
];

/// A file of conformance cases: read, and made into the cases for a release.
pub fn case_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for name in ["fuzz.yaml", "scenarios.yaml", "configurations.yaml", "known/fuzz.yaml"] {
        let file = jvmti_cases::source::SourceFile { name: name.to_owned(), text: text.to_owned() };
        if let Ok(set) = jvmti_cases::CaseSet::read([file]) {
            let _ = set.for_release(&Spec::embedded().at(Release::NEWEST));
        }
    }
}

/// The case of a foreign agent.
pub fn agent_case(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let file = jvmti_cases::source::SourceFile { name: "fuzz.yaml".to_owned(), text: text.to_owned() };
        let _ = jvmti_agents::case::AgentCase::parse(file, &Spec::embedded().newest());
    }
}

/// A trace: its plan and all its records.
pub fn trace(bytes: &[u8]) {
    if let Ok(reader) = jvmti_wire::trace::Reader::new(bytes) {
        let _ = reader.records().count();
        let _ = reader.summary();
    }
}

/// A results file.
pub fn results(bytes: &[u8]) {
    if let Ok(results) = jvmti_reports::json::parse(bytes, "fuzz") {
        let _ = jvmti_reports::json::render(&results);
    }
}

/// The published text of the specification.
pub fn spec_import(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = jvmti_spec::import::read(text);
    }
}
