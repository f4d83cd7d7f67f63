//! How good the suite is: JVMs that each break one rule of the specification, and which cases tell.
//!
//! A [`Mutant`] is a real JVM with one rule broken. The mutants follow from the specification's tables, as the rules do.
//! [`Broken`] makes one: a Java home whose launcher has the JVM load a library before anything else, which changes the
//! function table or the callbacks that are set. [`Score`] runs the cases that cite the broken rules on it.

mod bench;
mod broken;
mod capabilities;
mod catalogue;
mod contradiction;
mod events;
mod excused;
mod explored;
mod functions;
mod layout;
mod legal;
mod mutant;
mod mutation;
mod narrow;
mod of_function;
mod outputs;
mod report;
mod rules;
mod score;
mod sift;

pub use bench::{Bench, ScoreError};
pub use broken::{Broken, BrokenError, mark};
pub use catalogue::mutants;
pub use excused::{Excuse, Excused};
pub use explored::{Expedition, Exploration, Explorations, Explorer};
pub use legal::{Blame, Latitude, Legal, Trials, Tried, Variant, groups, variants};
pub use mutant::Mutant;
pub use mutation::Mutation;
pub use narrow::narrow_mutants;
pub use report::Report;
pub use rules::Rules;
pub use score::{Detection, Score, Scoring};
pub use sift::{Sift, Sifted};
