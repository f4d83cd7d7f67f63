//! Rules on agents with several environments that look for a tag, or for local storage, in another one than they set it in.

use std::collections::BTreeMap;

use jvmti_wire::Value;
use jvmti_wire::trace::Record;

use super::{End, Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static TAG: Info = Info {
    id: "tag/other-environment",
    severity: Severity::Warning,
    anchor: "Heap",
    says: "get a tag in the environment that set it: each environment has tags of its own",
};
pub(super) static STORAGE: Info = Info {
    id: "storage/other-environment",
    severity: Severity::Warning,
    anchor: "environments",
    says: "get local storage in the environment that set it: each environment has its own, for itself and for each thread",
};

/// What an environment has of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Tags,
    OfThreads,
    OfEnvironment,
}

impl Kind {
    fn rule(self) -> &'static Info {
        match self {
            Kind::Tags => &TAG,
            Kind::OfThreads | Kind::OfEnvironment => &STORAGE,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Tags => "tag",
            Kind::OfThreads => "storage of a thread",
            Kind::OfEnvironment => "storage",
        }
    }
}

/// What an environment did with what it has of its own.
#[derive(Default)]
struct Own {
    /// It has set some, or may have, while it walked the heap.
    sets: bool,
    /// The first call that looked for some.
    looked: Option<(String, u32, When)>,
    times: u64,
}

#[derive(Default)]
pub(super) struct OtherEnvironments(BTreeMap<(Kind, u32), Own>);

/// Whether the function sets what is in its last argument, or looks for something, and of which kind.
fn kind(function: &str) -> Option<(Kind, bool)> {
    match function {
        "SetTag" => Some((Kind::Tags, true)),
        "GetTag" | "GetObjectsWithTags" => Some((Kind::Tags, false)),
        "SetThreadLocalStorage" => Some((Kind::OfThreads, true)),
        "GetThreadLocalStorage" => Some((Kind::OfThreads, false)),
        "SetEnvironmentLocalStorage" => Some((Kind::OfEnvironment, true)),
        "GetEnvironmentLocalStorage" => Some((Kind::OfEnvironment, false)),
        _ if function.starts_with("Iterate") || function == "FollowReferences" => Some((Kind::Tags, true)),
        _ => None,
    }
}

impl MisuseRule for OtherEnvironments {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        let TraceEvent::Returned { call, code: 0, .. } = trace_event else { return };
        let name = state.names.function(call.function);
        let Some((kind, sets)) = kind(&name) else { return };
        let own = self.0.entry((kind, call.environment)).or_default();
        if !sets {
            own.looked.get_or_insert_with(|| (name.into_owned(), call.site, record.into()));
            own.times += 1;
            return;
        }
        let is_nothing =
            name.starts_with("Set") && matches!(call.args.last(), Some(Value::Int(0) | Value::Null));
        own.sets |= !is_nothing;
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        for ((kind, environment), own) in self.0.iter().filter(|_| end.gapless) {
            let Some((function, site, when)) = own.looked.as_ref().filter(|_| !own.sets) else { continue };
            let library = state.library(*environment);
            let is_other = |of: &Kind, other: &u32| {
                of == kind && other != environment && state.library(*other) == library
            };
            let mut others = self.0.iter().filter(|(_, own)| own.sets);
            let Some(((_, other), _)) = others.find(|((of, other), _)| is_other(of, other)) else { continue };
            found.add(kind.rule(), (state, *when), (*site, function), || {
                let (times, kind) = (own.times, kind.name());
                format!(
                    "{function} of environment {environment}, {times} times, which has set no {kind}; environment {other} of \
                     {library} has"
                )
            });
        }
    }
}
