//! Who a JVM is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Identity of a JVM.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Jvm {
    /// Java home as given or found.
    pub home: String,
    /// Feature release.
    pub release: u16,
    /// `java.version`.
    pub version: String,
    /// `java.vm.vendor`.
    pub vendor: String,
    /// `java.vm.name`.
    pub vm_name: String,
    /// `java.vm.version`.
    pub vm_version: String,
    /// `java.vm.info` (`mixed mode, sharing`).
    pub vm_info: String,
    /// What `GetVersionNumber` says, as `major.minor.micro`.
    pub jvmti_version: String,
    /// `os.arch`.
    pub arch: String,
}

impl Jvm {
    /// Label for tables: `25.0.1 Temurin (Server)`.
    pub fn label(&self) -> String {
        format!("{} ({})", self.distribution(), self.variant())
    }

    /// Shorter still, for narrow columns: `25.0.1 Temurin`, with the kind of VM only where it isn't the server VM.
    pub fn short(&self) -> String {
        match self.variant() {
            "Server" => self.distribution(),
            variant => format!("{} {variant}", self.distribution()),
        }
    }

    fn distribution(&self) -> String {
        let vendor =
            VENDORS.iter().find(|(prefix, _)| self.vendor.starts_with(prefix)).map(|(_, name)| *name);
        format!("{} {}", self.version, vendor.unwrap_or(&self.vendor)).trim().to_owned()
    }

    /// The kind of VM, out of `java.vm.name`: `Server`, `Client`, `Zero`, or the whole name.
    fn variant(&self) -> &str {
        ["Server", "Client", "Minimal", "Zero", "OpenJ9", "GraalVM"]
            .into_iter()
            .find(|kind| self.vm_name.contains(kind))
            .unwrap_or(&self.vm_name)
    }
}

/// What `java.vendor` begins with, and the name that people know that distribution by.
const VENDORS: [(&str, &str); 9] = [
    ("Eclipse Adoptium", "Temurin"),
    ("Temurin", "Temurin"),
    ("Oracle", "Oracle"),
    ("Azul", "Zulu"),
    ("Amazon", "Corretto"),
    ("BellSoft", "Liberica"),
    ("SAP", "SapMachine"),
    ("International Business Machines", "Semeru"),
    ("IBM", "Semeru"),
];
