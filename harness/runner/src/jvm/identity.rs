//! Asks a JVM what it is and which capabilities it offers, in two short launches with the probe. A cache keeps the answers
//! between runs.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jvmti_results::Jvm;
use jvmti_spec::Release;
use jvmti_wire::trace::TraceError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::cache::Cache;
use super::census::{self, Census};
use super::home::Jdk;
use crate::launch::{Ended, Launch, LaunchError, Loading, Recording, Scratch, Status, Stop, Timeouts, run};
use crate::plan::Offer;

/// What a JVM reports about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// Names and versions.
    pub jvm: Jvm,
    /// Capabilities that it offers to agents.
    pub offer: Offer,
    /// Time from start to end of a JVM with an empty `main` and no agent, in milliseconds.
    pub bare_start_ms: u64,
}

impl Identity {
    /// The release whose specification applies to the JVM.
    pub fn release(&self) -> Release {
        Release(self.jvm.release)
    }
}

/// Asks JVMs for their identities.
#[derive(Debug)]
pub struct Inquiry<'a> {
    /// The probe agent's library.
    pub probe: &'a Path,
    /// The folder for temporary files and for the classes of the scenarios.
    pub scratch: &'a Scratch,
    /// The user's options for the JVM. The capabilities that it offers may depend on them.
    pub vm_options: &'a [String],
    /// Whether an answer in the cache is good enough.
    pub remembered: bool,
}

/// Why a JVM could not be identified.
#[derive(Debug, Error)]
pub enum IdentityError {
    /// The JVM could not be launched.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The JVM does not run, even without the probe.
    #[error("{java} does not run: {how}{output}")]
    Broken {
        /// The launcher.
        java: String,
        /// How it ended.
        how: String,
        /// Its output, on separate lines.
        output: String,
    },
    /// The JVM runs, but not with the probe.
    #[error("{java} refuses the probe agent: {how}{output}")]
    Refused {
        /// The launcher.
        java: String,
        /// How it ended.
        how: String,
        /// What it wrote, on lines of its own.
        output: String,
    },
    /// The trace of the launch is unusable.
    #[error("{java}: {error}")]
    Trace {
        /// The launcher.
        java: String,
        /// Why.
        error: TraceError,
    },
    /// The trace lacks information.
    #[error("{java} does not tell its {what}, or tells it in an unknown form")]
    Silent {
        /// The launcher.
        java: String,
        /// What is missing.
        what: &'static str,
    },
    /// A file of the scratch folder could not be read.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The user interrupted the run.
    #[error("interrupted")]
    Interrupted,
}

impl IdentityError {
    /// The lines with which the JVM rejects its options, if that is why it cannot be used.
    pub fn refusal(&self) -> Option<String> {
        /// The launcher writes this whatever the reason is.
        const EMPTY_WORDS: [&str; 3] =
            ["Error: Could not create", "Error: A fatal exception", "Error occurred during initialization"];
        let (Self::Broken { how, output, .. } | Self::Refused { how, output, .. }) = self else {
            return None;
        };
        let lines = output.lines().map(|line| line.trim_start().trim_start_matches("| ").trim());
        let said = |line: &&str| !line.is_empty() && !EMPTY_WORDS.iter().any(|empty| line.starts_with(empty));
        let said: Vec<&str> = lines.filter(said).take(REFUSAL_LINES).collect();
        Some(if said.is_empty() { how.clone() } else { format!("{} ({how})", said.join("; ")) })
    }
}

/// The lines of the output that say why a JVM rejects its options.
const REFUSAL_LINES: usize = 2;
/// To identify a JVM takes seconds at most, even a slow one on a slow machine.
const TIMEOUTS: Timeouts = Timeouts { idle: Duration::from_secs(30), total: Duration::from_secs(60) };
/// The start-up time is the shortest of this many bare starts.
const BARE_STARTS: usize = 3;
const CAPACITY: u64 = 8 << 20;

impl Inquiry<'_> {
    /// The identity of the JVM in this home.
    pub fn of(&self, jdk: &Jdk, stop: &Stop) -> Result<Identity, IdentityError> {
        let cache = Cache::of(jdk, self.probe, self.vm_options);
        if self.remembered
            && let Some(identity) = cache.as_ref().and_then(Cache::read)
        {
            return Ok(identity);
        }
        let identity = self.ask(jdk, stop)?;
        // Without a cache, the next run asks the JVM again.
        let _ = cache.map(|cache| cache.write(&identity));
        Ok(identity)
    }

    fn ask(&self, jdk: &Jdk, stop: &Stop) -> Result<Identity, IdentityError> {
        let bare_start_ms = self.bare_start(jdk, stop)?;
        let first = self.census(jdk, census::potential(), "potential", stop)?;
        let held = census::holding(&first.on_load);
        let second = self.census(jdk, held, "exclusive", stop)?;
        let gone = |all: &Census, now: &Census| {
            let on_load = all.on_load.difference(&now.on_load).cloned();
            on_load.chain(all.live.difference(&now.live).cloned()).collect()
        };
        let exclusive = gone(&first, &second);
        let jvm = jvm(jdk, &first)?;
        Ok(Identity {
            jvm,
            offer: Offer {
                on_load: first.on_load,
                live: first.live,
                exclusive,
                other_locations: first.other_locations,
            },
            bare_start_ms,
        })
    }

    fn bare_start(&self, jdk: &Jdk, stop: &Stop) -> Result<u64, IdentityError> {
        let mut launch = self.launch(jdk);
        // Nothing is recorded: only its time in all can tell that it hangs.
        launch.timeouts.total = TIMEOUTS.idle;
        let mut least = Duration::MAX;
        for _ in 0..BARE_STARTS {
            let begun = Instant::now();
            let ended = run(&launch, stop)?;
            least = least.min(begun.elapsed());
            check(&ended, |how, output| IdentityError::Broken { java: name(jdk), how, output })?;
        }
        Ok(least.as_millis() as u64)
    }

    fn census(
        &self,
        jdk: &Jdk,
        plan: jvmti_wire::Plan,
        file: &str,
        stop: &Stop,
    ) -> Result<Census, IdentityError> {
        // If anything fails before the file is removed, it is removed with the scratch folder.
        let trace = tempfile::Builder::new().prefix(file).tempdir_in(self.scratch.path());
        let folder =
            trace.map_err(|error| IdentityError::File { path: self.scratch.path().to_owned(), error })?;
        let path = folder.path().join("trace");
        let mut launch = self.launch(jdk);
        launch.recording = Some(Recording {
            probe: self.probe.to_owned(),
            trace: path.clone(),
            plan,
            capacity: CAPACITY,
            loading: Loading::Added,
        });
        let ended = run(&launch, stop)?;
        check(&ended, |how, output| IdentityError::Refused { java: name(jdk), how, output })?;
        let bytes = std::fs::read(&path).map_err(|error| IdentityError::File { path, error })?;
        Census::read(&bytes).map_err(|error| IdentityError::Trace { java: name(jdk), error })
    }

    fn launch(&self, jdk: &Jdk) -> Launch {
        let mut launch = Launch::new(&jdk.java, self.scratch.path());
        launch.vm_options = self.vm_options.to_vec();
        launch.class_path = vec![self.scratch.jar().to_owned()];
        launch.main_class = jvmti_java_tests::MAIN_CLASS.to_owned();
        launch.timeouts = TIMEOUTS;
        launch
    }
}

fn name(jdk: &Jdk) -> String {
    jdk.java.display().to_string()
}

fn check(ended: &Ended, error: impl FnOnce(String, String) -> IdentityError) -> Result<(), IdentityError> {
    let how = match ended.status {
        Status::Exited(0) => return Ok(()),
        Status::Cancelled => return Err(IdentityError::Interrupted),
        other => other.to_string(),
    };
    const LINES: usize = 12;
    let written = format!("{}{}", ended.stderr.text(), ended.stdout.text());
    let output: String = written.lines().take(LINES).map(|line| format!("\n  | {line}")).collect();
    Err(error(how, output))
}

fn jvm(jdk: &Jdk, census: &Census) -> Result<Jvm, IdentityError> {
    let said = |key: &str| census.properties.get(key).cloned().unwrap_or_default();
    let silent = |what| IdentityError::Silent { java: name(jdk), what };
    let version = said("java.version");
    let specification = said("java.specification.version");
    let release = release_of(if specification.is_empty() { &version } else { &specification });
    Ok(Jvm {
        home: jdk.home.display().to_string(),
        release: release.ok_or_else(|| silent("java.version"))?,
        version,
        vendor: said("java.vm.vendor"),
        vm_name: said("java.vm.name"),
        vm_version: said("java.vm.version"),
        vm_info: said("java.vm.info"),
        jvmti_version: said("jvmti.version"),
        arch: said("os.arch"),
    })
}

/// Feature release of a version: `1.8.0_504` and `1.8` → 8, `17.0.2` → 17, `28-ea` → 28.
fn release_of(version: &str) -> Option<u16> {
    let feature = version.strip_prefix("1.").unwrap_or(version);
    feature.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_all_ages_are_read() {
        for (version, release) in [
            ("1.8.0_504", 8),
            ("1.8", 8),
            ("9", 9),
            ("11.0.33-ea", 11),
            ("17.0.2", 17),
            ("28-ea", 28),
            ("28", 28),
        ] {
            assert_eq!(release_of(version), Some(release), "{version}");
        }
        assert_eq!(release_of(""), None);
        assert_eq!(release_of("next"), None);
    }
}
