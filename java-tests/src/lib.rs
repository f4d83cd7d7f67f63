//! The Java programs that bring threads, classes, monitors and objects into named states, compiled and packed.
//!
//! `jvmticheck.Main` takes the simple names of scenarios and runs them one after the other; `jvmticheck.Probe` is the
//! way in which they talk to the agent. They assert nothing.

/// The jar with `jvmticheck.Main`, `jvmticheck.Probe` and all scenarios, as classes that JDK 8 can run.
pub static JAR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java-tests.jar"));

/// The main class to launch.
pub const MAIN_CLASS: &str = "jvmticheck.Main";

/// Simple names of the scenario classes.
pub static SCENARIOS: &[&str] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

#[cfg(test)]
mod tests {
    #[test]
    fn the_jar_is_a_zip_that_holds_the_main_class() {
        assert!(super::JAR.starts_with(b"PK"));
        let name = b"jvmticheck/Main.class";
        assert!(super::JAR.windows(name.len()).any(|w| w == name));
    }
}
