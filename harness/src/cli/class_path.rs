//! Java scenarios of the user's own: class path entries, and single source files, which the JDK's `javac` compiles.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::fault::Fault;
use super::find::IdentifiedJvm;

/// The entries as a JVM takes them: a `.java` file is compiled into `folder`, for the oldest of the JVMs.
pub fn prepared(entries: &[PathBuf], jvms: &[IdentifiedJvm], folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let mut ready = Vec::new();
    for entry in entries {
        let entry = entry
            .canonicalize()
            .map_err(|e| Fault::input(anyhow::Error::new(e).context(entry.display().to_string())))?;
        ready.push(match entry.extension().is_some_and(|ending| ending == "java") {
            true => compiled(&entry, jvms, folder)?,
            false => entry,
        });
    }
    Ok(ready)
}

fn compiled(source: &Path, jvms: &[IdentifiedJvm], folder: &Path) -> Result<PathBuf, Fault> {
    let oldest = jvms.iter().map(|jvm| jvm.identity.jvm.release).min().unwrap_or(8);
    let (javac, release) = javac(jvms).ok_or_else(|| {
        Fault::wrong(format!("{} needs a javac: add --jdk with a JDK, or set JAVA_HOME", source.display()))
    })?;
    let jar = folder.join("java-tests.jar");
    std::fs::write(&jar, jvmti_java_tests::JAR).map_err(Fault::work)?;
    let classes = folder.join("classes");
    std::fs::create_dir_all(&classes).map_err(Fault::work)?;
    let mut command = Command::new(&javac);
    command.arg("-nowarn").arg("-cp").arg(&jar).arg("-d").arg(&classes);
    // The javac of release 8 has no such option, and compiles for what it is of.
    if release > 8 {
        command.args(["--release", &oldest.to_string(), "-Xlint:-options"]);
    }
    let output = command.arg(source).output().map_err(Fault::work)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Fault::wrong(format!("{} does not compile:\n{}", source.display(), said.trim())));
    }
    Ok(classes)
}

/// A `javac` and its release: of the newest tested JDK that has one, else of JAVA_HOME, else of the path.
fn javac(jvms: &[IdentifiedJvm]) -> Option<(PathBuf, u16)> {
    let mut tested: Vec<(u16, PathBuf)> = jvms
        .iter()
        .map(|jvm| (jvm.identity.jvm.release, jvm.jdk.home.join("bin/javac")))
        .filter(|(_, javac)| javac.is_file())
        .collect();
    tested.sort();
    if let Some((release, javac)) = tested.pop() {
        return Some((javac, release));
    }
    let home = std::env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin/javac"));
    let path: OsString = std::env::var_os("PATH").unwrap_or_default();
    let mut candidates = home.into_iter().chain(std::env::split_paths(&path).map(|p| p.join("javac")));
    candidates.find(|javac| javac.is_file()).map(|javac| {
        let release = release_of(&javac).unwrap_or(8);
        (javac, release)
    })
}

/// What `javac -version` says: `javac 25.0.1`, `javac 1.8.0_504`.
fn release_of(javac: &Path) -> Option<u16> {
    let output = Command::new(javac).arg("-version").output().ok()?;
    let said = [output.stdout, output.stderr].concat();
    released(&String::from_utf8_lossy(&said))
}

fn released(said: &str) -> Option<u16> {
    let version = said.split_whitespace().nth(1)?.trim_start_matches("1.");
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_from_what_javac_says() {
        assert_eq!(released("javac 25.0.1\n"), Some(25));
        assert_eq!(released("javac 1.8.0_504\n"), Some(8));
        assert_eq!(released("javac 28-ea"), Some(28));
        assert_eq!(released("?"), None);
    }

    #[test]
    fn jars_and_folders_are_taken_as_they_are() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().canonicalize().unwrap();
        assert_eq!(prepared(std::slice::from_ref(&folder), &[], place.path()).unwrap(), [folder]);
        assert!(prepared(&[place.path().join("none.jar")], &[], place.path()).is_err());
    }
}
