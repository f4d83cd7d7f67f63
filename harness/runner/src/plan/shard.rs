//! Which launches are one machine's share of the work, if several share it.

use jvmti_results::Shard;

use super::Launch;

/// Of all launches for one JVM those of this share: longest first into the least loaded one. Each launch is in exactly
/// one share, the same on every machine. `name` is the JVM's: what is left over falls to different shares for different
/// JVMs.
pub fn share(mut launches: Vec<Launch>, shard: Shard, name: &str) -> Vec<Launch> {
    let count = u64::from(shard.count.max(1));
    let first = name.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % count;
    // The loads that matter are no more than there are launches.
    let mut loads: Vec<u64> = vec![0; usize::try_from(count).unwrap_or(usize::MAX).min(launches.len())];
    launches.sort_by(|a, b| b.cost.cmp(&a.cost).then_with(|| a.name.cmp(&b.name)));
    launches.retain(|launch| {
        let Some(least) = (0..loads.len()).min_by_key(|index| loads[*index]) else { return false };
        loads[least] += launch.cost;
        (first + least as u64) % count + 1 == u64::from(shard.index)
    });
    launches.sort_by(|a, b| a.name.cmp(&b.name));
    launches
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn launches(costs: &[u64]) -> Vec<Launch> {
        let launch = |(number, cost): (usize, &u64)| Launch {
            name: format!("launch-{number:03}"),
            cost: *cost,
            ..Launch::default()
        };
        costs.iter().enumerate().map(launch).collect()
    }

    proptest! {
        #[test]
        fn each_launch_is_in_one_share_and_shares_are_alike(
            costs in proptest::collection::vec(1u64..1000, 0..60),
            count in 1u32..12,
            name in "[a-z]{0,3}",
        ) {
            let all = launches(&costs);
            let share = |index| share(all.clone(), Shard { index, count }, &name);
            let shares: Vec<Vec<Launch>> = (1..=count).map(share).collect();
            let mut together: Vec<Launch> = shares.concat();
            together.sort_by(|a, b| a.name.cmp(&b.name));
            prop_assert_eq!(&together, &all);
            let loads: Vec<u64> = shares.iter().map(|s| s.iter().map(|l| l.cost).sum()).collect();
            let spread = loads.iter().max().unwrap_or(&0) - loads.iter().min().unwrap_or(&0);
            prop_assert!(spread <= costs.iter().copied().max().unwrap_or(0), "{:?}", loads);
        }
    }
}
