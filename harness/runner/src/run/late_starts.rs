//! Verdicts on cases that need an agent started in the live phase.
//!
//! No JVM has to have a way to start one. So what failed counts only if another launch has shown that this JVM has one.

use jvmti_cases::LateStart;
use jvmti_results::{Finding, Status, Verdict};

/// What the launches of one JVM have shown, in any order.
#[derive(Debug, Default)]
pub struct LateStarts {
    happened: bool,
    /// Verdicts of launches in which none was started, each with the reason.
    failed: Vec<(String, Verdict)>,
}

impl LateStarts {
    /// Takes a verdict of a launch in which that came of late starts. Returns it if it counts whatever other launches show.
    pub fn take(&mut self, came: &LateStart, verdict: Verdict) -> Option<Verdict> {
        self.happened |= *came == LateStart::Happened;
        match came {
            LateStart::Failed(why) => {
                self.failed.push((why.clone(), verdict));
                None
            }
            LateStart::Unknown | LateStart::Happened => Some(verdict),
        }
    }

    /// The verdicts that were not known before the last launch.
    pub fn finish(self) -> impl Iterator<Item = Verdict> {
        let LateStarts { happened, failed } = self;
        failed
            .into_iter()
            .map(move |(why, verdict)| if happened { verdict } else { inapplicable(verdict, &why) })
    }
}

fn inapplicable(verdict: Verdict, why: &str) -> Verdict {
    let observed =
        format!("this JVM started no agent in the live phase, for which it need not have a way: {why}");
    let findings = vec![Finding { observed, ..Finding::default() }];
    Verdict { status: Status::Inapplicable, asserted: 0, findings, story: Vec::new(), ..verdict }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(case: &str) -> Verdict {
        Verdict { case: case.to_owned(), status: Status::Fail, ..Verdict::default() }
    }

    fn failed(late: &mut LateStarts) {
        let came = LateStart::Failed("nobody listens".to_owned());
        assert_eq!(late.take(&came, failing("a")), None);
    }

    #[test]
    fn a_jvm_need_not_have_a_way_to_start_agents_late() {
        let mut late = LateStarts::default();
        failed(&mut late);
        assert!(late.take(&LateStart::Unknown, failing("b")).is_some());
        let told: Vec<Verdict> = late.finish().collect();
        assert_eq!((told.len(), told[0].status), (1, Status::Inapplicable));
        assert!(told[0].findings[0].observed.ends_with("nobody listens"), "{:?}", told[0].findings);
    }

    #[test]
    fn a_jvm_that_has_a_way_answers_for_what_fails() {
        let mut late = LateStarts::default();
        failed(&mut late);
        assert!(late.take(&LateStart::Happened, failing("b")).is_some());
        assert_eq!(late.finish().collect::<Vec<_>>(), [failing("a")]);
    }
}
