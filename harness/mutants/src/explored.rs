//! Exploring broken JVMs, and JVMs that use their latitude: what `explore` finds by itself, without any written case.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jvmti_cases::CaseSet;
use jvmti_cases::known::Deviation;
use jvmti_explore::finding::Key;
use jvmti_explore::known::{Ending, deviation, ends};
use jvmti_explore::launches::ExploredJvm;
use jvmti_explore::model::Tables;
use jvmti_explore::{Finding, Kind, Options, Progress, Report, explore};
use jvmti_runner::jvm::{Identity, Inquiry, Jdk};
use jvmti_runner::launch::{Scratch, Stop, Timeouts, probe};
use jvmti_spec::Release;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::bench::ScoreError;
use crate::broken::mark;
use crate::{Broken, Mutation};

/// A JVM that hangs is given up after so long.
const IDLE: Duration = Duration::from_secs(12);
/// The unbroken JVM is explored so often, each time with other sequences: what it does once it may do at any time.
const BASELINE: u64 = 2;

/// How long each JVM is explored.
#[derive(Clone, Copy, Debug)]
pub struct Expedition {
    /// The most time.
    pub time: Duration,
    /// The most sequences.
    pub sequences: Option<u64>,
    /// What the sequences depend on.
    pub seed: u64,
    /// Whether the JVMs use their latitude: then what the text permits is no reason to end early.
    pub legal: bool,
}

/// What exploring one JVM came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exploration {
    /// The id of the mutant or variant.
    pub id: String,
    /// What it does.
    pub does: String,
    /// Whether it ever did anything else than the real JVM.
    pub acted: bool,
    /// Obligations that it breaks and the real JVM does not: function and what it did, with the statements.
    pub broken: Vec<String>,
    /// The same of what the text permits, or may permit.
    pub permitted: Vec<String>,
    /// The same of what did not show again.
    pub doubtful: Vec<String>,
    /// Why the JVM could not be explored to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Calls that were made.
    pub calls: u64,
    /// Milliseconds.
    pub millis: u64,
}

impl Exploration {
    /// Whether it is accused of breaking an obligation. A JVM that does not come up is.
    pub fn is_blamed(&self) -> bool {
        !self.broken.is_empty() || self.trouble.is_some()
    }

    /// Whether anything was found that the real JVM does not do.
    pub fn is_detected(&self) -> bool {
        self.is_blamed() || !self.permitted.is_empty()
    }
}

/// Explores changed JVMs.
#[derive(Debug)]
pub struct Explorer {
    real: Jdk,
    identity: Identity,
    tables: Tables,
    probe: PathBuf,
    scratch: Scratch,
    broken: Broken,
    /// Where the library is.
    _folder: TempDir,
    stop: Stop,
    plan: Expedition,
    avoided: Vec<Ending>,
    /// What the real JVM does.
    known: BTreeSet<Key>,
    /// The known deviations: what is listed for it, it may do at any time, too.
    listed: Vec<Deviation>,
}

impl Explorer {
    /// Explores the unbroken JVM first.
    pub fn new(jdk: Jdk, cases: &CaseSet, stop: Stop, plan: Expedition) -> Result<Explorer, ScoreError> {
        let (scratch, probe) = (Scratch::new().map_err(ScoreError::Scratch)?, probe::find(None)?);
        let folder = tempfile::tempdir().map_err(ScoreError::Scratch)?;
        let inquiry = Inquiry { probe: &probe, scratch: &scratch, vm_options: &[], remembered: true };
        let identity = inquiry.of(&jdk, &stop)?;
        let tables = Tables::new(identity.release());
        let avoided = ends(cases, &identity, &[], &tables);
        let broken = Broken::build(folder.path())?;
        let (_folder, known) = (folder, BTreeSet::new());
        let listed = cases.known().cloned().collect();
        let mut explorer = Explorer {
            real: jdk,
            identity,
            tables,
            probe,
            scratch,
            broken,
            _folder,
            stop,
            plan,
            avoided,
            known,
            listed,
        };
        for more in 0..BASELINE {
            let plan = Expedition { seed: plan.seed + more, ..plan };
            let found = explorer.run(&explorer.real, &explorer.identity, &[], &plan, false);
            explorer.known.extend(found.keys);
        }
        match explorer.stop.asked() {
            true => Err(ScoreError::Interrupted),
            false => Ok(explorer),
        }
    }

    /// The release of the JVM.
    pub fn release(&self) -> Release {
        self.identity.release()
    }

    /// The JVM's name.
    pub fn jvm(&self) -> String {
        self.identity.jvm.label()
    }

    /// Explores the JVM with these changes.
    pub fn explore(
        &self,
        (id, does): (&str, &str),
        mutations: &[Mutation],
        options: &[String],
    ) -> Result<Exploration, ScoreError> {
        let begun = Instant::now();
        let folder = tempfile::tempdir().map_err(ScoreError::Scratch)?;
        let jdk = self.broken.home(&self.real, mutations, folder.path())?;
        let (probe, scratch) = (&self.probe, &self.scratch);
        let inquiry = Inquiry { probe, scratch, vm_options: options, remembered: false };
        // What it offers is asked anew: a JVM may offer less than the real one, or be broken in telling.
        let identity = inquiry.of(&jdk, &self.stop).unwrap_or_else(|_| self.identity.clone());
        let found = self.run(&jdk, &identity, options, &self.plan, true);
        let acted = (0..mutations.len()).any(|mutation| folder.path().join(mark(mutation)).exists());
        match self.stop.asked() {
            true => Err(ScoreError::Interrupted),
            false => Ok(Exploration {
                id: id.to_owned(),
                does: does.to_owned(),
                acted,
                broken: found.broken,
                permitted: found.permitted,
                doubtful: found.doubtful,
                trouble: found.trouble,
                calls: found.calls,
                millis: begun.elapsed().as_millis() as u64,
            }),
        }
    }

    fn run(
        &self,
        jdk: &Jdk,
        identity: &Identity,
        vm_options: &[String],
        plan: &Expedition,
        ends_early: bool,
    ) -> Found {
        let target = ExploredJvm {
            jdk,
            identity,
            vm_options,
            probe: &self.probe,
            scratch: &self.scratch,
            timeouts: Timeouts { idle: IDLE, ..Timeouts::default() },
            tables: &self.tables,
            keeps: false,
            is_quick: false,
        };
        let options = Options {
            functions: vec![],
            undefined: false,
            together: false,
            seed: plan.seed,
            time: plan.time,
            sequences: plan.sequences,
            jobs: 1,
            shrinks: false,
            shard: (0, 1),
            avoided: self.avoided.clone(),
        };
        let (enough, asked) = (Stop::new(), self.stop.clone());
        let (explorer, legal, found) = (self, plan.legal, Mutex::default());
        let watch = Watch { explorer, ends_early, legal, enough: &enough, asked, found };
        let explored = explore(&target, None, &options, &enough, &watch);
        let mut found = watch.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.keys = explored.findings.iter().map(|finding| finding.key.clone()).collect();
        found.calls = explored.progress.calls;
        found.trouble = explored.trouble;
        found
    }
}

#[derive(Debug, Default)]
struct Found {
    keys: Vec<Key>,
    broken: Vec<String>,
    permitted: Vec<String>,
    doubtful: Vec<String>,
    trouble: Option<String>,
    calls: u64,
}

/// Notes what is new, and ends an exploration once that is enough.
struct Watch<'w> {
    explorer: &'w Explorer,
    ends_early: bool,
    legal: bool,
    enough: &'w Stop,
    asked: Stop,
    found: Mutex<Found>,
}

impl Report for Watch<'_> {
    fn progress(&self, _: Progress) {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let is_found = !found.broken.is_empty() || !self.legal && !found.permitted.is_empty();
        if self.asked.asked() || self.ends_early && is_found {
            self.enough.ask();
        }
    }

    fn found(&self, finding: &Finding) {
        if !self.is_of_interest(finding) {
            return;
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let list = match (finding.is_by_chance(), finding.key.permitted) {
            (true, _) => &mut found.doubtful,
            (false, true) => &mut found.permitted,
            (false, false) => &mut found.broken,
        };
        let observed = match &finding.kind {
            Kind::Breach(breach) => format!(": expected {}, observed {}", breach.expected, breach.observed),
            Kind::Universal(broken) => format!(": {}", broken.how),
            Kind::Crash { how } => format!(": {how}"),
            Kind::Hang => String::new(),
        };
        list.push(format!("{}{observed} [{}]", finding.title(), finding.cites().join(", ")));
    }

    fn is_of_interest(&self, finding: &Finding) -> bool {
        let Explorer { known, listed, identity, .. } = self.explorer;
        !known.contains(&finding.key) && deviation(finding, listed, &identity.jvm, &[]).is_none()
    }
}

/// What exploring several changed JVMs came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Explorations {
    /// The JVM.
    pub jvm: String,
    /// Whether they are JVMs that use their latitude.
    pub legal: bool,
    /// Each of them.
    pub all: Vec<Exploration>,
}

impl Explorations {
    fn count(&self, of: impl Fn(&Exploration) -> bool) -> usize {
        self.all.iter().filter(|one| of(one)).count()
    }

    /// Whether none is blamed, if they are legal, and otherwise whether all that did anything are detected.
    pub fn is_perfect(&self) -> bool {
        match self.legal {
            true => self.count(Exploration::is_blamed) == 0,
            false => self.count(|one| one.acted && !one.is_detected()) == 0,
        }
    }
}

impl Display for Explorations {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let all = self.all.len();
        let acted = self.count(|one| one.acted);
        let broken = self.count(Exploration::is_blamed);
        let permitted = self.count(Exploration::is_detected) - broken;
        let calls: u64 = self.all.iter().map(|one| one.calls).sum();
        writeln!(f, "{}", self.jvm)?;
        let kind = if self.legal { "variants" } else { "mutants" };
        writeln!(f, "{all:>7}  {kind}, {acted} of which behaved differently; {calls} calls")?;
        writeln!(f, "{broken:>7}  accused of breaking an obligation")?;
        writeln!(f, "{permitted:>7}  with a deviation only that the text permits")?;
        let share = 100.0 * (broken + permitted) as f64 / all.max(1) as f64;
        writeln!(f, "{share:>6.1}%  of all {kind}")
    }
}
