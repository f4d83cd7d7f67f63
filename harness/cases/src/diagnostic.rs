//! What is wrong in a case file, where, and what was probably meant.

use std::fmt;
use std::sync::Arc;

use miette::{LabeledSpan, Severity, SourceCode, SourceSpan};

use super::source::{SourceFile, Span};

/// One thing wrong in one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The file.
    pub file: Arc<SourceFile>,
    /// The place.
    pub span: Span,
    /// What is wrong, expected and found.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Whether it stops the file from being used, or is merely `lint`'s advice.
    pub is_error: bool,
}

impl Diagnostic {
    /// Line and column, from 1.
    pub fn position(&self) -> (u32, u32) {
        self.file.position(self.span.start)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.position();
        write!(f, "{}:{line}:{column}: {}", self.file.name, self.message)
    }
}

impl std::error::Error for Diagnostic {}

impl miette::Diagnostic for Diagnostic {
    fn severity(&self) -> Option<Severity> {
        Some(if self.is_error { Severity::Error } else { Severity::Advice })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.file.text)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let length = (self.span.end.saturating_sub(self.span.start)) as usize;
        let at = SourceSpan::new((self.span.start as usize).into(), length);
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some("here".to_owned()), at))))
    }
}

/// Everything wrong in a folder of case files, in the order of files and places.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Whether any of them is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|d| d.is_error)
    }

    /// Sorts by place, drops what was said twice (of several releases, say), and cuts short what a rule says of many
    /// functions in one place.
    pub(super) fn tidy(mut self) -> Self {
        const ENOUGH: usize = 3;
        self.0.sort_by(|a, b| (&a.file.name, a.span, &a.message).cmp(&(&b.file.name, b.span, &b.message)));
        self.0.dedup_by(|a, b| a.span == b.span && a.file.name == b.file.name && a.message == b.message);
        let places = self.0.chunk_by(|a, b| a.span == b.span && a.file.name == b.file.name);
        let cut = |place: &[Diagnostic]| {
            let mut kept = place[..place.len().min(ENOUGH)].to_vec();
            if let Some(last) = kept.last_mut().filter(|_| place.len() > ENOUGH) {
                last.message += &format!(" (and {} more like this)", place.len() - ENOUGH);
            }
            kept
        };
        Diagnostics(places.flat_map(cut).collect())
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => write!(f, "1 mistake in the case files"),
            many => write!(f, "{many} mistakes in the case files"),
        }
    }
}

impl std::error::Error for Diagnostics {}

impl miette::Diagnostic for Diagnostics {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        Some(Box::new(self.0.iter().map(|d| d as &dyn miette::Diagnostic)))
    }
}

/// The name among the known ones that was probably meant, if one is near enough.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let far = |k: &str| 1 + name.len().max(k.len()) / 4;
    known
        .into_iter()
        // No shorter way to a name than the difference in length.
        .filter(|k| k.len().abs_diff(name.len()) <= far(k))
        .map(|k| (strsim::osa_distance(&wanted, &k.to_lowercase()), k))
        .min()
        .filter(|(distance, k)| *distance <= far(k))
        .map(|(_, k)| k)
}

/// Help for an unknown name: the nearest known one, else all of them if they are few.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    const FEW: usize = 20;
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(near) = nearest(name, known.iter().copied()) {
        return Some(format!("did you mean `{near}`?"));
    }
    (!known.is_empty() && known.len() <= FEW).then(|| format!("known: {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_only_if_near() {
        let known = ["GetThreadState", "GetThreadInfo", "SuspendThread"];
        assert_eq!(nearest("GetThreadStat", known), Some("GetThreadState"));
        assert_eq!(nearest("getthreadinfo", known), Some("GetThreadInfo"));
        assert_eq!(nearest("Allocate", known), None);
    }
}
