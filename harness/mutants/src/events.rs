//! Mutants of events.

use jvmti_spec::Edition;
use jvmti_spec::ctype::invalid_error;
use jvmti_spec::edition::{Event, Phase};

use crate::mutant::{Mutant, Numbers};
use crate::mutation::Mutation;
use crate::rules::Rules;

/// Arguments of SetEventNotificationMode.
const MODE: i64 = 1;
const EVENT_TYPE: i64 = 2;
const EVENT_THREAD: i64 = 3;

/// All mutants of all events.
pub(crate) fn mutants(edition: &Edition) -> Vec<Mutant> {
    let mut out = Vec::new();
    for event in &edition.events {
        let mut of = OfEvent { edition, event, out: &mut out };
        of.sending();
        of.parameters();
        of.capabilities();
        of.threads_and_phases();
    }
    out
}

struct OfEvent<'a> {
    edition: &'a Edition,
    event: &'a Event,
    out: &'a mut Vec<Mutant>,
}

impl OfEvent<'_> {
    fn add(&mut self, what: &str, does: &str, mutation: Mutation, breaks: Rules) {
        let name = &self.event.name;
        let (id, does) = (format!("{name}/{what}"), format!("{name} {does}"));
        self.out.push(Mutant { id, does, mutation, breaks, subject: name.clone() });
    }

    fn row(&self, row: &str) -> Rules {
        Rules::ids([format!("{}#{row}", self.event.name)])
    }

    /// A change in how the JVM sends the event.
    fn sent(&self) -> Mutation {
        Mutation::default().event(self.edition.callback(self.event.number))
    }

    /// A change in how the JVM takes the agent's wish for the event.
    fn set(&self) -> Mutation {
        let slot = self.edition.slot("SetEventNotificationMode");
        Mutation::default().function(slot).is(EVENT_TYPE, self.event.number.into())
    }

    fn sending(&mut self) {
        let results = || Rules::of(&self.event.name);
        let (dropped, twice) = (results(), results());
        let enabled = || self.row("disabled").and("universal/event-only-when-enabled");
        let (strangers, disabled) = (enabled(), enabled());
        let disable = self.edition.constant(Some("jvmtiEventMode"), "JVMTI_DISABLE").unwrap_or_default();
        self.add("dropped", "is not sent", self.sent().drop(1), dropped);
        self.add("twice", "is sent twice", self.sent().twice(1), twice);
        let does = "is sent to environments that have not enabled it";
        self.add("strangers", does, self.sent().strangers(1), strangers);
        let does = "goes on being sent when it is disabled";
        self.add("not-disabled", does, self.set().also(MODE, disable).answer_instead(0), disabled);
    }

    fn parameters(&mut self) {
        for (index, param) in (1..).zip(&self.event.params) {
            let p = &param.name;
            let breaks = self.row(&format!("params/{p}"));
            if param.c_type.ends_with('*') || invalid_error(&param.c_type).is_some() {
                let does = format!("passes a null {p}");
                self.add(&format!("params/{p}/null"), &does, self.sent().nothing(index), breaks);
            } else {
                let does = format!("passes one more in {p}");
                self.add(&format!("params/{p}/more"), &does, self.sent().more(index), breaks);
            }
        }
    }

    fn capabilities(&mut self) {
        let must = self.edition.code("MUST_POSSESS_CAPABILITY");
        for name in &self.event.capabilities.required {
            let Some(bit) = self.edition.capability(name).map(|c| c.bit.into()) else { continue };
            let row = format!("capability/{name}");
            let (does, breaks) = (format!("can be enabled without {name}"), self.row(&row));
            self.add(&format!("{row}/none"), &does, self.set().lacks(bit).error(must).answer(0), breaks);
        }
    }

    fn threads_and_phases(&mut self) {
        let filter = self.row("thread-filter");
        if self.event.thread_filterable {
            let does = "is enabled for all threads where one is named";
            let breaks = filter.and("universal/event-only-when-enabled");
            self.add("thread-filter/ignored", does, self.set().set(EVENT_THREAD, 0), breaks);
        } else {
            let illegal = self.edition.code("ILLEGAL_ARGUMENT");
            let change = self.set().given(EVENT_THREAD).error(illegal).answer(0);
            self.add("thread-filter/none", "can be enabled for one thread", change, filter);
        }
        if !self.event.phases.contains(&Phase::OnLoad) {
            let early = self.sent().early(1).phase(self.edition.phase(Phase::OnLoad));
            let breaks = self.row("phases").and("universal/event-in-its-phases");
            self.add("phases/onload", "is sent in the onload phase", early, breaks);
        }
    }
}
