//! Functions that should not be called at all, or not any more.

use jvmti_wire::trace::Record;

use super::{Findings, Info, Rule, Severity};
use crate::scene::{Moment, Scene};

pub(super) static DEPRECATED: Info = Info {
    id: "function/deprecated",
    severity: Severity::Note,
    anchor: "",
    says: "use the replacements of deprecated functions",
};
pub(super) static DISPOSED: Info = Info {
    id: "environment/disposed",
    severity: Severity::Error,
    anchor: "DisposeEnvironment",
    says: "do not use an environment after disposing of it, whatever the JVM returns",
};

pub(super) struct Functions;

impl Rule for Functions {
    fn see(&mut self, scene: &Scene<'_>, record: &Record, moment: &Moment<'_>, found: &mut Findings) {
        let Moment::Begun(call) = moment else { return };
        let name = || scene.names.function(call.function).into_owned();
        if scene.names.facts(call.function).is_some_and(|function| function.deprecated) {
            found.add(&DEPRECATED, (scene, record), (call.site, &name()), name);
        }
        if scene.environments.get(&call.environment).is_some_and(|environment| environment.gone) {
            found.add(&DISPOSED, (scene, record), (call.site, &name()), || {
                format!("{} of environment {}, which was disposed of", name(), call.environment)
            });
        }
    }
}
