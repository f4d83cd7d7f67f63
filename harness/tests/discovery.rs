//! Finding JDKs: every place is looked at, each home is found once, and what is none is said.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod support;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jvmti_runner::jvm::places::Surroundings;
use jvmti_runner::jvm::{Jdk, JdkError, discover, named};
use support::trials::{Tested, tests};
use support::{fake_home, foreign_library};

fn around(root: &Path, variables: &[(&str, &Path)]) -> Surroundings {
    Surroundings {
        variables: variables.iter().map(|(n, v)| (OsString::from(n), v.as_os_str().to_owned())).collect(),
        home: Some(root.join("home/user")),
        root: root.to_owned(),
    }
}

/// A home at that place.
fn home_at(place: &Path) -> PathBuf {
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    let made = fake_home(place.parent().unwrap(), "exit 1");
    std::fs::rename(made, place).unwrap();
    place.to_owned()
}

fn every_place_is_looked_at_and_each_home_found_once() -> Tested {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let system = home_at(&root.join("usr/lib/jvm/jdk-11"));
    let older = home_at(&root.join("usr/lib/jvm/jdk-9"));
    std::os::unix::fs::symlink("jdk-11", root.join("usr/lib/jvm/default")).unwrap();
    let mut others = Vec::new();
    for place in [
        ".sdkman/candidates/java/21",
        ".asdf/installs/java/17",
        ".local/share/mise/installs/java/25",
        ".jdks/8",
    ] {
        others.push(home_at(&root.join("home/user").join(place)));
    }
    std::fs::create_dir_all(root.join("home/user/.jenv/versions")).unwrap();
    std::os::unix::fs::symlink(&others[0], root.join("home/user/.jenv/versions/21")).unwrap();
    let path = older.join("bin");

    let found = discover(&around(&root, &[("JAVA_HOME", &system), ("PATH", &path)]));
    let homes: Vec<&PathBuf> = found.jdks.iter().map(|jdk| &jdk.home).collect();
    let mut expected = vec![&system, &older];
    expected.extend(&others);
    assert_eq!(homes, expected);
    assert_eq!(found.jdks[0].found, ["JAVA_HOME", "/usr/lib/jvm"]);
    assert_eq!(found.jdks[1].found, ["PATH", "/usr/lib/jvm"]);
    assert_eq!(found.jdks[2].found, ["SDKMAN", "jenv"]);
    assert!(found.rejected.is_empty());
    Ok(())
}

fn tools_may_keep_their_jdks_elsewhere() -> Tested {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let moved = home_at(&root.join("srv/asdf/installs/java/17"));
    let found = discover(&around(&root, &[("ASDF_DATA_DIR", &root.join("srv/asdf"))]));
    assert_eq!(found.jdks.iter().map(|jdk| &jdk.home).collect::<Vec<_>>(), [&moved]);
    Ok(())
}

fn without_any_jdk_all_that_was_looked_at_is_told() -> Tested {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    foreign_library(&root.join("usr/lib/jvm/foreign/lib/server/libjvm.so"));
    std::fs::create_dir_all(root.join("usr/lib/jvm/foreign/bin")).unwrap();
    std::fs::write(root.join("usr/lib/jvm/foreign/bin/java"), "").unwrap();
    let found = discover(&around(root, &[("JAVA_HOME", &root.join("nowhere"))]));
    assert!(found.jdks.is_empty());
    let text = found.nothing_found();
    for part in [
        "JAVA_HOME (",
        "not a JDK",
        "PATH (no java on it)",
        "/usr/lib/jvm",
        "SDKMAN",
        "asdf",
        "mise",
        "jenv",
        "unusable:",
        "64-bit riscv64",
        "apt-get install default-jdk-headless",
        "--jdk PATH",
    ] {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
    Ok(())
}

fn a_named_path_is_a_home_a_launcher_or_a_folder_of_homes() -> Tested {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let (nine, eleven) = (home_at(&root.join("jdks/jdk-9")), home_at(&root.join("jdks/jdk-11")));
    let homes = |paths: &[PathBuf]| named(paths).unwrap().into_iter().map(|jdk| jdk.home).collect::<Vec<_>>();
    assert_eq!(homes(std::slice::from_ref(&nine)), std::slice::from_ref(&nine));
    assert_eq!(homes(&[nine.join("bin/java")]), std::slice::from_ref(&nine));
    assert_eq!(homes(&[root.join("jdks")]), [nine.clone(), eleven]);
    assert_eq!(homes(&[nine.clone(), nine.join("bin/java")]), [nine]);
    Ok(())
}

fn the_layout_of_jdk_8_is_known() -> Tested {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let home = home_at(&root.join("jdk8"));
    std::fs::create_dir_all(home.join("jre/lib/amd64")).unwrap();
    std::fs::rename(home.join("lib/server"), home.join("jre/lib/amd64/server")).unwrap();
    std::fs::create_dir_all(home.join("jre/bin")).unwrap();
    std::fs::rename(home.join("bin/java"), home.join("jre/bin/java")).unwrap();
    std::os::unix::fs::symlink("../jre/bin/java", home.join("bin/java")).unwrap();
    for path in [home.clone(), home.join("jre"), home.join("bin/java"), home.join("jre/bin/java")] {
        let jdk = named(std::slice::from_ref(&path)).unwrap().remove(0);
        assert_eq!((jdk.home, jdk.vm), (home.clone(), home.join("jre/lib/amd64/server/libjvm.so")));
    }
    Ok(())
}

fn what_is_no_jdk_is_said() -> Tested {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let error = |path: PathBuf| named(&[path]).unwrap_err();

    assert!(matches!(error(root.join("absent")), JdkError::Missing(_)));
    std::fs::create_dir(root.join("empty")).unwrap();
    assert!(matches!(error(root.join("empty")), JdkError::NotAJdk(_)));
    std::fs::write(root.join("file"), "").unwrap();
    assert!(matches!(error(root.join("file")), JdkError::NotAJdk(_)));

    let hollow = home_at(&root.join("hollow"));
    std::fs::remove_file(hollow.join("lib/server/libjvm.so")).unwrap();
    let no_vm = error(hollow);
    assert!(matches!(no_vm, JdkError::NoVm { .. }));
    assert!(no_vm.to_string().contains("no libjvm.so in the folder server"));

    let text = home_at(&root.join("text"));
    std::fs::write(text.join("lib/server/libjvm.so"), "this is no library, whatever its name says").unwrap();
    assert!(matches!(error(text), JdkError::Unreadable { .. }));

    let foreign = home_at(&root.join("foreign"));
    foreign_library(&foreign.join("lib/server/libjvm.so"));
    let told = error(foreign).to_string();
    assert!(told.contains("64-bit riscv64") && told.contains("only agents of its own kind"), "{told}");
    Ok(())
}

fn real_jdks_are_recognised() -> Tested {
    let jdk: Jdk = support::real_jdk()?;
    assert!(jdk.java.is_file() && jdk.vm.is_file());
    assert_eq!(named(std::slice::from_ref(&jdk.home)).unwrap()[0].home, jdk.home);
    Ok(())
}

tests! { every_place_is_looked_at_and_each_home_found_once, tools_may_keep_their_jdks_elsewhere, without_any_jdk_all_that_was_looked_at_is_told, a_named_path_is_a_home_a_launcher_or_a_folder_of_homes, the_layout_of_jdk_8_is_known, what_is_no_jdk_is_said, real_jdks_are_recognised }
