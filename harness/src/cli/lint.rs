//! `jvmti-check lint` and `case new`.

use std::path::{Path, PathBuf};

use jvmti_cases::built_in::{layered, with_paths};
use jvmti_cases::{Diagnostic, Diagnostics, LoadError, load};
use serde_json::{Value, json};

use super::Completed;
use super::fault::{self, Fault};
use super::terminal::{note, print};

/// The file that lists the scenarios, at the top of a folder of case files.
const SCENARIOS: &str = "scenarios.yaml";
/// A folder with this file has all that cases need, and does without the built-in ones.
const ARGUMENTS: &str = "arguments.yaml";

/// The arguments of `lint`.
#[derive(clap::Args)]
#[command(after_help = "\
Checks the keys, names, arguments, citations and ids in each file, for every release that its cases apply to. The files \
of a folder are checked together with the built-in ones, as `run --cases` uses them; a folder with a file arguments.yaml \
of its own is checked alone.

Exit codes: 0 no mistakes, 1 only advice, 2 mistakes.

Examples:
  jvmti-check lint                     check the built-in case files
  jvmti-check lint my-cases/           check a folder
  jvmti-check lint my-cases/ --format github")]
pub struct LintArgs {
    /// Folders of case files, or paths inside one [default: the built-in case files]. The whole folder is read; only the
    /// mistakes in these paths are shown
    paths: Vec<PathBuf>,
    /// The format of the mistakes
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Scenarios of your own: a jar, a folder of classes, or a .java file. May be repeated
    #[arg(long, value_name = "PATH")]
    classpath: Vec<PathBuf>,
}

/// The format of mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// With the lines around each mistake
    Text,
    /// A JSON array
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// Checks case files.
pub fn lint(args: &LintArgs) -> Result<Completed, Fault> {
    let mut all = Diagnostics::default();
    if args.paths.is_empty() {
        all.0.extend(layered(None, &[]).map_err(Fault::cases)?.check().0);
    }
    for path in &args.paths {
        all.0.extend(checked(path, &args.classpath)?.0);
    }
    let what = match args.paths.as_slice() {
        [] => "the built-in case files".to_owned(),
        paths => paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
    };
    match args.format {
        Format::Text => {}
        Format::Json => print(&format!("{:#}\n", Value::from_iter(all.0.iter().map(told))))?,
        Format::Sarif => print(&format!("{:#}\n", sarif(&all)))?,
        Format::Github => print(&all.0.iter().map(annotation).collect::<String>())?,
    }
    match (all.has_errors(), args.format) {
        (true, Format::Text) => Err(Fault::Diagnostics(all)),
        (true, _) => Err(Fault::wrong(fault::count(&all) + " in the case files")),
        (false, format) => {
            if format == Format::Text {
                fault::show(&all);
            }
            let advice = all.0.len();
            note(&match advice {
                0 => format!("{what}: no mistakes found"),
                1 => format!("{what}: no mistakes found, 1 piece of advice"),
                n => format!("{what}: no mistakes found, {n} pieces of advice"),
            });
            Ok(if advice == 0 { Completed::Fine } else { Completed::Unexpected })
        }
    }
}

/// What is wrong in these files.
fn checked(path: &Path, classpath: &[PathBuf]) -> Result<Diagnostics, Fault> {
    let (folder, below) = folder_of(path)?;
    let alone = folder.join(ARGUMENTS).is_file();
    let set = match alone {
        true => load(&folder),
        false => layered(None, std::slice::from_ref(&folder)),
    };
    let mut faults = match set {
        // `check` finds the advice, too.
        Ok(set) => {
            let mut faults = set.check();
            faults.0.extend(without_class(&set, &folder, classpath));
            with_paths(faults, std::slice::from_ref(&folder))
        }
        Err(LoadError::Faulty(faults)) => with_paths(faults, std::slice::from_ref(&folder)),
        Err(error) => return Err(Fault::cases(error)),
    };
    let shown = folder.join(&below);
    faults.0.retain(|fault| Path::new(&fault.file.name).starts_with(&shown));
    Ok(as_typed(faults))
}

/// Scenarios of the folder whose class is neither built in nor on the class path.
fn without_class(set: &jvmti_cases::CaseSet, folder: &Path, classpath: &[PathBuf]) -> Vec<Diagnostic> {
    let Ok(text) = std::fs::read_to_string(folder.join(SCENARIOS)) else { return Vec::new() };
    let is_missing = |name: &str| !jvmti_java_tests::SCENARIOS.contains(&name) && !has_class(classpath, name);
    let names = set.catalogue().0.iter().map(|scenario| scenario.name.as_str());
    let missing = names.filter(|name| is_missing(name));
    missing
        .filter_map(|name| {
            let at = text.find(&format!("name: {name}"))?;
            let span = jvmti_cases::source::Span {
                file: 0,
                start: u32::try_from(at).ok()?,
                end: u32::try_from(at + 6 + name.len()).ok()?,
            };
            let file = jvmti_cases::source::SourceFile { name: SCENARIOS.to_owned(), text: text.clone() };
            let message = format!("no class for the scenario `{name}`");
            let help = "name its jar, folder of classes or .java file by --classpath";
            let (file, help) = (std::sync::Arc::new(file), Some(help.to_owned()));
            Some(Diagnostic { file, span, message, help, is_error: true })
        })
        .collect()
}

fn has_class(classpath: &[PathBuf], name: &str) -> bool {
    let simple = name.rsplit('.').next().unwrap_or(name);
    classpath.iter().any(|entry| match entry.extension().and_then(|ending| ending.to_str()) {
        Some("java") => entry.file_stem().is_some_and(|stem| stem == simple),
        Some("jar") => {
            std::fs::File::open(entry).ok().and_then(|file| zip::ZipArchive::new(file).ok()).is_some_and(
                |jar| jar.file_names().flatten().any(|inside| inside.ends_with(&format!("{simple}.class"))),
            )
        }
        _ => ["", "jvmticheck/scenarios/"]
            .iter()
            .any(|package| entry.join(format!("{package}{}.class", name.replace('.', "/"))).is_file()),
    })
}

/// With paths relative to the working folder where that is shorter, so that a click on them opens the file.
fn as_typed(mut faults: Diagnostics) -> Diagnostics {
    let Ok(here) = std::env::current_dir() else { return faults };
    for fault in &mut faults.0 {
        if let Ok(path) = Path::new(&fault.file.name).strip_prefix(&here) {
            let name = path.display().to_string();
            let text = fault.file.text.clone();
            fault.file = std::sync::Arc::new(jvmti_cases::source::SourceFile { name, text });
        }
    }
    faults
}

fn level(fault: &Diagnostic) -> &'static str {
    if fault.is_error { "error" } else { "warning" }
}

fn told(fault: &Diagnostic) -> Value {
    let (line, column) = fault.position();
    let level = level(fault);
    json!({"file": fault.file.name, "line": line, "column": column, "level": level, "message": fault.message, "help": fault.help})
}

/// `::error file=a.yaml,line=3,col=5::message`, with what has a meaning there escaped.
fn annotation(fault: &Diagnostic) -> String {
    let (line, column) = fault.position();
    let text = |raw: &str| raw.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |raw: &str| text(raw).replace(':', "%3A").replace(',', "%2C");
    let help = fault.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
    let said = text(&format!("{}{help}", fault.message));
    format!("::{} file={},line={line},col={column}::{said}\n", level(fault), property(&fault.file.name))
}

fn sarif(faults: &Diagnostics) -> Value {
    let result = |fault: &Diagnostic| {
        let (line, column) = fault.position();
        let help = fault.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        json!({
            "ruleId": "case-file",
            "level": level(fault),
            "message": {"text": format!("{}{help}", fault.message)},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": fault.file.name},
                "region": {"startLine": line, "startColumn": column},
            }}],
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "jvmti-check lint",
                "version": crate::suite().version,
                "rules": [{"id": "case-file", "shortDescription": {"text": "A mistake in a case file"}}],
            }},
            "results": faults.0.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

/// The folder of case files that contains a path (the one with the list of scenarios), and the path relative to that
/// folder.
fn folder_of(path: &Path) -> Result<(PathBuf, PathBuf), Fault> {
    let real = path
        .canonicalize()
        .map_err(|e| Fault::input(anyhow::Error::new(e).context(path.display().to_string())))?;
    let marked = real.ancestors().find(|folder| folder.join(SCENARIOS).is_file());
    let folder = match marked {
        Some(folder) => folder,
        None if real.is_dir() => &real,
        None => real.parent().unwrap_or(&real),
    };
    let below = real.strip_prefix(folder).unwrap_or(Path::new("")).to_owned();
    Ok((folder.to_owned(), below))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jvmti_cases::source::{SourceFile, Span};

    use super::*;

    fn fault() -> Diagnostic {
        let file = SourceFile { name: "my,cases/a.yaml".into(), text: "x: 1\ny: 2\n".into() };
        let span = Span { file: 0, start: 5, end: 6 };
        let (message, help) = ("unknown `y`\n100 %".to_owned(), Some("did you mean `x`?".to_owned()));
        Diagnostic { file: Arc::new(file), span, message, help, is_error: true }
    }

    #[test]
    fn mistakes_are_told_to_machines() {
        assert_eq!(
            annotation(&fault()),
            "::error file=my%2Ccases/a.yaml,line=2,col=1::unknown `y`%0A100 %25 (did you mean `x`?)\n"
        );
        assert_eq!(told(&fault())["line"], 2);
        let sarif = sarif(&Diagnostics(vec![fault()]));
        let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["region"]["startLine"], 2);
        assert_eq!(place["artifactLocation"]["uri"], "my,cases/a.yaml");
    }

    #[test]
    fn classes_are_looked_for_on_the_class_path() {
        let place = tempfile::tempdir().unwrap();
        let classes = place.path().join("classes/jvmticheck/scenarios");
        std::fs::create_dir_all(&classes).unwrap();
        std::fs::write(classes.join("Mine.class"), "").unwrap();
        assert!(has_class(&[place.path().join("classes")], "Mine"));
        assert!(has_class(&[PathBuf::from("src/Mine.java")], "Mine"));
        assert!(!has_class(&[place.path().join("classes")], "Other"));
    }
}
