//! What may be done inside callbacks.

use jvmti_wire::trace::{Body, Record};

use super::{Findings, Info, Rule, Severity};
use crate::agent::scene::{Call, Frame, Moment, Scene};

pub(super) static UNSAFE: Info = Info {
    id: "callback/unsafe",
    severity: Severity::Error,
    anchor: "heapCallbacks",
    says: "inside heap callbacks and callbacks of garbage collection only functions that are safe there are called",
};
pub(super) static REFERENCES: Info = Info {
    id: "callback/references",
    severity: Severity::Warning,
    anchor: "refs",
    says: "local references are deleted when no longer needed: there is room for no more than 16 in a callback",
};

pub(super) struct Callbacks;

impl Rule for Callbacks {
    fn see(&mut self, scene: &Scene<'_>, record: &Record, moment: &Moment<'_>, found: &mut Findings) {
        let spec = scene.names.spec();
        match moment {
            Moment::Begun(call) => {
                let Some(outer) = scene.stack(record.thread).last() else { return };
                let within = match outer {
                    // Nothing else calls back on the thread that is in the JVM.
                    Frame::Call(number) => {
                        let Some(outer) = scene.calls.get(number) else { return };
                        let Some(function) = spec.functions.iter().find(|f| f.slot == outer.function) else {
                            return;
                        };
                        if !takes_heap_callback(function) {
                            return;
                        }
                        format!("a callback of {}", function.name)
                    }
                    Frame::Delivery(delivery) => {
                        let event = spec.events.iter().find(|e| Some(e.number) == delivery.event);
                        if !event.is_some_and(|event| event.callback_safe_only) {
                            return;
                        }
                        format!("the callback of {}", delivery.name)
                    }
                };
                let is_safe = spec.functions.iter().any(|f| f.slot == call.function && f.callback_safe);
                if !is_safe {
                    let name = scene.names.function(call.function);
                    found.add(&UNSAFE, (scene, record), (call.site, &name), || format!("{name} in {within}"));
                }
            }
            // JVMs may walk the heap on a thread of their own, which is none that may call.
            Moment::Returned { call, code, .. } if *code != 0 => {
                let Some(walking) = walking(scene).filter(|_| is_unattached(scene, *code)) else { return };
                let name = scene.names.function(call.function);
                found.add(&UNSAFE, (scene, record), (call.site, &name), || {
                    format!("{name} in a callback of {}", scene.names.function(walking.function))
                });
            }
            Moment::Other => {
                if let Body::ReferencesLeft { event, count } = &record.body {
                    let event = scene.names.event(*event);
                    found.add(&REFERENCES, (scene, record), (0, &event), || {
                        format!("the callback of {event} returned with {count} local references that functions gave it")
                    });
                }
            }
            _ => {}
        }
    }
}

/// A call that walks the heap and has not returned.
pub(super) fn walking<'s>(scene: &'s Scene<'_>) -> Option<&'s Call> {
    scene.calls.values().find(|call| {
        let function = scene.names.spec().functions.iter().find(|f| f.slot == call.function);
        function.is_some_and(takes_heap_callback)
    })
}

pub(super) fn is_unattached(scene: &Scene<'_>, code: i32) -> bool {
    scene.names.spec().error_by_number(code).is_some_and(|error| error.name == "UNATTACHED_THREAD")
}

fn takes_heap_callback(function: &jvmti_spec::edition::Function) -> bool {
    function.params.iter().any(|param| {
        let bare = param.c_type.trim_start_matches("const ").trim_end_matches('*').trim();
        bare == "jvmtiHeapCallbacks"
            || (bare.starts_with("jvmti") && bare.ends_with("Callback") && bare.contains("Heap"))
            || matches!(
                bare,
                "jvmtiHeapRootCallback" | "jvmtiStackReferenceCallback" | "jvmtiObjectReferenceCallback"
            )
    })
}
