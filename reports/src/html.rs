//! One self-contained HTML page: opens from `file://`, asks the network for nothing, runs nothing out of the results.
//!
//! What was found out is embedded as JSON, which the page's script shows by `textContent` only; the front page is
//! rendered here, autoescaped. The Content-Security-Policy admits exactly this style sheet and this script, by hash.

mod agents;
mod data;
mod deviations;
mod front;
mod state;

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{Environment, context};
use sha2::{Digest, Sha256};

use crate::output::{self, OutputError};
use crate::results::Results;

const TEMPLATE: &str = include_str!("html/page.html");
/// What every page begins with.
pub(crate) const HEAD: (&str, &str) = ("head.html", include_str!("html/head.html"));
pub(crate) const CSS: &str = include_str!("html/page.css");
const JS: &str =
    concat!(include_str!("html/model.js"), include_str!("html/detail.js"), include_str!("html/view.js"));

/// The page.
pub fn render(results: &Results) -> String {
    let mut environment = Environment::new();
    // By their names' ending the templates are autoescaped.
    let templates = [HEAD, ("page.html", TEMPLATE)];
    let page = templates
        .into_iter()
        .try_for_each(|(name, text)| environment.add_template(name, text))
        .and_then(|()| {
            environment.get_template("page.html")?.render(context! {
                front => Serde(front::Front::of(results)),
                data => embedded(&data::Data::of(results)),
                css => CSS,
                js => JS,
                policy => policy(),
            })
        });
    // Infallible: the template is a constant that every test renders.
    page.unwrap_or_else(|e| format!("<!doctype html><title>jvmti-check</title><p>{}", e.kind()))
}

/// Writes the page as a whole or not at all.
pub fn write(results: &Results, path: &Path) -> Result<(), OutputError> {
    output::write(path, render(results).as_bytes())
}

/// JSON for a `<script>` element: without `<`, nothing in it can end the element or open another.
fn embedded(data: &data::Data) -> String {
    serde_json::to_string(data).unwrap_or_default().replace('<', "\\u003c")
}

fn policy() -> String {
    format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        style_hash(),
        hash(JS)
    )
}

/// The source of styles that a Content-Security-Policy is to admit.
pub(crate) fn style_hash() -> String {
    hash(CSS)
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use scraper::{Html, Selector};

    use super::*;
    use crate::sample;

    fn count(page: &Html, selector: &str) -> usize {
        page.select(&Selector::parse(selector).unwrap()).count()
    }

    /// The page holds our script, the data and nothing else that could run or load; the data is what we put there.
    fn check_inert(results: &Results) -> Result<(), String> {
        let page = Html::parse_document(&render(results));
        let found =
            ["script", "script[type='application/json']", "img, iframe, object, link, base, form", "style"]
                .map(|s| count(&page, s));
        if found != [2, 1, 0, 1] {
            return Err(format!("scripts, data, foreign, styles: {found:?}"));
        }
        let any = Selector::parse("*").unwrap();
        let handlers =
            page.select(&any).flat_map(|e| e.value().attrs()).filter(|(name, _)| name.starts_with("on"));
        if let Some((name, _)) = handlers.into_iter().next() {
            return Err(format!("attribute {name}"));
        }
        let data = Selector::parse("script[type='application/json']").unwrap();
        let text: String = page.select(&data).flat_map(|e| e.text()).collect();
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        let expected = serde_json::to_value(data::Data::of(results)).map_err(|e| e.to_string())?;
        if value == expected { Ok(()) } else { Err("the data came back different".into()) }
    }

    #[test]
    fn hostile_names_stay_text() {
        check_inert(&sample::hostile()).unwrap();
        check_inert(&sample::large()).unwrap();
        check_inert(&Results::default()).unwrap();
    }

    #[test]
    fn nothing_in_our_own_parts_ends_them_early() {
        assert!(!JS.contains("</script") && !JS.contains("<!--") && !CSS.contains("</style"));
        for forbidden in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http:"]
        {
            assert!(!JS.contains(forbidden), "{forbidden}");
        }
    }

    #[test]
    fn three_thousand_verdicts_on_one_jvm_stay_under_three_megabytes() {
        let mut results = sample::large();
        let second = results.runs.pop().unwrap();
        let more = second.verdicts.into_iter().map(|mut v| {
            v.case += "/again";
            v
        });
        results.runs[0].verdicts.extend(more);
        assert!(results.runs[0].verdicts.len() > 2_800);
        let size = render(&results).len();
        assert!(size < 3_000_000, "{size}");
    }

    /// The contrast of two colours by WCAG 2.
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |colour: &str| {
            let part = |at: usize| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            let linear =
                |part: f64| if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
            0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5))
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn colours_of_text_are_told_from_their_ground_as_wcag_aa_wants() {
        let colours = |name: &str| -> [&str; 2] {
            let after = CSS.split(&format!("--{name}: light-dark(")).nth(1).unwrap();
            let both = after.split(')').next().unwrap();
            both.split_once(", ").map(|(light, dark)| [light, dark]).unwrap()
        };
        for text in ["ink", "soft", "link", "pass", "fail", "warn", "crash", "hang", "permit", "own"] {
            for ground in ["page", "card", "raised"] {
                for mode in 0..2 {
                    let ratio = contrast(colours(text)[mode], colours(ground)[mode]);
                    assert!(ratio >= 4.5, "{text} on {ground}, mode {mode}: {ratio:.2}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_results_make_an_inert_page(results in sample::any_results()) {
            prop_assert_eq!(check_inert(&results), Ok(()));
        }
    }
}

#[cfg(test)]
mod browser;
