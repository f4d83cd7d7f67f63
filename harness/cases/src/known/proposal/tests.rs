use jvmti_results::{Finding, Jvm, Verdict};

use super::*;
use crate::source::SourceFile;

const LISTED: &str = "# What is known.
- cases: [a/one, a/two, a/three]
  on: {releases: 8..25, vm: Server}
  shows: fail
  reason: All three.
  evidence: Seen.
# The other.
- cases:
  - a/four
  on: {vm: Server}
  shows: crash
  reason: Another.
  evidence: Seen.
";

fn set() -> CaseSet {
    CaseSet::read([SourceFile { name: "known/a.yaml".to_owned(), text: LISTED.to_owned() }]).unwrap()
}

fn run(release: u16, vm: &str, verdicts: &[(&str, Status)]) -> JvmRun {
    let jvm = Jvm {
        release,
        version: format!("{release}.0.1"),
        vendor: "Debian".to_owned(),
        vm_name: format!("OpenJDK 64-Bit {vm} VM"),
        ..Jvm::default()
    };
    let verdict = |(case, status): &(&str, Status)| Verdict {
        case: (*case).to_owned(),
        chapter: "a".to_owned(),
        status: *status,
        findings: vec![Finding { observed: "NONE".to_owned(), ..Finding::default() }],
        ..Verdict::default()
    };
    JvmRun { jvm, verdicts: verdicts.iter().map(verdict).collect(), ..JvmRun::default() }
}

/// What the one file becomes, whose new text can be read.
fn becomes(runs: Vec<JvmRun>) -> (Option<String>, Vec<String>) {
    let proposal = propose(&set(), &Results { runs, ..Results::default() });
    let [change] = &proposal.changes[..] else { panic!("{proposal:?}") };
    assert_eq!((change.file.as_str(), change.before.as_str()), ("known/a.yaml", LISTED));
    if let Some(text) = &change.after {
        CaseSet::read([SourceFile { name: change.file.clone(), text: text.clone() }]).unwrap();
    }
    (change.after.clone(), proposal.remarks)
}

#[test]
fn what_is_as_listed_stays() {
    let runs = vec![run(17, "Server", &[("a/one", Status::Known), ("a/four", Status::Known)])];
    assert_eq!(propose(&set(), &Results { runs, ..Results::default() }), Proposal::default());
}

#[test]
fn what_is_mended_everywhere_goes() {
    let (text, _) = becomes(vec![run(17, "Server", &[("a/one", Status::Fixed), ("a/two", Status::Known)])]);
    let text = text.unwrap();
    assert!(text.contains("- cases: [a/two, a/three]\n"), "{text}");
    assert!(text.contains("a/four") && text.starts_with("# What is known.\n"), "{text}");
    let all = ["a/one", "a/two", "a/three", "a/four"].map(|case| (case, Status::Fixed));
    assert_eq!(becomes(vec![run(17, "Server", &all)]).0, None, "a list of nothing is no file");
    let (text, _) = becomes(vec![run(17, "Server", &[("a/four", Status::Fixed)])]);
    assert_eq!(text.unwrap(), LISTED.split_inclusive("# The other.\n").next().unwrap());
}

#[test]
fn what_is_mended_in_later_releases_is_narrowed_down() {
    let runs = vec![
        run(11, "Server", &[("a/one", Status::Known), ("a/two", Status::Known)]),
        run(17, "Server", &[("a/one", Status::Fixed), ("a/two", Status::Known)]),
    ];
    let (text, remarks) = becomes(runs);
    let text = text.unwrap();
    assert!(text.contains("- cases: [a/two, a/three]\n  on: {releases: 8..25, vm: Server}\n"), "{text}");
    assert!(
        text.contains("- cases: [a/one]\n  on: {releases: 8..11, vm: Server}\n  shows: fail\n"),
        "{text}"
    );
    assert_eq!(remarks, [""; 0]);
}

#[test]
fn what_no_release_tells_apart_is_left_to_people() {
    let of = |status| run(17, "Server", &[("a/one", status)]);
    let runs = vec![of(Status::Known), of(Status::Fixed)];
    let proposal = propose(&set(), &Results { runs, ..Results::default() });
    assert!(proposal.changes.is_empty());
    assert!(proposal.remarks[0].starts_with("a/one passes on some JVMs of Server 8..25"), "{proposal:?}");
}

#[test]
fn what_fails_is_added_with_the_releases_and_kinds_that_fail() {
    let runs = vec![
        run(8, "Server", &[("a/new", Status::Pass), ("a/newer", Status::Pass)]),
        run(11, "Server", &[("a/new", Status::Fail), ("a/newer", Status::Fail)]),
        run(17, "Server", &[("a/new", Status::Fail), ("a/newer", Status::Fail)]),
        run(17, "Zero", &[("a/new", Status::Pass), ("a/newer", Status::Timeout)]),
        run(21, "Server", &[("a/new", Status::Pass), ("a/newer", Status::Pass)]),
        run(25, "Server", &[("a/new", Status::Fail), ("a/newer", Status::Pass)]),
    ];
    let (text, remarks) = becomes(runs);
    insta::assert_snapshot!(text.unwrap().strip_prefix(LISTED).unwrap());
    assert_eq!(remarks, [""; 0]);
}

#[test]
fn a_failure_of_some_options_is_listed_with_them() {
    let with = |option: &str, status| JvmRun {
        vm_options: vec![option.to_owned()],
        ..run(17, "Server", &[("a/new", status)])
    };
    let (text, remarks) = becomes(vec![with("-Xint", Status::Pass), with("-Xcomp", Status::Fail)]);
    assert!(text.unwrap().contains("on: {releases: \"17\", vm: Server, options: [\"-Xcomp\"]}"));
    assert_eq!(remarks, [""; 0]);
}

#[test]
fn no_chapter_leads_out_of_the_folder() {
    for chapter in ["../../x", "/etc/x", "a/b", "..", "a\0b"] {
        let mut run = run(17, "Server", &[("a/new", Status::Fail)]);
        run.verdicts[0].chapter = chapter.to_owned();
        let proposal = propose(&set(), &Results { runs: vec![run], ..Results::default() });
        assert_eq!(proposal.changes, [], "{chapter}");
        assert!(proposal.remarks[0].contains(chapter), "{proposal:?}");
    }
}
