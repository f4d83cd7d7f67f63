//! The page in a real browser. `cargo test -p jvmti-reports -- --ignored` runs these tests; `ci/test` does where there is one.

use std::path::{Path, PathBuf};

use crate::results::Results;
use crate::{html, published, sample};

mod reading;
mod window;

use window::{DESK, PHONE, Window};

/// Writes the page; into `REPORT_SAMPLES` for looking at it, if that names a folder.
fn page(results: &Results, name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("REPORT_SAMPLES").map(PathBuf::from);
    let path = kept.as_deref().unwrap_or(folder.path()).join(name);
    html::write(results, &path).unwrap();
    (folder, path)
}

/// The results of the tree: dozens of JVMs, thousands of statements.
fn of_the_tree() -> Results {
    published::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("published")).unwrap()
}

/// Results of as many JVMs.
fn of_jvms(versions: &[(u16, &str)]) -> Results {
    let mut results = sample::large();
    let first = results.runs[0].clone();
    for (release, version) in versions {
        let mut run = first.clone();
        (run.jvm.release, run.jvm.version) = (*release, (*version).into());
        results.runs.push(run);
    }
    results
}

#[test]
#[ignore = "needs Chromium"]
fn shows_failures_and_runs_nothing_out_of_the_data() {
    let (_folder, path) = page(&sample::large(), "large.html");
    let mut window = Window::new(DESK);
    window.open(&path, "");
    assert!(window.count(".row.chapter") > 0, "the script has not run");
    assert_eq!(window.count("#statements:not([hidden]), #theme:not([hidden])"), 2);
    assert!(window.count("#chips .chip") > 8, "what came out, what is unexpected, what differs");
    assert!(window.count(".row.statement.unexpected") > 3, "what is unexpected is open");
    assert!(window.count("#rows > *") < 600, "rows are made as they are needed");
    assert_eq!(window.count("img"), 0);
    assert_eq!(window.count("script"), 2);
}

#[test]
#[ignore = "needs Chromium"]
fn many_jvms_make_a_matrix() {
    let results =
        of_jvms(&[(8, "1.8.0_492"), (11, "11.0.31"), (21, "21.0.11"), (26, "26.0.1"), (28, "28-ea")]);
    let (_folder, path) = page(&results, "many.html");
    let mut window = Window::new(DESK);
    window.open(&path, "");
    assert_eq!(window.count("#columns .head"), 7);
    let folds = window.count(".row.fold");
    assert!(folds > 0);
    assert_eq!(window.count(".row.fold .square"), folds * 7);
}

#[test]
#[ignore = "needs Chromium"]
fn an_address_opens_its_statement() {
    let (_folder, path) = page(&sample::small(), "small.html");
    let mut window = Window::new(DESK);
    window.open(&path, "#IterateThroughHeap%23null%2Fcallbacks");
    assert_eq!(window.count(".detail"), 1);
    assert_eq!(window.count(".row.statement.open.current"), 1);
    assert!(window.text().contains("SIGSEGV in IterateThroughHeap(callbacks: null)"));
    let published = "https://docs.oracle.com/en/java/javase/25/docs/specs/jvmti.html#IterateThroughHeap";
    assert!(window.count(&format!("a[href='{published}']")) > 0);
    window.open(&path, "#get-thread-state/sleeping");
    assert_eq!(window.count(".detail"), 1, "by the id of a case");
    assert_eq!(window.count(".line"), 2, "what was done, line by line");
    assert!(window.text().contains("jvmti-check run 'get-thread-state/sleeping' --jdk /opt/jdk-25"));
    window.open(&path, "#chapter:heap");
    assert_eq!(window.count(".row.chapter.open.current"), 1);
}

#[test]
#[ignore = "needs Chromium"]
fn a_listed_deviation_leads_to_its_report() {
    let mut results = sample::small();
    let known = results.runs[1].verdicts.iter_mut().find(|v| v.case == "heap/count").unwrap();
    known.findings[0].place = "known deviation".into();
    known.findings[0].observed = "counts one too many <b>(JDK-1234567)".into();
    let (_folder, path) = page(&results, "known.html");
    let mut window = Window::new(DESK);
    window.open(&path, "#heap/count");
    assert_eq!(window.count(".listed a[href='https://bugs.openjdk.org/browse/JDK-1234567']"), 1);
    assert_eq!(window.count(".listed b"), 1, "only the page's own");
}

#[test]
#[ignore = "needs Chromium"]
fn hostile_names_and_addresses_are_only_shown() {
    let (_folder, path) = page(&sample::hostile(), "hostile.html");
    let mut window = Window::new(DESK);
    let everything = format!("#{}", "%3C%2Fscript%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E");
    for hash in ["#%E0%A4%A", &everything, ""] {
        window.open(&path, hash);
        assert_eq!(window.count("img"), 0, "{hash}");
        assert_eq!(window.count("script"), 2, "{hash}");
        assert!(window.count(".row.chapter") > 0, "{hash}");
    }
}

/// Presses what carries that text.
fn press(window: &mut Window, selector: &str, text: &str) {
    let script = format!(
        "[...document.querySelectorAll({selector:?})].find((e) => e.textContent.startsWith({text:?})).click()"
    );
    window.ask_script(&script);
}

/// Types into the filter, and waits until the list has followed.
fn find(window: &mut Window, words: &str) {
    let script = format!(
        "new Promise((done) => {{
            const find = document.getElementById('find');
            new MutationObserver(done).observe(document.getElementById('rows'), {{ childList: true }});
            find.value = {words:?};
            find.dispatchEvent(new Event('input'));
        }})"
    );
    window.ask_script(&script);
}

fn hash(window: &mut Window) -> String {
    window.ask_script("location.hash").as_str().unwrap().to_owned()
}

#[test]
#[ignore = "needs Chromium"]
fn filters_are_in_the_address_and_come_back_from_it() {
    let (_folder, path) = page(&sample::large(), "filters.html");
    let mut window = Window::new(DESK);
    window.open(&path, "");
    let all = window.ask_script("document.getElementById('shown').textContent");
    find(&mut window, "GetThreadState argument");
    press(&mut window, "#chips .chip", "permitted");
    let address = hash(&mut window);
    assert_eq!(address, "#?find=getthreadstate+argument&outcomes=permitted");
    let shown = window.ask_script("document.getElementById('shown').textContent");
    assert_ne!(shown, all);
    window.open(&path, &address);
    assert_eq!(window.ask_script("document.getElementById('shown').textContent"), shown);
    assert_eq!(window.count("#chips .chip[aria-pressed=true]"), 1);
    assert_eq!(window.ask_script("document.getElementById('find').value"), "getthreadstate argument");
}

#[test]
#[ignore = "needs Chromium"]
fn many_cases_of_a_function_are_one_table_whose_cells_show_them() {
    let results = of_the_tree();
    let id = "threads/GetStackTrace/parked/suspended";
    let (_folder, path) = page(&results, "cells.html");
    let mut window = Window::new(DESK);
    window.open(&path, &format!("#{id}"));
    assert_eq!(window.count("details.matrix[open]"), 1, "only the table of the case that the address names");
    assert_eq!(window.ask_script("document.querySelector('.matrix .chosen h4').textContent"), id);
    window.ask_script(
        "document.querySelector('.matrix[open] button[title^=\"threads/GetStackTrace/sleeping\"]').click()",
    );
    let shown = window.ask_script("document.querySelector('.matrix .chosen h4').textContent").to_string();
    assert!(shown.contains("threads/GetStackTrace/sleeping"), "{shown}");
    for problem in [reading::WIDER_THAN_THE_WINDOW, reading::TOO_FAINT, reading::NAMELESS] {
        assert_eq!(window.ask_script(problem), serde_json::json!([]));
    }
}

#[test]
#[ignore = "needs Chromium"]
fn two_of_many_jvms_can_be_compared() {
    let (_folder, path) = page(&of_jvms(&[(8, "1.8.0_492"), (21, "21.0.11")]), "choice.html");
    let mut window = Window::new(DESK);
    window.open(&path, "");
    window.ask_script("document.querySelectorAll('#boxes input').forEach((box, i) => i > 1 && box.click())");
    assert_eq!(window.count("#columns .head"), 2);
    press(&mut window, "#chips .chip", "differing");
    assert_eq!(hash(&mut window), "#?differing=&jvms=0.1");
    let rows = window.count(".row.statement:not(.open)");
    assert!(rows > 3, "{rows} rows");
    let alike = "[...document.querySelectorAll('.row.statement')].filter((r) => new Set([...r.querySelectorAll('.square')].map((s) => s.className)).size < 2).length";
    assert_eq!(window.ask_script(alike), 0, "only what differs between the two");
}

#[test]
#[ignore = "needs Chromium"]
fn a_report_on_agents_begins_with_what_failed() {
    let mut results = sample::small();
    results.assertions.clear();
    results.chapters.clear();
    for verdict in results.runs.iter_mut().flat_map(|r| &mut r.verdicts) {
        verdict.chapter = "agent".into();
        verdict.cites.clear();
        verdict.findings.iter_mut().for_each(|finding| finding.cites.clear());
    }
    let (_folder, path) = page(&results, "agents.html");
    let mut window = Window::new(DESK);
    window.open(&path, "");
    assert_eq!(window.count("#statements:not([hidden])"), 0, "it claims nothing about statements");
    let states = "[...document.querySelectorAll('.agent-case')].map((c) => c.className)";
    let states = window.ask_script(states).to_string();
    let (failed, passed) = (states.find("s-fail").unwrap(), states.find("s-pass").unwrap());
    assert!(failed < passed, "{states}");
}

#[test]
#[ignore = "needs Chromium"]
fn a_phone_shows_everything_without_scrolling_sideways() {
    for (name, results) in [("tree.html", of_the_tree()), ("known.html", sample::known())] {
        let (_folder, path) = page(&results, name);
        let mut window = Window::new(PHONE);
        for hash in ["", "#outcome:known", "#chapter:thread"] {
            window.open(&path, hash);
            let wide = window.ask_script(reading::WIDER_THAN_THE_WINDOW);
            assert_eq!(wide, serde_json::json!([]), "{name}{hash}");
        }
        let outcomes = "document.querySelector('.row.statement .sum').innerText";
        assert_ne!(window.ask_script(outcomes), "", "{name}: squares alone do not say what came out");
    }
}

#[test]
#[ignore = "needs Chromium"]
fn each_text_stands_out_from_its_background() {
    for (name, results) in
        [("tree.html", of_the_tree()), ("known.html", sample::known()), ("large.html", sample::large())]
    {
        let (_folder, path) = page(&results, name);
        let mut window = Window::new(DESK);
        for scheme in ["light", "dark"] {
            window.prefer("screen", scheme);
            for hash in ["", "#outcome:known", "#outcome:broken", "#get-thread-state/sleeping"] {
                window.open(&path, hash);
                let faint = window.ask_script(reading::TOO_FAINT);
                assert_eq!(faint, serde_json::json!([]), "{name}{hash}, {scheme}");
            }
        }
    }
}

#[test]
#[ignore = "needs Chromium"]
fn keys_and_screen_readers_find_their_way() {
    let (_folder, path) = page(&sample::known(), "names.html");
    let mut window = Window::new(DESK);
    window.open(&path, "");
    assert_eq!(window.ask_script(reading::NAMELESS), serde_json::json!([]));
    // For whoever has axe at hand: all that it knows of the levels A and AA.
    let Some(axe) = std::env::var_os("JVMTI_CHECK_AXE") else { return };
    let axe = std::fs::read_to_string(&axe).unwrap_or_else(|e| panic!("{}: {e}", axe.display()));
    for (name, results) in [("tree.html", of_the_tree()), ("known.html", sample::known())] {
        let (_folder, path) = page(&results, name);
        for scheme in ["light", "dark"] {
            window.prefer("screen", scheme);
            window.open(&path, "");
            window.ask_script(&format!("{axe};0"));
            assert_eq!(window.ask_script(reading::BY_AXE), serde_json::json!([]), "{name}, {scheme}");
        }
    }
}

#[test]
#[ignore = "needs Chromium"]
fn paper_has_the_evidence_of_each_deviation() {
    let (_folder, path) = page(&sample::known(), "paper.html");
    let mut window = Window::new(DESK);
    window.open(&path, "");
    assert!(!window.text().contains("Of three objects it reports four."), "folded on the screen");
    window.prefer("print", "light");
    window.ask_script("dispatchEvent(new Event('beforeprint'))");
    let paper = window.text();
    for evidence in ["Of three objects it reports four.", "JDK-1234567", "SIGSEGV in IterateThroughHeap"] {
        assert!(paper.contains(evidence), "{evidence} is not printed");
    }
    window.ask_script("dispatchEvent(new Event('afterprint'))");
    window.prefer("screen", "light");
    assert!(!window.text().contains("Of three objects it reports four."), "as it was before");
}
