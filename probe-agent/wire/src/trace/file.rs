//! The trace file: header, plan, log.
//!
//! The layout is told in `docs/trace-format.md`. Integers of the header and of frame words are in the byte order of
//! the machine that made the file; a mark in the header tells which that is.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{MAX_RECORD, TraceError};
use crate::os;
use crate::plan::Plan;

/// Version of the format that this crate writes, and the newest that it reads.
pub const FORMAT: u32 = 2;

/// The first bytes of each trace file.
pub const MAGIC: [u8; 8] = *b"\x89JTRACE\n";

const ORDER_MARK: u32 = 0x0a0b_0c0d;

/// Offsets of the header's fields.
pub(super) mod at {
    pub(crate) const ORDER: usize = 8;
    pub(crate) const FORMAT: usize = 12;
    pub(crate) const HEADER: usize = 16;
    pub(crate) const SEALED: usize = 20;
    pub(crate) const PLAN: usize = 24;
    pub(crate) const PLAN_LEN: usize = 32;
    pub(crate) const LOG: usize = 40;
    pub(crate) const CAPACITY: usize = 48;
    pub(crate) const STARTED: usize = 56;
    pub(crate) const TAIL: usize = 64;
    pub(crate) const LOST: usize = 72;
    pub(crate) const ROOM: usize = 80;
}

/// Bytes of the header.
pub(super) const HEADER: usize = 128;
/// Most that the log of a trace may come to that is moved away while it is written: none of it lies on a disk at once.
const ENDLESS: u64 = 4 << 40;
/// What is reserved beyond the room: writers that race for the last of it may go past its end.
pub(super) const SLACK: u64 = MAX_RECORD as u64;

/// Byte order of a file's integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    pub(super) const NATIVE: Order = if cfg!(target_endian = "little") { Order::Little } else { Order::Big };

    /// The integer at `at`; 0 beyond the end.
    pub(super) fn u32(self, bytes: &[u8], at: usize) -> u32 {
        let Some(raw) = bytes.get(at..).and_then(|b| b.first_chunk()) else { return 0 };
        match self {
            Order::Little => u32::from_le_bytes(*raw),
            Order::Big => u32::from_be_bytes(*raw),
        }
    }

    /// The integer at `at`; 0 beyond the end.
    pub(super) fn u64(self, bytes: &[u8], at: usize) -> u64 {
        let Some(raw) = bytes.get(at..).and_then(|b| b.first_chunk()) else { return 0 };
        match self {
            Order::Little => u64::from_le_bytes(*raw),
            Order::Big => u64::from_be_bytes(*raw),
        }
    }
}

/// What the header says, checked for consistency but for `tail` and `lost`, which change.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) order: Order,
    pub(super) sealed: bool,
    pub(super) plan: std::ops::Range<u64>,
    /// Where the log begins.
    pub(super) log: u64,
    /// Where it ends at the latest.
    pub(super) limit: u64,
    /// Nanoseconds since 1970.
    pub(super) started: u64,
    pub(super) tail: u64,
    pub(super) lost: u64,
    /// Where writers have to stop for now.
    pub(super) room: u64,
}

impl Header {
    /// Reads the header at the beginning of a file.
    pub(super) fn read(bytes: &[u8]) -> Result<Header, TraceError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(TraceError::NotATrace);
        }
        let cut_off = |wanted: u64| TraceError::Truncated { len: bytes.len() as u64, wanted };
        if bytes.len() < HEADER {
            return Err(cut_off(HEADER as u64));
        }
        let order = [Order::Little, Order::Big]
            .into_iter()
            .find(|order| order.u32(bytes, at::ORDER) == ORDER_MARK)
            .ok_or(TraceError::Damaged("its byte order mark is none"))?;
        match order.u32(bytes, at::FORMAT) {
            FORMAT => {}
            0 => return Err(TraceError::Damaged("there is no such format")),
            found => return Err(TraceError::OtherFormat { found, known: FORMAT }),
        }
        let word = |at| order.u64(bytes, at);
        let (plan, log) = (word(at::PLAN), word(at::LOG));
        let plan_end =
            plan.checked_add(word(at::PLAN_LEN)).ok_or(TraceError::Damaged("its plan has no end"))?;
        let limit = log.checked_add(word(at::CAPACITY)).ok_or(TraceError::Damaged("its log has no end"))?;
        let header = u64::from(order.u32(bytes, at::HEADER));
        if header < HEADER as u64 || plan < header || log < plan_end || log % 8 != 0 || limit % 8 != 0 {
            return Err(TraceError::Damaged("header, plan and log overlap"));
        }
        Ok(Header {
            order,
            sealed: order.u32(bytes, at::SEALED) != 0,
            plan: plan..plan_end,
            log,
            limit,
            started: word(at::STARTED),
            tail: word(at::TAIL),
            lost: word(at::LOST),
            room: word(at::ROOM),
        })
    }

    /// The plan's text. Fails also if the file ends before its log begins.
    pub(super) fn plan<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], TraceError> {
        let truncated = TraceError::Truncated { len: bytes.len() as u64, wanted: self.log };
        if (bytes.len() as u64) < self.log {
            return Err(truncated);
        }
        let range = usize::try_from(self.plan.start).ok().zip(usize::try_from(self.plan.end).ok());
        range.and_then(|(start, end)| bytes.get(start..end)).ok_or(truncated)
    }

    /// Where the written part of the log ends, as far as the header tells.
    pub(super) fn end(&self) -> u64 {
        if self.tail < self.log { self.limit } else { self.tail.min(self.limit) }
    }
}

/// Makes a trace file with the plan in its head and room for `capacity` bytes of records, all of it reserved on the
/// disk so that recording can't run out of space later.
///
/// Fails if there is a file of that name already. Leaves none behind when it fails for another reason.
pub fn create(path: &Path, plan: &Plan, capacity: u64) -> Result<(), TraceError> {
    make(path, plan, capacity, |file, size| {
        reserve(file, path, size)?;
        Ok(size)
    })
}

/// Makes a trace file that a [`Follower`](super::Follower) moves away while it is written: `capacity` bounds what has not
/// been moved yet. Where the file system can't free parts of a file, it is one as [`create`] makes it.
pub fn create_followed(path: &Path, plan: &Plan, capacity: u64) -> Result<(), TraceError> {
    make(path, plan, capacity, |file, size| {
        let size_with_slack = size.saturating_add(SLACK);
        reserve(file, path, size_with_slack)?;
        let freed = os::free(file, size, SLACK);
        // A process that may only have so much memory can't map more than that.
        let endless = os::addressable().map_or(ENDLESS, |most| ENDLESS.min(most / 64 * 8)).max(size);
        if freed.is_ok() && file.set_len(endless).is_ok() {
            reserve_part(file, path, size, SLACK)?;
            return Ok(endless);
        }
        file.set_len(size).map_err(|error| TraceError::Io {
            doing: "shorten",
            path: path.to_owned(),
            error,
        })?;
        Ok(size)
    })
}

/// Makes a trace file with room for `capacity` bytes. `grow` gives the file its size, of which that much has room, and
/// tells it.
fn make(
    path: &Path,
    plan: &Plan,
    capacity: u64,
    grow: impl FnOnce(&File, u64) -> Result<u64, TraceError>,
) -> Result<(), TraceError> {
    let io = |doing| move |error| TraceError::Io { doing, path: path.to_owned(), error };
    let plan = serde_json::to_vec(plan)?;
    let log = (HEADER as u64 + plan.len() as u64).next_multiple_of(64);
    let room = capacity
        .checked_next_multiple_of(8)
        .and_then(|capacity| log.checked_add(capacity))
        .filter(|size| i64::try_from(*size).is_ok())
        .ok_or(TraceError::NoRoom { path: path.to_owned(), wanted: capacity })?;
    let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(io("create"))?;
    let filled = grow(&file, room).and_then(|limit| {
        let mut head = header(plan.len() as u64, log, limit - log, room).to_vec();
        head.extend_from_slice(&plan);
        (&file).write_all(&head).map_err(io("write"))
    });
    if filled.is_err() {
        // The error that matters is the one already at hand.
        let _ = fs::remove_file(path);
    }
    filled
}

fn header(plan_len: u64, log: u64, capacity: u64, room: u64) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    put(0, &MAGIC);
    put(at::ORDER, &ORDER_MARK.to_ne_bytes());
    put(at::FORMAT, &FORMAT.to_ne_bytes());
    put(at::HEADER, &(HEADER as u32).to_ne_bytes());
    put(at::PLAN, &(HEADER as u64).to_ne_bytes());
    put(at::PLAN_LEN, &plan_len.to_ne_bytes());
    put(at::LOG, &log.to_ne_bytes());
    put(at::CAPACITY, &capacity.to_ne_bytes());
    put(at::STARTED, &(since_1970.as_nanos() as u64).to_ne_bytes());
    put(at::TAIL, &log.to_ne_bytes());
    put(at::ROOM, &room.to_ne_bytes());
    bytes
}

fn reserve(file: &File, path: &Path, size: u64) -> Result<(), TraceError> {
    reserve_part(file, path, 0, size)?;
    let failed = |error| TraceError::Io { doing: "reserve space for", path: path.to_owned(), error };
    file.set_len(size).map_err(failed)
}

/// Reserves a part of the file on the disk; where the file system can't, the part stays a hole.
pub(super) fn reserve_part(file: &File, path: &Path, at: u64, len: u64) -> Result<(), TraceError> {
    os::allocate(file, at, len).map_err(|error| match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            TraceError::NoRoom { path: path.to_owned(), wanted: len }
        }
        _ => TraceError::Io { doing: "reserve space for", path: path.to_owned(), error },
    })
}

/// How far the log of a trace has been written: grows as long as its process records, may be asked at any time.
pub fn tail(path: &Path) -> Result<u64, TraceError> {
    let io = |doing| move |error| TraceError::Io { doing, path: path.to_owned(), error };
    let mut head = Vec::with_capacity(HEADER);
    File::open(path).map_err(io("open"))?.take(HEADER as u64).read_to_end(&mut head).map_err(io("read"))?;
    Ok(Header::read(&head)?.tail)
}

/// Cuts the unused rest off a trace and marks it as complete. To be called when no process maps it any more.
///
/// May be repeated, and interrupted at any point: the file is readable before, in between and after.
pub fn seal(path: &Path) -> Result<(), TraceError> {
    let io = |doing| move |error| TraceError::Io { doing, path: path.to_owned(), error };
    let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(io("open"))?;
    let mut head = Vec::with_capacity(HEADER);
    (&file).take(HEADER as u64).read_to_end(&mut head).map_err(io("read"))?;
    let header = Header::read(&head)?;
    if header.sealed {
        return Ok(());
    }
    if header.tail < header.log {
        return Err(TraceError::Damaged("its log ends before it begins"));
    }
    let len = file.metadata().map_err(io("examine"))?.len();
    if header.end() < len {
        file.set_len(header.end()).map_err(io("shorten"))?;
    }
    let yes = match header.order {
        Order::Little => 1u32.to_le_bytes(),
        Order::Big => 1u32.to_be_bytes(),
    };
    file.seek(SeekFrom::Start(at::SEALED as u64)).map_err(io("seek"))?;
    file.write_all(&yes).map_err(io("write"))
}
