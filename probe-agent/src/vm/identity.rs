//! Identity of Java objects and methods: the same object has the same number throughout a trace, and is described at
//! first sight. None of it disturbs what is measured: no pending exception is touched, no local reference is left.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use jvmti_wire::Value;
use jvmti_wire::trace::Body;
use jvmti_wire::value::ObjectId;
use papaya::HashMap;
use rustc_hash::FxBuildHasher;

use super::jni::{Jni, Ref};
use super::numbering::{Numbering, Object};
use crate::recording::{self, record};
use crate::vm::probe_environment::{self, ProbeEnvironment};
use crate::vm::stage;

static METHODS: LazyLock<HashMap<u64, &'static Method, FxBuildHasher>> = LazyLock::new(HashMap::default);
/// Those that were asked for lately, by hash: what is in `METHODS` too.
static LATELY: [AtomicPtr<Method>; LATELY_MOST] = [const { AtomicPtr::new(null_mut()) }; LATELY_MOST];
/// A power of two.
const LATELY_MOST: usize = 1 << 11;
/// The scenario run in which methods are seen. A JVM may give the id of a method to another one after its class was unloaded, so
/// each scenario run looks at methods again.
static RUN: AtomicU32 = AtomicU32::new(0);
static NUMBERING: Numbering<Handle> = Numbering::new();
/// Weak references to the threads of native threads that have ended.
static ENDED: Mutex<Vec<Ref>> = Mutex::new(Vec::new());

thread_local! {
    static CURRENT: Current = const { Current { weak: Cell::new(Ref::NULL), id: Cell::new(0), told: Cell::new(false) } };
}

/// The Java thread that was last seen on this native thread.
struct Current {
    weak: Cell<Ref>,
    id: Cell<u64>,
    told: Cell<bool>,
}

impl Current {
    /// Its identity, if the reference refers to it. No exception may be pending.
    fn identity_if(&self, jni: Jni, thread: Ref) -> Option<ObjectId> {
        let is_it = !self.weak.get().is_null() && jni.is_same(self.weak.get(), thread);
        is_it.then(|| ObjectId(self.id.get()))
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        if !self.weak.get().is_null() {
            ENDED.lock().unwrap_or_else(PoisonError::into_inner).push(self.weak.get());
        }
    }
}

/// A method, described.
#[derive(Debug)]
pub struct Method {
    /// The `jmethodID`.
    pub id: u64,
    /// Signature of the declaring class.
    pub class: String,
    /// Name.
    pub name: String,
    /// Descriptor.
    pub signature: String,
    /// The scenario run in which it was last looked at.
    run: AtomicU32,
}

impl Method {
    /// First character of the descriptor of its return type.
    pub fn return_type(&self) -> Option<u8> {
        let (_, returned) = self.signature.rsplit_once(')')?;
        returned.bytes().next()
    }
}

/// Identity of what the reference refers to. `Opaque` where it cannot be told here.
pub fn object(jni: Option<Jni>, reference: Ref) -> Value {
    if reference.is_null() {
        return Value::Null;
    }
    known_or_new(jni, reference).map_or(Value::Opaque, |id| Value::Object(ObjectId(id)))
}

/// As [`object`], for a reference to the current thread, which is cheaper.
pub fn current_thread(jni: Option<Jni>, thread: Ref) -> Option<ObjectId> {
    if thread.is_null() || !stage::objects_allowed() {
        return None;
    }
    let jni = jni?;
    CURRENT
        .try_with(|current| {
            let usable = !jni.exception_pending();
            // Virtual threads come and go on the same native thread.
            if usable && let Some(own) = current.identity_if(jni, thread) {
                return Some(own);
            }
            sweep(jni);
            let id = known_or_new(Some(jni), thread)?;
            if usable {
                let old = current.weak.replace(jni.new_weak(thread));
                current.id.set(id);
                if !old.is_null() {
                    jni.delete_weak(old);
                }
            }
            if !current.told.replace(true) {
                recording::thread_is(ObjectId(id));
            }
            Some(ObjectId(id))
        })
        .unwrap_or(None)
}

/// The identity of the current thread, if the reference refers to it and the thread was seen before.
pub fn own(jni: Option<Jni>, thread: Ref) -> Option<ObjectId> {
    let jni = jni.filter(|_| !thread.is_null() && stage::objects_allowed())?;
    if jni.exception_pending() {
        return None;
    }
    CURRENT.try_with(|current| current.identity_if(jni, thread)).unwrap_or(None)
}

/// Describes the method at first sight.
#[inline]
pub fn method(jni: Option<Jni>, method: u64) -> Option<&'static Method> {
    let place = &LATELY[(method.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53) as usize % LATELY_MOST];
    // SAFETY: the place holds null or a method that was stored below; these are never freed.
    let lately = unsafe { place.load(Ordering::Acquire).as_ref::<'static>() };
    let run = RUN.load(Ordering::Relaxed);
    if let Some(known) = lately.filter(|known| known.id == method && known.run.load(Ordering::Relaxed) == run)
    {
        return Some(known);
    }
    if !recording::has_locals() {
        return None;
    }
    let known = METHODS.pin().get(&method).copied();
    let known = match known {
        Some(known) if known.run.load(Ordering::Relaxed) == run => known,
        // Where the JVM cannot be asked, it is taken for what it was.
        _ => describe_method(jni, method, known, run).or(known)?,
    };
    place.store(std::ptr::from_ref(known).cast_mut(), Ordering::Release);
    Some(known)
}

/// Looks at each method again when it is next seen.
pub fn next_run() {
    RUN.fetch_add(1, Ordering::Relaxed);
}

/// Deletes the references to threads that have ended. Their own native threads are detached by then.
fn sweep(jni: Jni) {
    let ended = std::mem::take(&mut *ENDED.lock().unwrap_or_else(PoisonError::into_inner));
    ended.into_iter().for_each(|weak| jni.delete_weak(weak));
}

fn known_or_new(jni: Option<Jni>, reference: Ref) -> Option<u64> {
    if !stage::objects_allowed() {
        return None;
    }
    let environment = probe_environment::get()?;
    if !environment.tags() {
        return by_hash_code(environment, jni?, reference);
    }
    match environment.tag(reference)? {
        0 => number(environment, jni?, reference),
        id => Some(id),
    }
}

/// Numbers an object that has no tag yet.
#[cold]
fn number(environment: ProbeEnvironment, jni: Jni, reference: Ref) -> Option<u64> {
    if jni.exception_pending() {
        return None;
    }
    let (id, is_new) = NUMBERING.number(&Referent { environment, jni, reference })?;
    if is_new {
        describe(environment, jni, reference, id);
    }
    Some(id)
}

fn describe(environment: ProbeEnvironment, jni: Jni, reference: Ref, id: u64) {
    // The object may be gone if the reference is weak.
    let Some(class) = jni.object_class(reference) else { return };
    let signature = environment.class_signature(class).unwrap_or_default();
    let name = if signature == "Ljava/lang/Class;" {
        environment.class_signature(reference)
    } else if stage::is_live() && is_thread(jni, reference) {
        environment.thread_name(reference, |local| jni.delete_local(local))
    } else {
        None
    };
    jni.delete_local(class);
    record(&Body::ObjectSeen { object: ObjectId(id), class: signature, name: name.unwrap_or_default() });
}

fn is_thread(jni: Jni, object: Ref) -> bool {
    static THREAD: OnceLock<Ref> = OnceLock::new();
    if THREAD.get().is_none() {
        let Some(class) = thread_class(jni) else { return false };
        let global = jni.new_global(class);
        jni.delete_local(class);
        if THREAD.set(global).is_err() {
            jni.delete_global(global);
        }
    }
    THREAD.get().is_some_and(|class| jni.is_instance(object, *class))
}

/// `java.lang.Thread`, by way of the current thread: to look it up by name would run Java code, which agents may notice.
fn thread_class(jni: Jni) -> Option<Ref> {
    let environment = probe_environment::get()?;
    let thread = environment.current_thread()?;
    let mut class = jni.object_class(thread);
    jni.delete_local(thread);
    while let Some(candidate) = class {
        if environment.class_signature(candidate).as_deref() == Some("Ljava/lang/Thread;") {
            return Some(candidate);
        }
        class = jni.superclass(candidate);
        jni.delete_local(candidate);
    }
    None
}

#[cold]
fn describe_method(
    jni: Option<Jni>,
    id: u64,
    known: Option<&'static Method>,
    run: u32,
) -> Option<&'static Method> {
    if id == 0 || !stage::objects_allowed() {
        return None;
    }
    let environment = probe_environment::get()?;
    let (class, name, signature) = environment.method(id)?;
    let described = environment.class_signature(class);
    jni?.delete_local(class);
    let class = described?;
    if let Some(same) = known.filter(|m| m.class == class && m.name == name && m.signature == signature) {
        same.run.store(run, Ordering::Relaxed);
        return Some(same);
    }
    let run = AtomicU32::new(run);
    let method: &'static Method = Box::leak(Box::new(Method { id, class, name, signature, run }));
    // Recorded first, so that no other thread can mention a method that the trace does not define yet.
    record(&Body::MethodSeen {
        method: id,
        class: method.class.clone(),
        name: method.name.clone(),
        signature: method.signature.clone(),
    });
    METHODS.pin().insert(id, method);
    Some(method)
}

/// Identity without tags: references that keep nothing alive, looked up by hash code.
#[cold]
fn by_hash_code(environment: ProbeEnvironment, jni: Jni, reference: Ref) -> Option<u64> {
    static SEEN: OnceLock<HashMap<(i32, u32), (Handle, u64)>> = OnceLock::new();
    if jni.exception_pending() || !recording::has_locals() {
        return None;
    }
    let hash = environment.hash_code(reference)?;
    let seen = SEEN.get_or_init(HashMap::new).pin();
    let mut own = None;
    // Whoever is the first to find the place free has it; the others compare with what stands there.
    for at in 0.. {
        let place = (hash, at);
        if seen.get(&place).is_none() {
            let new = own.take().unwrap_or_else(|| (Handle::to(jni, reference), NUMBERING.next()));
            let id = new.1;
            match seen.try_insert(place, new) {
                Ok(_) => {
                    describe(environment, jni, reference, id);
                    return Some(id);
                }
                Err(taken) => own = Some(taken.not_inserted),
            }
        }
        let (handle, id) = seen.get(&place)?;
        if handle.is_to(jni, reference) {
            return Some(*id);
        }
    }
    None
}

/// An object that a reference refers to.
struct Referent {
    environment: ProbeEnvironment,
    jni: Jni,
    reference: Ref,
}

/// A global reference, which is deleted when this goes: a weak one, or a strong one to a value object, to which JNI makes
/// no weak ones.
enum Handle {
    Weak(Ref),
    Strong(Ref),
}

impl Handle {
    /// A handle to that object. No exception may be pending.
    fn to(jni: Jni, reference: Ref) -> Handle {
        let weak = jni.new_weak(reference);
        if !jni.exception_pending() {
            return Handle::Weak(weak);
        }
        jni.exception_clear();
        Handle::Strong(jni.new_global(reference))
    }

    /// Whether it refers to the same object as the reference.
    fn is_to(&self, jni: Jni, reference: Ref) -> bool {
        let (Handle::Weak(held) | Handle::Strong(held)) = self;
        jni.is_same(*held, reference)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Some(jni) = Jni::current() {
            match self {
                Handle::Weak(reference) => jni.delete_weak(*reference),
                Handle::Strong(reference) => jni.delete_global(*reference),
            }
        }
    }
}

impl Object for Referent {
    type Handle = Handle;

    fn number(&self) -> Option<u64> {
        self.environment.tag(self.reference)
    }

    fn set_number(&self, number: u64) -> bool {
        self.environment.set_tag(self.reference, number)
    }

    fn handle(&self) -> Handle {
        Handle::to(self.jni, self.reference)
    }

    fn is(&self, handle: &Handle) -> bool {
        handle.is_to(self.jni, self.reference)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_void;

    use super::*;
    use crate::vm::fake_jni::{self, DELETE_WEAK_GLOBAL_REF, EXCEPTION_CHECK};
    use crate::vm::stage::Stage;

    #[test]
    fn what_belonged_to_a_thread_goes_when_another_one_is_first_seen() {
        static DELETED: Mutex<Vec<usize>> = Mutex::new(Vec::new());
        extern "system" fn delete(_: *mut c_void, weak: *mut c_void) {
            DELETED.lock().unwrap().push(weak.addr());
        }
        extern "system" fn no() -> u8 {
            0
        }
        stage::reached(Stage::Live);
        std::thread::spawn(|| CURRENT.with(|current| current.weak.set(Ref::from_word(0x77)))).join().unwrap();
        let functions =
            [(EXCEPTION_CHECK, no as *const c_void), (DELETE_WEAK_GLOBAL_REF, delete as *const c_void)];
        // There is no environment to number the thread with: that comes later.
        assert_eq!(current_thread(Some(fake_jni::with(&functions)), Ref::from_word(1)), None);
        assert!(DELETED.lock().unwrap().contains(&0x77));
    }
}
