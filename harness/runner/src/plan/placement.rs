//! When a case's environments are made: as late as its steps and capabilities allow, for the shorter an environment
//! lives, the fewer other cases it can get in the way of.

use std::collections::BTreeSet;
use std::fmt;

use jvmti_cases::model::{Case, Environment};
use jvmti_wire::plan::{Action, Arg, Made, OnThread, Trigger};

use super::Offer;

/// Where a case's environments stand in the life of a JVM, and what they keep others from having.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// One per environment of the case.
    pub made: Vec<Made>,
    /// Exclusive capabilities held throughout the JVM's life.
    pub held_always: BTreeSet<String>,
    /// Exclusive capabilities held while its scenario run lasts.
    pub held_in_run: BTreeSet<String>,
    /// Exclusive capabilities held only for the moment of its steps.
    pub held_in_passing: BTreeSet<String>,
}

/// Why a case does not apply to a JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// The optional capabilities that it lacks.
    pub capabilities: Vec<String>,
    /// Whether they could be had earlier than the case needs them.
    pub too_late: bool,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.capabilities.join(", ");
        match self.too_late {
            false => write!(f, "this JVM does not offer the optional {names}"),
            true => write!(f, "this JVM offers the optional {names} in the OnLoad phase only"),
        }
    }
}

/// Places a case on a JVM with that offer.
pub fn place(case: &Case, offer: &Offer) -> Result<Placed, Unavailable> {
    let brief = is_brief(case);
    let mut placed = Placed {
        made: Vec::with_capacity(case.environments.len()),
        held_always: BTreeSet::new(),
        held_in_run: BTreeSet::new(),
        held_in_passing: BTreeSet::new(),
    };
    for (index, need) in case.environments.iter().enumerate() {
        let made = match need.made {
            Some(made) => available(need, made, offer).map(|()| made)?,
            None => when(case, index, need, brief, offer)?,
        };
        let exclusive = need.capabilities.iter().filter(|c| offer.exclusive.contains(*c)).cloned();
        match made {
            Made::FirstStep => placed.held_in_passing.extend(exclusive),
            Made::Turn => placed.held_in_run.extend(exclusive),
            Made::OnLoad | Made::VmStart | Made::VmInit => placed.held_always.extend(exclusive),
        }
        placed.made.push(made);
    }
    placed.held_in_passing.extend(asked_for(case).filter(|c| offer.exclusive.contains(*c)).cloned());
    Ok(placed)
}

/// The capabilities that the case adds by its own calls. Such a case gives them up again before it ends.
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
) -> Result<Made, Unavailable> {
    let latest = if needed_in_on_load(case, index, need) {
        Made::OnLoad
    } else if case.scenario.is_none() || outlives_its_run(case) || begins_in_on_attach(case) {
        Made::VmInit
    } else if brief {
        Made::FirstStep
    } else {
        Made::Turn
    };
    available(need, latest, offer)
        .map(|()| latest)
        .or_else(|_| available(need, Made::OnLoad, offer).map(|()| Made::OnLoad))
}

/// Whether the environment's capabilities can be added at that time.
fn available(need: &Environment, made: Made, offer: &Offer) -> Result<(), Unavailable> {
    let set = if made == Made::OnLoad { &offer.on_load } else { &offer.live };
    let lacking: Vec<String> = need.capabilities.iter().filter(|c| !set.contains(*c)).cloned().collect();
    if lacking.is_empty() {
        return Ok(());
    }
    let too_late = made != Made::OnLoad && lacking.iter().all(|c| offer.on_load.contains(c));
    Err(Unavailable { capabilities: lacking, too_late })
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

fn outlives_its_run(case: &Case) -> bool {
    let late = |at: &Trigger| matches!(at, Trigger::VmDeath | Trigger::OnUnload);
    case.steps.iter().any(|s| late(&s.plan.at)) || case.handlers.iter().any(|h| late(&h.on))
}

/// What is made at VMInit in other launches is there when an agent that came late is started.
fn begins_in_on_attach(case: &Case) -> bool {
    case.steps.iter().any(|step| step.plan.at == Trigger::OnAttach)
}

/// Whether the case does all it does in one go at one checkpoint and sees no event, so that nobody notices if its
/// environments exist only then.
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
