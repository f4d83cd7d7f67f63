//! JSON Schemas of the files, for editors. They are made of the same tables of keys as the readers use, and of the names
//! of the specification; what a schema cannot say (which arguments a function takes, which statements there are), `lint`
//! does.

use serde_json::{Map, Value as Json, json};

use super::context::chapters;
use super::known::Shows;
use super::{case_file, configuration, known, rule, set, step};

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Behaviour cases, and rules.
    Case,
    /// A list of known deviations.
    Known,
    /// Named sets of options.
    Configurations,
    /// The Java scenarios.
    Scenarios,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 4] = [Form::Case, Form::Known, Form::Configurations, Form::Scenarios];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Form::Case => "case",
            Form::Known => "known",
            Form::Configurations => "configurations",
            Form::Scenarios => "scenarios",
        }
    }

    /// Its schema.
    pub fn schema(self) -> Json {
        let mut schema = match self {
            Form::Case => cases(),
            Form::Known => known_list(),
            Form::Configurations => configurations(),
            Form::Scenarios => scenarios(),
        };
        schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        schema["title"] = json!(format!("jvmti-check: {}", self.name()));
        schema
    }
}

/// What each key of a case, rule or step holds.
const CASE_KEYS: &[(&str, &str, &str)] = &[
    ("about", "text", "What is checked, in one line"),
    ("args", "list", "Arguments of the JNI operation, in order"),
    ("as", "text", "Name of the step; its outputs are `$name.output` from then on"),
    ("at", "moment", "The moment: `checkpoint(name)`, `vm_init`, an event; later steps keep it"),
    ("by", "text", "The edits of a class file: `method remove spare`"),
    ("call", "call", "The JVM TI function"),
    ("capabilities", "capabilities", "Capabilities that the environments need"),
    ("cases", "cases", "The cases"),
    ("chapter", "chapter", "Chapter under which reports count it"),
    ("cites", "texts", "The statements of the specification that it rests on"),
    ("dispose", "text", "Disposes of this environment"),
    ("each", "mapping", "Names, each with the values that it takes: one case for each combination"),
    ("edit", "any", "The class file that is edited, as memory"),
    ("env", "text", "The environment that makes the call, if it is not the first"),
    ("environments", "list", "Environments instead of the one called `main`"),
    ("events", "events", "Events that are enabled"),
    ("expect", "expect", "What must come: `error`, and conditions on outputs"),
    ("expect_events", "mapping", "What must hold of the events that were sent"),
    ("expect_life", "any", "What must come of a JVM that ends or is attached to in its own way"),
    ("expect_facts", "mapping", "Conditions on what the scenario stated in the end"),
    ("for", "mapping", "The elements of the specification that the rule makes a case for"),
    ("functions", "texts", "The functions that a survey asks"),
    (
        "given",
        "texts",
        "What must hold for the step to be part of the case: `{kind} = virtual`, `{kind} != virtual`",
    ),
    ("handlers", "list", "What is done each time that an event comes"),
    ("id", "text", "Its id; never changed once published"),
    ("jni", "any", "A JNI operation"),
    ("keep", "any", "What is kept of the call's outputs"),
    ("occasion", "mapping", "What the scenario must have stated for the case to apply"),
    ("only", "text", "The function for which the rule has this step"),
    ("on", "any", "The thread that makes the call: `attached`, `unattached`"),
    ("life", "any", "How the JVM is started, attached to and ended, where that is not as usual"),
    ("preconditions", "any", "In words: what has to hold so that only the expected answer is right"),
    ("releases", "releases", "Feature releases that it is for: `21..`, `8..20`, `17`"),
    ("reply", "mapping", "Writes through output parameters of the event"),
    ("rule", "text", "The rule, in a sentence"),
    ("scenario", "any", "The Java scenario that brings about the state"),
    (
        "also_on",
        "text",
        "Another kind of thread that runs the scenario once more: `virtual`; `none` if only the file says so",
    ),
    ("apart", "text", "A name: it shares its JVM with cases of the same name only, and no scenario run"),
    (
        "sharing",
        "sharing",
        "With what it shares: `jvm`: a run of its scenario of its own; `nothing`: a JVM of its own",
    ),
    ("runs", "any", "How many runs of its scenario the case takes, in a JVM of its own"),
    ("steps", "steps", "What is done, one after the other"),
    ("subject", "text", "The function or event that it is about, if the first call does not tell"),
    ("survey", "any", "A class, or an array of classes, that functions are asked about"),
    ("times", "any", "How often in a row the step is taken, each time with what it expects"),
    ("undefined", "boolean", "The text leaves open what becomes of a VM that does not detect the fault"),
    ("untimed", "boolean", "The text gives no time for what the case waits for"),
    ("vm_options", "texts", "Options that its JVM is started with"),
    ("with", "mapping", "Arguments, by parameter"),
];

/// What rules write in place of a name: `{function}`, `$function`.
const PLACEHOLDER: &str = "[{$]";

/// One of these names, or what a rule puts in its place.
fn names<'n>(names: impl IntoIterator<Item = &'n str>) -> Json {
    let names: Vec<&str> = names.into_iter().collect();
    json!({"anyOf": [{"enum": names}, text_like(PLACEHOLDER)]})
}

/// A text that contains a match of the pattern.
fn text_like(pattern: &str) -> Json {
    json!({"type": "string", "pattern": pattern})
}

fn several(one: Json) -> Json {
    json!({"anyOf": [one.clone(), {"type": "array", "items": one}]})
}

fn of_kind(kind: &str) -> Json {
    let newest = set::newest();
    let events = || newest.events.iter().map(|e| e.name.as_str());
    match kind {
        "text" => json!({"type": "string"}),
        "texts" => several(json!({"type": "string"})),
        "list" => json!({"type": "array"}),
        "mapping" => json!({"type": "object"}),
        "boolean" => json!({"type": "boolean"}),
        "releases" => {
            let release = format!("^([0-9]+|[0-9]+\\.\\.|\\.\\.[0-9]+|[0-9]+\\.\\.[0-9]+)$|{PLACEHOLDER}");
            json!({"anyOf": [{"type": "integer"}, text_like(&release)]})
        }
        "sharing" => names(["scenario", "jvm", "nothing"]),
        "chapter" => names(chapters(newest)),
        "events" => several(names(events())),
        "capabilities" => {
            let of = names(newest.capabilities.iter().map(|c| c.name.as_str()));
            several(json!({"anyOf": [of, {"type": "object"}]}))
        }
        "call" => {
            let of = names(newest.functions.iter().map(|f| f.name.as_str()));
            json!({"anyOf": [of, {"type": "object"}]})
        }
        "expect" => {
            let outputs = json!({"type": "object", "properties": {"error": {"$ref": "#/$defs/error"}}});
            json!({"anyOf": [{"enum": ["any"]}, outputs]})
        }
        "moment" => {
            let moments = MOMENTS.into_iter().chain(events());
            json!({"anyOf": [names(moments), text_like("\\("), {"type": "object"}]})
        }
        "cases" => json!({"type": "array", "items": {"$ref": "#/$defs/case"}}),
        "steps" => json!({"type": "array", "items": step_or(&[])}),
        "frame" => json!({"type": "array", "items": step_or(&[json!({"enum": [case_file::sequence::OWN]})])}),
        _ => json!({}),
    }
}

/// A step, repeated steps, or one of the others.
fn step_or(others: &[Json]) -> Json {
    let mut any = vec![json!({"$ref": "#/$defs/step"}), json!({"$ref": "#/$defs/repeated"})];
    any.extend_from_slice(others);
    json!({"anyOf": any})
}

/// Moments that have no parameters and are no events.
const MOMENTS: [&str; 9] = [
    "on_load",
    "on_attach",
    "on_unload",
    "primordial",
    "vm_start",
    "vm_init",
    "vm_death",
    "run_begin",
    "run_end",
];

/// The codes of errors that are right.
fn error() -> Json {
    let codes = set::newest().errors.iter().map(|error| error.name.as_str());
    let one = json!({"anyOf": [names(codes.chain(["any"])), text_like("\\||^not\\(")]});
    json!({"anyOf": [one.clone(), {"type": "array", "items": one}, {"type": "object"}]})
}

fn described(kind: &str, about: &str) -> Json {
    let mut schema = of_kind(kind);
    schema["description"] = json!(about);
    schema
}

/// A mapping with these keys and no others.
fn mapping(keys: &[&str], required: &[&str], property: impl Fn(&str) -> Json) -> Json {
    let properties: Map<String, Json> = keys.iter().map(|key| ((*key).to_owned(), property(key))).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn of_case(key: &str) -> Json {
    let known = CASE_KEYS.iter().find(|(name, ..)| *name == key);
    known.map_or_else(|| json!({}), |(_, kind, about)| described(kind, about))
}

fn cases() -> Json {
    let of_file: Vec<&str> = case_file::SHARED_KEYS.into_iter().chain(case_file::FILE_KEYS).collect();
    let shared = case_file::SHARED_KEYS.into_iter();
    let of_one: Vec<&str> = shared.chain(case_file::CASE_KEYS).chain(step::KEYS).collect();
    let of_rule: Vec<&str> = rule::KEYS.into_iter().chain(step::KEYS).collect();
    json!({
        "anyOf": [{"$ref": "#/$defs/behaviour"}, {"$ref": "#/$defs/rule"}],
        "$defs": {
            "behaviour": mapping(&of_file, &["cases"], |key| match key {
                "steps" => described("frame", "What is done around the steps of each case, for which `case` stands"),
                _ => of_case(key),
            }),
            "case": mapping(&of_one, &["id", "about"], of_case),
            "rule": mapping(&of_rule, &["for", "id", "about"], of_case),
            "step": mapping(&step::KEYS, &[], of_case),
            "repeated": mapping(&case_file::sequence::KEYS, &["each", "steps"], |key| match key {
                "each" => described("mapping", "Names, each with its values: the steps are taken for each combination"),
                _ => of_case(key),
            }),
            "error": error(),
        },
    })
}

fn known_list() -> Json {
    let on = mapping(&known::CONDITIONS, &[], |key| match key {
        "releases" => described("releases", "Feature releases: `8..17`"),
        "versions" => {
            json!({"type": ["string", "number"], "description": "Versions, by what they begin with: `21.0.2..21.0.8`"})
        }
        "vm" => described("text", "Part of java.vm.name"),
        "vendor" => described("text", "Part of java.vm.vendor"),
        "arch" => described("text", "os.arch: amd64, aarch64"),
        _ => described("texts", "Options that all must be given"),
    });
    let required = ["cases", "on", "shows", "reason", "evidence"];
    let entry = mapping(&known::KEYS, &required, |key| match key {
        "cases" => described("texts", "Ids of the cases that show it"),
        "on" => {
            let mut on = on.clone();
            on["minProperties"] = json!(1);
            on["description"] = json!("The JVMs that have it");
            on
        }
        "shows" => json!({"enum": Shows::ALL.map(Shows::name), "description": "How it shows"}),
        "sometimes" => {
            json!({"type": "boolean", "description": "It shows in some runs only: a case that passes is not taken for fixed"})
        }
        "observed" => described(
            "texts",
            "Texts, one of which is part of what each finding says was observed, or of its place",
        ),
        "reason" => described("text", "What the JVM does against which statement"),
        "evidence" => described("text", "What was seen, on what"),
        "tracker" => described("text", "Its id in the JVM's tracker"),
        _ => {
            json!({"type": "string", "format": "date", "description": "Last day on which nobody needs to look at it again"})
        }
    });
    json!({"type": "array", "items": entry})
}

fn configurations() -> Json {
    let entry = mapping(&configuration::KEYS, &["name", "about"], |key| match key {
        "name" => described("text", "Its name, for --vm-option-set"),
        "about" => described("text", "What it makes of a JVM"),
        "releases" => described("releases", "Releases in which the options mean that"),
        _ => described("texts", "The options"),
    });
    json!({"type": "array", "items": entry})
}

fn scenarios() -> Json {
    let named =
        mapping(&["name", "is"], &["name", "is"], |_| described("text", "A name, and what it stands for"));
    let thread = mapping(&["name", "is", "releases", "traits"], &["name", "is"], |key| match key {
        "releases" => described("releases", "Releases in which there is one"),
        "traits" => described("mapping", "What rules can ask of it, by name"),
        _ => described("text", "A name, and what it stands for"),
    });
    let keys = ["name", "about", "releases", "threads", "thread_facts", "binds", "checkpoints", "facts"];
    let entry = mapping(&keys, &["name", "about"], |key| match key {
        "name" => described("text", "Simple name of the Java class"),
        "about" => described("text", "What it brings about"),
        "releases" => described("releases", "Releases that can run it"),
        "threads" => json!({"type": "array", "items": thread}),
        _ => json!({"type": "array", "items": named}),
    });
    json!({"type": "array", "items": entry})
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use regex::Regex;

    use super::*;
    use crate::files;

    fn published(form: Form) -> PathBuf {
        let name = format!("../../docs/schema/{}.schema.json", form.name());
        Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
    }

    /// To publish changed schemas, run with `PUBLISH_SCHEMA=1`.
    #[test]
    fn the_published_schemas_are_those_of_the_grammar() {
        for form in Form::ALL {
            let path = published(form);
            if std::env::var_os("PUBLISH_SCHEMA").is_some() {
                std::fs::write(&path, format!("{:#}\n", form.schema())).unwrap();
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let schema: Json = serde_json::from_str(&text).unwrap();
            assert_eq!(schema, form.schema(), "{} is out of date: PUBLISH_SCHEMA=1", path.display());
        }
    }

    #[test]
    fn every_key_of_the_grammar_is_described() {
        let keys = case_file::SHARED_KEYS
            .into_iter()
            .chain(case_file::CASE_KEYS)
            .chain(step::KEYS)
            .chain(rule::KEYS);
        for key in keys {
            assert!(CASE_KEYS.iter().any(|(name, ..)| *name == key), "say in CASE_KEYS what `{key}` holds");
        }
    }

    #[test]
    fn our_own_files_keep_to_the_schemas() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
        for file in files::read(&folder).unwrap() {
            let form = match file.name.as_str() {
                "arguments.yaml" => continue,
                "scenarios.yaml" => Form::Scenarios,
                "configurations.yaml" => Form::Configurations,
                name if name.starts_with("known/") => Form::Known,
                _ => Form::Case,
            };
            let document: Json = serde_yaml::from_str(&file.text).unwrap();
            let schema = form.schema();
            if let Err(fault) = check(&document, &schema, &schema) {
                panic!("{}: {fault}", file.name);
            }
        }
    }

    #[test]
    fn what_is_wrong_does_not_keep_to_them() {
        let refused = |form: Form, document: Json| check(&document, &form.schema(), &form.schema()).is_err();
        assert!(refused(Form::Case, json!({"cases": [{"id": "a"}]})));
        assert!(refused(Form::Case, json!({"cases": [{"id": "a", "about": "b", "stepz": []}]})));
        assert!(refused(Form::Case, json!({"chapter": "a"})));
        let case = |key: &str, value: Json| json!({"cases": [{"id": "a", "about": "b", key: value}]});
        assert!(!refused(Form::Case, case("call", json!("GetThreadState"))));
        for (key, value) in [
            ("call", json!("GetThreadStat")),
            ("chapter", json!("threads")),
            ("capabilities", json!(["can_suspnd"])),
            ("events", json!("ThreadStrat")),
            ("releases", json!("21-25")),
            ("at", json!("vm_inti")),
            ("sharing", json!("all")),
            ("expect", json!({"error": "INVALID_THRAED"})),
            ("steps", json!([{"cal": "GetThreadState"}])),
            ("steps", json!([{"call": "GetThreadState", "expect": {"error": ["NONE", "NUL_POINTER"]}}])),
        ] {
            assert!(refused(Form::Case, case(key, value.clone())), "{key}: {value}");
        }
        assert!(refused(Form::Known, json!([{"cases": ["a"], "on": {}, "shows": "smoke"}])));
        assert!(refused(Form::Configurations, json!([{"name": 5, "about": "x"}])));
        assert!(refused(Form::Scenarios, json!({"name": "x"})));
    }

    /// As much of JSON Schema as the schemas use.
    fn check(value: &Json, schema: &Json, root: &Json) -> Result<(), String> {
        if let Some(reference) = schema["$ref"].as_str() {
            let target = root.pointer(reference.trim_start_matches('#')).ok_or("dangling reference")?;
            return check(value, target, root);
        }
        if let Some(any) = schema["anyOf"].as_array() {
            let faults: Vec<String> = any.iter().filter_map(|one| check(value, one, root).err()).collect();
            return if faults.len() < any.len() { Ok(()) } else { Err(faults.join(" | ")) };
        }
        if let Some(choices) = schema["enum"].as_array().filter(|choices| !choices.contains(value)) {
            return Err(format!("{value} is none of {} values", choices.len()));
        }
        if let (Some(pattern), Some(text)) = (schema["pattern"].as_str(), value.as_str())
            && !Regex::new(pattern).unwrap().is_match(text)
        {
            return Err(format!("{text:?} does not match {pattern}"));
        }
        let is = |name: &Json| match name.as_str() {
            Some("string") => value.is_string(),
            Some("integer") => value.is_i64(),
            Some("number") => value.is_number(),
            Some("boolean") => value.is_boolean(),
            Some("array") => value.is_array(),
            Some("object") => value.is_object(),
            other => panic!("unknown type {other:?}"),
        };
        let types: Vec<&Json> = match &schema["type"] {
            Json::Null => Vec::new(),
            Json::Array(types) => types.iter().collect(),
            one => vec![one],
        };
        if !types.is_empty() && !types.into_iter().any(is) {
            return Err(format!("{value} is not {}", schema["type"]));
        }
        for item in value.as_array().into_iter().flatten() {
            check(item, &schema["items"], root)?;
        }
        let Some(fields) = value.as_object() else { return Ok(()) };
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str) {
            fields.get(name).ok_or_else(|| format!("{name} is missing"))?;
        }
        for (name, field) in fields {
            match schema["properties"].get(name) {
                Some(property) => check(field, property, root).map_err(|fault| format!("{name}: {fault}"))?,
                None if schema["additionalProperties"] == json!(false) => {
                    return Err(format!("unknown key {name}"));
                }
                None => {}
            }
        }
        Ok(())
    }
}
