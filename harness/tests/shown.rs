//! Every command that the documentation shows in a block is typed here, page by page, in a folder of its own and in the order of the
//! page. Commands in the middle of a sentence, which may only name what they are about, are parsed (`documented.rs`).

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod support;
#[path = "shown/supposed.rs"]
mod supposed;

use std::cmp::Reverse;
use std::process::ExitCode;
use std::sync::LazyLock;

use support::pages::{Page, pages, top};
use support::sandbox::said;
use support::trials::{Missing, Tested, run_all, trial};
use supposed::{Installed, Reader, SUPPOSED, installed};

/// What stands for something that a test cannot have or wait for.
const REPLACED: [(&str, &str, &str); 11] = [
    ("/opt/", "$PWD/opt/", "the folder is not ours"),
    ("run --keep-traces", "run GetThreadState --keep-traces", "all cases take a minute on each JVM"),
    (
        "--vm-option-set all",
        "--vm-option-set interpreted",
        "some fifteen JVMs; tests/runs.rs has a smaller `all`",
    ),
    ("run --", "run GetPhase --", "all cases take a minute on each JVM"),
    ("--minutes 10", "--minutes 10 --sequences 100", "ten minutes"),
    ("--seconds 20", "--seconds 20 --sequences 100", "twenty seconds"),
    ("agent price ", "agent price --rounds 2 ", "ten rounds take their time"),
    ("-XX:+UseZGC", "-XX:+UseSerialGC", "not every JVM has this collector"),
    ("-XX:+UseMyNewThing", "-XX:+UseSerialGC", "no JVM has this collector"),
    ("libbusy.so=40000", "libbusy.so=400", "it is to take long"),
    ("libbusy.so=100000", "libbusy.so=400", "it is to take long"),
];

/// Commands that are not run here.
const NOT_RUN: [(&str, &str); 17] = [
    ("cargo bench", "measures for minutes"),
    ("cargo test", "runs other tests"),
    ("ci/aarch64", "downloads an emulator and JVMs"),
    ("ci/agents", "downloads agents"),
    ("ci/book", "calls cargo; tests/book.rs builds the book"),
    ("ci/check", "runs all cases on every JVM, as tests/conformance.rs does"),
    ("ci/fresh", "makes a machine"),
    ("ci/lint", "calls cargo and clippy"),
    ("ci/musl", "downloads a JVM"),
    ("ci/package", "tests/installing.rs runs it"),
    ("ci/publish", "runs all cases, and writes into the source tree"),
    ("ci/score", "runs JVMs for hours; harness/mutants/tests/score.rs tries one of each kind"),
    ("ci/setup", "installs packages"),
    ("ci/soak", "runs all cases many times"),
    ("ci/test", "runs this test"),
    ("ci/windows", "downloads JVMs"),
    ("man -l", "tests/installing.rs looks at the pages"),
];

/// Exit codes other than 0 that a command is to end with.
const EXPECTED: [(&str, &[i32], &str); 4] = [
    ("agent check", &[1], "the agents of the pages make mistakes"),
    ("agent compare", &[0, 1], "two JVMs may differ or not"),
    ("=broken_double_free", &[134], "the page says that the JVM aborts"),
    ("explore", &[0, 1], "a JVM may break a promise"),
];

/// A command on a page.
struct Typed<'p> {
    line: usize,
    command: &'p str,
    /// What the page shows as its output.
    output: Vec<&'p str>,
}

/// A command without variables that are set for it.
fn bare(command: &str) -> &str {
    let is_variable = |word: &str| word.contains('=') && word.starts_with(|c: char| c.is_ascii_uppercase());
    match command.split_once(' ') {
        Some((word, rest)) if is_variable(word) => bare(rest),
        _ => command,
    }
}

/// The command in a line of a block. A line that begins with one of our programs needs no `$`.
fn command(line: &str) -> Option<&str> {
    let is_ours = ["jvmti-check ", "ci/", "cargo "].iter().any(|start| bare(line).starts_with(start));
    line.strip_prefix("$ ").or_else(|| is_ours.then_some(line))
}

/// The commands in the blocks of a page.
fn typed(page: &Page) -> Vec<Typed<'_>> {
    let mut found: Vec<Typed<'_>> = Vec::new();
    let mut last = None;
    for code in page.code().into_iter().filter(|code| code.block.is_some()) {
        if let Some(command) = command(code.text) {
            found.push(Typed { line: code.line, command, output: Vec::new() });
            last = code.block;
        } else if code.block == last {
            found.last_mut().unwrap().output.push(code.text);
        }
    }
    found
}

fn is_run(command: &str) -> bool {
    !NOT_RUN.iter().any(|(start, _)| bare(command).starts_with(start))
}

/// The command, or its output, with what stands for the rest.
fn replaced(text: &str) -> String {
    let mut text = text.to_owned();
    for (from, to, _) in REPLACED {
        text = text.replace(from, to);
    }
    text
}

/// The beginning of a line: a heading, which has its words between lines, or the first two words. Numbers are all the same.
fn beginning(line: &str) -> String {
    let is_heading = line.starts_with("── ") && line.chars().nth(3).is_some_and(char::is_uppercase);
    let words: Vec<&str> = line.split_whitespace().take(if is_heading { 4 } else { 2 }).collect();
    let text = words.join(" ");
    let numbers = text.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty());
    numbers.collect::<Vec<_>>().join("#")
}

/// What the page shows of the output, and the command did not print: the first line, and headings.
fn not_printed(typed: &Typed<'_>, printed: &str) -> Vec<String> {
    let printed: Vec<String> = printed.lines().map(beginning).collect();
    let (first, rest) =
        typed.output.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
    let headings = rest.iter().filter(|line| line.starts_with("── "));
    let shown = first.into_iter().chain(headings).map(|line| beginning(&replaced(line)));
    shown.filter(|line| !printed.contains(line)).collect()
}

/// Types the commands of a page.
fn read(page: &Page, installed: &[Installed]) -> Tested {
    let reader = Reader::new(installed);
    let folder = reader.folder().canonicalize().unwrap();
    let mut open: Vec<_> = SUPPOSED.iter().filter(|supposed| page.name.contains(supposed.on)).collect();
    for typed in typed(page).into_iter().filter(|typed| is_run(typed.command)) {
        let line = replaced(typed.command);
        for supposed in open.extract_if(.., |supposed| line.contains(supposed.named)) {
            (supposed.make)(&reader)?;
        }
        let output = reader.shell(&line).output().unwrap();
        let codes =
            EXPECTED.iter().find(|(named, ..)| line.contains(named)).map_or(&[0][..], |(_, codes, _)| codes);
        let place = format!("{}:{}: {}", page.name, typed.line, typed.command);
        let said = said(&output).replace(&*folder.to_string_lossy(), "$PWD");
        let code = output.status.code();
        assert!(
            code.is_some_and(|code| codes.contains(&code)),
            "{place}\n{}; run as {line}\n{said}",
            output.status
        );
        let missing = not_printed(&typed, &said);
        assert!(missing.is_empty(), "{place}\ndid not print {missing:?}; run as {line}\n{said}");
    }
    reader.place.assert_tidy();
    Ok(())
}

/// Commands of `ci/` exist and are listed, wherever a page names them, and all that is listed here is on some page.
fn lists_are_true(pages: &[Page]) {
    let commands: Vec<&str> = pages.iter().flat_map(typed).map(|typed| typed.command).collect();
    assert!(
        commands.iter().filter(|command| is_run(command)).count() > 60,
        "the pages are not where they were"
    );
    let mut named: Vec<&str> = commands.clone();
    for page in pages {
        for code in page.code().iter().filter(|code| bare(code.text).starts_with("ci/")) {
            let place = format!("{}:{}: {}", page.name, code.line, code.text);
            let file = top().join(bare(code.text).split_whitespace().next().unwrap());
            assert!(file.exists(), "{place}: there is no such file");
            assert!(file.is_dir() || !is_run(code.text), "{place}: neither run nor listed in NOT_RUN");
            named.push(code.text);
        }
    }
    let stale = |what: &str| panic!("no page shows {what:?} any more");
    let is_shown = |what: &str| commands.iter().any(|command| command.contains(what));
    NOT_RUN
        .iter()
        .filter(|(start, _)| !named.iter().any(|c| bare(c).starts_with(start)))
        .for_each(|(s, _)| stale(s));
    REPLACED.iter().filter(|(from, ..)| !is_shown(from)).for_each(|(from, ..)| stale(from));
    EXPECTED.iter().filter(|(named, ..)| !is_shown(named)).for_each(|(named, ..)| stale(named));
    SUPPOSED.iter().filter(|supposed| !is_shown(supposed.named)).for_each(|supposed| stale(supposed.named));
}

static PAGES: LazyLock<Vec<Page>> = LazyLock::new(pages);
static INSTALLED: LazyLock<Result<Vec<Installed>, Missing>> = LazyLock::new(installed);

fn main() -> ExitCode {
    let lists = trial("the_lists_of_this_test_are_true", || {
        lists_are_true(&PAGES);
        Ok(())
    });
    let commands = |page: &Page| typed(page).iter().filter(|typed| is_run(typed.command)).count();
    let mut with_commands: Vec<&Page> = PAGES.iter().filter(|page| commands(page) > 0).collect();
    // The longest first, so that no core is idle at the end.
    with_commands.sort_by_key(|page| Reverse(commands(page)));
    let pages = with_commands.into_iter().map(|page| {
        trial(&page.name, || match &*INSTALLED {
            Ok(installed) => read(page, installed),
            Err(Missing(what)) => Err(Missing(what.clone())),
        })
    });
    run_all([lists].into_iter().chain(pages).collect())
}
