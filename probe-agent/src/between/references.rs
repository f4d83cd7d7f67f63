//! Local references that JVM TI functions give to agents in callbacks, and that are still there when the callback
//! returns.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use jvmti_wire::trace::Body;

use crate::jni::{Jni, LOCAL_REFERENCE, Ref};
use crate::marshal::Passed;
use crate::recorder::record;
use crate::stage;

/// How many a thread may have without asking for more.
const ROOM: usize = 16;
/// How many are looked at in one callback.
const MOST: usize = 4096;

thread_local! {
    /// How many callbacks this thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// References given in them, outermost first, with the place that asked.
    static GIVEN: RefCell<Vec<(u64, u32)>> = const { RefCell::new(Vec::new()) };
}

/// A callback that this thread is in.
pub struct Callback {
    /// Number of references that outer ones were given.
    start: usize,
}

/// A callback begins.
pub fn enter() -> Callback {
    let _ = DEPTH.try_with(|depth| depth.set(depth.get() + 1));
    Callback { start: GIVEN.try_with(|given| given.borrow().len()).unwrap_or(0) }
}

/// A call has succeeded.
pub fn given(passed: &Passed<'_>, site: u32) {
    if DEPTH.try_with(Cell::get).unwrap_or(0) == 0 {
        return;
    }
    let _ = GIVEN.try_with(|given| {
        let mut given = given.borrow_mut();
        passed.references(&mut |reference| {
            if given.len() < MOST {
                given.push((reference, site));
            }
        });
    });
}

/// Whether the VM may be asked about a reference that has been deleted. With `-Xcheck:jni` that would end the process.
fn may_be_asked(jni: Jni) -> bool {
    static MAY: OnceLock<bool> = OnceLock::new();
    let checks = |argument: &String| argument.contains("-Xcheck:jni") || argument.contains("+CheckJNICalls");
    *MAY.get_or_init(|| {
        let arguments = jni.vm_arguments().or_else(of_launcher);
        arguments.is_some_and(|arguments| !arguments.iter().any(checks))
    })
}

/// The arguments of the `java` that this is, for VMs that cannot be asked: those of JDK 8, where arguments come from
/// nowhere else.
fn of_launcher() -> Option<Vec<String>> {
    let arguments: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let is_launcher = Path::new(arguments.first()?).file_name().is_some_and(|name| name == "java");
    let variables = ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"].into_iter().filter_map(std::env::var_os);
    let variables = variables.map(|options| options.to_string_lossy().into_owned());
    is_launcher.then(|| arguments.into_iter().chain(variables).collect())
}

impl Callback {
    /// It returns: tells if too many references are left.
    pub fn leave(self, event: u16) {
        let _ = DEPTH.try_with(|depth| depth.set(depth.get().saturating_sub(1)));
        let given = GIVEN.try_with(|given| given.borrow_mut().split_off(self.start)).unwrap_or_default();
        if given.len() <= ROOM || !stage::objects_allowed() {
            return;
        }
        let Some(jni) = Jni::current().filter(|jni| !jni.exception_pending()) else { return };
        if !may_be_asked(jni) {
            return;
        }
        // One that was deleted may have been given again, by another function.
        let given: BTreeMap<u64, u32> = given.into_iter().collect();
        let left = given
            .iter()
            .filter(|(reference, _)| jni.reference_type(Ref::from_word(**reference)) == LOCAL_REFERENCE);
        let mut by_site: BTreeMap<u32, u32> = BTreeMap::new();
        left.for_each(|(_, site)| *by_site.entry(*site).or_default() += 1);
        let count: u32 = by_site.values().sum();
        if let Some((site, _)) =
            by_site.iter().max_by_key(|(_, count)| **count).filter(|_| count > ROOM as u32)
        {
            record(&Body::ReferencesLeft { event, count, site: *site });
        }
    }
}
