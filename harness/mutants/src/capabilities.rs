//! Mutants of capabilities, of thread states, and of the names of errors: of each bit and each number.

use jvmti_spec::Edition;

use crate::mutant::{Mutant, Numbers};
use crate::mutation::{Mutation, Place};
use crate::rules::Rules;

/// Bytes of `jvmtiCapabilities`.
const BYTES: i64 = 16;

/// All of them.
pub(crate) fn mutants(edition: &Edition) -> Vec<Mutant> {
    let mut all = Vec::new();
    capabilities(edition, &mut all);
    thread_states(edition, &mut all);
    error_names(edition, &mut all);
    all
}

/// A mutant of `function` that is about `subject`.
fn mutant(
    edition: &Edition,
    (subject, function): (&str, &str),
    (what, does): (&str, &str),
    change: impl FnOnce(Mutation) -> Mutation,
    breaks: Rules,
) -> Mutant {
    Mutant {
        id: format!("{subject}/{what}"),
        does: format!("{function} {does}"),
        mutation: change(Mutation::default().function(edition.slot(function))),
        breaks,
        subject: subject.to_owned(),
    }
}

/// What an argument points to.
fn target(argument: i64) -> Place {
    Place { argument, dereferences: 0, offset: 0 }
}

fn capabilities(edition: &Edition, all: &mut Vec<Mutant>) {
    let unavailable = edition.code("NOT_AVAILABLE");
    for capability in &edition.capabilities {
        let (name, bit) = (&capability.name, i64::from(capability.bit));
        let row = |row: &str| Rules::ids([format!("{name}#{row}")]);
        let laws = || Rules::ids(["initial", "relinquish"].map(|law| format!("{name}#{law}")));
        let mut add = |on: &str, what: &str, does: &str, change: &dyn Fn(Mutation) -> Mutation, breaks| {
            all.push(mutant(edition, (name, on), (what, &format!("{does} {name}")), change, breaks));
        };
        let (set, unset) =
            (|m: Mutation| m.place(target(1)).bit(bit), |m: Mutation| m.place(target(1)).unset(bit));
        let unbit = |m: Mutation| m.unbit(1, bit, BYTES);
        let (get, potential) = ("GetCapabilities", "GetPotentialCapabilities");
        add(get, "possessed", "always tells", &set, laws());
        add(get, "not-possessed", "never tells", &unset, row("add"));
        add(potential, "not-potential", "never tells", &unset, row("unavailable"));
        add(potential, "potential", "always tells", &set, row("potential"));
        let ask = "AddCapabilities";
        add(ask, "not-added", "adds all but", &unbit, row("add"));
        let refused = |m: Mutation| m.asked(1, bit).answer_instead(unavailable);
        add(ask, "refused", "answers NOT_AVAILABLE to", &refused, row("potential"));
        let granted = |m: Mutation| m.asked(1, bit).error(unavailable).answer(0);
        add(ask, "unavailable", "answers NONE where it does not have", &granted, row("unavailable"));
        add("RelinquishCapabilities", "not-relinquished", "relinquishes all but", &unbit, row("relinquish"));
    }
}

fn thread_states(edition: &Edition, all: &mut Vec<Mutant>) {
    const GROUP: &str = "JVMTI_THREAD_STATE_";
    const FUNCTION: &str = "GetThreadState";
    let constants = edition.constants.iter().flat_map(|group| &group.constants);
    for constant in constants.filter(|c| c.value.count_ones() == 1) {
        let name = constant.name.strip_prefix(GROUP).filter(|name| !name.starts_with("VENDOR"));
        let (Some(name), value) = (name, constant.value) else { continue };
        let breaks = || Rules::ids(["thread-state/*", "universal/thread-state-bits"]);
        let mut add = |what: &str, does: &str, change: &dyn Fn(Mutation) -> Mutation| {
            let (what, does) = (format!("state/{name}/{what}"), format!("{does} tells {name}"));
            all.push(mutant(edition, (FUNCTION, FUNCTION), (&what, &does), change, breaks()));
        };
        add("set", "always", &|m| m.place(target(2)).or(value));
        add("clear", "never", &|m| m.place(target(2)).clear(value));
    }
}

fn error_names(edition: &Edition, all: &mut Vec<Mutant>) {
    const FUNCTION: &str = "GetErrorName";
    let text = Place { argument: 2, dereferences: 1, offset: 0 };
    for error in &edition.errors {
        let (name, number) = (&error.name, i64::from(error.number));
        let (what, does) = (format!("name/{name}"), format!("has another name for {name}"));
        let breaks = Rules::ids([format!("JVMTI_ERROR_{name}#number")]);
        let change = |m: Mutation| m.is(1, number).place(text).add(1, 1);
        all.push(mutant(edition, (FUNCTION, FUNCTION), (&what, &does), change, breaks));
    }
}
