//! The text of case files, and places in it.

use std::fmt;
use std::sync::Arc;

/// A case file as read.
#[derive(Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path relative to the cases folder, with `/`.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A stretch of one file, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Index of the file.
    pub file: u16,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// All files of one load, by index.
#[derive(Clone, Debug, Default)]
pub struct Sources(Vec<Arc<SourceFile>>);

impl Sources {
    /// Adds a file and gives its index.
    pub fn add(&mut self, file: SourceFile) -> u16 {
        self.0.push(Arc::new(file));
        u16::try_from(self.0.len() - 1).unwrap_or(u16::MAX)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &SourceFile> {
        self.0.iter().map(Arc::as_ref)
    }

    /// The file that a span lies in.
    pub fn file(&self, span: Span) -> Arc<SourceFile> {
        self.0
            .get(usize::from(span.file))
            .cloned()
            .unwrap_or_else(|| Arc::new(SourceFile { name: "?".to_owned(), text: String::new() }))
    }

    /// Line of a span's start, from 1.
    pub fn line(&self, span: Span) -> u32 {
        self.file(span).position(span.start).0
    }
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SourceFile").field(&self.name).finish()
    }
}

impl SourceFile {
    /// First byte of a line, counted from 1.
    pub fn start_of_line(&self, line: u32) -> u32 {
        let lines = self.text.split_inclusive('\n').take(line.saturating_sub(1) as usize);
        u32::try_from(lines.map(str::len).sum::<usize>()).unwrap_or(u32::MAX)
    }

    /// Line and column of a byte, both from 1; columns count characters.
    pub fn position(&self, byte: u32) -> (u32, u32) {
        let mut byte = (byte as usize).min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        let before = &self.text[..byte];
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let file = SourceFile { name: "a".into(), text: "x\nöy: z\n".into() };
        assert_eq!(file.position(0), (1, 1));
        assert_eq!(file.position(2), (2, 1));
        assert_eq!(file.position(4), (2, 2));
        assert_eq!(file.position(3), (2, 1), "inside a character: its start");
        assert_eq!(file.position(999), (3, 1));
    }
}
