//! Options of HotSpot with which it uses other latitudes: another collector, no compiler, nothing but a compiler, no shared
//! archive.

use jvmti_spec::Release;

use super::Variant;

/// A name, what the JVM does, its options, and the first release that has them.
const SETTINGS: [(&str, &str, &[&str], u16); 12] = [
    ("interpreter", "compiles nothing", &["-Xint"], 8),
    ("compiler", "compiles each method before its first call", &["-Xcomp"], 8),
    ("no-sharing", "shares no archive of classes", &["-Xshare:off"], 8),
    ("serial", "uses the serial collector", &["-XX:+UseSerialGC"], 8),
    ("parallel", "uses the parallel collector", &["-XX:+UseParallelGC"], 8),
    ("g1", "uses the G1 collector", &["-XX:+UseG1GC"], 8),
    ("epsilon", "frees nothing", &["-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"], 11),
    ("zgc", "uses ZGC", &["-XX:+UseZGC"], 17),
    ("shenandoah", "uses Shenandoah", &["-XX:+UseShenandoahGC"], 17),
    ("check-jni", "checks the use of JNI", &["-Xcheck:jni"], 8),
    ("preview", "enables preview features", &["--enable-preview"], 17),
    ("uncompressed", "uses wide references", &["-XX:-UseCompressedOops"], 8),
];

/// Those of a release.
pub(super) fn variants(release: Release) -> Vec<Variant> {
    let has = |(.., first): &&(_, _, _, u16)| Release(*first) <= release;
    let variant = |(name, does, options, _): &(&str, &str, &[&str], u16)| Variant {
        id: format!("settings/{name}"),
        does: format!("the JVM {does}"),
        mutations: Vec::new(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        touches: Vec::new(),
        joins: false,
    };
    SETTINGS.iter().filter(has).map(variant).collect()
}
