//! Which events follow from the actions of the scenario.

use jvmti_traces::Names;
use jvmti_wire::plan::Arg;
use jvmti_wire::value::Value;

use super::state::{ThreadArgument, Tri};
use super::{Breach, Model};

/// An event that came.
#[derive(Clone, Debug)]
pub struct Came {
    /// Index of the environment that it was sent to.
    pub environment: u8,
    /// Its number.
    pub event: u16,
    /// Its parameters.
    pub args: Vec<Value>,
}

/// What an action brings about.
struct Happening {
    action: &'static str,
    event: &'static str,
    /// A text that some parameter contains as traces show it.
    about: &'static str,
    /// Whether the event comes on the main thread.
    on_main: bool,
    /// How often it happens.
    times: usize,
}

const fn happening(
    action: &'static str,
    event: &'static str,
    about: &'static str,
    on_main: bool,
    times: usize,
) -> Happening {
    Happening { action, event, about, on_main, times }
}

/// What the actions bring about, apart from what breakpoints and watches add.
const HAPPENINGS: [Happening; 12] = [
    happening("fling", "Exception", "java.lang.IllegalStateException", true, 1),
    happening("fling", "ExceptionCatch", "java.lang.IllegalStateException", true, 1),
    happening("start", "ThreadStart", "\"brief\"", false, 1),
    happening("start", "ThreadEnd", "\"brief\"", false, 1),
    happening("load", "ClassLoad", "Explored$Loaded", true, 1),
    happening("load", "ClassPrepare", "Explored$Loaded", true, 1),
    happening("pause", "MonitorWait", "java.lang.Object #", true, 1),
    happening("pause", "MonitorWaited", "java.lang.Object #", true, 1),
    happening("call", "MethodEntry", "Explored.twice", true, 1),
    happening("call", "MethodExit", "Explored.twice", true, 1),
    // As many as its code has instructions.
    happening("call", "SingleStep", "Explored.twice", true, 6),
    happening("load", "ClassFileLoadHook", "Explored$Loaded", true, 1),
];

/// The actions that bring about an event, for sequences about events.
pub fn actions_of(event: &str) -> impl Iterator<Item = &'static str> {
    let more = match event {
        "Breakpoint" => Some("call"),
        "FieldAccess" | "FieldModification" => Some("fields"),
        "GarbageCollectionStart" | "GarbageCollectionFinish" => Some("collect"),
        "SampledObjectAlloc" => Some("allocate"),
        "ResourceExhausted" => Some("exhaust"),
        _ => None,
    };
    HAPPENINGS.iter().filter(move |h| h.event == event).map(|h| h.action).chain(more)
}

/// Types of parameters that are not null unless the text says when.
const NEVER_NULL: [&str; 6] = ["JNIEnv", "jthread", "jclass", "jmethodID", "jfieldID", "jobject"];

impl Model<'_> {
    /// Judges the events that came during an action.
    pub fn judge_events(&self, action: &str, came: &[Came], names: &Names<'_>) -> Vec<Breach> {
        let mut breaches = Vec::new();
        // An interrupted thread does not wait.
        let disturbed = self.state.lost || self.state.interrupted != Tri::No;
        if disturbed || self.state.environments.iter().any(|environment| environment.blurred) {
            return breaches;
        }
        breaches.extend(came.iter().filter_map(|event| self.not_enabled(event, names)).take(1));
        if self.state.environments.len() > 1 {
            // What others have set may count, too.
            return breaches;
        }
        for happening in HAPPENINGS.iter().filter(|happening| happening.action == action) {
            let Happening { event, about, on_main, times, .. } = happening;
            breaches.extend(self.counted(event, about, *on_main, *times, came, names));
        }
        match action {
            "call" => {
                let at = self.state.environments[0]
                    .breakpoints
                    .iter()
                    .filter(|(method, _)| method.contains(".twice"));
                breaches.extend(self.counted("Breakpoint", "Explored.twice", true, at.count(), came, names));
            }
            "fields" => {
                for (access, event) in [(true, "FieldAccess"), (false, "FieldModification")] {
                    let is_used = |field: &str| field.ends_with(".number") || field.ends_with(".counter");
                    let watches = self.state.environments[0].watches.iter();
                    let times = watches.filter(|(of, field)| *of == access && is_used(field)).count();
                    breaches.extend(self.counted(event, "Explored.fields", true, times, came, names));
                }
            }
            "exhaust" => breaches.extend(self.exhausted(came)),
            _ => {}
        }
        breaches
    }

    /// The heap was exhausted: whoever can be told of that is.
    fn exhausted(&self, came: &[Came]) -> Option<Breach> {
        let event = self.tables.edition.event("ResourceExhausted")?;
        let capability = self.tables.edition.capability("can_generate_resource_exhaustion_heap_events")?;
        let able = self.state.environments.first()?.capabilities >> capability.bit & 1 == 1;
        if !able
            || !self.is_enabled(0, event.number.into(), true)
            || came.iter().any(|c| c.event == event.number)
        {
            return None;
        }
        Some(Breach {
            cites: vec!["resource-events/exhausted-heap".to_owned()],
            must: true,
            of: format!("event {}", event.name),
            expected: "1".to_owned(),
            observed: "0".to_owned(),
        })
    }

    /// Whether the environment has enabled the event for the main thread, or for all.
    fn is_enabled(&self, environment: usize, number: i64, on_main: bool) -> bool {
        let Some(environment) = self.state.environments.get(environment) else { return false };
        environment.global.contains(&number)
            || on_main && environment.local.contains(&(number, ThreadArgument::Main))
    }

    /// Parameters of events that are null where they must not be.
    pub fn judge_parameters(&self, came: &[Came]) -> Vec<Breach> {
        if self.state.lost {
            return vec![];
        }
        came.iter().filter_map(|came| self.null_parameter(came)).take(1).collect()
    }

    fn null_parameter(&self, came: &Came) -> Option<Breach> {
        let event = self.tables.edition.event_by_number(came.event)?;
        let mut pairs = event.params.iter().zip(&came.args);
        let (param, _) = pairs.find(|(param, value)| {
            // The text does not say that a class has a protection domain.
            let is_certain = NEVER_NULL.iter().any(|name| param.c_type.starts_with(name))
                && param.name != "protection_domain";
            **value == Value::Null && param.null_when.is_none() && is_certain
        })?;
        Some(Breach {
            cites: vec![format!("{}#params/{}", event.name, param.name)],
            must: true,
            of: format!("parameter {} of {}", param.name, event.name),
            expected: "0".to_owned(),
            observed: "null".to_owned(),
        })
    }

    /// An event that came although nobody has enabled it. On another thread it may have been under way when it was disabled.
    fn not_enabled(&self, came: &Came, names: &Names<'_>) -> Option<Breach> {
        let event = self.tables.edition.event_by_number(came.event)?;
        let environment = self.state.environments.get(usize::from(came.environment))?;
        let thread = event.params.iter().position(|param| param.name == "thread");
        if thread.and_then(|index| came.args.get(index)).is_some_and(|thread| names.value(thread) != "$main")
        {
            return None;
        }
        let number = i64::from(came.event);
        if environment.global.contains(&number) || environment.local.iter().any(|(local, _)| *local == number)
        {
            return None;
        }
        let shown: Vec<String> = came.args.iter().skip(1).map(|arg| names.value(arg)).collect();
        Some(Breach {
            cites: vec![format!("{}#disabled", event.name)],
            must: true,
            of: format!("event {}", event.name),
            expected: "0".to_owned(),
            observed: format!("{}({})", event.name, shown.join(", ")),
        })
    }

    fn counted(
        &self,
        event: &str,
        about: &str,
        on_main: bool,
        times: usize,
        came: &[Came],
        names: &Names<'_>,
    ) -> Option<Breach> {
        let number = self.tables.edition.event(event)?.number;
        let expected = if self.is_enabled(0, number.into(), on_main) { times } else { 0 };
        let thread = self.tables.edition.event(event)?.params.iter().position(|param| param.name == "thread");
        let is_on_main = |came: &&Came| {
            let thread = thread.and_then(|thread| came.args.get(thread));
            !on_main || thread.is_none_or(|thread| names.value(thread) == "$main")
        };
        let of_it = |came: &&Came| {
            came.event == number
                && is_on_main(came)
                && came.args.iter().any(|arg| names.value(arg).contains(about))
        };
        let observed = came.iter().filter(of_it).count();
        if observed == expected {
            return None;
        }
        let cite = if expected == 0 { "disabled" } else { "enable" };
        Some(Breach {
            cites: vec![format!("{event}#{cite}")],
            must: true,
            of: format!("event {event}"),
            expected: expected.to_string(),
            observed: observed.to_string(),
        })
    }
}

/// The field or method that an event needs to be set first: the function that sets it, and its arguments.
pub fn setting(event: &str) -> Option<(&'static str, Vec<Arg>)> {
    use crate::cast::{CLASSES, FIELDS, METHODS};
    let watch = || vec![CLASSES[3].arg(), FIELDS[0].arg()];
    Some(match event {
        "Breakpoint" => ("SetBreakpoint", vec![METHODS[0].arg(), Arg::Int(0)]),
        "FieldAccess" => ("SetFieldAccessWatch", watch()),
        "FieldModification" => ("SetFieldModificationWatch", watch()),
        _ => return None,
    })
}
