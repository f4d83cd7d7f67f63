//! Makes the memory of a trace ready before its writers come to it: the kernel has to find and clear a page for each 4 KiB
//! that are written, and that would be a good part of what recording costs. Here it is another process that waits for it.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use memmap2::{MmapOptions, MmapRaw};

use super::TraceError;
use super::file::{HEADER, Header, at};
use crate::os;

/// Memory is made ready in pieces of this size, a multiple of any page's.
const PIECE: u64 = 4 << 20;
/// A trace that is no longer than this is left alone: most are.
const SHORT: u64 = 1 << 20;
/// How long the trace is left alone while it grows, and at the most.
const PAUSE: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(10));

/// Keeps ahead of those who write a trace, until it is dropped.
#[derive(Debug)]
pub struct Ahead {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Ahead {
    /// Keeps ahead of those who write the trace at `path` from now on. Where that is not possible, nothing is done.
    pub fn of(path: &Path) -> Result<Ahead, TraceError> {
        let io = |doing| move |error| TraceError::Io { doing, path: path.to_owned(), error };
        let trace = OpenOptions::new().read(true).write(true).open(path).map_err(io("open"))?;
        let mut bytes = vec![0; HEADER];
        os::read_exact_at(&trace, &mut bytes, 0).map_err(io("read"))?;
        let header = Header::read(&bytes)?;
        let head = MmapOptions::new().len(HEADER).map_raw(&trace).map_err(io("map"))?;
        let mut runner = Runner { trace, head, log: header.log, limit: header.limit, ready: 0 };
        let over = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&over);
        let run = move || {
            let mut pause = PAUSE.1;
            while !until.load(Ordering::Acquire) {
                match runner.step() {
                    Some(true) => pause = PAUSE.0,
                    Some(false) => pause = (pause * 2).min(PAUSE.1),
                    None => return,
                }
                std::thread::park_timeout(pause);
            }
        };
        let thread = std::thread::Builder::new().name("ahead".to_owned()).spawn(run).map_err(io("follow"))?;
        Ok(Ahead { over, thread: Some(thread) })
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It does not panic; if it did, nothing of the trace would be wrong.
            let _ = thread.join();
        }
    }
}

struct Runner {
    trace: File,
    head: MmapRaw,
    log: u64,
    limit: u64,
    /// Up to where memory is ready.
    ready: u64,
}

impl Runner {
    /// Makes memory ready, if too little is. Whether there was anything to do; `None`: it cannot be done.
    fn step(&mut self) -> Option<bool> {
        let tail = self.word(at::TAIL).load(Ordering::Relaxed).min(self.limit);
        // Beyond the room nothing is reserved on the disk.
        let room = self.word(at::ROOM).load(Ordering::Relaxed).min(self.limit) / PIECE * PIECE;
        self.ready = self.ready.max(tail / PIECE * PIECE);
        let until = (tail + 2 * PIECE).min(room);
        if tail < self.log + SHORT || self.ready >= until {
            return Some(false);
        }
        // Mapped for this only, so that this process does not hold on to all of the trace.
        let window = MmapOptions::new().offset(self.ready).len(PIECE as usize).map_raw(&self.trace).ok()?;
        os::populate(&window)?;
        self.ready += PIECE;
        Some(true)
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        // SAFETY: the mapping is of the whole header, begins at a page, and `at` is a multiple of 8 within the header;
        // those who record change the word atomically.
        unsafe { AtomicU64::from_ptr(self.head.as_mut_ptr().add(at).cast()) }
    }
}
