//! Output to the terminal: colours where it supports them, and no panic if it is closed.

use std::io::{self, Write};

use anstream::AutoStream;
use jvmti_reports::terminal::Style;

use super::fault::Fault;

/// Writes to standard output, without colours if it is not a terminal or the user does not want them.
pub fn print(text: &str) -> Result<(), Fault> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Fault::Unheard),
        Err(error) => Err(Fault::work(anyhow::Error::new(error).context("cannot write to standard output"))),
    }
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
    let _ = writeln!(anstream::stderr(), "{text}");
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
    use super::table;

    #[test]
    fn columns_are_aligned() {
        let row = |cells: &[&str]| cells.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
        assert_eq!(table(&[row(&["a", "b"]), row(&["ccc", "d"])]), "a    b\nccc  d\n");
    }
}
