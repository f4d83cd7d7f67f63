//! Exploring a real JVM.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod support;

use support::sandbox::{Sandbox, assert_says, said, text};
use support::trials::{Tested, tests};
use support::{fake_home, real_jdk};

/// What several threads do at the same time may crash a real JVM now and then. Such a finding is real, but no test can list it: so
/// one that explore could not repeat does not fail here.
fn a_few_hundred_sequences_show_nothing_that_is_not_listed() -> Tested {
    let place = Sandbox::new();
    let home = text(real_jdk()?.home);
    let explore =
        ["explore", "--jdk", &home, "--seed", "1", "--sequences", "300", "--minutes", "5", "--coverage"];
    let output = place.run(&explore);
    let all = said(&output);
    let found = all.matches("# Found by `jvmti-check explore`").count();
    let by_chance = all.matches("\n  by chance, met ").count();
    assert_eq!(found, by_chance, "{all}");
    assert_says(
        &output,
        i32::from(found > 0),
        &["that the specification permits", "sequences", "never called"],
    );
    Ok(())
}

fn the_same_seed_makes_the_same_calls() -> Tested {
    let place = Sandbox::new();
    let home = text(real_jdk()?.home);
    let functions =
        ["--functions", "GetTag,SetTag,SuspendThread,ResumeThread", "--sequences", "150", "-j", "1"];
    let calls = |seed: &str| {
        let explore =
            [&["explore", "--jdk", &home, "--seed", seed, "--minutes", "5"], &functions[..]].concat();
        let said = said(&place.run(&explore));
        let counts = said.split(';').find(|part| part.contains(" sequences, ")).map(str::to_owned).unwrap();
        counts.split(" states").next().unwrap().to_owned()
    };
    assert_eq!(calls("7"), calls("7"));
    assert_ne!(calls("7"), calls("8"));
    Ok(())
}

fn wrong_names_are_told() -> Tested {
    let place = Sandbox::new();
    let home = text(real_jdk()?.home);
    assert_says(
        &place.run(&["explore", "--jdk", &home, "--functions", "GetTagg"]),
        2,
        &["no function GetTagg"],
    );
    Ok(())
}

/// Somebody sends SIGTERM to the JVM that is about to start.
fn a_jvm_that_somebody_ends_early_starts_again() -> Tested {
    real_jdk()?;
    let place = Sandbox::new();
    let mark = place.path().join("ended");
    let ends_once = format!(
        "case \"$*\" in *jvmticheck.explore*) [ -e '{0}' ] || {{ : >'{0}'; kill -TERM $$; }};; esac\nexec \"$REAL\" \"$@\"",
        mark.display()
    );
    let home = text(fake_home(place.path(), &ends_once));
    let explore = ["explore", "--jdk", &home, "--functions", "GetTag", "--sequences", "20", "-j", "1"];
    assert_says(&place.run(&explore), 0, &[" sequences, "]);
    assert!(mark.exists());
    Ok(())
}

tests![
    a_jvm_that_somebody_ends_early_starts_again,
    a_few_hundred_sequences_show_nothing_that_is_not_listed,
    the_same_seed_makes_the_same_calls,
    wrong_names_are_told,
];
