//! Environments that pass from case to case.
//!
//! Some capabilities can be added in `Agent_OnLoad` only and possessed by one environment at a time. Each case that needs
//! them would need a JVM of its own. Instead, the environment of a case whose scenario run has ended passes to the next
//! case of its chain, after everything in it was reset: it has no breakpoints, watches, enabled events and storage, and
//! in the trace it has a new number. The breakpoints and watches of the others are cleared, too, because a JVM may keep those of
//! an environment that it has disposed of, and then never compile the method again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::execute::cases::{self, RunningCase};
use crate::ffi::{self, Env, slot};
use crate::vm::environments::{self, OwnEnvironment};
use crate::vm::held::Held;
use crate::vm::jni::{Jni, Ref};
use crate::vm::probe_environment;

/// The environment of a chain of cases.
struct Passing {
    env: Env,
    /// The capabilities that it possesses, by bit.
    capabilities: Vec<u16>,
    /// Whether it is between two cases.
    is_free: bool,
}

/// By chain.
static PASSING: Mutex<BTreeMap<u32, Passing>> = Mutex::new(BTreeMap::new());
static SET: Mutex<Vec<Place>> = Mutex::new(Vec::new());
/// Environments, and the threads in which they have storage or have enabled events, as weak global references. To ask for all
/// threads instead, which leaves out virtual ones, ends a JVM of release 8 while many agent threads end.
static TOUCHED: Mutex<Vec<(Env, Ref)>> = Mutex::new(Vec::new());

/// A breakpoint or a watch that a case has set and not cleared.
#[derive(Clone, Copy)]
struct Place {
    env: Env,
    /// The function that clears it.
    clear: u16,
    /// Its arguments. A class is a weak global reference: the JVM may unload it.
    args: [u64; 2],
    /// The class whose method or field it is, as a weak global reference.
    class: Ref,
}

impl Place {
    fn is_watch(&self) -> bool {
        self.clear != slot::CLEAR_BREAKPOINT
    }

    fn is_at(&self, env: Env, clear: u16, args: &[u64], jni: Option<Jni>) -> bool {
        let [first, second] = self.args;
        let same = |a, b| jni.is_some_and(|jni| jni.is_same(Ref::from_word(a), Ref::from_word(b)));
        let is_first = |other| if self.is_watch() { same(first, other) } else { first == other };
        self.env == env
            && self.clear == clear
            && args.get(1) == Some(&second)
            && args.first().copied().is_some_and(is_first)
    }
}

fn passing() -> MutexGuard<'static, BTreeMap<u32, Passing>> {
    PASSING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn touched() -> MutexGuard<'static, Vec<(Env, Ref)>> {
    TOUCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn places() -> MutexGuard<'static, Vec<Place>> {
    SET.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call of the case has succeeded: keeps in mind what the environment possesses, and what will have to be cleared.
pub fn note(case: &RunningCase, environment: &OwnEnvironment, function: u16, args: &[u64], jni: Option<Jni>) {
    let planned = case.plan.environments.get(usize::from(environment.index));
    let chain = planned.and_then(|planned| Some((planned, planned.chain?)));
    match (function, args, chain) {
        (slot::ADD_CAPABILITIES, _, Some((planned, chain))) => {
            // Only the probe calls it for an environment of a chain, for all that is planned.
            let capabilities = planned.capabilities.clone();
            passing().insert(chain, Passing { env: environment.env, capabilities, is_free: false });
        }
        (slot::SET_EVENT_NOTIFICATION_MODE, &[_, _, 0, ..], _) => {}
        (slot::SET_EVENT_NOTIFICATION_MODE, &[_, _, thread, ..], Some(_))
        | (slot::SET_THREAD_LOCAL_STORAGE, &[thread, ..], Some(_)) => {
            touch(environment.env, Ref::from_word(thread), jni);
        }
        _ => note_place(environment.env, function, args, jni),
    }
}

/// Keeps in mind a breakpoint or watch that the call has set, or forgets one that it has cleared.
fn note_place(env: Env, function: u16, args: &[u64], jni: Option<Jni>) {
    let (clear, sets) = match function {
        slot::SET_BREAKPOINT => (slot::CLEAR_BREAKPOINT, true),
        slot::SET_FIELD_ACCESS_WATCH => (slot::CLEAR_FIELD_ACCESS_WATCH, true),
        slot::SET_FIELD_MODIFICATION_WATCH => (slot::CLEAR_FIELD_MODIFICATION_WATCH, true),
        slot::CLEAR_BREAKPOINT | slot::CLEAR_FIELD_ACCESS_WATCH | slot::CLEAR_FIELD_MODIFICATION_WATCH => {
            (function, false)
        }
        _ => return,
    };
    let &[first, second, ..] = args else { return };
    if !sets {
        // A weak reference that is left is freed with the process.
        return places().retain(|place| !place.is_at(env, clear, args, jni));
    }
    let (Some(jni), Some(probe)) = (jni, probe_environment::get()) else { return };
    if clear != slot::CLEAR_BREAKPOINT {
        let class = jni.new_weak(Ref::from_word(first));
        places().push(Place { env, clear, args: [class.word(), second], class });
    } else if let Some(declaring) = probe.declaring_class(first) {
        places().push(Place { env, clear, args: [first, second], class: jni.new_weak(declaring) });
        jni.delete_local(declaring);
    }
}

/// The environment has storage in a thread, or has enabled an event for it. Null is the current thread.
fn touch(env: Env, thread: Ref, jni: Option<Jni>) {
    let Some(jni) = jni else { return };
    if thread == Ref::NULL {
        if let Some(current) = probe_environment::get().and_then(|own| own.current_thread()) {
            touch(env, current, Some(jni));
            jni.delete_local(current);
        }
        return;
    }
    let mut touched = touched();
    if !touched.iter().any(|(by, known)| *by == env && jni.is_same(*known, thread)) {
        touched.push((env, jni.new_weak(thread)));
    }
}

/// The threads that the environment has touched and that are still there, as local references. They are forgotten.
fn take_touched(env: Env, jni: Jni) -> Vec<Ref> {
    let mut touched = touched();
    let own: Vec<Ref> = touched.extract_if(.., |(by, _)| *by == env).map(|(_, thread)| thread).collect();
    drop(touched);
    own.into_iter()
        .filter_map(|weak| {
            let thread = jni.new_local(weak);
            jni.delete_weak(weak);
            (thread != Ref::NULL).then_some(thread)
        })
        .collect()
}

/// The environment has been disposed of by the case, which clears nothing in it any more.
pub fn forget(env: Env) {
    // A weak reference that is left is freed with the process.
    places().retain(|place| place.env != env);
}

/// The scenario run of the case ends: resets those of its environments that pass to a later case, and clears what is left in the
/// others.
pub fn hand_on(case: &RunningCase, jni: Jni) {
    let Some(cases) = cases::get() else { return };
    let run = case.plan.run;
    for (index, planned) in (0u8..).zip(&case.plan.environments) {
        let is_awaited = |chain: &u32| {
            let takes = |other: &RunningCase| {
                other.plan.run > run
                    && other.plan.environments.iter().any(|other| other.chain == Some(*chain))
            };
            cases.all().iter().any(takes)
        };
        let Some(environment) = case.environment(index).filter(|environment| !environment.is_gone()) else {
            continue;
        };
        let env = environment.env;
        let Some(chain) = planned.chain.filter(is_awaited) else {
            clear_places(env, jni);
            continue;
        };
        reset(env, jni);
        environment.set_gone();
        let mut passing = passing();
        // One that was granted nothing passes, too.
        passing.entry(chain).and_modify(|passing| passing.is_free = passing.env == env).or_insert(Passing {
            env,
            capabilities: Vec::new(),
            is_free: true,
        });
    }
}

/// The environment that passes along that chain, now of the case, with no more capabilities than it wants, and those that
/// it lacks of them: a VM need not grant in the live phase what an environment possesses already.
pub fn take(case: u32, index: u8, chain: u32, wanted: &[u16]) -> Option<(&'static OwnEnvironment, Vec<u16>)> {
    let (env, unwanted, lacking) = passing().get_mut(&chain).filter(|own| own.is_free).map(|own| {
        own.is_free = false;
        let unwanted: Vec<u16> = own.capabilities.extract_if(.., |bit| !wanted.contains(bit)).collect();
        let lacking = wanted.iter().copied().filter(|bit| !own.capabilities.contains(bit)).collect();
        (own.env, unwanted, lacking)
    })?;
    if !unwanted.is_empty() {
        held(env).relinquish(&unwanted);
    }
    Some((environments::adopt(case, index, env), lacking))
}

/// Makes an environment as if it were new, but for its capabilities.
fn reset(env: Env, jni: Jni) {
    let held = held(env);
    let threads = take_touched(env, jni);
    for event in ffi::EVENTS {
        // Of an event that needs a capability which the environment lacks, none is enabled.
        if held.disable(event.number, Ref::NULL) {
            for thread in &threads {
                held.disable(event.number, *thread);
            }
        }
    }
    clear_places(env, jni);
    for thread in threads {
        held.clear_thread_storage(thread);
        jni.delete_local(thread);
    }
    held.clear_storage();
}

/// Clears the breakpoints and watches that are left in an environment.
fn clear_places(env: Env, jni: Jni) {
    let own: Vec<Place> = places().extract_if(.., |place| place.env == env).collect();
    for place in own {
        if !jni.is_same(place.class, Ref::NULL) {
            // SAFETY: the environment has taken these arguments, and the class is still there.
            unsafe { held(env).clear(place.clear, place.args) };
        }
        jni.delete_weak(place.class);
    }
}

/// An environment of a case that has not disposed of it.
fn held(env: Env) -> Held {
    // SAFETY: the JVM gave the environment to a case, and `hand_on` asks for none that is disposed of, and passes on none.
    unsafe { Held::new(env) }
}
