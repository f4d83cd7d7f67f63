//! What of its scenario a case uses, so that a scenario can leave out what no case of its run uses.

use super::{Action, Arg, Handler, PlannedCase, PlannedStep, Trigger};

impl PlannedCase {
    /// Whether the case takes steps at the checkpoint of this name, or names the object that the scenario bound to it.
    pub fn uses(&self, name: &str) -> bool {
        let in_step = |step: &PlannedStep| step.at.uses(name) || step.action.uses(name);
        let in_handler = |handler: &Handler| {
            handler.on.uses(name) || handler.actions.iter().any(|action| action.uses(name))
        };
        self.steps.iter().any(in_step) || self.handlers.iter().any(in_handler)
    }
}

impl Trigger {
    fn uses(&self, name: &str) -> bool {
        match self {
            Trigger::Checkpoint(checkpoint) => checkpoint == name,
            Trigger::Event { only, .. } => only.iter().any(|filter| filter.is.uses(name)),
            _ => false,
        }
    }
}

impl Action {
    fn uses(&self, name: &str) -> bool {
        match self {
            Action::Call { args, .. } | Action::Jni { args, .. } => args.iter().any(|arg| arg.uses(name)),
            Action::Reply { value, .. } | Action::Keep { value } => value.uses(name),
            Action::Dispose { .. } => false,
        }
    }
}

impl Arg {
    fn uses(&self, name: &str) -> bool {
        match self {
            Arg::Named(named) => named == name,
            Arg::Linear { of, .. } => of.uses(name),
            Arg::Position { is, .. } => is.uses(name),
            Arg::List(items) => items.iter().any(|item| item.uses(name)),
            Arg::Struct(fields) => fields.iter().any(|(_, value)| value.uses(name)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Filter, OnThread};

    fn case(at: Trigger, args: Vec<Arg>) -> PlannedCase {
        let action = Action::Call { environment: 0, function: 1, args, on: OnThread::Current };
        let (id, environments, handlers) = (String::new(), vec![], vec![]);
        PlannedCase {
            id,
            run: None,
            environments,
            steps: vec![PlannedStep { at, action, save: None }],
            handlers,
        }
    }

    #[test]
    fn a_case_uses_its_checkpoints_and_the_objects_that_it_names() {
        let nested = Arg::List(vec![Arg::Struct(vec![("klass".to_owned(), Arg::Named("plain".to_owned()))])]);
        let used = case(Trigger::Checkpoint("ready".to_owned()), vec![Arg::Null, nested]);
        assert!(used.uses("ready") && used.uses("plain"));
        assert!(!used.uses("klass") && !used.uses("plain_file"));
    }

    #[test]
    fn a_case_uses_the_objects_that_it_waits_for() {
        let only = vec![Filter { param: 1, is: Arg::Named("thread".to_owned()) }];
        let waiting = case(Trigger::Event { event: 60, environment: None, only }, vec![]);
        assert!(waiting.uses("thread") && !waiting.uses("other"));
    }
}
