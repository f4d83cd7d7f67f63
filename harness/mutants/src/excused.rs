//! Mutants that no case can be asked to detect, each with the reason that the text gives.

use serde::Deserialize;

/// Those known.
const EXCUSED: &str = include_str!("../excused.yaml");

/// A mutant, or several, that the text permits after all.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Excuse {
    /// Ids; `*` at the beginning or the end stands for anything.
    pub mutants: Vec<String>,
    /// Why.
    pub reason: String,
}

/// All excuses.
#[derive(Clone, Debug, Default)]
pub struct Excused(Vec<Excuse>);

impl Excused {
    /// Those that this program was built with.
    pub fn embedded() -> Result<Excused, serde_yaml::Error> {
        serde_yaml::from_str(EXCUSED).map(Excused)
    }

    /// Why this mutant may survive, if it may. What excuses a mutant excuses it where it is narrowed, too.
    pub fn reason(&self, mutant: &str) -> Option<&str> {
        let (base, _) = mutant.split_once('@').unwrap_or((mutant, ""));
        let of = |pattern: &str| if pattern.contains('@') { mutant } else { base };
        let fits = |excuse: &&Excuse| excuse.mutants.iter().any(|pattern| fits(pattern, of(pattern)));
        self.0.iter().find(fits).map(|excuse| excuse.reason.as_str())
    }
}

fn fits(pattern: &str, id: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => id.ends_with(end),
        (_, Some(start)) => id.starts_with(start),
        _ => pattern == id,
    }
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Release;

    use super::*;

    #[test]
    fn every_excuse_is_for_mutants_that_there_are() {
        let of = |release| crate::mutants(release).into_iter().chain(crate::narrow_mutants(release));
        let all: Vec<_> = [Release::REVIEWED[0], Release::NEWEST].into_iter().flat_map(of).collect();
        for Excuse { mutants, .. } in Excused::embedded().unwrap().0 {
            for pattern in mutants {
                assert!(all.iter().any(|mutant| fits(&pattern, &mutant.id)), "{pattern} fits no mutant");
            }
        }
    }
}
