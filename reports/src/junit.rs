//! JUnit XML: a suite for each JVM, a test case for each verdict.
//!
//! CI servers know four outcomes. An unexpected verdict is a failure, or an error if the harness itself failed. A
//! permitted deviation passes with a note. Inapplicable cases and known deviations are skipped with the reason.

use std::path::Path;
use std::time::Duration;

use chrono::DateTime;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::output::{self, OutputError};
use crate::results::{AssertionInfo, JvmRun, Results, Status, Verdict};
use crate::summary::labels;
use crate::terminal::{Style, failure};
use crate::visible;

/// The report as XML.
pub fn render(results: &Results) -> String {
    let mut report = Report::new("jvmti-check");
    report.set_time(Duration::from_millis(results.wall_ms));
    let started = DateTime::parse_from_rfc3339(&results.started).ok();
    for (run, label) in results.runs.iter().zip(labels(results)) {
        let mut suite = TestSuite::new(visible::line(&label));
        suite.set_time(Duration::from_millis(run.wall_ms));
        if let Some(started) = started {
            suite.set_timestamp(started);
        }
        for (name, value) in properties(results, run) {
            suite.add_property((name, visible::line(&value).as_ref()));
        }
        suite.add_test_cases(run.verdicts.iter().map(|v| test_case(v, run, &results.assertions)));
        report.add_test_suite(suite);
    }
    // Infallible: the writer is memory, and what XML cannot hold is escaped above.
    report.to_string().unwrap_or_default()
}

/// Writes the complete report, or nothing if that fails.
pub fn write(results: &Results, path: &Path) -> Result<(), OutputError> {
    output::write(path, render(results).as_bytes())
}

fn properties(results: &Results, run: &JvmRun) -> [(&'static str, String); 10] {
    let jvm = &run.jvm;
    [
        ("java.home", jvm.home.clone()),
        ("java.version", jvm.version.clone()),
        ("java.vendor", jvm.vendor.clone()),
        ("java.vm.name", jvm.vm_name.clone()),
        ("java.vm.version", jvm.vm_version.clone()),
        ("jvmti.version", jvm.jvmti_version.clone()),
        ("vm.configuration", run.configuration.clone().unwrap_or_default()),
        ("vm.options", run.vm_options.join(" ")),
        ("machine", run.machine.clone()),
        ("jvmti-check.version", results.suite.version.clone()),
    ]
}

fn test_case(verdict: &Verdict, run: &JvmRun, assertions: &[AssertionInfo]) -> TestCase {
    let reason = visible::line(&reason(verdict)).into_owned();
    let details = || failure(verdict, run, assertions, Style::PLAIN);
    let status = match verdict.status {
        Status::Pass | Status::Permitted | Status::Fixed => TestCaseStatus::success(),
        Status::Inapplicable | Status::Known => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("{}: {reason}", verdict.status.name()));
            status
        }
        Status::Fail | Status::Crash | Status::Timeout | Status::Error => {
            let own = verdict.status == Status::Error;
            let mut status = TestCaseStatus::non_success(if own {
                NonSuccessKind::Error
            } else {
                NonSuccessKind::Failure
            });
            status.set_type(verdict.status.name()).set_message(reason.clone()).set_description(details());
            status
        }
    };
    let mut case = TestCase::new(visible::line(&verdict.case), status);
    let subject = verdict.subject.as_deref().unwrap_or("general");
    case.set_classname(visible::line(&format!("{}.{subject}", verdict.chapter)));
    case.set_time(Duration::from_micros(verdict.micros));
    match verdict.status {
        Status::Permitted => {
            case.set_system_out(format!("Permitted deviation.\n{}", details()));
        }
        Status::Fixed => {
            case.set_system_out("The case passes, but is listed as a known deviation: update the list.");
        }
        _ => {}
    }
    case
}

/// In one line: what was observed and what the JVM says of its crash; of a known deviation what the list says.
fn reason(verdict: &Verdict) -> String {
    let listed =
        verdict.findings.iter().find(|f| f.tells_of_list()).filter(|_| verdict.status == Status::Known);
    let first = listed.or(verdict.findings.first()).map(|f| f.observed.clone()).unwrap_or_default();
    match &verdict.crash {
        Some(crash) if listed.is_none() => format!("{first}; {}", crash.said.join("; ")),
        _ => first,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quick_xml::events::Event;

    use super::*;
    use crate::sample;

    /// Names of the elements, and every text and attribute value, as an XML parser sees them.
    fn parsed(xml: &str) -> Result<(Vec<String>, Vec<String>), String> {
        let mut reader = quick_xml::Reader::from_str(xml);
        let (mut names, mut texts) = (Vec::new(), Vec::new());
        loop {
            match reader.read_event().map_err(|e| e.to_string())? {
                Event::Start(e) | Event::Empty(e) => {
                    names.push(String::from_utf8_lossy(e.name().as_ref()).into_owned());
                    for attribute in e.attributes() {
                        let attribute = attribute.map_err(|e| e.to_string())?;
                        texts.push(attribute.unescape_value().map_err(|e| e.to_string())?.into_owned());
                    }
                }
                Event::Text(t) => texts.push(t.decode().map_err(|e| e.to_string())?.into_owned()),
                Event::Eof => return Ok((names, texts)),
                _ => {}
            }
        }
    }

    fn count(xml: &str, element: &str) -> usize {
        parsed(xml).unwrap().0.iter().filter(|n| *n == element).count()
    }

    /// XML 1.0, production 2.
    fn is_xml_char(c: char) -> bool {
        matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
    }

    #[test]
    fn each_status_as_ci_servers_know_it() {
        insta::assert_snapshot!(render(&sample::small()));
    }

    #[test]
    fn hostile_names_stay_text() {
        let xml = render(&sample::hostile());
        let (names, texts) = parsed(&xml).unwrap();
        assert!(names.iter().all(|n| n != "img" && n != "script"));
        assert!(texts.iter().any(|t| t.contains("</script><img src=x onerror=alert(1)>")), "{texts:?}");
        assert!(xml.chars().all(is_xml_char));
        assert_eq!(count(&xml, "testcase"), 14);
    }

    proptest! {
        #[test]
        fn any_results_make_valid_xml(results in sample::any_results()) {
            let xml = render(&results);
            prop_assert!(xml.chars().all(is_xml_char));
            prop_assert_eq!(count(&xml, "testcase"), results.runs[0].verdicts.len());
        }
    }
}
