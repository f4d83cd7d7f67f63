//! What calls that succeed must return.

use jvmti_judge::thread_state::{bit, violations};
use jvmti_spec::edition::Phase;
use jvmti_traces::Names;
use jvmti_wire::plan::{Arg, OnThread};
use jvmti_wire::value::Value;

use super::conditions::Calling;
use super::state::{ThreadArgument, Tri, int, thing};
use super::{Breach, CallEnd, Model, members};
use crate::cast::Part;
use crate::sequence::Moment;

/// The outputs of a call, and what is wrong with them.
pub(super) struct Outputs<'o> {
    pub(super) calling: Calling<'o>,
    pub(super) ended: &'o CallEnd<'o>,
    pub(super) names: &'o Names<'o>,
    pub(super) breaches: Vec<Breach>,
}

impl Outputs<'_> {
    /// The output of the parameter of that name.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let index = self.calling.index(name)?;
        let found = self.ended.outputs.iter().find(|(at, _)| usize::from(*at) == index);
        // Not requested, or not known.
        found.map(|(_, value)| value).filter(|value| !matches!(value, Value::Opaque))
    }

    /// A breach of a statement.
    pub(super) fn wrong(&mut self, name: &str, expected: String, observed: String, cite: &str) {
        let function = &self.calling.function.name;
        let cite = if cite.starts_with('#') { format!("{function}{cite}") } else { cite.to_owned() };
        self.breaches.push(Breach { cites: vec![cite], must: true, of: name.to_owned(), expected, observed });
    }

    /// The number must be this one.
    pub(super) fn number(&mut self, name: &str, expected: i64, cite: &str) {
        match self.get(name).cloned() {
            Some(Value::Int(found)) if found == expected => {}
            None => {}
            Some(found) => {
                let observed = self.names.value(&found);
                self.wrong(name, expected.to_string(), observed, cite);
            }
        }
    }

    /// The text must be this one.
    pub(super) fn text(&mut self, name: &str, expected: &str, cite: &str) {
        match self.get(name).cloned() {
            Some(Value::Str(found)) if found == expected.as_bytes() => {}
            None => {}
            Some(found) => {
                let observed = self.names.value(&found);
                self.wrong(name, format!("{expected:?}"), observed, cite);
            }
        }
    }

    /// The reference must be to this object, as traces show it: `$lock`, `class java.lang.Object`, `null`.
    pub(super) fn object(&mut self, name: &str, expected: &str, written: &str, cite: &str) {
        match self.get(name).cloned() {
            None => {}
            Some(found) => {
                let observed = self.names.value(&found);
                if observed != expected {
                    self.wrong(name, written.to_owned(), observed, cite);
                }
            }
        }
    }

    /// Every output that was asked for must be set.
    fn untouched(&mut self) {
        let function = self.calling.function;
        let param = |index: u16| function.params.get(usize::from(index));
        let mut untouched = self.ended.outputs.iter().filter(|(_, value)| *value == Value::Untouched);
        // Of an array, no element may have been asked for.
        let name = untouched.find_map(|(index, _)| param(*index).filter(|param| param.count.is_none()));
        let Some(name) = name.map(|param| param.name.clone()) else { return };
        self.wrong(&name, "{not: untouched}".to_owned(), "nothing was set".to_owned(), "#phase/live");
    }

    /// The number of a list's elements must be the count that comes with it.
    pub(super) fn counted(&mut self, count: &str, list: &str, cite: &str) {
        if let (Some(Value::Int(count_is)), Some(Value::List(elements))) = (self.get(count), self.get(list))
            && *count_is != elements.len() as i64
        {
            let (expected, observed) = (elements.len().to_string(), count_is.to_string());
            self.wrong(count, expected, observed, cite);
        }
    }
}

impl Model<'_> {
    /// What is wrong with the outputs of a call that succeeded.
    pub(super) fn judge_outputs(
        &mut self,
        calling: Calling<'_>,
        ended: &CallEnd<'_>,
        names: &Names<'_>,
    ) -> Vec<Breach> {
        let mut outputs = Outputs { calling, ended, names, breaches: vec![] };
        let name = calling.function.name.as_str();
        // Earlier than that, the classes of the class library may not be initialised.
        if calling.index("klass").is_some()
            && (self.state.moment == Moment::Checkpoint || name != "GetClassStatus")
        {
            members::of_class(&mut outputs);
        }
        if calling.index("method").is_some() {
            members::of_method(&mut outputs);
        }
        if calling.index("field").is_some() {
            members::of_field(&mut outputs);
        }
        outputs.untouched();
        match name {
            "GetThreadState" => self.thread_state(&mut outputs),
            "GetPhase" => self.phase(&mut outputs),
            "GetCurrentThread"
                if self.state.moment == Moment::Checkpoint
                    && calling.call.on == OnThread::Current
                    && self.state.inside != Some(false) =>
            {
                outputs.object("thread_ptr", "$main", "$main", "thread/current");
            }
            "GetErrorName" => self.error_name(&mut outputs),
            "GetCapabilities" => self.capabilities(&mut outputs),
            "GetPotentialCapabilities" => self.potential(&mut outputs),
            _ => self.of_environment(&mut outputs),
        }
        outputs.breaches
    }

    /// What follows from what an environment has been told.
    fn of_environment(&mut self, outputs: &mut Outputs<'_>) {
        let calling = outputs.calling;
        let Some(environment) = self.environment(calling.call) else { return };
        match calling.function.name.as_str() {
            "GetTag" if !environment.blurred && !self.is_another_each_time(calling) => {
                let tag = environment.tags.get(&thing(calling.arg(0), calling.call.on)).copied();
                outputs.number(
                    "tag_ptr",
                    tag.unwrap_or(0),
                    if tag.is_some() { "heap/tag-set" } else { "heap/tag-initial" },
                );
            }
            "GetEnvironmentLocalStorage" => {
                storage(outputs, "data_ptr", environment.storage, "general/storage");
            }
            "GetThreadLocalStorage" => {
                let target = self.target(calling, 0);
                // What became of the storage of a thread that others have replaced is not known.
                if target != ThreadArgument::Unknown && target != ThreadArgument::Attached {
                    let stored = environment.thread_storage.get(&target).copied().unwrap_or(0);
                    storage(outputs, "data_ptr", stored, "thread/storage");
                }
            }
            "GetObjectHashCode" => self.hash(outputs),
            "GetFrameCount" | "GetStackTrace" => self.frames(outputs),
            name if name.starts_with("GetLocal") => self.local(outputs),
            _ if self.state.moment == Moment::Checkpoint => self.of_cast(outputs),
            _ => {}
        }
    }

    fn phase(&self, outputs: &mut Outputs<'_>) {
        let (expected, cite) = match self.state.moment.phase() {
            Phase::OnLoad => (1, "general/phase-onload"),
            Phase::Primordial => (2, "general/phase-primordial"),
            Phase::Start => (6, "general/phase-start"),
            Phase::Live => (4, "general/phase-live"),
            Phase::Dead => (8, "general/phase-dead"),
        };
        outputs.number("phase_ptr", expected, cite);
    }

    fn thread_state(&self, outputs: &mut Outputs<'_>) {
        let target = self.target(outputs.calling, 0);
        let Some(Value::Int(found)) = outputs.get("thread_state_ptr").cloned() else { return };
        let found = found as u32;
        if let Some(rule) = violations(found).next() {
            let observed = outputs.names.thread_state(found);
            return outputs.wrong("thread_state_ptr", "{java: any}".to_owned(), observed, rule);
        }
        let (mut has, mut lacks) = (0, 0);
        match self.state.is_alive(target) {
            Tri::Yes => (has, lacks) = (bit::ALIVE, bit::TERMINATED),
            Tri::No => lacks = bit::ALIVE,
            Tri::Maybe => {}
        }
        match self.state.is_suspended(target).and(self.state.is_alive(target)) {
            Tri::Yes => has |= bit::SUSPENDED,
            Tri::No => lacks |= bit::SUSPENDED,
            Tri::Maybe => {}
        }
        if let ThreadArgument::Role(index) = target
            && let Some(thread) = self.state.thread(target).filter(|thread| thread.undisturbed)
        {
            let (more, less, _) = by_part(self.roles[index].part);
            (has, lacks) = (has | more, lacks | less);
            lacks |= if thread.interrupted == Tri::No { bit::INTERRUPTED } else { 0 };
        }
        if found & has != has || found & lacks != 0 {
            let list = |bits: u32| outputs.names.thread_state_bits(bits).join(", ");
            let expected = format!("{{has: [{}], lacks: [{}]}}", list(has), list(lacks));
            let observed = outputs.names.thread_state(found);
            let suspended =
                (found ^ if has & bit::SUSPENDED != 0 { bit::SUSPENDED } else { 0 }) & bit::SUSPENDED;
            let cite = match (suspended != 0, found & bit::ALIVE != has & bit::ALIVE) {
                (true, _) if has & bit::SUSPENDED != 0 => "thread-state/suspended",
                (true, _) => "thread-state/not-suspended",
                (_, true) => "thread-state/alive",
                _ => self.part_of(target).map_or("thread-state/alive", |role| by_part(role.part).2),
            };
            outputs.wrong("thread_state_ptr", expected, observed, cite);
        }
    }

    fn part_of(&self, target: ThreadArgument) -> Option<&crate::cast::Role> {
        match target {
            ThreadArgument::Role(index) => self.roles.get(index),
            _ => None,
        }
    }

    fn error_name(&self, outputs: &mut Outputs<'_>) {
        let code = int(outputs.calling.arg(0)).and_then(|code| i32::try_from(code).ok());
        if let Some(error) = code.and_then(|code| self.tables.edition.error_by_number(code)) {
            let expected = format!("JVMTI_ERROR_{}", error.name);
            outputs.text("name_ptr", &expected, "general/error-name");
        }
    }

    fn capabilities(&self, outputs: &mut Outputs<'_>) {
        let Some(environment) = self.environment(outputs.calling.call) else { return };
        let Some(Value::Bytes(bytes)) = outputs.get("capabilities_ptr").cloned() else { return };
        let found = self.tables.edition.capabilities_in(&bytes).fold(0u128, |set, c| set | 1 << c.bit);
        let differs = found ^ environment.capabilities;
        if let Some(capability) = self.tables.edition.capabilities.iter().find(|c| differs >> c.bit & 1 == 1)
        {
            let has = environment.capabilities >> capability.bit & 1;
            let (name, law) = (&capability.name, if has == 1 { "add" } else { "relinquish" });
            let expected = format!("{{{name}: {has}}}");
            let observed = format!("{name}: {}", 1 - has);
            let cite = format!("{name}#{law}");
            outputs.wrong("capabilities_ptr", expected, observed, &cite);
        }
    }

    /// What the environment possesses is among what it can possess, and what it can possess can be added.
    fn potential(&mut self, outputs: &mut Outputs<'_>) {
        let index = usize::from(outputs.calling.call.environment);
        let Some(environment) = self.state.environments.get_mut(index) else { return };
        let Some(Value::Bytes(bytes)) = outputs.get("capabilities_ptr").cloned() else { return };
        let found = self.tables.edition.capabilities_in(&bytes).fold(0u128, |set, c| set | 1 << c.bit);
        environment.potential = Some(found);
        let lacking = environment.capabilities & !found;
        if let Some(c) = self.tables.edition.capabilities.iter().find(|c| lacking >> c.bit & 1 == 1) {
            let (expected, observed) = (format!("{{{}: 1}}", c.name), format!("{}: 0", c.name));
            outputs.wrong("capabilities_ptr", expected, observed, "capability/potential");
        }
    }

    fn hash(&mut self, outputs: &mut Outputs<'_>) {
        if self.is_another_each_time(outputs.calling) {
            return;
        }
        let object = thing(outputs.calling.arg(0), outputs.calling.call.on);
        let Some(Value::Int(found)) = outputs.get("hash_code_ptr").cloned() else { return };
        let known = *self.state.hashes.entry(object).or_insert(found);
        outputs.number("hash_code_ptr", known, "object/hash-code");
    }

    /// The number of frames of a suspended thread, and of the main thread while it makes calls, does not change.
    fn frames(&mut self, outputs: &mut Outputs<'_>) {
        let calling = outputs.calling;
        let target = self.target(calling, 0);
        let Some(Value::Int(found)) = outputs.get("count_ptr").cloned() else { return };
        let frames = match target {
            ThreadArgument::Main if self.state.inside.is_some() => return,
            ThreadArgument::Main if calling.call.on == OnThread::Current => &mut self.state.main_frames,
            target => match self.state.thread_mut(target) {
                Some(thread) if thread.suspended == Tri::Yes => &mut thread.frames,
                _ => return,
            },
        };
        let (start, most) = match calling.function.name.as_str() {
            "GetFrameCount" => (0, i64::MAX),
            _ => (int(calling.arg(1)).unwrap_or(0), int(calling.arg(2)).unwrap_or(0)),
        };
        match *frames {
            Some(frames) => {
                let first = if start < 0 { frames + start } else { start };
                let cite = if most == i64::MAX { "stack-frame/count" } else { "stack-frame/trace-count" };
                outputs.number("count_ptr", (frames - first).min(most), cite);
            }
            // There may be more than were asked for.
            None if start == 0 && found < most => *frames = Some(found),
            None => {}
        }
    }

    /// The variables of the method at the checkpoint.
    fn local(&self, outputs: &mut Outputs<'_>) {
        let calling = outputs.calling;
        if !self.is_about_checkpoint(calling) {
            return;
        }
        let Some(slot) = int(calling.named("slot")) else { return };
        let (expected, cite) = match (calling.function.name.as_str(), slot) {
            ("GetLocalInt", 0) => (1, "local-variable/get-int"),
            ("GetLocalLong", 1) => (2, "local-variable/get-long"),
            _ => return,
        };
        match self.state.locals.get(&slot) {
            Some(Some(set)) => outputs.number("value_ptr", *set, "local-variable/set-int"),
            Some(None) => {}
            None => outputs.number("value_ptr", expected, cite),
        }
    }
}

/// State bits that a part implies, those that it excludes, and the statement.
fn by_part(part: Part) -> (u32, u32, &'static str) {
    use bit::{
        BLOCKED_ON_MONITOR_ENTER, IN_OBJECT_WAIT, PARKED, RUNNABLE, TERMINATED, WAITING, WAITING_INDEFINITELY,
    };
    const INDEFINITE: u32 = WAITING | WAITING_INDEFINITELY;
    match part {
        Part::Fresh => (0, TERMINATED, "thread-state/new"),
        Part::Ended => (TERMINATED, 0, "thread-state/terminated"),
        Part::Parked => (INDEFINITE | PARKED, RUNNABLE, "thread-state/parked"),
        Part::Sleeping => (WAITING, RUNNABLE, "thread-state/sleeping"),
        Part::Waiting => (INDEFINITE | IN_OBJECT_WAIT, RUNNABLE, "thread-state/object-wait"),
        Part::Blocked => (BLOCKED_ON_MONITOR_ENTER, RUNNABLE, "thread-state/blocked"),
        Part::InNative => (RUNNABLE, WAITING, "thread-state/runnable"),
    }
}

fn storage(outputs: &mut Outputs<'_>, name: &str, expected: i64, cite: &str) {
    let found = match outputs.get(name) {
        Some(Value::Null) => 0,
        Some(Value::Pointer(found)) => found.cast_signed(),
        _ => return,
    };
    if found != expected {
        let expected = if expected == 0 { "null".to_owned() } else { expected.to_string() };
        outputs.wrong(name, expected, format!("{found:#x}"), cite);
    }
}

impl Calling<'_> {
    /// Whether the argument is null.
    pub fn is_null(&self, index: usize) -> bool {
        *self.arg(index) == Arg::Null
    }
}
