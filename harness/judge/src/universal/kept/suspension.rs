//! A thread that SuspendThread has suspended is suspended until it is resumed.
//!
//! Up to release 22 Java code can suspend and resume threads as well, which no trace tells; then only cases are judged, whose
//! programs do not do so.

use jvmti_spec::{Edition, Release};
use jvmti_traces::Names;
use jvmti_wire::trace::{Body, Record};
use jvmti_wire::value::{ObjectId, Value};
use rustc_hash::FxHashMap;

use super::super::{Begun, Observed, Returned, UniversalRule};
use super::{Kept, by_slot};

#[derive(Clone, Copy)]
enum Role {
    Suspends,
    Resumes,
    /// Tells the state.
    Tells,
    /// May suspend or resume any thread.
    Sweeps,
}

const ROLES: [(&str, Role); 7] = [
    ("SuspendThread", Role::Suspends),
    ("ResumeThread", Role::Resumes),
    ("GetThreadState", Role::Tells),
    ("SuspendThreadList", Role::Sweeps),
    ("ResumeThreadList", Role::Sweeps),
    ("SuspendAllVirtualThreads", Role::Sweeps),
    ("ResumeAllVirtualThreads", Role::Sweeps),
];

const ALIVE: i64 = 1;
const SUSPENDED: i64 = 0x10_0000;

pub(in super::super) struct Suspension {
    roles: FxHashMap<u16, Role>,
    kept: Kept<ObjectId, bool>,
    /// The codes for a thread that is suspended, and for one that is not.
    codes: [Option<i32>; 2],
    /// Whether Java code cannot resume threads.
    agents_only: bool,
    blind: bool,
    observed: Observed,
}

impl Suspension {
    pub(in super::super) fn new(spec: &Edition) -> Self {
        let code = |name: &str| spec.error(name).map(|error| error.number);
        Suspension {
            roles: by_slot(spec, ROLES),
            kept: Kept::default(),
            codes: ["THREAD_SUSPENDED", "THREAD_NOT_SUSPENDED"].map(code),
            agents_only: spec.release >= Release(23),
            blind: false,
            observed: Observed::default(),
        }
    }

    /// Whether what a call has said agrees with what is known. `None`: it says nothing of it.
    fn agrees(&self, role: Role, is_suspended: bool, call: &Returned<'_>) -> Option<bool> {
        let [suspended, not_suspended] = self.codes;
        match role {
            Role::Suspends | Role::Resumes => {
                let suspends = matches!(role, Role::Suspends);
                let refusal = if suspends { suspended } else { not_suspended };
                let is_refused = Some(call.code) == refusal;
                (call.code == 0 || is_refused).then_some(is_refused == (is_suspended == suspends))
            }
            Role::Tells if call.code == 0 => {
                let state = call.output(1)?.as_int()?;
                (state & ALIVE != 0).then_some((state & SUSPENDED != 0) == is_suspended)
            }
            _ => None,
        }
    }
}

impl UniversalRule for Suspension {
    fn assertion(&self) -> &'static str {
        "universal/suspended-until-resumed"
    }

    fn begun(&mut self, call: &Begun<'_>) {
        let Some(role) = self.roles.get(&call.function.slot) else { return };
        match (role, call.args.first()) {
            (Role::Sweeps, _) => self.kept.begin_sweep(call.number, |_| true),
            (Role::Tells, Some(Value::Object(thread))) => self.kept.begin(call.number, *thread, false),
            (_, Some(Value::Object(thread))) => self.kept.begin(call.number, *thread, true),
            (Role::Tells, _) => {}
            _ => self.kept.begin_sweep(call.number, |_| true),
        }
    }

    fn returned(&mut self, call: &Returned<'_>) {
        let Some(role) = self.roles.get(&call.function.slot).copied() else { return };
        let Some(ended) = self.kept.end(call.call.number, |_| true) else { return };
        if let Some(is_suspended) = ended.known.filter(|_| self.agents_only || call.of_case)
            && let Some(agrees) = self.agrees(role, is_suspended, call)
        {
            self.observed.occasions += 1;
            if !agrees {
                let place = || call.place();
                let expected = if is_suspended {
                    "a thread that is suspended"
                } else {
                    "a thread that has been resumed"
                };
                let result = || call.names.result(call.function.slot, call.code, call.outputs);
                self.observed.broken(place, expected, result);
            }
        }
        match role {
            Role::Suspends | Role::Resumes if call.code == 0 => {
                let value = ended.undisturbed.then_some(matches!(role, Role::Suspends));
                self.kept.set(ended.key, value);
            }
            Role::Suspends | Role::Resumes if !self.codes.contains(&Some(call.code)) => {
                self.kept.set(ended.key, None);
            }
            _ => {}
        }
    }

    fn other(&mut self, record: &Record, _names: &Names<'_>) {
        self.blind |=
            matches!(&record.body, Body::CallsCounted { function, .. } if self.roles.contains_key(function));
    }

    fn observed(self: Box<Self>) -> Observed {
        if self.blind { Observed::default() } else { self.observed }
    }
}
