//! The code of methods. JVMS, 4.7.3 and chapter 6.

use crate::constants::put;
use crate::file::Attribute;
use crate::reader::Reader;

const LDC: u8 = 0x12;
const TABLESWITCH: u8 = 0xaa;
const LOOKUPSWITCH: u8 = 0xab;
const WIDE: u8 = 0xc4;
const IINC: u8 = 0x84;

/// A `Code` attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Depth of the operand stack.
    pub max_stack: u16,
    /// Slots of local variables.
    pub max_locals: u16,
    /// The bytecodes.
    pub bytes: Vec<u8>,
    /// Exception handlers: start, end, handler and type of each.
    pub handlers: Vec<[u16; 4]>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

impl Code {
    /// Reads the content of the attribute.
    pub fn read(content: &[u8]) -> Option<Code> {
        let mut reader = Reader(content);
        let (max_stack, max_locals) = (reader.u2()?, reader.u2()?);
        let length = reader.length()?;
        Some(Code {
            max_stack,
            max_locals,
            bytes: reader.take(length)?.to_vec(),
            handlers: reader.each(|r| Some([r.u2()?, r.u2()?, r.u2()?, r.u2()?]))?,
            attributes: Attribute::read_all(&mut reader)?,
        })
    }

    /// The content of the attribute.
    pub fn content(&self) -> Vec<u8> {
        let mut content = Vec::new();
        put(&mut content, usize::from(self.max_stack));
        put(&mut content, usize::from(self.max_locals));
        content.extend_from_slice(&u32::try_from(self.bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
        content.extend_from_slice(&self.bytes);
        put(&mut content, self.handlers.len());
        self.handlers.iter().flatten().for_each(|number| put(&mut content, usize::from(*number)));
        Attribute::write_all(&self.attributes, &mut content);
        content
    }
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction<'c> {
    /// Where it begins.
    pub at: usize,
    /// All of its bytes.
    pub bytes: &'c [u8],
    /// The index of the constant that it refers to.
    pub constant: Option<u16>,
}

/// The instructions one after the other; `None`: there is something else among them.
pub fn instructions(code: &[u8]) -> Option<Vec<Instruction<'_>>> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let bytes = code.get(at..at + length(code, at)?)?;
        let constant = match bytes {
            [LDC, index] => Some(u16::from(*index)),
            [0x13 | 0x14 | 0xb2..=0xbb | 0xbd | 0xc0 | 0xc1 | 0xc5, high, low, ..] => {
                Some(u16::from_be_bytes([*high, *low]))
            }
            _ => None,
        };
        all.push(Instruction { at, bytes, constant });
        at += bytes.len();
    }
    Some(all)
}

/// The length of the instruction that begins there.
fn length(code: &[u8], at: usize) -> Option<usize> {
    let number = |at: usize| Reader(code.get(at..)?).u4().map(u32::cast_signed);
    let aligned = at + 4 - at % 4;
    Some(match *code.get(at)? {
        0x00..=0x0f | 0x1a..=0x35 | 0x3b..=0x83 | 0x85..=0x98 | 0xac..=0xb1 | 0xbe | 0xbf | 0xc2 | 0xc3 => 1,
        0x10 | LDC | 0x15..=0x19 | 0x36..=0x3a | 0xa9 | 0xbc => 2,
        0x11 | 0x13 | 0x14 | IINC | 0x99..=0xa8 | 0xb2..=0xb8 | 0xbb | 0xbd | 0xc0 | 0xc1 | 0xc6 | 0xc7 => 3,
        0xc5 => 4,
        0xb9 | 0xba | 0xc8 | 0xc9 => 5,
        TABLESWITCH => {
            let cases = i64::from(number(aligned + 8)?) - i64::from(number(aligned + 4)?) + 1;
            aligned - at + 12 + 4 * usize::try_from(cases).ok()?
        }
        LOOKUPSWITCH => aligned - at + 8 + 8 * usize::try_from(number(aligned + 4)?).ok()?,
        WIDE if code.get(at + 1) == Some(&IINC) => 6,
        WIDE => 4,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn instructions_are_told_apart() {
        let code = [0x12, 5, 0xb6, 1, 2, 0xc4, 0x84, 0, 1, 0, 1, 0xb9, 0, 9, 1, 0, 0xb1];
        let all = instructions(&code).unwrap();
        let constants: Vec<_> = all.iter().map(|i| (i.at, i.constant)).collect();
        assert_eq!(constants, [(0, Some(5)), (2, Some(0x102)), (5, None), (11, Some(9)), (16, None)]);
    }

    #[test]
    fn switches_are_aligned() {
        let mut code = vec![0x00, TABLESWITCH, 0, 0];
        code.extend([0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 20, 0, 0, 0, 20, 0xb1]);
        assert_eq!(instructions(&code).unwrap().len(), 3);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(code in proptest::collection::vec(any::<u8>(), 0..64)) {
            if let Some(all) = instructions(&code) {
                prop_assert_eq!(all.iter().map(|i| i.bytes.len()).sum::<usize>(), code.len());
            }
        }
    }
}
