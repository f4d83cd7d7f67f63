//! One pass over the trace of an agent: everything that its commands show.

use std::path::Path;

use jvmti_spec::{Release, Spec};
use jvmti_wire::trace::{Body, Record, TraceError, TraceFile};

use crate::agent_state::{AgentState, TraceEvent};
use crate::java_agents::JavaAgents;
use crate::misuse::{self, End, Misuse, Violation};
use crate::record::Described;
use crate::{Behaviour, Digest, Symbols};

/// How many records at the start of a trace may come before the one that names the JVM's version.
const IDENTITY_WITHIN: usize = 10_000;

/// What a trace says about the agents in it.
pub struct Reading {
    /// What the agents did, in a form that can be compared with that on another JVM.
    pub behaviour: Behaviour,
    /// How often the agents called what, and how long it took.
    pub digest: Digest,
    /// The misuse rules that the agents broke, the worst first.
    pub findings: Vec<Violation>,
    /// The release of the JVM.
    pub release: Release,
    /// How the recording was made, if the plan says so.
    pub described: Option<Described>,
}

impl Reading {
    /// Reads the whole trace. `path` is where it lies, for the commands that findings suggest.
    pub fn of(file: &TraceFile, path: &Path) -> Result<Reading, TraceError> {
        Reading::with(file, path, Symbols::default(), &mut |_, _| {})
    }

    /// Reads the whole trace with source lines from `symbols`, and passes each trace event to `observe`.
    pub fn with(
        file: &TraceFile,
        path: &Path,
        symbols: Symbols,
        observe: &mut dyn FnMut(&AgentState<'_>, &TraceEvent<'_>),
    ) -> Result<Reading, TraceError> {
        let reader = file.reader()?;
        let release = release(reader.records().take(IDENTITY_WITHIN)).unwrap_or(Release::NEWEST);
        let edition = Spec::embedded().at(release);
        let mut state = AgentState::new(&edition);
        state.symbols = symbols.recorded_at(reader.started());
        let described = Described::of(reader.plan());
        state.java_agents = described.as_ref().map(JavaAgents::of).unwrap_or_default();
        let mut digest = Digest::default();
        let mut misuse = Misuse::default();
        let mut behaviour = Behaviour::default();
        let mut records = reader.records();
        for record in records.by_ref() {
            file.pass(record.seq);
            state.take(&record, &mut |state, record, trace_event| {
                digest.observe(state, record, trace_event);
                behaviour.observe(state, record, trace_event);
                misuse.observe(state, record, trace_event);
                observe(state, trace_event);
            });
        }
        digest.finish(&state, records.summary());
        let intercepted = reader.plan().intercept.as_ref();
        let complete = intercepted.is_some_and(|all| all.functions.is_none() && all.libraries.is_none());
        let mut findings = misuse.finish(&state, End::of(records.summary(), complete, digest.ended));
        misuse::add_next_commands(&mut findings, path);
        behaviour.finish(&state, &digest, &findings);
        Ok(Reading { behaviour, digest, findings, release, described })
    }
}

/// The release of the JVM that these records are of, if one of them names it.
fn release(records: impl IntoIterator<Item = Record>) -> Option<Release> {
    records.into_iter().find_map(|record| match record.body {
        Body::Identity { key, value } if key == "jvmti.version" => {
            let major: u16 = value.split('.').next()?.parse().ok()?;
            // Up to JDK 8 the version is 1.x.
            Some(Release(if major < 9 { 8 } else { major }))
        }
        _ => None,
    })
}
