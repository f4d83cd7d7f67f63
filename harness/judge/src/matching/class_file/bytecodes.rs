//! The bytecodes that GetBytecodes returned, compared with the class file: instruction by instruction, and constants by what
//! they stand for, since the layout of the constant pool may differ.

use jvmti_class_files::{ClassFile, Constants, Instruction, Member, instructions};
use jvmti_wire::value::Value;

/// The bytes that an answer with a count or two before them gave.
fn bytes(answer: &Value) -> Option<&[u8]> {
    let Value::List(items) = answer else { return None };
    match items.last()? {
        Value::Bytes(bytes) => Some(bytes),
        Value::Null => Some(&[]),
        _ => None,
    }
}

/// What was expected, and what was observed instead.
pub fn compare(
    file: &ClassFile,
    method: &Member,
    answer: &Value,
    pool: Option<&Value>,
) -> Result<(), (String, String)> {
    // What is returned of a method without code the text does not say.
    let Some(code) = file.code(method) else { return Ok(()) };
    let Some(seen) = bytes(answer) else { return Err(("bytecodes".to_owned(), "nothing".to_owned())) };
    let pool = pool.and_then(bytes).and_then(Constants::read_all);
    let (Some(wanted), Some(found)) = (instructions(&code.bytes), instructions(seen)) else {
        let wanted = format!("{} bytes of code", code.bytes.len());
        return Err((wanted, format!("what is no code: {}", hex(seen))));
    };
    if wanted.len() != found.len() {
        return Err((format!("{} instructions", wanted.len()), found.len().to_string()));
    }
    for (wanted, found) in wanted.iter().zip(&found) {
        if !same(wanted, found) {
            return Err((format!("{} at {}", hex(wanted.bytes), wanted.at), hex(found.bytes)));
        }
        if let (Some(index), Some(at), Some(pool)) = (wanted.constant, found.constant, &pool) {
            let (wanted, seen) = (file.constants.meaning(index), pool.meaning(at));
            if wanted.is_some() && wanted != seen {
                let seen = seen.unwrap_or_else(|| "no such constant".to_owned());
                return Err((format!("{} at {}", wanted.unwrap_or_default(), found.at), seen));
            }
        }
    }
    Ok(())
}

/// Whether the instructions are the same apart from the index of the constant.
fn same(wanted: &Instruction<'_>, found: &Instruction<'_>) -> bool {
    if wanted.constant.is_none() {
        return wanted.bytes == found.bytes;
    }
    let rest = |i: &Instruction<'_>| i.bytes.get(3..).unwrap_or_default().to_vec();
    wanted.at == found.at && wanted.bytes[0] == found.bytes[0] && rest(wanted) == rest(found)
}

fn hex(bytes: &[u8]) -> String {
    let mut text: String = bytes.iter().take(16).map(|byte| format!("{byte:02x} ")).collect();
    if bytes.len() > 16 {
        text += "…";
    }
    text.trim_end().to_owned()
}
