//! Finds the facts of an edition by name, number or bit.

use crate::edition::{Capability, ConstantGroup, Edition, ErrorCode, ErrorGroup, Event, Function, Struct};

impl Edition {
    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.name == name)
    }

    /// The function at that position of the function table, from 1.
    pub fn function_at(&self, slot: u16) -> Option<&Function> {
        self.functions.iter().find(|f| f.slot == slot)
    }

    /// The event of that name.
    pub fn event(&self, name: &str) -> Option<&Event> {
        self.events.iter().find(|e| e.name == name)
    }

    /// The event of that number.
    pub fn event_by_number(&self, number: u16) -> Option<&Event> {
        self.events.iter().find(|e| e.number == number)
    }

    /// The capability of that name.
    pub fn capability(&self, name: &str) -> Option<&Capability> {
        self.capabilities.iter().find(|c| c.name == name)
    }

    /// The capabilities that are set in the bytes of a `jvmtiCapabilities`. Bytes that are missing at the end count as
    /// zero; bits that this release does not name are left out.
    ///
    /// ```
    /// let edition = jvmti_spec::Spec::embedded().newest();
    /// let set: Vec<&str> = edition.capabilities_in(&[0b1]).map(|c| c.name.as_str()).collect();
    /// assert_eq!(set, ["can_tag_objects"]);
    /// ```
    pub fn capabilities_in(&self, bytes: &[u8]) -> impl Iterator<Item = &Capability> {
        self.capabilities.iter().filter(move |c| {
            bytes.get(usize::from(c.bit / 8)).is_some_and(|byte| byte >> (c.bit % 8) & 1 == 1)
        })
    }

    /// The error code of that short name (`NONE`, `WRONG_PHASE`).
    pub fn error(&self, name: &str) -> Option<&ErrorCode> {
        self.errors.iter().find(|e| e.name == name)
    }

    /// The error code of that number.
    pub fn error_by_number(&self, number: i32) -> Option<&ErrorCode> {
        self.errors.iter().find(|e| e.number == number)
    }

    /// The structure of that name.
    pub fn structure(&self, name: &str) -> Option<&Struct> {
        self.structs.iter().find(|s| s.name == name)
    }

    /// The value of a constant by full C name, or by any unambiguous tail of it at a `_` boundary
    /// (`SLEEPING` for `JVMTI_THREAD_STATE_SLEEPING` within group `jvmtiThreadState`).
    pub fn constant(&self, group: Option<&str>, name: &str) -> Option<i64> {
        let in_group = |g: &&ConstantGroup| group.is_none_or(|wanted| g.name == wanted);
        let all = || self.constants.iter().filter(in_group).flat_map(|g| &g.constants);
        if let Some(exact) = all().find(|c| c.name == name) {
            return Some(exact.value);
        }
        let tail = format!("_{name}");
        let mut found = all().filter(|c| c.name.ends_with(&tail));
        // Of several matches, the shortest is the right one: `WAITING`, not `BLOCKED_ON_..._WAITING`.
        let first = found.next()?;
        Some(found.fold(first, |best, c| if c.name.len() < best.name.len() { c } else { best }).value)
    }

    /// Errors that any function may return in addition to those in its own table.
    pub fn universal_errors(&self) -> impl Iterator<Item = &ErrorCode> {
        self.errors.iter().filter(|e| e.group == ErrorGroup::Universal)
    }
}
