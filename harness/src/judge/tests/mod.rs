//! Judging synthetic traces.

pub(super) mod bench;
mod endings;
mod events;
mod random;
mod speed;
mod steps;
