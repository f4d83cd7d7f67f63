//! The comparison as one self-contained page, without a script.

use minijinja::value::Serde;
use minijinja::{Environment, context};
use serde::Serialize;

use super::{Comparison, Kind, StatementChange};
use crate::html::{CSS, HEAD, style_hash};
use crate::visible;

const TEMPLATE: &str = include_str!("page.html");

#[derive(Serialize)]
struct Section<'a> {
    kind: Kind,
    title: &'static str,
    verdicts: usize,
    statements: Vec<&'a StatementChange>,
}

/// The page.
pub fn html(comparison: &Comparison) -> String {
    let sections = Kind::ALL.map(|kind| Section {
        kind,
        title: kind.title(),
        verdicts: comparison.count(kind),
        statements: comparison.of_kind(kind).collect(),
    });
    let mut environment = Environment::new();
    environment.add_filter("shown", |text: String| visible::block(&text).into_owned());
    // By their names' ending the templates are autoescaped.
    let templates = [HEAD, ("page.html", TEMPLATE)];
    let page = templates.into_iter().try_for_each(|(name, text)| environment.add_template(name, text)).and_then(|()| {
        environment.get_template("page.html")?.render(context! {
            comparison => Serde(comparison),
            sections => Serde(&sections),
            is_empty => comparison.is_empty(),
            broken => comparison.count(Kind::Broken),
            css => CSS,
            policy => format!("default-src 'none'; style-src {}; base-uri 'none'; form-action 'none'", style_hash()),
        })
    });
    // Infallible: the template is a constant that every test renders.
    page.unwrap_or_else(|e| format!("<!doctype html><title>jvmti-check</title><p>{}", e.kind()))
}

#[cfg(test)]
mod tests {
    use scraper::{Html, Selector};

    use super::*;
    use crate::compare::tests::{different, hostile};

    fn count(page: &str, selector: &str) -> usize {
        Html::parse_document(page).select(&Selector::parse(selector).unwrap()).count()
    }

    #[test]
    fn each_change_is_on_the_page() {
        let [before, after] = different();
        let page = html(&Comparison::of(&before, &after));
        assert_eq!(count(&page, ".change"), 5);
        assert_eq!(count(&page, ".kind-broken .change"), 1);
        assert_eq!(count(&html(&Comparison::of(&before, &before)), ".change"), 0);
    }

    #[test]
    fn hostile_names_stay_text() {
        let page = html(&hostile());
        assert_eq!(count(&page, "img, iframe, object, script, base, form"), 0);
        assert!(count(&page, ".change") > 0);
    }
}
