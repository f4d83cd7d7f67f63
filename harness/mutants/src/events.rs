//! Mutants of events.

use jvmti_spec::Edition;
use jvmti_spec::edition::{Event, Phase};

use crate::mutant::{Mutant, Rules, code, number};

/// Number of the first event: callbacks are counted from it.
pub(crate) const FIRST: u16 = 50;
/// SetEventNotificationMode: its place, and those of its arguments.
const SET_MODE: u16 = 2;
const DISABLE: i64 = 0;

/// All mutants of all events.
pub(crate) fn mutants(edition: &Edition) -> Vec<Mutant> {
    edition.events.iter().flat_map(|event| of(edition, event)).collect()
}

fn of(edition: &Edition, event: &Event) -> Vec<Mutant> {
    let Event { name, number: n, .. } = event;
    let mut all = Vec::new();
    let mut add = |what: &str, does: &str, mutation: String, breaks: Rules| {
        let (id, does) = (format!("{name}/{what}"), format!("{name} {does}"));
        all.push(Mutant { id, does, mutation, breaks, subject: name.clone() });
    };
    let results = || Rules::of(name);
    let row = |row: &str| Rules::ids([format!("{name}#{row}")]);
    let rows =
        |own: &str, universal: &str| Rules::ids([format!("{name}#{own}"), format!("universal/{universal}")]);
    let sent = |change: &str| format!("event={};{change}", n - FIRST);
    let set = |change: &str| format!("function={SET_MODE};is=2:{n};{change}");
    add("dropped", "is not sent", sent("drop=1"), results());
    add("twice", "is sent twice", sent("twice=1"), results());
    let does = "is sent to environments that have not enabled it";
    add("strangers", does, sent("strangers=1"), rows("enable", "event-only-when-enabled"));
    add(
        "not-disabled",
        "goes on being sent when it is disabled",
        set(&format!("also=1:{DISABLE};answer=0;instead=1")),
        rows("enable", "event-only-when-enabled"),
    );
    for (index, param) in event.params.iter().enumerate().map(|(i, p)| (i + 1, p)) {
        let pointer =
            param.c_type.ends_with('*') || jvmti_spec::ctype::invalid_error(&param.c_type).is_some();
        let (what, change) = if pointer { ("null", "nothing") } else { ("more", "more") };
        let breaks = Rules::ids([format!("{name}#params/{}", param.name)]);
        let p = &param.name;
        let does = if pointer { format!("passes a null {p}") } else { format!("passes one more in {p}") };
        add(&format!("params/{p}/{what}"), &does, sent(&format!("{change}={index}")), breaks);
    }
    for name in &event.capabilities.required {
        if let Some(bit) = edition.capability(name).map(|c| c.bit) {
            let must = code(edition, "MUST_POSSESS_CAPABILITY");
            let change = set(&format!("lacks={bit};error={must};answer=0"));
            let does = format!("can be enabled without {name}");
            add(&format!("capability/{name}/none"), &does, change, row(&format!("capability/{name}")));
        }
    }
    if event.thread_filterable {
        add(
            "thread-filter/ignored",
            "is enabled for all threads where one is named",
            set("set=3:0"),
            rows("thread-filter", "event-only-when-enabled"),
        );
    } else {
        let illegal = code(edition, "ILLEGAL_ARGUMENT");
        let change = set(&format!("given=3;error={illegal};answer=0"));
        add("thread-filter/none", "can be enabled for one thread", change, row("thread-filter"));
    }
    if !event.phases.contains(&Phase::OnLoad) {
        let early = sent(&format!("early=1;phase={}", number(Phase::OnLoad)));
        add("phases/onload", "is sent in the onload phase", early, rows("phases", "event-in-its-phases"));
    }
    all
}
