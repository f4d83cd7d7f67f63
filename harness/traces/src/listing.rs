//! A trace for reading: its records as lines of text or of JSON, all or those of a case, function, event or thread.

use std::collections::HashSet;

use jvmti_spec::Edition;
use jvmti_wire::Plan;
use jvmti_wire::trace::{Body, Record};
use serde_json::{Value as Json, json};

use crate::Names;

/// Which records to show: those that satisfy every condition given.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Part of a case's id.
    pub case: Option<String>,
    /// Name of a function; its calls, their ends and callbacks.
    pub function: Option<String>,
    /// Name of an event.
    pub event: Option<String>,
    /// Number of a thread, or part of its name.
    pub thread: Option<String>,
    /// Not what came before, in nanoseconds.
    pub from: Option<u64>,
    /// Not what came after, in nanoseconds.
    pub until: Option<u64>,
}

/// Goes through a trace and tells of each record whether it is wanted and how it reads.
pub struct Reading<'a> {
    plan: &'a Plan,
    wanted: Wanted,
    names: Names<'a>,
    cases: HashSet<u32>,
}

impl<'a> Reading<'a> {
    /// At the start of a trace with this plan; names are those of `edition`.
    pub fn new(plan: &'a Plan, edition: &'a Edition, wanted: Wanted) -> Reading<'a> {
        let cases = match &wanted.case {
            None => HashSet::new(),
            Some(part) => {
                (0u32..).zip(&plan.cases).filter(|(_, c)| c.id.contains(part)).map(|(i, _)| i).collect()
            }
        };
        let names = Names::new(edition);
        Reading { plan, wanted, names, cases }
    }

    /// The record as a line, if it is wanted. Records have to come in the order of the trace, all of them.
    pub fn line(&mut self, record: &Record) -> Option<String> {
        self.read(record, |names, plan, case, record| {
            let case = case.and_then(|case| plan.cases.get(case as usize)).map(|case| case.id.as_str());
            let at = record.at as f64 / 1e6;
            let thread = names.thread(record.thread);
            let case = case.map_or_else(String::new, |id| format!("  [{id}]"));
            format!("{at:>12.3} ms  {thread:<16}  {}{case}", names.record(record))
        })
    }

    /// The record as a JSON object, if it is wanted.
    pub fn json(&mut self, record: &Record) -> Option<Json> {
        self.read(record, |names, plan, case, record| {
            let mut object = json!({
                "seq": record.seq,
                "at_ns": record.at,
                "thread": record.thread,
                "text": names.record(record),
                "body": record.body,
            });
            if let Some(case) = case.and_then(|case| plan.cases.get(case as usize)) {
                object["case"] = json!(case.id);
            }
            object
        })
    }

    /// What `see` makes of the record, with the id of its case, if it is wanted. Records have to come in the order of the
    /// trace, all of them.
    pub fn pick<T>(&mut self, record: &Record, see: impl FnOnce(&Names<'a>, Option<&str>) -> T) -> Option<T> {
        self.read(record, |names, plan, case, _| {
            let case = case.and_then(|case| plan.cases.get(case as usize));
            see(names, case.map(|case| case.id.as_str()))
        })
    }

    /// The names seen so far.
    pub fn names(&self) -> &Names<'a> {
        &self.names
    }

    fn read<T>(
        &mut self,
        record: &Record,
        render: impl FnOnce(&Names<'a>, &Plan, Option<u32>, &Record) -> T,
    ) -> Option<T> {
        let (function, case) = self.place(record);
        let rendered =
            self.is_wanted(record, function, case).then(|| render(&self.names, self.plan, case, record));
        self.names.observe(record);
        rendered
    }

    /// Function and case that the record belongs to.
    fn place(&self, record: &Record) -> (Option<u16>, Option<u32>) {
        let of_environment = |environment: &u32| self.names.definitions().owner(*environment)?.case;
        let of_call = |call: &u32| match self.names.calls().get(*call) {
            Some(call) => {
                (Some(call.function), call.step.case().or_else(|| of_environment(&call.environment)))
            }
            None => (None, None),
        };
        match &record.body {
            Body::CallBegin { function, step, environment, .. } => {
                (Some(*function), step.case().or_else(|| of_environment(environment)))
            }
            Body::CallBrief { function, .. } => (Some(*function), None),
            Body::CallEnd { call, .. }
            | Body::Callback { call, .. }
            | Body::CallbacksCounted { call, .. } => of_call(call),
            Body::FunctionMissing { step, function, .. } => (Some(*function), step.case()),
            Body::Jni { step, .. } | Body::StepFailed { step, .. } | Body::Given { step, .. } => {
                (None, step.case())
            }
            Body::EnvironmentMade { case, .. } => (None, *case),
            Body::EnvironmentGone { environment } | Body::Event { environment, .. } => {
                (None, of_environment(environment))
            }
            _ => (None, None),
        }
    }

    fn is_wanted(&self, record: &Record, function: Option<u16>, case: Option<u32>) -> bool {
        let Wanted { case: of_case, function: of_function, event, thread, from, until } = &self.wanted;
        let event_is = |name: &String| match &record.body {
            Body::Event { event, .. } | Body::EventEnd { event, .. } => self.names.event(*event) == *name,
            _ => false,
        };
        let thread_is = |part: &String| {
            record.thread.to_string() == *part
                || self.names.thread_name(record.thread).is_some_and(|name| name.contains(part.as_str()))
        };
        (of_case.is_none() || case.is_some_and(|case| self.cases.contains(&case)))
            && of_function
                .as_ref()
                .is_none_or(|name| function.is_some_and(|slot| self.names.function(slot) == *name))
            && from.is_none_or(|from| from <= record.at)
            && until.is_none_or(|until| record.at <= until)
            && event.as_ref().is_none_or(event_is)
            && thread.as_ref().is_none_or(thread_is)
    }
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Spec;
    use jvmti_wire::plan::PlannedCase;
    use jvmti_wire::trace::StepRef;
    use jvmti_wire::value::{ObjectId, Value};

    use super::*;

    fn plan() -> Plan {
        let case = |id: &str| PlannedCase {
            id: id.to_owned(),
            run: None,
            environments: Vec::new(),
            steps: Vec::new(),
            handlers: Vec::new(),
        };
        Plan { cases: vec![case("thread/one"), case("thread/two")], ..Plan::default() }
    }

    fn records(edition: &Edition) -> Vec<Record> {
        let slot = edition.function("GetThreadState").unwrap().slot;
        let event = edition.event("VMInit").unwrap().number;
        let bodies = [
            Body::EnvironmentMade { environment: 1, case: Some(0), index: 0, code: 0 },
            Body::EnvironmentMade { environment: 2, case: Some(1), index: 0, code: 0 },
            Body::ObjectSeen { object: ObjectId(7), class: "Ljava/lang/Thread;".into(), name: "main".into() },
            Body::ThreadSeen { object: Some(ObjectId(7)), native: 4711 },
            Body::Event { environment: 2, event, args: vec![Value::Pointer(1), Value::Object(ObjectId(7))] },
            Body::CallBegin {
                call: 1,
                environment: 1,
                function: slot,
                step: StepRef::Step { case: 0, step: 0 },
                args: vec![Value::Object(ObjectId(7)), Value::Pointer(2)],
            },
            Body::CallEnd { call: 1, code: 0, outputs: vec![(1, Value::Int(5))], exception: (false, false) },
        ];
        let number =
            |(i, body): (usize, Body)| Record { seq: i as u64 * 8, at: i as u64 * 1000, thread: 1, body };
        bodies.into_iter().enumerate().map(number).collect()
    }

    fn shown(wanted: Wanted) -> String {
        let (plan, edition) = (plan(), Spec::embedded().newest());
        let mut reading = Reading::new(&plan, &edition, wanted);
        records(&edition).iter().filter_map(|r| reading.line(r)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn every_record_is_a_line() {
        insta::assert_snapshot!(shown(Wanted::default()));
    }

    #[test]
    fn a_case_a_function_an_event_and_a_thread_can_be_picked() {
        let some = |text: &str| Some(text.to_owned());
        let lines = |wanted| shown(wanted).lines().count();
        assert_eq!(lines(Wanted { case: some("one"), ..Wanted::default() }), 3);
        assert_eq!(lines(Wanted { case: some("nowhere"), ..Wanted::default() }), 0);
        assert_eq!(lines(Wanted { function: some("GetThreadState"), ..Wanted::default() }), 2);
        assert_eq!(lines(Wanted { event: some("VMInit"), ..Wanted::default() }), 1);
        // The thread's name is known from its record on.
        assert_eq!(lines(Wanted { thread: some("main"), ..Wanted::default() }), 3);
        assert_eq!(lines(Wanted { from: Some(1_000), until: Some(2_000), ..Wanted::default() }), 2);
        assert_eq!(lines(Wanted { thread: some("2"), ..Wanted::default() }), 0);
        assert_eq!(lines(Wanted { case: some("two"), event: some("VMInit"), ..Wanted::default() }), 1);
    }

    #[test]
    fn json_keeps_everything() {
        let (plan, edition) = (plan(), Spec::embedded().newest());
        let mut reading = Reading::new(&plan, &edition, Wanted::default());
        for record in records(&edition) {
            let json = reading.json(&record).unwrap();
            let body: Body = serde_json::from_value(json["body"].clone()).unwrap();
            assert_eq!(body, record.body);
        }
    }
}
