//! The global and weak global references that a trace tells of: which are there, and which an agent has deleted.

use jvmti_wire::trace::ReferenceKind;
use rustc_hash::FxHashMap;

use crate::agent_state::AgentState;

/// The number of references that are tracked at most.
const MOST: usize = 1 << 20;

/// A global reference, by its value: others may have had it before.
#[derive(Clone, Copy)]
struct Global {
    weak: bool,
    /// Where it was deleted; `None`: it is there.
    deleted: Option<u32>,
    /// Whether an agent created it.
    agents: bool,
    /// Where an agent deleted its own reference, whose value only libraries of the JDK have got since.
    given_away: Option<u32>,
}

/// By value.
#[derive(Default)]
pub(super) struct Globals(FxHashMap<u64, Global>);

/// A reference that an agent uses after it was deleted.
pub(super) struct Stale {
    /// What it is.
    pub what: &'static str,
    /// Where it was deleted.
    pub deleted: u32,
}

impl Globals {
    /// Somebody creates a reference at that place; 0: not known.
    pub(super) fn created(&mut self, state: &AgentState<'_>, (handle, weak): (u64, bool), site: u32) {
        let before = self.0.get(&handle);
        let given_away = before.and_then(|before| before.given_away.filter(|_| state.is_of_jdk(site)));
        let is_there = Global { weak, deleted: None, agents: state.is_agents(site), given_away };
        if before.is_some() || self.0.len() < MOST {
            self.0.insert(handle, is_there);
        }
    }

    /// Somebody deletes a reference at that place.
    pub(super) fn deleted(
        &mut self,
        state: &AgentState<'_>,
        (handle, kind): (u64, ReferenceKind),
        site: u32,
    ) {
        let before = self.0.get(&handle);
        let is_own = before.is_some_and(|before| before.agents) && state.is_agents(site);
        let given_away = if is_own { Some(site) } else { before.and_then(|before| before.given_away) };
        let weak = kind == ReferenceKind::Weak;
        let is_gone = Global { weak, deleted: Some(site), agents: false, given_away };
        if before.is_some() || self.0.len() < MOST {
            self.0.insert(handle, is_gone);
        }
    }

    /// The value is that of a local reference now.
    pub(super) fn forget(&mut self, handle: u64) {
        self.0.remove(&handle);
    }

    /// Whether the reference of that value, if it is known and there, is a weak one.
    pub(super) fn alive(&self, handle: u64) -> Option<bool> {
        self.0.get(&handle).filter(|global| global.deleted.is_none()).map(|global| global.weak)
    }

    /// Whether the trace has told of a reference with that value.
    pub(super) fn knows(&self, handle: u64) -> bool {
        self.0.contains_key(&handle)
    }

    /// What is wrong if an agent uses the reference.
    pub(super) fn stale(&self, handle: u64) -> Option<Stale> {
        let Global { weak, deleted, given_away, .. } = self.0.get(&handle)?;
        match (deleted, given_away) {
            (Some(deleted), _) => Some(Stale {
                what: match weak {
                    true => "a weak global reference that had been deleted",
                    false => "a global reference that had been deleted",
                },
                deleted: *deleted,
            }),
            (None, Some(deleted)) => Some(Stale {
                what: "a global reference that had been deleted, and whose value a library of the JDK has got since",
                deleted: *deleted,
            }),
            (None, None) => None,
        }
    }
}
