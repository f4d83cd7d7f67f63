//! What the files of a JDK are called, and where they lie.

/// The launcher, in the folder `bin` of a home.
pub(crate) const JAVA: &str = "java";
/// The JVM's library.
pub(crate) const LIBJVM: &str = "libjvm.so";
/// Folders of a home that hold libraries.
pub(crate) const LIBS: [&str; 2] = ["lib", "jre/lib"];
/// How the name of OpenJ9's main library begins; a version follows.
pub(crate) const J9_LIBRARY: &str = "libj9vm";
/// Where OpenJ9 keeps its libraries, below the home.
pub(crate) const J9_FOLDERS: [&str; 6] = [
    "lib/default",
    "lib/compressedrefs",
    "jre/lib/amd64/default",
    "jre/lib/amd64/compressedrefs",
    "jre/lib/aarch64/default",
    "jre/lib/aarch64/compressedrefs",
];
/// What stands between the entries of a class path.
pub(crate) const BETWEEN_ENTRIES: &str = ":";

/// The file name of the probe's library.
pub const PROBE: &str = "libjvmti_probe.so";
/// The file name of a copy of it.
pub(crate) const COPY: &str = "libcopy.so";
/// The variable that names the folders in which the system looks for libraries.
pub(crate) const SEARCH_PATH: &str = "LD_LIBRARY_PATH";
