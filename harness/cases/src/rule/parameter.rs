//! Rules over the parameters of functions.

use jvmti_spec::derived;
use jvmti_spec::edition::{Dir, Function, NullRule, Param};

use super::selector::{Element, Selector};
use crate::context::Context;
use crate::yaml::Node;

/// Whether the VM allocates what the parameter delivers, or part of it.
fn is_allocated(param: &Param) -> bool {
    matches!(param.dir, Dir::OutAlloc | Dir::OutAllocAlloc) || !param.alloc_fields.is_empty()
}

/// `{null: forbidden, output: true, …}`: parameters of functions. Binds `param` and what null means for it.
pub struct ParameterSelector<'c, 'a, 'n> {
    cx: &'c Context<'a>,
    selector: Selector<'n>,
}

impl<'c, 'a, 'n> ParameterSelector<'c, 'a, 'n> {
    /// Reads the selector. `names` and `except` go by `Function.parameter`.
    pub fn read(cx: &'c Context<'a>, node: &'n Node) -> Option<Self> {
        let selector =
            Selector::read(cx, node, &["null", "meaning", "output", "allocated", "local_refs", "type"])?;
        let all = cx
            .newest
            .functions
            .iter()
            .flat_map(|f| f.params.iter().map(|p| format!("{}.{}", f.name, p.name)));
        let all: Vec<String> = all.collect();
        selector.check_names(cx, all.iter().map(String::as_str));
        Some(ParameterSelector { cx, selector })
    }

    /// One element per parameter of the function that is meant.
    pub fn elements(&self, function: &Function, element: &Element) -> Vec<Element> {
        let path = |param: &Param| format!("{}.{}", function.name, param.name);
        let wanted = function.params.iter().filter(|param| {
            self.selector.names(&path(param))
                && self.null(param)
                && self.meaning(param)
                && self.selector.wants(self.cx, "output", param.dir.is_output())
                && self.selector.wants(self.cx, "allocated", is_allocated(param))
                && self.selector.wants(
                    self.cx,
                    "local_refs",
                    param.local_ref || !param.local_ref_fields.is_empty(),
                )
                && self.selector.get("type").is_none_or(|n| {
                    self.cx.texts(n, "a C type").iter().any(|(c_type, _)| *c_type == param.c_type)
                })
        });
        let bound = |param: &Param| {
            let element = element.with("param", &param.name, self.selector.exception(&path(param)));
            match &param.null {
                NullRule::Forbidden { error } => element.with("error", error, None),
                NullRule::InvalidReference { error } => {
                    let row = derived::parameter_assertion(function, error, &param.name);
                    element.with("error", error, None).with("row", &row, None)
                }
                NullRule::Means { meaning, .. } => element.with("meaning", meaning, None),
                NullRule::Inapplicable => element,
            }
        };
        wanted.map(bound).collect()
    }

    /// Whether a null argument means one of the things that are asked for.
    fn meaning(&self, param: &Param) -> bool {
        let Some(node) = self.selector.get("meaning") else { return true };
        let wanted = self.cx.texts(node, "what null means");
        matches!(&param.null, NullRule::Means { meaning, .. } if wanted.iter().any(|(text, _)| text == meaning))
    }

    fn null(&self, param: &Param) -> bool {
        let Some(node) = self.selector.get("null") else { return true };
        match (node.as_str(), &param.null) {
            (Some("forbidden"), rule) => matches!(rule, NullRule::Forbidden { .. }),
            (Some("means"), rule) => matches!(rule, NullRule::Means { .. }),
            (Some("invalid_reference"), rule) => matches!(rule, NullRule::InvalidReference { .. }),
            _ => {
                self.cx.expected(node, "`forbidden`, `means` or `invalid_reference`");
                false
            }
        }
    }
}
