//! The catalogue of scenarios, `cases/scenarios.yaml`, against the Java classes.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

/// Names in the catalogue: the entries are the items of its outermost list.
fn catalogued() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/scenarios.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines().filter_map(|line| line.strip_prefix("- name: ")).map(|name| name.trim().to_owned()).collect()
}

#[test]
fn every_scenario_is_in_the_catalogue_and_the_catalogue_holds_no_other() {
    let listed: BTreeSet<String> = catalogued().into_iter().collect();
    let classes: BTreeSet<String> = jvmti_java_tests::SCENARIOS.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(listed, classes);
}

#[test]
fn no_scenario_is_in_the_catalogue_twice() {
    let names = catalogued();
    assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len());
}

#[test]
fn scenarios_have_their_helpers_beside_them_and_not_in_the_list() {
    assert!(jvmti_java_tests::SCENARIOS.contains(&"Idle"));
    assert!(!jvmti_java_tests::SCENARIOS.contains(&"Stage"));
}
