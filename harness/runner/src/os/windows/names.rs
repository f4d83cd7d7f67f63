//! What the files of a JDK are called, and where they lie.

/// The launcher, in the folder `bin` of a home.
pub(crate) const JAVA: &str = "java.exe";
/// The JVM's library.
pub(crate) const LIBJVM: &str = "jvm.dll";
/// Folders of a home that hold libraries.
pub(crate) const LIBS: [&str; 2] = ["bin", "jre/bin"];
/// How the name of OpenJ9's main library begins; a version follows.
pub(crate) const J9_LIBRARY: &str = "j9vm";
/// Where OpenJ9 keeps its libraries, below the home.
pub(crate) const J9_FOLDERS: [&str; 4] =
    ["bin/default", "bin/compressedrefs", "jre/bin/default", "jre/bin/compressedrefs"];
/// What stands between the entries of a class path.
pub(crate) const BETWEEN_ENTRIES: &str = ";";

/// The file name of the probe's library.
pub const PROBE: &str = "jvmti_probe.dll";
/// The file name of a copy of it.
pub(crate) const COPY: &str = "copy.dll";
/// The variable that names the folders in which the system looks for libraries.
pub(crate) const SEARCH_PATH: &str = "PATH";
