//! Output of a process, read to its end and kept in part, so that neither a flood blocks the process nor fills the
//! memory here.

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many bytes are kept of the beginning, and as many of the end.
pub const KEPT: usize = 64 * 1024;

/// What a process wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, at most [`KEPT`].
    pub head: Vec<u8>,
    /// The last bytes, at most [`KEPT`], without those in `head`.
    pub tail: Vec<u8>,
    /// How many there were in all.
    pub total: u64,
}

impl Captured {
    /// As text, with a note where something was left out.
    pub fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        let omitted = self.total - (self.head.len() + self.tail.len()) as u64;
        if omitted > 0 {
            text.push_str(&format!("\n[… {omitted} bytes left out …]\n"));
        }
        text.push_str(&String::from_utf8_lossy(&self.tail));
        text
    }

    /// As [`text`](Self::text), of the first and the last bytes only.
    pub fn excerpt(&self, bytes: usize) -> String {
        let mut kept = self.head.clone();
        kept.extend_from_slice(&self.tail);
        if kept.len() <= 2 * bytes {
            return self.text();
        }
        let [head, tail] =
            [&kept[..bytes], &kept[kept.len() - bytes..]].map(|part| String::from_utf8_lossy(part));
        format!("{head}\n[…]\n{tail}")
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }
}

#[derive(Debug, Default)]
struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    marks: Option<Marks>,
}

/// Counts a text in all of the output, wherever it stands: other writers may share a line with it.
#[derive(Debug)]
struct Marks {
    mark: &'static [u8],
    count: usize,
    /// The last bytes so far, one fewer than the mark has.
    seam: Vec<u8>,
}

impl Marks {
    fn of(mark: &'static str) -> Marks {
        Marks { mark: mark.as_bytes(), count: 0, seam: Vec::new() }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.seam.extend_from_slice(bytes);
        self.count += self.seam.windows(self.mark.len()).filter(|window| *window == self.mark).count();
        self.seam.drain(..self.seam.len().saturating_sub(self.mark.len() - 1));
    }
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        if let Some(marks) = &mut self.marks {
            marks.add(bytes);
        }
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT - self.head.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(KEPT)..];
        let excess = (self.tail.len() + rest.len()).saturating_sub(KEPT);
        self.tail.drain(..excess);
        self.tail.extend(rest);
    }
}

/// A pipe being drained by a thread.
#[derive(Debug)]
pub(super) struct Drain {
    kept: Arc<Mutex<Kept>>,
    done: Receiver<()>,
}

impl Drain {
    /// Starts draining, and counting the marks; the writing end is for the process.
    pub(super) fn start(mark: Option<&'static str>) -> io::Result<(Drain, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        let kept = Kept { marks: mark.map(Marks::of), ..Kept::default() };
        let kept = Arc::new(Mutex::new(kept));
        let (end, done) = channel();
        let into = Arc::clone(&kept);
        std::thread::Builder::new().name("output".to_owned()).spawn(move || {
            read_all(reader, &into);
            // Nobody waits any more if the launch has been left already.
            let _ = end.send(());
        })?;
        Ok((Drain { kept, done }, writer))
    }

    /// How many bytes have come so far.
    fn total(&self) -> u64 {
        self.kept().total
    }

    /// How many times the mark has come so far.
    pub(super) fn marks(&self) -> usize {
        self.kept().marks.as_ref().map_or(0, |marks| marks.count)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What came, at the latest after `timeout`: a process that left its group may hold the pipe for ever.
    pub(super) fn finish(self, timeout: Duration) -> Captured {
        let _ = self.done.recv_timeout(timeout);
        let kept = self.kept();
        Captured { head: kept.head.clone(), tail: kept.tail.iter().copied().collect(), total: kept.total }
    }

    /// Waits until nothing has come for `quiet`, at most for `timeout`.
    pub(super) fn settle(&self, quiet: Duration, timeout: Duration) {
        let start = Instant::now();
        let (mut seen, mut since) = (self.total(), Instant::now());
        while start.elapsed() < timeout && since.elapsed() < quiet {
            std::thread::sleep(Duration::from_millis(10));
            if self.total() != seen {
                (seen, since) = (self.total(), Instant::now());
            }
        }
    }
}

fn read_all(mut reader: PipeReader, into: &Mutex<Kept>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return,
            Ok(n) => into.lock().unwrap_or_else(PoisonError::into_inner).add(&buffer[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_output_is_kept_whole() {
        let mut kept = Kept::default();
        kept.add(b"one ");
        kept.add(b"two");
        assert_eq!((kept.head.as_slice(), kept.tail.len(), kept.total), (&b"one two"[..], 0, 7));
    }

    #[test]
    fn an_excerpt_has_both_ends() {
        let written = Captured { head: "aébcd".into(), tail: "yz".into(), total: 8 };
        assert_eq!(written.excerpt(4), written.text());
        assert_eq!(written.excerpt(3), "aé\n[…]\ndyz");
    }

    #[test]
    fn a_mark_counts_wherever_it_comes() {
        let mut kept = Kept { marks: Some(Marks::of("waiting")), ..Kept::default() };
        for part in [&[b'x'; 3 * KEPT] as &[u8], b"\n  7  wai", b"ting", b"   8 A::b\nwaiting\nwait"] {
            kept.add(part);
        }
        assert_eq!(kept.marks.unwrap().count, 2);
    }

    proptest! {
        #[test]
        fn head_and_tail_of_any_output_are_kept(chunks in proptest::collection::vec(0usize..100_000, 0..8)) {
            let mut kept = Kept::default();
            let mut all = Vec::new();
            for (i, len) in chunks.into_iter().enumerate() {
                let chunk: Vec<u8> = (0..len).map(|j| (i * 31 + j) as u8).collect();
                kept.add(&chunk);
                all.extend(chunk);
            }
            let tail: Vec<u8> = kept.tail.into_iter().collect();
            prop_assert_eq!(kept.total, all.len() as u64);
            prop_assert_eq!(&kept.head[..], &all[..all.len().min(KEPT)]);
            let rest = &all[all.len().min(KEPT)..];
            prop_assert_eq!(&tail[..], &rest[rest.len().saturating_sub(KEPT)..]);
        }
    }
}
