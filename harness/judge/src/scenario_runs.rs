//! The scenario runs of a launch, as the trace tells of them.

use jvmti_wire::trace::Record;
use jvmti_wire::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::case_trace::STORY;

/// What came of the scenario runs so far. `None` stands for what is outside all of them.
#[derive(Default)]
pub(super) struct ScenarioRuns {
    under_way: Option<u32>,
    ended: FxHashSet<u32>,
    thrown: FxHashMap<Option<u32>, Value>,
    records: FxHashMap<Option<u32>, Vec<Record>>,
}

impl ScenarioRuns {
    pub(super) fn begin(&mut self, run: u32) {
        self.under_way = Some(run);
    }

    pub(super) fn end(&mut self, run: u32) {
        self.ended.insert(run);
        self.under_way = None;
    }

    /// The scenario run that has begun and not ended.
    pub(super) fn under_way(&self) -> Option<u32> {
        self.under_way
    }

    pub(super) fn has_ended(&self, run: u32) -> bool {
        self.ended.contains(&run)
    }

    /// The scenario of the run under way threw that.
    pub(super) fn throw(&mut self, thrown: Value) {
        self.thrown.insert(self.under_way, thrown);
    }

    /// What the scenario threw, if it did.
    pub(super) fn thrown_in(&self, run: Option<u32>) -> Option<&Value> {
        self.thrown.get(&run)
    }

    /// Keeps a record for the stories of all cases of the run under way, as long as they have room.
    pub(super) fn keep(&mut self, record: Record) {
        let records = self.records.entry(self.under_way).or_default();
        if records.len() < STORY {
            records.push(record);
        }
    }

    /// The records that all cases of the run share in their stories.
    pub(super) fn records(&self, run: Option<u32>) -> &[Record] {
        self.records.get(&run).map_or(&[], Vec::as_slice)
    }
}
