//! Asks a JVM which capabilities it offers, and when, and what its locations are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jvmti_spec::{Edition, Spec};
use jvmti_wire::plan::{
    Action, Arg, Made, OnThread, Plan, PlannedCase, PlannedEnvironment, PlannedStep, Trigger,
};
use jvmti_wire::trace::{Body, Reader, StepRef, TraceError};
use jvmti_wire::value::Value;

/// What a launch with a plan of this module has found out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// Names and versions, by property.
    pub(super) properties: BTreeMap<String, String>,
    /// Capabilities that a fresh environment could add in the OnLoad phase.
    pub(super) on_load: BTreeSet<String>,
    /// Capabilities that a fresh environment could add in the live phase.
    pub(super) live: BTreeSet<String>,
    /// Whether its locations are something else than indices in bytecode.
    pub(super) other_locations: bool,
}

const POTENTIAL: &str = "GetPotentialCapabilities";
const FORMAT: &str = "GetJLocationFormat";

/// When each environment is made and asked, in the order of the steps.
const MOMENTS: [(Made, Trigger); 2] = [(Made::OnLoad, Trigger::OnLoad), (Made::VmInit, Trigger::VmInit)];

/// A plan that asks for the capabilities that are available when no other environment possesses any.
pub(super) fn potential() -> Plan {
    plan(None)
}

/// A plan that asks for the capabilities that are available when another environment has possessed these since OnLoad.
pub(super) fn holding(capabilities: &BTreeSet<String>) -> Plan {
    plan(Some(capabilities))
}

fn plan(held: Option<&BTreeSet<String>>) -> Plan {
    let edition = Spec::embedded().newest();
    let mut cases = Vec::new();
    if let Some(held) = held {
        let bits = held.iter().filter_map(|name| edition.capability(name)).map(|c| c.bit).collect();
        cases.push(case("holder", vec![environment(Made::OnLoad, bits)], Vec::new()));
    }
    // The questions are a separate case, like a real one.
    let environments = MOMENTS.iter().map(|(made, _)| environment(*made, Vec::new())).collect();
    let slot = |function| edition.function(function).map(|f| f.slot).unwrap_or_default();
    let ask = |i: usize, function| PlannedStep {
        at: MOMENTS[i].1.clone(),
        action: Action::Call {
            environment: i as u8,
            function: slot(function),
            args: vec![Arg::Storage],
            on: OnThread::Current,
        },
        save: None,
    };
    let steps = vec![ask(0, POTENTIAL), ask(1, POTENTIAL), ask(1, FORMAT)];
    cases.push(case("census", environments, steps));
    Plan { launch: "identity".to_owned(), cases, ..Plan::default() }
}

fn case(id: &str, environments: Vec<PlannedEnvironment>, steps: Vec<PlannedStep>) -> PlannedCase {
    PlannedCase { id: id.to_owned(), run: None, environments, steps, handlers: Vec::new() }
}

fn environment(made: Made, capabilities: Vec<u16>) -> PlannedEnvironment {
    PlannedEnvironment {
        name: "main".to_owned(),
        made,
        enabled: made,
        chain: None,
        version: None,
        capabilities,
        events: Vec::new(),
    }
}

impl Census {
    /// Reads the answers in a trace.
    pub(super) fn read(trace: &[u8]) -> Result<Census, TraceError> {
        let edition = Spec::embedded().newest();
        let reader = Reader::new(trace)?;
        let asking = reader.plan().cases.len().saturating_sub(1) as u32;
        let mut census = Census::default();
        let mut asked: HashMap<u32, u32> = HashMap::new();
        for record in reader.records() {
            match record.body {
                Body::Identity { key, value } => {
                    census.properties.insert(key, value);
                }
                Body::CallBegin { call, step: StepRef::Step { case, step }, .. } if case == asking => {
                    asked.insert(call, step);
                }
                Body::CallEnd { call, code: 0, outputs, .. } => {
                    let Some(step) = asked.get(&call) else { continue };
                    let Some((_, answer)) = outputs.first() else { continue };
                    match step {
                        0 => census.on_load = names(answer, &edition),
                        1 => census.live = names(answer, &edition),
                        _ => {
                            let indices =
                                edition.constant(Some("jvmtiJlocationFormat"), "JVMTI_JLOCATION_JVMBCI");
                            census.other_locations = answer.as_int() != indices;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(census)
    }
}

/// Names of the capabilities that are set in a recorded `jvmtiCapabilities`, without bits that no edition names.
fn names(value: &Value, edition: &Edition) -> BTreeSet<String> {
    match value {
        Value::Bytes(bytes) => edition.capabilities_in(bytes).map(|c| c.name.clone()).collect(),
        Value::Struct(fields) => fields
            .iter()
            .filter(|(_, v)| v.as_int().is_some_and(|i| i != 0))
            .map(|(n, _)| n.clone())
            .collect(),
        _ => BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_asks_once_per_moment() {
        let plan = potential();
        assert_eq!((plan.cases.len(), plan.cases[0].steps.len()), (1, 3));
        let held = holding(&BTreeSet::from(["can_tag_objects".to_owned(), "can_suspend".to_owned()]));
        assert_eq!(held.cases[0].environments[0].capabilities, [20, 0]);
    }

    #[test]
    fn capabilities_are_read_bit_by_bit() {
        let edition = Spec::embedded().newest();
        let mut bytes = vec![0; 16];
        bytes[0] = 0b1;
        bytes[2] = 0b1_0000;
        let expected = BTreeSet::from(["can_tag_objects".to_owned(), "can_suspend".to_owned()]);
        assert_eq!(names(&Value::Bytes(bytes), &edition), expected);
        let fields = [("can_tag_objects", 1), ("can_suspend", 1), ("can_pop_frame", 0)];
        let fields = fields.map(|(name, bit)| (name.to_owned(), Value::Int(bit))).to_vec();
        assert_eq!(names(&Value::Struct(fields), &edition), expected);
    }
}
