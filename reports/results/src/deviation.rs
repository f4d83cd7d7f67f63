//! Why JVMs deviate: known deviations, and what a JVM says of its own crash.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A known deviation of some JVMs. One cause may explain many verdicts on many JVMs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnownDeviation {
    /// Id, out of the words of its reason; verdicts name it.
    pub id: String,
    /// What these JVMs do against which statement.
    pub reason: String,
    /// What was seen, on what.
    pub evidence: Vec<String>,
    /// Its id in the tracker of the JVM, or an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracker: Option<String>,
}

/// What a JVM wrote about its own crash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CrashReport {
    /// The lines that tell the cause: the signal or the failed assertion, the problematic frame, the function that the
    /// thread was in.
    pub said: Vec<String>,
    /// The file with the whole report, if kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// The most lines that a [`CrashReport`] has.
const SAID: usize = 8;

impl CrashReport {
    /// What a JVM wrote to its output about its crash, if it did: the summary of HotSpot's crash report, a fatal error in a
    /// native method, or OpenJ9's register dump.
    pub fn in_output(output: &str) -> Option<CrashReport> {
        let mut said: Vec<String> = Vec::new();
        let mut begun = false;
        let mut wanted = false;
        for line in output.lines() {
            let Some(words) = line.strip_prefix('#').map(str::trim) else {
                let is_told = ["FATAL ERROR in native method", "Type=", "Module="];
                if is_told.iter().any(|start| line.starts_with(start)) || line.contains(" vmState=0x") {
                    said.push(line.trim().to_owned());
                }
                continue;
            };
            match words {
                _ if words.contains("fatal error has been detected") => (begun, wanted) = (true, true),
                "Problematic frame:" => wanted = begun,
                "" => {}
                _ if words.starts_with("JRE version") => wanted = false,
                _ if words.starts_with("No core dump") || words.starts_with("Core dump") => wanted = false,
                _ if wanted => said.push(without_process(words)),
                _ => {}
            }
        }
        said.truncate(SAID);
        (!said.is_empty()).then_some(CrashReport { said, file: None })
    }
}

/// What a JVM says of its crash, without the numbers of the process and the thread, which differ each time.
pub fn without_process(words: &str) -> String {
    let parts = words.split(", ").filter(|part| !part.starts_with("pid=") && !part.starts_with("tid="));
    parts.collect::<Vec<_>>().join(", ")
}

/// How many words of a reason an id has.
const WORDS: usize = 9;

impl KnownDeviation {
    /// The id of the cause with this reason: its first words, and a digest of all of them.
    pub fn id_of(reason: &str) -> String {
        let words = reason.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let first: Vec<String> = words.clone().take(WORDS).map(str::to_ascii_lowercase).collect();
        // FNV-1a: short, and the same on each machine.
        let digest = words.flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        format!("{}-{:04x}", first.join("-"), digest & 0xffff)
    }

    /// The address of its report, if its tracker has one that is known.
    pub fn link(&self) -> Option<String> {
        let id = self.tracker.as_deref()?;
        match id.split_once('-') {
            _ if id.starts_with("https://") => Some(id.to_owned()),
            Some(("JDK", number)) if number.bytes().all(|b| b.is_ascii_digit()) => {
                Some(format!("https://bugs.openjdk.org/browse/{id}"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_have_ids_that_differ() {
        let id = KnownDeviation::id_of;
        assert_eq!(id("GetPhase is  wrong."), id("GetPhase is\nwrong"), "layout does not count");
        assert!(id("GetPhase is wrong.").starts_with("getphase-is-wrong-"));
        assert_ne!(id("a b c d e f g h i j"), id("a b c d e f g h i k"));
    }

    #[test]
    fn the_words_of_a_jvm_are_found_in_its_output() {
        let hotspot = "hello\n#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n\
            #  SIGSEGV (0xb) at pc=0x00007f01, pid=12, tid=13\n#\n# JRE version: 25\n# Java VM: x\n\
            # Problematic frame:\n# V  [libjvm.so+0x9a]  JvmtiEnv::GetPhase()+0x24\n#\n# No core dump\n# An error";
        let said = CrashReport::in_output(hotspot).unwrap().said;
        assert_eq!(
            said,
            ["SIGSEGV (0xb) at pc=0x00007f01", "V  [libjvm.so+0x9a]  JvmtiEnv::GetPhase()+0x24"]
        );
        let internal = "# A fatal error has been detected by the Java Runtime Environment:\n#\n\
            #  Internal Error (thread.cpp:12), pid=1, tid=2\n#  guarantee(x) failed: y\n#\n# JRE version: z";
        let said = CrashReport::in_output(internal).unwrap().said;
        assert_eq!(said, ["Internal Error (thread.cpp:12)", "guarantee(x) failed: y"]);
        let openj9 =
            "Unhandled exception\nType=Segmentation error vmState=0x0002\nModule=/j9/libj9jvmti29.so\nJ=1";
        assert_eq!(CrashReport::in_output(openj9).unwrap().said.len(), 2);
        assert_eq!(CrashReport::in_output("# comment\nfine"), None);
    }

    #[test]
    fn only_trackers_that_are_known_are_linked() {
        let link = |id: &str| KnownDeviation { tracker: Some(id.to_owned()), ..Default::default() }.link();
        assert_eq!(link("JDK-8000000").as_deref(), Some("https://bugs.openjdk.org/browse/JDK-8000000"));
        assert_eq!(link("https://example.org/1").as_deref(), Some("https://example.org/1"));
        assert_eq!(link("javascript:alert(1)"), None);
        assert_eq!(link("JDK-1/../x"), None);
    }
}
