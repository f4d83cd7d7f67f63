//! Named sets of options for JVMs, from `configurations.yaml`.

use std::fmt;

use jvmti_spec::Release;
use serde::Serialize;

use super::context::{Context, Fields};
use super::diagnostic::nearest;
use super::releases::Releases;
use super::yaml::Node;

/// The name that stands for every configuration.
pub const ALL: &str = "all";

/// Keys of a set.
pub(super) const KEYS: [&str; 4] = ["name", "about", "releases", "options"];

/// A set of options under a name. Each JVM is tested with each set as a JVM of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Configuration {
    /// Its name.
    pub name: String,
    /// What it makes of a JVM.
    pub about: String,
    /// Releases in which the options mean that.
    #[serde(serialize_with = "as_text")]
    pub releases: Releases,
    /// The options.
    pub options: Vec<String>,
}

/// A name that no configuration has.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub struct UnknownConfiguration {
    /// The name.
    name: String,
    /// A name that was perhaps meant.
    near: Option<String>,
}

impl fmt::Display for UnknownConfiguration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no configuration named `{}`; ", self.name)?;
        match &self.near {
            Some(near) => write!(f, "did you mean `{near}`?"),
            None => write!(f, "`jvmti-check list --vm-option-sets` lists them, `{ALL}` stands for all"),
        }
    }
}

fn as_text<S: serde::Serializer>(releases: &Releases, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(releases)
}

/// Those of that name, or all, each once, in the order of the file.
pub fn named(all: &[Configuration], names: &[String]) -> Result<Vec<Configuration>, UnknownConfiguration> {
    let known = || all.iter().map(|c| c.name.as_str());
    if let Some(name) = names.iter().find(|name| *name != ALL && !known().any(|k| k == *name)) {
        let near = nearest(name, known()).map(str::to_owned);
        return Err(UnknownConfiguration { name: name.clone(), near });
    }
    let wanted = |c: &&Configuration| names.iter().any(|name| *name == c.name || name == ALL);
    Ok(all.iter().filter(wanted).cloned().collect())
}

impl Configuration {
    /// Why it does not apply to a release, if so.
    pub fn inapplicable(&self, release: Release) -> Option<String> {
        (!self.releases.contains(release)).then(|| format!("for Java {}", self.releases))
    }
}

/// Reads the file.
pub fn read(cx: &Context<'_>, root: &Node) -> Vec<Configuration> {
    let mut all: Vec<Configuration> = Vec::new();
    for node in cx.list(root, "a list of configurations") {
        let Some(read) = cx.fields(node, "a configuration", &KEYS).and_then(|f| one(cx, &f)) else {
            continue;
        };
        if all.iter().any(|other| other.name == read.name) {
            cx.error(node.span, format!("a second configuration is named `{}`", read.name));
        }
        all.push(read);
    }
    all
}

fn one(cx: &Context<'_>, fields: &Fields<'_>) -> Option<Configuration> {
    let what = "a configuration";
    let name_node = fields.require(cx, "name", what)?;
    let name = cx.text(name_node, "a name")?.into_owned();
    if name == ALL {
        cx.error(name_node.span, format!("`{ALL}` stands for every configuration; choose another name"));
    }
    let about = cx.text(fields.require(cx, "about", what)?, "one line of text")?.into_owned();
    let releases = fields.get("releases").and_then(|node| cx.releases(node)).unwrap_or_default();
    let options = fields.get("options").map(|node| cx.texts(node, "options")).unwrap_or_default();
    for (option, span) in options.iter().filter(|(option, _)| !option.starts_with('-')) {
        cx.error(*span, format!("expected an option, which begins with `-`, found `{option}`"));
    }
    let options = options.into_iter().map(|(option, _)| option).collect();
    Some(Configuration { name, about, releases, options })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CaseSet;
    use crate::source::SourceFile;

    fn read(text: &str) -> Result<Vec<Configuration>, String> {
        let file = SourceFile { name: "configurations.yaml".to_owned(), text: text.to_owned() };
        let set = CaseSet::read([file]).map_err(|faults| faults.0[0].to_string())?;
        Ok(set.configurations().to_vec())
    }

    #[test]
    fn sets_are_chosen_by_name_in_the_order_of_the_file() {
        let all = read("[{name: a, about: x}, {name: b, about: y, options: -Xint}]").unwrap();
        let names = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|w| (*w).to_owned()).collect();
            named(&all, &wanted).map(|found| found.into_iter().map(|c| c.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["b", "a", "b"]).unwrap(), ["a", "b"]);
        assert_eq!(names(&[ALL]).unwrap(), ["a", "b"]);
        assert_eq!(names(&[]).unwrap(), [""; 0]);
        assert!(names(&["c"]).unwrap_err().to_string().contains("there is no configuration named `c`"));
        assert_eq!(all[1].options, ["-Xint"]);
    }

    #[test]
    fn faults_are_told_with_their_place() {
        for (text, fault) in [
            (
                "[{name: a, about: x, optoins: []}]",
                "configurations.yaml:1:22: unknown key of a configuration `optoins`",
            ),
            ("[{name: a, about: x, options: [Xint]}]", "configurations.yaml:1:32: expected an option"),
            (
                "[{name: a, about: x}, {name: a, about: x}]",
                "configurations.yaml:1:23: a second configuration",
            ),
            ("[{name: all, about: x}]", "configurations.yaml:1:9: `all` stands for every configuration"),
            ("[{about: x}]", "configurations.yaml:1:2: a configuration needs `name`"),
            ("[{name: a, about: x, releases: new}]", "configurations.yaml:1:32: expected releases"),
            ("name: a", "configurations.yaml:1:1: expected a list of configurations"),
        ] {
            let said = read(text).unwrap_err();
            assert!(said.starts_with(fault), "{said}");
        }
    }
}
