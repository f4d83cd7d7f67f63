//! Memory that the JVM gives: to be deallocated by it, once.

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Findings, Info, Rule, Severity, When};
use crate::agent::scene::{Moment, Scene};

pub(super) static DOUBLE_FREE: Info = Info {
    id: "memory/double-free",
    severity: Severity::Error,
    anchor: "Deallocate",
    says: "memory is deallocated once",
};
pub(super) static FOREIGN: Info = Info {
    id: "memory/other-allocator",
    severity: Severity::Error,
    anchor: "memory",
    says: "only memory that this interface gave is deallocated by it",
};
pub(super) static LEAK: Info = Info {
    id: "memory/leak",
    severity: Severity::Warning,
    anchor: "",
    says: "memory that a function gives is deallocated when it is no longer needed",
};
pub(super) static HELD: Info = Info {
    id: "memory/held",
    severity: Severity::Note,
    anchor: "Allocate",
    says: "memory that was allocated is deallocated before the JVM ends",
};

/// Where memory comes from.
struct Given {
    function: u16,
    site: u32,
    when: When,
    /// The output that it came in, and the call.
    call: String,
}

#[derive(Default)]
pub(super) struct Memory {
    live: FxHashMap<u64, Given>,
    freed: FxHashSet<u64>,
    /// Whether functions were called that the trace knows nothing of, and that may give memory.
    blind: bool,
    /// Deallocations of what the trace has not seen given.
    unknown: Vec<(u32, u64, When)>,
}

impl Rule for Memory {
    fn needs_every_call(&self) -> bool {
        true
    }

    fn see(&mut self, scene: &Scene<'_>, record: &Record, moment: &Moment<'_>, found: &mut Findings) {
        match moment {
            Moment::Returned { call, code: 0, .. } => {
                for (param, block) in &call.blocks {
                    self.freed.remove(block);
                    let output = scene.names.parameter_name(call.function, *param);
                    let given = Given {
                        function: call.function,
                        site: call.site,
                        when: record.into(),
                        call: format!("{output} of {}", scene.names.call(call.function, &call.args)),
                    };
                    self.live.insert(*block, given);
                }
                self.blind |= scene.names.function(call.function) == "GetExtensionFunctions";
            }
            // The memory may be given to another thread before the end of the call is recorded.
            Moment::Begun(call) if scene.names.function(call.function) == "Deallocate" => {
                let Some(Value::Pointer(block)) = call.args.first() else { return };
                if self.live.remove(block).is_some() {
                    self.freed.insert(*block);
                } else if self.freed.contains(block) {
                    found.add(&DOUBLE_FREE, (scene, record), (call.site, "Deallocate"), || {
                        format!("Deallocate({block:#x}), which has been deallocated before")
                    });
                } else {
                    self.unknown.push((call.site, *block, record.into()));
                }
            }
            Moment::Other => {
                if let Body::MemoryTaken { at, .. } = &record.body {
                    self.live.remove(at);
                }
            }
            _ => {}
        }
    }

    fn finish(&mut self, scene: &Scene<'_>, _: When, whole: bool, found: &mut Findings) {
        if !whole {
            return;
        }
        for (site, block, when) in self.unknown.drain(..).filter(|_| !self.blind) {
            found.add(&FOREIGN, (scene, when), (site, "Deallocate"), || {
                format!("Deallocate({block:#x}), which no function gave")
            });
        }
        let mut left: Vec<_> = self.live.drain().collect();
        left.sort_by_key(|(_, given)| given.when.at);
        for (block, given) in left {
            let name = scene.names.function(given.function);
            let info = if name == "Allocate" { &HELD } else { &LEAK };
            found.add(info, (scene, given.when), (given.site, &name), || {
                format!("{block:#x}, {}, was never deallocated", given.call)
            });
        }
    }
}
