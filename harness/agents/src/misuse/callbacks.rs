//! What may be done inside callbacks.

use jvmti_wire::trace::{Body, Record};

use super::{Findings, Info, Rule, Severity};
use crate::scene::{Call, Frame, Moment, Scene};

pub(super) static UNSAFE: Info = Info {
    id: "callback/unsafe",
    severity: Severity::Error,
    anchor: "heapCallbacks",
    says: "call only callback-safe functions in heap callbacks and in callbacks of garbage collection events",
};
pub(super) static JNI: Info = Info {
    id: "callback/jni",
    severity: Severity::Error,
    anchor: "heapCallbacks",
    says: "do not use JNI during a heap walk, nor in callbacks of garbage collection events",
};

pub(super) struct Callbacks;

impl Rule for Callbacks {
    fn see(&mut self, scene: &Scene<'_>, record: &Record, moment: &Moment<'_>, found: &mut Findings) {
        match moment {
            Moment::Begun(call) => {
                let Some(within) = within(scene, record.thread) else { return };
                let is_safe = scene.names.facts(call.function).is_some_and(|function| function.callback_safe);
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
                if let Body::JniUsed { function, site } = &record.body {
                    let outer = walking(scene).map(|call| scene.names.function(call.function));
                    let within = within(scene, record.thread)
                        .or_else(|| outer.map(|outer| format!("a callback of {outer}")));
                    let name = jvmti_traces::jni::name(*function);
                    found.add(&JNI, (scene, record), (*site, &name), || {
                        let within = within.unwrap_or_else(|| "a callback that forbids it".to_owned());
                        format!("JNI function {name} in {within}")
                    });
                }
            }
            _ => {}
        }
    }
}

/// What the thread is in, if nothing but callback-safe functions may be called there.
fn within(scene: &Scene<'_>, thread: u32) -> Option<String> {
    let spec = scene.names.spec();
    match scene.stack(thread).last()? {
        // Nothing else calls back on the thread that is in the JVM.
        Frame::Call(number) => {
            let outer = scene.calls.get(number)?;
            let function = scene.names.facts(outer.function)?;
            takes_heap_callback(function).then(|| format!("a callback of {}", function.name))
        }
        Frame::Delivery(delivery) => {
            let event = spec.events.iter().find(|e| Some(e.number) == delivery.event)?;
            event.callback_safe_only.then(|| format!("the callback of {}", delivery.name))
        }
    }
}

/// A call that walks the heap and has not returned.
pub(super) fn walking<'s>(scene: &'s Scene<'_>) -> Option<&'s Call> {
    scene.calls.values().find(|call| {
        let function = scene.names.facts(call.function);
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
