//! What commands tell of the cases of a release without running them. Of the built-in cases the program has it inside: to expand
//! the rules takes a tenth of a second.

use std::collections::BTreeSet;

use jvmti_cases::outline::{Outline, Outlines};
use jvmti_spec::{Release, Spec};

use super::cases::CaseArgs;
use super::fault::Fault;

/// Those of the built-in cases, as the build script wrote them.
static BUILT_IN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/outlines.postcard"));

/// The outline of the cases of these files for the release.
pub fn outline(args: &CaseArgs, release: Release) -> Result<Outline, Fault> {
    match built_in(args).and_then(|built_in| built_in.of(release.clamped())) {
        Some(outline) => Ok(outline),
        None => Ok(expanded(args, &[release])?.remove(0)),
    }
}

/// For each of the releases, the statements that cases of these files cite.
pub fn cited(args: &CaseArgs, releases: &[Release]) -> Result<Vec<BTreeSet<String>>, Fault> {
    let built_in = built_in(args);
    let known = |release: &Release| built_in.as_ref()?.cited(release.clamped());
    match releases.iter().map(known).collect() {
        Some(cited) => Ok(cited),
        None => Ok(expanded(args, releases)?.iter().map(Outline::cited).collect()),
    }
}

fn built_in(args: &CaseArgs) -> Option<Outlines<'static>> {
    args.are_built_in().then(|| Outlines::read(BUILT_IN)).flatten()
}

/// What the case files come to in each of the releases.
fn expanded(args: &CaseArgs, releases: &[Release]) -> Result<Vec<Outline>, Fault> {
    // To free them takes long, and the command is about to end.
    let set = std::mem::ManuallyDrop::new(args.load()?);
    let outline = |release: &Release| {
        let selection = set.for_release(&Spec::embedded().at(*release)).map_err(Fault::Diagnostics)?;
        Ok(selection.into())
    };
    releases.iter().map(outline).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outlines_inside_tell_what_the_case_files_come_to() {
        let args = CaseArgs::default();
        let inside = built_in(&args).expect("the build script wrote it");
        for release in [Release::OLDEST, Release(19), Release::NEWEST] {
            let expanded = expanded(&args, &[release]).map_err(|_| "faulty").unwrap().remove(0);
            assert!(inside.of(release) == Some(expanded), "{release}");
        }
    }
}
