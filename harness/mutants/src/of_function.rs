//! Collects the mutants of one function.

use jvmti_spec::Edition;
use jvmti_spec::edition::Function;

use crate::mutant::Mutant;
use crate::mutation::Mutation;
use crate::rules::Rules;

/// The function, and where its mutants go.
pub(crate) struct OfFunction<'a> {
    pub(crate) edition: &'a Edition,
    pub(crate) function: &'a Function,
    pub(crate) out: &'a mut Vec<Mutant>,
}

impl OfFunction<'_> {
    /// Adds a mutant. `what` follows the function's name in its id, `does` in its description; `change` adds to the
    /// mutation that replaces the function.
    pub(crate) fn add(
        &mut self,
        what: &str,
        does: &str,
        change: impl FnOnce(Mutation) -> Mutation,
        breaks: Rules,
    ) {
        let Function { name, slot, .. } = self.function;
        self.out.push(Mutant {
            id: format!("{name}/{what}"),
            does: format!("{name} {does}"),
            mutation: change(Mutation::default().function((*slot).into())),
            breaks,
            subject: name.clone(),
        });
    }

    /// These rows of the function's tables.
    pub(crate) fn rows(&self, rows: &[&str]) -> Rules {
        Rules::ids(rows.iter().map(|row| format!("{}#{row}", self.function.name)))
    }
}
