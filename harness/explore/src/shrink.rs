//! Looks for the shortest sequence that still shows a finding, on the real JVM, many candidates in one launch.

use jvmti_runner::launch::Stop;
use jvmti_wire::plan::{Arg, OnThread};

use crate::cast;
use crate::finding::{self, Finding, Key, Kind};
use crate::launches::{ExploredJvm, Trouble, tidied};
use crate::model::Tables;
use crate::sequence::{Capabilities, Move, Place, Sequence};

/// Rounds after which a sequence is taken as it is.
const ROUNDS: usize = 24;
/// How often a sequence of several threads runs in one JVM.
pub const COPIES: usize = 40;
/// How often a sequence runs by itself to tell its rate.
pub const RUNS: u32 = 3;

/// Whether the time for shrinking is over.
pub type IsOver<'o> = &'o dyn Fn() -> bool;

/// Tells what candidates show.
pub trait Judge {
    /// The specification.
    fn tables(&self) -> &Tables;

    /// The first of the sequences that shows the finding, all of which run in one JVM if that does not end.
    fn first_that_shows(&self, sequences: &[Sequence], key: &Key) -> Result<Shown, Trouble>;
}

/// The sequence that shows a finding, what sort it is, and the step that shows it.
pub type Shown = Option<(Sequence, Kind, Place)>;

/// Lets a JVM tell.
#[derive(Clone, Copy)]
pub struct OnJvm<'t> {
    /// The JVM.
    pub target: &'t ExploredJvm<'t>,
    /// Whether the user wants no more.
    pub stop: &'t Stop,
}

impl Judge for OnJvm<'_> {
    fn tables(&self) -> &Tables {
        self.target.tables
    }

    fn first_that_shows(&self, sequences: &[Sequence], key: &Key) -> Result<Shown, Trouble> {
        if sequences.last().is_some_and(Sequence::is_crowd) {
            return self.first_crowd_that_shows(sequences, key);
        }
        let references: Vec<&Sequence> = sequences.iter().collect();
        let batch = self.target.run(&references, self.stop)?;
        for (sequence, outcome) in sequences.iter().zip(&batch.outcomes) {
            let executed = tidied(self.target.tables, sequence);
            let same = finding::of(self.target.tables, &executed, outcome)
                .into_iter()
                .find(|(found, ..)| found == key);
            if let Some((_, kind, place)) = same {
                return Ok(Some((sequence.clone(), kind, place)));
            }
        }
        Ok(None)
    }
}

impl OnJvm<'_> {
    /// What several threads do at the same time shows now and then only: each sequence runs many times in one JVM.
    fn first_crowd_that_shows(&self, sequences: &[Sequence], key: &Key) -> Result<Shown, Trouble> {
        for sequence in sequences {
            let copies = vec![sequence.clone(); COPIES];
            let executed = tidied(self.target.tables, sequence);
            for outcome in self.target.run_once(&copies, self.stop)?.outcomes {
                let found = finding::of(self.target.tables, &executed, &outcome);
                if let Some((_, kind, place)) = found.into_iter().find(|(found, ..)| found == key) {
                    return Ok(Some((sequence.clone(), kind, place)));
                }
            }
        }
        Ok(None)
    }
}

/// The shortest sequence that was found to show what the finding shows, with its rate.
pub fn shrink(judge: &impl Judge, mut finding: Finding, is_over: IsOver<'_>) -> Result<Finding, Trouble> {
    let mut rounds = 0;
    while rounds < ROUNDS && !is_over() {
        rounds += 1;
        let smaller = candidates(judge.tables(), &finding);
        let at_once = match finding.kind {
            // They possess what only one environment can possess.
            _ if finding.sequence.early => 1,
            Kind::Breach(_) => 48,
            // What crashes takes a JVM each time: fewer at once, the boldest first.
            _ => 4,
        };
        let mut better = None;
        for some in smaller.chunks(at_once) {
            if is_over() {
                break;
            }
            better = judge.first_that_shows(some, &finding.key)?;
            if better.is_some() {
                break;
            }
        }
        let Some((sequence, kind, place)) = better else { break };
        (finding.sequence, finding.kind, finding.place) = (sequence, kind, place);
    }
    finding.rate = rate(judge, &finding, RUNS)?;
    Ok(finding)
}

/// In how many of a few runs, each in a JVM of its own, the sequence shows the finding.
pub fn rate(judge: &impl Judge, finding: &Finding, runs: u32) -> Result<(u32, u32), Trouble> {
    let mut shown = 0;
    for _ in 0..runs {
        let one = std::slice::from_ref(&finding.sequence);
        shown += u32::from(judge.first_that_shows(one, &finding.key)?.is_some());
    }
    Ok((shown, runs))
}

/// A single sequence in whose trace the universal rule is broken; `None`: it takes several, or more time.
pub fn bisect(
    target: &ExploredJvm<'_>,
    sequences: &[&Sequence],
    rule: &str,
    stop: &Stop,
    is_over: IsOver<'_>,
) -> Result<Option<Sequence>, Trouble> {
    let breaks = |some: &[&Sequence]| -> Result<bool, Trouble> {
        Ok(target.run(some, stop)?.broken.iter().any(|broken| broken.rule == rule))
    };
    let mut left = sequences.to_vec();
    while left.len() > 1 {
        let half = left.split_off(left.len() / 2);
        if is_over() || !breaks(&left)? {
            if is_over() || !breaks(&half)? {
                return Ok(None);
            }
            left = half;
        }
    }
    Ok(left.first().map(|sequence| (*sequence).clone()))
}

/// Smaller sequences, the smallest first.
fn candidates(tables: &Tables, finding: &Finding) -> Vec<Sequence> {
    let sequence = &finding.sequence;
    let mut all = Vec::new();
    // What comes after the step that shows it.
    let last = finding.place.step;
    let is_settled = !sequence.is_crowd();
    if is_settled && last + 1 < sequence.steps.len() {
        all.push(Sequence { steps: sequence.steps[..=last].to_vec(), ..sequence.clone() });
    }
    all.extend(with_less_in_callbacks(sequence));
    let mut size = sequence.steps.len() / 2;
    while size > 0 {
        for start in (0..sequence.steps.len()).step_by(size) {
            let mut steps = sequence.steps.clone();
            steps.drain(start..(start + size).min(sequence.steps.len()));
            if !steps.is_empty() {
                all.push(Sequence { steps, ..sequence.clone() });
            }
        }
        size /= 2;
    }
    let disposal = tables.edition.function("DisposeEnvironment").map(|function| function.slot);
    let disposes = sequence.all_calls().any(|call| Some(call.function) == disposal);
    if sequence.environments.len() > 1 && !disposes {
        let mut one = sequence.clone();
        one.environments.truncate(1);
        let inside = one.handlers.iter_mut().flat_map(|handler| &mut handler.moves);
        for step in one.steps.iter_mut().chain(inside) {
            if let Move::Call(call) = step {
                call.environment = 0;
            }
        }
        all.push(one);
    }
    let needed = needed(tables, sequence);
    for set in [0, needed] {
        if sequence.environments.iter().any(|has| has & set != *has) {
            let environments = sequence.environments.iter().map(|has| has & set).collect();
            all.push(Sequence { environments, ..sequence.clone() });
        }
    }
    all.extend(with_fewer_capabilities(sequence));
    all.extend(with_simpler_arguments(sequence));
    all.retain(|smaller| !sequence.is_crowd() || keeps_order(tables, sequence, smaller));
    all
}

/// Whether the threads still begin together, and are waited for.
fn keeps_order(tables: &Tables, sequence: &Sequence, smaller: &Sequence) -> bool {
    let orders = |step: &&Move| match step {
        Move::Call(call) => {
            tables.function(call.function).is_some_and(|function| function.name.contains("RawMonitor"))
        }
        Move::Java(action) => *action == cast::GATHER,
        _ => false,
    };
    let of = |steps: &[Move]| steps.iter().filter(orders).count();
    let start = sequence.handlers.first().map_or(0, |handler| of(&handler.moves));
    of(&smaller.steps) == of(&sequence.steps) && smaller.handlers.iter().all(|h| of(&h.moves) == start)
}

/// The capabilities that the functions and the events of the sequence require.
fn needed(tables: &Tables, sequence: &Sequence) -> Capabilities {
    let functions = sequence.all_calls().filter_map(|call| tables.function(call.function));
    let of_functions = functions.flat_map(|function| &function.capabilities.required);
    let events = sequence.all_calls().filter_map(|call| match (call.args.get(1)?, call.args.len()) {
        (Arg::Int(number), 3) => tables.edition.event_by_number(u16::try_from(*number).ok()?),
        _ => None,
    });
    let names = of_functions.chain(events.flat_map(|event| &event.capabilities.required));
    names.filter_map(|name| tables.edition.capability(name)).fold(0, |set, c| set | 1 << c.bit)
}

/// Without a handler, with handlers that act once, and with fewer calls in callbacks.
fn with_less_in_callbacks(sequence: &Sequence) -> Vec<Sequence> {
    let mut all = Vec::new();
    for index in 0..sequence.handlers.len() {
        let mut without = sequence.clone();
        without.handlers.remove(index);
        all.push(without);
    }
    for (index, handler) in sequence.handlers.iter().enumerate() {
        if handler.times > 1 {
            let mut once = sequence.clone();
            once.handlers[index].times = 1;
            all.push(once);
        }
        let mut size = handler.moves.len() / 2;
        while size > 0 {
            for start in (0..handler.moves.len()).step_by(size) {
                let mut without = sequence.clone();
                without.handlers[index].moves.drain(start..(start + size).min(handler.moves.len()));
                if !without.handlers[index].moves.is_empty() {
                    all.push(without);
                }
            }
            size /= 2;
        }
    }
    all
}

fn with_fewer_capabilities(sequence: &Sequence) -> Vec<Sequence> {
    let mut all = Vec::new();
    for (index, set) in sequence.environments.iter().enumerate() {
        if set.count_ones() > 12 {
            continue;
        }
        for bit in crate::sequence::bits(*set) {
            let mut fewer = sequence.clone();
            fewer.environments[index] &= !(1 << bit);
            all.push(fewer);
        }
    }
    all
}

fn with_simpler_arguments(sequence: &Sequence) -> Vec<Sequence> {
    let mut all = Vec::new();
    for (place, step) in sequence.steps.iter().enumerate() {
        let Move::Call(call) = step else { continue };
        if call.on != OnThread::Current {
            let mut here = call.clone();
            here.on = OnThread::Current;
            all.push(with_step(sequence, place, here));
        }
        for (index, arg) in call.args.iter().enumerate() {
            for simpler in simpler(arg) {
                let mut changed = call.clone();
                changed.args[index] = simpler;
                all.push(with_step(sequence, place, changed));
            }
        }
    }
    all
}

fn with_step(sequence: &Sequence, place: usize, call: crate::sequence::Call) -> Sequence {
    let mut changed = sequence.clone();
    changed.steps[place] = Move::Call(call);
    changed
}

/// Simpler arguments than this, the simplest first.
fn simpler(arg: &Arg) -> Vec<Arg> {
    match arg {
        Arg::Int(0) => vec![],
        Arg::Int(1) => vec![Arg::Int(0)],
        Arg::Int(number) => {
            let closer =
                [0, 1, -1].into_iter().filter(|simple| simple != number && (*number < 0 || *simple >= 0));
            closer.map(Arg::Int).collect()
        }
        _ => vec![],
    }
}

#[cfg(test)]
mod tests;
