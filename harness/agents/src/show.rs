//! What a trace says about agents, as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jvmti_spec::Edition;
use jvmti_traces::Names;

use super::compare::Difference;
use super::digest::{Cost, Digest, RecordingCost, ending};
use super::times::duration;
use crate::misuse::Violation;
use crate::symbols::Located;

/// Lines of a table that are shown at most.
const ROWS: usize = 25;

/// The digest as text.
pub fn text(digest: &Digest, spec: &Edition) -> String {
    let names = Names::new(spec);
    let mut out = ended(digest);
    environments(&mut out, digest);
    table(&mut out, "calls", &digest.functions, &names);
    table(&mut out, "callbacks", &digest.events, &names);
    sampled(&mut out, digest);
    let _ = writeln!(
        out,
        "share of the run  {}{} of {}, {:.1} %",
        if digest.counted() > 0 { "at least " } else { "" },
        duration(digest.agents),
        duration(digest.run),
        digest.share() * 100.0
    );
    recording(&mut out, digest);
    for message in &digest.trouble {
        let _ = writeln!(out, "note of the probe {message}");
    }
    if digest.trace.lost > 0 {
        let _ = writeln!(out, "not recorded      {} records: the trace was full", digest.trace.lost);
    }
    out
}

/// How the program ended, and the calls and callbacks of agents that it was in.
pub fn ended(digest: &Digest) -> String {
    let mut out = String::new();
    if digest.ended.is_some() {
        let _ = writeln!(out, "how it ended      {}", ending(digest.ended));
    } else if !digest.trace.sealed {
        let _ = writeln!(out, "how it ended      not known: the recorder ended before the program");
    }
    if digest.stillborn {
        let last = digest
            .last
            .as_ref()
            .map_or_else(|| "no calls were made".to_owned(), |last| format!("the last call was {last}"));
        let _ = writeln!(out, "did not start     the JVM never came to VMStart; {last}");
    }
    for said in &digest.crash {
        let _ = writeln!(out, "crash             {said}");
    }
    did_not_return(&mut out, digest);
    out
}

/// Of calls and callbacks that are within each other over and over, so many are shown.
const MOST_ALIKE: usize = 3;

/// The calls and callbacks that did not return.
fn did_not_return(out: &mut String, digest: &Digest) {
    let mut alike: BTreeMap<(u32, &(String, String)), usize> = BTreeMap::new();
    for open in &digest.open {
        let count = alike.entry((open.thread, &open.key)).or_default();
        *count += 1;
        if *count <= MOST_ALIKE {
            let _ = writeln!(out, "did not return    {}", open.shown);
        }
    }
    for ((thread, (name, library)), count) in alike.into_iter().filter(|(_, count)| *count > MOST_ALIKE) {
        let more = count - MOST_ALIKE;
        let _ =
            writeln!(out, "did not return    {more} more of {name} of {library} on thread number {thread}");
    }
}

/// What was left out where hot places were sampled.
fn sampled(out: &mut String, digest: &Digest) {
    let sum = |costs: &BTreeMap<String, Cost>, of: fn(&Cost) -> u64| costs.values().map(of).sum::<u64>();
    let [calls, callbacks] = [&digest.functions, &digest.events].map(|costs| sum(costs, |cost| cost.counted));
    let untimed = sum(&digest.functions, |cost| cost.untimed);
    let what = match (calls + callbacks, untimed) {
        (0, 0) => return,
        (0, _) => format!("not timed         {untimed} calls that failed, from frequent call sites"),
        _ => format!("only counted      {calls} calls and {callbacks} callbacks, from frequent call sites"),
    };
    let _ = writeln!(out, "{what}: totals with ~ are estimates. `--sample 0` records everything");
}

fn environments(out: &mut String, digest: &Digest) {
    if digest.environments.is_empty() {
        let _ = writeln!(out, "no agent requested a JVM TI environment");
    }
    for environment in digest.environments.values() {
        let version = format!("{:#x}", environment.version);
        let _ = write!(out, "environment {}  {}, version {version}", environment.number, environment.library);
        if let Some(agent) = &environment.java_agent {
            let _ = write!(out, ", for {agent}");
        }
        if environment.code != 0 {
            let _ = write!(out, ": GetEnv returned {}", environment.code);
        }
        if environment.disposed {
            out.push_str(", disposed of");
        }
        out.push('\n');
        let refused = environment.asked.difference(&environment.granted).cloned().collect::<Vec<_>>();
        let granted = environment.granted.iter().cloned().collect::<Vec<_>>();
        for (label, list) in [("granted", granted), ("refused", refused)] {
            if !list.is_empty() {
                let _ = writeln!(out, "  {label}  {}", list.join(", "));
            }
        }
    }
}

fn table(out: &mut String, what: &str, costs: &BTreeMap<String, Cost>, names: &Names<'_>) {
    if costs.is_empty() {
        return;
    }
    let mut rows: Vec<_> = costs.iter().collect();
    rows.sort_by_cached_key(|(name, cost)| (std::cmp::Reverse(cost.estimate()), (*name).clone()));
    let width =
        rows.iter().take(ROWS).map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(what.len());
    let total =
        rows.iter().take(ROWS).map(|(_, cost)| shown_total(cost).chars().count()).max().unwrap_or(0).max(9);
    let cpu =
        rows.iter().take(ROWS).filter_map(|(_, cost)| shown_cpu(cost)).map(|cpu| cpu.chars().count()).max();
    // Recordings of earlier versions do not have it.
    let cpu = |text: &str| cpu.map(|width| format!("  {text:>0$}", width.max(9))).unwrap_or_default();
    let _ = writeln!(
        out,
        "\n{what:<width$}  {:>9}  {:>total$}{}  {:>9}  {:>9}  errors",
        "count",
        "total",
        cpu("CPU"),
        "p50",
        "p99"
    );
    for (name, cost) in rows.iter().take(ROWS) {
        let errors: Vec<String> =
            cost.errors.iter().map(|(code, count)| format!("{count} × {}", names.error(*code))).collect();
        let line = format!(
            "{name:<width$}  {:>9}  {:>total$}{}  {:>9}  {:>9}  {}",
            cost.count,
            shown_total(cost),
            cpu(&shown_cpu(cost).unwrap_or_default()),
            duration(cost.times.percentile(50.0)),
            duration(cost.times.percentile(99.0)),
            errors.join(", ")
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if rows.len() > ROWS {
        let _ = writeln!(out, "… and {} more", rows.len() - ROWS);
    }
    out.push('\n');
}

fn shown_total(cost: &Cost) -> String {
    match cost.untimed {
        0 => duration(cost.estimate()),
        _ => format!("~{} ±{:.0} %", duration(cost.estimate()), cost.uncertainty() * 100.0),
    }
}

/// The time of the processor, if it was measured.
fn shown_cpu(cost: &Cost) -> Option<String> {
    cost.cpu().map(|(time, estimated)| format!("{}{}", if estimated { "~" } else { "" }, duration(time)))
}

/// What recording took, which the other times are without.
fn recording(out: &mut String, digest: &Digest) {
    let Some(RecordingCost { recorded, took, counting }) = digest.recording else { return };
    let all = took.saturating_add(counting.unwrap_or(0).saturating_mul(digest.counted()));
    let counted = counting.map(|each| format!(", {} for each that was counted", duration(each)));
    let _ = writeln!(
        out,
        "recording         {}, which the times above leave out: {} for each call and callback{}",
        duration(all),
        duration(took.checked_div(recorded).unwrap_or_default()),
        counted.unwrap_or_default()
    );
}

/// A violation, with its evidence.
pub fn finding(finding: &Violation) -> String {
    let mut out = format!("── {} ── {}\n", finding.severity.name().to_uppercase(), finding.rule);
    let mut line = |label: &str, text: &str| {
        let _ = writeln!(out, "{label:>10}  {text}");
    };
    line("spec", &format!("{} (#{})", finding.says, finding.anchor));
    line("found", &finding.what);
    stack(&finding.place, &mut line);
    line("thread", &finding.thread);
    for related in &finding.related {
        line("and", &related.what);
        stack(&related.place, &mut line);
    }
    if finding.count > 1 {
        line("times", &finding.count.to_string());
    }
    if let Some(next) = &finding.next {
        line("measure", next);
    }
    out
}

/// The lines for a call stack.
fn stack(places: &[Located], line: &mut dyn FnMut(&str, &str)) {
    for (i, place) in places.iter().enumerate() {
        let mut label = if i == 0 { "at" } else { "from" };
        for text in place.lines() {
            line(label, &text);
            label = "";
        }
    }
}

/// How long calls and callbacks took in two recordings, of those that are in both.
pub fn times(before: &Digest, after: &Digest) -> String {
    let mut out = String::new();
    for (what, was, is) in [
        ("time per call", &before.functions, &after.functions),
        ("time per callback", &before.events, &after.events),
    ] {
        let mut rows: Vec<_> =
            is.iter().filter_map(|(name, is)| was.get(name).map(|was| (name, was, is))).collect();
        rows.sort_by_key(|(name, was, is)| (std::cmp::Reverse(was.total.max(is.total)), (*name).clone()));
        rows.truncate(ROWS);
        let width = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0).max(what.len());
        if !rows.is_empty() {
            let _ = writeln!(
                out,
                "\n{what:<width$}  {:>10}  {:>9}  {:>9}  {:>10}  {:>9}  {:>9}",
                "before", "p50", "p99", "after", "p50", "p99"
            );
        }
        for (name, was, is) in rows {
            let shown = |cost: &Cost| {
                let percentile = |percent| duration(cost.times.percentile(percent));
                format!("{:>8} ×  {:>9}  {:>9}", cost.count, percentile(50.0), percentile(99.0))
            };
            let _ = writeln!(out, "{name:<width$}  {}  {}", shown(was), shown(is));
        }
    }
    out
}

/// A number of findings, in words.
pub fn findings(count: usize) -> String {
    match count {
        0 => "nothing".to_owned(),
        1 => "1 finding".to_owned(),
        n => format!("{n} findings"),
    }
}

/// Differences, sorted by kind.
pub fn differences(found: &[Difference]) -> String {
    let mut out = String::new();
    if found.is_empty() {
        out.push_str("\nno difference\n");
    }
    let mut last = None;
    for difference in found {
        if last != Some(difference.kind) {
            let _ = writeln!(out, "\n── {} ──", difference.kind.name());
            last = Some(difference.kind);
        }
        let place =
            if difference.place.is_empty() { String::new() } else { format!("  at {}", difference.place) };
        let _ = writeln!(
            out,
            "{}{place}\n    before  {}\n    after   {}",
            difference.what, difference.before, difference.after
        );
    }
    out
}
