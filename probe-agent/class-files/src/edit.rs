//! Single edits of a class file, as texts: `method add 0x1a more ()V`.
//!
//! | Edit | Does |
//! | --- | --- |
//! | `version 55.0` | sets major and minor version |
//! | `flags PLACE +0x10 -0x1` | sets and clears access flags; a place is `class`, `field:NAME` or `method:NAME` |
//! | `class NAME`, `superclass NAME` | renames the class, or gives it another superclass |
//! | `interface add NAME`, `interface remove NAME`, `interfaces reverse` | changes the direct interfaces |
//! | `field add FLAGS NAME TYPE`, `method add FLAGS NAME TYPE` | adds a member; a method returns a null or zero |
//! | `field remove NAME`, `fields reverse`, `field rename NAME NEW`, `field type NAME TYPE` | and so for methods |
//! | `attribute set PLACE NAME CONTENT…` | adds or replaces an attribute; `code:NAME` is a place as well |
//! | `attribute remove PLACE NAME` | removes an attribute |
//! | `constants add N`, `constants double` | adds constants that nothing uses; gives names and strings other indices |
//! | `constants move N` | gives every constant another index, behind N constants that nothing uses |
//! | `code replace NAME HEX HEX` | replaces bytes in the code of a method |
//! | `limits NAME STACK LOCALS` | adds to the limits of a method's code |
//! | `text OLD NEW` | replaces the text in each constant that is a text and equal to it |
//!
//! CONTENT is put together from `u1(5)`, `u2(5)`, `u4(5)`, `hex(0a0b)`, and `text(…)`, `class(…)`, `string(…)`, `int(…)`,
//! which stand for the indices of such constants. Several edits are joined by `then`.

mod content;
mod members;

use std::fmt;

pub use members::slots;

use crate::file::{Attribute, ClassFile};
use crate::moved::moved;

/// Why a class file could not be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditError(pub String);

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EditError {}

fn wrong<T>(what: impl Into<String>) -> Result<T, EditError> {
    Err(EditError(what.into()))
}

/// The class file with these edits, one after the other.
pub fn edited(bytes: &[u8], edits: &str) -> Result<Vec<u8>, EditError> {
    let Some(mut file) = ClassFile::read(bytes) else { return wrong("it is not a class file") };
    for edit in edits.split(" then ").map(str::trim).filter(|edit| !edit.is_empty()) {
        let words: Vec<&str> = edit.split_whitespace().collect();
        apply(&mut file, &words).map_err(|EditError(why)| EditError(format!("`{edit}`: {why}")))?;
    }
    Ok(file.bytes())
}

fn apply(file: &mut ClassFile, words: &[&str]) -> Result<(), EditError> {
    match words {
        ["version", version] => {
            let Some((major, minor)) = version.split_once('.') else { return wrong("write it as 55.0") };
            (file.major, file.minor) = (number(major)?, number(minor)?);
        }
        ["flags", place, changes @ ..] => change_flags(file, place, changes)?,
        ["class", name] => file.this = file.constants.of_class(name.as_bytes()),
        ["superclass", name] => file.superclass = file.constants.of_class(name.as_bytes()),
        ["interface", "add", name] => {
            let index = file.constants.of_class(name.as_bytes());
            file.interfaces.push(index);
        }
        ["interface", "remove", name] => {
            let before = file.interfaces.len();
            let constants = &file.constants;
            file.interfaces.retain(|index| constants.class(*index) != Some(name.as_bytes()));
            changed(before != file.interfaces.len())?;
        }
        ["interfaces", "reverse"] => {
            changed(file.interfaces.len() > 1)?;
            file.interfaces.reverse();
        }
        ["attribute", "set", place, name, content @ ..] => set_attribute(file, place, name, content)?,
        ["attribute", "remove", place, name] => {
            with_attributes(file, place, |constants, attributes| {
                let before = attributes.len();
                attributes.retain(|a| constants.text(a.name) != Some(name.as_bytes()));
                changed(before != attributes.len())
            })??;
        }
        ["constants", change @ ..] => change_constants(file, change)?,
        ["text", old, new] => {
            changed(file.constants.replace_text(old.as_bytes(), new.as_bytes()))?;
        }
        ["code", "replace", method, old, new] => {
            let (old, new) = (content::hex(old)?, content::hex(new)?);
            with_code(file, method, |code| {
                let at = code.bytes.windows(old.len().max(1)).position(|window| window == old);
                let Some(at) = at else { return wrong("the code has no such bytes") };
                code.bytes.splice(at..at + old.len(), new.iter().copied());
                Ok(())
            })?;
        }
        ["limits", method, stack, locals] => {
            let (stack, locals) = (number(stack)?, number(locals)?);
            with_code(file, method, |code| {
                code.max_stack += stack;
                code.max_locals += locals;
                Ok(())
            })?;
        }
        _ => return members::apply(file, words),
    }
    Ok(())
}

fn change_constants(file: &mut ClassFile, change: &[&str]) -> Result<(), EditError> {
    match change {
        ["double"] => file.constants.double(),
        ["move", by] => {
            let Some(moved) = moved(file, number(by)?) else { return wrong("not everything can be moved") };
            *file = moved;
        }
        ["add", count] => {
            for i in 0..number(count)? {
                file.constants.append_text(format!("unused {i}").as_bytes());
            }
        }
        _ => return wrong("there is no such edit of constants"),
    }
    Ok(())
}

/// Refuses an edit that changes nothing.
fn changed(is: bool) -> Result<(), EditError> {
    if is { Ok(()) } else { wrong("there is no such thing to change") }
}

fn number(text: &str) -> Result<u16, EditError> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u16::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| EditError(format!("{text} is not a number of two bytes")))
}

fn change_flags(file: &mut ClassFile, place: &str, changes: &[&str]) -> Result<(), EditError> {
    let flags = match place.split_once(':') {
        None if place == "class" => &mut file.flags,
        Some(("field", name)) => &mut members::named(&file.constants, &mut file.fields, name)?.flags,
        Some(("method", name)) => &mut members::named(&file.constants, &mut file.methods, name)?.flags,
        _ => return wrong(format!("no place is called {place}")),
    };
    let before = *flags;
    for change in changes {
        match (change.strip_prefix('+'), change.strip_prefix('-')) {
            (Some(set), _) => *flags |= number(set)?,
            (_, Some(clear)) => *flags &= !number(clear)?,
            _ => return wrong("write a change of flags as +0x10 or -0x10"),
        }
    }
    changed(before != *flags)
}

/// Has the attributes of a place changed.
fn with_attributes<T>(
    file: &mut ClassFile,
    place: &str,
    change: impl FnOnce(&crate::Constants, &mut Vec<Attribute>) -> T,
) -> Result<T, EditError> {
    match place.split_once(':') {
        None if place == "class" => Ok(change(&file.constants, &mut file.attributes)),
        Some(("field", name)) => {
            let field = members::named(&file.constants, &mut file.fields, name)?;
            Ok(change(&file.constants, &mut field.attributes))
        }
        Some(("method", name)) => {
            let method = members::named(&file.constants, &mut file.methods, name)?;
            Ok(change(&file.constants, &mut method.attributes))
        }
        Some(("code", name)) => {
            let constants = file.constants.clone();
            with_code(file, name, |code| Ok(change(&constants, &mut code.attributes)))
        }
        _ => wrong(format!("no place is called {place}")),
    }
}

/// Has the code of a method changed.
fn with_code<T>(
    file: &mut ClassFile,
    method: &str,
    change: impl FnOnce(&mut crate::Code) -> Result<T, EditError>,
) -> Result<T, EditError> {
    let constants = &file.constants;
    let method = members::named(constants, &mut file.methods, method)?;
    let is_code = |a: &&mut Attribute| constants.text(a.name) == Some(b"Code");
    let attribute = method.attributes.iter_mut().find(is_code);
    let Some(attribute) = attribute else { return wrong("the method has no code") };
    let Some(mut code) = crate::Code::read(&attribute.content) else { return wrong("its code is malformed") };
    let result = change(&mut code)?;
    attribute.content = code.content();
    Ok(result)
}

fn set_attribute(file: &mut ClassFile, place: &str, name: &str, parts: &[&str]) -> Result<(), EditError> {
    let content = content::assemble(&mut file.constants, parts)?;
    let name = file.constants.of_text(name.as_bytes());
    with_attributes(file, place, |constants, attributes| {
        // The same name may stand at several places of the constant pool.
        let text = constants.text(name);
        match attributes.iter_mut().find(|a| constants.text(a.name) == text) {
            Some(attribute) => attribute.content = content,
            None => attributes.push(Attribute { name, content }),
        }
    })
}

#[cfg(test)]
mod tests;
