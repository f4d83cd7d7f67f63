//! All case files of a folder, and the cases they come to in a release.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use jvmti_spec::{Assertions, Edition, Release, Spec};
use rayon::prelude::*;

use super::argument_check;
use super::arguments::Arguments;
use super::case_file::{self, Inapplicable, Read};
use super::catalogue::Catalogue;
use super::configuration::{self, Configuration};
use super::context::{Context, Library};
use super::diagnostic::{self, Diagnostic, Diagnostics};
use super::files::{self, Unreadable};
use super::known::{self, Deviation, Listed};
use super::layers;
use super::model::Case;
use super::outlived;
use super::rule;
use super::source::{SourceFile, Span};
use super::unfounded;
use super::yaml::{self, Node, YamlError};

/// Has every name that any release has, for suggestions.
static NEWEST: LazyLock<Edition> = LazyLock::new(|| Spec::embedded().newest());

/// The newest release's text.
pub(super) fn newest() -> &'static Edition {
    &NEWEST
}

/// Name of the file that lists the Java scenarios.
const SCENARIOS: &str = "scenarios.yaml";
/// Name of the file with the smallest well-formed arguments.
const ARGUMENTS: &str = "arguments.yaml";
/// Name of the file with the named sets of options.
const CONFIGURATIONS: &str = "configurations.yaml";
/// Folder of the known deviations.
const KNOWN: &str = "known/";

type Parsed = Result<Node, YamlError>;

/// Everything read from a folder of case files.
#[derive(Clone, Debug, Default)]
pub struct CaseSet {
    library: Library,
    files: Vec<Node>,
    configurations: Vec<Configuration>,
    known: Vec<Listed>,
    /// Of each file, by index, the folder that it is from: a later folder replaces what an earlier one has by the same name.
    layers: Vec<usize>,
}

/// What a set of case files comes to in one release.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Cases, in the order of the files.
    pub cases: Vec<Case>,
    /// Cases that aren't for this release, and elements that rules leave out, with the reason.
    pub inapplicable: Vec<Inapplicable>,
}

/// Why case files can't be used.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum LoadError {
    /// The folder or a file can't be read.
    #[error(transparent)]
    #[diagnostic(help("name a folder of case files, such as `cases/` of this project"))]
    Unreadable(#[from] Unreadable),
    /// Something is wrong in the files.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Faulty(#[from] Diagnostics),
}

/// Reads a folder of case files and checks them for every release that they are meant for.
pub fn load(dir: &Path) -> Result<CaseSet, LoadError> {
    let set = CaseSet::read(files::read(dir)?)?;
    let faults = set.check();
    if faults.has_errors() { Err(faults.into()) } else { Ok(set) }
}

impl CaseSet {
    /// Reads texts as YAML, no more.
    pub fn read(files: impl IntoIterator<Item = SourceFile>) -> Result<CaseSet, Diagnostics> {
        CaseSet::read_layers(vec![files.into_iter().collect()])
    }

    /// Reads the files of several folders as one set. A file of a later folder replaces that of an earlier one at the same
    /// path, and so does a case, a scenario or a configuration that of the same name.
    pub fn read_layers(layers: Vec<Vec<SourceFile>>) -> Result<CaseSet, Diagnostics> {
        let (files, layers) = layers::settled(layers, &[SCENARIOS, CONFIGURATIONS]);
        let mut set = CaseSet { layers, ..CaseSet::default() };
        let mut faults = Vec::new();
        let trees: Vec<_> = files
            .par_iter()
            .enumerate()
            .map(|(index, file)| yaml::parse(&file.text, u16::try_from(index).unwrap_or(u16::MAX)))
            .collect();
        for (file, tree) in files.into_iter().zip(trees) {
            match set.add(file, tree) {
                Ok(found) => faults.extend(found),
                Err(fault) => faults.push(fault),
            }
        }
        if faults.is_empty() { Ok(set) } else { Err(Diagnostics(faults).tidy()) }
    }

    /// Takes a file in, and gives what is wrong in it as far as no release needs to be known for that.
    fn add(&mut self, file: SourceFile, tree: Parsed) -> Result<Vec<Diagnostic>, Diagnostic> {
        let name = file.name.clone();
        let index = self.library.sources.add(file);
        let fault = |span: Span, message: String| {
            let file = self.library.sources.file(Span { file: index, ..span });
            Diagnostic { file, span: Span { file: index, ..span }, message, help: None, is_error: true }
        };
        let misread = |error: serde_yaml::Error| {
            let start = error.location().map_or(0, |at| u32::try_from(at.index()).unwrap_or(u32::MAX));
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
            fault(Span { file: index, start, end: start }, message)
        };
        // Of the list of scenarios, too: this parser refuses aliases, with which a small file can fill the memory.
        let root = tree.map_err(|error| fault(error.span, error.message))?;
        match name.as_str() {
            SCENARIOS => {
                let file = self.library.sources.file(Span { file: index, ..Span::default() });
                self.library
                    .catalogue
                    .add(Catalogue::new(serde_yaml::from_str(&file.text).map_err(misread)?));
            }
            ARGUMENTS => self.library.arguments = Arguments::new(root),
            CONFIGURATIONS => {
                let cx = Context::new(&NEWEST, &NEWEST, &self.library);
                let read = configuration::read(&cx, &root);
                self.configurations.retain(|one| !read.iter().any(|new| new.name == one.name));
                self.configurations.extend(read);
                return Ok(cx.take_findings());
            }
            name if name.starts_with(KNOWN) => {
                let cx = Context::new(&NEWEST, &NEWEST, &self.library);
                self.known.extend(known::read(&cx, &root));
                return Ok(cx.take_findings());
            }
            _ => self.files.push(root),
        }
        Ok(Vec::new())
    }

    /// The files that it was read from.
    pub fn sources(&self) -> impl Iterator<Item = &SourceFile> {
        self.library.sources.all()
    }

    /// The named sets of options.
    pub fn configurations(&self) -> &[Configuration] {
        &self.configurations
    }

    /// The Java scenarios.
    pub fn catalogue(&self) -> &Catalogue {
        &self.library.catalogue
    }

    /// The known deviations of all JVMs.
    pub fn known(&self) -> impl Iterator<Item = &Deviation> {
        self.known.iter().map(|listed| &listed.deviation)
    }

    /// The same with the files that list them.
    pub fn listed(&self) -> impl Iterator<Item = (Arc<SourceFile>, &Listed)> {
        self.known.iter().map(|listed| (self.library.sources.file(listed.span), listed))
    }

    /// The cases for one release. Files that [`load`] or [`CaseSet::check`] found nothing wrong in give no error.
    pub fn for_release(&self, edition: &Edition) -> Result<Selection, Diagnostics> {
        let parts: Vec<_> = self
            .files
            .par_iter()
            .map(|root| {
                let cx = Context::new(edition, &NEWEST, &self.library);
                (Self::select(&cx, [root]), cx.take_findings())
            })
            .collect();
        let mut selection = Selection::default();
        let mut faults = Vec::new();
        for (part, found) in parts {
            selection.cases.extend(part.cases);
            selection.inapplicable.extend(part.inapplicable);
            faults.extend(found);
        }
        self.drop_replaced(&mut selection);
        faults.extend(self.same_ids(&selection));
        let faults = Diagnostics(faults);
        if faults.has_errors() { Err(faults.tidy()) } else { Ok(selection) }
    }

    /// Leaves of cases with the same id in several folders that of the last one.
    fn drop_replaced(&self, selection: &mut Selection) {
        let Some(last) = self.layers.iter().max().filter(|last| **last > 0) else { return };
        let names = (0..).zip(&self.layers).map(|(file, layer)| {
            (self.library.sources.file(Span { file, ..Span::default() }).name.clone(), *layer)
        });
        layers::drop_replaced(selection, &names.collect(), *last);
    }

    fn select<'n>(cx: &Context<'_>, files: impl IntoIterator<Item = &'n Node>) -> Selection {
        let mut selection = Selection::default();
        for root in files {
            let read = if root.get("for").is_some() || root.get("rule").is_some() {
                rule::cases(cx, root)
            } else {
                case_file::cases(cx, root)
            };
            for read in read {
                match read {
                    Read::Case(case) => selection.cases.push(*case),
                    Read::Inapplicable(case) => selection.inapplicable.push(case),
                }
            }
        }
        selection
    }

    /// Everything wrong in the files, for every reviewed release.
    pub fn check(&self) -> Diagnostics {
        let (mut found, ids) = self.check_files(&self.files.iter().collect::<Vec<_>>());
        found.extend(self.known_without_case(&ids));
        Diagnostics(found).tidy()
    }

    /// The same, if nothing is wrong in the files that `is_checked` knows, as far as those depend on no other file.
    pub fn check_others(&self, is_checked: impl Fn(&SourceFile) -> bool) -> Diagnostics {
        let is_basis = |name: &str| [SCENARIOS, ARGUMENTS].contains(&name) || name.starts_with(KNOWN);
        let is_other = |root: &&Node| !is_checked(&self.library.sources.file(root.span));
        let others: Vec<&Node> = self.files.iter().filter(is_other).collect();
        if others.len() == self.files.len()
            || self.sources().any(|file| is_basis(&file.name) && !is_checked(file))
        {
            return self.check();
        }
        Diagnostics(self.check_files(&others).0).tidy()
    }

    /// What is wrong in these files for any reviewed release, and the ids of their cases.
    fn check_files(&self, files: &[&Node]) -> (Vec<Diagnostic>, BTreeSet<String>) {
        let checks = Release::REVIEWED.par_iter().map(|release| self.check_for(*release, files));
        let (found, ids): (Vec<Vec<Diagnostic>>, Vec<BTreeSet<String>>) = checks.unzip();
        (found.into_iter().flatten().collect(), ids.into_iter().flatten().collect())
    }

    /// What is wrong for one release, and the ids of its cases.
    fn check_for(&self, release: Release, files: &[&Node]) -> (Vec<Diagnostic>, BTreeSet<String>) {
        let edition = Spec::embedded().at(release);
        let statements = Spec::embedded().assertions(release);
        let assertions: BTreeSet<String> = statements.iter().map(|assertion| assertion.id.clone()).collect();
        let statements: Assertions = statements.into_iter().collect();
        let mut cx = Context::new(&edition, &NEWEST, &self.library);
        cx.assertions = Some(&assertions);
        if release == Release::NEWEST {
            argument_check::check(&cx, &self.library.arguments);
        }
        let mut selection = Self::select(&cx, files.iter().copied());
        self.drop_replaced(&mut selection);
        let mut found = cx.take_findings();
        found.extend(self.same_ids(&selection));
        for case in &selection.cases {
            let mistaken = unfounded::errors(case, &statements, &edition).into_iter();
            let mistaken = mistaken.chain(outlived::handlers(case));
            found.extend(mistaken.map(|(message, help)| self.about(case, message, help)));
            if case.citations().next().is_none() {
                let message = format!("the case `{}` cites no statement of the specification", case.id);
                let help =
                    "add `cites`; `jvmti-check spec show FUNCTION` lists the statements about a function";
                found.push(Diagnostic { is_error: false, ..self.about(case, message, help.to_owned()) });
            }
        }
        (found, selection.cases.into_iter().map(|case| case.id).collect())
    }

    fn known_without_case(&self, ids: &BTreeSet<String>) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let last = self.layers.iter().max().copied().unwrap_or_default();
        let layer =
            |listed: &&Listed| self.layers.get(usize::from(listed.span.file)).copied().unwrap_or_default();
        // Whoever replaces a file of cases need not replace the lists that name its cases.
        for listed in self.known.iter().filter(|listed| layer(listed) == last) {
            let is_missing = |id: &String| !ids.contains(id) && !id.starts_with("universal/");
            let cases = listed.deviation.cases.iter().zip(&listed.each_case);
            for (id, span) in cases.filter(|(id, _)| is_missing(id)) {
                let near = diagnostic::nearest(id, ids.iter().map(String::as_str));
                found.push(Diagnostic {
                    file: self.library.sources.file(*span),
                    span: *span,
                    message: format!("no release has a case `{id}`"),
                    help: near.map(|near| format!("did you mean `{near}`?")),
                    is_error: true,
                });
            }
            if listed.deviation.reason.to_lowercase().starts_with(known::UNEXPLAINED) {
                found.push(Diagnostic {
                    file: self.library.sources.file(listed.span),
                    span: Span { end: listed.span.start, ..listed.span },
                    message: "this deviation is listed without a reason".to_owned(),
                    help: Some("find out which statement the JVM breaks, and say how".to_owned()),
                    is_error: false,
                });
            }
        }
        found
    }

    /// A mistake in a case, told where the case begins.
    fn about(&self, case: &Case, message: String, help: String) -> Diagnostic {
        let root = self.files.iter().find(|r| self.library.sources.file(r.span).name == case.source.file);
        let file = self.library.sources.file(root.map(|r| r.span).unwrap_or_default());
        let start = file.start_of_line(case.source.line);
        let span = Span { start, end: start, ..root.map(|r| r.span).unwrap_or_default() };
        Diagnostic { file, span, message, help: Some(help), is_error: true }
    }

    fn same_ids(&self, selection: &Selection) -> Vec<Diagnostic> {
        let mut seen: BTreeMap<&str, &Case> = BTreeMap::new();
        let mut found = Vec::new();
        for case in &selection.cases {
            let Some(first) = seen.insert(&case.id, case) else { continue };
            let message = format!("a second case with the id `{}`", case.id);
            let help = format!("the first is at {}:{}", first.source.file, first.source.line);
            found.push(self.about(case, message, help));
        }
        found
    }
}
