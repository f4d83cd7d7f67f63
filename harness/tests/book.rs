//! The documentation as a book: docs/ and its reference, which is generated here. Every page is in it, and every link leads somewhere.
//! `ci/book DIR` keeps what the test builds.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jvmti_agents::misuse;
use jvmti_spec::{Assertion, Release, Spec};
use mdbook_driver::MDBook;
use scraper::{Html, Selector};

/// The help of a command and of those below it, as a page.
fn commands(path: &[&str], page: &mut String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_jvmti-check"));
    let output =
        program.args(path).arg("--help").env("COLUMNS", "100").env("NO_COLOR", "1").output().unwrap();
    assert!(output.status.success(), "help of {path:?}");
    let help = String::from_utf8(output.stdout).unwrap();
    let name = ["jvmti-check"].iter().chain(path).copied().collect::<Vec<_>>().join(" ");
    let _ = write!(page, "## {name}\n\n```text\n{}\n```\n\n", help.trim_end());
    let lines = help.lines().skip_while(|line| !line.ends_with("ommands:")).skip(1);
    let rows = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
    // What continues the text of a command is further to the right than a command.
    let names = rows.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    for below in names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        commands(&[path, &[below]].concat(), page);
    }
}

fn misuse_rules() -> String {
    let mut page = String::from(
        "# Misuse rules\n\nWhat `agent check` holds the calls of agents against. [Test an agent](../agents.md) explains its output.\n\n\
         | Rule | Severity | Agents have to … |\n| --- | --- | --- |\n",
    );
    for rule in misuse::rules() {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} |",
            rule.id,
            rule.severity.name(),
            rule.says.replace('|', "\\|")
        );
    }
    page
}

/// The statements that a case may cite, by chapter.
fn statements() -> String {
    let mut newest: BTreeMap<String, Assertion> = BTreeMap::new();
    for release in Release::REVIEWED {
        newest.extend(Spec::embedded().assertions(release).into_iter().map(|a| (a.id.clone(), a)));
    }
    let mut chapters: BTreeMap<&str, String> = BTreeMap::new();
    for a in newest.values() {
        let says = a.text.replace('<', "&lt;");
        let list = chapters.entry(&a.chapter).or_default();
        let _ = writeln!(list, "- `{}` ({}): {says}", a.id, a.strength);
    }
    let mut page = format!(
        "# Statements of the specification\n\nThe {} statements that cases cite, by chapter, each in its newest form. \
         `jvmti-check spec show STATEMENT` tells what differs between releases, and `jvmti-check list STATEMENT` which cases \
         cite it.\n\n",
        newest.len()
    );
    for (chapter, list) in chapters {
        let _ = write!(page, "## {chapter}\n\n{list}\n");
    }
    page
}

/// Copies the pages and what they show, and adds the reference.
fn write_sources(folder: &Path) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    for entry in fs::read_dir(&docs).unwrap().map(|entry| entry.unwrap()).filter(|e| e.path().is_file()) {
        fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    let reference = folder.join("reference");
    fs::create_dir(&reference).unwrap();
    let mut page = String::from("# Commands\n\n");
    commands(&[], &mut page);
    fs::write(reference.join("commands.md"), page).unwrap();
    fs::write(reference.join("misuse-rules.md"), misuse_rules()).unwrap();
    fs::write(reference.join("statements.md"), statements()).unwrap();
}

/// The HTML pages, by their path within the book.
fn html_pages(folder: &Path, below: &str, found: &mut BTreeMap<String, Html>) {
    for entry in fs::read_dir(folder.join(below)).unwrap().map(|entry| entry.unwrap()) {
        let path = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            html_pages(folder, &format!("{path}/"), found);
        } else if path.ends_with(".html") {
            found.insert(path, Html::parse_document(&fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

fn attributes<'h>(page: &'h Html, selector: &str, name: &str) -> Vec<&'h str> {
    page.select(&Selector::parse(selector).unwrap()).filter_map(|e| e.attr(name)).collect()
}

/// Where a link on a page leads, from the book's folder, and the place there.
fn target(page: &str, link: &str) -> (String, Option<String>) {
    let (file, place) =
        link.split_once('#').map_or((link, None), |(file, place)| (file, Some(place.to_owned())));
    if file.is_empty() {
        return (page.to_owned(), place);
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in file.split('/').filter(|part| *part != ".") {
        match part {
            ".." => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    (parts.join("/"), place)
}

#[test]
fn every_page_is_in_the_book_and_every_link_leads_somewhere() {
    let sources = tempfile::tempdir().unwrap();
    write_sources(sources.path());
    let scratch = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("JVMTI_CHECK_BOOK").map(PathBuf::from);
    let built = kept.unwrap_or_else(|| scratch.path().join("book"));
    let mut book = MDBook::load(sources.path()).unwrap();
    book.config.build.build_dir.clone_from(&built);
    book.build().unwrap();

    let mut pages = BTreeMap::new();
    html_pages(&built, "", &mut pages);
    for source in fs::read_dir(sources.path()).unwrap().map(|entry| entry.unwrap().file_name()) {
        let Some(name) = source.to_str().unwrap().strip_suffix(".md").filter(|name| *name != "SUMMARY")
        else {
            continue;
        };
        assert!(pages.contains_key(&format!("{name}.html")), "docs/SUMMARY.md does not name docs/{name}.md");
    }
    let ids: BTreeMap<&str, BTreeSet<&str>> = pages
        .iter()
        .map(|(path, page)| (path.as_str(), attributes(page, "[id]", "id").into_iter().collect()))
        .collect();
    let mut broken = Vec::new();
    // The print page repeats the others with its own links.
    for (path, page) in
        pages.iter().filter(|(path, _)| !["print.html", "404.html", "toc.html"].contains(&path.as_str()))
    {
        let loaded = [("script[src]", "src"), ("link[href]", "href"), ("img[src]", "src")];
        for (selector, attribute) in loaded {
            let outside =
                attributes(page, selector, attribute).into_iter().filter(|link| link.contains("://"));
            broken.extend(outside.map(|link| format!("{path} loads {link} from the network")));
        }
        for link in
            attributes(page, "a[href], img[src]", "href").into_iter().filter(|link| !link.contains("://"))
        {
            let (file, place) = target(path, link);
            let is_there = match (ids.get(file.as_str()), place) {
                (Some(ids), Some(place)) => place.is_empty() || ids.contains(place.as_str()),
                (Some(_), None) => true,
                (None, _) => built.join(&file).is_file(),
            };
            if !is_there {
                broken.push(format!("{path} links to {link}, which is not there"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
