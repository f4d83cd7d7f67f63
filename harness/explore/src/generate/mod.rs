//! Generates sequences: each with a few functions, threads and values that it comes back to, so that calls meet what earlier
//! ones have left.

mod arguments;
mod callbacks;
mod crowd;
mod elsewhere;
pub mod hazards;
mod heap;
pub mod redefinition;
mod themes;

use jvmti_spec::edition::{Function, Phase};
use jvmti_wire::plan::OnThread;

use crate::cast;
use crate::chance::Chance;
use crate::coverage::Reached;
use crate::model::{Model, Tables};
use crate::sequence::{Call, Capabilities, EventHandler, Moment, Move, Sequence};

pub use arguments::Pools;

/// The capabilities that a JVM offers to sequences.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offered {
    /// Those that environments can possess whenever they are made.
    pub all: Capabilities,
    /// Those that only one environment can possess at a time.
    pub exclusive: Capabilities,
    /// Those of the latter that can be added in the OnLoad phase only.
    pub early: Capabilities,
}

/// What sequences are made of.
#[derive(Debug)]
pub struct Generator<'t> {
    tables: &'t Tables,
    /// Slots of the functions, each as often as it is to be chosen.
    functions: Vec<u16>,
    /// Slots of all functions that are called in some phase.
    all: Vec<u16>,
    /// Slots of the functions by which frames are left and their ends told.
    forcing: Vec<u16>,
    offered: Offered,
    /// Whether calls are made whose effect the text leaves undefined.
    undefined: bool,
    seed: u64,
    /// Whether all functions may be called.
    is_free: bool,
    /// One in so many sequences is of several threads that act at the same time.
    crowds: usize,
}

/// One in so many sequences is of several threads that act at the same time, if nothing else is asked for.
const CROWDS: usize = 40;

/// The most steps of a sequence.
const LONGEST: usize = 44;
/// One in so many sequences calls a function that has been called least often.
const SELDOM: usize = 8;
/// Functions with an effect on states that others ask for.
const STATEFUL: [&str; 12] = [
    "Suspend",
    "Resume",
    "SetTag",
    "RawMonitor",
    "Breakpoint",
    "Watch",
    "Storage",
    "Notification",
    "Pop",
    "Force",
    "Local",
    "Stop",
];
/// Functions that take long, or whose answers are long.
const SLOW: [&str; 14] = [
    "ForceGarbageCollection",
    "IterateOverHeap",
    "IterateOverReachableObjects",
    "IterateOverInstancesOfClass",
    "IterateOverObjectsReachableFromObject",
    "FollowReferences",
    "IterateThroughHeap",
    "GetLoadedClasses",
    "GetClassLoaderClasses",
    "GetAllStackTraces",
    "GetAllModules",
    "GenerateEvents",
    "GetSystemProperties",
    "GetObjectsWithTags",
];
/// Functions that sequences do not call: they end what the probe needs, or change a JVM for good.
const LEFT_OUT: [&str; 7] = [
    "SetJNIFunctionTable",
    "SetEventCallbacks",
    "AddToBootstrapClassLoaderSearch",
    "AddToSystemClassLoaderSearch",
    "SetNativeMethodPrefix",
    "SetNativeMethodPrefixes",
    "SetExtensionEventCallback",
];
/// Functions that sequences call at the checkpoint only, and some of them rarely.
const AT_CHECKPOINT: [(&str, usize); 4] =
    [("DisposeEnvironment", 3), ("RedefineClasses", 5), ("RetransformClasses", 5), ("RunAgentThread", 8)];

/// How often a function is to be chosen that is called at the checkpoint only.
fn own_weight(name: &str) -> Option<usize> {
    AT_CHECKPOINT.iter().find(|(of, _)| *of == name).map(|(_, weight)| *weight)
}

/// An action of the scenario; only few take long.
pub(crate) fn action(chance: &mut Chance) -> &'static str {
    let all: &[&'static str] = &cast::ACTIONS;
    let quick = &all[..all.len() - cast::SLOW_ACTIONS];
    let some = if chance.one_in(64) { all } else { quick };
    some[chance.below(some.len())]
}

impl<'t> Generator<'t> {
    /// A generator of sequences on a JVM that offers these capabilities; `only`: of calls of these functions.
    pub fn new(
        tables: &'t Tables,
        offered: Offered,
        only: &[String],
        undefined: bool,
        seed: u64,
    ) -> Generator<'t> {
        let mut functions = Vec::new();
        let wanted = |function: &&Function| {
            let name = &function.name;
            only.is_empty() && function.phases.contains(&Phase::Live) || only.contains(name)
        };
        for function in tables.edition.functions.iter().filter(wanted) {
            let has = |names: &[&str]| names.iter().any(|name| function.name.contains(name));
            let times = match () {
                () if LEFT_OUT.contains(&function.name.as_str()) => 0,
                () if only.contains(&function.name) => 8,
                () if own_weight(&function.name).is_some() => own_weight(&function.name).unwrap_or(0),
                () if has(&SLOW) => 1,
                () if has(&STATEFUL) => 24,
                () => 8,
            };
            functions.extend(std::iter::repeat_n(function.slot, times));
        }
        let chosen = |function: &&Function| only.is_empty() || only.contains(&function.name);
        let all = tables.edition.functions.iter().filter(chosen).map(|function| function.slot).collect();
        let is_forcing = |function: &&Function| {
            functions.contains(&function.slot)
                && (function.name.contains("Pop") || function.name.starts_with("Force"))
                && function.name != "ForceGarbageCollection"
        };
        let forcing: Vec<u16> =
            tables.edition.functions.iter().filter(is_forcing).map(|function| function.slot).collect();
        let forcing = if forcing.is_empty() { functions.clone() } else { forcing };
        Generator {
            tables,
            functions,
            all,
            forcing,
            offered,
            undefined,
            seed,
            is_free: only.is_empty(),
            crowds: CROWDS,
        }
    }

    /// The same, of sequences of several threads that act at the same time only.
    pub fn together(self) -> Generator<'t> {
        Generator { crowds: 1, ..self }
    }

    /// The sequence of that number at a moment. `coverage` says what is new.
    pub fn sequence(&self, number: u64, moment: Moment, coverage: &Reached) -> Sequence {
        if moment != Moment::Checkpoint {
            return self.elsewhere(number, moment);
        }
        let mut chance = Chance::new(self.seed, number);
        if self.is_free
            && chance.one_in(self.crowds)
            && let Some(crowd) = self.crowd(&mut chance)
        {
            return crowd;
        }
        let environments = self.environments(&mut chance);
        let mut sequence = Sequence { moment, environments, ..Sequence::default() };
        if self.functions.is_empty() {
            return sequence;
        }
        let focus: Vec<u16> =
            (0..1 + chance.below(6)).map(|_| coverage.rarest(&mut chance, &self.functions)).collect();
        let pools = Pools::new(self.tables, moment, &mut chance, self.undefined);
        let mut model = Model::new(self.tables, &sequence);
        let length = 2 + chance.below(LONGEST - 1);
        let mut saved = 0;
        if self.is_free {
            let (opening, handler) = self.opening(&mut chance, &pools, &mut model, &mut saved);
            model.handlers.extend(handler.clone());
            sequence.handlers.extend(handler);
            self.append(&mut sequence, &mut model, opening);
            if chance.one_in(SELDOM)
                && let Some(slot) = coverage.least_called(&mut chance, &self.functions)
            {
                // With fine arguments, and with some that are wrong.
                for odd in [None, Some(2)] {
                    let pools = pools.with_odd(odd);
                    let call = self.call(slot, &mut chance, &pools, &model, &mut saved);
                    self.append(&mut sequence, &mut model, call.into_iter().collect());
                }
            }
        }
        let length = length + sequence.steps.len();
        while sequence.steps.len() < length {
            let steps = match chance.below(12) {
                0 => vec![Move::Java(action(&mut chance))],
                1..=3 => self.calls(*chance.pick(&self.functions), &mut chance, &pools, &model, &mut saved),
                _ => self.calls(*chance.pick(&focus), &mut chance, &pools, &model, &mut saved),
            };
            // Whatever has been chosen cannot be done here.
            if self.append(&mut sequence, &mut model, steps) == 0 && chance.one_in(64) {
                break;
            }
        }
        sequence
    }

    /// Appends those of the steps that a sequence may take; how many that are.
    fn append(&self, sequence: &mut Sequence, model: &mut Model<'_>, steps: Vec<Move>) -> usize {
        let before = sequence.steps.len();
        for step in steps {
            if hazards::is_safe(model, &step, self.undefined) {
                model.foresee(&step);
                sequence.steps.push(step);
            }
        }
        sequence.steps.len() - before
    }

    /// The first steps of a sequence, and what is done in callbacks.
    fn opening(
        &self,
        chance: &mut Chance,
        pools: &Pools<'_>,
        model: &mut Model<'_>,
        saved: &mut u32,
    ) -> (Vec<Move>, Option<EventHandler>) {
        match chance.below(8) {
            0 | 1 => {
                // One that is disposed of in the callback is not used otherwise.
                let environment = chance.below(model.state.environments.len()) as u8;
                match self.handler(environment, chance, pools, model) {
                    Some((event, handler)) => {
                        let alone = chance.one_in(2) || hazards::is_dense(event);
                        let about = themes::Handled {
                            event,
                            environment,
                            on_main: handler.is_on_main() && alone,
                            once: self.disposes(&handler.moves),
                        };
                        (themes::about_handled(&about, self.tables, chance), Some(handler))
                    }
                    None => (vec![], None),
                }
            }
            3 if chance.one_in(3) => match self.walk(chance) {
                Some((steps, handler)) => (steps, Some(handler)),
                None => (vec![], None),
            },
            2 if chance.one_in(4) => match redefinition::retransform(self.tables, chance, saved) {
                Some((steps, handler)) => (steps, Some(handler)),
                None => (vec![], None),
            },
            _ => (themes::opening(self.tables, chance), None),
        }
    }

    /// Whether some call disposes of its environment.
    fn disposes(&self, moves: &[Move]) -> bool {
        moves.iter().any(|step| self.is_disposal(step))
    }

    fn is_disposal(&self, step: &Move) -> bool {
        let Move::Call(call) = step else { return false };
        self.tables.function(call.function).is_some_and(|function| function.name == "DisposeEnvironment")
    }

    /// A call, and what has to be done before it.
    fn calls(
        &self,
        slot: u16,
        chance: &mut Chance,
        pools: &Pools<'_>,
        model: &Model<'_>,
        saved: &mut u32,
    ) -> Vec<Move> {
        let is_redefinition =
            self.tables.function(slot).is_some_and(|function| function.name == "RedefineClasses");
        if is_redefinition && !chance.one_in(8) {
            return match self.environment(false, chance, model) {
                Some(environment) => redefinition::redefine(self.tables, environment, chance, saved),
                None => vec![],
            };
        }
        // A sequence that comes back to one would take as long as a hundred others.
        if self.is_free && self.is_slow(slot) && !chance.one_in(4) {
            return vec![];
        }
        self.call(slot, chance, pools, model, saved).into_iter().collect()
    }

    fn is_slow(&self, slot: u16) -> bool {
        self.tables
            .function(slot)
            .is_some_and(|function| SLOW.iter().any(|name| function.name.contains(name)))
    }

    /// An environment that is not disposed of, and not the first one if it is to be.
    fn environment(&self, to_dispose: bool, chance: &mut Chance, model: &Model<'_>) -> Option<u8> {
        let environments = model.state.environments.iter().enumerate().skip(usize::from(to_dispose));
        let left: Vec<usize> =
            environments.filter(|(_, environment)| !environment.disposed).map(|(index, _)| index).collect();
        left.get(chance.below(left.len())).map(|index| *index as u8)
    }

    fn environments(&self, chance: &mut Chance) -> Vec<Capabilities> {
        let first = match chance.below(8) {
            0 => u128::from(chance.bits()) & self.offered.all,
            _ => self.offered.all,
        };
        let mut environments = vec![first];
        if chance.one_in(5) {
            environments.push(self.offered.all & !self.offered.exclusive);
            if chance.one_in(4) {
                environments.push(self.offered.all & !self.offered.exclusive);
            }
        }
        environments
    }

    fn call(
        &self,
        slot: u16,
        chance: &mut Chance,
        pools: &Pools<'_>,
        model: &Model<'_>,
        saved: &mut u32,
    ) -> Option<Move> {
        let function = self.tables.function(slot)?;
        let environment = self.environment(function.name == "DisposeEnvironment", chance, model)?;
        // Early and late, threads cannot be attached.
        let attaches = model.state.moment == Moment::Checkpoint && chance.one_in(24);
        let on = if attaches { OnThread::Attached } else { OnThread::Current };
        let args = pools.arguments(function, chance, model)?;
        let save = matches!(function.name.as_str(), "CreateRawMonitor" | "Allocate").then(|| {
            *saved += 1;
            format!("m{saved}")
        });
        Some(Move::Call(Call { environment, function: slot, args, on, save }))
    }

    /// Counts what the model foresees of a sequence.
    pub fn count(&self, sequence: &Sequence, foreseen: &mut Reached) {
        let mut model = Model::new(self.tables, sequence);
        for step in &sequence.steps {
            if let Move::Call(call) = step {
                let code = model.allowed(call).due.first().map_or(0, |row| row.error);
                foreseen.count((call.function, code, model.digest(call)));
            }
            model.foresee(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Release;

    use super::*;

    fn generated(tables: &Tables, seed: u64, only: &[&str]) -> Vec<Sequence> {
        let only: Vec<String> = only.iter().map(|name| (*name).to_owned()).collect();
        let offered = Offered { all: u128::MAX >> 80, ..Offered::default() };
        let generator = Generator::new(tables, offered, &only, false, seed);
        let mut foreseen = Reached::default();
        (0..50)
            .map(|number| {
                let moment = Moment::ALL[number as usize % Moment::ALL.len()];
                let sequence = generator.sequence(number, moment, &foreseen);
                generator.count(&sequence, &mut foreseen);
                sequence
            })
            .collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_sequences() {
        let tables = Tables::new(Release(25));
        assert_eq!(generated(&tables, 7, &[]), generated(&tables, 7, &[]));
        assert_ne!(generated(&tables, 7, &[]), generated(&tables, 8, &[]));
    }

    #[test]
    fn only_the_chosen_functions_are_called() {
        let tables = Tables::new(Release(17));
        let slot = tables.edition.function("GetTag").unwrap().slot;
        let sequences = generated(&tables, 1, &["GetTag"]);
        let mut calls = sequences.iter().flat_map(Sequence::calls).peekable();
        assert!(calls.peek().is_some());
        assert!(calls.all(|(_, call)| call.function == slot));
    }
}
