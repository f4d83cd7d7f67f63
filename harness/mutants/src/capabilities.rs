//! Mutants of capabilities, of thread states, and of the names of errors: of each bit and each number.

use jvmti_spec::Edition;

use crate::mutant::{Mutant, Rules, code};

/// Bytes of `jvmtiCapabilities`.
const BYTES: usize = 16;

/// All of them.
pub(crate) fn mutants(edition: &Edition) -> Vec<Mutant> {
    let mut all = Vec::new();
    capabilities(edition, &mut all);
    thread_states(edition, &mut all);
    error_names(edition, &mut all);
    all
}

/// A mutant of a function.
fn function(
    edition: &Edition,
    subject: &str,
    name: &str,
    what: &str,
    does: &str,
    mutation: &str,
    breaks: Rules,
) -> Mutant {
    let slot = edition.function(name).map_or(0, |f| f.slot);
    Mutant {
        id: format!("{subject}/{what}"),
        does: format!("{name} {does}"),
        mutation: format!("function={slot};{mutation}"),
        breaks,
        subject: subject.to_owned(),
    }
}

fn capabilities(edition: &Edition, all: &mut Vec<Mutant>) {
    let unavailable = code(edition, "NOT_AVAILABLE");
    for capability in &edition.capabilities {
        let (name, bit) = (&capability.name, capability.bit);
        let row = |row: &str| Rules::ids([format!("{name}#{row}")]);
        let mut add = |on: &str, what: &str, does: &str, mutation: String, breaks: Rules| {
            all.push(function(edition, name, on, what, &format!("{does} {name}"), &mutation, breaks));
        };
        add(
            "GetCapabilities",
            "possessed",
            "always tells",
            format!("place=1:0:0;bit={bit}"),
            Rules::ids(["initial", "relinquish"].map(|law| format!("{name}#{law}"))),
        );
        add(
            "GetCapabilities",
            "not-possessed",
            "never tells",
            format!("place=1:0:0;unset={bit}"),
            row("add"),
        );
        add(
            "GetPotentialCapabilities",
            "not-potential",
            "never tells",
            format!("place=1:0:0;unset={bit}"),
            row("unavailable"),
        );
        add(
            "GetPotentialCapabilities",
            "potential",
            "always tells",
            format!("place=1:0:0;bit={bit}"),
            row("potential"),
        );
        add("AddCapabilities", "not-added", "adds all but", format!("unbit=1:{bit}:{BYTES}"), row("add"));
        add(
            "AddCapabilities",
            "refused",
            "answers NOT_AVAILABLE to",
            format!("asked=1:{bit};answer={unavailable};instead=1"),
            row("potential"),
        );
        add(
            "AddCapabilities",
            "unavailable",
            "answers NONE where it does not have",
            format!("asked=1:{bit};error={unavailable};answer=0"),
            row("unavailable"),
        );
        add(
            "RelinquishCapabilities",
            "not-relinquished",
            "relinquishes all but",
            format!("unbit=1:{bit}:{BYTES}"),
            row("relinquish"),
        );
    }
}

fn thread_states(edition: &Edition, all: &mut Vec<Mutant>) {
    const GROUP: &str = "JVMTI_THREAD_STATE_";
    let constants = edition.constants.iter().flat_map(|group| &group.constants);
    for constant in constants.filter(|c| c.value.count_ones() == 1) {
        let Some(name) = constant.name.strip_prefix(GROUP) else { continue };
        if name.starts_with("VENDOR") {
            continue;
        }
        let value = constant.value;
        for (what, does, change) in [("set", "always", "or"), ("clear", "never", "clear")] {
            let (what, does) = (format!("state/{name}/{what}"), format!("{does} tells {name}"));
            let mutation = format!("place=2:0:0;{change}={value}");
            let breaks = Rules::ids(["thread-state/*", "universal/thread-state-bits"]);
            all.push(function(edition, "GetThreadState", "GetThreadState", &what, &does, &mutation, breaks));
        }
    }
}

fn error_names(edition: &Edition, all: &mut Vec<Mutant>) {
    for error in &edition.errors {
        let name = &error.name;
        let mutation = format!("is=1:{};place=2:1:0;add=1:1", error.number);
        let breaks = Rules::ids([format!("JVMTI_ERROR_{name}#number")]);
        let does = format!("has another name for {name}");
        all.push(function(
            edition,
            "GetErrorName",
            "GetErrorName",
            &format!("name/{name}"),
            &does,
            &mutation,
            breaks,
        ));
    }
}
