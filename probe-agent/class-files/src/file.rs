//! A class file as a whole. JVMS, 4.1.

use crate::code::Code;
use crate::constants::{Constants, put};
use crate::reader::Reader;

const MAGIC: u32 = 0xcafe_babe;

/// A class file. What it does not take apart, the contents of attributes, it leaves as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassFile {
    /// Minor version.
    pub minor: u16,
    /// Major version.
    pub major: u16,
    /// The constant pool.
    pub constants: Constants,
    /// Access flags.
    pub flags: u16,
    /// Index of the constant for the class itself.
    pub this: u16,
    /// Index of the constant for its superclass; 0: none.
    pub superclass: u16,
    /// Indices of the constants for its direct interfaces.
    pub interfaces: Vec<u16>,
    /// Its fields.
    pub fields: Vec<Member>,
    /// Its methods.
    pub methods: Vec<Member>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

/// A field or a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Access flags.
    pub flags: u16,
    /// Index of its name.
    pub name: u16,
    /// Index of its descriptor.
    pub descriptor: u16,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Index of its name.
    pub name: u16,
    /// Its content.
    pub content: Vec<u8>,
}

impl Attribute {
    /// Reads a count and as many attributes.
    pub fn read_all(reader: &mut Reader<'_>) -> Option<Vec<Attribute>> {
        reader.each(|reader| {
            let name = reader.u2()?;
            let length = reader.length()?;
            Some(Attribute { name, content: reader.take(length)?.to_vec() })
        })
    }

    /// Writes their count and all of them.
    pub fn write_all(all: &[Attribute], to: &mut Vec<u8>) {
        put(to, all.len());
        for attribute in all {
            put(to, usize::from(attribute.name));
            let length = u32::try_from(attribute.content.len()).unwrap_or(u32::MAX);
            to.extend_from_slice(&length.to_be_bytes());
            to.extend_from_slice(&attribute.content);
        }
    }
}

impl Member {
    fn read(reader: &mut Reader<'_>) -> Option<Member> {
        let (flags, name, descriptor) = (reader.u2()?, reader.u2()?, reader.u2()?);
        Some(Member { flags, name, descriptor, attributes: Attribute::read_all(reader)? })
    }

    fn write(&self, to: &mut Vec<u8>) {
        for number in [self.flags, self.name, self.descriptor] {
            put(to, usize::from(number));
        }
        Attribute::write_all(&self.attributes, to);
    }
}

impl ClassFile {
    /// Reads all of it; `None`: it is malformed.
    pub fn read(bytes: &[u8]) -> Option<ClassFile> {
        let mut reader = Reader(bytes);
        if reader.u4()? != MAGIC {
            return None;
        }
        let (minor, major) = (reader.u2()?, reader.u2()?);
        let constants = Constants::read(&mut reader)?;
        let (flags, this, superclass) = (reader.u2()?, reader.u2()?, reader.u2()?);
        let file = ClassFile {
            minor,
            major,
            constants,
            flags,
            this,
            superclass,
            interfaces: reader.each(Reader::u2)?,
            fields: reader.each(Member::read)?,
            methods: reader.each(Member::read)?,
            attributes: Attribute::read_all(&mut reader)?,
        };
        reader.0.is_empty().then_some(file)
    }

    /// Its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_be_bytes().to_vec();
        put(&mut bytes, usize::from(self.minor));
        put(&mut bytes, usize::from(self.major));
        self.constants.write(&mut bytes);
        for number in [self.flags, self.this, self.superclass] {
            put(&mut bytes, usize::from(number));
        }
        put(&mut bytes, self.interfaces.len());
        self.interfaces.iter().for_each(|index| put(&mut bytes, usize::from(*index)));
        for members in [&self.fields, &self.methods] {
            put(&mut bytes, members.len());
            members.iter().for_each(|member| member.write(&mut bytes));
        }
        Attribute::write_all(&self.attributes, &mut bytes);
        bytes
    }

    /// The internal name of the class.
    pub fn name(&self) -> &[u8] {
        self.constants.class(self.this).unwrap_or_default()
    }

    /// The content of the attribute of that name.
    pub fn attribute<'f>(&self, among: &'f [Attribute], name: &str) -> Option<&'f [u8]> {
        let is_meant = |a: &&Attribute| self.constants.text(a.name) == Some(name.as_bytes());
        among.iter().find(is_meant).map(|a| a.content.as_slice())
    }

    /// The text that the attribute of that name refers to.
    pub fn attribute_text(&self, among: &[Attribute], name: &str) -> Option<&[u8]> {
        self.constants.text(Reader(self.attribute(among, name)?).u2()?)
    }

    /// The code of a method, if it has any.
    pub fn code(&self, method: &Member) -> Option<Code> {
        Code::read(self.attribute(&method.attributes, "Code")?)
    }

    /// Name and descriptor of a member, as one text.
    pub fn key(&self, member: &Member) -> String {
        let text =
            |index| String::from_utf8_lossy(self.constants.text(index).unwrap_or_default()).into_owned();
        format!("{} {}", text(member.name), text(member.descriptor))
    }
}
