//! Events that a JVM need not send, and events that may come more often.

use jvmti_spec::Strength;
use jvmti_spec::edition::Event;

use super::Variants;
use crate::mutant::Numbers;
use crate::mutation::Mutation;

/// Events that the text lets a JVM send several times for one thing: a method may have several compiled forms, and
/// GenerateEvents sends events again.
const REPEATED: [&str; 2] = ["CompiledMethodLoad", "DynamicCodeGenerated"];

/// Events of which a JVM sends both or none.
const PAIR: [&str; 2] = ["GarbageCollectionStart", "GarbageCollectionFinish"];

/// Adds those of one event.
pub(super) fn add(of: &mut Variants<'_>, event: &Event) {
    let change = |event: &Event| Mutation::default().event(of.edition.callback(event.number));
    let twice = change(event).twice(1);
    let pair = PAIR.iter().position(|name| *name == event.name);
    let dropped = match pair {
        Some(0) => PAIR.iter().filter_map(|name| of.edition.event(name)).map(|e| change(e).drop(1)).collect(),
        Some(_) => Vec::new(),
        None => vec![change(event).drop(1)],
    };
    let sent = of.assertions.get(&format!("{}#enable", event.name));
    if sent.is_some_and(|sent| sent.strength != Strength::Must) && !dropped.is_empty() {
        of.add("dropped", "is never sent", dropped);
    }
    if event.name == "SingleStep" {
        // The location is the fifth parameter, after the environment.
        let coarse = change(event).over(4, 0).drop(1);
        of.add(
            "coarse",
            "comes at the first location of a method only, the one that the JVM defines",
            vec![coarse],
        );
    }
    if REPEATED.contains(&event.name.as_str()) {
        of.add("twice", "is sent twice", vec![twice]);
    }
}
