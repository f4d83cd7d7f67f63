//! Choosing mutants: by name, a random sample of them, a share of the work.

use std::hash::{DefaultHasher, Hash, Hasher};

use jvmti_results::Shard;

use crate::{Mutant, Variant};

/// What can be chosen by its id.
pub trait Sifted {
    /// The id.
    fn id(&self) -> &str;
}

impl Sifted for Mutant {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Sifted for Variant {
    fn id(&self) -> &str {
        &self.id
    }
}

/// Which mutants are wanted.
#[derive(Clone, Debug, Default)]
pub struct Sift {
    /// Parts of ids; a mutant is taken if any is in its id. Empty: all.
    pub names: Vec<String>,
    /// So many of those, chosen by chance.
    pub sample: Option<usize>,
    /// What chance depends on.
    pub seed: u64,
    /// One share of those.
    pub shard: Option<Shard>,
}

impl Sift {
    /// The wanted ones, in their order.
    pub fn choose<T: Sifted>(&self, mut mutants: Vec<T>) -> Vec<T> {
        let named = |m: &T| self.names.is_empty() || self.names.iter().any(|name| m.id().contains(name));
        mutants.retain(named);
        if let Some(sample) = self.sample.filter(|sample| *sample < mutants.len()) {
            let mut places: Vec<u64> = mutants.iter().map(|m| self.place(m.id())).collect();
            places.sort_unstable();
            let end = places[sample];
            mutants.retain(|m| self.place(m.id()) < end);
        }
        if let Some(Shard { index, count }) = self.shard {
            let own = |i: usize| i % count as usize == index as usize - 1;
            mutants = mutants.into_iter().enumerate().filter(|(i, _)| own(*i)).map(|(_, m)| m).collect();
        }
        mutants
    }

    fn place(&self, id: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.seed, id).hash(&mut hasher);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jvmti_spec::Release;

    use super::*;

    #[test]
    fn a_sample_has_its_size_and_follows_from_its_seed() {
        let all = crate::mutants(Release(25));
        let sample = |seed| Sift { sample: Some(20), seed, ..Sift::default() }.choose(all.clone());
        assert_eq!(sample(1).len(), 20);
        assert_eq!(sample(1), sample(1));
        assert_ne!(sample(1), sample(2));
    }

    #[test]
    fn shards_are_all_of_it_and_share_nothing() {
        let all = crate::mutants(Release(17));
        let mut seen = BTreeSet::new();
        for index in 1..=3 {
            for mutant in
                (Sift { shard: Some(Shard { index, count: 3 }), ..Sift::default() }).choose(all.clone())
            {
                assert!(seen.insert(mutant.id));
            }
        }
        assert_eq!(seen.len(), all.len());
    }
}
