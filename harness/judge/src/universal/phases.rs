//! The JVM sends an event only in the phases that the specification lists for it.
//!
//! The rule reports an event that comes too early on a thread that shows the phase: before the first VMStart of any
//! environment, or before a GetPhase that still returns the start phase. VMInit does not show the phase: the specification
//! lets other events precede it, and JVMs are in the live phase some time before they send it. Records of other threads may
//! have raced. An environment with can_generate_early_vmstart may be in the start phase before others, so their VMStart
//! says nothing about it.

use std::collections::{HashMap, HashSet};

use jvmti_spec::edition::Phase;
use jvmti_traces::{Names, phase};
use jvmti_wire::trace::{Body, EntryPoint, Record};
use jvmti_wire::value::Value;

use super::{Kind, Observed, Returned, Sent, UniversalRule};

const EARLY: &str = "can_generate_early_vmstart";
const EARLY_BIT: usize = 41;
const PHASE_START: i64 = 6;

/// An event that came in a phase that may not be one of its own.
struct Suspect {
    thread: u32,
    name: String,
    shown: String,
    phases: Vec<Phase>,
}

#[derive(Default)]
pub(super) struct Phases {
    /// The thread that is in `Agent_OnLoad`.
    loading: Option<u32>,
    started: bool,
    live: bool,
    early: HashSet<u32>,
    /// By thread and event: they are judged once the phase's end is seen.
    suspects: HashMap<(u32, u16), Suspect>,
    observed: Observed,
}

impl Phases {
    /// The phases named here end on this thread now: events seen on it that come in none of them came too early.
    fn end(&mut self, thread: u32, ending: &[Phase], seen: &str) {
        let mut ended: Vec<Suspect> = Vec::new();
        self.suspects.retain(|(on, _), suspect| {
            let judged = *on == thread && !suspect.phases.iter().any(|p| ending.contains(p));
            if judged {
                ended.push(suspect.take());
            }
            !judged
        });
        ended.sort_by(|a, b| a.name.cmp(&b.name));
        for suspect in ended {
            let phases: Vec<&str> = suspect.phases.iter().map(|p| phase(*p)).collect();
            let expected = format!("{} only in these phases: {}", suspect.name, phases.join(", "));
            let observed = || format!("it came before {seen}, on thread {}", suspect.thread);
            self.observed.broken(|| suspect.shown.clone(), &expected, observed);
        }
    }
}

impl Suspect {
    fn take(&mut self) -> Suspect {
        Suspect {
            thread: self.thread,
            name: std::mem::take(&mut self.name),
            shown: std::mem::take(&mut self.shown),
            phases: std::mem::take(&mut self.phases),
        }
    }
}

impl UniversalRule for Phases {
    fn assertion(&self) -> &'static str {
        "universal/event-in-its-phases"
    }

    fn sent(&mut self, event: &Sent<'_>) {
        self.observed.occasions += 1;
        if self.live {
            return;
        }
        let thread = event.record.thread;
        match event.kind {
            Kind::VmStart if !self.started => {
                self.started = true;
                return self.end(thread, &[Phase::OnLoad, Phase::Primordial], "VMStart");
            }
            Kind::VmInit => {
                self.live = true;
                return self.suspects.clear();
            }
            _ => {}
        }
        if self.loading == Some(thread) && !event.event.phases.contains(&Phase::OnLoad) {
            let expected = format!("no {} in Agent_OnLoad", event.event.name);
            let place = || event.names.event_with(event.event.number, event.args);
            return self.observed.broken(place, &expected, || "it came there".to_owned());
        }
        let phases = &event.event.phases;
        let fits_so_far = match self.started {
            true => phases.contains(&Phase::Start),
            false => phases.contains(&Phase::Primordial),
        };
        if !fits_so_far && (self.started || !self.early.contains(&event.environment)) {
            self.suspects.entry((thread, event.event.number)).or_insert_with(|| Suspect {
                thread,
                name: event.event.name.clone(),
                shown: event.names.event_with(event.event.number, event.args),
                phases: phases.clone(),
            });
        }
    }

    fn returned(&mut self, call: &Returned<'_>) {
        let in_start = || call.outputs.iter().any(|(_, value)| *value == Value::Int(PHASE_START));
        let tells = !self.live && call.code == 0 && call.function.name == "GetPhase";
        if tells && !self.early.contains(&call.call.environment) && in_start() {
            let ending = [Phase::OnLoad, Phase::Primordial, Phase::Start];
            self.end(call.record.thread, &ending, "GetPhase answered JVMTI_PHASE_START");
        }
        if !self.live && call.code == 0 && call.function.name == "AddCapabilities" {
            let asks = match call.call.args.first() {
                Some(Value::Bytes(bits)) => {
                    bits.get(EARLY_BIT / 8).is_some_and(|b| b >> (EARLY_BIT % 8) & 1 == 1)
                }
                Some(value) => value.field(EARLY).and_then(Value::as_int).is_some_and(|bit| bit != 0),
                None => false,
            };
            if asks {
                self.early.insert(call.call.environment);
            }
        }
    }

    fn other(&mut self, record: &Record, _names: &Names<'_>) {
        match record.body {
            Body::Entry(EntryPoint::OnLoad) => self.loading = Some(record.thread),
            Body::EntryReturned { entry: EntryPoint::OnLoad, .. } => self.loading = None,
            // An agent that comes to a running VM finds it live.
            Body::Entry(EntryPoint::OnAttach) => self.live = true,
            _ => {}
        }
    }

    fn observed(self: Box<Self>) -> Observed {
        self.observed
    }
}
