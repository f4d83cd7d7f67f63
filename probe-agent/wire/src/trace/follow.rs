//! Follows a trace while a process records it: moves what is written into a compressed file, so that neither disk nor
//! memory has to hold all of it at once.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{MmapOptions, MmapRaw};

use super::TraceError;
use super::file::{self, HEADER, Header, Order, at};
use super::frame::{self, State, WORD};
use super::packed::Packer;
use crate::os;

/// What is freed begins and ends at multiples of this, a multiple of any page's size.
const PAGE: u64 = 64 << 10;
/// So much is moved at a time at least while the process runs, if the room is not too small for that.
const WORTHWHILE: u64 = 1 << 20;
/// So much is moved at a time at most, unless a single record is longer.
const PIECE: u64 = 4 << 20;

/// Moves a trace into a compressed file, behind the back of those who write it.
pub struct Follower {
    path: PathBuf,
    trace: File,
    head: MmapRaw,
    header: Header,
    packer: Packer,
    /// Up to where the trace has been moved.
    moved: u64,
    /// Up to where what has been moved is freed.
    freed: u64,
    /// Bytes that may lie in the trace at once.
    capacity: u64,
}

impl Follower {
    /// Begins to follow the trace at `path`, made by [`create_followed`](file::create_followed). It is moved to
    /// `target`, which must not exist yet.
    pub fn start(path: &Path, target: &Path) -> Result<Follower, TraceError> {
        let io = |doing| move |error| TraceError::Io { doing, path: path.to_owned(), error };
        let trace = OpenOptions::new().read(true).write(true).open(path).map_err(io("open"))?;
        let head = MmapOptions::new().len(HEADER).map_raw(&trace).map_err(io("map"))?;
        let bytes = read(&trace, 0, HEADER).map_err(io("read"))?;
        let header = Header::read(&bytes)?;
        if header.order != Order::NATIVE {
            return Err(TraceError::NotWritable("it was made on a machine of another byte order"));
        }
        let packer = Packer::create(target, &first(&bytes)?)?;
        let capacity = header.room.saturating_sub(header.log);
        let freed = header.log.next_multiple_of(PAGE);
        let moved = HEADER as u64;
        let mut follower =
            Follower { path: path.to_owned(), trace, head, header, packer, moved, freed, capacity };
        follower.move_up_to(follower.header.log)?;
        Ok(follower)
    }

    /// Moves what is complete by now, if it is worthwhile, and makes room for as much. Whether there was anything.
    pub fn step(&mut self) -> Result<bool, TraceError> {
        let tail = self.end();
        let pending = tail.saturating_sub(self.moved);
        let before = self.moved;
        // Once there was no room to be had, there may be later.
        self.make_room()?;
        while self.moved < tail && pending >= WORTHWHILE.min(self.capacity / 4) {
            let end = self.committed(tail)?;
            if end == self.moved {
                break;
            }
            self.move_up_to(end)?;
            self.make_room()?;
        }
        Ok(self.moved > before)
    }

    /// The process has ended: lets a last record have what was kept for its writers, however full the trace is.
    pub fn admit_last(&mut self) {
        let room = self.word(at::ROOM).load(Ordering::Relaxed).saturating_add(file::SLACK / 2);
        self.word(at::ROOM).store(room.min(self.header.limit), Ordering::Release);
    }

    /// Moves the rest, complete or not: the process has ended. The trace is no more then; if it could not be moved as a
    /// whole, what was not stays where it was.
    pub fn finish(mut self) -> Result<(), TraceError> {
        let end = self.end();
        // On a full disk the compressed file grows into what this frees.
        self.trace.set_len(end).map_err(|error| self.failed("shorten", error))?;
        let mut moved = Ok(());
        while moved.is_ok() && self.moved < end {
            let next = end.min(self.moved + WORTHWHILE);
            moved = self.move_up_to(next).and_then(|()| self.free());
        }
        let mut header = first(&self.bytes(0, HEADER)?)?;
        header[at::SEALED..at::SEALED + 4].copy_from_slice(&u32::from(moved.is_ok()).to_ne_bytes());
        header[at::TAIL..at::TAIL + 8].copy_from_slice(&self.moved.to_ne_bytes());
        self.packer.header(&header)?;
        moved?;
        fs::remove_file(&self.path).map_err(|error| self.failed("remove", error))
    }

    /// Up to where there may be records.
    fn end(&self) -> u64 {
        let tail = self.word(at::TAIL).load(Ordering::Acquire);
        let room = self.word(at::ROOM).load(Ordering::Relaxed).saturating_add(file::SLACK);
        // A VM gone wild may have written over them.
        let most = self.moved.max(self.header.log).saturating_add(self.capacity + file::SLACK);
        tail.min(room).min(most).min(self.header.limit)
    }

    /// Up to where frames are complete, not much further than a piece.
    fn committed(&self, tail: u64) -> Result<u64, TraceError> {
        let bytes = self.bytes(self.moved, (tail - self.moved).min(PIECE) as usize)?;
        let mut end = self.moved;
        loop {
            let at = (end - self.moved) as usize;
            if at + WORD > bytes.len() {
                return Ok(end);
            }
            match frame::parse(end, self.header.order.u64(&bytes, at)) {
                Some((len, State::Committed | State::Padding)) => {
                    let next = end.saturating_add(frame::size(len));
                    if next > tail || (next - self.moved > PIECE && end > self.moved) {
                        return Ok(end);
                    }
                    end = next;
                }
                _ => return Ok(end),
            }
        }
    }

    fn move_up_to(&mut self, end: u64) -> Result<(), TraceError> {
        while self.moved < end {
            let chunk = self.bytes(self.moved, (end - self.moved).min(PIECE) as usize)?;
            self.packer.append(self.moved, &chunk)?;
            self.moved += chunk.len() as u64;
        }
        Ok(())
    }

    /// Gives back what has been moved, and then as much to the writers.
    fn make_room(&mut self) -> Result<(), TraceError> {
        let room = self.word(at::ROOM).load(Ordering::Relaxed);
        let wanted = self.moved.saturating_add(self.capacity).min(self.header.limit) / PAGE * PAGE;
        if wanted <= room {
            return Ok(());
        }
        self.free()?;
        // Reserved before a writer may touch it: on a full disk records are lost, and no process dies.
        file::reserve_part(&self.trace, &self.path, room, wanted + file::SLACK - room)?;
        self.word(at::ROOM).store(wanted, Ordering::Release);
        Ok(())
    }

    /// Gives back what has been moved.
    fn free(&mut self) -> Result<(), TraceError> {
        let end = self.moved / PAGE * PAGE;
        if self.header.limit == self.header.room || end <= self.freed {
            return Ok(());
        }
        os::free(&self.trace, self.freed, end - self.freed)
            .map_err(|error| self.failed("free a part of", error))?;
        self.freed = end;
        Ok(())
    }

    fn bytes(&self, at: u64, len: usize) -> Result<Vec<u8>, TraceError> {
        read(&self.trace, at, len).map_err(|error| self.failed("read", error))
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        // SAFETY: the mapping is of the whole header, begins at a page, and `at` is a multiple of 8 within the header;
        // the word is only looked at and changed atomically by those who record.
        unsafe { AtomicU64::from_ptr(self.head.as_mut_ptr().add(at).cast()) }
    }

    fn failed(&self, doing: &'static str, error: std::io::Error) -> TraceError {
        TraceError::Io { doing, path: self.path.clone(), error }
    }
}

/// Compresses a trace that nobody records any more. It stays where it is.
pub fn pack(path: &Path, target: &Path) -> Result<(), TraceError> {
    let io = |doing| move |error| TraceError::Io { doing, path: path.to_owned(), error };
    let trace = File::open(path).map_err(io("open"))?;
    let len = trace.metadata().map_err(io("examine"))?.len();
    let mut at = len.min(HEADER as u64);
    let mut packer = Packer::create(target, &first(&read(&trace, 0, at as usize).map_err(io("read"))?)?)?;
    while at < len {
        let chunk = read(&trace, at, (len - at).min(PIECE) as usize).map_err(io("read"))?;
        packer.append(at, &chunk)?;
        at += chunk.len() as u64;
    }
    Ok(())
}

fn first(bytes: &[u8]) -> Result<[u8; HEADER], TraceError> {
    bytes.first_chunk().copied().ok_or(TraceError::NotATrace)
}

fn read(file: &File, at: u64, len: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    os::read_exact_at(file, &mut bytes, at)?;
    Ok(bytes)
}
