//! Finds the JVMs that a command uses, and identifies them.

use std::path::{Path, PathBuf};

use jvmti_cases::configuration::{self, Configuration};
use jvmti_results::{JvmRun, Skipped};
use jvmti_runner::jvm::places::Surroundings;
use jvmti_runner::jvm::{self, Identity, IdentityError, Inquiry, Jdk};
use jvmti_runner::launch::{Scratch, Stop, probe};
use rayon::prelude::*;

use super::cases::CaseArgs;
use super::fault::Fault;
use super::terminal::note;

/// Options that choose the JVMs and how they are started.
#[derive(clap::Args)]
pub struct JvmArgs {
    /// Use this JVM: its home, its bin/java, or a folder that contains several homes. May be repeated
    /// [default: every JVM found on this machine]
    #[arg(long, value_name = "PATH")]
    pub jdk: Vec<PathBuf>,
    /// Start every JVM with this option (`--vm-option -Xint`). May be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub vm_option: Vec<String>,
    /// The library of the probe agent [default: the one inside this program, or next to it]
    #[arg(long, value_name = "FILE")]
    pub probe: Option<PathBuf>,
    /// Start each JVM to identify it, even if its identity is cached
    #[arg(long)]
    pub no_cache: bool,
}

/// The configurations that JVMs are started in, for commands that use those of the cases.
#[derive(clap::Args)]
pub struct SetArgs {
    /// Start every JVM in this configuration: a named set of JVM options from `list --vm-option-sets`, or `all`. May be
    /// repeated; each JVM is then tested once per configuration. A configuration that a JVM rejects is skipped, with
    /// the reason
    #[arg(long, value_name = "NAME")]
    pub vm_option_set: Vec<String>,
}

/// A JVM in one configuration, and what it reports about itself.
#[derive(Clone, Debug)]
pub struct IdentifiedJvm {
    /// Where it is installed.
    pub jdk: Jdk,
    /// What it reports about itself.
    pub identity: Identity,
    /// The name of its configuration, if it has one.
    pub configuration: Option<String>,
    /// All options that it is started with, those of the configuration included.
    pub vm_options: Vec<String>,
}

/// The JVMs that a command uses.
#[derive(Clone, Debug, Default)]
pub struct Jvms {
    /// The JVMs, at least one.
    pub known: Vec<IdentifiedJvm>,
    /// Configurations that do not apply to a JVM.
    pub skipped: Vec<Skipped>,
}

impl JvmArgs {
    /// The chosen JVMs, at least one. Prints a note for each JVM that was found but cannot be used.
    pub fn jdks(&self) -> Result<Vec<Jdk>, Fault> {
        if !self.jdk.is_empty() {
            return jvm::named(&self.jdk).map_err(Fault::input);
        }
        let found = jvm::discover(&Surroundings::current());
        if found.jdks.is_empty() {
            return Err(Fault::wrong(found.nothing_found()));
        }
        for rejected in &found.rejected {
            note(&format!("skipped: {rejected}"));
        }
        Ok(found.jdks)
    }

    /// The path of the probe agent's library.
    pub fn probe(&self) -> Result<PathBuf, Fault> {
        probe::find_or_write(self.probe.as_deref(), crate::PROBE).map_err(|missing| match self.probe {
            Some(_) => Fault::input(missing),
            None => Fault::work(missing),
        })
    }

    /// The chosen JVMs in each chosen configuration, with their identities. A JVM that the user named has to work; one
    /// that was found and does not work is skipped with a note, and so is a configuration that a JVM rejects.
    pub fn jvms(
        &self,
        sets: &SetArgs,
        cases: &CaseArgs,
        probe: &Path,
        jobs: usize,
        stop: &Stop,
    ) -> Result<Jvms, Fault> {
        let sets = match sets.vm_option_set.as_slice() {
            [] => Vec::new(),
            names => configuration::named(cases.load()?.configurations(), names).map_err(Fault::input)?,
        };
        let scratch = Scratch::new().map_err(Fault::work)?;
        let bare = self.bare(probe, &scratch, stop)?;
        if sets.is_empty() {
            return Ok(Jvms { known: bare, skipped: Vec::new() });
        }
        let pairs: Vec<(&IdentifiedJvm, &Configuration)> =
            bare.iter().flat_map(|known| sets.iter().map(move |set| (known, set))).collect();
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().map_err(Fault::work)?;
        let configured = |(known, set): &(&IdentifiedJvm, &Configuration)| {
            self.configured(known, set, probe, &scratch, stop)
        };
        let answers: Vec<_> = threads.install(|| pairs.par_iter().map(configured).collect());
        let mut jvms = Jvms::default();
        for answer in answers {
            match answer? {
                Ok(known) => jvms.known.push(known),
                Err(skipped) => jvms.skipped.push(skipped),
            }
        }
        for skipped in &jvms.skipped {
            let (jvm, configuration) = (skipped.jvm.clone(), Some(skipped.configuration.clone()));
            let name = JvmRun { jvm, configuration, ..JvmRun::default() }.short();
            note(&format!("skipped: {name}: {}", skipped.reason));
        }
        match jvms.known.is_empty() {
            true => Err(Fault::wrong("none of these configurations applies to any of these JVMs")),
            false => Ok(jvms),
        }
    }

    /// The same for the JVM at this path.
    pub fn at(&self, path: &Path) -> JvmArgs {
        JvmArgs {
            jdk: vec![path.to_owned()],
            vm_option: self.vm_option.clone(),
            probe: self.probe.clone(),
            no_cache: self.no_cache,
        }
    }

    /// The JVMs without a configuration. They are started one after the other, because the start-up time is measured.
    pub fn bare(&self, probe: &Path, scratch: &Scratch, stop: &Stop) -> Result<Vec<IdentifiedJvm>, Fault> {
        let vm_options = &self.vm_option;
        let inquiry = Inquiry { probe, scratch, vm_options, remembered: !self.no_cache };
        let mut known = Vec::new();
        let mut last = None;
        for jdk in self.jdks()? {
            match inquiry.of(&jdk, stop) {
                Ok(identity) => {
                    known.push(IdentifiedJvm {
                        jdk,
                        identity,
                        configuration: None,
                        vm_options: vm_options.clone(),
                    });
                }
                Err(IdentityError::Interrupted) => return Err(Fault::work(IdentityError::Interrupted)),
                Err(error) if !self.jdk.is_empty() => return Err(Fault::input(error)),
                Err(error) => {
                    note(&format!("skipped: {error}"));
                    last = Some(error);
                }
            }
        }
        match last {
            Some(error) if known.is_empty() => Err(Fault::work(error)),
            _ => Ok(known),
        }
    }

    /// The JVM in this configuration, or why the configuration does not apply to it.
    fn configured(
        &self,
        bare: &IdentifiedJvm,
        set: &Configuration,
        probe: &Path,
        scratch: &Scratch,
        stop: &Stop,
    ) -> Result<Result<IdentifiedJvm, Skipped>, Fault> {
        let vm_options: Vec<String> = set.options.iter().chain(&self.vm_option).cloned().collect();
        let configuration = Some(set.name.clone());
        let inquiry = Inquiry { probe, scratch, vm_options: &vm_options, remembered: !self.no_cache };
        let asked = match set.inapplicable(bare.identity.release()) {
            Some(reason) => Err(reason),
            None if set.options.is_empty() => Ok(bare.identity.clone()),
            None => match inquiry.of(&bare.jdk, stop) {
                Ok(identity) => Ok(identity),
                Err(error) => Err(error.refusal().ok_or_else(|| Fault::work(error))?),
            },
        };
        Ok(match asked {
            Ok(identity) => Ok(IdentifiedJvm { jdk: bare.jdk.clone(), identity, configuration, vm_options }),
            Err(reason) => {
                let (jvm, configuration) = (bare.identity.jvm.clone(), set.name.clone());
                Err(Skipped { jvm, configuration, vm_options, reason })
            }
        })
    }
}
