//! Where the text of each release is published.

use crate::results::Jvm;

/// Address of that anchor in the specification published for that JVM's release.
pub fn spec_url(jvm: &Jvm, anchor: &str) -> String {
    format!("{}#{}", spec_page(jvm), fragment(anchor.trim_start_matches('#')))
}

/// Address of the specification that this JVM is held to.
pub(crate) fn spec_page(jvm: &Jvm) -> String {
    let release = jvm.release;
    match release {
        _ if jvm.version.contains("-ea") => {
            format!("https://download.java.net/java/early_access/jdk{release}/docs/specs/jvmti.html")
        }
        0..=8 => "https://docs.oracle.com/javase/8/docs/platform/jvmti/jvmti.html".to_owned(),
        9 | 10 => format!("https://docs.oracle.com/javase/{release}/docs/specs/jvmti.html"),
        _ => format!("https://docs.oracle.com/en/java/javase/{release}/docs/specs/jvmti.html"),
    }
}

/// Percent-encoded as a URL's fragment; anchors of the specification pass unchanged.
fn fragment(anchor: &str) -> String {
    anchor.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte.into()),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_release_has_its_page() {
        let at = |release, version: &str| {
            spec_url(&Jvm { release, version: version.into(), ..Jvm::default() }, "GetThreadState")
        };
        assert_eq!(
            at(8, "1.8.0_402"),
            "https://docs.oracle.com/javase/8/docs/platform/jvmti/jvmti.html#GetThreadState"
        );
        assert_eq!(
            at(25, "25.0.1"),
            "https://docs.oracle.com/en/java/javase/25/docs/specs/jvmti.html#GetThreadState"
        );
        assert_eq!(
            at(28, "28-ea"),
            "https://download.java.net/java/early_access/jdk28/docs/specs/jvmti.html#GetThreadState"
        );
    }

    #[test]
    fn an_anchor_stays_within_the_fragment() {
        assert!(spec_url(&Jvm::default(), "a b\"><x").ends_with("#a%20b%22%3E%3Cx"));
    }
}
