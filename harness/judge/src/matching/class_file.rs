//! What functions answered about classes and their members, compared with the class files.

mod answers;
mod bytecodes;

use jvmti_class_files::{ClassFile, Member, Reader};
use jvmti_spec::derived::need_not_keep;
use jvmti_wire::value::Value;

use self::answers::{of_class, of_field, of_method};

const CLASS_NOT_PREPARED: i64 = 22;
/// How many differences are told.
const TOLD: usize = 5;

/// An answer that is not what the class file says.
#[derive(Debug, PartialEq, Eq)]
pub struct ClassFileDifference {
    /// The function, the class and the member.
    pub place: String,
    /// What was expected and what was observed.
    what: String,
}

/// What a survey of classes found that their class files do not say; `Err`: the class files cannot be read.
///
/// `files` is one class file, or each with its length of four bytes before it, in the order of the classes.
pub fn differences(survey: &Value, files: &[u8]) -> Result<Vec<ClassFileDifference>, String> {
    let Value::List(classes) = survey else { return Err("the survey lists no classes".to_owned()) };
    let files = separated(files);
    if files.len() != classes.len() {
        return Err(format!("there are {} class files for {} classes", files.len(), classes.len()));
    }
    let mut found = Vec::new();
    for (class, file) in classes.iter().zip(files) {
        let file = ClassFile::read(file).ok_or("a class file is malformed")?;
        let mut compared = Comparison { file: &file, class, found: &mut found };
        compared.class()?;
    }
    Ok(found)
}

/// The first differences, for people.
pub fn told(found: &[ClassFileDifference]) -> String {
    let line = |difference: &ClassFileDifference| format!("{}: {}", difference.place, difference.what);
    let mut text = found.iter().take(TOLD).map(line).collect::<Vec<_>>().join("; ");
    if found.len() > TOLD {
        text += &format!("; and {} more", found.len() - TOLD);
    }
    text
}

fn separated(files: &[u8]) -> Vec<&[u8]> {
    if files.starts_with(&[0xca, 0xfe, 0xba, 0xbe]) {
        return vec![files];
    }
    let mut reader = Reader(files);
    std::iter::from_fn(|| {
        let length = reader.length()?;
        reader.take(length)
    })
    .collect()
}

struct Comparison<'c> {
    file: &'c ClassFile,
    class: &'c Value,
    found: &'c mut Vec<ClassFileDifference>,
}

impl Comparison<'_> {
    fn class(&mut self) -> Result<(), String> {
        let Value::Struct(answers) = self.class else { return Err("the survey has no answers".to_owned()) };
        for (function, answer) in answers.iter().filter(|(name, _)| name != "class") {
            match answer {
                // A class that is loaded need not be prepared.
                Value::List(code) if *code == [Value::Int(CLASS_NOT_PREPARED)] => {}
                Value::Struct(members) => self.members(function, members),
                // What is in it, bytecodes and their constants tell.
                answer if function == "GetConstantPool" && !answers::succeeded(answer) => {
                    self.tell(function, None, "a constant pool", &answers::shown(answer));
                }
                answer => self.answer(function, None, answer, &of_class(function, self.file)),
            }
        }
        Ok(())
    }

    /// The answers about each member, and whether these are the members that the class file has.
    fn members(&mut self, function: &str, answers: &[(String, Value)]) {
        let file = self.file;
        let of_fields = function.contains("Field");
        let declared = if of_fields { &file.fields } else { &file.methods };
        let keys: Vec<String> = declared.iter().map(|member| file.key(member)).collect();
        // Which members there are is told by the answers about names, not for each function again.
        let lists = matches!(function, "GetFieldName" | "GetMethodName");
        let is_missing = |key: &&String| lists && !answers.iter().any(|(known, _)| known == *key);
        for missing in keys.iter().filter(is_missing) {
            self.tell(function, Some(missing), "listed", "it is missing");
        }
        for (key, answer) in answers {
            match keys.iter().position(|known| known == key) {
                Some(place) => self.member(function, key, &declared[place], answer),
                None if lists => self.tell(function, Some(key), "no such member", "it is listed"),
                None => {}
            }
        }
        let order = |of: &mut dyn Iterator<Item = &String>| of.cloned().collect::<Vec<_>>().join(", ");
        let (wanted, seen) = (order(&mut keys.iter()), order(&mut answers.iter().map(|(key, _)| key)));
        if lists && of_fields && keys.len() == answers.len() && wanted != seen {
            self.tell(function, None, &format!("the fields in the order {wanted}"), &seen);
        }
    }

    fn member(&mut self, function: &str, key: &str, member: &Member, answer: &Value) {
        if function == "GetBytecodes" && answers::succeeded(answer) {
            let pool = self.class.field("GetConstantPool");
            if let Err((wanted, seen)) = bytecodes::compare(self.file, member, answer, pool) {
                self.tell(function, Some(key), &wanted, &seen);
            }
            return;
        }
        let right = match function.contains("Field") {
            true => of_field(function, self.file, member),
            false => of_method(function, self.file, member),
        };
        self.answer(function, Some(key), answer, &right);
    }

    /// Compares with the answers that are right; none: any answer is. A JVM need not keep all that a class file contains.
    fn answer(&mut self, function: &str, key: Option<&str>, answer: &Value, right: &[Value]) {
        let answer = answers::in_order(answer);
        if need_not_keep(function) && answer == answers::absent() {
            return;
        }
        if !right.is_empty() && !right.contains(&answer) {
            let wanted: Vec<String> = right.iter().map(answers::shown).collect();
            self.tell(function, key, &wanted.join(" or "), &answers::shown(&answer));
        }
    }

    fn tell(&mut self, function: &str, key: Option<&str>, wanted: &str, seen: &str) {
        let class = String::from_utf8_lossy(self.file.name());
        let place = key.map_or_else(|| class.clone().into_owned(), |key| format!("{class}.{key}"));
        let what = format!("expected {wanted}, observed {seen}");
        self.found.push(ClassFileDifference { place: format!("{function} of {place}"), what });
    }
}

#[cfg(test)]
mod tests;
