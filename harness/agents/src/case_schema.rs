//! The JSON Schema of agent cases, for editors, with the names of the specification.

use jvmti_spec::Edition;
use serde_json::{Value as Json, json};

use crate::case::AgentCase;
use crate::misuse::Severity;

/// A count, or releases: `3`, `1..`, `..10`, `2..5`.
const SPAN: &str = r"^\s*(\d+|\d*\s*\.\.\s*\d*)\s*$";

/// The schema, with the names of that edition.
pub fn schema(newest: &Edition) -> Json {
    let names = |names: &mut dyn Iterator<Item = &String>| json!({"enum": names.collect::<Vec<_>>()});
    let functions = names(&mut newest.functions.iter().map(|f| &f.name));
    let events = names(&mut newest.events.iter().map(|e| &e.name));
    let errors = names(&mut newest.errors.iter().map(|e| &e.name));
    let span = json!({"type": "string", "pattern": SPAN});

    let mut schema = schemars::schema_for!(AgentCase).to_value();
    schema["title"] = json!("jvmti-check: agent-case");
    schema["properties"]["releases"] = described(&schema["properties"]["releases"], &span);
    let expect = &mut schema["$defs"]["Expect"]["properties"];
    for key in ["calls", "events"] {
        expect[key]["$ref"] = json!(format!("#/$defs/{key}"));
        expect[key]["default"] = json!({});
    }
    expect["errors"] = described(
        &expect["errors"],
        &json!({"type": "object", "propertyNames": functions, "additionalProperties": {"type": "array", "items": errors}}),
    );
    expect["misuse"] =
        described(&expect["misuse"], &json!({"enum": [Severity::Note, Severity::Warning, Severity::Error]}));
    let happenings = schema["$defs"]["Happenings"].take();
    for (key, known) in [("calls", functions), ("events", events)] {
        let mut of = happenings.clone();
        for list in ["in_order", "never"] {
            of["properties"][list]["items"] = known.clone();
        }
        of["properties"]["count"]["propertyNames"] = known;
        of["properties"]["count"]["additionalProperties"] = span.clone();
        schema["$defs"][key] = of;
    }
    if let Some(definitions) = schema["$defs"].as_object_mut() {
        definitions.remove("Happenings");
    }
    schema
}

/// That schema with the description of this one.
fn described(from: &Json, schema: &Json) -> Json {
    let mut schema = schema.clone();
    schema["description"] = from["description"].clone();
    schema
}

#[cfg(test)]
mod tests {
    use jvmti_spec::Spec;

    use super::*;

    /// To publish a changed schema, run with `PUBLISH_SCHEMA=1`.
    #[test]
    fn the_published_schema_is_that_of_the_cases() {
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/agent-case.schema.json");
        let schema = schema(&Spec::embedded().newest());
        if std::env::var_os("PUBLISH_SCHEMA").is_some() {
            std::fs::write(&path, format!("{schema:#}\n")).unwrap();
        }
        let published: Json = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(published, schema, "{} is out of date: PUBLISH_SCHEMA=1", path.display());
    }

    #[test]
    fn names_come_from_the_specification() {
        let schema = schema(&Spec::embedded().newest());
        let items = |of: &str| schema["$defs"][of]["properties"]["never"]["items"]["enum"].to_string();
        assert!(items("calls").contains("\"GetThreadState\"") && items("events").contains("\"VMInit\""));
        assert!(!items("events").contains("GetThreadState"));
        let errors = schema["$defs"]["Expect"]["properties"]["errors"].to_string();
        assert!(errors.contains("ABSENT_INFORMATION") && errors.contains("GetLineNumberTable"));
        assert!(!schema.to_string().contains("$defs/Happenings"), "{schema:#}");
    }
}
