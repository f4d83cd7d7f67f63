//! The page in a real browser. `cargo test -p jvmti-reports -- --ignored` runs these tests; `ci/test` does where there is one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::results::Results;
use crate::{html, sample};

const BROWSERS: [&str; 4] =
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "chromium"];

fn browser() -> &'static str {
    let works = |b: &&&str| {
        Command::new(b).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    BROWSERS.iter().find(works).unwrap_or_else(|| panic!("no Chromium among {BROWSERS:?}"))
}

/// Writes the page; into `REPORT_SAMPLES` for looking at it, if that names a folder.
fn page(results: &Results, name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("REPORT_SAMPLES").map(PathBuf::from);
    let path = kept.as_deref().unwrap_or(folder.path()).join(name);
    html::write(results, &path).unwrap();
    (folder, path)
}

/// The document as it stands after its script has run, opened at that place.
fn opened(browser: &str, page: &Path, hash: &str) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-quic",
            "--disable-sync",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(["--virtual-time-budget=3000", "--window-size=1280,1600", "--dump-dom"])
        .arg(format!("file://{}{hash}", page.display()))
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn count(dom: &str, selector: &str) -> usize {
    let selector = scraper::Selector::parse(selector).unwrap();
    scraper::Html::parse_document(dom).select(&selector).count()
}

#[test]
#[ignore = "needs Chromium"]
fn shows_failures_and_runs_nothing_out_of_the_data() {
    let browser = browser();
    let results = sample::large();
    let (_folder, path) = page(&results, "large.html");
    let dom = opened(browser, &path, "");
    assert!(count(&dom, ".row.chapter") > 0, "the script has not run");
    assert_eq!(count(&dom, "#statements:not([hidden]), #theme:not([hidden])"), 2);
    assert!(count(&dom, "#chips .chip") > 8, "what came out, what is unexpected, what differs");
    assert!(count(&dom, ".row.statement.unexpected") > 3, "what is unexpected is open");
    assert!(count(&dom, "#rows > *") < 600, "rows are made as they are needed");
    assert_eq!(count(&dom, "img"), 0);
    assert_eq!(count(&dom, "script"), 2);
}

#[test]
#[ignore = "needs Chromium"]
fn many_jvms_make_a_matrix() {
    let browser = browser();
    let mut results = sample::large();
    let first = results.runs[0].clone();
    for (release, version) in
        [(8, "1.8.0_492"), (11, "11.0.31"), (21, "21.0.11"), (26, "26.0.1"), (28, "28-ea")]
    {
        let mut run = first.clone();
        (run.jvm.release, run.jvm.version) = (release, version.into());
        results.runs.push(run);
    }
    let (_folder, path) = page(&results, "many.html");
    let dom = opened(browser, &path, "");
    assert_eq!(count(&dom, "#columns .head"), 7);
    let folds = count(&dom, ".row.fold");
    assert!(folds > 0);
    assert_eq!(count(&dom, ".row.fold .square"), folds * 7);
}

#[test]
#[ignore = "needs Chromium"]
fn an_address_opens_its_statement() {
    let browser = browser();
    let results = sample::small();
    let (_folder, path) = page(&results, "small.html");
    let dom = opened(browser, &path, "#IterateThroughHeap%23null%2Fcallbacks");
    assert_eq!(count(&dom, ".detail"), 1);
    assert_eq!(count(&dom, ".row.statement.open.current"), 1);
    assert!(dom.contains("SIGSEGV in IterateThroughHeap(callbacks: null)"));
    assert!(
        dom.contains("https://docs.oracle.com/en/java/javase/25/docs/specs/jvmti.html#IterateThroughHeap")
    );
    let dom = opened(browser, &path, "#get-thread-state/sleeping");
    assert_eq!(count(&dom, ".detail"), 1, "by the id of a case");
    assert_eq!(count(&dom, ".line"), 2, "what was done, line by line");
    assert!(dom.contains("jvmti-check run 'get-thread-state/sleeping' --jdk /opt/jdk-25"));
    let dom = opened(browser, &path, "#chapter:heap");
    assert_eq!(count(&dom, ".row.chapter.open.current"), 1);
}

#[test]
#[ignore = "needs Chromium"]
fn a_listed_deviation_leads_to_its_report() {
    let browser = browser();
    let mut results = sample::small();
    let known = results.runs[1].verdicts.iter_mut().find(|v| v.case == "heap/count").unwrap();
    known.findings[0].place = "known deviation".into();
    known.findings[0].observed = "counts one too many <b>(JDK-1234567)".into();
    let (_folder, path) = page(&results, "known.html");
    let dom = opened(browser, &path, "#heap/count");
    assert_eq!(count(&dom, ".listed a[href='https://bugs.openjdk.org/browse/JDK-1234567']"), 1);
    assert_eq!(count(&dom, ".listed b"), 1, "only the page's own");
}

#[test]
#[ignore = "needs Chromium"]
fn hostile_names_and_addresses_are_only_shown() {
    let browser = browser();
    let (_folder, path) = page(&sample::hostile(), "hostile.html");
    let everything = format!("#{}", "%3C%2Fscript%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E");
    for hash in ["#%E0%A4%A", &everything, ""] {
        let dom = opened(browser, &path, hash);
        assert_eq!(count(&dom, "img"), 0, "{hash}");
        assert_eq!(count(&dom, "script"), 2, "{hash}");
        assert!(count(&dom, ".row.chapter") > 0, "{hash}");
    }
}
