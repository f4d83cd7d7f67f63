//! Cases: what is checked, read from YAML.

pub mod model;
