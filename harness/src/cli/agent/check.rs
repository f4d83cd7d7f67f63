//! `jvmti-check agent check`

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jvmti_agents::baseline::Known;
use jvmti_agents::misuse::{self, Severity, Violation};
use jvmti_agents::{Baseline, Suppressions, show};

use super::super::Completed;
use super::super::fault::Fault;
use super::super::terminal::{heard, print, table};
use super::{SymbolArgs, distinct, heading, jvm, read_with};

/// What `agent check` is told.
#[derive(clap::Args)]
#[command(after_help = "\
Exit code 1: an agent broke a rule of the given severity or worse; with --jvm also if the JVM broke one.

Each line of the file of --suppress names a rule, a library and a function; the last two may be left out, and * stands for any \
text.

Examples:
  jvmti-check agent check foo-jdk-25.jvmtitrace.zst
  jvmti-check agent check foo-jdk-25.jvmtitrace.zst --severity error --json
  jvmti-check agent check foo-jdk-25.jvmtitrace.zst --jvm
  jvmti-check agent check new.jvmtitrace.zst --baseline old.jvmtitrace.zst
  jvmti-check agent check foo-jdk-25.jvmtitrace.zst --suppress known.txt
  jvmti-check agent check --rules")]
pub struct Args {
    /// The traces
    #[arg(required_unless_present = "rules")]
    trace: Vec<PathBuf>,
    #[command(flatten)]
    symbols: SymbolArgs,
    /// Ignore findings below this severity
    #[arg(long, value_parser = severities(), default_value = "warning")]
    severity: Severity,
    /// Ignore the findings that this file lists, and report its lines that match none
    #[arg(long, value_name = "FILE")]
    suppress: Option<PathBuf>,
    /// Ignore the findings of this trace, or those that `agent check --json` printed to this file
    #[arg(long, value_name = "TRACE|FILE")]
    baseline: Option<PathBuf>,
    /// Check the JVM as well: what it returned and sent to the agents, by the universal rules of the suite
    #[arg(long)]
    jvm: bool,
    /// Print one JSON object per finding
    #[arg(long)]
    json: bool,
    /// List the misuse rules
    #[arg(long)]
    rules: bool,
}

/// How many findings were left out, by reason.
#[derive(Default)]
struct LeftOut {
    suppressed: usize,
    known: usize,
    milder: usize,
}

/// Checks the traces.
pub fn check(args: &Args) -> Result<Completed, Fault> {
    if args.rules {
        return rules();
    }
    let mut suppressions = args.suppress.as_deref().map(suppressions).transpose()?.unwrap_or_default();
    let baseline = args.baseline.as_deref().map(|path| baseline(path, &args.symbols)).transpose()?;
    let mut outcome = Completed::Fine;
    let traces = distinct(&args.trace);
    for path in &traces {
        let read = read_with(path, &args.symbols)?;
        let mut known = baseline.as_ref().map(Baseline::compare);
        let mut left_out = LeftOut::default();
        let wanted =
            |finding: &&Violation| args.wants(finding, &mut suppressions, known.as_mut(), &mut left_out);
        let findings: Vec<&Violation> = read.findings.iter().filter(wanted).collect();
        let of_jvm = if args.jvm { jvm::broken(path, read.release)? } else { vec![] };
        if !findings.is_empty() || !of_jvm.is_empty() {
            outcome = Completed::Unexpected;
        }
        if args.json {
            let lines = findings.iter().map(serde_json::to_string);
            for line in lines.chain(of_jvm.iter().map(serde_json::to_string)) {
                heard(print(&(line.map_err(Fault::work)? + "\n")))?;
            }
            continue;
        }
        heard(print(&heading(&traces, path, &read)))?;
        heard(print(&show::ended(&read.digest)))?;
        for finding in &findings {
            heard(print(&show::finding(finding)))?;
        }
        for verdict in &of_jvm {
            heard(print(&jvm::shown(verdict)))?;
        }
        let (found, worse) = (show::findings(findings.len()), args.severity.name());
        let told = format!("{}: {found} of severity {worse} or worse{}\n", path.display(), left_out.text());
        heard(print(&told))?;
    }
    for (line, text) in suppressions.unused().filter(|_| !args.json) {
        let file = args.suppress.as_deref().unwrap_or(Path::new("")).display();
        heard(print(&format!("{file}:{line}: matches no finding: {text}\n")))?;
    }
    Ok(outcome)
}

impl Args {
    /// Whether the finding is to be reported.
    fn wants(
        &self,
        finding: &Violation,
        suppressions: &mut Suppressions,
        known: Option<&mut Known>,
        left_out: &mut LeftOut,
    ) -> bool {
        let counter = match () {
            () if suppressions.suppress(finding) => &mut left_out.suppressed,
            () if known.is_some_and(|known| known.has(finding)) => &mut left_out.known,
            () if finding.severity < self.severity => &mut left_out.milder,
            () => return true,
        };
        *counter += 1;
        false
    }
}

impl LeftOut {
    fn text(&self) -> String {
        let LeftOut { suppressed, known, milder } = self;
        let parts = [(milder, "milder"), (suppressed, "suppressed"), (known, "in the baseline")];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(count, _)| **count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
    }
}

fn rules() -> Result<Completed, Fault> {
    let row = |rule: &&misuse::Info| {
        vec![rule.id.to_owned(), rule.severity.name().to_owned(), rule.says.to_owned()]
    };
    let rows: Vec<Vec<String>> = misuse::rules().iter().map(row).collect();
    print(&table(&rows))?;
    Ok(Completed::Fine)
}

fn read_text(path: &Path) -> Result<String, Fault> {
    std::fs::read_to_string(path)
        .map_err(|error| Fault::wrong(format!("cannot read {}: {error}", path.display())))
}

fn suppressions(path: &Path) -> Result<Suppressions, Fault> {
    let parsed = Suppressions::parse(&read_text(path)?);
    parsed.map_err(|error| Fault::wrong(format!("{}: {error}", path.display())))
}

/// The findings of a trace, or of a file that `agent check --json` has printed.
fn baseline(path: &Path, symbols: &SymbolArgs) -> Result<Baseline, Fault> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.contains(".jvmtitrace") {
        return Ok(Baseline::of(&read_with(path, symbols)?.findings));
    }
    let parsed = Baseline::parse(&read_text(path)?);
    parsed.map_err(|error| Fault::wrong(format!("{}: {error}", path.display())))
}

fn severities() -> impl TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(Severity::ALL.map(Severity::name)).try_map(|name| name.parse::<Severity>())
}
