//! Where a setting of a case may be written, and what a case has besides if it runs on a virtual thread once more.

use jvmti_spec::Release;

use crate::releases::Releases;
use crate::yaml::Node;

/// Where a setting may be written: in the case or, for all its cases, in the file.
#[derive(Clone, Copy)]
pub struct Layers<'n> {
    /// The case or rule.
    pub case: &'n Node,
    /// The file around it.
    pub file: Option<&'n Node>,
    /// Whether a virtual thread runs the scenario.
    is_on_virtual_thread: bool,
}

impl<'n> Layers<'n> {
    /// Those of a case as it is written.
    pub fn new(case: &'n Node, file: Option<&'n Node>) -> Layers<'n> {
        Layers { case, file, is_on_virtual_thread: false }
    }

    /// Those of the same case on a virtual thread.
    pub fn on_virtual_thread(self) -> Layers<'n> {
        Layers { is_on_virtual_thread: true, ..self }
    }

    /// Whether a virtual thread runs the scenario.
    pub fn is_on_virtual_thread(&self) -> bool {
        self.is_on_virtual_thread
    }

    /// What the case says or, if it says nothing, its file.
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        self.case.get(key).or_else(|| self.file.and_then(|file| file.get(key)))
    }

    /// What is written in both, the file's first.
    pub fn all(&self, key: &str) -> impl Iterator<Item = &'n Node> {
        self.file.and_then(|file| file.get(key)).into_iter().chain(self.case.get(key))
    }

    /// The id of the case and what it is about.
    pub fn told(&self, id: String, about: String) -> (String, String) {
        match self.is_on_virtual_thread {
            true => (format!("{id}/virtual"), format!("{about}, on a virtual thread")),
            false => (id, about),
        }
    }

    /// The scenario as the Java side is asked for it (`jvmticheck.Main`).
    pub fn scenario(&self, name: &str) -> String {
        format!("{name}{}", if self.is_on_virtual_thread { "/virtual" } else { "" })
    }

    /// The releases that can run it, apart from what is written.
    pub fn releases(&self) -> Releases {
        Releases { first: self.is_on_virtual_thread.then_some(Release(21)), last: None }
    }

    /// The capabilities that it needs, apart from those that are written.
    pub fn capabilities(&self) -> Option<String> {
        self.is_on_virtual_thread.then(|| "can_support_virtual_threads".to_owned())
    }
}
