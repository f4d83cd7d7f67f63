//! The JVM goes on until its program or an agent ends it. Where a case was at work when it ended, the case answers for that;
//! where a case had done what the text leaves open, nobody does.

use jvmti_cases::brief::JVM_GOES_ON;
use jvmti_results::{Status, Verdict};

use super::{Observed, verdict_on};
use crate::ending;
use crate::progress::JudgePass;
use crate::{Assertions, Judged, LaunchEnd};

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
        if !ending::is_unexplained(progress, judged) {
            return None;
        }
        let ran = judged.verdicts.iter().rev().filter(|(_, verdict)| verdict.status != Status::Inapplicable);
        left_open = ran.clone().any(|(case, _)| ending::is_left_open(progress, *case, assertions));
        let ran: Vec<&str> = ran.map(|(_, verdict)| verdict.case.as_str()).collect();
        let place = match ran.get(..NAMED) {
            Some(some) if ran.len() > NAMED => {
                format!("after {} cases, {} among them", ran.len(), some.join(", "))
            }
            _ => format!("after {}", ran.join(", ")),
        };
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
