//! Whether a recorded value satisfies a condition.

use jvmti_cases::model::{Literal, Matcher, Reference};
use jvmti_traces::{is_modified_utf8, modified_utf8};
use jvmti_wire::trace::DefinedMethod;
use jvmti_wire::value::Value;

use self::class_file::ClassFileDifference;
use self::constant_pool::ConstantPool;
use super::references::{Referent, Scope};
use super::thread_state;
use super::truth::{Cause, Truth};

mod class_file;
mod constant_pool;

impl Scope<'_> {
    /// Whether the value satisfies the condition.
    pub(super) fn check(&self, matcher: &Matcher, value: &Value) -> Truth {
        if *value == Value::Untouched {
            // Nothing was answered: no condition on an answer holds, not even a negative one.
            return self.check_untouched(matcher);
        }
        match matcher {
            Matcher::Equals(literal) => equals(literal, value).into(),
            Matcher::Is(reference) => match self.target(reference) {
                Ok(target) => self.refers(&target, value),
                Err(cause) => Truth::Unknown(cause),
            },
            Matcher::Range(low, high) => {
                check_int(value, |i| low.is_none_or(|low| i >= low) && high.is_none_or(|high| i <= high))
            }
            Matcher::AtLeast(reference) => self.compare(reference, value, |value, bound| value >= bound),
            Matcher::AtMost(reference) => self.compare(reference, value, |value, bound| value <= bound),
            Matcher::Bits { has, lacks } => check_int(value, |i| {
                has.iter().all(|(_, b)| i & b == *b) && lacks.iter().all(|(_, b)| i & b == 0)
            }),
            Matcher::ThreadState(java) => check_int(value, |i| is_thread_state(i, java.as_deref())),
            Matcher::SameThreadState(reference) => self.compare(reference, value, |value, of| {
                (value ^ of) & !i64::from(thread_state::bit::VENDOR) == 0
            }),
            Matcher::Substring(part) => {
                bytes(value).is_some_and(|bytes| contains(bytes, &modified_utf8(part))).into()
            }
            Matcher::Constants(count) => match memory(value).and_then(ConstantPool::read) {
                Some(pool) => self.check(count, &Value::Int(pool.count())),
                None => Truth::Fails,
            },
            Matcher::Loads { text, of } => match self.target(of) {
                Ok(Referent::Value(pool)) => loads(value, text, pool).into(),
                Ok(_) => Truth::Fails,
                Err(cause) => Truth::Unknown(cause),
            },
            Matcher::ClassFile { files, since } => match self.differences_since(files, since, value) {
                Ok(found) => found.is_empty().into(),
                Err(cause) => Truth::Unknown(cause),
            },
            Matcher::Length(length) => match length_of(value) {
                Some(n) => self.check(length, &Value::Int(n)),
                None => Truth::Fails,
            },
            Matcher::Plus(reference, plus) => {
                self.compare(reference, value, |value, of| value.checked_sub(of) == Some(*plus))
            }
            Matcher::Contains(_)
            | Matcher::Consecutive(_)
            | Matcher::Each(_)
            | Matcher::Elements(_)
            | Matcher::Set(_) => items(value).map_or(Truth::Fails, |items| self.check_items(matcher, items)),
            Matcher::Fields(fields) => {
                all(fields, |(name, m)| value.field(name).map_or(Truth::Fails, |field| self.check(m, field)))
            }
            Matcher::All(matchers) => all(matchers, |m| self.check(m, value)),
            Matcher::Any(matchers) => any(matchers, |m| self.check(m, value)),
            Matcher::Not(matcher) => self.check(matcher, value).not(),
            Matcher::Untouched => Truth::Fails,
            Matcher::NotNull => (!is_null(value)).into(),
            // These are about what became of the value; see the judging of steps.
            Matcher::LocalReferences | Matcher::Deallocated => Truth::Fails,
            Matcher::ModifiedUtf8 => matches!(value, Value::Str(bytes) if is_modified_utf8(bytes)).into(),
        }
    }

    /// Whether the elements of a list satisfy a condition on lists.
    fn check_items(&self, matcher: &Matcher, items: &[Value]) -> Truth {
        match matcher {
            Matcher::Contains(wanted) => any(items, |item| self.check(wanted, item)),
            Matcher::Consecutive(wanted) => any(items.windows(wanted.len().max(1)), |window| {
                all(window.iter().zip(wanted), |(item, m)| self.check(m, item))
            }),
            Matcher::Each(wanted) => all(items, |item| self.check(wanted, item)),
            Matcher::Elements(wanted) if items.len() == wanted.len() => {
                all(items.iter().zip(wanted), |(item, m)| self.check(m, item))
            }
            Matcher::Set(wanted) if items.len() == wanted.len() => self.assign(wanted, items),
            _ => Truth::Fails,
        }
    }

    fn check_untouched(&self, matcher: &Matcher) -> Truth {
        match matcher {
            Matcher::Untouched => Truth::Holds,
            Matcher::All(all) => all.iter().all(|m| self.check_untouched(m) == Truth::Holds).into(),
            Matcher::Any(any) => any.iter().any(|m| self.check_untouched(m) == Truth::Holds).into(),
            _ => Truth::Fails,
        }
    }

    fn refers(&self, target: &Referent<'_>, value: &Value) -> Truth {
        match (target, value) {
            (Referent::Value(wanted), value) => same(wanted, value),
            (_, Value::Opaque) => Truth::Unknown(Cause::Identity),
            (Referent::Class(signature), Value::Object(object)) => {
                match self.names.definitions().class_signature(*object) {
                    Some(found) => (found == Some(signature)).into(),
                    None => Truth::Unknown(Cause::Undefined),
                }
            }
            (Referent::Method { class, name, signature }, Value::Method(method)) => {
                let is_it = |m: &DefinedMethod| {
                    m.class == *class && m.name == *name && signature.is_none_or(|s| m.signature == s)
                };
                let mut defined = self.names.definitions().methods(*method).peekable();
                match defined.peek() {
                    Some(_) => defined.any(is_it).into(),
                    None => Truth::Unknown(Cause::Undefined),
                }
            }
            _ => Truth::Fails,
        }
    }

    fn compare(&self, reference: &Reference, value: &Value, holds: impl Fn(i64, i64) -> bool) -> Truth {
        match self.target(reference) {
            Ok(Referent::Value(bound)) => match (value.as_int(), bound.as_int()) {
                (Some(value), Some(bound)) => holds(value, bound).into(),
                _ => Truth::Fails,
            },
            Ok(_) => Truth::Fails,
            Err(cause) => Truth::Unknown(cause),
        }
    }

    /// What a survey found that the class files do not say, and had not found before.
    fn differences_since(
        &self,
        files: &Reference,
        since: &Option<(Reference, Reference)>,
        survey: &Value,
    ) -> Result<Vec<ClassFileDifference>, Cause> {
        let mut found = self.class_files(files, survey)?;
        if let Some((earlier, files)) = since
            && let Referent::Value(earlier) = self.target(earlier)?
        {
            let before = self.class_files(files, earlier)?;
            found.retain(|difference| !before.contains(difference));
        }
        Ok(found)
    }

    /// What a survey found that the class files do not say.
    fn class_files(&self, of: &Reference, survey: &Value) -> Result<Vec<ClassFileDifference>, Cause> {
        let files = match self.target(of)? {
            Referent::Value(files) => memory(files).unwrap_or_default(),
            _ => &[],
        };
        class_file::differences(survey, files).map_err(Cause::ClassFile)
    }

    /// The same, for people.
    pub(super) fn differences(&self, matcher: &Matcher, survey: &Value) -> Option<String> {
        match matcher {
            Matcher::ClassFile { files, since } => {
                self.differences_since(files, since, survey).ok().map(|found| class_file::told(&found))
            }
            _ => None,
        }
    }

    /// Whether the items can be given out so that each condition gets one that satisfies it.
    fn assign(&self, wanted: &[Matcher], items: &[Value]) -> Truth {
        let mut cause = None;
        let (mut sure, mut possible) = (Vec::new(), Vec::new());
        for matcher in wanted {
            let answers: Vec<Truth> = items.iter().map(|item| self.check(matcher, item)).collect();
            sure.push(answers.iter().map(|a| *a == Truth::Holds).collect::<Vec<_>>());
            possible.push(answers.iter().map(|a| *a != Truth::Fails).collect::<Vec<_>>());
            for answer in answers {
                if let Truth::Unknown(why) = answer {
                    cause = Some(why);
                }
            }
        }
        match (assignable(&sure), cause) {
            (true, _) => Truth::Holds,
            (false, Some(cause)) if assignable(&possible) => Truth::Unknown(cause),
            _ => Truth::Fails,
        }
    }
}

/// Whether all of them are true.
fn all<T>(of: impl IntoIterator<Item = T>, check: impl Fn(T) -> Truth) -> Truth {
    of.into_iter().fold(Truth::Holds, |so_far, one| so_far.and(|| check(one)))
}

/// Whether one of them is true.
fn any<T>(of: impl IntoIterator<Item = T>, check: impl Fn(T) -> Truth) -> Truth {
    of.into_iter().fold(Truth::Fails, |so_far, one| so_far.or(|| check(one)))
}

/// Whether it is an integer of which this holds.
fn check_int(value: &Value, holds: impl Fn(i64) -> bool) -> Truth {
    value.as_int().is_some_and(holds).into()
}

/// Whether the bits obey the rules for thread states and, if a Java state is given, convert to that.
fn is_thread_state(bits: i64, java: Option<&str>) -> bool {
    let state = bits as u32;
    let lawful = thread_state::violations(state).next().is_none();
    lawful && java.is_none_or(|java| thread_state::java_state(state) == Some(java))
}

/// Whether the bytecode loads a string constant from the constant pool.
fn loads(code: &Value, text: &str, pool: &Value) -> bool {
    let pool = memory(pool).and_then(ConstantPool::read);
    let is_loaded = |code| pool.is_some_and(|p| p.is_loaded_by(code, &modified_utf8(text)));
    memory(code).is_some_and(is_loaded)
}

/// The content of memory.
fn memory(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

/// The bytes of a string or of memory.
fn bytes(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Str(bytes) | Value::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

/// Whether a perfect matching exists (augmenting paths).
fn assignable(edges: &[Vec<bool>]) -> bool {
    fn augment(edges: &[Vec<bool>], row: usize, seen: &mut [bool], taken: &mut [Option<usize>]) -> bool {
        for column in 0..seen.len() {
            if edges[row][column] && !std::mem::replace(&mut seen[column], true) {
                let free = match taken[column] {
                    None => true,
                    Some(other) => augment(edges, other, seen, taken),
                };
                if free {
                    taken[column] = Some(row);
                    return true;
                }
            }
        }
        false
    }
    let mut taken = vec![None; edges.len()];
    (0..edges.len()).all(|row| augment(edges, row, &mut vec![false; edges.len()], &mut taken))
}

fn equals(literal: &Literal, value: &Value) -> bool {
    match (literal, value) {
        (Literal::Null, value) => is_null(value),
        (Literal::Int(a), Value::Int(b)) => a == b,
        (Literal::Int(a), Value::Pointer(b)) => *a as u64 == *b,
        (Literal::Int(0), Value::Null) => false,
        (Literal::Int(a), Value::Float(b)) => *a as f64 == *b,
        (Literal::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
        (Literal::Str(a), Value::Str(b) | Value::Bytes(b)) => modified_utf8(a) == *b,
        _ => false,
    }
}

/// Whether it is a null pointer, reference or id.
fn is_null(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Method(0) | Value::Field(0) | Value::Pointer(0))
}

/// Equal as a scenario and the probe write it: NaN is itself; but the zeros are one.
fn same_float(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

/// Whether two recorded values are the same.
fn same(a: &Value, b: &Value) -> Truth {
    match (a, b) {
        (Value::Null, Value::Opaque) | (Value::Opaque, Value::Null) => Truth::Fails,
        (Value::Opaque, _) | (_, Value::Opaque) => Truth::Unknown(Cause::Identity),
        (Value::Float(a), Value::Float(b)) => same_float(*a, *b).into(),
        (Value::Str(a) | Value::Bytes(a), Value::Str(b) | Value::Bytes(b)) => (a == b).into(),
        // What a program states of an address is a number.
        (Value::Pointer(a), Value::Int(b)) | (Value::Int(b), Value::Pointer(a)) => {
            (*a == b.cast_unsigned()).into()
        }
        // An empty list is returned as a null pointer.
        (Value::List(list), Value::Null) | (Value::Null, Value::List(list)) => list.is_empty().into(),
        (Value::List(a), Value::List(b)) if a.len() == b.len() => all(a.iter().zip(b), |(a, b)| same(a, b)),
        (Value::Struct(a), Value::Struct(b)) if a.len() == b.len() => {
            all(a.iter().zip(b), |((name, a), (other, b))| Truth::from(name == other).and(|| same(a, b)))
        }
        (a, b) => (a == b).into(),
    }
}

fn items(value: &Value) -> Option<&[Value]> {
    match value {
        Value::List(items) => Some(items),
        Value::Null => Some(&[]),
        _ => None,
    }
}

fn length_of(value: &Value) -> Option<i64> {
    let n = match value {
        Value::List(items) => items.len(),
        Value::Null => 0,
        value => bytes(value)?.len(),
    };
    i64::try_from(n).ok()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests;
