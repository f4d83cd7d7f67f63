//! The Java agents of a recording. The JVM's `instrument` library makes their environments: one for each jar when it is loaded, and
//! another one for a jar that retransforms classes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::record::Described;

/// A Java agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaAgent {
    /// File name of the jar.
    pub jar: String,
    /// The class that the JVM starts, if the jar still tells.
    pub class: Option<String>,
}

/// The Java agents, and their environments.
#[derive(Debug, Default)]
pub struct JavaAgents {
    agents: Vec<JavaAgent>,
    /// The call site that requests the first environment for each jar.
    site: Option<u32>,
    /// The number of jars that have got one.
    loaded: usize,
    /// For each environment the index of its jar.
    environments: BTreeMap<u32, usize>,
}

/// The attributes of a jar's manifest that ask for capabilities.
const ATTRIBUTES: [(&str, &str); 3] = [
    ("can_redefine_classes", "Can-Redefine-Classes"),
    ("can_retransform_classes", "Can-Retransform-Classes"),
    ("can_set_native_method_prefix", "Can-Set-Native-Method-Prefix"),
];

/// The attribute that asks for the capability.
pub fn attribute(capability: &str) -> Option<&'static str> {
    ATTRIBUTES.iter().find(|(name, _)| *name == capability).map(|(_, attribute)| *attribute)
}

impl JavaAgents {
    /// Those that a recording was started with, in the order in which the JVM loads them.
    pub fn of(described: &Described) -> JavaAgents {
        let options = described.agents.iter().chain(&described.program);
        let jars = options.filter_map(|option| option.strip_prefix("-javaagent:"));
        let agents = jars.map(|text| {
            let path = PathBuf::from(text.split('=').next().unwrap_or_default());
            let jar = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            JavaAgent { jar, class: premain_class(path) }
        });
        JavaAgents { agents: agents.collect(), ..JavaAgents::default() }
    }

    /// The `instrument` library requests an environment while the JVM loads agents.
    pub fn requested(&mut self, environment: u32, site: u32) {
        if *self.site.get_or_insert(site) == site {
            self.loaded += 1;
        }
        self.environments.insert(environment, self.loaded - 1);
    }

    /// The agent that has the environment; `None`: it is no Java agent's, or the JVM got agents from elsewhere too.
    pub fn agent(&self, environment: u32) -> Option<&JavaAgent> {
        let index = *self.environments.get(&environment)?;
        self.agents.get(index).filter(|_| self.loaded == self.agents.len())
    }
}

/// The class that a jar's manifest names.
fn premain_class(jar: PathBuf) -> Option<String> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(jar).ok()?).ok()?;
    let manifest = std::io::read_to_string(archive.by_name("META-INF/MANIFEST.MF").ok()?).ok()?;
    // A line that begins with a space goes on with the one before.
    let manifest = manifest.replace("\r\n", "\n").replace("\n ", "");
    let class = manifest.lines().find_map(|line| line.strip_prefix("Premain-Class:"))?;
    Some(class.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_jar_has_the_environments_that_follow_its_first() {
        let agents = ["-javaagent:/x/a.jar=1", "-agentlib:jdwp", "-javaagent:/x/b.jar"].map(str::to_owned);
        let described = Described { agents: agents.to_vec(), ..Described::default() };
        let mut agents = JavaAgents::of(&described);
        agents.requested(2, 7);
        agents.requested(3, 8);
        assert_eq!(agents.agent(2), None);
        agents.requested(4, 7);
        let jar = |environment| agents.agent(environment).map(|agent| agent.jar.as_str());
        assert_eq!([2, 3, 4, 5].map(jar), [Some("a.jar"), Some("a.jar"), Some("b.jar"), None]);
    }
}
