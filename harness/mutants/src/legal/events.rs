//! Events that a JVM need not send, and events that may come more often.

use jvmti_spec::Strength;
use jvmti_spec::edition::Event;

use super::Variants;
use crate::mutant::Numbers;
use crate::mutation::Mutation;

/// Events that the text lets a JVM send several times for one thing: a method may have several compiled forms, and
/// GenerateEvents sends events again.
const REPEATED: [&str; 2] = ["CompiledMethodLoad", "DynamicCodeGenerated"];

/// Adds those of one event.
pub(super) fn add(of: &mut Variants<'_>, event: &Event) {
    let change = || Mutation::default().event(of.edition.callback(event.number));
    let (dropped, twice) = (change().drop(1), change().twice(1));
    let sent = of.assertions.get(&format!("{}#enable", event.name));
    if sent.is_some_and(|sent| sent.strength != Strength::Must) {
        of.add("dropped", "is never sent", vec![dropped]);
    }
    if REPEATED.contains(&event.name.as_str()) {
        of.add("twice", "is sent twice", vec![twice]);
    }
}
