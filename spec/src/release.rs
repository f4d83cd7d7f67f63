//! Releases of the Java platform, by which the specification's facts vary.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A Java feature release: 8, 11, 25. The JVM TI text is published with each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Release(pub u16);

impl Release {
    /// The releases whose text has been imported and reviewed.
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
    /// The newest reviewed release.
    pub const NEWEST: Release = Release(28);

    /// The release in which a JVM TI version as printed in a "since" column first appeared.
    /// `1.0`, `1.1` and `1.2` predate every release that this suite knows.
    pub fn of_since(since: &str) -> Option<Release> {
        match since.split_once('.') {
            Some(("1", _)) => Some(Release(5)),
            Some((major, _)) => major.parse().ok().map(Release),
            None => since.parse().ok().map(Release),
        }
    }

    /// The reviewed release whose text applies to a JVM of this release: itself or, for a release between two
    /// reviewed ones, the facts' own `since` conditions decide; newer than all: the newest reviewed.
    pub fn clamped(self) -> Release {
        self.clamp(Release(8), Release::NEWEST)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for Release {
    type Err = std::num::ParseIntError;
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        s.parse().map(Release)
    }
}
