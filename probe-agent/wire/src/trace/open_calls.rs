//! Who is to blame: the calls that had not returned when a trace ended.

use std::collections::BTreeMap;

use super::{Body, Record};

/// Per thread, outermost first, the [`Body::CallBegin`] records of the calls that were open at the end.
///
/// After a crash or a hang the last one of a thread is what it was in. Threads without open calls are left out.
pub fn open_calls(records: impl IntoIterator<Item = Record>) -> BTreeMap<u32, Vec<Record>> {
    let mut open: BTreeMap<u32, Vec<(u32, Record)>> = BTreeMap::new();
    for record in records {
        match record.body {
            Body::CallBegin { call, .. } => open.entry(record.thread).or_default().push((call, record)),
            Body::CallEnd { call, .. } => {
                let Some(stack) = open.get_mut(&record.thread) else { continue };
                let Some(place) = stack.iter().rposition(|(begun, _)| *begun == call) else { continue };
                // What lies above has returned too, its end was lost; but thread 0 is several threads.
                if record.thread == 0 {
                    stack.remove(place);
                } else {
                    stack.truncate(place);
                }
            }
            _ => {}
        }
    }
    open.retain(|_, stack| !stack.is_empty());
    open.into_iter()
        .map(|(thread, stack)| (thread, stack.into_iter().map(|(_, record)| record).collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::StepRef;

    fn begin(thread: u32, call: u32) -> Record {
        let body = Body::CallBegin { call, environment: 1, function: 7, step: StepRef::None, args: vec![] };
        Record { seq: call.into(), at: 0, thread, body }
    }

    fn end(thread: u32, call: u32) -> Record {
        let body = Body::CallEnd { call, code: 0, outputs: vec![], exception: (false, false) };
        Record { seq: call.into(), at: 0, thread, body }
    }

    fn open(records: Vec<Record>) -> Vec<(u32, Vec<u64>)> {
        let seqs = |stack: Vec<Record>| stack.iter().map(|record| record.seq).collect();
        open_calls(records).into_iter().map(|(thread, stack)| (thread, seqs(stack))).collect()
    }

    #[test]
    fn calls_that_returned_are_not_open() {
        assert_eq!(open(vec![begin(1, 1), begin(2, 2), end(1, 1), end(2, 2)]), []);
    }

    #[test]
    fn the_innermost_call_comes_last() {
        // A heap callback calls back into the VM and dies there.
        let records = vec![begin(1, 1), begin(2, 2), begin(1, 3), end(1, 3), begin(1, 4), end(3, 9)];
        assert_eq!(open(records), [(1, vec![1, 4]), (2, vec![2])]);
    }

    #[test]
    fn a_call_within_one_that_returned_has_returned() {
        assert_eq!(open(vec![begin(1, 1), begin(1, 2), end(1, 1), begin(1, 3)]), [(1, vec![3])]);
        assert_eq!(open(vec![begin(0, 1), begin(0, 2), end(0, 1)]), [(0, vec![2])]);
    }
}
