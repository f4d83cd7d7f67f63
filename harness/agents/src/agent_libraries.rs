//! Whose library code is in: an agent's, the JDK's, or another.

use crate::agent_state::{AgentEnvironment, AgentState};

impl AgentState<'_> {
    /// The JDK is in that folder.
    pub(crate) fn in_folder(&mut self, folder: &str) {
        self.java_home = format!("{folder}{}", std::path::MAIN_SEPARATOR);
    }

    /// Whether the call site is in a library that asked for an environment.
    pub fn is_agents(&self, site: u32) -> bool {
        self.site(site).first().is_some_and(|place| self.is_library_of_agent(&place.library))
    }

    /// Whether the library of that path asked for an environment.
    pub fn is_library_of_agent(&self, library: &str) -> bool {
        let has_asked = |environment: &AgentEnvironment| {
            self.site(environment.site).first().is_some_and(|place| place.library == library)
        };
        !library.is_empty() && self.environments.values().any(has_asked)
    }

    /// Whether the call site is in a library that is known and asked for no environment, such as one of the JVM.
    pub fn is_foreign(&self, site: u32) -> bool {
        let is_known = self.site(site).first().is_some_and(|place| !place.library.is_empty());
        is_known && !self.is_agents(site)
    }

    /// Whether the call site is in a library that belongs to the JDK, and is no agent's.
    pub fn is_of_jdk(&self, site: u32) -> bool {
        self.is_in_jdk(site) && !self.is_agents(site)
    }

    /// Whether the call site is in a library that belongs to the JDK, which may be an agent.
    pub fn is_in_jdk(&self, site: u32) -> bool {
        let library = self.site(site).first().map(|place| place.library.as_str()).unwrap_or_default();
        !self.java_home.is_empty() && library.starts_with(&self.java_home)
    }
}
