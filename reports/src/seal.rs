//! A digest of a document's content, by which it is noticed that somebody changed it after it was written.
//!
//! It covers the values, not the layout: a file that went through a formatter is still whole. It is no signature;
//! whoever wants to deceive can compute it too.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Name of the document's field that holds it.
pub const FIELD: &str = "digest";

/// Whether the document is as it was when it was sealed, or has never been.
pub fn is_whole(document: &Value) -> bool {
    document.get(FIELD).is_none_or(|stated| *stated == digest(document).as_str())
}

/// The digest of everything in the document but itself.
pub fn digest(document: &Value) -> String {
    let mut hasher = Sha256::new();
    if let Some(fields) = document.as_object() {
        for (name, value) in sorted(fields).filter(|(name, _)| *name != FIELD) {
            text(name, &mut hasher);
            feed(value, &mut hasher);
        }
    }
    hasher.finalize().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

fn sorted(fields: &serde_json::Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_unstable_by_key(|(name, _)| *name);
    fields.into_iter()
}

/// Each value with its kind and length before it, so that no two documents feed the same.
fn feed(value: &Value, hasher: &mut Sha256) {
    match value {
        Value::Null => hasher.update(b"0"),
        Value::Bool(is) => hasher.update(if *is { b"t" } else { b"f" }),
        Value::Number(number) => text(&number.to_string(), hasher),
        Value::String(string) => {
            hasher.update(b"s");
            text(string, hasher);
        }
        Value::Array(items) => {
            hasher.update(format!("a{}", items.len()));
            items.iter().for_each(|item| feed(item, hasher));
        }
        Value::Object(fields) => {
            hasher.update(format!("o{}", fields.len()));
            for (name, value) in sorted(fields) {
                text(name, hasher);
                feed(value, hasher);
            }
        }
    }
}

fn text(text: &str, hasher: &mut Sha256) {
    hasher.update(format!("{}:", text.len()));
    hasher.update(text);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_of_content_is_noticed_and_one_of_layout_is_not() {
        let mut document = json!({"b": [1, 2], "a": {"x": "y", "c": null}});
        assert!(is_whole(&document), "never sealed");
        document[FIELD] = digest(&document).into();
        assert!(is_whole(&document));
        let pretty: Value = serde_json::from_str(&serde_json::to_string_pretty(&document).unwrap()).unwrap();
        assert!(is_whole(&pretty));
        for (pointer, value) in
            [("/b/0", json!(3)), ("/b", json!([12])), ("/a/x", json!("z")), ("/a/c", json!(0))]
        {
            let mut edited = document.clone();
            *edited.pointer_mut(pointer).unwrap() = value;
            assert!(!is_whole(&edited), "{pointer}");
        }
    }
}
