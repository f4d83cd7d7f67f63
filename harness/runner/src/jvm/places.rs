//! Where JDKs are kept.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The parts of the outer world that discovery looks at; tests give others.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Environment variables by name.
    pub variables: Vec<(OsString, OsString)>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// What stands for `/` in system-wide places.
    pub root: PathBuf,
}

impl Surroundings {
    /// Those of this process.
    pub fn current() -> Surroundings {
        Surroundings {
            variables: std::env::vars_os().collect(),
            home: dirs::home_dir(),
            root: PathBuf::from("/"),
        }
    }

    /// A variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_os_str()).filter(|v| !v.is_empty())
    }

    /// Folders that hold Java homes, with the name under which people know them.
    pub fn folders(&self) -> Vec<(String, PathBuf)> {
        let mut folders = Vec::new();
        for path in SYSTEM {
            folders.push((path.to_string(), self.root.join(path.trim_start_matches('/'))));
        }
        for tool in TOOLS {
            let base = tool.variables.iter().find_map(|(variable, below)| {
                self.variable(variable).map(|value| Path::new(value).join(below))
            });
            if let Some(path) = base.or_else(|| self.home.as_ref().map(|home| home.join(tool.in_home))) {
                folders.push((tool.name.to_owned(), path));
            }
        }
        folders
    }
}

const SYSTEM: &[&str] =
    &["/usr/lib/jvm", "/usr/lib64/jvm", "/usr/java", "/opt/java", "/opt/jdk", "/opt/jdks"];

/// A tool that installs JDKs for a user.
struct Tool {
    name: &'static str,
    /// Variables that move its folder, with what comes below.
    variables: &'static [(&'static str, &'static str)],
    /// Where it is otherwise, below the user's home.
    in_home: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool {
        name: "SDKMAN",
        variables: &[("SDKMAN_CANDIDATES_DIR", "java"), ("SDKMAN_DIR", "candidates/java")],
        in_home: ".sdkman/candidates/java",
    },
    Tool { name: "asdf", variables: &[("ASDF_DATA_DIR", "installs/java")], in_home: ".asdf/installs/java" },
    Tool {
        name: "mise",
        variables: &[("MISE_DATA_DIR", "installs/java"), ("XDG_DATA_HOME", "mise/installs/java")],
        in_home: ".local/share/mise/installs/java",
    },
    Tool { name: "jenv", variables: &[("JENV_ROOT", "versions")], in_home: ".jenv/versions" },
    Tool { name: "jabba", variables: &[("JABBA_HOME", "jdk")], in_home: ".jabba/jdk" },
    Tool { name: "Gradle toolchains", variables: &[("GRADLE_USER_HOME", "jdks")], in_home: ".gradle/jdks" },
    Tool { name: "IntelliJ IDEA", variables: &[], in_home: ".jdks" },
];
