//! The constant pool. JVMS, 4.4.

use crate::reader::Reader;

const UTF8: u8 = 1;
const INTEGER: u8 = 3;
const LONG: u8 = 5;
const DOUBLE: u8 = 6;
const CLASS: u8 = 7;
const STRING: u8 = 8;

/// One constant: its tag, and its content without the length that a text begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its tag.
    pub tag: u8,
    /// What follows the tag; of a text, its bytes.
    pub content: Vec<u8>,
}

impl Constant {
    fn read(reader: &mut Reader<'_>) -> Option<Constant> {
        let tag = reader.u1()?;
        let length = match tag {
            UTF8 => usize::from(reader.u2()?),
            LONG | DOUBLE => 8,
            CLASS | STRING | 16 | 19 | 20 => 2,
            15 => 3,
            INTEGER | 4 | 9..=12 | 17 | 18 => 4,
            _ => return None,
        };
        Some(Constant { tag, content: reader.take(length)?.to_vec() })
    }

    /// The index at that offset of the content.
    fn index(&self, at: usize) -> u16 {
        match self.content.get(at..at + 2) {
            Some(&[high, low]) => u16::from_be_bytes([high, low]),
            _ => 0,
        }
    }
}

/// All constants, by index: nothing at 0, and after a `long` or `double`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    all: Vec<Option<Constant>>,
}

impl Constants {
    /// Reads the count and as many constants.
    pub fn read(reader: &mut Reader<'_>) -> Option<Constants> {
        let count = usize::from(reader.u2()?);
        let mut pool = Constants { all: vec![None] };
        while pool.all.len() < count {
            pool.push(Constant::read(reader)?);
        }
        (pool.all.len() == count.max(1)).then_some(pool)
    }

    /// Reads constants to the end, without a count.
    pub fn read_all(bytes: &[u8]) -> Option<Constants> {
        let mut reader = Reader(bytes);
        let mut pool = Constants { all: vec![None] };
        while !reader.0.is_empty() {
            pool.push(Constant::read(&mut reader)?);
        }
        Some(pool)
    }

    /// One more than the largest index, as the class file counts.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The count and the constants.
    pub fn write(&self, to: &mut Vec<u8>) {
        put(to, self.all.len());
        for constant in self.all.iter().flatten() {
            to.push(constant.tag);
            if constant.tag == UTF8 {
                put(to, constant.content.len());
            }
            to.extend_from_slice(&constant.content);
        }
    }

    fn push(&mut self, constant: Constant) -> u16 {
        let wide = matches!(constant.tag, LONG | DOUBLE);
        let index = self.all.len();
        self.all.push(Some(constant));
        if wide {
            self.all.push(None);
        }
        u16::try_from(index).unwrap_or(u16::MAX)
    }

    fn find_or_push(&mut self, constant: Constant) -> u16 {
        let found = self.all.iter().position(|c| c.as_ref() == Some(&constant));
        found.and_then(|index| u16::try_from(index).ok()).unwrap_or_else(|| self.push(constant))
    }

    fn get(&self, index: u16) -> Option<&Constant> {
        self.all.get(usize::from(index))?.as_ref()
    }

    /// The text at that index.
    pub fn text(&self, index: u16) -> Option<&[u8]> {
        self.get(index).filter(|c| c.tag == UTF8).map(|c| c.content.as_slice())
    }

    /// The internal name that the class constant at that index has.
    pub fn class(&self, index: u16) -> Option<&[u8]> {
        self.get(index).filter(|c| c.tag == CLASS).and_then(|c| self.text(c.index(0)))
    }

    /// The index of this text, which is appended if there is none.
    pub fn of_text(&mut self, text: &[u8]) -> u16 {
        self.find_or_push(Constant { tag: UTF8, content: text.to_vec() })
    }

    /// The index of a constant for the class of this internal name.
    pub fn of_class(&mut self, name: &[u8]) -> u16 {
        let name = self.of_text(name);
        self.find_or_push(Constant { tag: CLASS, content: name.to_be_bytes().to_vec() })
    }

    /// The index of a constant for the string of this text.
    pub fn of_string(&mut self, text: &[u8]) -> u16 {
        let text = self.of_text(text);
        self.find_or_push(Constant { tag: STRING, content: text.to_be_bytes().to_vec() })
    }

    /// The index of a constant for this number.
    pub fn of_int(&mut self, number: i32) -> u16 {
        self.find_or_push(Constant { tag: INTEGER, content: number.to_be_bytes().to_vec() })
    }

    /// Appends a text that nothing refers to, whether or not there is one like it.
    pub fn append_text(&mut self, text: &[u8]) -> u16 {
        self.push(Constant { tag: UTF8, content: text.to_vec() })
    }

    /// Replaces each text that is equal to this one; whether there is any.
    pub fn replace_text(&mut self, old: &[u8], new: &[u8]) -> bool {
        let equal = self.all.iter_mut().flatten().filter(|c| c.tag == UTF8 && c.content == old);
        equal.map(|constant| constant.content = new.to_vec()).count() > 0
    }

    /// Appends a copy of each constant and has the class constants and strings refer to the copies of texts.
    pub fn double(&mut self) {
        let before: Vec<(u16, Constant)> =
            (0..).zip(&self.all).filter_map(|(i, c)| Some((i, c.clone()?))).collect();
        for (_, constant) in before.iter().filter(|(_, c)| c.tag == UTF8) {
            let copy = self.push(constant.clone());
            let old = before.iter().find(|(_, c)| c == constant).map_or(0, |(i, _)| *i);
            for constant in self.all.iter_mut().flatten() {
                if matches!(constant.tag, CLASS | STRING) && constant.index(0) == old {
                    constant.content = copy.to_be_bytes().to_vec();
                }
            }
        }
    }

    /// Puts so many texts that nothing uses before all constants, and has these refer to each other where they are then.
    pub fn move_up(&mut self, by: u16) {
        for constant in self.all.iter_mut().flatten() {
            let places: &[usize] = match constant.tag {
                CLASS | STRING | 16 | 19 | 20 => &[0],
                9..=12 => &[0, 2],
                15 => &[1],
                // What comes before the name and type is no index of a constant.
                17 | 18 => &[2],
                _ => &[],
            };
            for at in places {
                let moved = constant.index(*at).saturating_add(by).to_be_bytes();
                constant.content[*at..at + 2].copy_from_slice(&moved);
            }
        }
        let unused =
            (0..by).map(|i| Some(Constant { tag: UTF8, content: format!("moved {i}").into_bytes() }));
        self.all.splice(1..1, unused);
    }

    /// What the constant at that index stands for, whatever the layout of the pool; `None` if it is damaged.
    pub fn meaning(&self, index: u16) -> Option<String> {
        let constant = self.get(index)?;
        let text = |index| self.text(index).map(|t| String::from_utf8_lossy(t).into_owned());
        let named = |index| {
            let pair = self.get(index).filter(|c| c.tag == 12)?;
            Some(format!("{} {}", text(pair.index(0))?, text(pair.index(2))?))
        };
        Some(match constant.tag {
            UTF8 => format!("text {}", text(index)?),
            INTEGER | 4 | LONG | DOUBLE => {
                let digits: String = constant.content.iter().map(|b| format!("{b:02x}")).collect();
                format!("number {} {digits}", constant.tag)
            }
            CLASS | STRING | 16 | 19 | 20 => {
                format!("constant {} {}", constant.tag, text(constant.index(0))?)
            }
            9..=11 => {
                let class = String::from_utf8_lossy(self.class(constant.index(0))?).into_owned();
                format!("member {} {class} {}", constant.tag, named(constant.index(2))?)
            }
            12 => named(index)?,
            15 => format!("handle {} {}", constant.content[0], self.meaning(constant.index(1))?),
            // Which bootstrap method it is the pool alone does not tell.
            17 | 18 => format!("dynamic {} {}", constant.tag, named(constant.index(2))?),
            _ => return None,
        })
    }
}

/// Appends a number of two bytes.
pub fn put(to: &mut Vec<u8>, number: usize) {
    to.extend_from_slice(&u16::try_from(number).unwrap_or(u16::MAX).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1: a text, 2: the string of it, 3 and 4: a long, 5: a class.
    const BYTES: &[u8] = &[1, 0, 2, b'h', b'i', 8, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 7, 7, 0, 1];

    #[test]
    fn constants_mean_the_same_in_any_layout() {
        let pool = Constants::read_all(BYTES).unwrap();
        assert_eq!(pool.count(), 6);
        assert_eq!(pool.meaning(2).as_deref(), Some("constant 8 hi"));
        assert_eq!(pool.class(5), Some(b"hi".as_slice()));
        assert_eq!(pool.meaning(4), None);
        let mut doubled = pool.clone();
        doubled.double();
        assert_eq!(doubled.count(), 7);
        assert_eq!(doubled.meaning(2), pool.meaning(2));
        assert_ne!(doubled.get(2), pool.get(2));
    }

    #[test]
    fn what_is_there_is_not_added_again() {
        let mut pool = Constants::read_all(BYTES).unwrap();
        assert_eq!((pool.of_text(b"hi"), pool.of_string(b"hi"), pool.of_class(b"hi")), (1, 2, 5));
        assert_eq!(pool.of_int(7), 6);
        let mut bytes = Vec::new();
        pool.write(&mut bytes);
        assert_eq!(Constants::read(&mut Reader(&bytes)), Some(pool));
    }
}
