//! What two JVMs answer differently to the same sequences, although the model allows both answers: questions to the text.

use std::collections::BTreeMap;

use crate::finding::{shown_step, step_name};
use crate::follow::SequenceEnd;
use crate::model::Tables;
use crate::sequence::Sequence;

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Index of the step.
    pub step: usize,
    /// The error.
    pub code: i32,
    /// Outputs that every JVM should agree on, for people; empty if there are none.
    pub outputs: String,
}

/// An answer that differs.
#[derive(Clone, Debug)]
pub struct Question {
    /// Name of the function, and when it was called if not at the checkpoint.
    pub what: String,
    /// What the first JVM answered.
    pub first: String,
    /// What the second one answered.
    pub second: String,
    /// How often.
    pub times: u64,
    /// A sequence up to the call.
    pub sequence: Sequence,
}

/// All that was answered differently.
#[derive(Clone, Debug, Default)]
pub struct Questions(BTreeMap<(String, String, String), Question>);

/// What a sequence came to on a JVM.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// How its calls ended.
    pub answers: &'a [Answer],
    /// What the model says of that.
    pub outcome: &'a SequenceEnd,
}

impl Answered<'_> {
    /// Whether the model allows what the JVM did at the step.
    fn is_allowed(&self, step: usize) -> bool {
        match self.outcome {
            SequenceEnd::Done(observations) => {
                observations.iter().all(|observation| observation.place.step > step)
            }
            _ => false,
        }
    }
}

/// The steps that two sequences have in common, up to the first that differs: traps cut a sequence for one JVM only.
pub fn both(first: &Sequence, second: &Sequence) -> Sequence {
    let pairs = first.steps.iter().zip(&second.steps);
    let steps = pairs.take_while(|(mine, theirs)| mine == theirs).map(|(step, _)| step.clone()).collect();
    Sequence { steps, ..first.clone() }
}

impl Questions {
    /// Compares what a sequence, as both JVMs have executed it, came to, up to the first difference: what follows may come of that.
    pub fn compare(
        &mut self,
        tables: &Tables,
        sequence: &Sequence,
        first: Answered<'_>,
        second: Answered<'_>,
    ) {
        let mut pairs = first.answers.iter().zip(second.answers);
        let Some((mine, theirs)) = pairs.find(|(mine, theirs)| mine != theirs) else { return };
        let step = mine.step;
        let is_of_both = step == theirs.step && step < sequence.steps.len();
        if !is_of_both || !first.is_allowed(step) || !second.is_allowed(step) {
            return;
        }
        let what = step_name(tables, sequence, step.into()) + sequence.moment.shown();
        let told = |answer: &Answer| match answer.code {
            0 if mine.code == theirs.code => answer.outputs.clone(),
            code => tables.error(code),
        };
        let key = (what.clone(), told(mine), told(theirs));
        let entry = self.0.entry(key.clone()).or_insert_with(|| {
            let steps = sequence.steps.iter().take(step + 1).cloned().collect();
            let sequence = Sequence { steps, ..sequence.clone() };
            Question { what, first: key.1, second: key.2, times: 0, sequence }
        });
        entry.times += 1;
        if entry.sequence.steps.len() > step + 1 {
            entry.sequence = Sequence { steps: sequence.steps[..=step].to_vec(), ..sequence.clone() };
        }
    }

    /// Each of them.
    pub fn all(self) -> Vec<Question> {
        self.0.into_values().collect()
    }
}

impl Question {
    /// The question with its sequence, for people.
    pub fn text(&self, tables: &Tables, (first, second): (&str, &str)) -> String {
        let mut text = format!(
            "question: {} differs, {} times: {} on {first}, {} on {second}\n",
            self.what, self.times, self.first, self.second
        );
        for step in &self.sequence.steps {
            text += &format!("    {}\n", shown_step(tables, step, None));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Release;
    use jvmti_wire::plan::OnThread;

    use super::*;
    use crate::follow::Observation;
    use crate::model::Breach;
    use crate::sequence::{Call, Move};

    fn answers(codes: &[i32]) -> Vec<Answer> {
        (0..).zip(codes).map(|(step, code)| Answer { step, code: *code, outputs: String::new() }).collect()
    }

    fn asked(first: &[i32], second: &[i32], outcome: &SequenceEnd) -> Vec<Question> {
        let tables = Tables::new(Release(25));
        let function = tables.edition.function("GetPhase").unwrap().slot;
        let call = Call { environment: 0, function, args: vec![], on: OnThread::Current, save: None };
        let sequence = Sequence { steps: vec![Move::Call(call); 3], ..Sequence::default() };
        let mut questions = Questions::default();
        let fine = SequenceEnd::Done(vec![]);
        let first = Answered { answers: &answers(first), outcome: &fine };
        questions.compare(&tables, &sequence, first, Answered { answers: &answers(second), outcome });
        questions.all()
    }

    #[test]
    fn the_first_difference_is_a_question() {
        let found = asked(&[0, 0, 10], &[0, 15, 11], &SequenceEnd::Done(vec![]));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].first.as_str(), found[0].second.as_str()), ("NONE", "THREAD_NOT_ALIVE"));
        assert_eq!(found[0].sequence.steps.len(), 2);
    }

    #[test]
    fn a_step_that_only_one_jvm_has_executed_is_no_question() {
        let tables = Tables::new(Release(25));
        let call = |function: &str| {
            let function = tables.edition.function(function).unwrap().slot;
            Move::Call(Call { environment: 0, function, args: vec![], on: OnThread::Current, save: None })
        };
        let whole = Sequence { steps: vec![call("GetPhase"), call("GetTime")], ..Sequence::default() };
        let cut = Sequence { steps: vec![call("GetPhase"), call("GetVersionNumber")], ..Sequence::default() };
        let executed = both(&whole, &cut);
        assert_eq!(executed.steps, [call("GetPhase")]);
        let fine = SequenceEnd::Done(vec![]);
        let mut questions = Questions::default();
        let first = Answered { answers: &answers(&[0, 0, 0]), outcome: &fine };
        questions.compare(
            &tables,
            &executed,
            first,
            Answered { answers: &answers(&[0, 0, 15]), outcome: &fine },
        );
        assert!(questions.all().is_empty());
    }

    #[test]
    fn what_the_model_does_not_allow_is_a_finding_instead() {
        let breach = Breach {
            cites: vec![],
            must: true,
            of: "error".to_owned(),
            expected: String::new(),
            observed: String::new(),
        };
        let outcome = SequenceEnd::Done(vec![Observation { place: 1.into(), breach }]);
        assert!(asked(&[0, 0, 0], &[0, 15, 0], &outcome).is_empty());
        assert!(asked(&[0, 0, 0], &[0, 0, 0], &SequenceEnd::Done(vec![])).is_empty());
    }
}
