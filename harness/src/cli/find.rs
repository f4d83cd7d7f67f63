//! The JVMs that a command is about, and what they are.

use std::path::{Path, PathBuf};

use jvmti_check::jvm::places::Surroundings;
use jvmti_check::jvm::{self, Identity, IdentityError, Inquiry, Jdk};
use jvmti_check::launch::{Scratch, Stop, probe};

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

/// A JVM and what it says of itself.
pub type Known = (Jdk, Identity);

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

    /// The JVMs chosen with their identities. One that the user named has to work; one that was merely found may be
    /// broken, which is noted.
    pub fn known(&self, probe: &Path, stop: &Stop) -> Result<Vec<Known>, Fault> {
        let jdks = self.jdks()?;
        let scratch = Scratch::new().map_err(Fault::work)?;
        let inquiry =
            Inquiry { probe, scratch: &scratch, vm_options: &self.vm_option, remembered: !self.no_cache };
        let mut known = Vec::new();
        let mut last = None;
        // One after the other: the time that a start takes is measured, too.
        for jdk in jdks {
            match inquiry.of(&jdk, stop) {
                Ok(identity) => known.push((jdk, identity)),
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
}
