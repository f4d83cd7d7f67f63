//! Trying several variants in one JVM: most of a thousand differ in one error of one function, and a JVM may do all of that
//! at once.

use std::collections::BTreeMap;

use super::Variant;

/// Variants that one JVM does at the most: each has a library of its own.
const LARGEST: usize = 40;

/// The variants in groups that one JVM may do together: those that join others, of different functions each. Every other
/// one is a group of its own.
pub fn groups(variants: &[Variant]) -> Vec<Vec<&Variant>> {
    let (joining, alone): (Vec<&Variant>, Vec<&Variant>) = variants.iter().partition(|variant| variant.joins);
    let mut rounds: Vec<Vec<&Variant>> = Vec::new();
    let mut seen: BTreeMap<&[String], usize> = BTreeMap::new();
    for variant in joining {
        let round = seen.entry(&variant.touches).or_default();
        if *round == rounds.len() {
            rounds.push(Vec::new());
        }
        rounds[*round].push(variant);
        *round += 1;
    }
    let chunks = rounds.iter().flat_map(|round| round.chunks(LARGEST)).map(<[&Variant]>::to_vec);
    alone.into_iter().map(|variant| vec![variant]).chain(chunks).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jvmti_spec::Release;

    use super::super::variants;
    use super::*;

    #[test]
    fn every_variant_is_in_one_group_and_no_function_twice_in_any() {
        let all = variants(Release::NEWEST);
        let groups = groups(&all);
        let mut ids: Vec<&str> = groups.iter().flatten().map(|variant| variant.id.as_str()).collect();
        assert_eq!(ids.len(), all.len());
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all.len());
        for group in &groups {
            let touched: BTreeSet<&[String]> =
                group.iter().map(|variant| variant.touches.as_slice()).collect();
            assert!(touched.len() == group.len() && group.len() <= LARGEST);
            assert!(group.len() == 1 || group.iter().all(|variant| variant.joins));
        }
        assert!(groups.len() * 3 < all.len(), "{} groups of {}", groups.len(), all.len());
    }
}
