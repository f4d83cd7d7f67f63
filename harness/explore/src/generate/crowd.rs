//! Sequences in which threads of the agent make calls at the same time, about the same threads: some that stand still, and some that
//! call, throw, lock and wait. They begin together, when the main thread leaves a raw monitor.

use jvmti_wire::plan::{Arg, Callback, OnThread};

use super::themes::{call, called};
use super::{Generator, LEFT_OUT, Pools, hazards, redefinition};
use crate::cast;
use crate::chance::Chance;
use crate::model::{Model, Tables};
use crate::sequence::{Call, EventHandler, Moment, Move, START_FUNCTION, Sequence};

/// How often a function is chosen whose name contains the text; the first that fits counts.
const WEIGHTS: [(&str, usize); 34] = [
    // Who enters, makes or disposes of what the others use is laid down.
    ("RawMonitor", 0),
    ("Capabilities", 0),
    ("DisposeEnvironment", 0),
    ("RunAgentThread", 0),
    ("RedefineClasses", 0),
    ("llocate", 0),
    ("SuspendThread", 10),
    ("ResumeThread", 10),
    ("AllVirtualThreads", 4),
    ("PopFrame", 12),
    ("ForceEarlyReturn", 3),
    ("NotifyFramePop", 8),
    ("ClearAllFramePops", 4),
    ("StopThread", 4),
    ("InterruptThread", 4),
    ("GetStackTrace", 8),
    ("StackTraces", 3),
    ("GetFrame", 5),
    ("GetLocal", 2),
    ("SetLocal", 1),
    ("GetOwnedMonitor", 5),
    ("ContendedMonitor", 4),
    ("GetObjectMonitorUsage", 5),
    ("GetThreadState", 4),
    ("ThreadLocalStorage", 3),
    ("SetEventNotificationMode", 12),
    ("Breakpoint", 5),
    ("Watch", 4),
    ("RetransformClasses", 4),
    ("ForceGarbageCollection", 2),
    ("SetTag", 4),
    ("GetObjectsWithTags", 2),
    ("GetThreadInfo", 2),
    ("GetBytecodes", 2),
];
/// Events that busy threads bring about.
const EVENTS: [&str; 11] = [
    "SingleStep",
    "MethodEntry",
    "MethodExit",
    "FramePop",
    "Exception",
    "ExceptionCatch",
    "MonitorContendedEnter",
    "MonitorWait",
    "ClassFileLoadHook",
    "VirtualThreadUnmount",
    "VirtualThreadMount",
];
/// Actions that wait for no thread that may be suspended, and for no lock that one may hold.
const ACTIONS: [&str; 6] = ["collect", "allocate", "call", "fields", "fling", "target"];
/// The most calls of each agent thread.
const LONGEST: usize = 40;
/// How often the arguments of a call are drawn at most.
const DRAWS: usize = 4;
/// The raw monitor.
const MONITOR: &str = "start";

/// Classes whose edited files are at hand, each with the name of the file.
type Edited = Vec<(crate::edits::Redefinable, String)>;

impl Generator<'_> {
    /// A sequence in which several threads act at the same time; `None`: what it takes is left out.
    pub(super) fn crowd(&self, chance: &mut Chance) -> Option<Sequence> {
        let shared = self.offered.all & !self.offered.exclusive;
        let environments = vec![self.offered.all, shared];
        let mut sequence = Sequence { moment: Moment::Checkpoint, environments, ..Sequence::default() };
        let pools = Pools::new(self.tables, sequence.moment, chance, self.undefined);
        let pools = pools.about(victims(self.tables, chance), events(self.tables, chance));
        let functions = self.crowd_functions();
        let mut saved = 0;
        let mut edited = Edited::new();
        let created = called(self.tables, "CreateRawMonitor", vec![Arg::Str(MONITOR.into()), Arg::Storage])?;
        sequence.steps.push(Move::Call(Call { save: Some(MONITOR.to_owned()), ..created }));
        for _ in 0..chance.below(3) {
            let (class, step, save) = redefinition::edit(chance, &mut saved);
            sequence.steps.push(step);
            edited.push((class, save));
        }
        if !chance.one_in(5) {
            sequence.steps.push(Move::Java(cast::STIR));
            sequence.steps.extend(self.watched(chance));
        }
        sequence.steps.push(self.monitor("RawMonitorEnter")?);
        for agent in cast::AGENTS.iter().take(2 + chance.below(2)) {
            let (run, name) = self.start(agent)?;
            sequence.steps.push(run);
            sequence.handlers.push(EventHandler {
                event: 0,
                callback: Some((name, START_FUNCTION)),
                only: vec![],
                times: 1,
                moves: vec![self.monitor("RawMonitorEnter")?, self.monitor("RawMonitorExit")?],
            });
        }
        sequence.steps.push(self.monitor("RawMonitorExit")?);
        let mut model = Model::new(self.tables, &sequence);
        model.foresee(&Move::Java(cast::STIR));
        for index in 0..sequence.handlers.len() {
            model.state.inside = Some(false);
            let few: Vec<u16> = (0..3 + chance.below(4)).map(|_| *chance.pick(&functions)).collect();
            for _ in 0..LONGEST / 4 + chance.below(LONGEST * 3 / 4) {
                let slot = if chance.one_in(4) { *chance.pick(&functions) } else { *chance.pick(&few) };
                let step = self.by_agent(slot, &edited, chance, &pools, &model);
                sequence.handlers[index].moves.extend(step);
            }
            model.state.inside = None;
        }
        sequence.steps.extend(self.meanwhile(&functions, &edited, chance, &pools, &model));
        sequence.steps.push(Move::Java(cast::GATHER));
        for stirred in stirred(self.tables) {
            sequence.steps.extend(call(self.tables, "ResumeThread", vec![stirred]));
        }
        sequence.steps.push(Move::Java(cast::STILL));
        Some(sequence)
    }

    /// What the main thread does meanwhile.
    fn meanwhile(
        &self,
        functions: &[u16],
        edited: &Edited,
        chance: &mut Chance,
        pools: &Pools<'_>,
        model: &Model<'_>,
    ) -> Vec<Move> {
        let length = 4 + chance.below(16);
        let disposal = chance.one_in(2).then(|| chance.below(length));
        let mut steps = Vec::new();
        for place in 0..length {
            if disposal == Some(place) {
                steps.extend(by_second(called(self.tables, "DisposeEnvironment", vec![])));
            }
            match chance.below(4) {
                0 => steps.push(Move::Java(ACTIONS[chance.below(ACTIONS.len())])),
                _ => steps.extend(self.by_agent(*chance.pick(functions), edited, chance, pools, model)),
            }
        }
        steps
    }

    fn by_agent(
        &self,
        slot: u16,
        edited: &Edited,
        chance: &mut Chance,
        pools: &Pools<'_>,
        model: &Model<'_>,
    ) -> Option<Move> {
        if !edited.is_empty() && chance.one_in(10) {
            let (class, file) = chance.pick(edited);
            return redefinition::redefinition(self.tables, 0, *class, file);
        }
        let function = self.tables.function(slot)?;
        let step = (0..DRAWS).find_map(|_| {
            let args = pools.arguments(function, chance, model)?;
            let call = Call { environment: 0, function: slot, args, on: OnThread::Current, save: None };
            // If an error is due that a JVM need not detect, it may crash, and nobody knows whose call it was.
            let leaves_open = !self.undefined && model.allowed(&call).is_open();
            (!leaves_open).then_some(Move::Call(call))
        })?;
        hazards::is_safe(model, &step, self.undefined).then_some(step)
    }

    fn crowd_functions(&self) -> Vec<u16> {
        let weight = |name: &str| match LEFT_OUT.contains(&name) {
            true => 0,
            false => WEIGHTS.iter().find(|(text, _)| name.contains(text)).map_or(1, |(_, weight)| *weight),
        };
        let slots = self.all.iter().filter_map(|slot| self.tables.function(*slot));
        slots.flat_map(|function| std::iter::repeat_n(function.slot, weight(&function.name))).collect()
    }

    /// Has the second environment told of what busy threads do: it may be disposed of while these events are on their way.
    fn watched(&self, chance: &mut Chance) -> Vec<Move> {
        let threads = stirred(self.tables);
        let mut steps = Vec::new();
        for event in events(self.tables, chance) {
            let args = vec![Arg::Int(1), Arg::Int(event), chance.pick(&threads).clone()];
            steps.extend(by_second(called(self.tables, "SetEventNotificationMode", args)));
        }
        steps
    }

    /// The call that starts an agent thread, and the name under which it is saved.
    fn start(&self, agent: &str) -> Option<(Move, String)> {
        let name = format!("by_{agent}");
        let proc = Arg::Callback(Callback { record: Some(1), ..Callback::default() });
        let args = vec![Arg::Named(agent.to_owned()), proc, Arg::Null, Arg::Int(5)];
        let run = called(self.tables, "RunAgentThread", args)?;
        Some((Move::Call(Call { save: Some(name.clone()), ..run }), name))
    }

    fn monitor(&self, function: &str) -> Option<Move> {
        call(self.tables, function, vec![Arg::Output { step: MONITOR.to_owned(), param: 1, path: vec![] }])
    }
}

/// The call, in the second environment.
fn by_second(call: Option<Call>) -> Option<Move> {
    Some(Move::Call(Call { environment: 1, ..call? }))
}

fn stirred(tables: &Tables) -> Vec<Arg> {
    let has = |name: &&&str| !name.starts_with("virtual_") || tables.edition.release >= cast::VIRTUAL_SINCE;
    cast::STIRRED.iter().filter(has).map(|name| Arg::Named((*name).to_owned())).collect()
}

/// The threads that all act on: busy ones, and one or two that stand still.
fn victims(tables: &Tables, chance: &mut Chance) -> Vec<Arg> {
    let mut threads = stirred(tables);
    for _ in 0..1 + chance.below(2) {
        threads.push(Arg::Named(chance.pick(&tables.roles).name.clone()));
    }
    threads
}

fn events(tables: &Tables, chance: &mut Chance) -> Vec<i64> {
    let some = (0..1 + chance.below(3)).map(|_| *chance.pick(&EVENTS));
    let numbers: Vec<i64> =
        some.filter_map(|name| tables.edition.event(name)).map(|event| event.number.into()).collect();
    if numbers.is_empty() {
        tables.edition.events.iter().take(1).map(|e| e.number.into()).collect()
    } else {
        numbers
    }
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Release;

    use super::*;
    use crate::coverage::Reached;
    use crate::generate::Offered;
    use crate::tidy;

    #[test]
    fn agent_threads_begin_together_and_are_waited_for() {
        let tables = Tables::new(Release(25));
        let offered = Offered { all: u128::MAX >> 80, ..Offered::default() };
        let generator = Generator::new(&tables, offered, &[], false, 1).together();
        for number in 0..50 {
            let sequence = generator.sequence(number, Moment::Checkpoint, &Reached::default());
            assert!(sequence.is_crowd() && sequence.handlers.len() > 1);
            let place = |name: &str| {
                let slot = tables.edition.function(name).unwrap().slot;
                sequence.calls().find(|(_, call)| call.function == slot).map(|(place, _)| place)
            };
            let gather = sequence.steps.iter().position(|step| *step == Move::Java(cast::GATHER));
            assert!(place("RawMonitorEnter") < place("RunAgentThread"));
            assert!(place("RunAgentThread") < place("RawMonitorExit"));
            assert!(place("RawMonitorExit") < gather);
            // None of them uses an environment that another may have disposed of.
            let inside = sequence.handlers.iter().flat_map(|handler| &handler.moves);
            assert!(
                inside
                    .filter_map(|step| match step {
                        Move::Call(call) => Some(call.environment),
                        _ => None,
                    })
                    .all(|environment| environment == 0)
            );
            // A crash is the fault of the JVM.
            let mut inside = sequence.handlers.iter().flat_map(|handler| &handler.moves);
            let model = Model::new(&tables, &sequence);
            assert!(inside.all(|step| match step {
                Move::Call(call) => !model.allowed(call).is_open(),
                _ => true,
            }));
            // All threads may be suspended, and are resumed.
            let resume = tables.edition.function("ResumeThread").unwrap().slot;
            let is_resume = |step: &&Move| matches!(step, Move::Call(call) if call.function == resume);
            let last = tidy::steps(&tables, &sequence);
            assert!(last.iter().filter(is_resume).count() == tables.roles.len());
            // What they were asked for comes to them now.
            assert!(last.contains(&Move::Java(cast::ROUSE)));
        }
    }
}
