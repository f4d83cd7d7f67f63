//! A constant pool in the format of the class file. JVMS, 4.4.

/// What its constants are, by index; nothing at 0 and after a `long` or `double`.
pub struct ConstantPool<'b> {
    constants: Vec<Option<Constant<'b>>>,
}

enum Constant<'b> {
    Text(&'b [u8]),
    String(u16),
    Other,
}

impl<'b> ConstantPool<'b> {
    /// Reads all of it; `None`: it is malformed.
    pub fn read(mut bytes: &'b [u8]) -> Option<Self> {
        let mut constants = vec![None];
        while let Some((tag, rest)) = bytes.split_first() {
            let (constant, length) = match tag {
                1 => {
                    let length = usize::from(number(rest, 0)?);
                    (Constant::Text(rest.get(2..2 + length)?), 2 + length)
                }
                8 => (Constant::String(number(rest, 0)?), 2),
                5 | 6 => (Constant::Other, 8),
                7 | 16 | 19 | 20 => (Constant::Other, 2),
                15 => (Constant::Other, 3),
                3 | 4 | 9..=12 | 17 | 18 => (Constant::Other, 4),
                _ => return None,
            };
            constants.push(Some(constant));
            if matches!(tag, 5 | 6) {
                constants.push(None);
            }
            bytes = rest.get(length..)?;
        }
        Some(ConstantPool { constants })
    }

    /// The count as the class file has it: one more than the largest index.
    pub fn count(&self) -> i64 {
        i64::try_from(self.constants.len()).unwrap_or(i64::MAX)
    }

    /// Whether the code has an instruction that loads the string constant of that text, at its index here.
    pub fn is_loaded_by(&self, code: &[u8], text: &[u8]) -> bool {
        const LDC: u8 = 0x12;
        const LDC_W: u8 = 0x13;
        let is_text = |at: u16| matches!(self.constants.get(usize::from(at)), Some(Some(Constant::Text(t))) if *t == text);
        let strings = (0u16..).zip(&self.constants).filter_map(|(index, constant)| match constant {
            Some(Constant::String(at)) if is_text(*at) => Some(index),
            _ => None,
        });
        strings.into_iter().any(|index| {
            let [high, low] = index.to_be_bytes();
            code.windows(2).any(|w| high == 0 && w == [LDC, low])
                || code.windows(3).any(|w| w == [LDC_W, high, low])
        })
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 1: a text, 2: the string of it, 3 and 4: a long, 5: a class.
    const BYTES: &[u8] = &[1, 0, 2, b'h', b'i', 8, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 7, 7, 0, 1];

    #[test]
    fn constants_are_counted_as_the_class_file_does() {
        assert_eq!(ConstantPool::read(BYTES).map(|pool| pool.count()), Some(6));
        assert_eq!(ConstantPool::read(&[]).map(|pool| pool.count()), Some(1));
        assert!(ConstantPool::read(&BYTES[..BYTES.len() - 1]).is_none());
        assert!(ConstantPool::read(&[99]).is_none());
    }

    #[test]
    fn code_loads_by_index() {
        let pool = ConstantPool::read(BYTES).unwrap();
        assert!(pool.is_loaded_by(&[0x12, 2, 0xb0], b"hi"));
        assert!(pool.is_loaded_by(&[0, 0x13, 0, 2, 0xb0], b"hi"));
        assert!(!pool.is_loaded_by(&[0x12, 5, 0xb0], b"hi"));
        assert!(!pool.is_loaded_by(&[0x12, 2, 0xb0], b"ho"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, code: Vec<u8>) {
            if let Some(pool) = ConstantPool::read(&bytes) {
                pool.is_loaded_by(&code, b"x");
                prop_assert!(pool.count() >= 1);
            }
        }
    }
}
