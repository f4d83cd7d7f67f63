//! Decides when the environments of a case are made: as late as its steps and capabilities allow. The shorter an environment
//! lives, the fewer other cases it conflicts with.

use std::collections::BTreeSet;
use std::fmt;

use jvmti_cases::model::{Case, Environment};
use jvmti_wire::plan::{Action, Arg, Made, OnThread, Trigger};

use super::Offer;
use super::chains::{self, Link};
use crate::os::process::NO_SIGTERM;

/// When the environments of a case live, and which capabilities they keep from other cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// When each environment of the case is made, and its events enabled.
    pub timings: Vec<Timing>,
    /// Exclusive capabilities that they possess throughout the JVM's life.
    pub held_always: BTreeSet<String>,
    /// Exclusive capabilities that they possess during the scenario run.
    pub held_in_run: BTreeSet<String>,
    /// Exclusive capabilities that they possess only during the steps.
    pub held_in_passing: BTreeSet<String>,
    /// If its environment can come from a case before it and pass to one after it: its exclusive capabilities, and those
    /// that can be added in OnLoad only.
    pub link: Option<Link>,
}

/// When an environment begins, and its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// When it is made.
    pub made: Made,
    /// When its events are enabled: an environment that is made earlier than its case needs, since the JVM offers its
    /// capabilities in the OnLoad phase only, shall not see the events of other scenario runs.
    pub enabled: Made,
}

impl Timing {
    fn at_once(made: Made) -> Timing {
        Timing { made, enabled: made }
    }
}

/// Why a case does not apply to a JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// It needs optional capabilities that the JVM does not offer.
    Capabilities {
        /// Their names.
        names: Vec<String>,
        /// Whether the JVM offers them earlier than the case can use them.
        too_late: bool,
    },
    /// It names places in methods by their indices in bytecode, and the JVM has locations of another format.
    Locations,
    /// It does what this operating system has not.
    System(&'static str),
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unavailable::Capabilities { names, too_late: false } => {
                write!(f, "this JVM does not offer the optional {}", names.join(", "))
            }
            Unavailable::Capabilities { names, too_late: true } => {
                write!(f, "this JVM offers the optional {} in the OnLoad phase only", names.join(", "))
            }
            Unavailable::Locations => f.write_str("the locations of this JVM are no indices in bytecode"),
            Unavailable::System(why) => f.write_str(why),
        }
    }
}

/// Places a case on a JVM that offers these capabilities.
pub fn place(case: &Case, offer: &Offer) -> Result<Placed, Unavailable> {
    if let Some(why) = NO_SIGTERM.filter(|_| case.ends_by_sigterm()) {
        return Err(Unavailable::System(why));
    }
    if case.bytecode_indices && offer.other_locations {
        return Err(Unavailable::Locations);
    }
    let brief = is_brief(case);
    let mut placed = Placed {
        timings: Vec::with_capacity(case.environments.len()),
        held_always: BTreeSet::new(),
        held_in_run: BTreeSet::new(),
        held_in_passing: BTreeSet::new(),
        link: None,
    };
    for (index, need) in case.environments.iter().enumerate() {
        let timing = match need.made {
            Some(made) => available(need, made, offer).map(|()| Timing::at_once(made))?,
            None => when(case, index, need, brief, offer)?,
        };
        let exclusive = need.capabilities.iter().filter(|c| offer.exclusive.contains(*c)).cloned();
        if timing.made == Made::OnLoad && need.made.is_none() && !needed_in_on_load(case, index, need) {
            placed.link = chains::link(case, offer);
        }
        match timing.made {
            _ if placed.link.is_some() => placed.held_in_run.extend(exclusive),
            Made::FirstStep => placed.held_in_passing.extend(exclusive),
            Made::ScenarioRun | Made::Inherited => placed.held_in_run.extend(exclusive),
            Made::OnLoad | Made::VmStart | Made::VmInit => placed.held_always.extend(exclusive),
        }
        placed.timings.push(timing);
    }
    placed.held_in_passing.extend(asked_for(case).filter(|c| offer.exclusive.contains(*c)).cloned());
    Ok(placed)
}

/// The capabilities that the steps of the case add, and relinquish before it ends.
fn asked_for(case: &Case) -> impl Iterator<Item = &String> {
    const ADD_CAPABILITIES: u16 = 142;
    let asked = case.steps.iter().filter_map(|step| match &step.plan.action {
        Action::Call { function: ADD_CAPABILITIES, args, .. } => Some(args),
        _ => None,
    });
    let fields = asked.flatten().filter_map(|arg| match arg {
        Arg::Struct(fields) => Some(fields),
        _ => None,
    });
    fields.flatten().map(|(name, _)| name)
}

fn when(
    case: &Case,
    index: usize,
    need: &Environment,
    brief: bool,
    offer: &Offer,
) -> Result<Timing, Unavailable> {
    let latest = if needed_in_on_load(case, index, need) {
        Made::OnLoad
    } else if case.scenario.is_none() || outlives_its_run(case) || begins_in_on_attach(case) {
        Made::VmInit
    } else if brief {
        Made::FirstStep
    } else {
        Made::ScenarioRun
    };
    if available(need, latest, offer).is_ok() {
        return Ok(Timing::at_once(latest));
    }
    available(need, Made::OnLoad, offer)?;
    // The case is never without its events while others in the same scenario run take their steps.
    let enabled = if latest == Made::FirstStep { Made::ScenarioRun } else { latest };
    Ok(Timing { made: Made::OnLoad, enabled })
}

/// Whether the environment's capabilities can be added at that time.
fn available(need: &Environment, made: Made, offer: &Offer) -> Result<(), Unavailable> {
    let set = if made == Made::OnLoad { &offer.on_load } else { &offer.live };
    let lacking: Vec<String> = need.capabilities.iter().filter(|c| !set.contains(*c)).cloned().collect();
    if lacking.is_empty() {
        return Ok(());
    }
    let too_late = made != Made::OnLoad && lacking.iter().all(|c| offer.on_load.contains(c));
    Err(Unavailable::Capabilities { names: lacking, too_late })
}

/// Events that can only be enabled usefully before the VM starts (SetEventNotificationMode works in OnLoad and live).
const EARLY_EVENTS: [&str; 2] = ["VMStart", "VMInit"];

fn needed_in_on_load(case: &Case, index: usize, need: &Environment) -> bool {
    need.events.iter().any(|e| EARLY_EVENTS.contains(&e.as_str()))
        || case.steps.iter().any(|step| {
            matches!(step.plan.at, Trigger::OnLoad | Trigger::Primordial | Trigger::VmStart)
                && uses(&step.plan.action, index)
        })
        || case.handlers.iter().any(|h| matches!(h.on, Trigger::OnLoad | Trigger::VmStart))
}

fn uses(action: &Action, index: usize) -> bool {
    match action {
        Action::Call { environment, .. } | Action::Dispose { environment } => {
            usize::from(*environment) == index
        }
        Action::Jni { .. } | Action::Reply { .. } | Action::Keep { .. } => true,
    }
}

pub(super) fn outlives_its_run(case: &Case) -> bool {
    let late = |at: &Trigger| matches!(at, Trigger::VmDeath | Trigger::OnUnload);
    case.steps.iter().any(|s| late(&s.plan.at)) || case.handlers.iter().any(|h| late(&h.on))
}

/// When an agent is attached, the environments that other launches make at VMInit are made at its start.
fn begins_in_on_attach(case: &Case) -> bool {
    case.steps.iter().any(|step| step.plan.at == Trigger::OnAttach)
}

/// Whether all steps of the case are at one checkpoint, and it observes no event. Then its environments need to exist only
/// during its steps.
fn is_brief(case: &Case) -> bool {
    let Some(first) = case.steps.first() else { return false };
    let one_checkpoint = matches!(first.plan.at, Trigger::Checkpoint(_))
        && case.steps.iter().all(|s| s.plan.at == first.plan.at)
        && case.steps.iter().all(|s| !matches!(s.plan.action, Action::Call { on: OnThread::Unattached, .. }));
    one_checkpoint
        && case.handlers.is_empty()
        && case.events.is_none()
        && case.environments.iter().all(|e| e.events.is_empty())
}
