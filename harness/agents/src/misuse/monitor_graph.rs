//! Cycles among threads that wait for raw monitors, and among the orders in which threads enter them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::When;

/// A thread that wants a monitor and does not have it yet.
#[derive(Clone)]
pub(super) struct Waiting {
    pub(super) monitor: u64,
    pub(super) site: u32,
    pub(super) when: When,
}

/// The threads that wait for each other, cycle by cycle: each waits for a monitor that the next one holds.
pub(super) fn deadlocks(
    waiting: &FxHashMap<u32, Waiting>,
    holder: impl Fn(u64) -> Option<u32>,
) -> Vec<Vec<&Waiting>> {
    let mut threads: Vec<u32> = waiting.keys().copied().collect();
    threads.sort_unstable();
    let mut done = BTreeSet::new();
    let mut cycles = Vec::new();
    for start in threads {
        let mut way: Vec<&Waiting> = Vec::new();
        let mut at = Some(start);
        while let Some(next) = at.and_then(|thread| waiting.get(&thread)) {
            if let Some(begin) = way.iter().position(|before| before.when.thread == next.when.thread) {
                cycles.push(way.split_off(begin));
                break;
            }
            if !done.insert(next.when.thread) {
                break;
            }
            way.push(next);
            at = holder(next.monitor);
        }
    }
    cycles
}

/// A thread wanted one monitor while it held others.
#[derive(Clone)]
pub(super) struct Edge {
    pub(super) to: u64,
    pub(super) site: u32,
    pub(super) when: When,
    /// All monitors that the thread held. Two threads that hold a common one cannot deadlock.
    pub(super) held: Vec<u64>,
}

/// The number of different ways from one monitor to another that are kept.
const MOST_WAYS: usize = 32;
/// The length of the longest cycle that is looked for.
const LONGEST: usize = 8;
/// The number of steps that a search for cycles takes.
const MOST_STEPS: usize = 1_000_000;

/// The orders in which threads entered monitors.
#[derive(Default)]
pub(super) struct Cycles {
    /// By the monitor held, and the one wanted.
    edges: BTreeMap<u64, BTreeMap<u64, Vec<Edge>>>,
}

/// A way through the graph: each monitor, and the edge to the next.
type Way<'e> = Vec<(u64, &'e Edge)>;

impl Cycles {
    /// A thread that holds `from` wants another monitor.
    pub(super) fn add(&mut self, from: u64, edge: Edge) {
        let ways = self.edges.entry(from).or_default().entry(edge.to).or_default();
        // Another edge of the same thread under fewer monitors says all that this one does.
        let is_known = |way: &Edge| {
            way.when.thread == edge.when.thread && way.held.iter().all(|held| edge.held.contains(held))
        };
        if ways.len() < MOST_WAYS && !ways.iter().any(is_known) {
            ways.push(edge);
        }
    }

    /// Whether a thread has held the monitor and wanted another one, or the other way round.
    pub(super) fn contains(&self, monitor: u64) -> bool {
        self.edges.contains_key(&monitor) || self.edges.values().any(|to| to.contains_key(&monitor))
    }

    /// Forgets a monitor.
    pub(super) fn forget(&mut self, monitor: u64) {
        self.edges.remove(&monitor);
        self.edges.values_mut().for_each(|to| drop(to.remove(&monitor)));
    }

    /// Cycles that can deadlock: one thread for each edge, and no monitor that two of them hold. Of each set of monitors
    /// one cycle.
    pub(super) fn find(&self) -> Vec<Way<'_>> {
        let mut search = Search { cycles: self, steps: 0, sets: BTreeSet::new(), found: Vec::new() };
        for start in self.edges.keys() {
            search.from(*start, *start, &mut Vec::new());
        }
        search.found
    }
}

struct Search<'e> {
    cycles: &'e Cycles,
    steps: usize,
    sets: BTreeSet<BTreeSet<u64>>,
    found: Vec<Way<'e>>,
}

impl<'e> Search<'e> {
    /// Looks for ways from `at` back to `start`, the smallest monitor of the cycle.
    fn from(&mut self, start: u64, at: u64, way: &mut Way<'e>) {
        let cycles = self.cycles;
        for (to, edges) in cycles.edges.get(&at).into_iter().flatten() {
            let visited = way.iter().any(|(from, _)| from == to);
            if *to < start || (visited && *to != start) {
                continue;
            }
            for edge in edges {
                self.steps += 1;
                if self.steps > MOST_STEPS || way.len() == LONGEST || !goes_with(way, edge) {
                    continue;
                }
                way.push((at, edge));
                match *to == start {
                    true => self.close(way),
                    false => self.from(start, *to, way),
                }
                way.pop();
            }
        }
    }

    fn close(&mut self, way: &Way<'e>) {
        if self.sets.insert(way.iter().map(|(from, _)| *from).collect()) {
            self.found.push(way.clone());
        }
    }
}

/// Whether the thread of this edge can be where the edge is while the others are where theirs are.
fn goes_with(way: &Way<'_>, edge: &Edge) -> bool {
    way.iter().all(|(_, other)| {
        other.when.thread != edge.when.thread && !other.held.iter().any(|held| edge.held.contains(held))
    })
}
