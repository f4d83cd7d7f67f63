//! Making text of unknown origin harmless to look at: a name out of a JVM may hold terminal escapes, line breaks or
//! characters that reverse the writing direction.

use std::borrow::Cow;

/// On one line: every control or direction-changing character written as `\n`, `\u{1b}`, ….
pub fn line(text: &str) -> Cow<'_, str> {
    replaced(text, is_invisible)
}

/// As [`line`], but line breaks and tabs are kept.
pub fn block(text: &str) -> Cow<'_, str> {
    replaced(text, |c| is_invisible(c) && c != '\n' && c != '\t')
}

fn replaced(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if hidden(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_direction_changes_are_shown() {
        assert_eq!(line("a\u{1b}[31m\nb\u{202e}c"), "a\\u{1b}[31m\\nb\\u{202e}c");
        assert_eq!(block("a\tb\nc\u{7}"), "a\tb\nc\\u{7}");
        assert!(matches!(line("GetThreadState(thread: $sleeper)"), Cow::Borrowed(_)));
    }
}
