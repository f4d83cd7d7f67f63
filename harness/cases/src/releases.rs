//! Ranges of releases as case files write them: `21..`, `8..20`, `..17`, `25`.

use std::fmt;
use std::str::FromStr;

use jvmti_spec::Release;
use serde::{Deserialize, Deserializer, de};

/// First and last release, inclusive, open where `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Releases {
    /// First release.
    pub first: Option<Release>,
    /// Last release.
    pub last: Option<Release>,
}

impl Releases {
    /// Whether the release is within.
    pub fn contains(self, release: Release) -> bool {
        self.first.is_none_or(|first| first <= release) && self.last.is_none_or(|last| release <= last)
    }

    /// What is in both.
    pub fn and(self, other: Releases) -> Releases {
        let last = match (self.last, other.last) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Releases { first: self.first.max(other.first), last }
    }

    /// Whether no release is within.
    pub fn is_empty(self) -> bool {
        matches!((self.first, self.last), (Some(first), Some(last)) if first > last)
    }
}

impl fmt::Display for Releases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |release: Option<Release>| release.map(|r| r.to_string()).unwrap_or_default();
        match (self.first, self.last) {
            (Some(first), Some(last)) if first == last => write!(f, "{first}"),
            (first, last) => write!(f, "{}..{}", end(first), end(last)),
        }
    }
}

impl FromStr for Releases {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let release = |part: &str| match part.trim() {
            "" => Ok(None),
            number => number.parse().map(Some).map_err(|_| {
                format!("expected releases such as `21..`, `8..20`, `..17` or `25`, found `{text}`")
            }),
        };
        match text.split_once("..") {
            Some((first, last)) => Ok(Releases { first: release(first)?, last: release(last)? }),
            None => release(text).map(|only| Releases { first: only, last: only }),
        }
    }
}

impl<'de> Deserialize<'de> for Releases {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u16),
            Text(String),
        }
        match Written::deserialize(from)? {
            Written::Number(number) => {
                Ok(Releases { first: Some(Release(number)), last: Some(Release(number)) })
            }
            Written::Text(text) => text.parse().map_err(de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_read_as_they_print() {
        for text in ["21..", "8..20", "..17", "25", ".."] {
            assert_eq!(text.parse::<Releases>().expect("reads").to_string(), text);
        }
        assert!("8-20".parse::<Releases>().is_err());
    }

    #[test]
    fn intersections() {
        let range = |text: &str| text.parse::<Releases>().expect("reads");
        assert_eq!(range("8..20").and(range("17..")), range("17..20"));
        assert_eq!(range("..").and(range("..17")), range("..17"));
        assert!(range("8..11").and(range("17..")).is_empty());
    }
}
