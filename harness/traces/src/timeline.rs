//! A trace as a timeline that trace viewers open (ui.perfetto.dev, chrome://tracing): a track per thread, calls and
//! event callbacks as slices, the rest as instants. The format is Chrome's trace events, as JSON.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

use jvmti_wire::trace::{Body, Record};
use serde_json::{Value as Json, json};

use crate::Names;
use crate::listing::Reading;

/// What a slice is of; it ends with the record that says so of the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slice {
    Entry,
    ScenarioRun(u32),
    Call(u32),
    Event(u16),
    ExtensionEvent(i32),
}

/// What a record does to the track of its thread.
enum Mark {
    Begins(Slice, String),
    Ends(Slice),
    Happens,
    Nothing,
}

/// Writes a timeline, record by record.
pub struct Timeline<'a, W: Write> {
    reading: Reading<'a>,
    out: W,
    threads: BTreeSet<u32>,
    /// Slices that are open on each thread, innermost last, and whether they are shown.
    open: HashMap<u32, Vec<(Slice, bool)>>,
}

impl<'a, W: Write> Timeline<'a, W> {
    /// Begins one. `about` says what was traced.
    pub fn begin(reading: Reading<'a>, about: &Json, mut out: W) -> io::Result<Timeline<'a, W>> {
        let process = json!({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": about["name"]}});
        write!(out, "{{\"displayTimeUnit\": \"ns\", \"otherData\": {about}, \"traceEvents\": [\n{process}")?;
        Ok(Timeline { reading, out, threads: BTreeSet::new(), open: HashMap::new() })
    }

    /// The next record of the trace. All have to come, also those that are not wanted.
    pub fn add(&mut self, record: &Record) -> io::Result<()> {
        let picked = self
            .reading
            .pick(record, |names, case| (mark(names, record), words(names, record), case.map(str::to_owned)));
        let shown = picked.is_some();
        let (mark, words, case) = match picked {
            Some(picked) => picked,
            // A slice that is not shown has an end all the same.
            None => (mark(self.reading.names(), record), String::new(), None),
        };
        let open = self.open.entry(record.thread).or_default();
        let event = match mark {
            Mark::Nothing => None,
            Mark::Happens => shown
                .then(|| json!({"ph": "i", "s": "t", "name": words, "cat": "note", "args": {"case": case}})),
            Mark::Begins(slice, name) => {
                open.push((slice, shown));
                let what = if matches!(slice, Slice::Call(_)) { "call" } else { "event" };
                shown.then(
                    || json!({"ph": "B", "name": name, "cat": what, "args": {"begin": words, "case": case}}),
                )
            }
            Mark::Ends(slice) => {
                let at = open.iter().rposition(|(other, _)| *other == slice);
                let ended = at.map(|at| open.split_off(at)).unwrap_or_default();
                // What was open within it, and never ended, ends with it.
                let shown = ended.iter().filter(|(_, shown)| *shown).count();
                for _ in 1..shown {
                    write_event(&mut self.out, json!({"ph": "E"}), record)?;
                }
                (shown > 0).then(|| json!({"ph": "E", "args": {"end": words}}))
            }
        };
        if let Some(event) = event {
            self.threads.insert(record.thread);
            write_event(&mut self.out, event, record)?;
        }
        Ok(())
    }

    /// Ends it. Slices that are open stay so: the call that did not return is the one to look at.
    pub fn end(mut self) -> io::Result<()> {
        for thread in &self.threads {
            let name = self.reading.names().thread(*thread);
            let event =
                json!({"ph": "M", "name": "thread_name", "pid": 1, "tid": thread, "args": {"name": name}});
            write!(self.out, ",\n{event}")?;
        }
        writeln!(self.out, "\n]}}")?;
        self.out.flush()
    }
}

fn write_event(out: &mut impl Write, mut event: Json, record: &Record) -> io::Result<()> {
    event["pid"] = json!(1);
    event["tid"] = json!(record.thread);
    event["ts"] = json!(record.at as f64 / 1e3);
    write!(out, ",\n{event}")
}

fn words(names: &Names<'_>, record: &Record) -> String {
    names.record(record)
}

fn mark(names: &Names<'_>, record: &Record) -> Mark {
    match &record.body {
        Body::Entry(_) => Mark::Begins(Slice::Entry, names.record(record)),
        Body::EntryReturned { .. } => Mark::Ends(Slice::Entry),
        Body::RunBegin { run } => Mark::Begins(Slice::ScenarioRun(*run), format!("scenario run {run}")),
        Body::RunEnd { run } => Mark::Ends(Slice::ScenarioRun(*run)),
        Body::CallBegin { call, function, .. } => {
            Mark::Begins(Slice::Call(*call), names.function(*function).into_owned())
        }
        Body::CallEnd { call, .. } => Mark::Ends(Slice::Call(*call)),
        Body::Event { event, .. } => Mark::Begins(Slice::Event(*event), names.event(*event)),
        Body::EventEnd { event } => Mark::Ends(Slice::Event(*event)),
        Body::ExtensionEvent { index, id, .. } => Mark::Begins(Slice::ExtensionEvent(*index), id.clone()),
        Body::ExtensionEventEnd { index } => Mark::Ends(Slice::ExtensionEvent(*index)),
        Body::Identity { .. }
        | Body::ThreadSeen { .. }
        | Body::ObjectSeen { .. }
        | Body::MethodSeen { .. }
        | Body::SiteSeen { .. } => Mark::Nothing,
        _ => Mark::Happens,
    }
}

#[cfg(test)]
mod tests {
    use jvmti_spec::{Edition, Spec};
    use jvmti_wire::Plan;
    use jvmti_wire::trace::StepRef;
    use jvmti_wire::value::{ObjectId, Value};

    use super::*;
    use crate::listing::Wanted;

    fn records(edition: &Edition) -> Vec<Record> {
        let slot = edition.function("GetThreadState").unwrap().slot;
        let event = edition.event("ThreadStart").unwrap().number;
        let step = StepRef::Step { case: 0, step: 0 };
        let begin = |call| Body::CallBegin {
            call,
            environment: 1,
            function: slot,
            step,
            args: vec![Value::Pointer(0)],
        };
        let bodies = [
            (
                1,
                Body::ObjectSeen {
                    object: ObjectId(7),
                    class: "LT;".into(),
                    name: "</script>\"\u{1}".into(),
                },
            ),
            (1, Body::ThreadSeen { object: Some(ObjectId(7)), native: 1 }),
            (1, Body::Event { environment: 1, event, args: vec![] }),
            (1, begin(1)),
            (2, begin(2)),
            (1, Body::CallEnd { call: 1, code: 0, outputs: vec![], exception: (false, false) }),
            (1, Body::Checkpoint { name: "asleep".into() }),
            (1, Body::EventEnd { event }),
        ];
        let number = |(i, (thread, body)): (usize, (u32, Body))| Record {
            seq: i as u64,
            at: i as u64 * 1500,
            thread,
            body,
        };
        bodies.into_iter().enumerate().map(number).collect()
    }

    fn shown(wanted: Wanted) -> Vec<Json> {
        let (plan, edition) = (Plan::default(), Spec::embedded().newest());
        let mut out = Vec::new();
        let reading = Reading::new(&plan, &edition, wanted);
        let mut timeline = Timeline::begin(reading, &json!({"name": "a JVM"}), &mut out).unwrap();
        records(&edition).iter().for_each(|record| timeline.add(record).unwrap());
        timeline.end().unwrap();
        let document: Json = serde_json::from_slice(&out).unwrap();
        document["traceEvents"].as_array().unwrap().clone()
    }

    #[test]
    fn calls_lie_within_events_on_the_track_of_their_thread() {
        let events = shown(Wanted::default());
        let brief = |e: &Json| format!("{} {} {} {}", e["ph"], e["tid"], e["ts"], e["name"]).replace('"', "");
        let events: Vec<String> = events.iter().map(brief).collect();
        insta::assert_snapshot!(events.join("\n"));
    }

    #[test]
    fn what_is_not_wanted_leaves_no_end_behind() {
        let event = Wanted { event: Some("ThreadStart".into()), ..Wanted::default() };
        let call =
            Wanted { function: Some("GetThreadState".into()), thread: Some("1".into()), ..Wanted::default() };
        for wanted in [event, call] {
            let events = shown(wanted);
            let count = |ph: &str| events.iter().filter(|e| e["ph"] == ph).count();
            assert_eq!((count("B"), count("E"), count("i")), (1, 1, 0), "{events:?}");
        }
        let late = shown(Wanted { from: Some(9_000), ..Wanted::default() });
        assert_eq!(late.iter().filter(|e| e["ph"] != "M").count(), 1, "{late:?}");
    }
}
