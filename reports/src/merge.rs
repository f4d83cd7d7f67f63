//! Merges results: the shards of one run, and runs on different JVMs.
//!
//! The merged results are those of a single run. Anything that would change them (a missing or duplicate shard, two
//! results for one JVM, different versions of the suite) is an error.

use std::collections::{BTreeSet, HashMap};

use thiserror::Error;

use crate::results::*;
use crate::visible;

/// Results that cannot be merged. Files are named as the caller named them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MergeError {
    /// There is nothing to merge.
    #[error("no results to merge: name the results files of the runs")]
    Nothing,
    /// The files are not by the same suite, so that their verdicts do not rest on the same cases.
    #[error(
        "jvmti-check {ours} wrote {first}, but {theirs} wrote {second}: use the same version for both runs"
    )]
    Suite {
        /// First file.
        first: String,
        /// Version that wrote it.
        ours: String,
        /// Another file.
        second: String,
        /// Version that wrote that.
        theirs: String,
    },
    /// One JVM has two results.
    #[error("two results for {jvm}, in {first} and {second}: leave one of the files out")]
    Twice {
        /// Name of the JVM.
        jvm: String,
        /// File of the first.
        first: String,
        /// File of the second.
        second: String,
    },
    /// A shard is there more than once.
    #[error("shard {shard} of {jvm} occurs twice, in {first} and {second}: leave one of the files out")]
    ShardTwice {
        /// Name of the JVM.
        jvm: String,
        /// The shard.
        shard: Shard,
        /// File of the first.
        first: String,
        /// File of the second.
        second: String,
    },
    /// The work was divided in different ways.
    #[error(
        "{jvm}: {first} contains {ours}, but {second} contains {theirs}: use the same number of shards for all"
    )]
    Divided {
        /// Name of the JVM.
        jvm: String,
        /// First file.
        first: String,
        /// Its part, `shard 1/4` or `all cases`.
        ours: String,
        /// Another file.
        second: String,
        /// Its part.
        theirs: String,
    },
    /// Shards are missing.
    #[error("{jvm}: missing shard {}: add the files of these shards, or run them again", list(missing))]
    Missing {
        /// Name of the JVM.
        jvm: String,
        /// Which.
        missing: Vec<Shard>,
    },
    /// A case is in two shards, with different verdicts.
    #[error("{jvm}: {case} is in shard {first} and in shard {second}: were they run with the same filters?")]
    CaseTwice {
        /// Name of the JVM.
        jvm: String,
        /// Id of the case.
        case: String,
        /// A shard.
        first: Shard,
        /// Another.
        second: Shard,
    },
}

fn list(shards: &[Shard]) -> String {
    shards.iter().map(Shard::to_string).collect::<Vec<_>>().join(", ")
}

/// Merges results, each with the name of its file. The order of the JVMs is that of their first appearance.
pub fn merge(parts: Vec<(String, Results)>) -> Result<Results, MergeError> {
    let suite = same_suite(&parts)?;
    let (assertions, chapters) = texts(&parts);
    let mut skipped: Vec<Skipped> = Vec::new();
    let mut groups: Vec<Vec<Part>> = Vec::new();
    let (mut started, mut wall_ms) = (String::new(), 0);
    let mut deviations: Vec<KnownDeviation> = Vec::new();
    for (file, results) in parts {
        for one in results.deviations {
            if !deviations.iter().any(|known| known.id == one.id) {
                deviations.push(one);
            }
        }
        wall_ms += results.wall_ms;
        if started.is_empty() || results.started < started {
            started = results.started;
        }
        for one in results.skipped {
            if !skipped.contains(&one) {
                skipped.push(one);
            }
        }
        for run in results.runs {
            let part = Part { file: file.clone(), run };
            match groups.iter_mut().find(|group| group[0].is_same_jvm(&part)) {
                Some(group) => group.push(part),
                None => groups.push(vec![part]),
            }
        }
    }
    let runs: Vec<Vec<JvmRun>> = groups.into_iter().map(joined).collect::<Result<_, _>>()?;
    let runs = runs.into_iter().flatten().collect();
    Ok(Results { schema: SCHEMA, suite, started, wall_ms, runs, skipped, assertions, chapters, deviations })
}

fn same_suite(parts: &[(String, Results)]) -> Result<Suite, MergeError> {
    let (first, head) = parts.first().ok_or(MergeError::Nothing)?;
    let name = |suite: &Suite| match &suite.commit {
        Some(commit) => format!("{} ({commit})", suite.version),
        None => suite.version.clone(),
    };
    match parts.iter().find(|(_, other)| other.suite != head.suite) {
        None => Ok(head.suite.clone()),
        Some((second, other)) => Err(MergeError::Suite {
            first: first.clone(),
            ours: name(&head.suite),
            second: second.clone(),
            theirs: name(&other.suite),
        }),
    }
}

/// A run, and the file that it is from.
struct Part {
    file: String,
    run: JvmRun,
}

impl Part {
    /// Whether it is the same JVM with the same options, wherever it is installed.
    fn is_same_jvm(&self, other: &Part) -> bool {
        let (a, b) = (&self.run, &other.run);
        let at_home = |jvm: &Jvm| Jvm { home: String::new(), ..jvm.clone() };
        at_home(&a.jvm) == at_home(&b.jvm)
            && a.configuration == b.configuration
            && a.vm_options == b.vm_options
    }

    fn name(&self) -> String {
        visible::line(&self.run.short()).into_owned()
    }

    fn share(&self) -> String {
        self.run.shard.map_or("all cases".to_owned(), |shard| format!("shard {shard}"))
    }
}

/// The runs that these parts, all of JVMs alike, amount to: one for each Java home if a file holds several of them (they
/// are different builds of one version), else one for all (its shards may have run on machines that keep it in different
/// places).
fn joined(parts: Vec<Part>) -> Result<Vec<JvmRun>, MergeError> {
    let homes: BTreeSet<&str> = parts.iter().map(|part| part.run.jvm.home.as_str()).collect();
    let of_home = |home: &str| parts.iter().filter(|part| part.run.jvm.home == home).collect::<Vec<_>>();
    let by_home: Vec<Vec<&Part>> = homes.into_iter().map(of_home).collect();
    let together = |a: &Part| parts.iter().any(|b| a.file == b.file && a.run.jvm.home != b.run.jvm.home);
    let are_different = parts.iter().any(together) && by_home.iter().all(|group| complete(group).is_ok());
    let groups = match are_different {
        true => by_home,
        false => vec![parts.iter().collect()],
    };
    groups.into_iter().map(|group| complete(&group).and_then(|()| one(&group))).collect()
}

/// Whether these are one whole run, or each of its shards once.
fn complete(parts: &[&Part]) -> Result<(), MergeError> {
    let Some((first, others)) = parts.split_first() else { return Ok(()) };
    let count = |part: &Part| part.run.shard.map(|shard| shard.count);
    for second in others {
        let (jvm, files) = (first.name(), (first.file.clone(), second.file.clone()));
        if count(first) != count(second) {
            return Err(MergeError::Divided {
                jvm,
                first: files.0,
                ours: first.share(),
                second: files.1,
                theirs: second.share(),
            });
        }
        if first.run.shard.is_none() {
            return Err(MergeError::Twice { jvm, first: files.0, second: files.1 });
        }
    }
    let Some(count) = count(first) else { return Ok(()) };
    let mut missing = Vec::new();
    for index in 1..=count {
        let shard = Shard { index, count };
        match parts.iter().filter(|part| part.run.shard == Some(shard)).collect::<Vec<_>>()[..] {
            [] => missing.push(shard),
            [_] => {}
            [a, b, ..] => {
                let (jvm, first, second) = (first.name(), a.file.clone(), b.file.clone());
                return Err(MergeError::ShardTwice { jvm, shard, first, second });
            }
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(MergeError::Missing { jvm: first.name(), missing }) }
}

/// The parts as one run. Verdicts come in the order of the shards, the universal rules last.
fn one(parts: &[&Part]) -> Result<JvmRun, MergeError> {
    let mut parts = parts.to_vec();
    parts.sort_by_key(|part| part.run.shard);
    let Some((first, others)) = parts.split_first() else { return Ok(JvmRun::default()) };
    let mut whole = JvmRun { shard: None, ..first.run.clone() };
    let mut places: HashMap<String, (usize, Option<Shard>)> = HashMap::new();
    for (place, verdict) in whole.verdicts.iter().enumerate() {
        places.insert(verdict.case.clone(), (place, first.run.shard));
    }
    for part in others {
        whole.launches = whole.launches.saturating_add(part.run.launches);
        whole.wall_ms = whole.wall_ms.saturating_add(part.run.wall_ms);
        whole.bare_start_ms = whole.bare_start_ms.into_iter().chain(part.run.bare_start_ms).min();
        if part.run.started < whole.started {
            whole.started.clone_from(&part.run.started);
        }
        for verdict in &part.run.verdicts {
            let Some((place, shard)) = places.get(&verdict.case) else {
                places.insert(verdict.case.clone(), (whole.verdicts.len(), part.run.shard));
                whole.verdicts.push(verdict.clone());
                continue;
            };
            let known = &mut whole.verdicts[*place];
            if verdict.is_universal() {
                known.unite(verdict);
            } else if known.status != Status::Inapplicable || verdict.status != Status::Inapplicable {
                let case = visible::line(&verdict.case).into_owned();
                let none = Shard { index: 0, count: 0 };
                let (first, second) = (shard.unwrap_or(none), part.run.shard.unwrap_or(none));
                return Err(MergeError::CaseTwice { jvm: part.name(), case, first, second });
            }
        }
    }
    whole.verdicts.sort_by_key(Verdict::is_universal);
    Ok(whole)
}

/// The statements and chapters of all parts. Each part says from when to when a statement holds among its own releases
/// only, so that is worked out anew over all releases; of different wordings the newest release's is taken.
fn texts(parts: &[(String, Results)]) -> (Vec<AssertionInfo>, Vec<ChapterInfo>) {
    let releases =
        |results: &Results| results.runs.iter().map(|run| run.jvm.release).collect::<BTreeSet<u16>>();
    let mut parts: Vec<(BTreeSet<u16>, &Results)> = parts.iter().map(|(_, r)| (releases(r), r)).collect();
    parts.sort_by_key(|(releases, _)| releases.last().copied());
    let all: BTreeSet<u16> = parts.iter().flat_map(|(releases, _)| releases).copied().collect();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut merged: Vec<(AssertionInfo, BTreeSet<u16>)> = Vec::new();
    for (releases, results) in &parts {
        for info in &results.assertions {
            let holds = releases.iter().copied().filter(|release| info.holds_in(*release));
            match places.get(info.id.as_str()) {
                Some(place) => {
                    let (known, held) = &mut merged[*place];
                    *known = AssertionInfo {
                        since: info.since.or(known.since),
                        until: info.until.or(known.until),
                        ..info.clone()
                    };
                    held.extend(holds);
                }
                None => {
                    places.insert(&info.id, merged.len());
                    merged.push((info.clone(), holds.collect()));
                }
            }
        }
    }
    let infos = merged.into_iter().map(|(mut info, held)| {
        info.since = info.since.or(held.first().filter(|first| all.first() < Some(first)).copied());
        info.until = info.until.or(held.last().filter(|last| all.last() > Some(last)).copied());
        info
    });
    let chapters = parts.last().map(|(_, results)| results.chapters.clone()).unwrap_or_default();
    (infos.collect(), chapters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn file(n: usize) -> String {
        format!("{n}.json")
    }

    /// The results divided by cases into so many shards, as their runs would have written them.
    fn shards(results: &Results, count: u32) -> Vec<(String, Results)> {
        let shard = |index: u32| {
            let mut part = results.clone();
            for run in &mut part.runs {
                run.shard = Some(Shard { index, count });
                let mut n = 0;
                run.verdicts.retain(|_| {
                    n += 1;
                    n % count == index - 1
                });
            }
            (file(index as usize), part)
        };
        (1..=count).map(shard).collect()
    }

    fn sorted(mut results: Results) -> Results {
        for run in &mut results.runs {
            run.verdicts.sort_by(|a, b| a.case.cmp(&b.case));
            (run.launches, run.wall_ms) = (0, 0);
        }
        Results { wall_ms: 0, ..results }
    }

    fn said(parts: Vec<(String, Results)>) -> String {
        merge(parts).unwrap_err().to_string()
    }

    #[test]
    fn shards_make_the_whole() {
        for results in [sample::small(), sample::large()] {
            let mut parts = shards(&results, 4);
            parts.rotate_left(1);
            assert_eq!(sorted(merge(parts).unwrap()), sorted(results));
        }
    }

    #[test]
    fn jvms_of_several_files_make_a_matrix() {
        let both = sample::small();
        let alone = |n: usize| {
            let mut results = both.clone();
            results.runs = vec![both.runs[n].clone()];
            let release = both.runs[n].jvm.release;
            results.assertions.retain(|a| a.id != "thread-state/sleeping-is-timed" || release == 25);
            (file(n), results)
        };
        let merged = merge(vec![alone(0), alone(1)]).unwrap();
        assert_eq!(merged.runs, both.runs);
        let later = merged.assertions.iter().find(|a| a.id == "thread-state/sleeping-is-timed").unwrap();
        assert_eq!((later.since, later.until), (Some(25), None), "stated in the newer release only");
        assert_eq!(merged.assertions.len(), both.assertions.len());
    }

    #[test]
    fn rules_over_all_launches_are_kept_if_every_shard_keeps_them() {
        let mut results = sample::small();
        results.runs.truncate(1);
        let rule = |status, asserted| Verdict {
            case: "universal/phases".into(),
            status,
            asserted,
            ..Verdict::default()
        };
        let mut parts = shards(&results, 2);
        parts[0].1.runs[0].verdicts.push(rule(Status::Pass, 5));
        parts[1].1.runs[0].verdicts.push(rule(Status::Fail, 7));
        let merged = merge(parts).unwrap();
        let rule = merged.runs[0].verdicts.last().unwrap();
        assert_eq!((rule.status, rule.asserted), (Status::Fail, 12));
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let results = sample::small();
        let whole = |n| (file(n), results.clone());
        let mut said_all = vec![said(vec![]), said(vec![whole(1), whole(2)])];
        let mut parts = shards(&results, 4);
        parts.remove(1);
        parts.remove(2);
        said_all.push(said(parts));
        let mut parts = shards(&results, 2);
        parts.push(("again.json".into(), parts[1].1.clone()));
        said_all.push(said(parts));
        let mut parts = shards(&results, 2);
        parts.push(shards(&results, 3).remove(2));
        said_all.push(said(parts));
        said_all.push(said(vec![shards(&results, 2).remove(0), whole(2)]));
        let mut parts = shards(&results, 2);
        let case = parts[0].1.runs[0].verdicts[0].clone();
        parts[1].1.runs[0].verdicts.push(case);
        said_all.push(said(parts));
        let mut other = whole(2);
        other.1.suite.version = "0.2.0".into();
        said_all.push(said(vec![whole(1), other]));
        insta::assert_snapshot!(said_all.join("\n"));
    }

    #[test]
    fn a_jvm_may_be_kept_in_different_places() {
        let mut results = sample::small();
        results.runs.truncate(1);
        let mut parts = shards(&results, 2);
        parts[1].1.runs[0].jvm.home = "/elsewhere".into();
        assert_eq!(merge(parts).unwrap().runs.len(), 1, "shards on two machines");
        let mut other = results.clone();
        other.runs[0].jvm.home = "/build/b".into();
        let mut builds = results.clone();
        builds.runs.extend(other.runs.clone());
        assert_eq!(merge(shards(&builds, 2)).unwrap().runs.len(), 2, "two builds, tested at once");
        let twice = merge(vec![(file(1), results), (file(2), other)]);
        assert!(matches!(twice, Err(MergeError::Twice { .. })), "one JVM, tested on two machines");
    }
}
