use super::*;
use crate::sample;

fn small() -> Results {
    let mut results = sample::small();
    for run in &mut results.runs {
        for verdict in &mut run.verdicts {
            verdict.reproduce = format!("jvmti-check run '{}' --jdk '{}'", verdict.case, run.jvm.home);
        }
    }
    results
}

fn round(results: &Results) -> (Results, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    write(results, folder.path()).unwrap();
    (read(folder.path()).unwrap(), folder)
}

/// What publishing is meant to keep, in an order that doesn't depend on the way.
fn kept(results: &Results) -> Results {
    let mut kept = arranged(results);
    for run in &mut kept.runs {
        for verdict in &mut run.verdicts {
            verdict.trace = None;
            if verdict.status == Status::Pass {
                (verdict.micros, verdict.story) = (0, Vec::new());
            }
            if verdict.status == Status::Inapplicable {
                (verdict.micros, verdict.story, verdict.asserted) = (0, Vec::new(), 0);
            }
        }
        run.verdicts.sort_by(|a, b| a.case.cmp(&b.case));
    }
    kept
}

#[test]
fn commands_are_kept_for_every_case() {
    let read = round(&small()).0;
    let all = read.runs.iter().flat_map(|run| &run.verdicts);
    for verdict in all {
        assert_eq!(verdict.reproduce, format!("jvmti-check run '{}' --jdk $JAVA_HOME", verdict.case));
    }
}

#[test]
fn what_is_published_is_what_was_found() {
    for results in [small(), sample::large()] {
        let mut read = round(&results).0;
        for run in &mut read.runs {
            run.verdicts.sort_by(|a, b| a.case.cmp(&b.case));
        }
        let mut kept = kept(&results);
        for (run, read) in kept.runs.iter_mut().zip(&mut read.runs) {
            // A verdict on what doesn't apply is described as where it does.
            for (a, b) in run.verdicts.iter_mut().zip(&mut read.verdicts) {
                assert_eq!(
                    (&a.case, a.status, &a.findings, &a.reproduce),
                    (&b.case, b.status, &b.findings, &b.reproduce)
                );
                if a.status != Status::Inapplicable {
                    assert_eq!(a, b);
                }
                b.clone_from(a);
            }
        }
        assert_eq!(read, kept);
    }
}

#[test]
fn places_of_the_machine_are_left_out() {
    let (_, folder) = round(&small());
    for entry in fs::read_dir(folder.path()).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains("/opt/jdk"), "{text}");
    }
}

#[test]
fn changed_and_mixed_files_are_refused() {
    let (_, folder) = round(&small());
    let path = folder.path().join("17.0.17-debian.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"known\"", "\"pass\"")).unwrap();
    assert!(matches!(read(folder.path()), Err(ResultsError::Edited { .. })));
    let mut other = small();
    other.suite.version = "0.2.0".into();
    let (_, another) = round(&other);
    fs::copy(another.path().join("17.0.17-debian.json"), &path).unwrap();
    let error = read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("another suite.json"), "{error}");
    fs::remove_file(&path).unwrap();
    assert!(matches!(read(folder.path()), Err(ResultsError::Unreadable { .. })));
}

#[test]
fn any_label_makes_a_file_name() {
    let names = file_names(&sample::hostile());
    assert!(
        names.iter().all(|n| n.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c))),
        "{names:?}"
    );
    assert_ne!(names[0], names[1]);
}

#[test]
fn what_is_published_no_more_goes() {
    let (_, folder) = round(&small());
    let mut fewer = small();
    fewer.runs.remove(0);
    write(&fewer, folder.path()).unwrap();
    let mut left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    assert_eq!(left, ["17.0.17-debian.json", "README.md", "suite.json"]);
}

#[test]
fn what_no_jvm_has_tested_is_listed() {
    let mut results = small();
    let title = "## Tested on none of these JVMs";
    assert!(!readme::readme(&results).contains(title));
    let never = results.runs[0].verdicts[0].case.clone();
    for verdict in results.runs.iter_mut().flat_map(|run| &mut run.verdicts) {
        let is_it = verdict.case == never;
        verdict.status = if is_it { Status::Inapplicable } else { Status::Pass };
        verdict.cites = vec![results.assertions[usize::from(is_it)].id.clone()];
        for finding in &mut verdict.findings {
            finding.observed = "it did not come".to_owned();
            finding.cites.clear();
        }
    }
    let text = readme::readme(&results);
    let table = text.split_once(title).unwrap().1;
    let row = format!(
        "| {} | {} |",
        crate::markdown::text(&results.assertions[1].id),
        crate::markdown::text(&never)
    );
    assert!(table.contains(&row), "{table}");
    assert!(!table.contains(&format!("| {} |", crate::markdown::text(&results.assertions[0].id))), "{table}");
}

#[test]
fn a_table_shows_them() {
    let (_, folder) = round(&small());
    insta::assert_snapshot!(fs::read_to_string(folder.path().join("README.md")).unwrap());
}
