//! `each`: names with the values that they take, one case for each combination.

use crate::context::Context;
use crate::yaml::{Node, Value};

/// Names, each with what `{name}` stands for.
pub type Bindings = Vec<(String, String)>;

/// What is bound in each combination of `{name: [values]}`, after what is bound already. A value that is written as
/// `{value: {other: text}}` binds other names besides, to texts that may contain the names up to that.
pub fn combinations(cx: &Context<'_>, node: &Node) -> Vec<Bindings> {
    let mut combinations = vec![cx.bindings.clone()];
    for (name, _, values) in cx.entries(node, "names, each with its values").unwrap_or_default() {
        let values = values_of(cx, values);
        let with = |before: &Bindings, (value, besides): &(String, Bindings)| {
            let bound = cx.binding([before.as_slice(), &[(name.to_owned(), value.clone())]].concat());
            let besides =
                besides.iter().map(|(other, text)| (other.clone(), bound.substituted(text).into_owned()));
            bound.bindings.iter().cloned().chain(besides).collect()
        };
        combinations = combinations.iter().flat_map(|b| values.iter().map(move |v| with(b, v))).collect();
    }
    combinations
}

/// `{name: text, …}`: what a value binds besides.
pub fn besides(cx: &Context<'_>, node: &Node) -> Bindings {
    let entries = cx.entries(node, "names, each with its value").unwrap_or_default();
    entries.into_iter().filter_map(|(name, _, n)| Some((name.to_owned(), value(cx, n)?))).collect()
}

/// The values that a name takes, each with what it binds besides.
fn values_of(cx: &Context<'_>, node: &Node) -> Vec<(String, Bindings)> {
    let Value::Map(values) = &node.value else {
        let values = cx.list(node, "a list of values");
        return values.iter().filter_map(|n| Some((value(cx, n)?, Bindings::new()))).collect();
    };
    values.iter().filter_map(|(key, node)| Some((value(cx, key)?, besides(cx, node)))).collect()
}

/// A value as a text.
fn value(cx: &Context<'_>, node: &Node) -> Option<String> {
    match &node.value {
        Value::Int(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Null => Some("null".to_owned()),
        _ => cx.text(node, "a text, a number or `null`").map(std::borrow::Cow::into_owned),
    }
}
