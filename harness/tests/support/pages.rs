//! The pages for people, and what they show in code. Shared by the test that parses every command (`documented.rs` of the
//! program) and the one that runs them (`shown.rs`).

use std::path::{Path, PathBuf};

/// A page, read.
pub struct Page {
    /// Its path in the source tree: `docs/start.md`.
    pub name: String,
    /// All that is in it.
    pub text: String,
}

/// A code span, or a line of a code block.
pub struct Code<'p> {
    /// The number of the line in the page.
    pub line: usize,
    /// The number of the line that opens the block; none for a span.
    pub block: Option<usize>,
    /// What stands there.
    pub text: &'p str,
}

/// The top of the source tree.
pub fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All pages, by name.
pub fn pages() -> Vec<Page> {
    let docs = std::fs::read_dir(top().join("docs")).unwrap();
    let docs = docs.map(|entry| format!("docs/{}", entry.unwrap().file_name().to_string_lossy()));
    let mut names: Vec<String> = docs.filter(|name| name.ends_with(".md")).collect();
    names.extend(["README.md", "CONTRIBUTING.md"].map(str::to_owned));
    names.sort();
    let read = |name: String| Page { text: std::fs::read_to_string(top().join(&name)).unwrap(), name };
    names.into_iter().map(read).collect()
}

impl Page {
    /// Its code, in its order.
    pub fn code(&self) -> Vec<Code<'_>> {
        let mut block = None;
        let mut found = Vec::new();
        for (line, text) in (1..).zip(self.text.lines()) {
            if text.trim_start().starts_with("```") {
                block = if block.is_none() { Some(line) } else { None };
            } else if block.is_some() {
                found.push(Code { line, block, text });
            } else {
                found.extend(text.split('`').skip(1).step_by(2).map(|text| Code { line, block, text }));
            }
        }
        found
    }
}
