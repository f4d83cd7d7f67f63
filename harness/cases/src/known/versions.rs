//! Ranges of versions as lists of known deviations write them: `21.0.2..21.0.8`, `..21.0.4`, `17.0.9`.

use std::fmt;
use std::str::FromStr;

/// First and last version, inclusive, open where `None`. An end stands for all that begin with it: `..21.0` ends after
/// the last 21.0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    first: Option<Vec<u32>>,
    last: Option<Vec<u32>>,
}

impl Versions {
    /// Whether a `java.version` is within.
    pub fn contain(&self, version: &str) -> bool {
        let version = numbers(version);
        let begun = |end: &Vec<u32>| version[..version.len().min(end.len())].cmp(&end[..]);
        self.first.as_ref().is_none_or(|first| begun(first).is_ge())
            && self.last.as_ref().is_none_or(|last| begun(last).is_le())
    }
}

/// The numbers of a version up to its build: `17.0.2`, `1.8.0_504` (which is 8.0.504), `28-ea`.
fn numbers(version: &str) -> Vec<u32> {
    let version = version.strip_prefix("1.").unwrap_or(version);
    let end = version.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '_'));
    let numbers = version[..end.unwrap_or(version.len())].split(['.', '_']);
    numbers.map_while(|number| number.parse().ok()).collect()
}

impl FromStr for Versions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let end = |part: &str| match part.trim() {
            "" => Ok(None),
            part if part.split('.').all(|number| number.parse::<u32>().is_ok()) => Ok(Some(numbers(part))),
            _ => Err(format!(
                "expected versions such as `21.0.2..21.0.8`, `..21.0.4` or `17.0.9`, found `{text}`"
            )),
        };
        match text.split_once("..") {
            Some((first, last)) => Ok(Versions { first: end(first)?, last: end(last)? }),
            None => end(text).map(|only| Versions { first: only.clone(), last: only }),
        }
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |end: &Option<Vec<u32>>| {
            let numbers = end.iter().flatten().map(u32::to_string);
            numbers.collect::<Vec<_>>().join(".")
        };
        match self.first == self.last {
            true if self.first.is_some() => f.write_str(&end(&self.first)),
            _ => write!(f, "{}..{}", end(&self.first), end(&self.last)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_within_what_they_begin_like() {
        let within = |range: &str, version: &str| range.parse::<Versions>().unwrap().contain(version);
        for (range, version, is) in [
            ("..21.0.4", "21.0.4", true),
            ("..21.0.4", "21.0.4.1", true),
            ("..21.0.4", "21.0.10", false),
            ("21.0.4..", "21.0.10", true),
            ("21.0.4..", "21", false),
            ("21.0.2..21.0.8", "21.0.8+9", true),
            ("21.0.2..21.0.8", "22", false),
            ("21", "21.0.3", true),
            ("8.0.300..8.0.500", "1.8.0_402", true),
            ("8.0.300..8.0.500", "1.8.0_504", false),
            ("28..", "28-ea", true),
            ("..", "anything", true),
        ] {
            assert_eq!(within(range, version), is, "{version} in {range}");
        }
        assert!("21-22".parse::<Versions>().is_err());
        for text in ["..21.0.4", "21.0.2..21.0.8", "17.0.9", ".."] {
            assert_eq!(text.parse::<Versions>().unwrap().to_string(), text);
        }
    }
}
