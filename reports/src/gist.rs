//! What two texts from different runs have in common: addresses and numbers of objects differ each time.

/// The text with each number behind `#` or `0x` left out.
pub(crate) fn gist(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut numbered = false;
    for c in text.chars() {
        numbered = match c {
            '#' => true,
            'x' => out.ends_with('0') || numbered,
            c => numbered && c.is_ascii_hexdigit(),
        };
        if !numbered || c == '#' || c == 'x' {
            out.push(c);
        }
    }
    out
}
