//! `jvmti-check schema`

use jvmti_agents::case_schema;
use jvmti_cases::schema::Form;
use jvmti_reports::json;
use jvmti_spec::Spec;

use super::Completed;
use super::fault::Fault;
use super::terminal::print;

/// The arguments of `schema`.
#[derive(clap::Args)]
#[command(after_help = "\
Editors that support JSON Schema use it to complete and check YAML files whose first line is
  # yaml-language-server: $schema=case.schema.json

`jvmti-check lint` checks more than a schema can express.

Example:
  jvmti-check schema case > case.schema.json")]
pub struct Args {
    /// The kind of file
    #[arg(value_enum)]
    of: Document,
}

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Document {
    /// A file of cases or rules
    Case,
    /// A list of known deviations
    Known,
    /// The configurations: named sets of JVM options
    Configurations,
    /// The list of Java scenarios
    Scenarios,
    /// A case of an agent, for `agent run`
    AgentCase,
    /// results.json
    Results,
}

/// Prints a schema.
pub fn schema(args: &Args) -> Result<Completed, Fault> {
    let form = match args.of {
        Document::Case => Form::Case,
        Document::Known => Form::Known,
        Document::Configurations => Form::Configurations,
        Document::Scenarios => Form::Scenarios,
        Document::AgentCase => {
            let schema = case_schema::schema(&Spec::embedded().newest());
            return print(&format!("{schema:#}\n")).map(|()| Completed::Fine);
        }
        Document::Results => return print(&json::schema()).map(|()| Completed::Fine),
    };
    print(&format!("{:#}\n", form.schema())).map(|()| Completed::Fine)
}
