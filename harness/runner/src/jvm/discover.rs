//! Finding the JDKs of this machine.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::home::{Jdk, JdkError};
use super::places::Surroundings;
use crate::os::names::JAVA;

/// What discovery came to.
#[derive(Debug, Default)]
pub struct Discovery {
    /// The JDKs, each home once, in the order of first sight.
    pub jdks: Vec<Jdk>,
    /// Homes that look like JDKs but cannot be tested, with the reason.
    pub rejected: Vec<JdkError>,
    /// Everything that was looked at, with what was there.
    pub looked: Vec<String>,
}

impl Discovery {
    /// What to tell someone who has no JDK: all that was looked at, and how to get one.
    pub fn nothing_found(&self) -> String {
        let mut text = String::from("no JDK found. Looked at:\n");
        for place in &self.looked {
            let _ = writeln!(text, "  {place}");
        }
        for rejected in &self.rejected {
            let _ = writeln!(text, "  unusable: {rejected}");
        }
        text.push_str(
            "Get one with `apt-get install default-jdk-headless` (or your system's like), with `ci/setup` of this \
             project's source, or name one with `--jdk PATH`.",
        );
        text
    }

    fn add(&mut self, home: &Path, found: &str) -> bool {
        match Jdk::at(home, found) {
            Ok(jdk) => {
                add(&mut self.jdks, jdk);
                true
            }
            // In a folder of many things, what is no JDK is no news.
            Err(JdkError::Missing(_) | JdkError::NotAJdk(_)) => false,
            Err(error) => {
                self.rejected.push(error);
                false
            }
        }
    }
}

/// All JDKs that can be found in these surroundings: `JAVA_HOME`, `PATH`, then the usual folders.
pub fn discover(around: &Surroundings) -> Discovery {
    let mut found = Discovery::default();
    match around.variable("JAVA_HOME") {
        Some(home) => {
            let usable = found.add(Path::new(home), "JAVA_HOME");
            let state = if usable { "" } else { ", not a JDK" };
            found.looked.push(format!("JAVA_HOME ({}{state})", Path::new(home).display()));
        }
        None => found.looked.push("JAVA_HOME (not set)".to_owned()),
    }
    let path = around.variable("PATH").unwrap_or_default().to_owned();
    let mut launchers = 0;
    for java in which::which_in_all("java", Some(path), "/").into_iter().flatten() {
        launchers += 1;
        if let Some(home) = Jdk::home_of_launcher(&java) {
            found.add(&home, "PATH");
        }
    }
    found.looked.push(match launchers {
        0 => "PATH (no java on it)".to_owned(),
        n => format!("PATH ({n} × java)"),
    });
    for (name, folder) in around.folders() {
        let homes = homes_below(&folder);
        let label =
            if Path::new(&name) == folder { name.clone() } else { format!("{name} ({})", folder.display()) };
        found.looked.push(match homes.as_deref() {
            None => format!("{label}: not there"),
            Some([]) => format!("{label}: no JDK in it"),
            Some(homes) => format!("{label}: {} found", homes.len()),
        });
        for home in homes.unwrap_or_default() {
            found.add(&home, &name);
        }
    }
    found
}

/// The JDKs that the user named: each path a home, its `bin/java`, or a folder of several homes.
pub fn named(paths: &[PathBuf]) -> Result<Vec<Jdk>, JdkError> {
    let mut jdks = Vec::new();
    for path in paths {
        if !path.exists() {
            return Err(JdkError::Missing(path.clone()));
        }
        if path.is_file() {
            let home = Jdk::home_of_launcher(path).ok_or_else(|| JdkError::NotAJdk(path.clone()))?;
            add(&mut jdks, Jdk::at(&home, "--jdk")?);
            continue;
        }
        match Jdk::at(path, "--jdk") {
            Ok(jdk) => add(&mut jdks, jdk),
            Err(not @ JdkError::NotAJdk(_)) => {
                let homes = homes_below(path).unwrap_or_default();
                if homes.is_empty() {
                    return Err(not);
                }
                for home in homes {
                    add(&mut jdks, Jdk::at(&home, "--jdk")?);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(jdks)
}

/// Adds it, or only the way it was found if its home is there already.
fn add(jdks: &mut Vec<Jdk>, jdk: Jdk) {
    match jdks.iter_mut().find(|known| known.home == jdk.home) {
        Some(known) => {
            let new = jdk.found.into_iter().filter(|way| !known.found.contains(way)).collect::<Vec<_>>();
            known.found.extend(new);
        }
        None => jdks.push(jdk),
    }
}

/// Subfolders that have a launcher, sorted by name, numbers by value; `None`: the folder is not there.
fn homes_below(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut homes: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|home| home.join("bin").join(JAVA).is_file())
        .collect();
    homes.sort_by_cached_key(|home| natural(home));
    Some(homes)
}

/// Sort key in which `jdk-9` comes before `jdk-11`.
fn natural(path: &Path) -> Vec<(u64, String)> {
    let name = path.to_string_lossy();
    let mut parts = Vec::new();
    let mut rest = &*name;
    while !rest.is_empty() {
        let text_end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, tail) = rest.split_at(text_end);
        let number_end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        let (number, tail) = tail.split_at(number_end);
        if !text.is_empty() {
            parts.push((0, text.to_owned()));
        }
        if !number.is_empty() {
            parts.push((number.parse().unwrap_or(u64::MAX), String::new()));
        }
        rest = tail;
    }
    parts
}
