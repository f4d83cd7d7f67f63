//! What is not to be relied on: outputs of calls that failed, and memory that has been deallocated. Recordings that
//! poison fill both with values whose use is the proof; others have none of them.

use jvmti_wire::Value;
use jvmti_wire::trace::{Body, Record};
use rustc_hash::FxHashMap;

use super::{Findings, Info, Rule, Severity};
use crate::scene::{Call, Moment, Scene};

pub(super) static OUTPUT: Info = Info {
    id: "output/after-error",
    severity: Severity::Error,
    anchor: "functionReturn",
    says: "do not use the outputs of a failed call: they are undefined (checked in recordings with --poison)",
};
pub(super) static MEMORY: Info = Info {
    id: "memory/after-deallocate",
    severity: Severity::Error,
    anchor: "Deallocate",
    says: "do not read or write memory after deallocating it (checked in recordings with --poison)",
};

/// Where a value comes from.
struct Origin {
    info: &'static Info,
    what: String,
}

#[derive(Default)]
pub(super) struct Poison {
    marks: FxHashMap<u64, Origin>,
    /// Calls of Deallocate that were recorded with marks: where, and what.
    deallocated: FxHashMap<u32, (u32, String)>,
}

impl Rule for Poison {
    fn see(&mut self, scene: &Scene<'_>, record: &Record, moment: &Moment<'_>, found: &mut Findings) {
        match moment {
            Moment::Begun(call) if !self.marks.is_empty() => {
                for (index, value) in call.args.iter().enumerate() {
                    if let Some(origin) = bits(value).and_then(|bits| self.marks.get(&bits)) {
                        let name = scene.names.function(call.function);
                        found.add(origin.info, (scene, record), (call.site, &name), || {
                            let param = scene.names.output_of(call.function, index as u16);
                            format!("{param} is {}", origin.what)
                        });
                    }
                }
            }
            Moment::Returned { call, code, outputs, .. } if !outputs.is_empty() => {
                self.returned(scene, call, *code, outputs);
            }
            Moment::Other => {
                if let Body::WrittenAfterDeallocate { call, at, offset } = &record.body
                    && let Some((site, what)) = self.deallocated.get(call)
                {
                    found.add(&MEMORY, (scene, record), (*site, "Deallocate"), || {
                        format!("{at:#x} was written to at offset {offset} after {what}")
                    });
                }
            }
            _ => {}
        }
    }
}

impl Poison {
    fn returned(&mut self, scene: &Scene<'_>, call: &Call, code: i32, outputs: &[(u16, Value)]) {
        let shown =
            || format!("{} at {}", scene.names.call(call.function, &call.args), scene.site_text(call.site));
        if code != 0 {
            let shown = format!("{}, which returned {}", shown(), scene.names.error(code));
            for (param, value) in outputs {
                let Some(bits) = bits(value) else { continue };
                let output = scene.names.parameter_name(call.function, *param);
                self.marks.insert(
                    bits,
                    Origin { info: &OUTPUT, what: format!("the content of {output} after {shown}") },
                );
            }
        } else if let ("Deallocate", [(0, Value::Pointer(mark))]) =
            (scene.names.function(call.function).as_ref(), outputs)
        {
            let what = format!("the content of memory after {}", shown());
            self.marks.insert(*mark, Origin { info: &MEMORY, what });
            self.deallocated.insert(call.number, (call.site, shown()));
        }
    }
}

fn bits(value: &Value) -> Option<u64> {
    match value {
        Value::Pointer(bits) | Value::Method(bits) | Value::Field(bits) => Some(*bits),
        // Marks are negative, as few numbers are that mean something.
        Value::Int(int) if *int < 0 => Some(int.cast_unsigned()),
        _ => None,
    }
}
