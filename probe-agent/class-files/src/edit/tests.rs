use super::*;
use crate::edit::members::slots;
use crate::file::Member;

/// A class `A` with a field and a method that returns 77.
fn file() -> Vec<u8> {
    let mut file = ClassFile {
        minor: 0,
        major: 52,
        constants: crate::Constants::read_all(&[]).unwrap(),
        flags: 0x21,
        this: 0,
        superclass: 0,
        interfaces: Vec::new(),
        fields: Vec::new(),
        methods: Vec::new(),
        attributes: Vec::new(),
    };
    let mut text = |text: &str| file.constants.of_text(text.as_bytes());
    let (field, int, method, descriptor, code) =
        (text("field"), text("I"), text("method"), text("()I"), text("Code"));
    let body = crate::Code {
        max_stack: 1,
        max_locals: 0,
        bytes: vec![0x10, 77, 0xac],
        handlers: Vec::new(),
        attributes: Vec::new(),
    };
    let attributes = vec![Attribute { name: code, content: body.content() }];
    file.fields.push(Member { flags: 1, name: field, descriptor: int, attributes: Vec::new() });
    file.methods.push(Member { flags: 9, name: method, descriptor, attributes });
    (file.this, file.superclass) = (file.constants.of_class(b"A"), file.constants.of_class(b"B"));
    file.bytes()
}

fn after(edits: &str) -> ClassFile {
    ClassFile::read(&edited(&file(), edits).unwrap()).unwrap()
}

#[test]
fn nothing_edited_is_nothing_changed() {
    assert_eq!(edited(&file(), "").unwrap(), file());
}

#[test]
fn members_come_go_and_change() {
    let added = after("method add 0x1a more (JLa/B;[[D)J");
    assert_eq!(added.key(&added.methods[1]), "more (JLa/B;[[D)J");
    let code = added.code(&added.methods[1]).unwrap();
    assert_eq!((code.max_locals, code.bytes.as_slice()), (4, [0x09, 0xad].as_slice()));
    assert!(after("field remove field").fields.is_empty());
    assert_eq!(after("field add 0x2 x J then fields reverse").fields[0].flags, 2);
    assert_eq!(after("flags method:method -0x1 +0x10").methods[0].flags, 0x18);
    let renamed = after("method rename method other then method type other (I)I");
    assert_eq!(renamed.key(&renamed.methods[0]), "other (I)I");
    assert_eq!(slots("()V"), 0);
}

#[test]
fn attributes_and_constants_change() {
    let set = after("attribute set class SourceFile text(B.java)");
    assert_eq!(set.attribute_text(&set.attributes, "SourceFile"), Some(b"B.java".as_slice()));
    assert!(after("attribute set class X u2(1) then attribute remove class X").attributes.is_empty());
    let line = after("attribute set code:method LineNumberTable u2(1) u2(0) u2(9)");
    let code = line.code(&line.methods[0]).unwrap();
    assert_eq!(line.attribute(&code.attributes, "LineNumberTable"), Some([0, 1, 0, 0, 0, 9].as_slice()));
    assert_eq!(after("constants add 3").constants.count(), after("").constants.count() + 3);
    assert_eq!(after("constants double").name(), b"A");
    let replaced = after("code replace method 104d 104e then limits method 1 2 then version 55.1");
    assert_eq!(replaced.code(&replaced.methods[0]).unwrap().bytes, [0x10, 78, 0xac]);
    assert_eq!((replaced.major, replaced.minor), (55, 1));
}

#[test]
fn an_edit_that_cannot_be_made_says_why() {
    for (edit, why) in [
        ("method remove none", "no such thing"),
        ("flags class +0x1", "no such thing"),
        ("attribute set class X u9(1)", "no kind of content"),
        ("code replace method ff 00", "no such bytes"),
        ("method rename none other", "there is no none"),
        ("dance", "no such edit"),
    ] {
        let EditError(said) = edited(&file(), edit).unwrap_err();
        assert!(said.contains(why), "{edit}: {said}");
    }
    assert!(edited(b"text", "").is_err());
}

#[test]
fn moved_constants_mean_the_same() {
    let before = after(
        "attribute set class InnerClasses u2(1) class(A) class(B) text(x) u2(9) \
        then attribute set method:method RuntimeVisibleAnnotations u2(1) text(LX;) u2(1) text(k) hex(65) text(LE;) text(V)",
    );
    let moved = ClassFile::read(&edited(&before.bytes(), "constants move 7").unwrap()).unwrap();
    assert_eq!(moved.constants.count(), before.constants.count() + 7);
    assert_eq!((moved.name(), moved.key(&moved.methods[0])), (b"A".as_slice(), "method ()I".to_owned()));
    let inner = moved.attribute(&moved.attributes, "InnerClasses").unwrap();
    let index = u16::from_be_bytes([inner[2], inner[3]]);
    assert_eq!(moved.constants.class(index), Some(b"A".as_slice()));
    let annotations = moved.attribute(&moved.methods[0].attributes, "RuntimeVisibleAnnotations").unwrap();
    let last = u16::from_be_bytes([annotations[annotations.len() - 2], annotations[annotations.len() - 1]]);
    assert_eq!(moved.constants.text(last), Some(b"V".as_slice()));
    let unknown = edited(&before.bytes(), "attribute set class Unknown u2(1) then constants move 1");
    assert!(unknown.is_err());
}
