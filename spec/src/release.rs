//! Releases of the Java platform, each of which publishes its own version of the specification.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A Java feature release: 8, 11, 25. Each publishes a JVM TI specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Release(pub u16);

impl Release {
    /// The releases whose specification has been imported and reviewed.
    pub const REVIEWED: [Release; 8] = [
        Release(8),
        Release(11),
        Release(17),
        Release(21),
        Release(25),
        Release(26),
        Release(27),
        Release(28),
    ];
    /// The oldest reviewed release.
    pub const OLDEST: Release = Release(8);
    /// The newest reviewed release.
    pub const NEWEST: Release = Release(28);

    /// The release in which a JVM TI version as printed in a "since" column first appeared.
    /// The versions `1.0`, `1.1` and `1.2` are older than every release that this project covers.
    pub fn of_since(since: &str) -> Option<Release> {
        match since.split_once('.') {
            Some(("1", _)) => Some(Release(5)),
            Some((major, _)) => major.parse().ok().map(Release),
            None => since.parse().ok().map(Release),
        }
    }

    /// The release whose facts apply to a JVM of this release: the release itself, limited to the range from 8 to the
    /// newest reviewed one. Between reviewed releases, the `since` and `until` of the facts decide.
    pub fn clamped(self) -> Release {
        self.clamp(Release::OLDEST, Release::NEWEST)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for Release {
    type Err = &'static str;
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        s.parse().map(Release).map_err(|_| "a release is a number, such as 8 or 25")
    }
}
