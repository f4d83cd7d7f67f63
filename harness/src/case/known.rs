//! Known deviations, from `known/*.yaml`: cases that fail on certain JVMs, each with the reason and the evidence. What
//! fails as listed is `known`; what is listed and passes is `fixed`.

use jvmti_reports::results::{Finding, Jvm, Status, Verdict};
use jvmti_spec::Release;
use serde::Deserialize;

use super::releases::Releases;

/// One deviation of some JVMs from the specification.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// Ids of the cases that show it, each in full.
    pub cases: Vec<String>,
    /// The JVMs that have it.
    pub on: Jvms,
    /// How it shows.
    pub shows: Shows,
    /// Part of what every finding says was observed, or of the place where; without it any failure of that kind counts as
    /// this one.
    #[serde(default)]
    pub observed: Option<String>,
    /// What the JVM does against which statement.
    pub reason: String,
    /// What was seen, on what.
    pub evidence: String,
    /// Id in the JVM's tracker.
    #[serde(default)]
    pub tracker: Option<String>,
}

/// Which JVMs. All conditions given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jvms {
    /// Feature releases.
    #[serde(default)]
    pub releases: Releases,
    /// Part of `java.vm.name` (`Zero`, `Server`, `OpenJ9`).
    #[serde(default)]
    pub vm: Option<String>,
    /// Part of `java.vm.vendor`.
    #[serde(default)]
    pub vendor: Option<String>,
    /// Options that must all be among those given.
    #[serde(default)]
    pub options: Vec<String>,
}

/// How a deviation shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shows {
    /// The case fails.
    Fail,
    /// The JVM ends abnormally.
    Crash,
    /// The JVM hangs.
    Timeout,
}

impl Jvms {
    /// Whether this JVM with these options is one of them.
    pub fn contain(&self, jvm: &Jvm, options: &[String]) -> bool {
        let part_of =
            |part: &Option<String>, whole: &str| part.as_ref().is_none_or(|p| whole.contains(p.as_str()));
        self.releases.contains(Release(jvm.release))
            && part_of(&self.vm, &jvm.vm_name)
            && part_of(&self.vendor, &jvm.vendor)
            && self.options.iter().all(|option| options.contains(option))
    }
}

impl Deviation {
    /// Whether the verdict fails just as listed here.
    fn explains(&self, verdict: &Verdict) -> bool {
        let status = match self.shows {
            Shows::Fail => Status::Fail,
            Shows::Crash => Status::Crash,
            Shows::Timeout => Status::Timeout,
        };
        let as_listed = |part: &String| {
            let said = |f: &Finding| f.observed.contains(part.as_str()) || f.place.contains(part.as_str());
            verdict.findings.iter().all(said)
        };
        verdict.status == status && self.observed.as_ref().is_none_or(as_listed)
    }

    fn in_words(&self) -> String {
        let tracker = self.tracker.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
        format!("{}{tracker}", self.reason.trim())
    }
}

/// Marks a verdict as known or fixed, if `listed` (the deviations of its JVM) say so.
pub fn mark(verdict: &mut Verdict, listed: &[Deviation]) {
    let here: Vec<&Deviation> = listed.iter().filter(|d| d.cases.contains(&verdict.case)).collect();
    if let Some(deviation) = here.iter().find(|deviation| deviation.explains(verdict)) {
        verdict.status = Status::Known;
        note(verdict, "known deviation", deviation.in_words());
    } else if let (Some(deviation), Status::Pass, false) =
        (here.first(), verdict.status, is_over_all_traces(verdict))
    {
        verdict.status = Status::Fixed;
        note(verdict, "listed as a known deviation", deviation.in_words());
    }
}

/// Whether the verdict is one over all that was recorded: that nothing was amiss in some cases does not say that all is.
fn is_over_all_traces(verdict: &Verdict) -> bool {
    verdict.case.starts_with("universal/")
}

fn note(verdict: &mut Verdict, place: &str, observed: String) {
    verdict.findings.push(Finding { place: place.to_owned(), observed, ..Default::default() });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deviation(yaml: &str) -> Deviation {
        serde_yaml::from_str(yaml).unwrap()
    }

    fn verdict(status: Status, observed: &str) -> Verdict {
        let findings = vec![Finding { observed: observed.to_owned(), ..Finding::default() }];
        Verdict { case: "F#phase/onload".to_owned(), status, findings, ..Verdict::default() }
    }

    const LISTED: &str = "{cases: ['F#phase/onload'], on: {releases: 8..25, vm: Server}, shows: crash, observed: SIGABRT, \
                          reason: asserts, evidence: seen, tracker: JDK-1}";

    #[test]
    fn only_what_fails_as_listed_is_known() {
        let marked = |mut v: Verdict| {
            mark(&mut v, &[deviation(LISTED)]);
            v.status
        };
        assert_eq!(marked(verdict(Status::Crash, "ended by SIGABRT")), Status::Known);
        assert_eq!(marked(verdict(Status::Crash, "ended by SIGSEGV")), Status::Crash);
        assert_eq!(marked(verdict(Status::Fail, "SIGABRT")), Status::Fail);
        assert_eq!(marked(verdict(Status::Pass, "")), Status::Fixed);
        assert_eq!(marked(verdict(Status::Inapplicable, "")), Status::Inapplicable);
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
    fn conditions_on_the_jvm_are_combined() {
        let on = deviation(LISTED).on;
        let jvm = |release, name: &str| Jvm { release, vm_name: name.to_owned(), ..Jvm::default() };
        assert!(on.contain(&jvm(17, "OpenJDK 64-Bit Server VM"), &[]));
        assert!(!on.contain(&jvm(26, "OpenJDK 64-Bit Server VM"), &[]));
        assert!(!on.contain(&jvm(17, "OpenJDK 64-Bit Zero VM"), &[]));
        let with_option = Jvms { options: vec!["-Xint".to_owned()], ..Jvms::default() };
        assert!(with_option.contain(&jvm(17, ""), &["-Xint".to_owned()]));
        assert!(!with_option.contain(&jvm(17, ""), &[]));
    }
}
