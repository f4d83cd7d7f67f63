//! Modified UTF-8, and text made fit for a line.

/// The text that these bytes are in modified UTF-8; `None` if they are not. Surrogates that make no pair are shown as
/// U+FFFD: modified UTF-8 may hold them, a Rust string may not.
pub fn decode_modified_utf8(bytes: &[u8]) -> Option<String> {
    units(bytes).map(|units| String::from_utf16_lossy(&units))
}

/// Whether the bytes are valid modified UTF-8: no byte 0, no four-byte form, nothing encoded longer than needed.
pub fn is_modified_utf8(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| (1..0x80).contains(b)) || units(bytes).is_some()
}

fn units(bytes: &[u8]) -> Option<Vec<u16>> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    let tail = |b: u8| (b & 0xc0 == 0x80).then_some(u16::from(b & 0x3f));
    while let [first, after @ ..] = rest {
        let (unit, after) = match (*first, after) {
            (0x01..=0x7f, after) => (u16::from(*first), after),
            (0xc0..=0xdf, [b, after @ ..]) => {
                let unit = u16::from(first & 0x1f) << 6 | tail(*b)?;
                (if unit == 0 || unit >= 0x80 { unit } else { return None }, after)
            }
            (0xe0..=0xef, [b, c, after @ ..]) => {
                let unit = u16::from(first & 0x0f) << 12 | tail(*b)? << 6 | tail(*c)?;
                (if unit >= 0x800 { unit } else { return None }, after)
            }
            _ => return None,
        };
        out.push(unit);
        rest = after;
    }
    Some(out)
}

/// The text in modified UTF-8.
pub fn modified_utf8(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for unit in text.encode_utf16() {
        let low = |shift: u16| (unit >> shift & 0x3f) as u8 | 0x80;
        match unit {
            0x01..=0x7f => out.push(unit as u8),
            0 | 0x80..=0x7ff => out.extend([0xc0 | (unit >> 6) as u8, low(0)]),
            _ => out.extend([0xe0 | (unit >> 12) as u8, low(6), low(0)]),
        }
    }
    out
}

/// Control characters escaped: names from the JVM are data, and must not steer a terminal.
pub(super) fn printable(text: &str) -> String {
    if !text.chars().any(char::is_control) {
        return text.to_owned();
    }
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(super) fn hex(bytes: &[u8], most: usize) -> String {
    let shown: Vec<String> = bytes.iter().take(most).map(|b| format!("{b:02x}")).collect();
    let more = if bytes.len() > most { " …" } else { "" };
    shown.join(" ") + more
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn overlong_and_plain_utf8_forms_are_refused() {
        assert!(!is_modified_utf8(b"a\0b"));
        assert!(!is_modified_utf8("\u{1f600}".as_bytes()), "four-byte form");
        assert!(!is_modified_utf8(&[0xc1, 0x81]), "overlong A");
        assert!(!is_modified_utf8(&[0xe0, 0x80, 0x80]), "overlong nul");
        assert!(!is_modified_utf8(&[0xc3]), "cut off");
        assert!(is_modified_utf8(&[0xc0, 0x80]), "nul");
        assert!(is_modified_utf8(&[0xed, 0xa0, 0x80]), "a lone surrogate is a char of Java");
    }

    #[test]
    fn control_characters_do_not_reach_a_terminal() {
        assert_eq!(printable("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
    }

    proptest! {
        #[test]
        fn encoding_and_decoding_agree(text in any::<String>()) {
            let bytes = modified_utf8(&text);
            prop_assert!(is_modified_utf8(&bytes));
            prop_assert_eq!(decode_modified_utf8(&bytes), Some(text));
        }

        #[test]
        fn what_is_decoded_encodes_to_the_same_bytes(bytes in prop::collection::vec(any::<u8>(), 0..12)) {
            if let Some(units) = units(&bytes) && let Ok(text) = String::from_utf16(&units) {
                prop_assert_eq!(modified_utf8(&text), bytes);
            }
        }
    }
}
