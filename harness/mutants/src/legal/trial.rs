//! Running cases on JVMs that use their latitude, and telling which verdicts blame them.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::time::{Duration, Instant};

use jvmti_cases::model::Case;
use jvmti_results::{Status, Verdict};
use jvmti_runner::launch::Timeouts;
use jvmti_spec::{Edition, Spec};
use jvmti_wire::plan::{Action, Trigger};
use serde::{Deserialize, Serialize};

use super::Variant;
use crate::Mutation;
use crate::bench::{Bench, Change, ScoreError};

/// A variant that hangs is given up after so long.
const TIMEOUTS: Timeouts = Timeouts { idle: Duration::from_secs(40), total: Duration::from_secs(240) };

/// What became of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Latitude {
    /// No verdict is worse than `permitted`.
    Respected,
    /// Some verdict blames the JVM for what the text permits.
    Blamed,
    /// It did nothing else than the real JVM, or no case touches it.
    Idle,
}

/// A verdict that blames a variant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Blame {
    /// The case.
    pub case: String,
    /// Its status.
    pub status: Status,
    /// What was expected, and what was observed.
    pub finding: String,
}

/// What came of trying one variant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tried {
    /// The variant's id.
    pub variant: String,
    /// What it does.
    pub does: String,
    /// What became of it.
    pub outcome: Latitude,
    /// How many cases were run.
    pub cases: usize,
    /// The verdicts that blame it.
    pub blames: Vec<Blame>,
    /// Milliseconds.
    pub millis: u64,
}

/// The variants of a JVM, and the cases that they need.
#[derive(Debug)]
pub struct Trials {
    bench: Bench,
    variants: Vec<Variant>,
    edition: Edition,
    /// What the cases on the bench are about or use, in their order.
    named: Vec<BTreeSet<String>>,
}

impl Trials {
    /// Tries these variants on that bench. The cases that they need are run once, with nothing changed.
    pub fn new(mut bench: Bench, variants: Vec<Variant>) -> Result<Trials, ScoreError> {
        let edition = Spec::embedded().at(bench.release());
        bench.begin(|case| {
            let named = named(case, &edition);
            variants.iter().any(|variant| variant.touches(&named))
        })?;
        let named = bench.sound.tests.cases.iter().map(|case| named(case, &edition)).collect();
        Ok(Trials { bench, variants, edition, named })
    }

    /// The variants that it is for.
    pub fn variants(&self) -> &[Variant] {
        &self.variants
    }

    /// The JVM's name.
    pub fn jvm(&self) -> String {
        self.bench.jvm()
    }

    /// Tries variants in one JVM, with every case that touches any of them and does not blame the real JVM. If it blames
    /// them, each that the blaming cases touch is tried by itself.
    pub fn try_together(&self, group: &[&Variant]) -> Result<Vec<Tried>, ScoreError> {
        let (begun, bench) = (Instant::now(), &self.bench);
        let all = bench.sound.tests.cases.iter().zip(&self.named);
        let touched = |named: &BTreeSet<String>| group.iter().any(|variant| variant.touches(named));
        let cases: Vec<&Case> = all.filter(|(_, named)| touched(named)).map(|(case, _)| case).collect();
        let is_capability = |name: &String| self.edition.capability(name).is_some();
        let mutations: Vec<Mutation> = group.iter().flat_map(|variant| &variant.mutations).cloned().collect();
        let options: Vec<String> = group.iter().flat_map(|variant| &variant.options).cloned().collect();
        let change = Change {
            mutations: &mutations,
            options: &options,
            offers_others: group
                .iter()
                .any(|variant| variant.touches.is_empty() || variant.touches.iter().any(is_capability)),
        };
        let (verdicts, acted) = match cases.is_empty() {
            true => (Vec::new(), vec![false; mutations.len()]),
            false => bench.run(change, &cases, TIMEOUTS)?,
        };
        let is_new = |verdict: &&Verdict| {
            let before = bench.verdicts.get(&verdict.case).map(|before| before.status);
            // A known deviation in another form is one still.
            is_blame(verdict.status) && before != Some(verdict.status) && before != Some(Status::Known)
        };
        let blames: Vec<Blame> = verdicts.iter().filter(is_new).map(Blame::of).collect();
        let millis = begun.elapsed().as_millis() as u64 / group.len().max(1) as u64;
        let mut acted = acted.into_iter();
        let mut tried = Vec::with_capacity(group.len());
        for variant in group {
            let acted = acted.by_ref().take(variant.mutations.len()).filter(|acted| *acted).count() > 0;
            let outcome = match acted || !variant.options.is_empty() {
                true => Latitude::Respected,
                false => Latitude::Idle,
            };
            tried.push(Tried::new(variant, outcome, cases.len(), millis));
        }
        match (blames.is_empty(), group) {
            (true, _) => Ok(tried),
            (false, [_]) => Ok(tried.into_iter().map(|one| one.blamed(blames.clone())).collect()),
            (false, _) => self.try_apart(group, tried, blames),
        }
    }

    /// Which of these variants the blames are about, if any by itself is blamed; otherwise all that the cases touch.
    fn try_apart(
        &self,
        group: &[&Variant],
        together: Vec<Tried>,
        blames: Vec<Blame>,
    ) -> Result<Vec<Tried>, ScoreError> {
        let all = self.bench.sound.tests.cases.iter().zip(&self.named);
        let blaming: Vec<&BTreeSet<String>> = all
            .filter(|(case, _)| blames.iter().any(|b| b.case == case.id))
            .map(|(_, named)| named)
            .collect();
        let mut tried = Vec::with_capacity(group.len());
        for (variant, one) in group.iter().zip(together) {
            match blaming.iter().any(|named| variant.touches(named)) {
                true => tried.extend(self.try_together(&[variant])?),
                false => tried.push(one),
            }
        }
        if tried.iter().any(|one| one.outcome == Latitude::Blamed) {
            return Ok(tried);
        }
        let is_touched = |variant: &Variant| blaming.iter().any(|named| variant.touches(named));
        let zipped = group.iter().zip(tried);
        Ok(zipped.map(|(v, one)| if is_touched(v) { one.blamed(blames.clone()) } else { one }).collect())
    }
}

impl Tried {
    fn new(variant: &Variant, outcome: Latitude, cases: usize, millis: u64) -> Tried {
        let (variant, does) = (variant.id.clone(), variant.does.clone());
        Tried { variant, does, outcome, cases, blames: Vec::new(), millis }
    }

    fn blamed(self, blames: Vec<Blame>) -> Tried {
        Tried { outcome: Latitude::Blamed, blames, ..self }
    }
}

impl Blame {
    fn of(verdict: &Verdict) -> Blame {
        let told =
            |f: &jvmti_results::Finding| format!("{}: expected {}; {}", f.place, f.expected, f.observed);
        let finding = verdict.findings.first().map_or_else(String::new, told);
        Blame { case: verdict.case.clone(), status: verdict.status, finding }
    }
}

/// Whether a status is worse than `permitted`.
fn is_blame(status: Status) -> bool {
    matches!(status, Status::Fail | Status::Crash | Status::Timeout | Status::Error)
}

impl Variant {
    /// Whether a case that names these has to do with what behaves differently.
    fn touches(&self, named: &BTreeSet<String>) -> bool {
        self.touches.is_empty() || self.touches.iter().any(|touched| named.contains(touched))
    }
}

/// The functions, events and capabilities that a case is about or uses.
fn named(case: &Case, edition: &Edition) -> BTreeSet<String> {
    let mut named: BTreeSet<&str> = case.subject.as_deref().into_iter().collect();
    for environment in &case.environments {
        named.extend(environment.capabilities.iter().chain(&environment.events).map(String::as_str));
    }
    let handled = case.handlers.iter().flat_map(|handler| &handler.actions);
    for action in case.steps.iter().map(|step| &step.plan.action).chain(handled) {
        if let Action::Call { function, .. } = action {
            named.extend(edition.function_at(*function).map(|f| f.name.as_str()));
        }
    }
    let triggers = case.steps.iter().map(|step| &step.plan.at).chain(case.handlers.iter().map(|h| &h.on));
    for trigger in triggers {
        if let Trigger::Event { event, .. } = trigger {
            named.extend(edition.event_by_number(*event).map(|e| e.name.as_str()));
        }
    }
    named
        .extend(case.events.iter().flat_map(|events| events.patterns()).map(|pattern| pattern.name.as_str()));
    named.into_iter().map(str::to_owned).collect()
}

/// What came of all variants that were tried on one JVM.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Legal {
    /// The JVM.
    pub jvm: String,
    /// Each variant.
    pub variants: Vec<Tried>,
}

impl Legal {
    /// How many came to that.
    pub fn count(&self, outcome: Latitude) -> usize {
        self.variants.iter().filter(|tried| tried.outcome == outcome).count()
    }
}

impl Display for Legal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for tried in self.variants.iter().filter(|tried| tried.outcome == Latitude::Blamed) {
            writeln!(f, "{}\n    {}", tried.variant, tried.does)?;
            for Blame { case, status, finding } in &tried.blames {
                writeln!(f, "    {} {case}\n        {finding}", status.name())?;
            }
        }
        let [respected, blamed, idle] =
            [Latitude::Respected, Latitude::Blamed, Latitude::Idle].map(|outcome| self.count(outcome));
        let acted = respected + blamed;
        let share = if acted == 0 { 100.0 } else { 100.0 * respected as f64 / acted as f64 };
        writeln!(f, "{}", self.jvm)?;
        for (count, what) in [
            (self.variants.len(), "variants that the specification permits"),
            (respected, "respected: no verdict is worse than `permitted`"),
            (blamed, "blamed: some verdict is a defect of the suite"),
            (idle, "idle: what they change does not occur"),
        ] {
            writeln!(f, "{count:>7}  {what}")?;
        }
        writeln!(f, "{share:>6.1}%  score: share respected, of those that are not idle")
    }
}
