//! Which events an expectation is about.

use serde::{Deserialize, Serialize};

use super::Matcher;

/// All events of some sort, in the order in which they came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exactly {
    /// The sort: events that match any of these.
    pub of: Vec<EventPattern>,
    /// Those that came, one by one.
    pub are: Vec<EventPattern>,
}

/// How many events of some sort came in an interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountBetween {
    /// The first match of this begins the interval.
    pub from: EventPattern,
    /// The next match of this ends it.
    pub to: EventPattern,
    /// The events that are counted.
    pub of: EventPattern,
    /// How many they must be.
    pub is: Matcher,
}

/// Which event records are meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventPattern {
    /// Event number; `None`: any.
    pub event: Option<u16>,
    /// Its name, `any` for any, for messages.
    pub name: String,
    /// Index of the environment; `None`: any of the case's.
    pub environment: Option<u8>,
    /// Conditions on parameters, by index and name.
    pub params: Vec<(u16, String, Matcher)>,
    /// Only after the first event that matches this.
    pub after: Option<Box<EventPattern>>,
}
