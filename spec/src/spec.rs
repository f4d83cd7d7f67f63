//! The specification of all releases, embedded in the program.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::facts::Facts;
use crate::prose::Prose;
use crate::{Edition, Release, cut};

/// The merged facts and prose assertions of all releases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// The facts, each with its span of releases.
    pub facts: Facts,
    /// The assertions about the prose, by area.
    pub prose: Vec<Prose>,
}

impl Spec {
    /// The specification embedded in this program.
    pub fn embedded() -> &'static Spec {
        static EMBEDDED: LazyLock<Spec> = LazyLock::new(|| {
            postcard::from_bytes(include_bytes!(concat!(env!("OUT_DIR"), "/spec.postcard")))
                .expect("the build script wrote it from these very types")
        });
        &EMBEDDED
    }

    /// The specification of that release. A release older than 8 or newer than the newest reviewed one gets the nearest
    /// one; for a release between two reviewed ones, the spans of the facts decide.
    pub fn at(&self, release: Release) -> Edition {
        cut::edition(&self.facts, release.clamped())
    }

    /// The specification of the newest reviewed release.
    pub fn newest(&self) -> Edition {
        self.at(Release::NEWEST)
    }
}
