//! Sequences at other moments than the checkpoint: before there are threads and objects, and after.

use jvmti_spec::edition::Function;

use super::{Generator, LEFT_OUT, Pools, hazards, own_weight, themes};
use crate::chance::Chance;
use crate::model::Model;
use crate::sequence::{Moment, Move, Sequence};

/// The most steps of a sequence.
const LONGEST: usize = 40;

/// Rounds of a long sequence, each with a few calls.
const ROUNDS: usize = 20;

/// Capabilities that change what phase an environment is in.
const EARLY: &str = "can_generate_early_vmstart";

impl Generator<'_> {
    /// The sequence of that number at a moment that is not the checkpoint.
    pub(super) fn elsewhere(&self, number: u64, moment: Moment) -> Sequence {
        let mut chance = Chance::new(self.seed, number);
        let early = self.tables.edition.capability(EARLY).map_or(0, |capability| 1 << capability.bit);
        let all = self.offered.all & !self.offered.exclusive & !early;
        let set = if chance.one_in(3) { 0 } else { all };
        let mut sequence = Sequence { moment, environments: vec![set], ..Sequence::default() };
        let functions: Vec<u16> =
            self.all.iter().copied().filter(|slot| self.is_fit(*slot, moment)).collect();
        if functions.is_empty() {
            return sequence;
        }
        let pools = Pools::new(self.tables, moment, &mut chance, self.undefined);
        let mut model = Model::new(self.tables, &sequence);
        let mut saved = 0;
        if moment == Moment::OnLoad && self.is_free && chance.one_in(2) {
            let opening = match chance.below(2) {
                0 => themes::about_events(self.tables, &mut chance),
                _ => themes::about_capabilities(self.tables, &mut chance),
            };
            for step in opening {
                model.foresee(&step);
                sequence.steps.push(step);
            }
        }
        for _ in 0..LONGEST {
            let slot = *chance.pick(&functions);
            let step = self.call(slot, &mut chance, &pools, &model, &mut saved);
            if let Some(step) = step.filter(|step| hazards::is_safe(&model, step, self.undefined)) {
                model.foresee(&step);
                sequence.steps.push(step);
            }
        }
        sequence
    }

    /// A long sequence at the checkpoint with the capabilities that only one environment can possess from `Agent_OnLoad` on;
    /// `None`: the JVM has none.
    pub fn early(&self, number: u64) -> Option<Sequence> {
        let mut chance = Chance::new(self.seed, number);
        let set = self.offered.early | self.offered.all & !self.offered.exclusive;
        let moment = Moment::Checkpoint;
        let mut sequence = Sequence { moment, early: true, environments: vec![set], ..Sequence::default() };
        let wants = |function: &&Function| {
            let bits =
                function.capabilities.required.iter().filter_map(|name| self.tables.edition.capability(name));
            self.all.contains(&function.slot)
                && bits.into_iter().any(|capability| self.offered.early >> capability.bit & 1 == 1)
        };
        let functions: Vec<u16> =
            self.tables.edition.functions.iter().filter(wants).map(|f| f.slot).collect();
        if functions.is_empty() {
            return None;
        }
        let mut model = Model::new(self.tables, &sequence);
        let mut saved = 0;
        if self.is_free && chance.one_in(2) {
            let pools = Pools::new(self.tables, moment, &mut chance, self.undefined);
            sequence.handlers = self.early_handlers(&mut chance, &pools, &mut model);
            model.handlers = sequence.handlers.clone();
        }
        for _ in 0..ROUNDS {
            let pools = Pools::new(self.tables, moment, &mut chance, self.undefined);
            let mut steps: Vec<Move> = match self.is_free {
                true => themes::about_early_event(self.tables, &mut chance),
                false => vec![],
            };
            for _ in 0..chance.below(8) {
                let some = if chance.one_in(3) { &self.functions } else { &functions };
                steps.extend(self.call(*chance.pick(some), &mut chance, &pools, &model, &mut saved));
            }
            for step in steps {
                if hazards::is_safe(&model, &step, self.undefined) {
                    model.foresee(&step);
                    sequence.steps.push(step);
                }
            }
        }
        Some(sequence)
    }

    /// What is left out at the checkpoint may be called where it has to be refused.
    fn is_fit(&self, slot: u16, moment: Moment) -> bool {
        let fits = |function: &Function| {
            let name = function.name.as_str();
            let is_left_out = LEFT_OUT.contains(&name) || own_weight(name).is_some();
            !is_left_out || !function.phases.contains(&moment.phase())
        };
        self.tables.function(slot).is_some_and(fits)
    }
}
