//! Calls that are known to end a JVM: those of the explored cases by which it crashes or hangs, as `cases/known/` lists.

use jvmti_cases::CaseSet;
use jvmti_cases::known::{Deviation, Shows};
use jvmti_cases::model::Case;
use jvmti_cases::source::SourceFile;
use jvmti_results::Jvm;
use jvmti_runner::jvm::Identity;
use jvmti_wire::plan::{Action, OnThread};

use crate::finding::Finding;
use crate::model::Tables;
use crate::sequence::{Call, Moment};

/// A call that is known to end a JVM.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// When.
    pub moment: Moment,
    /// Whether it does so in the callbacks of events only.
    pub only_inside: bool,
    /// The call.
    pub call: Call,
}

/// The deviation of such a JVM that the finding shows, if it is a listed one.
pub fn deviation<'d>(
    finding: &Finding,
    listed: &'d [Deviation],
    jvm: &Jvm,
    vm_options: &[String],
) -> Option<&'d Deviation> {
    let ids = finding.ids();
    let is_it = |case: &String| ids.contains(case);
    listed.iter().find(|deviation| deviation.cases.iter().any(is_it) && deviation.on.contain(jvm, vm_options))
}

/// The calls that end the JVM in the explored cases by which it is known to crash or hang.
pub fn ends(set: &CaseSet, identity: &Identity, vm_options: &[String], tables: &Tables) -> Vec<Ending> {
    let listed: Vec<&Deviation> = set.known().collect();
    let ends = |case: &&Case| {
        listed.iter().any(|deviation| {
            matches!(deviation.shows, Shows::Crash | Shows::Timeout)
                && deviation.cases.contains(&case.id)
                && deviation.on.contain(&identity.jvm, vm_options)
        })
    };
    let is_of_it = |file: &&SourceFile| file.name.starts_with("explored/") || file.name == "scenarios.yaml";
    let explored = CaseSet::read(set.sources().filter(is_of_it).cloned()).ok();
    let selection = explored.and_then(|set| set.for_release(&tables.edition).ok()).unwrap_or_default();
    selection.cases.iter().filter(ends).flat_map(|case| calls(tables, case)).collect()
}

/// The calls, also in callbacks, of functions about which the case cites statements; if there are none, its last call.
fn calls(tables: &Tables, case: &Case) -> Vec<Ending> {
    let moment = case.steps.iter().rev().find_map(|step| Moment::of(&step.plan.at));
    let Some(moment) = moment else { return vec![] };
    let actions = case.steps.iter().map(|step| &step.plan.action);
    let inside = case.handlers.iter().flat_map(|handler| &handler.actions);
    let all: Vec<Call> = inside.chain(actions).filter_map(call).collect();
    let is_cited = |call: &&Call| {
        let name = tables.function(call.function).map_or("", |function| function.name.as_str());
        case.citations().any(|id| id.split_once('#').is_some_and(|(function, _)| function == name))
    };
    let cited: Vec<Call> = all.iter().filter(is_cited).cloned().collect();
    let calls = if cited.is_empty() { all.into_iter().next_back().into_iter().collect() } else { cited };
    // The end of the name that such findings are given.
    let only_inside = case.id.ends_with("-in-a-callback");
    calls.into_iter().map(|call| Ending { moment, only_inside, call }).collect()
}

fn call(action: &Action) -> Option<Call> {
    match action {
        Action::Call { environment, function, args, .. } => {
            let (environment, function, args, on) =
                (*environment, *function, args.clone(), OnThread::Current);
            Some(Call { environment, function, args, on, save: None })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jvmti_cases::built_in;
    use jvmti_spec::Release;

    use super::*;

    fn called(release: u16, id: &str) -> Vec<String> {
        let tables = Tables::new(Release(release));
        let set = built_in::case_files(None).unwrap();
        let selection = set.for_release(&tables.edition).unwrap();
        let case = selection.cases.iter().find(|case| case.id == id).unwrap();
        let name = |ending: Ending| {
            let place = if ending.only_inside { " in a callback" } else { "" };
            tables.function(ending.call.function).unwrap().name.clone() + place
        };
        calls(&tables, case).into_iter().map(name).collect()
    }

    #[test]
    fn what_a_case_does_besides_does_not_end_a_jvm() {
        let mut running = called(11, "explored/get-local-of-a-running-thread-crashed");
        running.dedup();
        let getters =
            ["Instance", "Int", "Object", "Long", "Float", "Double"].map(|of| format!("GetLocal{of}"));
        assert_eq!(running, getters);
        assert_eq!(called(25, "explored/get-stack-trace-crashed"), ["GetStackTrace"]);
        let interrupting = called(21, "explored/suspend-thread-hung-in-a-callback");
        assert_eq!(interrupting, ["SuspendThread in a callback"]);
    }
}
