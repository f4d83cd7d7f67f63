//! Output to the terminal: colours where it supports them, and no panic if it is closed.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::LazyLock;

use anstream::AutoStream;
use jvmti_reports::terminal::Style;

use super::fault::Fault;

/// Writes to standard output, without colours if it is not a terminal or the user does not want them.
pub fn print(text: &str) -> Result<(), Fault> {
    let mut out = anstream::stdout().lock();
    match out.write_all(told(text).as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Fault::Unheard),
        Err(error) => Err(Fault::work(anyhow::Error::new(error).context("cannot write to standard output"))),
    }
}

/// The text as the terminal's locale can show it: without signs beyond ASCII if the locale is one that has none.
fn told(text: &str) -> Cow<'_, str> {
    static ASCII: LazyLock<bool> = LazyLock::new(|| {
        let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(std::env::var_os);
        set.into_iter()
            .find(|value| !value.is_empty())
            .is_some_and(|value| is_ascii(&value.to_string_lossy()))
    });
    if *ASCII { Cow::Owned(in_ascii(text)) } else { Cow::Borrowed(text) }
}

/// Whether a locale has no other characters: `C`, `POSIX`, `en_US`; not `C.UTF-8`.
fn is_ascii(locale: &str) -> bool {
    let locale = locale.to_lowercase();
    !locale.contains("utf-8") && !locale.contains("utf8")
}

/// With the nearest ASCII signs for those that this program prints itself.
fn in_ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '─' | '–' | '—' | '·' => out.push('-'),
            '┌' => out.push('+'),
            '│' => out.push('|'),
            '█' => out.push('#'),
            '▓' => out.push('='),
            '▒' => out.push('!'),
            '░' => out.push('.'),
            '…' => out.push_str("..."),
            '→' => out.push_str("->"),
            '✓' => out.push_str("ok"),
            '✗' => out.push('x'),
            '\u{202f}' | '\u{a0}' => out.push(' '),
            c if c.is_ascii() => out.push(c),
            _ => out.push('?'),
        }
    }
    out
}

/// A reader that has gone changes nothing about what came out, nor about what is still to be done.
pub fn heard(printed: Result<(), Fault>) -> Result<(), Fault> {
    match printed {
        Err(Fault::Unheard) => Ok(()),
        other => other,
    }
}

/// Writes a line to standard error, for people.
pub fn note(text: &str) {
    // Standard error may be closed.
    let _ = writeln!(anstream::stderr(), "{}", told(text));
}

/// The style for standard output.
pub fn style() -> Style {
    let colour = AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    Style { colour, width: width() }
}

/// The width of the terminal in columns.
fn width() -> usize {
    let columns = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    columns.unwrap_or(Style::PLAIN.width).max(40)
}

/// The number of cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Formats rows as aligned columns; the last column is not padded.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:<width$}  "));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{in_ascii, is_ascii, table};

    #[test]
    fn locales_without_signs_get_none() {
        assert!(is_ascii("C") && is_ascii("POSIX") && is_ascii("de_DE"));
        assert!(!is_ascii("C.UTF-8") && !is_ascii("en_US.utf8"));
        assert_eq!(in_ascii("── FAIL ── a → b … █▓▒░ ✓"), "-- FAIL -- a -> b ... #=!. ok");
    }

    #[test]
    fn columns_are_aligned() {
        let row = |cells: &[&str]| cells.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
        assert_eq!(table(&[row(&["a", "b"]), row(&["ccc", "d"])]), "a    b\nccc  d\n");
    }
}
