//! The JVM goes on until its program or an agent ends it. Where it ends in a call, the case that made the call answers for that.
//! Where it ends between calls, cases that are at work run again, and one of them may end another JVM and answer for that; if
//! none does, the end has a verdict of its own. Where a case had done what the text leaves open, nobody is blamed.

use jvmti_cases::brief::JVM_GOES_ON;
use jvmti_results::{Status, Verdict};

use super::{Observed, verdict_on};
use crate::ending;
use crate::progress::JudgePass;
use crate::{Assertions, Exit, Judged, LaunchEnd};

/// Cases that are named.
const NAMED: usize = 5;

/// The verdict on the end of the launch, unless a case answers for it.
pub(crate) fn goes_on(
    progress: &JudgePass<'_>,
    judged: &Judged,
    assertions: &Assertions,
    ended: &LaunchEnd,
) -> Option<Verdict> {
    let mut observed = Observed { occasions: 1, ..Observed::default() };
    let mut left_open = false;
    if !ending::is_orderly(progress, ended) {
        let at_work = ending::at_work(progress, judged);
        // Cases that wait for what does not come run again, as a busy machine may be to blame.
        let may_be_late = ended.exit == Exit::TimedOut && !at_work.is_empty();
        let ran = judged.verdicts.iter().rev().filter(|(_, verdict)| verdict.status != Status::Inapplicable);
        let ran: Vec<usize> = ran.map(|(case, _)| *case).collect();
        if judged.culprit.is_some() || may_be_late || ran.is_empty() && at_work.is_empty() {
            return None;
        }
        left_open = ran.iter().chain(&at_work).any(|&case| ending::is_left_open(progress, case, assertions));
        let named = |when: &str, cases: &[usize]| {
            let ids = cases.iter().take(NAMED).map(|&case| progress.brief.cases[case].id.as_str());
            let ids = ids.collect::<Vec<_>>().join(", ");
            match cases.len() {
                0 => None,
                count if count > NAMED => Some(format!("{when} {count} cases, {ids} among them")),
                _ => Some(format!("{when} {ids}")),
            }
        };
        let parts = [named("during", &at_work), named("after", &ran)];
        let place = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
        observed.broken(|| place, "the JVM to continue", || ending::how(ended, None));
    }
    let mut verdict = verdict_on(JVM_GOES_ON, &observed, assertions, progress.brief)?;
    if verdict.status == Status::Fail {
        verdict.status = match left_open {
            true => Status::Permitted,
            false => ending::status(ended),
        };
        verdict.crash = ending::said(progress);
    }
    Some(verdict)
}
