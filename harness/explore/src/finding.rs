//! Findings: what a sequence has shown of a JVM, one for each cause.

use jvmti_wire::plan::OnThread;

use crate::follow::{Culprit, SequenceEnd};
use crate::launches::{Broken, capability_names};
use crate::model::{Breach, Tables};
use crate::sequence::{Call, Move, Place, Sequence, name_of};
use crate::shrink::COPIES;
use crate::yaml;

/// What sort of finding it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A call returned what the text does not allow.
    Breach(Breach),
    /// The JVM crashed.
    Crash {
        /// How it ended.
        how: String,
    },
    /// The JVM made no progress.
    Hang,
    /// The trace breaks a universal rule.
    Universal(Broken),
}

/// What findings of the same cause have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Name of the function or action.
    pub what: String,
    /// What it did.
    pub did: String,
    /// Whether the text permits it.
    pub permitted: bool,
}

/// The most sequences before it that are printed with a finding.
const BEFORE_SHOWN: usize = 4;

/// A finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What it has in common with others.
    pub key: Key,
    /// What sort it is.
    pub kind: Kind,
    /// The sequence that shows it.
    pub sequence: Sequence,
    /// What has to run before it in the same JVM.
    pub before: Vec<Sequence>,
    /// Where it shows.
    pub place: Place,
    /// In how many of how many runs by itself the sequence has shown it.
    pub rate: (u32, u32),
    /// How often the exploration met it.
    pub times: u64,
}

/// Name of the function or action of a step.
pub fn step_name(tables: &Tables, sequence: &Sequence, place: Place) -> String {
    match sequence.at(place) {
        Some(Move::Call(call)) => {
            tables.function(call.function).map_or_else(|| call.function.to_string(), |f| f.name.clone())
        }
        Some(Move::Java(action)) => format!("Java {action}"),
        Some(Move::Edit { .. }) => "an edit".to_owned(),
        Some(Move::Reply(_)) => "a reply".to_owned(),
        None => "the end".to_owned(),
    }
}

/// What has ended a JVM while several threads made calls: whose it was is not known.
const CROWD: &str = "Several threads";

/// The findings of a sequence that has run; `executed` has the steps that tidy up.
pub fn of(tables: &Tables, executed: &Sequence, outcome: &SequenceEnd) -> Vec<(Key, Kind, Place)> {
    match outcome {
        SequenceEnd::NotRun => vec![],
        SequenceEnd::Done(observations) => observations
            .iter()
            .map(|observation| {
                let breach = &observation.breach;
                let did = match breach.of.as_str() {
                    "error" => format!("returned {}", breach.observed),
                    event if event.starts_with("event ") => {
                        format!("brought about a wrong number of {event}s")
                    }
                    parameter if parameter.starts_with("parameter ") => format!("sent a wrong {parameter}"),
                    output => format!("returned a wrong {output}"),
                };
                let did = did + executed.moment.shown();
                let what = step_name(tables, executed, observation.place);
                let key = Key { what, did, permitted: !breach.must };
                (key, Kind::Breach(breach.clone()), observation.place)
            })
            .collect(),
        SequenceEnd::Ended(culprit) => vec![of_end(tables, executed, culprit)],
    }
}

fn of_end(tables: &Tables, executed: &Sequence, culprit: &Culprit) -> (Key, Kind, Place) {
    let kind = match culprit.hung {
        true => Kind::Hang,
        false => Kind::Crash { how: culprit.how.clone() },
    };
    let did = if culprit.hung { "hung" } else { "crashed" };
    let place = culprit.place;
    let is_crowd = executed.is_crowd();
    let what = if is_crowd { CROWD.to_owned() } else { step_name(tables, executed, place) };
    let mut did = format!("{did}{}", executed.moment.shown());
    if is_crowd && let Kind::Crash { how } = &kind {
        did += &frame(how).map(|frame| format!(" in {frame}")).unwrap_or_default();
    } else if place.inside.is_some() {
        did += " in a callback";
    } else if let (Kind::Crash { how }, false) = (&kind, matches!(executed.at(place), Some(Move::Call(_)))) {
        // One action may crash for many reasons.
        did += &frame(how).map(|frame| format!(" in {frame}")).unwrap_or_default();
    }
    (Key { what, did, permitted: culprit.permitted }, kind, place)
}

/// The function of the JVM in which it has crashed, without its parameters: `V  [libjvm.so+0x1] frame::sender(int)+0x2`.
fn frame(how: &str) -> Option<String> {
    let (_, symbol) = how.split_once("] ").or_else(|| how.split_once("]  "))?;
    let name: String =
        symbol.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || "_:~".contains(*c)).collect();
    (!name.is_empty()).then_some(name)
}

/// A text as part of an id.
fn hyphened(text: &str) -> String {
    let mut name = String::new();
    let mut after_small = false;
    for c in text.chars() {
        if c.is_ascii_uppercase() && after_small {
            name.push('-');
        }
        after_small = c.is_ascii_lowercase();
        name.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    }
    name.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

impl Finding {
    /// Whether it was met, and did not show again when its sequence and those before it were repeated.
    pub fn is_by_chance(&self) -> bool {
        self.rate.0 == 0 && self.rate.1 > 0
    }

    /// Whether it may have come from outside, or from a thread that was late: what has not crashed, and did not show again.
    pub fn is_doubtful(&self) -> bool {
        self.is_by_chance() && !matches!(self.kind, Kind::Crash { .. })
    }

    /// One line.
    pub fn title(&self) -> String {
        let permitted = if self.key.permitted { " (the text permits it)" } else { "" };
        format!("{} {}{permitted}", self.key.what, self.key.did)
    }

    /// One line, and what was observed.
    pub fn line(&self) -> String {
        let observed = match &self.kind {
            Kind::Breach(breach) => format!(", expected {}, observed {}", breach.expected, breach.observed),
            Kind::Crash { how } => format!(", {how}"),
            Kind::Universal(broken) => format!(", {}", broken.how),
            Kind::Hang => String::new(),
        };
        let rate = self.rate_shown().unwrap_or_default();
        format!("{}{observed};{rate}\n", self.title())
    }

    fn rate_shown(&self) -> Option<String> {
        let (shown, runs) = self.rate;
        let times = if self.times == 1 { "once".to_owned() } else { format!("{} times", self.times) };
        if self.is_by_chance() {
            return Some(format!("  by chance, met {times}, not in {runs} runs that repeated it"));
        }
        let others = match self.before.len() {
            0 => "by itself".to_owned(),
            1 => "after another sequence".to_owned(),
            several => format!("after {several} other sequences"),
        };
        // What several threads do shows now and then only.
        let each =
            if self.sequence.is_crowd() { format!(" of up to {COPIES} times each") } else { String::new() };
        (runs > 0).then(|| format!("  shown in {shown} of {runs} runs{each} {others}, met {times}"))
    }

    /// The statements that it breaks.
    pub fn cites(&self) -> Vec<String> {
        match &self.kind {
            Kind::Breach(breach) => breach.cites.clone(),
            Kind::Universal(broken) => vec![broken.rule.clone()],
            _ if self.key.what.contains(' ') => vec![],
            _ => vec![format!("{}#phase/live", self.key.what)],
        }
    }

    /// Its title as a name for files: `get-stack-trace-crashed`.
    pub fn name(&self) -> String {
        hyphened(&format!("{} {}", self.key.what, self.key.did))
    }

    /// The ids of the cases that show the same: what a function does wrong in a callback, or in another phase, it does for the
    /// same reason elsewhere.
    pub fn ids(&self) -> Vec<String> {
        let mut ids = vec![self.id()];
        let shorter = |id: &str, end: &str| id.strip_suffix(end).map(str::to_owned);
        ids.extend(shorter(&ids[0], "-in-a-callback"));
        let moment = hyphened(self.sequence.moment.shown());
        let general: Vec<String> = match moment.is_empty() {
            true => vec![],
            false => ids.iter().filter_map(|id| shorter(id, &format!("-{moment}"))).collect(),
        };
        ids.extend(general);
        ids
    }

    /// The id of its case.
    pub fn id(&self) -> String {
        if let Kind::Universal(broken) = &self.kind {
            return broken.rule.clone();
        }
        format!("explored/{}", self.name())
    }

    /// A file with the finding as its only case.
    pub fn as_case(&self, tables: &Tables) -> String {
        yaml::file(tables, self, &self.id())
    }

    /// The whole finding, for people.
    pub fn text(&self, tables: &Tables, command: Option<&str>) -> String {
        let mut lines = vec![self.title()];
        lines.extend(self.rate_shown());
        match &self.kind {
            Kind::Breach(breach) => {
                lines.push(format!(
                    "  {}: expected {}, observed {}",
                    breach.of, breach.expected, breach.observed
                ));
            }
            Kind::Crash { how } => lines.push(format!("  {how}")),
            Kind::Universal(broken) => lines.push(format!("  {}", broken.how)),
            Kind::Hang => lines.push("  the JVM made no progress".to_owned()),
        }
        for cite in self.cites() {
            lines.push(format!("  against {cite}"));
        }
        for (index, sequence) in self.before.iter().enumerate().take(BEFORE_SHOWN) {
            lines.push(format!("  before, in environments of their own ({}):", index + 1));
            lines.extend(
                sequence.steps.iter().map(|step| format!("      {}", shown_step(tables, step, None))),
            );
        }
        for (index, set) in self.sequence.environments.iter().enumerate() {
            /// More are counted rather than listed.
            const LISTED: usize = 8;
            let names = capability_names(tables, *set);
            let shown = match names.len() {
                0 => "no capabilities".to_owned(),
                few if few <= LISTED => names.join(", "),
                many => format!("{many} capabilities"),
            };
            lines.push(format!("  environment {}: {shown}", name_of(index)));
        }
        for (index, step) in self.sequence.steps.iter().enumerate() {
            let mark = if index == self.place.step { ">" } else { " " };
            lines.push(format!("  {mark} {}", shown_step(tables, step, None)));
        }
        for (index, handler) in self.sequence.handlers.iter().enumerate() {
            let event = tables.edition.event_by_number(handler.event);
            let event = event.map_or_else(|| handler.event.to_string(), |event| event.name.clone());
            lines.push(match &handler.callback {
                Some((start, _)) if handler.is_on_agent_thread() => {
                    format!("    meanwhile, on the agent thread of {start}:")
                }
                Some((of, callback)) => format!("    in the first {} {callback} of {of}:", handler.times),
                None => format!("    in the first {} callbacks for {event}:", handler.times),
            });
            for (action, step) in handler.moves.iter().enumerate() {
                let mark = if self.place.inside == Some((index, action)) { ">" } else { " " };
                lines.push(format!("    {mark} {}", shown_step(tables, step, Some(handler.event))));
            }
        }
        if let Some(command) = command {
            lines.push(format!("  again: {command}"));
        }
        lines.join("\n") + "\n"
    }
}

/// A step for people: `SuspendThread(thread: $parked)`; `event`: in the callback of this event.
pub fn shown_step(tables: &Tables, step: &Move, event: Option<u16>) -> String {
    match step {
        Move::Java(action) => format!("Java {action}()"),
        Move::Edit { file, by, save } => format!("{save} = ${file} edited by {by:?}"),
        Move::Reply(save) => format!("reply with ${save}"),
        Move::Call(Call { environment, function, args, on, .. }) => {
            let Some(function) = tables.function(*function) else { return function.to_string() };
            let shown: Vec<String> = function
                .params
                .iter()
                .zip(args)
                .filter(|(_, arg)| **arg != jvmti_wire::plan::Arg::Storage)
                .map(|(param, arg)| {
                    let at = yaml::Passed { tables, function, event };
                    format!("{}: {}", param.name, yaml::arg(arg, Some(at)))
                })
                .collect();
            let elsewhere = if *on == OnThread::Current { "" } else { " on an attached thread" };
            let other = if *environment == 0 {
                String::new()
            } else {
                format!(" in {}", name_of((*environment).into()))
            };
            format!("{}({}){elsewhere}{other}", function.name, shown.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequence::Moment;

    #[test]
    fn what_is_known_is_known_in_callbacks_and_other_phases() {
        let finding = |did: &str, moment| Finding {
            key: Key { what: "GetFieldModifiers".to_owned(), did: did.to_owned(), permitted: false },
            kind: Kind::Hang,
            sequence: Sequence { moment, ..Sequence::default() },
            before: vec![],
            place: 0.into(),
            rate: (1, 1),
            times: 1,
        };
        let known = "explored/get-field-modifiers-crashed".to_owned();
        assert_eq!(finding("crashed", Moment::Checkpoint).ids(), [known.as_str()]);
        assert!(finding("crashed in VMDeath", Moment::Death).ids().contains(&known));
        assert!(finding("crashed in VMDeath in a callback", Moment::Death).ids().contains(&known));
        assert!(!finding("crashed in VMDeath", Moment::Checkpoint).ids().contains(&known));
    }
}
