//! What is left of what calls have returned: whether it grows, and whether it was left by mistake.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::MANY_CALLBACKS;
use super::{Allocation, Memory, Source};
use crate::agent_state::AgentState;
use crate::rounds::Round;

/// What was kept of an output.
#[derive(Default)]
struct Kept {
    blocks: u64,
    calls: FxHashSet<u32>,
    rounds: FxHashSet<Round>,
}

impl Memory {
    /// The outputs of which round after round keeps memory, with the evidence in words.
    pub(super) fn growing(
        &self,
        state: &AgentState<'_>,
        left: &[(u64, Allocation)],
    ) -> FxHashMap<Source, String> {
        let mut all: FxHashMap<Source, Kept> = FxHashMap::default();
        for (_, given) in left {
            let kept = all.entry(given.source()).or_default();
            kept.blocks += 1;
            kept.calls.insert(given.call);
            kept.rounds.extend(given.round);
        }
        let told = |(source, kept): (Source, Kept)| Some((source, self.grows(state, source, &kept)?));
        all.into_iter().filter_map(told).collect()
    }

    fn grows(&self, state: &AgentState<'_>, source: Source, kept: &Kept) -> Option<String> {
        let (blocks, calls) = self.counts.get(&source).copied().unwrap_or_default();
        // One block for each call that was only counted is the least.
        let counted = state.counted.calls.get(&(source.1, source.0)).copied().unwrap_or(0);
        let (blocks, calls) = (blocks.max(counted), calls.max(counted));
        // A call may give many blocks of which it is always the same that is kept.
        let most = kept.blocks * 2 >= blocks || kept.calls.len() as u64 * 2 >= calls;
        let rounds = kept.rounds.len();
        let is_growing =
            |one: &&Round| rounds >= MANY_CALLBACKS && most && state.are_enough_rounds(one.after, rounds);
        let rounds = kept.rounds.iter().next().filter(is_growing)?.in_words(state, rounds);
        Some(format!("{} of {blocks} blocks from here were never deallocated, in {rounds}", kept.blocks))
    }

    /// What describes extensions, where the agent deallocated the blocks that have the addresses of the others, and none of those.
    pub(super) fn left_within(
        &self,
        state: &AgentState<'_>,
        left: &[(u64, Allocation)],
    ) -> FxHashSet<Source> {
        let mut kept: FxHashMap<Source, (u64, u64)> = FxHashMap::default();
        for (_, given) in left {
            let (within, outer) = kept.entry(given.source()).or_default();
            *(if given.within { within } else { outer }) += 1;
        }
        let is_left = |source: &Source, (within, outer): (u64, u64)| {
            let (blocks, calls) = self.counts.get(source).copied().unwrap_or_default();
            within > 0 && outer == 0 && within == blocks - calls
        };
        // Of others, an agent may keep all that it was told.
        let describes = |source: &Source| state.names.function(source.0).starts_with("GetExtension");
        kept.into_iter().filter(|(of, kept)| describes(of) && is_left(of, *kept)).map(|(of, _)| of).collect()
    }
}
