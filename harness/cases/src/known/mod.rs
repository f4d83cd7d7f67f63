//! Known deviations, from `known/*.yaml`: cases that fail on certain JVMs, each with the reason and the evidence. What
//! fails as listed is `known`; what is listed and passes is `fixed`.

mod grammar;
pub mod proposal;
mod versions;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use jvmti_results::{Finding, Jvm, KnownDeviation, Results, Status, Verdict};
use jvmti_spec::Release;
use serde::Serialize;

use crate::releases::Releases;

pub(crate) use grammar::{CONDITIONS, KEYS, read};
pub use grammar::{Listed, UNEXPLAINED};
pub use versions::Versions;

/// One deviation of some JVMs from the specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Deviation {
    /// Ids of the cases that show it, each in full.
    pub cases: Vec<String>,
    /// The JVMs that have it.
    pub on: Jvms,
    /// How it shows.
    pub shows: Shows,
    /// Whether it shows in some runs only: a case that passes is not taken for fixed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sometimes: bool,
    /// Texts, one of which is part of what each finding says was observed, or of the place where; without any, each failure
    /// of that kind counts as this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<String>,
    /// What the JVM does against which statement.
    pub reason: String,
    /// What was seen, on what.
    pub evidence: String,
    /// Id in the JVM's tracker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tracker: Option<String>,
    /// The last day on which nobody needs to look at it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Date>,
}

/// Which JVMs. All conditions given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Jvms {
    /// Feature releases.
    #[serde(serialize_with = "as_text")]
    pub releases: Releases,
    /// Versions, by `java.version`.
    #[serde(serialize_with = "as_text")]
    pub versions: Versions,
    /// Part of `java.vm.name` (`Zero`, `Server`, `OpenJ9`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vm: Option<String>,
    /// Part of `java.vm.vendor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// `os.arch` (`amd64`, `aarch64`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// Options that must all be among those given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

fn as_text<T: fmt::Display, S: serde::Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// How a deviation shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shows {
    /// The case fails.
    Fail,
    /// The JVM ends abnormally.
    Crash,
    /// The JVM hangs.
    Timeout,
    /// The deviation makes a helper step fail, so that the case cannot be carried out.
    Error,
}

impl Shows {
    /// All of them.
    pub const ALL: [Shows; 4] = [Shows::Fail, Shows::Crash, Shows::Timeout, Shows::Error];

    /// As it is written.
    pub fn name(self) -> &'static str {
        self.status().name()
    }

    /// The verdict's status.
    pub fn status(self) -> Status {
        match self {
            Shows::Fail => Status::Fail,
            Shows::Crash => Status::Crash,
            Shows::Timeout => Status::Timeout,
            Shows::Error => Status::Error,
        }
    }

    /// How a verdict with this status shows it. `None` for an error too: it is the harness's own unless a list says otherwise.
    pub fn of(status: Status) -> Option<Shows> {
        Shows::ALL.into_iter().find(|shows| shows.status() == status && *shows != Shows::Error)
    }
}

/// A day, `2027-06-01`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Date(String);

impl Date {
    /// Today, in UTC.
    pub fn today() -> Date {
        Date(humantime::format_rfc3339(SystemTime::now()).to_string().chars().take(10).collect())
    }
}

impl FromStr for Date {
    type Err = String;

    fn from_str(text: &str) -> Result<Date, String> {
        // Written so, days compare as texts do.
        match text.len() == 10 && humantime::parse_rfc3339(&format!("{text}T00:00:00Z")).is_ok() {
            true => Ok(Date(text.to_owned())),
            false => Err(format!("expected a day such as `2027-06-01`, found `{text}`")),
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Jvms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = self.vendor.iter().chain(&self.vm).chain(&self.arch).cloned().collect();
        if self.releases != Releases::default() {
            words.push(self.releases.to_string());
        }
        if self.versions != Versions::default() {
            words.push(self.versions.to_string());
        }
        words.extend(self.options.iter().cloned());
        f.write_str(&words.join(" "))
    }
}

impl Jvms {
    /// Whether this JVM with these options is one of them.
    pub fn contain(&self, jvm: &Jvm, options: &[String]) -> bool {
        let part_of =
            |part: &Option<String>, whole: &str| part.as_ref().is_none_or(|p| whole.contains(p.as_str()));
        self.releases.contains(Release(jvm.release))
            && self.versions.contain(&jvm.version)
            && part_of(&self.vm, &jvm.vm_name)
            && part_of(&self.vendor, &jvm.vendor)
            && self.arch.as_ref().is_none_or(|arch| *arch == jvm.arch)
            && self.options.iter().all(|option| options.contains(option))
    }
}

impl Deviation {
    /// Whether the verdict fails just as listed here.
    fn explains(&self, verdict: &Verdict) -> bool {
        verdict.status == self.shows.status() && verdict.findings.iter().all(|finding| self.tells_of(finding))
    }

    /// Whether the finding is as listed here.
    fn tells_of(&self, finding: &Finding) -> bool {
        let said = |part: &String| [&finding.observed, &finding.place].iter().any(|text| text.contains(part));
        self.observed.is_empty() || self.observed.iter().any(said)
    }

    /// Whether the verdict says that the deviation is listed, with the reason of this entry.
    pub fn is_reason_of(&self, verdict: &Verdict) -> bool {
        // The entry may have got the id of a tracker since.
        let is_reason = |told: &str| {
            told.strip_prefix(self.reason.trim()).is_some_and(|id| id.is_empty() || id.starts_with(" ("))
        };
        verdict.status == Status::Known
            && verdict.findings.iter().any(|f| f.place == Finding::KNOWN && is_reason(&f.observed))
    }

    /// Whether a JVM of these results showed it, listed then or not. An entry that no published JVM showed may be out of date.
    pub fn is_shown_in(&self, results: &Results) -> bool {
        let shown = |verdict: &Verdict| {
            self.cases.contains(&verdict.case) && (self.is_reason_of(verdict) || self.explains(verdict))
        };
        let runs = results.runs.iter().filter(|run| self.on.contain(&run.jvm, &run.vm_options));
        runs.flat_map(|run| &run.verdicts).any(shown)
    }

    /// Whether it is due to be looked at again.
    pub fn has_expired(&self, today: &Date) -> bool {
        self.expires.as_ref().is_some_and(|last| last < today)
    }

    /// The id of its cause, which it shares with entries that have the same reason.
    pub fn id(&self) -> String {
        KnownDeviation::id_of(&self.reason)
    }

    fn in_words(&self) -> String {
        let tracker = self.tracker.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
        format!("{}{tracker}", self.reason.trim())
    }
}

/// Marks a verdict as known or fixed, if `listed` (the deviations of its JVM) say so.
pub fn mark(verdict: &mut Verdict, listed: &[Deviation]) {
    if verdict.is_unreached() {
        return;
    }
    let here: Vec<&Deviation> = listed.iter().filter(|d| d.cases.contains(&verdict.case)).collect();
    if let Some(deviation) = here.iter().find(|deviation| deviation.explains(verdict)) {
        verdict.status = Status::Known;
        note(verdict, Finding::KNOWN, deviation);
    } else if let Some(deviations) = together(&here, verdict) {
        verdict.status = Status::Known;
        deviations.iter().rev().for_each(|deviation| note(verdict, Finding::KNOWN, deviation));
    } else if let (Some(deviation), Status::Pass, false) =
        (here.iter().find(|deviation| !deviation.sometimes), verdict.status, is_over_all_traces(verdict))
    {
        verdict.status = Status::Fixed;
        note(verdict, Finding::FIXED, deviation);
    }
}

/// The causes that verdicts of these results name, each once, with all that the lists say of it.
pub fn causes<'a>(
    listed: impl Iterator<Item = &'a Deviation> + Clone,
    results: &Results,
) -> Vec<KnownDeviation> {
    let verdicts = results.runs.iter().flat_map(|run| &run.verdicts);
    let named: BTreeSet<&str> = verdicts.filter_map(|verdict| verdict.deviation.as_deref()).collect();
    let mut causes: Vec<KnownDeviation> = Vec::new();
    for entry in listed {
        let id = entry.id();
        if !named.contains(id.as_str()) {
            continue;
        }
        let place = causes.iter().position(|cause| cause.id == id).unwrap_or_else(|| {
            let reason = entry.reason.clone();
            causes.push(KnownDeviation { id, reason, ..KnownDeviation::default() });
            causes.len() - 1
        });
        let cause = &mut causes[place];
        if !cause.evidence.contains(&entry.evidence) {
            cause.evidence.push(entry.evidence.clone());
        }
        cause.tracker = cause.tracker.take().or_else(|| entry.tracker.clone());
    }
    causes
}

/// The deviations that together explain a verdict over all that was recorded: each finding is as one of them has it.
fn together<'d>(listed: &[&'d Deviation], verdict: &Verdict) -> Option<Vec<&'d Deviation>> {
    let alike = listed.iter().filter(|deviation| deviation.shows.status() == verdict.status);
    let mut found: Vec<&Deviation> = Vec::new();
    for finding in verdict.findings.iter().filter(|_| is_over_all_traces(verdict)) {
        let deviation = *alike.clone().find(|deviation| deviation.tells_of(finding))?;
        if !found.iter().any(|known| std::ptr::eq(*known, deviation)) {
            found.push(deviation);
        }
    }
    Some(found).filter(|found| !found.is_empty())
}

/// Whether the verdict is one over all that was recorded: that nothing was amiss in some cases does not say that all is.
fn is_over_all_traces(verdict: &Verdict) -> bool {
    verdict.case.starts_with("universal/")
}

fn note(verdict: &mut Verdict, place: &str, deviation: &Deviation) {
    verdict.deviation = Some(deviation.id());
    let observed = deviation.in_words();
    verdict.findings.push(Finding { place: place.to_owned(), observed, ..Default::default() });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CaseSet;
    use crate::source::SourceFile;

    fn read(yaml: &str) -> Result<Deviation, String> {
        let file = SourceFile { name: "known/a.yaml".to_owned(), text: format!("[{yaml}]") };
        let set = CaseSet::read([file]).map_err(|faults| faults.0[0].to_string())?;
        Ok(set.known().next().unwrap().clone())
    }

    fn deviation(yaml: &str) -> Deviation {
        read(yaml).unwrap()
    }

    #[test]
    fn faults_are_told_with_their_place() {
        for (from, to, at, fault) in [
            ("tracker", "traker", "traker", "unknown key of a known deviation `traker`"),
            ("releases: 8..25", "release: 8", "release", "unknown key of conditions on a JVM `release`"),
            ("{releases: 8..25, vm: Server}", "{}", "{}", "say which JVMs"),
            ("shows: crash", "shows: crush", "crush", "unknown way to show `crush`"),
            ("evidence: seen, ", "", "{cases", "a known deviation needs `evidence`"),
            ("seen", "seen, expires: 2027-13-01", "2027-13", "expected a day such as"),
            ("vm: Server", "versions: x", "x}", "expected versions such as"),
            ("seen", "''", "''", "expected text, found none"),
            ("seen", "seen, sometimes: often", "often", "expected `true` or `false`, found `often`"),
            ("['F#phase/onload']", "[]", "[],", "a known deviation needs a case"),
        ] {
            let text = LISTED.replace(from, to);
            let column = text.find(at).unwrap() + 2;
            let said = read(&text).unwrap_err();
            assert!(said.starts_with(&format!("known/a.yaml:1:{column}: {fault}")), "{to}: {said}");
        }
    }

    #[test]
    fn an_entry_expires_after_its_last_day() {
        let listed = deviation(&LISTED.replace("tracker", "expires: 2027-06-01, tracker"));
        let on = |day: &str| listed.has_expired(&day.parse().unwrap());
        assert!(!on("2027-06-01") && on("2027-06-02") && !on("2026-12-31"));
        assert!(!deviation(LISTED).has_expired(&"2999-01-01".parse().unwrap()));
        assert!(Date::today() > "2025-01-01".parse().unwrap());
    }

    fn verdict(status: Status, observed: &str) -> Verdict {
        let findings = vec![Finding { observed: observed.to_owned(), ..Finding::default() }];
        Verdict { case: "F#phase/onload".to_owned(), status, findings, ..Verdict::default() }
    }

    const LISTED: &str = "{cases: ['F#phase/onload'], on: {releases: 8..25, vm: Server}, shows: crash, observed: SIGABRT, \
                          reason: asserts, evidence: seen, tracker: JDK-1}";

    #[test]
    fn what_was_not_reached_is_not_known() {
        let listed = [deviation(&LISTED.replace("shows: crash, observed: SIGABRT", "shows: error"))];
        for (observed, is_unreached) in [
            ("not run: interrupted", true),
            ("interrupted\nhello", true),
            ("the trace cannot be read", false),
        ] {
            let mut told = verdict(Status::Error, observed);
            assert_eq!(told.is_unreached(), is_unreached, "{observed}");
            mark(&mut told, &listed);
            assert_eq!(told.status == Status::Known, !is_unreached, "{observed}");
        }
        assert!(!verdict(Status::Fail, "interrupted").is_unreached());
    }

    #[test]
    fn only_what_fails_as_listed_is_known() {
        let marked = |mut v: Verdict| {
            mark(&mut v, &[deviation(LISTED)]);
            v.status
        };
        assert_eq!(marked(verdict(Status::Crash, "ended by SIGABRT")), Status::Known);
        assert_eq!(marked(verdict(Status::Crash, "ended by SIGSEGV")), Status::Crash);
        assert_eq!(marked(verdict(Status::Fail, "SIGABRT")), Status::Fail);
        let any = deviation(&LISTED.replace("SIGABRT", "[SIGABRT, SIGSEGV]"));
        let mut other = verdict(Status::Crash, "ended by SIGSEGV");
        mark(&mut other, &[any]);
        assert_eq!(other.status, Status::Known);
        assert_eq!(marked(verdict(Status::Pass, "")), Status::Fixed);
        assert_eq!(marked(verdict(Status::Inapplicable, "")), Status::Inapplicable);
        let mut passes = verdict(Status::Pass, "");
        mark(&mut passes, &[deviation(&LISTED.replace("tracker", "sometimes: true, tracker"))]);
        assert_eq!(passes.status, Status::Pass);
        let universal = LISTED.replace("F#phase/onload", "universal/x");
        let mut quiet = Verdict { case: "universal/x".to_owned(), ..verdict(Status::Pass, "") };
        mark(&mut quiet, &[deviation(&universal)]);
        assert_eq!(quiet.status, Status::Pass);
        assert_eq!(
            marked(Verdict { case: "other".to_owned(), ..verdict(Status::Crash, "SIGABRT") }),
            Status::Crash
        );
    }

    #[test]
    fn several_deviations_explain_a_universal_rule_s_verdict_together() {
        let listed = |observed: &str| {
            deviation(&LISTED.replace("F#phase/onload", "universal/x").replace("SIGABRT", observed))
        };
        let entries = [listed("one"), listed("two")];
        let marked = |case: &str, observed: &[&str]| {
            let findings =
                observed.iter().map(|o| Finding { observed: (*o).to_owned(), ..Finding::default() });
            let mut verdict =
                Verdict { case: case.to_owned(), findings: findings.collect(), ..verdict(Status::Crash, "") };
            mark(&mut verdict, &entries);
            (verdict.status, verdict.findings.len())
        };
        assert_eq!(marked("universal/x", &["one", "two", "one"]), (Status::Known, 5));
        assert_eq!(marked("universal/x", &["one", "three"]), (Status::Crash, 2));
    }

    #[test]
    fn conditions_on_the_jvm_are_combined() {
        let on = deviation(LISTED).on;
        let jvm = |release, name: &str| Jvm { release, vm_name: name.to_owned(), ..Jvm::default() };
        assert!(on.contain(&jvm(17, "OpenJDK 64-Bit Server VM"), &[]));
        assert!(!on.contain(&jvm(26, "OpenJDK 64-Bit Server VM"), &[]));
        assert!(!on.contain(&jvm(17, "OpenJDK 64-Bit Zero VM"), &[]));
        let on_aarch64 = Jvms { arch: Some("aarch64".to_owned()), ..Jvms::default() };
        assert!(on_aarch64.contain(&Jvm { arch: "aarch64".to_owned(), ..Jvm::default() }, &[]));
        assert!(!on_aarch64.contain(&Jvm { arch: "amd64".to_owned(), ..Jvm::default() }, &[]));
        let with_option = Jvms { options: vec!["-Xint".to_owned()], ..Jvms::default() };
        assert!(with_option.contain(&jvm(17, ""), &["-Xint".to_owned()]));
        assert!(!with_option.contain(&jvm(17, ""), &[]));
    }
}
