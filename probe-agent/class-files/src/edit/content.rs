//! The content of an attribute, put together from its parts.

use super::{EditError, number, wrong};
use crate::Constants;

/// The bytes that these parts stand for.
pub fn assemble(constants: &mut Constants, parts: &[&str]) -> Result<Vec<u8>, EditError> {
    let mut bytes = Vec::new();
    for part in parts {
        let Some((kind, rest)) = part.split_once('(') else { return wrong(format!("{part} is no content")) };
        let Some(inner) = rest.strip_suffix(')') else { return wrong(format!("{part} has no end")) };
        match kind {
            "u1" => bytes.push(number(inner)?.to_be_bytes()[1]),
            "u2" => bytes.extend(number(inner)?.to_be_bytes()),
            "u4" => bytes.extend(u32::from(number(inner)?).to_be_bytes()),
            "hex" => bytes.extend(hex(inner)?),
            "bytes" => bytes.extend_from_slice(inner.as_bytes()),
            "text" => bytes.extend(constants.of_text(inner.as_bytes()).to_be_bytes()),
            "class" => bytes.extend(constants.of_class(inner.as_bytes()).to_be_bytes()),
            "string" => bytes.extend(constants.of_string(inner.as_bytes()).to_be_bytes()),
            "int" => bytes.extend(constants.of_int(i32::from(number(inner)?)).to_be_bytes()),
            _ => return wrong(format!("{kind} is no kind of content")),
        }
    }
    Ok(bytes)
}

/// Bytes written as pairs of digits.
pub fn hex(digits: &str) -> Result<Vec<u8>, EditError> {
    let pairs = digits.as_bytes().chunks(2);
    let read = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(read).collect::<Option<_>>().ok_or_else(|| EditError(format!("{digits} is not hexadecimal")))
}
