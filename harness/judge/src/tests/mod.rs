//! Judging synthetic traces.

pub(super) mod bench;
mod endings;
mod events;
mod life;
mod random;
mod steps;
mod untaken;
