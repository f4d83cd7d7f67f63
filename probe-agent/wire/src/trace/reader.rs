//! The reader: takes any bytes, gives the whole records among them.

use super::file::{Header, Order};
use super::frame::{self, CHECK, State, WORD};
use super::{Body, MAX_RECORD, Record, TraceError};
use crate::plan::Plan;

/// A trace to be read: the bytes of its file, in a map or in memory. Nobody may be recording into it meanwhile.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    header: Header,
    plan: Plan,
}

/// What there is in a trace besides its records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Whole records.
    pub records: u64,
    /// Records that the recorder dropped because the trace was full.
    pub lost: u64,
    /// Records begun and not finished (the process ended meanwhile), or destroyed since.
    pub torn: u64,
    /// Records that are whole but say nothing that this version understands.
    pub unreadable: u64,
    /// Whether a part of the file is missing.
    pub truncated: bool,
    /// Whether the harness closed the trace after the run.
    pub sealed: bool,
}

impl<'a> Reader<'a> {
    /// Opens a trace. Fails if it is none, of a newer format, cut off before its log, or has no readable plan.
    pub fn new(bytes: &'a [u8]) -> Result<Reader<'a>, TraceError> {
        let header = Header::read(bytes)?;
        let plan = serde_json::from_slice(header.plan(bytes)?)?;
        Ok(Reader { bytes, header, plan })
    }

    /// What the process was to do.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// When the trace was made: nanoseconds since 1970, UTC.
    pub fn started(&self) -> u64 {
        self.header.started
    }

    /// The whole records, in the order of the trace.
    pub fn records(&self) -> Records<'a> {
        let end = self.header.end();
        let have = self.bytes.len() as u64;
        let complete = if self.header.sealed { end } else { self.header.limit };
        Records {
            bytes: self.bytes.get(..end.min(have) as usize).unwrap_or_default(),
            order: self.header.order,
            next: self.header.log,
            summary: Summary {
                lost: self.header.lost,
                truncated: have < complete.min(self.header.limit)
                    && !(have == end && self.header.tail == end),
                sealed: self.header.sealed,
                ..Summary::default()
            },
        }
    }

    /// Reads all of it to count. [`Records::summary`] gives the same for free after an iteration.
    pub fn summary(&self) -> Summary {
        let mut records = self.records();
        while records.next().is_some() {}
        records.summary()
    }
}

/// Iterator over the records of a trace.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    order: Order,
    next: u64,
    summary: Summary,
}

impl<'a> Records<'a> {
    /// What has been found so far.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// Frame at `next` if there is one: length and state.
    fn frame(&self) -> Option<(u32, State)> {
        let (len, state) = frame::parse(self.next, self.order.u64(self.bytes, self.next as usize))?;
        (state == State::Padding || len as usize <= CHECK + MAX_RECORD).then_some((len, state))
    }

    /// Looks for the next frame; false at the end. All that is passed over counts as one torn record.
    fn resynchronise(&mut self) -> bool {
        self.summary.torn += 1;
        while self.next < self.bytes.len() as u64 {
            if self.frame().is_some() {
                return true;
            }
            self.next += 8;
        }
        false
    }

    /// The encoded record of the frame at `offset`, if it is whole.
    fn payload(&self, offset: u64, len: u32) -> Option<&'a [u8]> {
        let start = offset as usize + WORD;
        let content = self.bytes.get(start..start.checked_add(len as usize)?)?;
        let payload = content.get(CHECK..).filter(|payload| payload.len() <= MAX_RECORD)?;
        (self.order.u32(content, 0) == frame::check(offset, payload)).then_some(payload)
    }
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        while self.next < self.bytes.len() as u64 {
            let Some((len, state)) = self.frame() else {
                if self.resynchronise() {
                    continue;
                }
                return None;
            };
            let offset = self.next;
            self.next = offset.saturating_add(frame::size(len));
            if state == State::Padding {
                continue;
            }
            let Some(payload) = self.payload(offset, len).filter(|_| state == State::Committed) else {
                self.summary.torn += 1;
                continue;
            };
            match postcard::take_from_bytes::<(u32, u64, Body)>(payload) {
                Ok(((thread, at, body), [])) => {
                    self.summary.records += 1;
                    return Some(Record { seq: offset, at, thread, body });
                }
                _ => self.summary.unreadable += 1,
            }
        }
        None
    }
}
