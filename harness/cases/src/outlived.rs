//! Handlers that would use an environment after it has been disposed of.

use jvmti_wire::plan::{Action, Made, Trigger};

use super::model::Case;

/// The handlers that call functions of an environment which is disposed of with the last step, though they may act later: what is
/// wrong, and what to do. Such a call would crash a JVM that keeps every promise.
pub(super) fn handlers(case: &Case) -> Vec<(String, String)> {
    let acts_later = |on: &Trigger| !matches!(on, Trigger::Event { .. } | Trigger::Callback { .. });
    let is_passing = |environment: u8| {
        case.environments.get(usize::from(environment)).is_some_and(|e| e.made == Some(Made::FirstStep))
    };
    let uses = |action: &Action| match action {
        Action::Call { environment, .. } if is_passing(*environment) => Some(usize::from(*environment)),
        _ => None,
    };
    let later = case.handlers.iter().filter(|handler| acts_later(&handler.on));
    let used = later.filter_map(|handler| handler.actions.iter().find_map(uses));
    let told = |index: usize| {
        let name = &case.environments[index].name;
        let message = format!(
            "a handler of the case `{}` calls a function of the environment `{name}`, which is disposed of after the last step",
            case.id
        );
        (message, "make the environment at another time, such as `made: run`".to_owned())
    };
    used.map(told).collect()
}
