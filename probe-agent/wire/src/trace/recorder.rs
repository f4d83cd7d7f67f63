//! The recorder: appends records to a mapped trace, from any thread, without locks and without allocating.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering, compiler_fence};

use memmap2::MmapRaw;

use super::encode::{Encode, Fill, Measure, Sink};
use super::file::{Header, Order, at};
use super::frame::{self, CHECK, State, WORD};
use super::{Body, HotArg, HotBody, MAX_RECORD, TraceError};
use crate::plan::Plan;

/// Share of the log (one part in so many) that is kept for records other than events and the like.
const KEPT: u64 = 16;

/// Appends to a trace.
///
/// Each thread that records reserves room by an atomic addition, writes, and commits; none waits for another. What
/// does not fit is counted and dropped.
#[derive(Debug)]
pub struct Recorder {
    base: *mut u8,
    log: u64,
    /// How much of the room at the end is not for bulk.
    kept: u64,
    limit: u64,
    header: Header,
    _map: Option<MmapRaw>,
}

// SAFETY: the memory behind `base` is written by `put` only: atomically, or within a range that the writing thread
// got for itself by an atomic addition.
unsafe impl Send for Recorder {}
// SAFETY: as above.
unsafe impl Sync for Recorder {}

impl Recorder {
    /// Maps the trace file at `path`, as `file::create` made it, for recording.
    pub fn map(path: &Path) -> Result<Recorder, TraceError> {
        let io = |doing| move |error| TraceError::Io { doing, path: path.to_owned(), error };
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(io("open"))?;
        let map = MmapRaw::map_raw(&file).map_err(io("map"))?;
        // SAFETY: the mapping is `len` bytes long and lives as long as the recorder that it is moved into.
        let mut recorder = unsafe { Recorder::new(map.as_mut_ptr(), map.len()) }?;
        recorder._map = Some(map);
        Ok(recorder)
    }

    /// Records into memory that holds a trace as `file::create` made it.
    ///
    /// # Safety
    ///
    /// `base` has to be valid for reads and writes of `len` bytes for as long as the recorder lives, and nobody may
    /// write there except through recorders.
    pub unsafe fn new(base: *mut u8, len: usize) -> Result<Recorder, TraceError> {
        if base.is_null() || !base.addr().is_multiple_of(8) {
            return Err(TraceError::NotWritable("its memory is not aligned to 8 bytes"));
        }
        // SAFETY: the caller vouches for the memory; nobody records yet.
        let bytes = unsafe { std::slice::from_raw_parts(base, len) };
        let header = Header::read(bytes)?;
        header.plan(bytes)?;
        if header.order != Order::NATIVE {
            return Err(TraceError::NotWritable("it was made on a machine of another byte order"));
        }
        if header.sealed {
            return Err(TraceError::NotWritable("it is complete"));
        }
        if header.limit > len as u64 {
            return Err(TraceError::Truncated { len: len as u64, wanted: header.limit });
        }
        if header.tail < header.log || header.tail % 8 != 0 {
            return Err(TraceError::Damaged("its log ends before it begins"));
        }
        let (log, limit) = (header.log, header.limit);
        if header.room < log || header.room > limit {
            return Err(TraceError::Damaged("its room is not within its log"));
        }
        let kept = (header.room - log) / KEPT;
        Ok(Recorder { base, log, kept, limit, header, _map: None })
    }

    /// The plan that the harness put into the trace.
    pub fn plan(&self) -> Result<Plan, TraceError> {
        let (start, len) = (self.header.plan.start as usize, self.header.plan.end - self.header.plan.start);
        // SAFETY: `new` made sure that the plan lies within the memory, and nobody writes to that part.
        let text = unsafe { std::slice::from_raw_parts(self.base.add(start), len as usize) };
        Ok(serde_json::from_slice(text)?)
    }

    /// Appends a record: `thread` as numbered by the probe, `at` in nanoseconds since the agent was loaded.
    ///
    /// Returns its place in the trace, or `None` if it was dropped. Never blocks, never panics.
    pub fn record(&self, thread: u32, at: u64, body: &Body) -> Option<u64> {
        self.put(thread, at, body, body.is_bulk())
    }

    /// As [`record`](Recorder::record), for bodies made of borrowed parts.
    #[inline]
    pub fn record_hot(&self, thread: u32, at: u64, body: &HotBody<'_>) -> Option<u64> {
        self.put(thread, at, body, body.is_bulk())
    }

    /// As [`record`](Recorder::record) with a [`Body::Event`], without one being built.
    #[inline]
    pub fn record_event(
        &self,
        thread: u32,
        at: u64,
        environment: u32,
        event: u16,
        args: &[HotArg<'_>],
    ) -> Option<u64> {
        self.put(thread, at, &HotBody::Event { environment, event, args }, true)
    }

    /// Records dropped so far for want of room.
    pub fn lost(&self) -> u64 {
        self.counter(at::LOST).load(Ordering::Relaxed)
    }

    fn counter(&self, at: usize) -> &AtomicU64 {
        // SAFETY: `base` is aligned to 8 and so are the offsets of the counters; the header lies within the memory.
        unsafe { AtomicU64::from_ptr(self.base.add(at).cast()) }
    }

    #[inline]
    fn put(&self, thread: u32, at: u64, body: &impl Encode, bulk: bool) -> Option<u64> {
        // Measuring first costs less than a buffer would, and takes no memory whatever the size.
        let mut measure = Measure::default();
        encode(thread, at, body, &mut measure);
        if measure.0 > MAX_RECORD {
            return self.refuse(thread, at, measure.0);
        }
        let len = (CHECK + measure.0) as u32;
        let offset = self.reserve(frame::size(len), bulk)?;
        let word = self.word(offset);
        word.store(frame::word(offset, len, State::Reserved), Ordering::Relaxed);
        // A process that is killed leaves what it has stored so far, in order; the compiler has to keep that order.
        compiler_fence(Ordering::SeqCst);
        // SAFETY: `reserve` gave the frame to this call alone, within the memory; its word is not part of the slice.
        let check = unsafe { &mut *self.base.add(offset as usize + WORD).cast::<[u8; CHECK]>() };
        // SAFETY: as above; the checksum is not part of the slice.
        let payload = unsafe {
            std::slice::from_raw_parts_mut(self.base.add(offset as usize + WORD + CHECK), measure.0)
        };
        let mut fill = Fill::new(payload);
        encode(thread, at, body, &mut fill);
        if !fill.is_exact() {
            word.store(frame::word(offset, len, State::Padding), Ordering::Release);
            return self.lose();
        }
        *check = frame::check(offset, payload).to_ne_bytes();
        word.store(frame::word(offset, len, State::Committed), Ordering::Release);
        Some(offset)
    }

    fn word(&self, offset: u64) -> &AtomicU64 {
        // SAFETY: only called with the offset of a reserved frame: within the memory, a multiple of 8.
        unsafe { AtomicU64::from_ptr(self.base.add(offset as usize).cast()) }
    }

    #[inline]
    fn reserve(&self, size: u64, bulk: bool) -> Option<u64> {
        let tail = self.counter(at::TAIL);
        // Grows while what has been written is moved away.
        let room = self.counter(at::ROOM).load(Ordering::Relaxed).min(self.limit);
        let bound = if bulk { room.saturating_sub(self.kept) } else { room };
        // Looking first keeps room that is too small for this record free for smaller ones.
        if tail.load(Ordering::Relaxed).checked_add(size).is_none_or(|end| end > bound) {
            return self.lose();
        }
        let offset = tail.fetch_add(size, Ordering::Relaxed);
        // A VM gone wild may have written over the tail.
        let sane = offset >= self.log && offset.is_multiple_of(8);
        match offset.checked_add(size) {
            Some(end) if sane && end <= self.limit => Some(offset),
            _ => {
                // Another thread was faster and this record crosses the end: leave a mark that nothing is here.
                if sane && offset < self.limit {
                    let rest = (self.limit - offset) as usize - WORD;
                    if let Ok(rest) = u32::try_from(rest) {
                        self.word(offset).store(frame::word(offset, rest, State::Padding), Ordering::Release);
                    }
                }
                self.lose()
            }
        }
    }

    #[cold]
    fn refuse(&self, thread: u32, at: u64, len: usize) -> Option<u64> {
        let message = format!("a record of {len} bytes was dropped; {MAX_RECORD} is the most that fits");
        self.record(thread, at, &Body::Trouble { message });
        self.lose()
    }

    #[cold]
    fn lose<T>(&self) -> Option<T> {
        self.counter(at::LOST).fetch_add(1, Ordering::Relaxed);
        None
    }
}

#[inline]
fn encode(thread: u32, at: u64, body: &impl Encode, to: &mut impl Sink) {
    to.varint(thread.into());
    to.varint(at);
    body.encode(to);
}
