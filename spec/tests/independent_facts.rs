//! Compares the facts of each release with facts that were extracted independently.
//!
//! The independent facts are JSON files outside the repository: `../shared/spec-facts` beside it, or the folder
//! named by `JVMTI_CHECK_SPEC_FACTS`. Without them the test is ignored.

mod independent;
#[path = "../../harness/tests/support/trials.rs"]
mod trials;

mod support {
    pub(crate) use crate::trials;
}

use std::path::PathBuf;

use jvmti_spec::{Edition, Release, Spec};
use trials::{Missing, Tested, tests};

/// The folder with the independent facts, if this machine has it.
fn folder() -> Result<PathBuf, Missing> {
    let folder = std::env::var_os("JVMTI_CHECK_SPEC_FACTS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/spec-facts"),
        PathBuf::from,
    );
    if folder.is_dir() { Ok(folder) } else { Err(Missing(format!("no folder {}", folder.display()))) }
}

fn merged_facts_agree_with_independent_ones() -> Tested {
    let folder = folder()?;
    for release in Release::REVIEWED {
        let file = folder.join(format!("jvmti-{release}.json"));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let theirs = independent::edition(&serde_json::from_str(&text).expect("JSON"));
        let ours = Spec::embedded().at(release);
        assert_same(&ours, &theirs);
    }
    Ok(())
}

tests! { merged_facts_agree_with_independent_ones }

/// Compares part by part, so that a failure names the part that differs.
fn assert_same(ours: &Edition, theirs: &Edition) {
    let release = ours.release;
    macro_rules! same {
        ($part:ident by $key:ident) => {
            for (our, their) in ours.$part.iter().zip(&theirs.$part) {
                assert_eq!(our, their, "{} of release {release}", our.$key);
            }
            assert_eq!(ours.$part.len(), theirs.$part.len(), "{} of release {release}", stringify!($part));
        };
    }
    same!(chapters by id);
    same!(functions by name);
    same!(events by name);
    same!(capabilities by name);
    same!(errors by name);
    same!(constants by name);
    same!(callbacks by name);
    same!(structs by name);
    assert_eq!(ours, theirs);
}
