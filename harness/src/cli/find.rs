//! The JVMs that a command is about, and what they are.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use jvmti_cases::configuration::{self, Configuration};
use jvmti_results::{JvmRun, Skipped};
use jvmti_runner::jvm::places::Surroundings;
use jvmti_runner::jvm::{self, Identity, IdentityError, Inquiry, Jdk};
use jvmti_runner::launch::{Scratch, Stop, probe};

use super::cases::CaseArgs;
use super::fault::Fault;
use super::terminal::note;

/// Options by which JVMs are chosen and asked.
#[derive(clap::Args)]
pub struct JvmArgs {
    /// A JVM to use: its home, its bin/java, or a folder of several homes. May be repeated.
    /// Without it: every JVM found on this machine
    #[arg(long, value_name = "PATH")]
    pub jdk: Vec<PathBuf>,
    /// An option for every JVM (`--vm-option -Xint`). May be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub vm_option: Vec<String>,
    /// The probe agent's library, where it is not beside this program
    #[arg(long, value_name = "FILE")]
    pub probe: Option<PathBuf>,
    /// Ask each JVM anew what it is, instead of remembering
    #[arg(long)]
    pub no_cache: bool,
}

/// Which sets of options JVMs are started with, for commands that take the sets of the cases.
#[derive(clap::Args)]
pub struct SetArgs {
    /// Start every JVM with this set of options, one that `list --vm-option-sets` names, or `all`. May be repeated: a
    /// JVM counts as one JVM for each set. Sets that a JVM refuses are left out, with the reason
    #[arg(long, value_name = "NAME")]
    pub vm_option_set: Vec<String>,
}

/// A JVM as it is started, and what it then says of itself.
#[derive(Clone, Debug)]
pub struct Known {
    /// Where it is.
    pub jdk: Jdk,
    /// What it says.
    pub identity: Identity,
    /// Name of the set of options that it is started with, if that has one.
    pub configuration: Option<String>,
    /// All options that it is started with.
    pub vm_options: Vec<String>,
}

/// The JVMs that a command is about.
#[derive(Clone, Debug, Default)]
pub struct Jvms {
    /// Those to be used, at least one.
    pub known: Vec<Known>,
    /// Sets of options that do not apply to a JVM.
    pub skipped: Vec<Skipped>,
}

impl JvmArgs {
    /// The JVMs chosen, at least one. Those that were merely found and cannot be used are noted.
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

    /// The probe agent's library.
    pub fn probe(&self) -> Result<PathBuf, Fault> {
        probe::find(self.probe.as_deref()).map_err(|missing| match self.probe {
            Some(_) => Fault::input(missing),
            None => Fault::work(missing),
        })
    }

    /// The JVMs chosen, with each set of options chosen, and their identities. One that the user named has to work; one
    /// that was merely found may be broken, which is noted, as is a set of options that one refuses.
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
        let pairs: Vec<(&Known, &Configuration)> =
            bare.iter().flat_map(|known| sets.iter().map(move |set| (known, set))).collect();
        let mut jvms = Jvms::default();
        for answer in each(&pairs, jobs, |(known, set)| self.configured(known, set, probe, &scratch, stop)) {
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
            true => Err(Fault::wrong("none of these sets of options applies to any of these JVMs")),
            false => Ok(jvms),
        }
    }

    /// The JVMs without any set of options. One after the other: the time that a start takes is measured, too.
    pub fn bare(&self, probe: &Path, scratch: &Scratch, stop: &Stop) -> Result<Vec<Known>, Fault> {
        let vm_options = &self.vm_option;
        let inquiry = Inquiry { probe, scratch, vm_options, remembered: !self.no_cache };
        let mut known = Vec::new();
        let mut last = None;
        for jdk in self.jdks()? {
            match inquiry.of(&jdk, stop) {
                Ok(identity) => {
                    known.push(Known { jdk, identity, configuration: None, vm_options: vm_options.clone() });
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

    /// The JVM with this set of options, or why that does not apply to it.
    fn configured(
        &self,
        bare: &Known,
        set: &Configuration,
        probe: &Path,
        scratch: &Scratch,
        stop: &Stop,
    ) -> Result<Result<Known, Skipped>, Fault> {
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
            Ok(identity) => Ok(Known { jdk: bare.jdk.clone(), identity, configuration, vm_options }),
            Err(reason) => {
                let (jvm, configuration) = (bare.identity.jvm.clone(), set.name.clone());
                Err(Skipped { jvm, configuration, vm_options, reason })
            }
        })
    }
}

/// What comes of each item, so many at a time, in their order.
fn each<I: Sync, O: Send>(items: &[I], jobs: usize, work: impl Fn(&I) -> O + Sync) -> Vec<O> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let out = work(item);
                    done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((index, out));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, out)| out).collect()
}
