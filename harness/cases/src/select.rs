//! Choosing cases by what people type.

use std::path::Path;

use crate::diagnostic::nearest;
use crate::model::Case;
use globset::{GlobBuilder, GlobMatcher};

/// What the ids of the rules begin with that every record is held against, whatever the case.
pub const UNIVERSAL: &str = "universal/";

/// Which cases are wanted. Empty: all.
#[derive(Clone, Debug, Default)]
pub struct Filters(Vec<Filter>);

/// One filter, and its pattern if it has a `*`.
#[derive(Clone, Debug)]
struct Filter {
    text: String,
    pattern: Option<GlobMatcher>,
}

impl Filters {
    /// Each filter is a case's id, a part of it, a pattern for all of it (with `*`), the name of a function, event or
    /// chapter, or the id of a statement, for the cases that cite it. A case is wanted if any fits. One that asks for a universal rule wants every case, over all of which the
    /// rule is judged.
    pub fn new(filters: impl IntoIterator<Item = String>) -> Filters {
        Filters(filters.into_iter().map(Filter::new).collect())
    }

    /// Whether all cases are wanted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The filters that fit one of these cases, and so on: `keep[i]` tells whether `cases[i]` is wanted. A filter that
    /// is the whole id of a case means this one only, not others that it is a part of.
    pub fn keep(&self, cases: &[Case]) -> Vec<bool> {
        if self.is_empty() {
            return vec![true; cases.len()];
        }
        let mut keep = vec![self.rules().next().is_some(); cases.len()];
        for filter in &self.0 {
            let exact = cases.iter().any(|case| case.id == filter.text);
            for (case, keep) in cases.iter().zip(&mut keep) {
                *keep |= if exact { case.id == filter.text } else { filter.fits(case) };
            }
        }
        keep
    }

    /// A filter that is the id of a case and not wanted for the cases whose ids go on after it with `/`, and how many these are.
    pub fn hiding(&self, cases: &[Case]) -> Option<(&str, usize)> {
        let keep = self.keep(cases);
        let hidden = |filter: &Filter| {
            let below = |id: &str| id.strip_prefix(&filter.text).is_some_and(|rest| rest.starts_with('/'));
            cases.iter().zip(&keep).filter(|(case, keep)| !**keep && below(&case.id)).count()
        };
        self.0.iter().map(|filter| (filter.text.as_str(), hidden(filter))).find(|(_, hidden)| *hidden > 0)
    }

    /// Of all these cases the wanted ones.
    pub fn select(&self, cases: Vec<Case>) -> Vec<Case> {
        let keep = self.keep(&cases);
        cases.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(case, _)| case).collect()
    }

    /// The filters that ask for universal rules.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|filter| filter.text.as_str()).filter(|filter| filter.starts_with(UNIVERSAL))
    }

    /// Whether a verdict on this id is wanted, if rules are asked for: without others, only they are.
    pub fn fits_verdict(&self, id: &str) -> bool {
        self.rules().next().is_none() || self.fits_id(id)
    }

    /// Whether an id of which no more is known fits.
    pub fn fits_id(&self, id: &str) -> bool {
        self.is_empty() || self.0.iter().any(|filter| filter.fits_id(id))
    }

    /// A filter that fits none of these cases and ids, if there is one. Those for universal rules are not looked at.
    pub fn without_case<'a>(&'a self, cases: &[Case], ids: &[&str]) -> Option<&'a str> {
        let fits = |filter: &Filter| {
            cases.iter().any(|case| filter.fits(case)) || ids.iter().any(|id| filter.fits_id(id))
        };
        let ordinary = self.0.iter().filter(|filter| !filter.text.starts_with(UNIVERSAL));
        ordinary.map(|filter| (filter, fits(filter))).find(|(_, fits)| !fits).map(|(f, _)| f.text.as_str())
    }

    /// What to tell someone whose filters fit nothing.
    pub fn nothing(&self, cases: &[Case]) -> String {
        let wanted: Vec<&str> = self.0.iter().map(|filter| filter.text.as_str()).collect();
        let wanted = wanted.join("`, `");
        let names = cases
            .iter()
            .flat_map(|case| [Some(case.id.as_str()), case.subject.as_deref(), Some(case.chapter.as_str())])
            .flatten();
        let near = self.0.first().and_then(|filter| nearest(&filter.text, names));
        let folder = self.0.first().is_some_and(|filter| Path::new(&filter.text).is_absolute());
        let is_file = self.0.first().is_some_and(|filter| filter.text.ends_with(".yaml"));
        let hint = match near {
            _ if folder => "a JDK needs a --jdk of its own".to_owned(),
            _ if is_file => "case files are added with --cases and their folder".to_owned(),
            Some(near) => format!("did you mean `{near}`?"),
            None => "`jvmti-check list` lists all cases".to_owned(),
        };
        format!("no case matches `{wanted}`; {hint}")
    }
}

impl Filter {
    fn new(text: String) -> Filter {
        let pattern = text.contains('*').then(|| pattern(&text)).flatten();
        Filter { text, pattern }
    }

    fn fits(&self, case: &Case) -> bool {
        case.chapter == self.text
            || case.subject.as_ref() == Some(&self.text)
            || self.fits_id(&case.id)
            || case.citations().any(|id| id == self.text)
    }

    fn fits_id(&self, id: &str) -> bool {
        match &self.pattern {
            Some(pattern) => pattern.is_match(id),
            None => id.contains(&self.text),
        }
    }
}

/// A pattern for a whole id, in which `*` stands for anything and every other character for itself.
fn pattern(text: &str) -> Option<GlobMatcher> {
    let mut glob = String::new();
    for (index, part) in text.split('*').enumerate() {
        // To a glob, `**` would be something else.
        if index > 0 && !glob.ends_with('*') {
            glob.push('*');
        }
        glob.push_str(&globset::escape(part));
    }
    let glob = GlobBuilder::new(&glob).literal_separator(false).backslash_escape(false).build();
    // Only a pattern too large for the library is refused, and no id is so long.
    glob.ok().map(|glob| glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, text: &str) -> bool {
        super::pattern(pattern).unwrap().is_match(text)
    }

    #[test]
    fn patterns_fit_the_whole_text() {
        for (pattern, text, fit) in [
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "acd", false),
            ("*#phase/*", "SuspendThread#phase/start", true),
            ("*a*a", "a", false),
            ("*", "", true),
            ("a**b", "a/x/b", true),
            ("***", "a/b", true),
            ("[ab]{c,d}?*", "[ab]{c,d}?#x", true),
            ("[ab]*", "a", false),
            ("a?*", "abc", false),
            ("{a,b}*", "a", false),
            ("a\\*", "a*", false),
            ("a\\*", "a\\b", true),
        ] {
            assert_eq!(matches(pattern, text), fit, "{pattern} {text}");
        }
    }

    #[test]
    fn a_universal_rule_is_judged_over_every_case() {
        let case = |id: &str| Case { id: id.to_owned(), ..Case::default() };
        let cases = [case("a"), case("b")];
        let rule = Filters::new(["universal/x".to_owned()]);
        assert_eq!(rule.keep(&cases), [true, true]);
        assert!(rule.fits_verdict("universal/x") && !rule.fits_verdict("a"));
        let case = Filters::new(["a".to_owned()]);
        assert!(case.fits_verdict("b") && case.fits_verdict("universal/x"));
    }

    #[test]
    fn a_filter_that_is_an_id_hides_the_cases_below_it() {
        let cases = ["a", "a/b", "a/c", "ab"].map(|id| Case { id: id.to_owned(), ..Case::default() });
        let hidden = |filters: &[&str]| {
            let filters = Filters::new(filters.iter().map(|filter| (*filter).to_owned()));
            filters.hiding(&cases).map(|(filter, hidden)| (filter.to_owned(), hidden))
        };
        assert_eq!(hidden(&["a"]), Some(("a".to_owned(), 2)));
        assert_eq!(hidden(&["a", "a/c"]), Some(("a".to_owned(), 1)));
        assert_eq!(hidden(&["a", "a/*"]), None);
        assert_eq!(hidden(&["a*"]), None);
        assert_eq!(hidden(&[]), None);
    }

    #[test]
    fn a_statement_selects_the_cases_that_cite_it() {
        let case =
            |id: &str, cites: &str| Case { id: id.into(), cites: vec![cites.into()], ..Case::default() };
        let cases =
            [case("thread/asleep", "thread-state/sleeping"), case("thread/awake", "thread-state/alive")];
        assert_eq!(Filters::new(["thread-state/sleeping".to_owned()]).keep(&cases), [true, false]);
    }

    #[test]
    fn each_filter_has_to_fit_something() {
        let cases = [Case { id: "a".to_owned(), ..Case::default() }];
        let filters = |texts: &[&str]| Filters::new(texts.iter().map(|text| (*text).to_owned()));
        assert_eq!(filters(&["a", "nosuchthing"]).without_case(&cases, &["b"]), Some("nosuchthing"));
        assert_eq!(filters(&["a", "b", "universal/x"]).without_case(&cases, &["b"]), None);
        assert_eq!(filters(&[]).without_case(&cases, &[]), None);
    }

    #[test]
    fn a_folder_among_the_filters_is_told_to_need_its_own_option() {
        let told = Filters::new(["/opt/jdk-21".to_owned()]).nothing(&[]);
        assert_eq!(told, "no case matches `/opt/jdk-21`; a JDK needs a --jdk of its own");
    }

    proptest! {
        #[test]
        fn a_pattern_fits_what_it_was_made_of(parts in proptest::collection::vec("[a-c/.{\\[]{0,3}", 2..5), fill in "[a-c/.]{0,3}") {
            prop_assert!(matches(&parts.join("*"), &parts.join(&fill)));
        }
    }
}
