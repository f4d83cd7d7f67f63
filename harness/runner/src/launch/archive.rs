//! Archives of the classes on the class path, from which a JVM takes them instead of from class files.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Launch, LaunchError, Stop, Timeouts, run};

/// What stands for the path of the archive in an option.
const PLACEHOLDER: &str = "{archive}";
/// The option that uses an archive, and the one with which a JVM writes it when it ends.
const USED_BY: &str = "-XX:SharedArchiveFile=";
const WRITTEN_BY: &str = "-XX:ArchiveClassesAtExit=";
/// Loads all classes.
const MAIN_CLASS: &str = "jvmticheck.Archive";
/// How long that may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The launch with the path of an archive in its options, which the JVM has written if it is able to; `None` if no
/// option asks for one. Without the archive, a JVM loads the classes as always.
pub(super) fn provide(launch: &Launch, stop: &Stop) -> Result<Option<Launch>, LaunchError> {
    if !launch.vm_options.iter().any(|option| option.contains(PLACEHOLDER)) {
        return Ok(None);
    }
    let path = path(launch);
    if !launch.class_path.is_empty() && !path.exists() {
        write(launch, &path, stop)?;
    }
    Ok(Some(Launch { vm_options: options(launch, &path, USED_BY), ..launch.clone() }))
}

/// Another one for other options: they decide whether a JVM can use an archive.
fn path(launch: &Launch) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (&launch.java, &launch.vm_options, &launch.class_path).hash(&mut hasher);
    launch.scratch.join(format!("archive-{:016x}.jsa", hasher.finish()))
}

/// Lets a JVM write it, first under a name of its own, as other launches may do the same meanwhile.
fn write(launch: &Launch, path: &Path, stop: &Stop) -> Result<(), LaunchError> {
    let own = tempfile::Builder::new().prefix("archive-").tempdir_in(&launch.scratch);
    let Ok(own) = own else { return Ok(()) };
    let written = own.path().join("classes.jsa");
    let writing = Launch {
        vm_options: options(launch, &written, WRITTEN_BY),
        main_class: MAIN_CLASS.to_owned(),
        args: Vec::new(),
        recording: None,
        timeouts: Timeouts { idle: PATIENCE, total: PATIENCE },
        embedded: None,
        acts: Vec::new(),
        ..launch.clone()
    };
    run(&writing, stop)?;
    // A JVM that writes none runs without.
    let _ = fs::rename(&written, path);
    Ok(())
}

/// The options with that path, the one for the archive by that name.
fn options(launch: &Launch, path: &Path, by: &str) -> Vec<String> {
    let path = path.to_string_lossy();
    launch.vm_options.iter().map(|option| option.replace(USED_BY, by).replace(PLACEHOLDER, &path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(options: &[&str]) -> Launch {
        let mut launch = Launch::new("/jdk/bin/java", "/scratch");
        launch.vm_options = options.iter().map(|option| (*option).to_owned()).collect();
        launch
    }

    #[test]
    fn only_a_launch_that_asks_for_an_archive_gets_one() {
        assert!(provide(&launch(&["-Xint"]), &Stop::default()).unwrap().is_none());
        let archived =
            provide(&launch(&["-XX:SharedArchiveFile={archive}"]), &Stop::default()).unwrap().unwrap();
        let option = archived.vm_options[0].strip_prefix(USED_BY).unwrap();
        assert!(Path::new(option).starts_with("/scratch") && !option.contains(PLACEHOLDER));
    }

    #[test]
    fn the_jvm_that_writes_the_archive_has_the_other_options_too() {
        let launch = launch(&["-Xint", "-XX:SharedArchiveFile={archive}", "-Da={archive}"]);
        let options = options(&launch, Path::new("/a.jsa"), WRITTEN_BY);
        assert_eq!(options, ["-Xint", "-XX:ArchiveClassesAtExit=/a.jsa", "-Da=/a.jsa"]);
    }
}
