//! Which JVM of the one results is held against which of the other.

use super::Pair;
use crate::results::{JvmRun, Results};
use crate::summary::labels;

/// Places and runs of two JVMs, or of one that has no counterpart.
pub struct Paired<'a> {
    pub before: Option<(usize, &'a JvmRun)>,
    pub after: Option<(usize, &'a JvmRun)>,
}

impl Paired<'_> {
    pub fn names(&self, before: &Results, after: &Results) -> Pair {
        let name = |run: Option<(usize, &JvmRun)>, results| run.map(|(i, _)| labels(results)[i].clone());
        Pair { before: name(self.before, before), after: name(self.after, after) }
    }
}

type Likeness = fn(&JvmRun, &JvmRun) -> bool;

/// From the strictest: the same JVM at the same place, wherever it is, an update of it.
const LIKENESSES: [Likeness; 3] = [
    |a, b| is_same(a, b) && a.jvm.home == b.jvm.home,
    is_same,
    |a, b| is_kin(a, b) && a.configuration == b.configuration && a.vm_options == b.vm_options,
];

fn is_same(a: &JvmRun, b: &JvmRun) -> bool {
    is_kin(a, b)
        && (&a.jvm.version, &a.jvm.vm_version) == (&b.jvm.version, &b.jvm.vm_version)
        && (&a.configuration, &a.vm_options) == (&b.configuration, &b.vm_options)
}

fn is_kin(a: &JvmRun, b: &JvmRun) -> bool {
    let of = |run: &JvmRun| {
        let jvm = &run.jvm;
        (jvm.release, jvm.vendor.clone(), jvm.vm_name.clone(), jvm.arch.clone())
    };
    of(a) == of(b)
}

/// Pairs the JVMs, in the order of the second results; those that only the first has come last. If each has but one
/// JVM, these are compared whatever they are.
pub fn pairs<'a>(before: &'a Results, after: &'a Results) -> Vec<Paired<'a>> {
    let single = before.runs.len() == 1 && after.runs.len() == 1;
    let mut partner: Vec<Option<usize>> = vec![None; after.runs.len()];
    let mut taken = vec![false; before.runs.len()];
    let any: Likeness = |_, _| true;
    for alike in LIKENESSES.into_iter().chain(single.then_some(any)) {
        for (a, run) in
            after.runs.iter().enumerate().filter(|(a, _)| partner[*a].is_none()).collect::<Vec<_>>()
        {
            let free = before.runs.iter().enumerate().find(|(b, other)| !taken[*b] && alike(other, run));
            if let Some((b, _)) = free {
                (partner[a], taken[b]) = (Some(b), true);
            }
        }
    }
    let paired =
        after.runs.iter().enumerate().zip(&partner).map(|(after, partner)| Paired {
            before: partner.map(|b| (b, &before.runs[b])),
            after: Some(after),
        });
    let left = before.runs.iter().enumerate().filter(|(b, _)| !taken[*b]);
    paired.chain(left.map(|before| Paired { before: Some(before), after: None })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn paired(before: &Results, after: &Results) -> Vec<String> {
        pairs(before, after).iter().map(|p| p.names(before, after).label()).collect()
    }

    #[test]
    fn a_jvm_is_compared_with_its_successor_and_not_with_another() {
        let before = sample::small();
        let mut after = before.clone();
        after.runs.reverse();
        after.runs[0].jvm.version = "17.0.18".into();
        assert_eq!(
            paired(&before, &after),
            ["17.0.17 Debian → 17.0.18 Debian", "25.0.1 Temurin, interpreted"]
        );
        after.runs[0].jvm.release = 18;
        assert_eq!(
            paired(&before, &after),
            ["17.0.18 Debian", "25.0.1 Temurin, interpreted", "17.0.17 Debian"]
        );
    }

    #[test]
    fn single_jvms_are_compared_whatever_they_are() {
        let [mut before, mut after] = [sample::small(), sample::small()];
        before.runs.truncate(1);
        after.runs.remove(0);
        assert_eq!(paired(&before, &after), ["25.0.1 Temurin, interpreted → 17.0.17 Debian"]);
    }
}
