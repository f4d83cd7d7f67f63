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
