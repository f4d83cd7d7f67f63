//! Spans of releases, and values that hold only within a span.
//!
//! YAML uses the shortest form: a value that holds in every release is written bare, any other as
//! `{is: value, since: 9, until: 25}`. The embedded form always uses the long form.

use serde::{Deserialize, Deserializer, Serialize};

use crate::Release;

/// A range of releases that includes both ends; `None` means that the end is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseSpan {
    /// First release.
    #[serde(default)]
    pub since: Option<Release>,
    /// Last release.
    #[serde(default)]
    pub until: Option<Release>,
}

impl ReleaseSpan {
    /// Whether the release is within the span.
    pub fn holds(self, release: Release) -> bool {
        self.since.is_none_or(|first| first <= release) && self.until.is_none_or(|last| release <= last)
    }
}

/// A value and the releases in which it holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spanned<T> {
    /// The value.
    pub is: T,
    /// First release.
    pub since: Option<Release>,
    /// Last release.
    pub until: Option<Release>,
}

impl<T> Spanned<T> {
    /// The releases in which it holds.
    pub fn span(&self) -> ReleaseSpan {
        ReleaseSpan { since: self.since, until: self.until }
    }

    /// The value, if it holds in that release.
    pub fn at(&self, release: Release) -> Option<&T> {
        self.span().holds(release).then_some(&self.is)
    }
}

/// A value that differs between releases or is absent from some. In each release at most one of its spans holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Varying<T>(pub Vec<Spanned<T>>);

impl<T> Varying<T> {
    /// The value in that release.
    pub fn at(&self, release: Release) -> Option<&T> {
        self.0.iter().find_map(|value| value.at(release))
    }
}

impl<T> Default for Varying<T> {
    fn default() -> Self {
        Varying(Vec::new())
    }
}

/// A property that holds in some releases: `true`, or a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Flag(pub Option<ReleaseSpan>);

impl Flag {
    /// Whether it holds in that release.
    pub fn at(self, release: Release) -> bool {
        self.0.is_some_and(|span| span.holds(release))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Full<T> {
    is: T,
    #[serde(default)]
    since: Option<Release>,
    #[serde(default)]
    until: Option<Release>,
}

impl<T> From<Full<T>> for Spanned<T> {
    fn from(full: Full<T>) -> Self {
        Spanned { is: full.is, since: full.since, until: full.until }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written<T> {
            Full(Full<T>),
            Always(T),
        }
        if !from.is_human_readable() {
            return Full::deserialize(from).map(Spanned::from);
        }
        Ok(match Written::deserialize(from)? {
            Written::Full(full) => full.into(),
            Written::Always(is) => Spanned { is, since: None, until: None },
        })
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Varying<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, bound = "T: Deserialize<'de>")]
        enum Written<T> {
            Varies(Vec<Spanned<T>>),
            One(Spanned<T>),
        }
        if !from.is_human_readable() {
            return Vec::deserialize(from).map(Varying);
        }
        Ok(match Written::deserialize(from)? {
            Written::Varies(values) => Varying(values),
            Written::One(value) => Varying(vec![value]),
        })
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Always(bool),
            Within(ReleaseSpan),
        }
        if !from.is_human_readable() {
            return Option::deserialize(from).map(Flag);
        }
        Ok(match Written::deserialize(from)? {
            Written::Always(is_so) => Flag(is_so.then(ReleaseSpan::default)),
            Written::Within(span) => Flag(Some(span)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_span_are_included() {
        let span = ReleaseSpan { since: Some(Release(9)), until: Some(Release(25)) };
        let held: Vec<u16> = [8, 9, 25, 26].into_iter().filter(|r| span.holds(Release(*r))).collect();
        assert_eq!(held, [9, 25]);
        assert!(ReleaseSpan::default().holds(Release(8)));
    }

    #[test]
    fn a_varying_value_may_be_absent_from_a_release() {
        let value: Varying<String> =
            serde_json::from_str(r#"[{"is": "a", "until": 12}, {"is": "b", "since": 21}]"#).expect("reads");
        let at = |r| value.at(Release(r)).map(String::as_str);
        assert_eq!([at(8), at(12), at(17), at(21)], [Some("a"), Some("a"), None, Some("b")]);
        let always: Varying<String> = serde_json::from_str(r#""x""#).expect("reads");
        assert_eq!(always.at(Release(8)).map(String::as_str), Some("x"));
    }

    #[test]
    fn the_embedded_form_says_the_same() {
        let flag: Flag = serde_json::from_str(r#"{"since": 21}"#).expect("reads");
        let items: Vec<Spanned<String>> =
            serde_json::from_str(r#"["a", {"is": "b", "since": 9}]"#).expect("reads");
        let bytes = postcard::to_allocvec(&(flag, &items)).expect("writes");
        let (flag_again, items_again): (Flag, Vec<Spanned<String>>) =
            postcard::from_bytes(&bytes).expect("reads back");
        assert_eq!((flag, items), (flag_again, items_again));
    }
}
