//! The calls that have begun and not returned.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Body, Record, StepRef};
use crate::value::Value;

/// A call that has begun.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenCall {
    /// Number of the call.
    pub number: u32,
    /// The thread that makes it.
    pub thread: u32,
    /// The probe's number of the environment.
    pub environment: u32,
    /// Slot of the function.
    pub function: u16,
    /// Which step asked for it.
    pub step: StepRef,
    /// Place of its beginning in the trace.
    pub seq: u64,
    /// When it began, in nanoseconds since the agent was loaded.
    pub at: u64,
    /// Arguments after the environment.
    pub args: Vec<Value>,
}

/// The open calls at a point of a trace. Pass it every record, in order.
///
/// After a crash or a hang the innermost open call of a thread is what the thread was in.
///
/// ```
/// use jvmti_wire::trace::{Body, OpenCalls, Record, StepRef};
///
/// let body = Body::CallBegin { call: 1, environment: 1, function: 17, step: StepRef::None, args: vec![] };
/// let mut open = OpenCalls::default();
/// open.record(&Record { seq: 8, at: 0, thread: 3, body });
/// assert_eq!(open.get(1).map(|call| (call.thread, call.function)), Some((3, 17)));
///
/// let body = Body::CallEnd { call: 1, code: 0, outputs: vec![], exception: (false, false) };
/// let ended = open.record(&Record { seq: 16, at: 5, thread: 3, body });
/// assert_eq!(ended.map(|call| call.function), Some(17));
/// assert!(open.get(1).is_none());
/// ```
#[derive(Default)]
pub struct OpenCalls {
    calls: FxHashMap<u32, OpenCall>,
    /// Per thread the numbers of its open calls, outermost first.
    stacks: BTreeMap<u32, Vec<u32>>,
}

impl OpenCalls {
    /// Keeps a call that begins; returns the call that the record ends.
    pub fn record(&mut self, record: &Record) -> Option<OpenCall> {
        match &record.body {
            Body::CallBegin { call, environment, function, step, args } => {
                let (number, thread) = (*call, record.thread);
                let open = OpenCall {
                    number,
                    thread,
                    environment: *environment,
                    function: *function,
                    step: *step,
                    seq: record.seq,
                    at: record.at,
                    args: args.clone(),
                };
                self.calls.insert(number, open);
                self.stacks.entry(thread).or_default().push(number);
                None
            }
            Body::CallEnd { call, .. } => self.end(*call),
            _ => None,
        }
    }

    fn end(&mut self, number: u32) -> Option<OpenCall> {
        let ended = self.calls.remove(&number)?;
        let stack = self.stacks.get_mut(&ended.thread)?;
        let place = stack.iter().rposition(|open| *open == number)?;
        // What lies above has returned too, its end was lost; but thread 0 is several threads.
        let last = if ended.thread == 0 { place + 1 } else { stack.len() };
        for inner in stack.drain(place..last) {
            self.calls.remove(&inner);
        }
        // A trace may have as many threads as calls.
        if stack.is_empty() {
            self.stacks.remove(&ended.thread);
        }
        Some(ended)
    }

    /// The open call of that number.
    pub fn get(&self, call: u32) -> Option<&OpenCall> {
        self.calls.get(&call)
    }

    /// All of them, by thread, the outermost of each thread first.
    pub fn iter(&self) -> impl Iterator<Item = &OpenCall> {
        self.stacks.values().flatten().filter_map(|call| self.calls.get(call))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(thread: u32, call: u32) -> Record {
        let body = Body::CallBegin { call, environment: 1, function: 7, step: StepRef::None, args: vec![] };
        Record { seq: call.into(), at: 0, thread, body }
    }

    fn end(thread: u32, call: u32) -> Record {
        let body = Body::CallEnd { call, code: 0, outputs: vec![], exception: (false, false) };
        Record { seq: call.into(), at: 0, thread, body }
    }

    /// Thread and number of each call that is open in the end.
    fn open(records: &[Record]) -> Vec<(u32, u32)> {
        let mut open = OpenCalls::default();
        records.iter().for_each(|record| drop(open.record(record)));
        open.iter().map(|call| (call.thread, call.number)).collect()
    }

    #[test]
    fn calls_that_returned_are_not_open() {
        assert_eq!(open(&[begin(1, 1), begin(2, 2), end(1, 1), end(2, 2)]), []);
    }

    #[test]
    fn the_innermost_call_comes_last() {
        // A heap callback calls back into the VM and dies there.
        let records = [begin(1, 1), begin(2, 2), begin(1, 3), end(1, 3), begin(1, 4), end(3, 9)];
        assert_eq!(open(&records), [(1, 1), (1, 4), (2, 2)]);
    }

    #[test]
    fn threads_that_are_in_no_call_take_no_room() {
        let mut open = OpenCalls::default();
        let records = (1..100).flat_map(|number| [begin(number, number), end(number, number)]);
        records.for_each(|record| drop(open.record(&record)));
        assert!(open.stacks.is_empty());
    }

    #[test]
    fn a_call_within_one_that_returned_has_returned() {
        assert_eq!(open(&[begin(1, 1), begin(1, 2), end(1, 1), begin(1, 3)]), [(1, 3)]);
        assert_eq!(open(&[begin(0, 1), begin(0, 2), end(0, 1)]), [(0, 2)]);
    }
}
