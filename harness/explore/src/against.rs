//! What two JVMs answer differently to the same sequences, although the model allows both answers: questions to the text.

use std::collections::BTreeMap;

use crate::finding::{shown_step, step_name};
use crate::follow::SequenceEnd;
use crate::launches::{Batch, tidied};
use crate::model::Tables;
use crate::sequence::{Moment, Sequence};

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
    pub first: Answer,
    /// What the second one answered.
    pub second: Answer,
    /// How often.
    pub times: u64,
    /// How often it was asked again, each time with the same answers.
    pub again: usize,
    /// A sequence up to the call.
    pub sequence: Sequence,
}

/// All that was answered differently: for each function one question of each pair of errors.
#[derive(Clone, Debug, Default)]
pub struct Questions(BTreeMap<(String, i32, i32), Question>);

/// What a sequence came to on a JVM.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// How its calls ended.
    pub answers: &'a [Answer],
    /// What the model says of that.
    pub outcome: &'a SequenceEnd,
}

/// How often a question is asked again: only what a JVM answers each time is not of the moment.
const TIMES: usize = 3;

impl<'a> Answered<'a> {
    /// Whether the model allows what the JVM did at the step.
    fn is_allowed(&self, step: usize) -> bool {
        match self.outcome {
            SequenceEnd::Done(observations) => {
                observations.iter().all(|observation| observation.place.step > step)
            }
            _ => false,
        }
    }

    /// The first answers that differ, if the model allows both: what follows may come of that.
    fn differs(self, other: Answered<'a>) -> Option<(&'a Answer, &'a Answer)> {
        let mut pairs = self.answers.iter().zip(other.answers);
        let (mine, theirs) = pairs.find(|(mine, theirs)| mine != theirs)?;
        let are_allowed = self.is_allowed(mine.step) && other.is_allowed(mine.step);
        (mine.step == theirs.step && are_allowed).then_some((mine, theirs))
    }
}

/// The steps that two sequences have in common, up to the first that differs: traps cut a sequence for one JVM only.
fn both(first: &Sequence, second: &Sequence) -> Sequence {
    let pairs = first.steps.iter().zip(&second.steps);
    let steps = pairs.take_while(|(mine, theirs)| mine == theirs).map(|(step, _)| step.clone()).collect();
    Sequence { steps, ..first.clone() }
}

impl Questions {
    /// Compares what a sequence came to, which traps may have cut for each JVM at another step.
    pub fn compare(
        &mut self,
        tables: &Tables,
        (mine, theirs): (&Sequence, &Sequence),
        first: Answered<'_>,
        second: Answered<'_>,
    ) {
        let Some((answer, other)) = first.differs(second) else { return };
        let sequence = &both(&tidied(tables, mine), &tidied(tables, theirs));
        let step = answer.step;
        if step >= sequence.steps.len() {
            return;
        }
        let shortest = || Sequence { steps: sequence.steps[..=step].to_vec(), ..sequence.clone() };
        let what = step_name(tables, sequence, step.into()) + sequence.moment.shown();
        let entry = self.0.entry((what.clone(), answer.code, other.code)).or_insert_with(|| Question {
            what,
            first: answer.clone(),
            second: other.clone(),
            times: 0,
            again: 0,
            sequence: shortest(),
        });
        entry.times += 1;
        if entry.sequence.steps.len() > step + 1 {
            (entry.first, entry.second, entry.sequence) = (answer.clone(), other.clone(), shortest());
        }
    }

    /// Those that are answered in the same way each time when their sequences run again; `run`: on both JVMs. If that fails, all that
    /// are left are told, with the reason.
    pub fn confirmed<E>(
        self,
        mut run: impl FnMut(&[&Sequence]) -> Result<(Batch, Batch), E>,
    ) -> (Vec<Question>, Option<E>) {
        let mut left: Vec<Question> = self.0.into_values().collect();
        // A launch runs its sequences in this order.
        left.sort_by_key(|question| Moment::ALL.iter().position(|at| *at == question.sequence.moment));
        while left.first().is_some_and(|question| question.again < TIMES) {
            let sequences: Vec<&Sequence> = left.iter().map(|question| &question.sequence).collect();
            let (first, second) = match run(&sequences) {
                Ok(batches) => batches,
                Err(trouble) => return (left, Some(trouble)),
            };
            let asked = left.into_iter().enumerate();
            left = asked
                .filter_map(|(place, question)| question.repeated(first.told(place)?, second.told(place)?))
                .collect();
        }
        (left, None)
    }
}

impl Question {
    /// The question, if the same call has the same answers again; the first time outputs may differ, which depend on what ran before.
    fn repeated(self, first: Answered<'_>, second: Answered<'_>) -> Option<Question> {
        let (mine, theirs) = first.differs(second)?;
        let is_same_call =
            (mine.step, mine.code, theirs.code) == (self.first.step, self.first.code, self.second.code);
        let is_same = is_same_call && (self.again == 0 || (mine, theirs) == (&self.first, &self.second));
        let (first, second) = (mine.clone(), theirs.clone());
        is_same.then(|| Question { first, second, again: self.again + 1, ..self })
    }

    /// The question with its sequence, for people.
    pub fn text(&self, tables: &Tables, (first, second): (&str, &str)) -> String {
        let told = |answer: &Answer| match self.first.code == self.second.code {
            true => answer.outputs.trim_end().to_owned(),
            false => tables.error(answer.code),
        };
        let again = match self.again {
            0 => String::new(),
            again => format!(" and in {again} repetitions"),
        };
        let mut text = format!(
            "question: {} differs, {} times{again}: {} on {first}, {} on {second}\n",
            self.what,
            self.times,
            told(&self.first),
            told(&self.second)
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
        questions(first, second, outcome).0.into_values().collect()
    }

    fn questions(first: &[i32], second: &[i32], outcome: &SequenceEnd) -> Questions {
        let tables = Tables::new(Release(25));
        let function = tables.edition.function("GetPhase").unwrap().slot;
        let call = Call { environment: 0, function, args: vec![], on: OnThread::Current, save: None };
        let sequence = Sequence { steps: vec![Move::Call(call); 3], ..Sequence::default() };
        let mut questions = Questions::default();
        let fine = SequenceEnd::Done(vec![]);
        let first = Answered { answers: &answers(first), outcome: &fine };
        let second = Answered { answers: &answers(second), outcome };
        questions.compare(&tables, (&sequence, &sequence), first, second);
        questions
    }

    /// The questions that are left if the JVMs answer so when they are asked again.
    fn confirmed(asked: Questions, again: &mut dyn Iterator<Item = (&[i32], &[i32])>) -> Vec<Question> {
        let batch = |codes: &[i32]| Batch {
            answers: vec![answers(codes)],
            outcomes: vec![SequenceEnd::Done(vec![])],
            ..Batch::default()
        };
        let mut run = |_: &[&Sequence]| {
            again.next().map(|(first, second)| (batch(first), batch(second))).ok_or("no more")
        };
        asked.confirmed(&mut run).0
    }

    #[test]
    fn what_is_answered_otherwise_again_was_of_the_moment() {
        let fine = SequenceEnd::Done(vec![]);
        let asked = || questions(&[0, 15], &[0, 0], &fine);
        let same: (&[i32], &[i32]) = (&[0, 15], &[0, 0]);
        let found = confirmed(asked(), &mut std::iter::repeat(same));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].again, TIMES);
        let other: (&[i32], &[i32]) = (&[0, 0], &[0, 15]);
        assert!(confirmed(asked(), &mut [same, other, same].into_iter()).is_empty());
        // Interrupted, it is told as far as it was asked again.
        assert_eq!(confirmed(asked(), &mut [same].into_iter())[0].again, 1);
    }

    #[test]
    fn the_first_difference_is_a_question() {
        let found = asked(&[0, 0, 10], &[0, 15, 11], &SequenceEnd::Done(vec![]));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].first.code, found[0].second.code), (0, 15));
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
        assert_eq!(both(&whole, &cut).steps, [call("GetPhase")]);
        let fine = SequenceEnd::Done(vec![]);
        let mut questions = Questions::default();
        let first = Answered { answers: &answers(&[0, 0, 0]), outcome: &fine };
        questions.compare(
            &tables,
            (&whole, &cut),
            first,
            Answered { answers: &answers(&[0, 0, 15]), outcome: &fine },
        );
        assert!(questions.0.is_empty());
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
