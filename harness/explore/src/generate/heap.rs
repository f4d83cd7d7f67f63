//! What heap functions are given, and what is done in their callbacks. Few of them go through the whole heap: that takes as long
//! as some hundred other calls.

use jvmti_wire::plan::{Arg, Callback};

use super::Generator;
use super::themes::{call, called};
use crate::chance::Chance;
use crate::sequence::{Call, EventHandler, Move};

/// What the callbacks of a kind of heap functions return.
struct Returns {
    /// The walk goes on.
    go_on: i64,
    /// It goes on elsewhere.
    leave_out: i64,
    /// It ends.
    end: i64,
}

/// `JVMTI_ITERATION_CONTINUE` and so on, of the functions of JVM TI 1.0.
const ITERATION: Returns = Returns { go_on: 1, leave_out: 2, end: 0 };
/// `JVMTI_VISIT_OBJECTS` and so on.
const VISIT: Returns = Returns { go_on: 0x100, leave_out: 0, end: 0x8000 };

/// Types of callbacks of the functions of JVM TI 1.0.
const OLD: [&str; 4] = [
    "jvmtiHeapObjectCallback",
    "jvmtiHeapRootCallback",
    "jvmtiStackReferenceCallback",
    "jvmtiObjectReferenceCallback",
];
/// The callbacks that FollowReferences calls and IterateThroughHeap does not, and the other way round.
const EITHER: [&str; 2] = ["heap_reference_callback", "heap_iteration_callback"];
/// Those that both call.
const BOTH: [&str; 3] =
    ["primitive_field_callback", "array_primitive_value_callback", "string_primitive_value_callback"];

/// Functions whose callbacks handlers act in: the parameter, or field, of the callback, and its type.
const WALKS: [(&str, &str, &str); 5] = [
    ("FollowReferences", "heap_reference_callback", "jvmtiHeapReferenceCallback"),
    ("IterateThroughHeap", "heap_iteration_callback", "jvmtiHeapIterationCallback"),
    ("IterateOverHeap", "heap_object_callback", "jvmtiHeapObjectCallback"),
    ("IterateOverInstancesOfClass", "heap_object_callback", "jvmtiHeapObjectCallback"),
    ("IterateOverObjectsReachableFromObject", "object_reference_callback", "jvmtiObjectReferenceCallback"),
];

/// A callback of that type.
pub(super) fn callback(c_type: &str, chance: &mut Chance) -> Callback {
    let returns = if OLD.contains(&c_type) { returns(&ITERATION, chance) } else { vec![] };
    recorded(returns)
}

/// A callback of which one call is recorded, and that returns these.
fn recorded(returns: Vec<i64>) -> Callback {
    Callback { record: Some(1), returns, ..Callback::default() }
}

/// The structure with callbacks that a heap function is given; mostly none at all.
pub(super) fn callbacks(chance: &mut Chance) -> Arg {
    let mut fields: Vec<(String, Arg)> = Vec::new();
    let mut add = |name: &str, chance: &mut Chance| {
        fields.push((name.to_owned(), Arg::Callback(recorded(returns(&VISIT, chance)))));
    };
    if !chance.one_in(6) {
        EITHER.iter().for_each(|name| add(name, chance));
    }
    if chance.one_in(4) {
        add(BOTH[chance.below(BOTH.len())], chance);
    }
    Arg::Struct(fields)
}

/// What the callback returns the first, second and third time, and so on: most end the walk soon.
fn returns(of: &Returns, chance: &mut Chance) -> Vec<i64> {
    match chance.below(12) {
        0 => vec![],
        1 => vec![of.leave_out],
        2 | 3 => vec![of.end],
        _ => {
            let before = chance.below(3);
            let first = if chance.one_in(4) { of.leave_out } else { of.go_on };
            std::iter::once(first).chain(std::iter::repeat_n(of.go_on, before)).chain([of.end]).collect()
        }
    }
}

impl Generator<'_> {
    /// A walk through the heap, and calls in its callbacks of what may be called there.
    pub(super) fn walk(&self, chance: &mut Chance) -> Option<(Vec<Move>, EventHandler)> {
        let monitor = || vec![Arg::Output { step: "held".to_owned(), param: 1, path: vec![] }];
        let (name, at, c_type) = *chance.pick(&WALKS);
        let function = self.tables.edition.function(name)?;
        let mut args = Vec::new();
        for param in &function.params {
            args.push(match param.c_type.as_str() {
                "const jvmtiHeapCallbacks*" => {
                    let callback = recorded(vec![VISIT.go_on, VISIT.end]);
                    Arg::Struct(vec![(at.to_owned(), Arg::Callback(callback))])
                }
                c_type if c_type.ends_with("Callback") => {
                    Arg::Callback(recorded(vec![ITERATION.go_on, ITERATION.end]))
                }
                "jclass" if name.ends_with("Class") => Arg::Class("java/lang/String".to_owned()),
                "jobject" if name.ends_with("FromObject") => Arg::Named("instance".to_owned()),
                "jvmtiHeapObjectFilter" => Arg::Int(3),
                "jint" => Arg::Int(0),
                "jclass" | "jobject" => Arg::Null,
                _ => Arg::Storage,
            });
        }
        let walk = called(self.tables, name, args)?;
        let created =
            called(self.tables, "CreateRawMonitor", vec![Arg::Str(b"held".to_vec()), Arg::Storage])?;
        let steps = vec![
            Move::Call(Call { save: Some("held".to_owned()), ..created }),
            Move::Call(Call { save: Some("walk".to_owned()), ..walk }),
        ];
        let mut moves: Vec<Move> = Vec::new();
        for _ in 0..1 + chance.below(3) {
            let one = |name: &str, args: Vec<Arg>| call(self.tables, name, args);
            match chance.below(7) {
                0 => moves.extend(one("Allocate", vec![Arg::Int(16), Arg::Storage])),
                1 => moves.extend(one("Deallocate", vec![Arg::Null])),
                2 => moves.extend(one("SetEnvironmentLocalStorage", vec![Arg::Int(0x7003)])),
                3 => moves.extend(one("GetEnvironmentLocalStorage", vec![Arg::Storage])),
                4 => moves.extend(one("CreateRawMonitor", vec![Arg::Str(b"another".to_vec()), Arg::Storage])),
                _ => {
                    moves.extend(one("RawMonitorEnter", monitor()));
                    let of_owner = ["RawMonitorNotify", "RawMonitorNotifyAll"][chance.below(2)];
                    moves.extend(one(of_owner, monitor()));
                    moves.extend(one("RawMonitorExit", monitor()));
                }
            }
        }
        let callback = Some(("walk".to_owned(), c_type));
        Some((steps, EventHandler { event: 0, callback, only: vec![], times: 2, moves }))
    }
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Release;

    use super::*;
    use crate::generate::Offered;
    use crate::model::Tables;

    #[test]
    fn what_is_done_in_heap_callbacks_is_allowed_there() {
        let tables = Tables::new(Release(25));
        let offered = Offered { all: u128::MAX >> 80, ..Offered::default() };
        let generator = Generator::new(&tables, offered, &[], false, 1);
        for number in 0..100 {
            let (steps, handler) = generator.walk(&mut Chance::new(1, number)).unwrap();
            let named = |step: &Move| match step {
                Move::Call(call) => tables.function(call.function).cloned(),
                _ => None,
            };
            assert!(handler.moves.iter().filter_map(named).all(|function| function.callback_safe));
            let walk = steps.last().and_then(named).unwrap();
            let (_, callback) = handler.callback.clone().unwrap();
            let has = |param: &jvmti_spec::edition::Param| {
                param.c_type == callback || param.c_type == "const jvmtiHeapCallbacks*"
            };
            assert!(walk.params.iter().any(has), "{} has no {callback}", walk.name);
        }
    }

    #[test]
    fn most_walks_end_soon() {
        let mut chance = Chance::new(1, 1);
        let all = (0..200).map(|_| callback("jvmtiHeapObjectCallback", &mut chance));
        assert!(all.filter(|callback| callback.returns.last() == Some(&ITERATION.end)).count() > 140);
    }
}
