//! Steps that were not taken: because of the JVM, the scenario or the harness.

use jvmti_cases::model::{Condition, Step};
use jvmti_wire::plan::Trigger;

use super::helper::is_helper;
use crate::LaunchEnd;
use crate::basis::Expected;
use crate::case_trace::StepTrace;
use crate::progress::JudgePass;
use crate::verdict_builder::VerdictBuilder;

/// A step that was not taken, or not to its end, though the launch ended well.
pub(super) struct Untaken<'c> {
    pub(super) progress: &'c JudgePass<'c>,
    pub(super) case: usize,
    pub(super) step: &'c Step,
    pub(super) taken: &'c StepTrace,
    pub(super) ended: &'c LaunchEnd,
}

impl Untaken<'_> {
    /// Says why it was not taken, and whether the JVM is to blame.
    pub(super) fn report(&self, builder: &mut VerdictBuilder<'_>) {
        let text = &self.step.text;
        let begun = self.taken.begun.is_some();
        let written = &self.progress.brief.cases[self.case];
        if let Some(thrown) = self.progress.thrown_in(self.case) {
            let thrown = self.progress.names.value(thrown);
            return builder.trouble(text, &format!("not reached: the scenario failed with {thrown}"));
        }
        if builder.lacks(text, self.ended) {
            return;
        }
        let may_not_come = self.step.expect.as_ref().is_some_and(|e| e.when == Some(Condition::Comes));
        if !begun && self.step.plan.at == Trigger::Primordial {
            return builder.absent("the JVM sent no event in its primordial phase".to_owned());
        }
        if let (false, true, Ok(awaited)) = (begun, may_not_come, self.awaited()) {
            return builder.absent(format!("{awaited} did not come"));
        }
        let (expected, observed) = if begun {
            let observed = "it had not returned when the JVM ended";
            if is_helper(written, self.step, &self.progress.names, builder.assertions) {
                return builder.trouble(text, observed);
            }
            ("the call to return".to_owned(), observed)
        } else {
            match self.awaited() {
                Ok(awaited) => (awaited, "it never came while the case waited for it"),
                Err(why) => return builder.trouble(text, &why),
            }
        };
        builder.assert(1);
        let event = match &self.step.plan.at {
            Trigger::Event { event, .. } if !begun => Some(self.progress.names.event(*event)),
            _ => None,
        };
        let about = event.as_deref().map_or(Expected::Other, Expected::Event);
        builder.violation((about, written.cites_of(self.step)), text, expected, observed.to_owned());
    }

    /// What the step waited for, if its coming is the JVM's doing.
    fn awaited(&self) -> Result<String, String> {
        match overtaken(self.step, self.taken) {
            Some(why) => Err(why),
            None => awaited(&self.step.plan.at, self.progress),
        }
    }
}

/// Says that handlers never acted without which the case tests nothing, if so.
pub(super) fn idle_handlers(progress: &JudgePass<'_>, case: usize, builder: &mut VerdictBuilder<'_>) {
    let written = &progress.brief.cases[case];
    for &handler in &written.awaited {
        let index = handler as usize;
        if progress.cases[case].acted.get(index) == Some(&false)
            && let Ok(awaited) = awaited(&written.handlers[index].on, progress)
        {
            builder.absent(format!("{awaited} did not come"));
        }
    }
}

/// Why the step was not taken, if the scenario passed its checkpoint before it was its turn.
pub(super) fn overtaken(step: &Step, taken: &StepTrace) -> Option<String> {
    let Trigger::Checkpoint(name) = &step.plan.at else { return None };
    let why =
        || format!("the scenario passed checkpoint {name:?} before the steps before this one had been taken");
    taken.missed.then(why)
}

/// What has to come for the trigger to fire, if its coming is the JVM's doing.
fn awaited(trigger: &Trigger, progress: &JudgePass<'_>) -> Result<String, String> {
    Ok(match trigger {
        Trigger::VmStart => "the VMStart event".to_owned(),
        Trigger::VmInit => "the VMInit event".to_owned(),
        Trigger::VmDeath => "the VMDeath event".to_owned(),
        Trigger::OnUnload => "the call of Agent_OnUnload".to_owned(),
        Trigger::Event { event, .. } => format!("the {} event", progress.names.event(*event)),
        Trigger::Callback { callback, of } => format!("{callback}, called by {of:?}"),
        Trigger::Checkpoint(name) => {
            return Err(format!("the scenario never reached checkpoint {name:?}"));
        }
        Trigger::OnLoad | Trigger::OnAttach | Trigger::Primordial | Trigger::RunBegin | Trigger::RunEnd => {
            return Err("the step was never taken".to_owned());
        }
    })
}
