//! Finds what users name in the newest specification: functions, events and capabilities.

use jvmti_spec::Spec;
use thiserror::Error;

/// A name that the specification does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no {kind} {name}")]
pub struct UnknownName {
    /// What was looked for: a function, an event, a capability.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// All names that there are.
    pub known: Vec<String>,
}

/// The slots of these functions in the function table.
pub fn functions(names: &[String]) -> Result<Vec<u16>, UnknownName> {
    find("function", names, Spec::embedded().newest().functions.into_iter().map(|f| (f.name, f.slot)))
}

/// The numbers of these events.
pub fn events(names: &[String]) -> Result<Vec<u16>, UnknownName> {
    find("event", names, Spec::embedded().newest().events.into_iter().map(|e| (e.name, e.number)))
}

/// These capabilities with their bit numbers, each once.
pub fn capabilities(names: &[String]) -> Result<Vec<(u16, String)>, UnknownName> {
    let known = Spec::embedded().newest().capabilities.into_iter().map(|c| (c.name, c.bit));
    let mut found: Vec<(u16, String)> = Vec::new();
    for (bit, name) in find("capability", names, known)?.into_iter().zip(names) {
        if found.iter().all(|(other, _)| *other != bit) {
            found.push((bit, name.clone()));
        }
    }
    Ok(found)
}

fn find(
    kind: &'static str,
    names: &[String],
    known: impl Iterator<Item = (String, u16)>,
) -> Result<Vec<u16>, UnknownName> {
    let known: Vec<(String, u16)> = known.collect();
    let number = |name: &String| known.iter().find(|(known, _)| known == name).map(|(_, number)| *number);
    names
        .iter()
        .map(|name| {
            number(name).ok_or_else(|| {
                let known = known.iter().map(|(name, _)| name.clone()).collect();
                UnknownName { kind, name: name.clone(), known }
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_numbers_and_unknown_ones_are_reported() {
        let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let tag = "can_tag_objects";
        assert_eq!(capabilities(&named(&[tag, tag])).unwrap(), [(0, tag.to_owned())]);
        assert_eq!(events(&named(&["VMInit"])).unwrap(), [50]);
        let error = functions(&named(&["GetPhase", "GetFase"])).unwrap_err();
        assert_eq!(error.to_string(), "there is no function GetFase");
        assert!(error.known.contains(&"GetPhase".to_owned()));
    }
}
