//! Options of HotSpot with which it uses other latitudes: another collector, no compiler, nothing but a compiler, no shared
//! archive, nothing that Java and the JVM TI leave to the implementation (finalizers, the unloading of classes, attaching).

use jvmti_spec::Release;

use super::Variant;

/// A name, what the JVM does, its options, and the first release that has them.
const SETTINGS: [(&str, &str, &[&str], u16); 31] = [
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
    ("first-compiler", "has one compiler", &["-XX:TieredStopAtLevel=1"], 8),
    ("no-buffers", "allocates each object by itself", &["-XX:-UseTLAB"], 8),
    ("one-processor", "uses one processor", &["-XX:ActiveProcessorCount=1"], 8),
    (
        "no-rewriting",
        "has no bytecodes of its own",
        &["-XX:+UnlockDiagnosticVMOptions", "-XX:-RewriteBytecodes"],
        8,
    ),
    ("no-unloading", "never unloads a class", &["-XX:-ClassUnloading"], 8),
    ("no-explicit-collection", "ignores System.gc", &["-XX:+DisableExplicitGC"], 8),
    ("no-stack-traces", "fills in no stack traces of exceptions", &["-XX:-StackTraceInThrowable"], 8),
    ("no-signals", "uses no signals from outside", &["-Xrs"], 8),
    ("no-attaching", "starts no agents in the live phase", &["-XX:+DisableAttachMechanism"], 8),
    ("no-finalization", "runs no finalizers", &["--finalization=disabled"], 18),
    (
        "bound-threads",
        "gives each virtual thread a thread of the system",
        &["-XX:+UnlockExperimentalVMOptions", "-XX:-VMContinuations"],
        21,
    ),
    (
        "equal-hashes",
        "computes the same identity hash code for each object",
        &["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2"],
        8,
    ),
    // No release has both options, and the newest has neither.
    (
        "heavy-monitors",
        "enters each monitor in the same way",
        &[
            "-XX:+IgnoreUnrecognizedVMOptions",
            "-XX:+UseHeavyMonitors",
            "-XX:+UnlockExperimentalVMOptions",
            "-XX:LockingMode=0",
        ],
        8,
    ),
    ("wide-alignment", "gives each object a multiple of 32 bytes", &["-XX:ObjectAlignmentInBytes=32"], 8),
    ("soft-references", "clears soft references soon", &["-XX:SoftRefLRUPolicyMSPerMB=0"], 8),
    (
        "reflection",
        "calls reflected methods by other frames",
        &["-Djdk.reflect.useNativeAccessorOnly=true", "-Dsun.reflect.noInflation=true"],
        8,
    ),
    ("wide-strings", "keeps 16 bits for each character", &["-XX:-CompactStrings"], 9),
    (
        "deflating",
        "frees monitors soon that nobody holds",
        &[
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:AsyncDeflationInterval=1",
            "-XX:GuaranteedAsyncDeflationInterval=1",
        ],
        17,
    ),
    ("compact-headers", "has smaller headers of objects", &["-XX:+UseCompactObjectHeaders"], 25),
];

/// Those of a release.
pub(super) fn variants(release: Release) -> Vec<Variant> {
    let has = |(.., first): &&(_, _, _, u16)| Release(*first) <= release;
    let variant = |(name, does, options, _): &(&str, &str, &[&str], u16)| Variant {
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        ..Variant::new(format!("settings/{name}"), format!("the JVM {does}"), Vec::new())
    };
    SETTINGS.iter().filter(has).map(variant).collect()
}
