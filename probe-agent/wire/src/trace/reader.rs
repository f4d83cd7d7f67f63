//! The reader: takes any bytes, gives the whole records among them.

use std::borrow::Cow;

use super::file::{HEADER, Header, Order};
use super::frame::{self, CHECK, State, WORD};
use super::packed::{Chunks, Packed};
use super::{Body, MAX_RECORD, Record, TraceError};
use crate::plan::Plan;

/// A trace to be read: the bytes of its file, in a map or in memory, or compressed. Nobody may be recording into it
/// meanwhile.
#[derive(Debug)]
pub struct Reader<'a> {
    source: Source<'a>,
    header: Header,
    plan: Plan,
}

#[derive(Debug)]
enum Source<'a> {
    Whole(&'a [u8]),
    Packed(&'a Packed),
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

/// The most that a plan takes in a compressed trace.
const MAX_PLAN: u64 = 1 << 30;

impl<'a> Reader<'a> {
    /// Opens a trace. Fails if it is none, of a newer format, cut off before its log, or has no readable plan.
    pub fn new(bytes: &'a [u8]) -> Result<Reader<'a>, TraceError> {
        let header = Header::read(bytes)?;
        let plan = serde_json::from_slice(header.plan(bytes)?)?;
        Ok(Reader { source: Source::Whole(bytes), header, plan })
    }

    /// Likewise, for whoever has the plan: it may take longer to read than all of the records.
    pub fn with_plan(bytes: &'a [u8], plan: Plan) -> Result<Reader<'a>, TraceError> {
        let header = Header::read(bytes)?;
        header.plan(bytes)?;
        Ok(Reader { source: Source::Whole(bytes), header, plan })
    }

    /// Opens a compressed one.
    pub(super) fn packed(packed: &'a Packed) -> Result<Reader<'a>, TraceError> {
        let mut bytes = packed.header();
        let header = Header::read(&bytes)?;
        if header.log > MAX_PLAN {
            return Err(TraceError::Damaged("its plan is too long"));
        }
        for (at, chunk) in packed.chunks() {
            if at != bytes.len() as u64 || at >= header.log {
                break;
            }
            bytes.extend_from_slice(&chunk);
        }
        let plan = serde_json::from_slice(header.plan(&bytes)?)?;
        Ok(Reader { source: Source::Packed(packed), header, plan })
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
        let Header { order, sealed, lost, log, limit, tail, .. } = self.header;
        let summary = Summary { lost, sealed, ..Summary::default() };
        match self.source {
            Source::Whole(bytes) => {
                let have = bytes.len() as u64;
                let complete = if sealed { end } else { limit };
                let truncated = have < complete.min(limit) && !(have == end && tail == end);
                Records {
                    window: Cow::Borrowed(bytes.get(..end.min(have) as usize).unwrap_or_default()),
                    base: 0,
                    rest: None,
                    order,
                    next: log,
                    end,
                    summary: Summary { truncated, ..summary },
                }
            }
            Source::Packed(packed) => Records {
                window: Cow::Owned(Vec::new()),
                base: HEADER as u64,
                rest: Some(packed.chunks()),
                order,
                next: log,
                // Before the end of the run the header does not know how far it has come.
                end: if sealed { end } else { u64::MAX },
                summary,
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
pub struct Records<'a> {
    /// A part of the trace: all of it, or as much of a compressed one as is needed at a time.
    window: Cow<'a, [u8]>,
    /// Where in the trace it begins.
    base: u64,
    /// Where the parts after it come from.
    rest: Option<Chunks>,
    order: Order,
    next: u64,
    /// Where the trace ends, if all of it is there.
    end: u64,
    summary: Summary,
}

impl Records<'_> {
    /// What has been found so far.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// Frame at `next` if there is one: length and state.
    fn frame(&self) -> Option<(u32, State)> {
        let at = usize::try_from(self.next.checked_sub(self.base)?).ok()?;
        let (len, state) = frame::parse(self.next, self.order.u64(&self.window, at))?;
        (state == State::Padding || len as usize <= CHECK + MAX_RECORD).then_some((len, state))
    }

    /// Looks for the next frame; false at the end. All that is passed over counts as one torn record.
    fn resynchronise(&mut self) -> bool {
        self.summary.torn += 1;
        while self.reach(WORD as u64) {
            if self.frame().is_some() {
                return true;
            }
            self.next += 8;
        }
        false
    }

    /// The encoded record of the frame at `offset`, if it is whole.
    fn payload(&self, offset: u64, len: u32) -> Option<&[u8]> {
        let start = usize::try_from(offset.checked_sub(self.base)?).ok()? + WORD;
        let content = self.window.get(start..start.checked_add(len as usize)?)?;
        let payload = content.get(CHECK..).filter(|payload| payload.len() <= MAX_RECORD)?;
        (self.order.u32(content, 0) == frame::check(offset, payload)).then_some(payload)
    }

    /// Where the window ends.
    fn have(&self) -> u64 {
        self.base + self.window.len() as u64
    }

    /// Brings so many bytes from `next` on into the window, as far as the trace has them. Whether it has any. Goes on
    /// behind what is missing.
    fn reach(&mut self, len: u64) -> bool {
        while let Some(rest) = &mut self.rest
            && self.base + (self.window.len() as u64) < self.next.saturating_add(len).min(self.end)
        {
            match rest.next() {
                Some((at, chunk)) => self.append(at, chunk),
                None => {
                    self.rest = None;
                    self.summary.truncated = self.summary.sealed && self.have() < self.end;
                }
            }
        }
        self.next < self.have()
    }

    fn append(&mut self, at: u64, mut chunk: Vec<u8>) {
        let have = self.have();
        chunk.truncate(usize::try_from(self.end.saturating_sub(at)).unwrap_or(usize::MAX));
        if at < have {
            // Chunks come in the order of the trace: this one is damage.
            return;
        }
        if at > have || self.next >= at {
            if self.next < at {
                self.summary.torn += 1;
                self.next = at;
            }
            (self.window, self.base) = (Cow::Owned(chunk), at);
            return;
        }
        let passed = self.next.saturating_sub(self.base) as usize;
        let window = self.window.to_mut();
        window.drain(..passed);
        window.extend_from_slice(&chunk);
        self.base += passed as u64;
    }
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        while self.reach(WORD as u64) {
            let Some((len, state)) = self.frame() else {
                if self.resynchronise() {
                    continue;
                }
                return None;
            };
            let offset = self.next;
            let size = frame::size(len);
            if state != State::Padding && self.rest.is_some() {
                self.reach(size);
                if self.next != offset {
                    continue;
                }
            }
            self.next = offset.saturating_add(size);
            if state == State::Padding {
                continue;
            }
            let decoded = self
                .payload(offset, len)
                .filter(|_| state == State::Committed)
                .map(postcard::take_from_bytes::<(u32, u64, Body)>);
            match decoded {
                None => self.summary.torn += 1,
                Some(Ok(((thread, at, body), []))) => {
                    self.summary.records += 1;
                    return Some(Record { seq: offset, at, thread, body });
                }
                Some(_) => self.summary.unreadable += 1,
            }
        }
        None
    }
}
