//! Asks functions about classes and about each of their methods and fields, and records the answers together.
//!
//! The answer to one question is a list: the error code, and the outputs if it is 0. Of a function about methods or fields
//! there is one such list per member, under its name and descriptor. Classes stand as their signatures.

use jni_sys::jobject;
use jvmti_wire::Value;
use jvmti_wire::plan::Arg;

use crate::ffi::{self, CType, Dir, Env, FunctionDescriptor, error, slot};
use crate::marshal::{Call, Reason, Resolver};
use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment::{self, deallocate};

/// What the functions answer in that environment about the class, or about each class of the array.
pub fn of(jni: Jni, env: Env, classes: Ref, slots: &[u16]) -> Result<Value, Reason> {
    let functions = slots.iter().map(|slot| {
        ffi::descriptor(*slot).ok_or_else(|| Reason::new(format!("no function has slot {slot}")))
    });
    let functions = functions.collect::<Result<Vec<_>, _>>()?;
    let class_class = jni.find_class(c"java/lang/Class").ok_or_else(|| Reason::new("there is no Class"))?;
    if jni.is_instance(classes, class_class) {
        return Surveyor { jni, env, class: classes, member: 0 }
            .class(&functions)
            .map(|one| Value::List(vec![one]));
    }
    let surveyed = (0..jni.array_length(classes)).map(|index| {
        let class = jni.element(classes, index).ok_or_else(|| Reason::new("one of the classes is null"))?;
        let answers = Surveyor { jni, env, class, member: 0 }.class(&functions);
        jni.delete_local(class);
        answers
    });
    surveyed.collect::<Result<Vec<_>, _>>().map(Value::List)
}

/// Asks about a class, and about one member of it at a time.
struct Surveyor {
    jni: Jni,
    env: Env,
    class: Ref,
    /// The method or field.
    member: u64,
}

impl Surveyor {
    fn class(&mut self, functions: &[&'static FunctionDescriptor]) -> Result<Value, Reason> {
        let signature = self.signature(self.class);
        let mut answers = vec![("class".to_owned(), signature)];
        for function in functions {
            let answer = match about(function) {
                CType::Method => self.members(function, slot::GET_CLASS_METHODS)?,
                CType::Field => self.members(function, slot::GET_CLASS_FIELDS)?,
                _ => self.ask(function)?,
            };
            answers.push((function.name.to_owned(), answer));
        }
        Ok(Value::Struct(answers))
    }

    /// The answers about each method or field, under its name and descriptor.
    fn members(&mut self, function: &'static FunctionDescriptor, list: u16) -> Result<Value, Reason> {
        let list = ffi::descriptor(list).ok_or_else(|| Reason::new("the members cannot be listed"))?;
        let Value::List(listed) = self.ask(list)? else { return Ok(Value::Null) };
        if listed.first() != Some(&Value::Int(error::NONE.into())) {
            return Ok(Value::List(listed));
        }
        let Some(Value::List(members)) = listed.get(2) else { return Ok(Value::Struct(Vec::new())) };
        let mut answers = Vec::new();
        for member in members {
            let (Value::Method(member) | Value::Field(member)) = member else { continue };
            self.member = *member;
            answers.push((self.key(list.slot == slot::GET_CLASS_METHODS), self.ask(function)?));
        }
        Ok(Value::Struct(answers))
    }

    /// Name and descriptor of the member.
    fn key(&self, is_method: bool) -> String {
        let own = probe_environment::get();
        let named = match is_method {
            true => own.and_then(|own| own.method(self.member)).map(|(class, name, descriptor)| {
                self.jni.delete_local(class);
                (name, descriptor)
            }),
            false => own.and_then(|own| own.field(self.class, self.member)),
        };
        named.map_or_else(String::new, |(name, descriptor)| format!("{name} {descriptor}"))
    }

    /// The answer to one question.
    fn ask(&mut self, function: &'static FunctionDescriptor) -> Result<Value, Reason> {
        let args: Vec<Arg> = function
            .params
            .iter()
            .map(|param| match param.dir {
                dir if dir.is_output() && dir != Dir::InOpaque => Arg::Storage,
                _ => Arg::CurrentThread,
            })
            .collect();
        let mut call = Call::prepare(function, &args, self)?;
        // SAFETY: the JVM gave the environment, the class and its member.
        let code = unsafe { call.invoke(self.env) }.unwrap_or(-1);
        let mut answer = vec![Value::Int(code.into())];
        if code == error::NONE {
            answer.extend(call.outputs(self).into_iter().map(|(_, value)| without_names(value)));
        }
        let jni = self.jni;
        // SAFETY: the call owns what the JVM allocated for it.
        call.release(&mut |memory| unsafe { deallocate(memory) }, &mut |local| jni.delete_local(Ref(local)));
        Ok(Value::List(answer))
    }

    fn signature(&self, class: Ref) -> Value {
        let signature = probe_environment::get().and_then(|own| own.class_signature(class));
        signature.map_or(Value::Opaque, |signature| Value::Str(signature.into_bytes()))
    }
}

/// What a function is about: a method, a field, or the class itself.
fn about(function: &FunctionDescriptor) -> CType {
    let last = function.params.iter().rfind(|param| !param.dir.is_output());
    last.map_or(CType::Void, |param| param.ty)
}

/// Structures as lists of their fields: their names need not be repeated for each element of an array.
fn without_names(value: Value) -> Value {
    match value {
        Value::Struct(fields) => {
            Value::List(fields.into_iter().map(|(_, value)| without_names(value)).collect())
        }
        Value::List(items) => Value::List(items.into_iter().map(without_names).collect()),
        value => value,
    }
}

/// All that a function takes is the class and its member.
impl Resolver for Surveyor {
    fn object(&mut self, _arg: &Arg) -> Result<jobject, Reason> {
        Ok(self.class.0)
    }

    fn method(&mut self, _arg: &Arg) -> Result<u64, Reason> {
        Ok(self.member)
    }

    fn field(&mut self, _arg: &Arg) -> Result<u64, Reason> {
        Ok(self.member)
    }

    fn raw(&mut self, _arg: &Arg) -> Result<u64, Reason> {
        Err(Reason::new("a survey asks for classes, methods and fields only"))
    }

    fn identify(&mut self, object: jobject) -> Value {
        self.signature(Ref(object))
    }
}
