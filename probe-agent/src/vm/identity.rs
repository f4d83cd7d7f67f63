//! Identity of Java objects and methods: the same object has the same number throughout a trace, and is described at
//! first sight. None of it disturbs what is measured: no pending exception is touched, no local reference is left.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use jvmti_wire::Value;
use jvmti_wire::trace::Body;
use jvmti_wire::value::ObjectId;
use papaya::HashMap;
use rustc_hash::FxBuildHasher;

use crate::recording::clock;
use crate::recording::{self, record};
use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment::{self, ProbeEnvironment};
use crate::vm::stage;

static OBJECTS: AtomicU64 = AtomicU64::new(1);
static METHODS: LazyLock<HashMap<u64, &'static Method, FxBuildHasher>> = LazyLock::new(HashMap::default);
/// Those that were asked for lately, by hash: what is in `METHODS` too.
static LATELY: [AtomicPtr<Method>; LATELY_MOST] = [const { AtomicPtr::new(null_mut()) }; LATELY_MOST];
/// A power of two.
const LATELY_MOST: usize = 1 << 11;
static NUMBERING: Numbering = Numbering(AtomicU64::new(0));
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
            if usable && !current.weak.get().is_null() && jni.is_same(current.weak.get(), thread) {
                return Some(ObjectId(current.id.get()));
            }
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

/// Describes the method at first sight.
#[inline]
pub fn method(jni: Option<Jni>, method: u64) -> Option<&'static Method> {
    let place = &LATELY[(method.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53) as usize % LATELY_MOST];
    // SAFETY: the place holds null or a method that was stored below; these are never freed.
    let lately = unsafe { place.load(Ordering::Acquire).as_ref::<'static>() };
    if let Some(known) = lately.filter(|known| known.id == method) {
        return Some(known);
    }
    let known = METHODS.pin().get(&method).copied();
    let known = known.or_else(|| describe_method(jni, method))?;
    place.store(std::ptr::from_ref(known).cast_mut(), Ordering::Release);
    Some(known)
}

/// Frees what belonged to threads that have ended.
pub fn sweep(jni: Jni) {
    let ended = std::mem::take(&mut *ENDED.lock().unwrap_or_else(PoisonError::into_inner));
    ended.into_iter().for_each(|weak| jni.delete_weak(weak));
}

fn known_or_new(jni: Option<Jni>, reference: Ref) -> Option<u64> {
    if !stage::objects_allowed() {
        return None;
    }
    let registrar = probe_environment::get()?;
    if !registrar.tags() {
        return by_hash_code(registrar, jni?, reference);
    }
    match registrar.tag(reference)? {
        0 => number(registrar, jni?, reference),
        id => Some(id),
    }
}

/// Numbers an object that has no tag yet.
#[cold]
fn number(registrar: ProbeEnvironment, jni: Jni, reference: Ref) -> Option<u64> {
    if jni.exception_pending() {
        return None;
    }
    let numbering = NUMBERING.enter();
    let known = registrar.tag(reference)?;
    if known != 0 {
        return Some(known);
    }
    let id = OBJECTS.fetch_add(1, Ordering::Relaxed);
    if !registrar.set_tag(reference, id) {
        return None;
    }
    drop(numbering);
    describe(registrar, jni, reference, id);
    Some(id)
}

fn describe(registrar: ProbeEnvironment, jni: Jni, reference: Ref, id: u64) {
    // The object may be gone if the reference is weak.
    let Some(class) = jni.object_class(reference) else { return };
    let signature = registrar.class_signature(class).unwrap_or_default();
    let name = if signature == "Ljava/lang/Class;" {
        registrar.class_signature(reference)
    } else if stage::is_live() && is_thread(jni, reference) {
        registrar.thread_name(reference, |local| jni.delete_local(local))
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
    let registrar = probe_environment::get()?;
    let thread = registrar.current_thread()?;
    let mut class = jni.object_class(thread);
    jni.delete_local(thread);
    while let Some(candidate) = class {
        if registrar.class_signature(candidate).as_deref() == Some("Ljava/lang/Thread;") {
            return Some(candidate);
        }
        class = jni.superclass(candidate);
        jni.delete_local(candidate);
    }
    None
}

#[cold]
fn describe_method(jni: Option<Jni>, id: u64) -> Option<&'static Method> {
    if id == 0 || !stage::objects_allowed() {
        return None;
    }
    let registrar = probe_environment::get()?;
    let (class, name, signature) = registrar.method(id)?;
    let described = registrar.class_signature(class);
    jni?.delete_local(class);
    let method: &'static Method = Box::leak(Box::new(Method { id, class: described?, name, signature }));
    METHODS.pin().insert(id, method);
    record(&Body::MethodSeen {
        method: id,
        class: method.class.clone(),
        name: method.name.clone(),
        signature: method.signature.clone(),
    });
    Some(method)
}

/// Identity without tags: weak references, looked up by hash code.
#[cold]
fn by_hash_code(registrar: ProbeEnvironment, jni: Jni, reference: Ref) -> Option<u64> {
    static SEEN: OnceLock<HashMap<(i32, u32), (Ref, u64)>> = OnceLock::new();
    if jni.exception_pending() {
        return None;
    }
    let hash = registrar.hash_code(reference)?;
    let _numbering = NUMBERING.enter();
    let seen = SEEN.get_or_init(HashMap::new).pin();
    let mut at = 0;
    while let Some((weak, id)) = seen.get(&(hash, at)) {
        if jni.is_same(*weak, reference) {
            return Some(*id);
        }
        at += 1;
    }
    let id = OBJECTS.fetch_add(1, Ordering::Relaxed);
    seen.insert((hash, at), (jni.new_weak(reference), id));
    describe(registrar, jni, reference, id);
    Some(id)
}

/// Sees to it that two threads do not number the same object. The one that holds it may be suspended inside a call to
/// the VM, so that nobody waits for it for long.
struct Numbering(AtomicU64);

struct Numbered<'a>(&'a Numbering, u64);

impl Numbering {
    /// A suspended holder is not waited for beyond this, in nanoseconds.
    const PATIENCE: u64 = 2_000_000;

    fn enter(&self) -> Numbered<'_> {
        let entered = clock::now().max(1);
        loop {
            let holder = self.0.load(Ordering::Relaxed);
            let overdue = holder != 0 && clock::since(holder) > Self::PATIENCE;
            if (holder == 0 || overdue)
                && self.0.compare_exchange(holder, entered, Ordering::Acquire, Ordering::Relaxed).is_ok()
            {
                return Numbered(self, entered);
            }
            std::thread::yield_now();
        }
    }
}

impl Drop for Numbered<'_> {
    fn drop(&mut self) {
        // Fails if somebody lost patience; the lock is theirs then.
        let _ = self.0.0.compare_exchange(self.1, 0, Ordering::Release, Ordering::Relaxed);
    }
}
