//! What has ended a JVM: sequences are cut before it for the rest of an exploration.

use std::collections::{BTreeMap, BTreeSet};

use jvmti_wire::plan::{Arg, Invalid, OnThread};

use crate::cast::{self, Part};
use crate::finding::step_name;
use crate::follow::Culprit;
use crate::known::Ending;
use crate::model::Tables;
use crate::sequence::{Call, EventHandler, Moment, Move, Sequence};

/// Crashes and hangs of a function or an action after which it is avoided altogether.
const ENOUGH: u64 = 5;

/// What matters of an argument to whether a call ends a JVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feature {
    /// Whatever it is.
    Any,
    /// Null.
    Null,
    /// A wrong reference or id.
    Wrong(Invalid),
    /// A number: below 0, 0, small or large.
    Number(i8),
    /// The thread that makes the call.
    Current,
    /// The main thread.
    Main,
    /// A thread of the cast, virtual or not; its part, if it is not alive.
    Thread(bool, Option<Part>),
    /// A thread, virtual or not, that is busy unless it was not started yet, or has ended.
    Busy(bool),
    /// A class, by kind.
    Class(cast::ClassKind),
    /// Anything else.
    Other,
}

impl Feature {
    fn of(tables: &Tables, arg: &Arg) -> Feature {
        /// Depths, slots and counts that may exist.
        const SMALL: i64 = 1 << 16;
        match arg {
            Arg::Null => Feature::Null,
            Arg::Invalid(invalid) => Feature::Wrong(*invalid),
            Arg::Int(number) if *number > 0 => Feature::Number(if *number < SMALL { 1 } else { 2 }),
            Arg::Int(number) => Feature::Number(if *number < 0 { -1 } else { 0 }),
            Arg::CurrentThread => Feature::Current,
            Arg::Named(name) if name == "main" => Feature::Main,
            Arg::Named(name) if cast::STIRRED.contains(&name.as_str()) => {
                Feature::Busy(name.starts_with("virtual_"))
            }
            Arg::Named(name) => match tables.roles.iter().find(|role| role.name == *name) {
                Some(role) => {
                    let is_dead = matches!(role.part, Part::Fresh | Part::Ended);
                    Feature::Thread(role.is_virtual, is_dead.then_some(role.part))
                }
                None => cast::class_of(arg).map_or(Feature::Other, |class| Feature::Class(class.kind)),
            },
            Arg::Class(_) => cast::class_of(arg).map_or(Feature::Other, |class| Feature::Class(class.kind)),
            _ => Feature::Other,
        }
    }

    fn covers(self, other: Feature) -> bool {
        match (self, other) {
            (Feature::Any, _) => true,
            (Feature::Thread(mine, _), Feature::Busy(theirs)) => mine == theirs,
            (mine, theirs) => mine == theirs,
        }
    }

    /// What covers both.
    fn joined(self, other: Feature) -> Feature {
        match (self, other) {
            (mine, theirs) if mine.covers(theirs) => mine,
            _ => Feature::Any,
        }
    }

    /// For people; `None`: nothing to say.
    fn shown(self) -> Option<String> {
        Some(match self {
            Feature::Any | Feature::Other => return None,
            Feature::Null => "null".to_owned(),
            Feature::Wrong(invalid) => format!("invalid({})", jvmti_cases::invalid_name(invalid)),
            Feature::Number(-1) => "below 0".to_owned(),
            Feature::Number(0) => "0".to_owned(),
            Feature::Number(1) => "small".to_owned(),
            Feature::Number(_) => "large".to_owned(),
            Feature::Current => "the current thread".to_owned(),
            Feature::Main => "the main thread".to_owned(),
            Feature::Thread(is_virtual, part) => {
                let kind = if is_virtual { "virtual" } else { "platform" };
                part.map_or_else(
                    || format!("a {kind} thread that is alive"),
                    |part| format!("a {kind} thread that is {part}"),
                )
            }
            Feature::Busy(true) => "a virtual thread that is busy".to_owned(),
            Feature::Busy(false) => "a platform thread that is busy".to_owned(),
            Feature::Class(kind) => format!("{kind:?} class").to_lowercase(),
        })
    }
}

/// Arguments of a function that have ended a JVM, as far as they matter.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Trap {
    moment: Moment,
    /// Whether in the callback of an event.
    inside: bool,
    function: u16,
    attached: bool,
    features: Vec<Feature>,
}

impl Trap {
    fn of(tables: &Tables, (moment, inside): When, call: &Call) -> Trap {
        let features = call.args.iter().map(|arg| Feature::of(tables, arg)).collect();
        let attached = call.on != OnThread::Current;
        Trap { moment, inside, function: call.function, attached, features }
    }

    fn is_about_same(&self, other: &Trap) -> bool {
        self.function == other.function
            && self.moment == other.moment
            && self.inside == other.inside
            && self.attached == other.attached
            && self.features.len() == other.features.len()
    }

    fn covers(&self, other: &Trap) -> bool {
        let mut pairs = self.features.iter().zip(&other.features);
        self.is_about_same(other) && pairs.all(|(mine, theirs)| mine.covers(*theirs))
    }

    /// What covers both, if they differ in one argument only.
    fn joined(&self, other: &Trap) -> Option<Trap> {
        let pairs = || self.features.iter().zip(&other.features);
        let differ = pairs().filter(|(mine, theirs)| !mine.covers(**theirs)).count();
        let join = || pairs().map(|(mine, theirs)| mine.joined(*theirs)).collect();
        (self.is_about_same(other) && differ <= 1).then(|| Trap { features: join(), ..self.clone() })
    }

    fn shown(&self, tables: &Tables) -> String {
        let Some(function) = tables.function(self.function) else { return self.function.to_string() };
        let shown = |(param, feature): (&jvmti_spec::edition::Param, &Feature)| {
            feature.shown().map(|text| format!("{}: {text}", param.name))
        };
        let parts: Vec<String> = function.params.iter().zip(&self.features).filter_map(shown).collect();
        let elsewhere = if self.attached { " on an attached thread" } else { "" };
        let inside = if self.inside { " in a callback" } else { "" };
        format!("{}({}){elsewhere}{inside}{}", function.name, parts.join(", "), self.moment.shown())
    }
}

/// All that has ended a JVM.
#[derive(Clone, Debug, Default)]
pub struct Traps {
    traps: Vec<Trap>,
    /// How often each function or action, by name, was the last.
    ends: BTreeMap<String, u64>,
    /// Functions that handlers have called for an event, where it is not known what has ended the JVM.
    handled: BTreeSet<(u16, u16)>,
}

/// The moment, and whether it is in the callback of an event.
type When = (Moment, bool);

impl Traps {
    /// Learns from a call that is known to end the JVM, wherever it is made.
    pub fn add(&mut self, tables: &Tables, ending: &Ending) {
        for inside in [false, true].into_iter().filter(|inside| *inside || !ending.only_inside) {
            self.insert(Trap::of(tables, (ending.moment, inside), &ending.call));
        }
    }

    fn insert(&mut self, new: Trap) {
        if self.traps.iter().any(|trap| trap.covers(&new)) {
            return;
        }
        for trap in &mut self.traps {
            if let Some(joined) = trap.joined(&new) {
                *trap = joined;
                return;
            }
        }
        self.traps.push(new);
    }

    /// Learns from a JVM that has ended during a sequence.
    pub fn learn(&mut self, tables: &Tables, sequence: &Sequence, culprit: &Culprit) {
        // Of several threads, nobody knows whose call it was.
        if sequence.is_crowd() {
            return;
        }
        *self.ends.entry(step_name(tables, sequence, culprit.place)).or_default() += 1;
        let when = (sequence.moment, culprit.place.inside.is_some());
        if let Some(Move::Call(call)) = sequence.at(culprit.place) {
            self.insert(Trap::of(tables, when, call));
            return;
        }
        // It is not known which of the calls in callbacks has led to it.
        let calls = |handler: &EventHandler| {
            let function = |step: &Move| match step {
                Move::Call(call) => Some(call.function),
                _ => None,
            };
            handler.moves.iter().filter_map(function).map(|slot| (handler.event, slot)).collect::<Vec<_>>()
        };
        self.handled.extend(sequence.handlers.iter().flat_map(calls));
    }

    /// Whether a step is avoided.
    fn avoid(&self, tables: &Tables, when: When, step: &Move) -> bool {
        let too_often = |name: &str| self.ends.get(name).is_some_and(|times| *times >= ENOUGH);
        match step {
            Move::Java(cast::GATHER) => false,
            Move::Java(action) => too_often(&format!("Java {action}")),
            Move::Edit { .. } | Move::Reply(_) => false,
            Move::Call(call) => {
                let Some(function) = tables.function(call.function) else { return true };
                if !self.ends.is_empty() && too_often(&function.name) {
                    return true;
                }
                let mut same = self.traps.iter().filter(|trap| trap.function == call.function).peekable();
                same.peek().is_some() && {
                    let this = Trap::of(tables, when, call);
                    same.any(|trap| trap.covers(&this))
                }
            }
        }
    }

    /// Cuts a sequence before the first step that is avoided.
    pub fn cut(&self, tables: &Tables, sequence: &mut Sequence) {
        if self.traps.is_empty() && self.ends.is_empty() {
            return;
        }
        let moment = sequence.moment;
        if sequence.is_crowd() {
            // The threads have to be waited for nevertheless.
            sequence.steps.retain(|step| !self.avoid(tables, (moment, false), step));
            for handler in &mut sequence.handlers {
                handler.moves.retain(|step| !self.avoid(tables, (moment, true), step));
            }
            return;
        }
        if let Some(place) = sequence.steps.iter().position(|step| self.avoid(tables, (moment, false), step))
        {
            sequence.steps.truncate(place);
        }
        for handler in &mut sequence.handlers {
            let event = handler.event;
            let ends = |step: &Move| match step {
                Move::Call(call) if self.handled.contains(&(event, call.function)) => true,
                step => self.avoid(tables, (moment, true), step),
            };
            if let Some(place) = handler.moves.iter().position(ends) {
                handler.moves.truncate(place);
            }
        }
        sequence.handlers.retain(|handler| !handler.moves.is_empty());
    }

    /// Cuts each of these sequences.
    pub fn cut_all(&self, tables: &Tables, sequences: &mut [Sequence]) {
        sequences.iter_mut().for_each(|sequence| self.cut(tables, sequence));
    }

    /// What is avoided, for people.
    pub fn shown(&self, tables: &Tables) -> Vec<String> {
        let often = self.ends.iter().filter(|(_, times)| **times >= ENOUGH).map(|(name, _)| name);
        let mut all: Vec<String> = often.map(|name| format!("{name} altogether")).collect();
        let is_told = |trap: &&Trap| {
            let name = tables.function(trap.function).map(|function| &function.name);
            name.is_none_or(|name| self.ends.get(name).is_none_or(|times| *times < ENOUGH))
        };
        all.extend(self.traps.iter().filter(is_told).map(|trap| trap.shown(tables)));
        all.extend(self.handled.iter().filter_map(|(event, slot)| {
            let event = tables.edition.event_by_number(*event)?;
            Some(format!("{} in callbacks for {}", tables.function(*slot)?.name, event.name))
        }));
        all
    }
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Release;

    use super::*;

    fn suspend(tables: &Tables, thread: &str) -> Move {
        let function = tables.edition.function("SuspendThread").unwrap().slot;
        let args = vec![Arg::Named(thread.to_owned())];
        Move::Call(Call { environment: 0, function, args, on: OnThread::Current, save: None })
    }

    fn ended(traps: &mut Traps, tables: &Tables, step: &Move) {
        let sequence = Sequence { steps: vec![step.clone()], ..Sequence::default() };
        let culprit = Culprit { place: 0.into(), hung: false, how: String::new(), permitted: false };
        traps.learn(tables, &sequence, &culprit);
    }

    fn left(traps: &Traps, tables: &Tables, steps: &[Move]) -> usize {
        let mut sequence = Sequence { steps: steps.to_vec(), ..Sequence::default() };
        traps.cut(tables, &mut sequence);
        sequence.steps.len()
    }

    #[test]
    fn sequences_are_cut_before_what_has_ended_a_jvm() {
        let tables = Tables::new(Release(25));
        let steps = ["sleeping", "virtual_parked", "parked"].map(|thread| suspend(&tables, thread));
        let mut traps = Traps::default();
        assert_eq!(left(&traps, &tables, &steps), 3);
        ended(&mut traps, &tables, &steps[1]);
        assert_eq!(left(&traps, &tables, &steps), 1);
        assert_eq!(traps.shown(&tables), ["SuspendThread(thread: a virtual thread that is alive)"]);
    }

    #[test]
    fn a_thread_that_may_not_have_been_started_is_left_alone() {
        let tables = Tables::new(Release(25));
        let mut traps = Traps::default();
        ended(&mut traps, &tables, &suspend(&tables, "virtual_fresh"));
        assert_eq!(left(&traps, &tables, &[suspend(&tables, "virtual_parked")]), 1);
        assert_eq!(left(&traps, &tables, &[suspend(&tables, "virtual_stirred")]), 0);
        assert_eq!(left(&traps, &tables, &[suspend(&tables, "stirred")]), 1);
    }

    #[test]
    fn what_differs_does_not_matter_and_many_ends_stand_for_the_function() {
        let tables = Tables::new(Release(25));
        let mut traps = Traps::default();
        ended(&mut traps, &tables, &suspend(&tables, "virtual_parked"));
        assert_eq!(left(&traps, &tables, &[suspend(&tables, "virtual_waiting")]), 0);
        assert_eq!(left(&traps, &tables, &[suspend(&tables, "waiting")]), 1);
        ended(&mut traps, &tables, &suspend(&tables, "fresh"));
        assert_eq!(left(&traps, &tables, &[suspend(&tables, "waiting")]), 0);
        assert_eq!(traps.shown(&tables), ["SuspendThread()"]);
        (0..ENOUGH).for_each(|_| ended(&mut traps, &tables, &suspend(&tables, "virtual_parked")));
        assert_eq!(traps.shown(&tables), ["SuspendThread altogether"]);
    }
}
