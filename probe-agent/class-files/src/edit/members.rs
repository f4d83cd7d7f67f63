//! Edits of fields and methods.

use super::{EditError, changed, number, wrong};
use crate::Code;
use crate::constants::Constants;
use crate::file::{Attribute, ClassFile, Member};

const STATIC: u16 = 0x8;
const NATIVE: u16 = 0x100;
const ABSTRACT: u16 = 0x400;

/// The only member, or the first one, of that name.
pub fn named<'m>(
    constants: &Constants,
    members: &'m mut [Member],
    name: &str,
) -> Result<&'m mut Member, EditError> {
    let found = members.iter_mut().find(|m| constants.text(m.name) == Some(name.as_bytes()));
    found.ok_or_else(|| EditError(format!("there is no {name}")))
}

/// Applies an edit of a member.
pub fn apply(file: &mut ClassFile, words: &[&str]) -> Result<(), EditError> {
    let ClassFile { constants, fields, methods, .. } = file;
    let (members, is_method) = match words.first() {
        Some(&("field" | "fields")) => (fields, false),
        Some(&("method" | "methods")) => (methods, true),
        _ => return wrong("there is no such edit"),
    };
    match &words[1..] {
        ["reverse"] => {
            changed(members.len() > 1)?;
            members.reverse();
        }
        ["remove", name] => {
            let before = members.len();
            members.retain(|m| constants.text(m.name) != Some(name.as_bytes()));
            changed(before != members.len())?;
        }
        ["rename", name, new] => named(constants, members, name)?.name = constants.of_text(new.as_bytes()),
        ["type", name, new] => {
            named(constants, members, name)?.descriptor = constants.of_text(new.as_bytes());
        }
        ["add", flags, name, descriptor] => {
            let flags = number(flags)?;
            let mut attributes = Vec::new();
            if is_method && flags & (ABSTRACT | NATIVE) == 0 {
                let code = constants.of_text(b"Code");
                attributes.push(Attribute { name: code, content: body(flags, descriptor).content() });
            }
            let (name, descriptor) =
                (constants.of_text(name.as_bytes()), constants.of_text(descriptor.as_bytes()));
            members.push(Member { flags, name, descriptor, attributes });
        }
        _ => return wrong("there is no such edit"),
    }
    Ok(())
}

/// The slots that the arguments of a descriptor take.
pub fn slots(descriptor: &str) -> u16 {
    let mut slots = 0;
    let mut rest = descriptor.strip_prefix('(').unwrap_or_default().chars();
    while let Some(first) = rest.next() {
        let mut kind = first;
        while kind == '[' {
            kind = rest.next().unwrap_or(')');
        }
        match (first, kind) {
            (')', _) => break,
            (_, 'L') => {
                let _ = rest.by_ref().find(|c| *c == ';');
            }
            _ => {}
        }
        slots += if matches!(first, 'J' | 'D') { 2 } else { 1 };
    }
    slots
}

/// Code that returns zero, null or nothing.
fn body(flags: u16, descriptor: &str) -> Code {
    let (bytes, max_stack): (&[u8], u16) = match descriptor.rsplit(')').next().and_then(|r| r.chars().next())
    {
        Some('V') => (&[0xb1], 0),
        Some('J') => (&[0x09, 0xad], 2),
        Some('F') => (&[0x0b, 0xae], 1),
        Some('D') => (&[0x0e, 0xaf], 2),
        Some('L' | '[') => (&[0x01, 0xb0], 1),
        _ => (&[0x03, 0xac], 1),
    };
    let max_locals = slots(descriptor) + u16::from(flags & STATIC == 0);
    Code { max_stack, max_locals, bytes: bytes.to_vec(), handlers: Vec::new(), attributes: Vec::new() }
}
