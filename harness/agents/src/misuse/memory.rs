//! Rules on memory that JVM TI functions allocate: agents have to free it with Deallocate, and only once.

mod left;

use std::collections::BTreeMap;
use std::rc::Rc;

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, NativeCode, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::stack_addresses::{SMALL, wanted};
use super::{End, Info, MisuseRule, Place, Severity, Violations, When};
use crate::agent_state::{AgentState, Call, TraceEvent};
use crate::rounds::Round;

pub(super) static DOUBLE_FREE: Info = Info {
    id: "memory/double-free",
    severity: Severity::Error,
    anchor: "Deallocate",
    says: "deallocate memory only once",
};
pub(super) static FOREIGN: Info = Info {
    id: "memory/other-allocator",
    severity: Severity::Error,
    anchor: "memory",
    says: "pass Deallocate only memory that JVM TI allocated",
};
pub(super) static FREED_ELSEWHERE: Info = Info {
    id: "memory/foreign-free",
    severity: Severity::Error,
    anchor: "memory",
    says: "free memory that JVM TI allocated only with Deallocate",
};
pub(super) static LEAK: Info = Info {
    id: "memory/leak",
    severity: Severity::Warning,
    anchor: "",
    says: "deallocate the memory of a result that is no longer needed: here the call was repeated, and the earlier result was \
           never deallocated",
};
pub(super) static GROWING: Info = Info {
    id: "memory/growing",
    severity: Severity::Warning,
    anchor: "",
    says: "deallocate the memory that a callback or a round of a loop gets: here each one keeps more of it",
};
pub(super) static HELD: Info = Info {
    id: "memory/held",
    severity: Severity::Note,
    anchor: "",
    says: "deallocate the memory that functions return before the JVM ends",
};

pub(super) static CLASS_DATA: Info = Info {
    id: "memory/class-data",
    severity: Severity::Error,
    anchor: "ClassFileLoadHook",
    says: "leave the JVM only class data that Allocate returned: the JVM frees it with Deallocate",
};

pub(super) static CLASS_DATA_WRITTEN: Info = Info {
    id: "memory/class-data-written",
    severity: Severity::Error,
    anchor: "ClassFileLoadHook",
    says: "leave the class file data of the JVM as it is: to change a class, leave a changed copy in memory from Allocate",
};

pub(super) static CLASS_DATA_LENGTH: Info = Info {
    id: "memory/class-data-length",
    severity: Severity::Error,
    anchor: "ClassFileLoadHook",
    says: "leave the JVM the length of new class data, too, and no more than there are: it reads as much",
};

/// The call that allocated a block of memory.
struct Allocation {
    call: u32,
    function: u16,
    site: u32,
    when: When,
    /// The output parameter through which the call returned the memory.
    param: u16,
    /// The arguments; for references the objects, if the trace identifies them.
    args: Rc<[Value]>,
    /// Whether it is one of several that the call returned through that parameter, and not the one that has the others.
    within: bool,
    /// The callback that made the call, or the round of a loop; `None`: neither did, or none that was recorded.
    round: Option<Round>,
}

/// The number of blocks that are remembered because they were given again.
const MOST_GIVEN_AGAIN: usize = 4096;

/// An output parameter of a function, at a call site.
type Source = (u16, u32, u16);

impl Allocation {
    fn source(&self) -> Source {
        (self.function, self.site, self.param)
    }

    /// The output parameter and the call, in words.
    fn shown(&self, state: &AgentState<'_>) -> String {
        let output = state.names.parameter_name(self.function, self.param);
        let within = if self.within { "memory within " } else { "" };
        format!("{within}{output} of {}", state.names.call(self.function, &self.args))
    }

    /// The size in bytes, if an argument of the call says it.
    fn size(&self, state: &AgentState<'_>) -> Option<u64> {
        match self.args.first() {
            Some(Value::Int(size)) if is_allocate(state, self) => u64::try_from(*size).ok(),
            _ => None,
        }
    }

    /// Identifies the question that the call asks: function, call site and inputs. Two calls with the same question get the
    /// same result twice. `None`: the trace does not have all inputs.
    fn question(&self, state: &AgentState<'_>) -> Option<(u16, u32, String)> {
        let params = state.names.facts(self.function)?.params.len();
        let inputs = (0..params).filter(|param| !state.names.is_output(self.function, *param));
        // A brief record of a call has the first argument only.
        let inputs: Vec<&Value> = inputs.map(|param| self.args.get(param)).collect::<Option<_>>()?;
        let is_known = |value: &&Value| {
            !matches!(value, Value::Opaque | Value::Reference(_) | Value::Pointer(_) | Value::List(_))
        };
        // Null may stand for the current thread.
        let thread = inputs.contains(&&Value::Null).then_some(self.when.thread);
        inputs.iter().all(is_known).then(|| (self.function, self.site, format!("{thread:?} {inputs:?}")))
    }
}

#[derive(Default)]
pub(super) struct Memory {
    live: BTreeMap<u64, Allocation>,
    /// How many blocks each output has given, and in how many calls.
    counts: FxHashMap<Source, (u64, u64)>,
    freed: FxHashSet<u64>,
    /// The memory that each thread deallocated last, and the number of the call.
    last: FxHashMap<u32, (u32, u64, Allocation)>,
    /// Memory that the JVM gave again although nobody had deallocated it since this call.
    given_again: Vec<(u64, Allocation)>,
    /// Whether the agent called functions that the trace knows nothing of, and that may allocate memory.
    blind: bool,
    /// Deallocations of memory whose allocation is not in the trace.
    unknown: Vec<(u32, u64, When)>,
    /// By thread the length of the class data that a callback is about to leave to the JVM.
    lengths: FxHashMap<u32, u64>,
    /// Memory left to the JVM whose allocation is not in the trace: event, environment, address.
    unknown_taken: Vec<(u16, Option<u32>, u64, When)>,
}

impl Memory {
    fn given(&mut self, state: &AgentState<'_>, record: &Record, call: &Call, outputs: &[(u16, Value)]) {
        if call.blocks.is_empty() {
            return;
        }
        let args: Rc<[Value]> = identified(&call.args, outputs).collect();
        let round = state.round(call.thread);
        for (index, (param, block)) in call.blocks.iter().enumerate() {
            self.freed.remove(block);
            // The block that has the others comes last.
            let within = call.blocks.get(index + 1).is_some_and(|(next, _)| next == param);
            let given = Allocation {
                call: call.number,
                function: call.function,
                site: call.site,
                when: record.into(),
                param: *param,
                args: Rc::clone(&args),
                within,
                round,
            };
            let (blocks, calls) = self.counts.entry(given.source()).or_default();
            *blocks += 1;
            *calls += u64::from(!within);
            let before = self.live.insert(*block, given);
            let room = self.given_again.len() < MOST_GIVEN_AGAIN;
            self.given_again.extend(before.filter(|_| room).map(|before| (*block, before)));
        }
    }

    /// An agent calls Deallocate. Before the probe records the end of the call, the JVM may allocate the same memory for
    /// another thread.
    fn deallocated(&mut self, state: &AgentState<'_>, record: &Record, call: &Call, found: &mut Violations) {
        let Some(Value::Pointer(block)) = call.args.first() else { return };
        if let Some(given) = self.live.remove(block) {
            self.freed.insert(*block);
            self.last.insert(call.thread, (call.number, *block, given));
        } else if self.freed.contains(block) {
            found.add(&DOUBLE_FREE, (state, record), (call.site, "Deallocate"), || {
                format!("Deallocate({block:#x}), which was already deallocated")
            });
        } else if let Some((offset, around)) = self.around(state, *block) {
            found.add(&FOREIGN, (state, record), (call.site, "Deallocate"), || {
                let around = around.shown(state);
                format!("Deallocate({block:#x}), which points {offset} bytes into {around}")
            });
        } else {
            self.unknown.push((call.site, *block, record.into()));
        }
    }

    /// A callback left memory to the JVM.
    fn taken(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        (event, at): (u16, u64),
        found: &mut Violations,
    ) {
        let length = self.lengths.remove(&record.thread).unwrap_or(0);
        match self.live.remove(&at) {
            Some(given) => {
                if let Some(size) = given.size(state).filter(|size| *size < length) {
                    left_length(state, record, &format!("{length}, of {size} bytes from Allocate"), found);
                }
            }
            None => {
                let environment = state.environment_of(record.thread, event);
                self.unknown_taken.push((event, environment, at, record.into()));
            }
        }
    }

    /// An agent calls a function that fills a buffer of the agent's.
    fn fills(&self, state: &AgentState<'_>, record: &Record, call: &Call, found: &mut Violations) {
        let (Some(wanted), Some(Value::Pointer(buffer))) = (wanted(state, call), call.args.get(3)) else {
            return;
        };
        let around = self.around(state, *buffer);
        let room = around.and_then(|(offset, given)| Some(given.size(state)? - offset));
        if let Some(room) = room.filter(|room| *room < wanted) {
            let name = state.names.function(call.function);
            found.add(&SMALL, (state, record), (call.site, &name), || {
                format!("{name} may write {wanted} bytes to a buffer from Allocate that has room for {room}")
            });
        }
    }

    /// The block that an address lies in, and the distance from its beginning.
    fn around(&self, state: &AgentState<'_>, address: u64) -> Option<(u64, &Allocation)> {
        let (block, given) = self.live.range(..=address).next_back()?;
        let offset = address - block;
        given.size(state).is_some_and(|size| offset < size).then_some((offset, given))
    }

    /// A call has failed. If it was Deallocate, the agent still holds the memory.
    fn kept(&mut self, call: &Call) {
        if let Some((_, block, given)) = self.last.remove(&call.thread).filter(|last| last.0 == call.number)
            && self.freed.remove(&block)
        {
            self.live.insert(block, given);
        }
    }
}

/// A callback has left new class data with that length.
fn left_length(state: &AgentState<'_>, record: &Record, length: &str, found: &mut Violations) {
    let Some(delivery) = state.delivery(record.thread) else { return };
    let place = Place::Callback(delivery.environment, delivery.event.unwrap_or(0));
    found.add(&CLASS_DATA_LENGTH, (state, record), (place, &delivery.name), || {
        format!("the callback of {} left new_class_data with a new_class_data_len of {length}", delivery.name)
    });
}

/// A callback has written to the class file data that it got.
fn written(state: &AgentState<'_>, record: &Record, offset: u64, found: &mut Violations) {
    let Some(delivery) = state.delivery(record.thread) else { return };
    let place = Place::Callback(delivery.environment, delivery.event.unwrap_or(0));
    found.add(&CLASS_DATA_WRITTEN, (state, record), (place, &delivery.name), || {
        format!("the callback of {} changed the class_data that it got, at offset {offset}", delivery.name)
    });
}

fn is_deallocate(state: &AgentState<'_>, call: &Call) -> bool {
    state.names.function(call.function) == "Deallocate"
}

impl MisuseRule for Memory {
    fn observe(
        &mut self,
        state: &AgentState<'_>,
        record: &Record,
        trace_event: &TraceEvent<'_>,
        found: &mut Violations,
    ) {
        match trace_event {
            TraceEvent::Returned { call, code: 0, outputs, .. } => {
                self.given(state, record, call, outputs);
                self.blind |= state.names.function(call.function) == "GetExtensionFunctions";
            }
            TraceEvent::Returned { call, .. } => self.kept(call),
            TraceEvent::Begun(call) | TraceEvent::Brief(call) if is_deallocate(state, call) => {
                self.deallocated(state, record, call, found);
            }
            TraceEvent::Begun(call) => self.fills(state, record, call, found),
            TraceEvent::Brief(call) => self.given(state, record, call, &[]),
            TraceEvent::Other => match &record.body {
                Body::MemoryTaken { event, at } => self.taken(state, record, (*event, *at), found),
                Body::ClassDataWritten { offset } => written(state, record, *offset, found),
                Body::Native(NativeCode::ClassDataLength { length }) => {
                    match u64::try_from(*length).ok().filter(|length| *length > 0) {
                        Some(length) => drop(self.lengths.insert(record.thread, length)),
                        None => left_length(state, record, &length.to_string(), found),
                    }
                }
                Body::FreedElsewhere { site, function, at } => {
                    let given = self.live.remove(at);
                    let before = !self.freed.insert(*at);
                    found.add(&FREED_ELSEWHERE, (state, record), (*site, function), || match given {
                        Some(given) => format!("{function}({at:#x}), {}", given.shown(state)),
                        None if before => format!("{function}({at:#x}), which was already freed"),
                        None => format!("{function}({at:#x}), which the JVM allocated"),
                    });
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn finish(&mut self, state: &AgentState<'_>, _: When, end: End, found: &mut Violations) {
        for (block, given) in self.given_again.drain(..).filter(|_| end.gapless && !self.blind) {
            let name = state.names.function(given.function);
            found.add(&FREED_ELSEWHERE, (state, given.when), (given.site, &name), || {
                let shown = given.shown(state);
                format!("{block:#x}, {shown}, was never deallocated, and yet the JVM gave it again: something else freed it")
            });
        }
        if !end.whole {
            return;
        }
        for (site, block, when) in self.unknown.drain(..).filter(|_| !self.blind) {
            found.add(&FOREIGN, (state, when), (site, "Deallocate"), || {
                // The allocation of memory by sampled call sites is not recorded if the memory was deallocated.
                let or =
                    if state.counted.calls.is_empty() { "" } else { ", or which was already deallocated" };
                format!("Deallocate({block:#x}), which no function returned{or}")
            });
        }
        for (event, environment, at, when) in self.unknown_taken.drain(..).filter(|_| !self.blind) {
            let name = state.names.event(event);
            let place = Place::Callback(environment.unwrap_or(0), event);
            found.add(&CLASS_DATA, (state, when), (place, &name), || {
                format!("the callback of {name} left {at:#x} to the JVM, which no function returned")
            });
        }
        if state.is_cleaning_up() {
            return;
        }
        let mut left: Vec<_> = std::mem::take(&mut self.live).into_iter().collect();
        left.sort_by_key(|(_, given)| given.when.at);
        let mut asked: FxHashMap<_, FxHashSet<u32>> = FxHashMap::default();
        for (_, given) in left.iter().filter(|(_, given)| !is_allocate(state, given)) {
            if let Some(question) = given.question(state) {
                asked.entry(question).or_default().insert(given.call);
            }
        }
        let growing = self.growing(state, &left);
        let left_within = self.left_within(state, &left);
        for (block, given) in left {
            if let Some(what) = growing.get(&given.source()) {
                let name = state.names.function(given.function);
                found.add(&GROWING, (state, given.when), (given.site, &name), || {
                    format!("{}: {what}", given.shown(state))
                });
                continue;
            }
            let times =
                given.question(state).and_then(|question| asked.get(&question)).map_or(0, FxHashSet::len);
            let name = state.names.function(given.function);
            let is_left = left_within.contains(&given.source());
            let info = if times > 1 || is_left { &LEAK } else { &HELD };
            found.add(info, (state, given.when), (given.site, &name), || {
                let shown = given.shown(state);
                let again = match (times > 1, is_left) {
                    (true, _) => format!("; the same call was made {times} times"),
                    (_, true) => ", unlike the memory that has its address".to_owned(),
                    _ => String::new(),
                };
                format!("{block:#x}, {shown}, was never deallocated{again}")
            });
        }
    }
}

/// Whether the call is Allocate: its memory is no answer to a question.
fn is_allocate(state: &AgentState<'_>, given: &Allocation) -> bool {
    state.names.function(given.function) == "Allocate"
}

/// The arguments, with references replaced by the objects that a successful call has identified.
fn identified<'v>(args: &'v [Value], outputs: &'v [(u16, Value)]) -> impl Iterator<Item = Value> + 'v {
    args.iter().enumerate().map(|(i, arg)| match arg {
        Value::Opaque | Value::Reference(_) => {
            outputs.iter().find(|(param, _)| usize::from(*param) == i).map_or(arg, |(_, told)| told).clone()
        }
        _ => arg.clone(),
    })
}
