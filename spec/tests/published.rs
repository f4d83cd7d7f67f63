//! Compares the merged facts with the published specification, as the importer reads it.
//!
//! The pages are not in the repository: `JVMTI_CHECK_SPEC_DOCS` names a folder with `jvmti-<release>.html`. Without it
//! the tests print this and pass.
#![cfg(feature = "import")]

use std::collections::HashSet;
use std::path::PathBuf;

use jvmti_spec::{Release, Spec, import};

/// The reviewed releases' pages, by release.
fn pages() -> Vec<(Release, String)> {
    let Some(folder) = std::env::var_os("JVMTI_CHECK_SPEC_DOCS").map(PathBuf::from) else {
        eprintln!("skipped: JVMTI_CHECK_SPEC_DOCS does not name a folder with the published pages");
        return Vec::new();
    };
    let page = |release: Release| {
        let file = folder.join(format!("jvmti-{release}.html"));
        (release, std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display())))
    };
    Release::REVIEWED.into_iter().map(page).collect()
}

#[test]
fn merged_facts_agree_with_published_pages() {
    for (release, html) in pages() {
        let imported = import::read(&html).unwrap_or_else(|e| panic!("release {release}: {e}"));
        assert_eq!(imported.release, release);
        let changes = import::changes(Spec::embedded(), &imported);
        assert!(changes.is_empty(), "release {release}: {changes}");
    }
}

#[test]
fn every_assertion_points_into_the_published_page() {
    for (release, html) in pages() {
        let attributes = html.split(['<', '>', ' ', '\n']);
        let anchors: HashSet<&str> = attributes
            .filter_map(|a| a.strip_prefix("id=\"").or_else(|| a.strip_prefix("name=\"")))
            .map(|value| value.trim_end_matches('"'))
            .collect();
        for assertion in Spec::embedded().assertions(release) {
            let anchor = assertion.anchor.as_str();
            assert!(anchors.contains(anchor), "release {release}: {} points to #{anchor}", assertion.id);
        }
    }
}
