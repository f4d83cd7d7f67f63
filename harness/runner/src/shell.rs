//! Commands as text that a shell takes.

/// The command with these words, quoted where a shell would take them apart. A word with a zero byte, which no command
/// can have, loses that byte.
///
/// ```
/// let command = jvmti_runner::shell::command(["jvmti-check", "run", "--jdk", "/opt/my jdk's home"]);
/// assert_eq!(command, r#"jvmti-check run --jdk "/opt/my jdk's home""#);
/// ```
pub fn command<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| word.replace('\0', "")).collect();
    // Without zero bytes this cannot fail.
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_words_as_they_were() {
        let words =
            ["plain", "with space", "it's", "\"", "$HOME", "a*b?[c]", "", "#null/x", "two\nlines", "!", "\\"];
        let echoed = format!("for word in {}; do printf '%s\\0' \"$word\"; done", command(words));
        let output = std::process::Command::new("sh").args(["-c", &echoed]).output().unwrap();
        let read = String::from_utf8(output.stdout).unwrap();
        assert_eq!(read.split_terminator('\0').collect::<Vec<_>>(), words);
        assert_eq!(command(["a\0b"]), "ab");
    }
}
