//! Where results come from: digests of the JVM, of the suite and of the cases, and `jvmti-check report verify`.

use std::io;
use std::path::{Path, PathBuf};

use jvmti_cases::CaseSet;
use jvmti_reports::json;
use jvmti_results::{Build, JvmRun, Results};
use jvmti_runner::jvm::{self, Jdk};
use sha2::{Digest, Sha256};

use super::Completed;
use super::cases::CaseArgs;
use super::fault::Fault;
use super::terminal::{heard, print};

/// The digest of all case files.
pub fn of_cases(set: &CaseSet) -> String {
    let mut files: Vec<_> = set.sources().collect();
    files.sort_by(|a, b| (&a.name, &a.text).cmp(&(&b.name, &b.text)));
    let mut digest = Sha256::new();
    for file in files {
        // With their lengths, so that nothing can move from one to the next.
        for part in [&file.name, &file.text] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part.as_bytes());
        }
    }
    hex(&digest.finalize())
}

/// The digests of a JDK's JVM and of its `release` file.
pub fn of_build(jdk: &Jdk) -> io::Result<Build> {
    let release = of_file(&jdk.home.join("release")).ok();
    Ok(Build { vm: of_file(&jdk.vm)?, release })
}

fn of_file(path: &Path) -> io::Result<String> {
    let mut digest = Sha256::new();
    io::copy(&mut std::fs::File::open(path)?, &mut digest)?;
    Ok(hex(&digest.finalize()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The arguments of `report verify`.
#[derive(clap::Args)]
#[command(after_help = "\
Checks that nobody edited the results, that they are of this version of the suite and of these cases, and that the JVMs \
that they name are, file by file, those that were tested.

Exit code 1: something differs, or cannot be checked.

Example:
  jvmti-check report verify results.json --jdk /opt/jdk-25")]
pub struct Args {
    /// Results that `run --out` wrote
    #[arg(value_name = "results.json")]
    results: PathBuf,
    /// Compare with this JVM instead of those in the places that the results name. May be repeated
    #[arg(long, value_name = "PATH")]
    jdk: Vec<PathBuf>,
    #[command(flatten)]
    cases: CaseArgs,
}

/// Checks where results come from.
pub fn verify(args: &Args) -> Result<Completed, Fault> {
    // Reading refuses what was edited.
    let results = json::read(&args.results).map_err(Fault::input)?;
    let sealed = std::fs::read_to_string(&args.results).is_ok_and(|text| text.contains("\"digest\""));
    let here = of_cases(&args.cases.load()?);
    let jdks = if args.jdk.is_empty() { Vec::new() } else { jvm::named(&args.jdk).map_err(Fault::input)? };
    let mut lines = vec![
        line(
            sealed,
            "content",
            if sealed { "as it was written" } else { "no digest: it may have been edited" },
        ),
        suite(&results),
        match &results.suite.cases {
            Some(cases) if *cases == here => line(true, "cases", "those of this program"),
            Some(_) => line(false, "cases", "others than those of this program"),
            None => line(false, "cases", "no digest in the results"),
        },
    ];
    lines.extend(results.runs.iter().map(|run| jvm(run, &jdks)));
    heard(print(&lines.iter().map(|(_, text)| format!("{text}\n")).collect::<String>()))?;
    let all = lines.iter().all(|(holds, _)| *holds);
    Ok(if all { Completed::Fine } else { Completed::Unexpected })
}

fn line(holds: bool, what: &str, said: &str) -> (bool, String) {
    (holds, format!("{:<7}  {what}: {said}", if holds { "ok" } else { "DIFFERS" }))
}

fn suite(results: &Results) -> (bool, String) {
    let (there, here) = (&results.suite, crate::suite());
    let commit = there.commit.as_deref().unwrap_or("unknown");
    let said = format!("jvmti-check {}, commit {commit}", there.version);
    line(
        there.version == here.version && (there.commit == here.commit || here.commit.is_none()),
        "suite",
        &said,
    )
}

fn jvm(run: &JvmRun, jdks: &[Jdk]) -> (bool, String) {
    let what = run.short();
    let Some(build) = &run.build else { return line(false, &what, "no digest in the results") };
    let named = [PathBuf::from(&run.jvm.home)];
    let found = if jdks.is_empty() { jvm::named(&named).unwrap_or_default() } else { jdks.to_vec() };
    let same = |jdk: &&Jdk| of_build(jdk).is_ok_and(|here| here == *build);
    match found.iter().find(same) {
        Some(jdk) => line(true, &what, &format!("the build in {}", jdk.home.display())),
        None if found.is_empty() => line(false, &what, &format!("no JVM in {}", run.jvm.home)),
        None => line(false, &what, "another build than the one that was tested"),
    }
}

#[cfg(test)]
mod tests {
    use jvmti_cases::source::SourceFile;

    use super::*;

    #[test]
    fn the_digest_of_cases_is_that_of_their_texts() {
        let file = |name: &str, text: &str| SourceFile { name: name.into(), text: text.into() };
        let of = |files: Vec<SourceFile>| of_cases(&CaseSet::read(files).unwrap());
        let (a, b) = ("chapter: thread\ncases: []\n", "chapter: heap\ncases: []\n");
        assert_eq!(
            of(vec![file("a.yaml", a), file("b.yaml", b)]),
            of(vec![file("b.yaml", b), file("a.yaml", a)])
        );
        assert_ne!(of(vec![file("a.yaml", a)]), of(vec![file("a.yaml", b)]));
        assert_ne!(of(vec![file("a.yaml", a)]), of(vec![file("b.yaml", a)]));
    }

    #[test]
    fn another_build_is_told() {
        let run = JvmRun { build: Some(Build::default()), ..JvmRun::default() };
        assert!(!jvm(&run, &[]).0);
        assert!(!jvm(&JvmRun::default(), &[]).0);
    }
}
