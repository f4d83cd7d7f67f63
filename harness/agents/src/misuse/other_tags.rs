//! A rule on agents with several environments that look for a tag in another one than they set it in.

use std::collections::BTreeMap;

use jvmti_wire::Value;
use jvmti_wire::trace::Record;

use super::{End, Info, MisuseRule, Severity, Violations, When};
use crate::agent_state::{AgentState, TraceEvent};

pub(super) static OTHER: Info = Info {
    id: "tag/other-environment",
    severity: Severity::Warning,
    anchor: "Heap",
    says: "get a tag in the environment that set it: each environment has tags of its own",
};

/// What an environment did with tags.
#[derive(Default)]
struct Tags {
    /// It has set tags, or may have, while it walked the heap.
    sets: bool,
    /// The first call that looked for a tag.
    looked: Option<(String, u32, When)>,
    times: u64,
}

#[derive(Default)]
pub(super) struct OtherTags(BTreeMap<u32, Tags>);

impl MisuseRule for OtherTags {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        _: &mut Violations,
    ) {
        let TraceEvent::Returned { call, code: 0, .. } = trace_event else { return };
        let name = state.names.function(call.function);
        match name.as_ref() {
            "SetTag" if call.args.get(1) != Some(&Value::Int(0)) => {
                self.0.entry(call.environment).or_default().sets = true;
            }
            "GetTag" | "GetObjectsWithTags" => {
                let tags = self.0.entry(call.environment).or_default();
                tags.looked.get_or_insert_with(|| (name.into_owned(), call.site, record.into()));
                tags.times += 1;
            }
            _ if name.starts_with("Iterate") || name == "FollowReferences" => {
                self.0.entry(call.environment).or_default().sets = true;
            }
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        for (environment, tags) in self.0.iter().filter(|_| end.gapless) {
            let Some((function, site, when)) = tags.looked.as_ref().filter(|_| !tags.sets) else { continue };
            let library = state.library(*environment);
            let is_other = |other: &u32| other != environment && state.library(*other) == library;
            let Some((other, _)) = self.0.iter().find(|(other, tags)| tags.sets && is_other(other)) else {
                continue;
            };
            found.add(&OTHER, (state, *when), (*site, function), || {
                let times = tags.times;
                format!(
                    "{function} of environment {environment}, {times} times, which has set no tag; environment {other} of \
                     {library} has"
                )
            });
        }
    }
}
