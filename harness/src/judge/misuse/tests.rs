//! Rules over traces that are written down here; on real JVMs they are tested with the fixtures of the probe.

use super::*;

#[test]
fn ids_are_distinct_and_anchors_are_there() {
    let rules = rules();
    let mut ids: Vec<&str> = rules.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules.len());
    assert!(rules.iter().all(|rule| rule.id.contains('/') && !rule.says.is_empty()));
}
