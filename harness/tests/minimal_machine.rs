//! Verdicts on a machine that offers no locale and no programs to the harness and its JVMs.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod support;

use jvmti_reports::{Results, Status};

use support::real_jdk;
use support::sandbox::{Sandbox, said, text};
use support::trials::{Tested, tests};

/// Cases that pass characters beyond ASCII between the harness and a JVM; the first once needed a program.
const CASES: [&str; 5] = [
    "events/data-dump/signal",
    "class/get-class-signature/unicode",
    "agents/options/two-bytes",
    "agents/options/supplementary",
    "system-properties/set-system-property/utf8",
];

fn verdicts_depend_neither_on_the_locale_nor_on_programs_outside() -> Tested {
    let home = text(real_jdk()?.home);
    for locale in
        [None, Some(("LANG", "C")), Some(("LANG", "en_US.UTF-8")), Some(("LC_ALL", "de_DE.ISO-8859-1"))]
    {
        let place = Sandbox::new();
        let out = place.path().join("out");
        let mut args = vec!["run", "--format", "json", "--jdk", &home, "--out", out.to_str().unwrap()];
        args.extend(CASES);
        let mut command = place.command(&args);
        // Only what `Sandbox` has set stays.
        let own: Vec<_> = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect();
        command.env_clear().envs(own).envs(locale).env("PATH", place.path());
        let output = command.output().unwrap();
        let results: Results =
            serde_json::from_slice(&std::fs::read(out.join("results.json")).unwrap()).unwrap();
        let verdicts = &results.runs[0].verdicts;
        let status =
            |case| verdicts.iter().find(|verdict| verdict.case == case).map(|verdict| verdict.status);
        assert_eq!(status(CASES[0]), Some(Status::Pass), "{locale:?}: {}", said(&output));
        assert!(CASES.into_iter().all(|case| status(case).is_some_and(|s| !s.is_unexpected())), "{locale:?}");
    }
    Ok(())
}

tests! { verdicts_depend_neither_on_the_locale_nor_on_programs_outside }
