//! Compares the merged facts with the published specification, as the importer reads it.
//!
//! The pages are not in the repository: `JVMTI_CHECK_SPEC_DOCS` names a folder with `jvmti-<release>.html`. Without it
//! the tests are ignored, with this reason.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;

use jvmti_spec::{Release, Spec, import};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// A test of the page of a release.
type Test = fn(Release, &str) -> Result<(), Failed>;

const FOLDER: &str = "JVMTI_CHECK_SPEC_DOCS";

fn main() -> ExitCode {
    let tests: [(&str, Test); 2] =
        [("facts_agree", facts_agree), ("assertions_point_into_the_page", assertions_point_into_the_page)];
    let trials = Release::REVIEWED.into_iter().flat_map(|release| {
        tests.map(|(name, test)| {
            Trial::ignorable_test(format!("{name}::{release}"), move || on_page(release, test))
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn on_page(release: Release, test: Test) -> Result<Completion, Failed> {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        return Ok(Completion::ignored_with(format!(
            "{FOLDER} does not name a folder with the published pages"
        )));
    };
    let file = folder.join(format!("jvmti-{release}.html"));
    let html = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    test(release, &html).map(|()| Completion::Completed)
}

fn facts_agree(release: Release, html: &str) -> Result<(), Failed> {
    let imported = import::read(html).map_err(|error| error.to_string())?;
    if imported.release != release {
        return Err(format!("this is the page of release {}", imported.release).into());
    }
    let changes = import::changes(Spec::embedded(), &imported);
    if changes.is_empty() { Ok(()) } else { Err(changes.to_string().into()) }
}

fn assertions_point_into_the_page(release: Release, html: &str) -> Result<(), Failed> {
    let values =
        |attribute| html.split(attribute).skip(1).filter_map(|rest: &str| Some(rest.split_once('"')?.0));
    let anchors: HashSet<&str> = values(" id=\"").chain(values(" name=\"")).collect();
    let assertions = Spec::embedded().assertions(release);
    let lost: Vec<String> = assertions
        .iter()
        .filter(|assertion| !anchors.contains(assertion.anchor.as_str()))
        .map(|assertion| format!("{} points to #{}", assertion.id, assertion.anchor))
        .collect();
    if lost.is_empty() { Ok(()) } else { Err(lost.join("\n").into()) }
}
