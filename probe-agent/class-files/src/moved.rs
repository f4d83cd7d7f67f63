//! The same class file with its constants at other indices.
//!
//! Every index in the file moves: those of attributes as well, whose contents are therefore all understood here. JVMS, 4.7.

use crate::code::{Code, instructions};
use crate::file::{Attribute, ClassFile};
use crate::reader::Reader;

/// Moves each constant up by so many places, behind constants that nothing uses; `None`: the file has an attribute that is
/// not understood, or an instruction has no room for its index.
pub fn moved(file: &ClassFile, by: u16) -> Option<ClassFile> {
    let mover = Mover { file, by };
    let mut to = file.clone();
    to.constants.move_up(by);
    (to.this, to.superclass) = (mover.index(file.this), mover.index(file.superclass));
    to.interfaces.iter_mut().for_each(|index| *index = mover.index(*index));
    for member in to.fields.iter_mut().chain(&mut to.methods) {
        (member.name, member.descriptor) = (mover.index(member.name), mover.index(member.descriptor));
        member.attributes = mover.attributes(&member.attributes)?;
    }
    to.attributes = mover.attributes(&file.attributes)?;
    Some(to)
}

struct Mover<'f> {
    file: &'f ClassFile,
    by: u16,
}

impl Mover<'_> {
    /// An index of a constant; 0 stands for none.
    fn index(&self, index: u16) -> u16 {
        if index == 0 { 0 } else { index.saturating_add(self.by) }
    }

    fn attributes(&self, all: &[Attribute]) -> Option<Vec<Attribute>> {
        all.iter()
            .map(|attribute| {
                let name = String::from_utf8_lossy(self.file.constants.text(attribute.name)?).into_owned();
                let content = self.content(&name, &attribute.content)?;
                Some(Attribute { name: self.index(attribute.name), content })
            })
            .collect()
    }

    fn content(&self, name: &str, content: &[u8]) -> Option<Vec<u8>> {
        if name == "Code" {
            return self.code(content);
        }
        let mut copy = Copy { mover: self, from: Reader(content), to: Vec::new() };
        match name {
            "ConstantValue" | "Signature" | "SourceFile" | "NestHost" => copy.indices(1)?,
            "EnclosingMethod" => copy.indices(2)?,
            "Exceptions" | "NestMembers" | "PermittedSubclasses" => copy.each(|c| c.indices(1))?,
            "InnerClasses" => copy.each(|c| c.indices(3).and_then(|()| c.plain(2)))?,
            "LocalVariableTable" | "LocalVariableTypeTable" => {
                copy.each(|c| c.plain(4).and_then(|()| c.indices(2)).and_then(|()| c.plain(2)))?;
            }
            "BootstrapMethods" => copy.each(|c| c.indices(1).and_then(|()| c.each(|c| c.indices(1))))?,
            "MethodParameters" => copy.few(|c| c.indices(1).and_then(|()| c.plain(2)))?,
            "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => copy.each(Copy::annotation)?,
            "RuntimeVisibleParameterAnnotations" | "RuntimeInvisibleParameterAnnotations" => {
                copy.few(|c| c.each(Copy::annotation))?;
            }
            "RuntimeVisibleTypeAnnotations" | "RuntimeInvisibleTypeAnnotations" => {
                copy.each(Copy::type_annotation)?;
            }
            "AnnotationDefault" => copy.element_value()?,
            "StackMapTable" => copy.each(Copy::frame)?,
            "Record" => copy.each(Copy::component)?,
            "LineNumberTable" | "SourceDebugExtension" | "Deprecated" | "Synthetic" => {
                copy.plain(content.len())?
            }
            _ => return None,
        }
        copy.from.0.is_empty().then_some(copy.to)
    }

    fn code(&self, content: &[u8]) -> Option<Vec<u8>> {
        let mut code = Code::read(content)?;
        let bytes = code.bytes.clone();
        for instruction in instructions(&bytes)?.iter() {
            let Some(index) = instruction.constant else { continue };
            let moved = self.index(index).to_be_bytes();
            match instruction.bytes.len() {
                2 if moved[0] == 0 => code.bytes[instruction.at + 1] = moved[1],
                2 => return None,
                _ => code.bytes[instruction.at + 1..instruction.at + 3].copy_from_slice(&moved),
            }
        }
        code.handlers.iter_mut().for_each(|handler| handler[3] = self.index(handler[3]));
        code.attributes = self.attributes(&code.attributes)?;
        Some(code.content())
    }
}

/// An attribute on its way.
struct Copy<'m, 'f> {
    mover: &'m Mover<'f>,
    from: Reader<'m>,
    to: Vec<u8>,
}

impl Copy<'_, '_> {
    /// Bytes that hold no index.
    fn plain(&mut self, length: usize) -> Option<()> {
        self.to.extend_from_slice(self.from.take(length)?);
        Some(())
    }

    /// So many indices.
    fn indices(&mut self, count: usize) -> Option<()> {
        for _ in 0..count {
            let index = self.mover.index(self.from.u2()?);
            self.to.extend(index.to_be_bytes());
        }
        Some(())
    }

    /// A number of one byte.
    fn u1(&mut self) -> Option<u8> {
        self.plain(1)?;
        self.to.last().copied()
    }

    /// A number of two bytes.
    fn u2(&mut self) -> Option<u16> {
        self.plain(2)?;
        Reader(&self.to[self.to.len() - 2..]).u2()
    }

    /// A count of two bytes and as many parts.
    fn each(&mut self, part: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        (0..self.u2()?).try_for_each(|_| part(self))
    }

    /// A count of one byte and as many parts.
    fn few(&mut self, part: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        (0..self.u1()?).try_for_each(|_| part(self))
    }

    fn annotation(&mut self) -> Option<()> {
        self.indices(1)?;
        self.each(|c| c.indices(1).and_then(|()| c.element_value()))
    }

    fn element_value(&mut self) -> Option<()> {
        match self.u1()? {
            b'e' => self.indices(2),
            b'@' => self.annotation(),
            b'[' => self.each(Self::element_value),
            _ => self.indices(1),
        }
    }

    fn type_annotation(&mut self) -> Option<()> {
        match self.u1()? {
            0x00 | 0x01 | 0x16 => self.plain(1)?,
            0x10 | 0x11 | 0x12 | 0x17 | 0x42..=0x46 => self.plain(2)?,
            0x13..=0x15 => {}
            0x40 | 0x41 => self.each(|c| c.plain(6))?,
            0x47..=0x4b => self.plain(3)?,
            _ => return None,
        }
        self.few(|c| c.plain(2))?;
        self.annotation()
    }

    fn frame(&mut self) -> Option<()> {
        match self.u1()? {
            0..=63 => Some(()),
            64..=127 => self.verified(),
            247 => self.plain(2).and_then(|()| self.verified()),
            248..=251 => self.plain(2),
            kind @ 252..=254 => {
                self.plain(2)?;
                (251..kind).try_for_each(|_| self.verified())
            }
            255 => {
                self.plain(2)?;
                self.each(Self::verified)?;
                self.each(Self::verified)
            }
            _ => None,
        }
    }

    fn verified(&mut self) -> Option<()> {
        match self.u1()? {
            7 => self.indices(1),
            8 => self.plain(2),
            _ => Some(()),
        }
    }

    fn component(&mut self) -> Option<()> {
        self.indices(2)?;
        let attributes = Attribute::read_all(&mut self.from)?;
        Attribute::write_all(&self.mover.attributes(&attributes)?, &mut self.to);
        Some(())
    }
}
