//! Mutants of functions: their errors, phases, nulls, capabilities, and whether they do anything at all.

use std::collections::BTreeSet;

use jvmti_spec::Edition;
use jvmti_spec::ctype::invalid_error;
use jvmti_spec::edition::{Function, NullRule, Phase};

use crate::mutant::{Mutant, Rules, code, number};
use crate::outputs;

/// Callback of `ObjectFree`.
const OBJECT_FREE: u16 = 83 - crate::events::FIRST;

/// All mutants of all functions.
pub(crate) fn mutants(edition: &Edition) -> Vec<Mutant> {
    let mut all = Vec::new();
    for function in &edition.functions {
        let mut of = Of { edition, function, out: &mut all };
        of.errors();
        of.phases();
        of.nulls();
        of.capabilities();
        of.effects();
        outputs::of(&mut of);
    }
    all
}

/// Collects the mutants of one function.
pub(crate) struct Of<'a> {
    pub(crate) edition: &'a Edition,
    pub(crate) function: &'a Function,
    out: &'a mut Vec<Mutant>,
}

impl Of<'_> {
    /// A mutant: `what` follows the function's name in its id, `does` in its description.
    pub(crate) fn add(&mut self, what: &str, does: &str, mutation: &str, breaks: Rules) {
        let Function { name, slot, .. } = self.function;
        self.out.push(Mutant {
            id: format!("{name}/{what}"),
            does: format!("{name} {does}"),
            mutation: format!("function={slot};{mutation}"),
            breaks,
            subject: name.clone(),
        });
    }

    fn rows(&self, rows: &[&str]) -> Rules {
        Rules::ids(rows.iter().map(|row| format!("{}#{row}", self.function.name)))
    }

    fn errors(&mut self) {
        let errors: BTreeSet<&str> = self.function.errors.iter().map(|row| row.error.as_str()).collect();
        for error in errors {
            let row = format!("errors/{error}*");
            // Nulls and missing capabilities have rows of their own.
            let kind = match error {
                "NULL_POINTER" => "null/*",
                "MUST_POSSESS_CAPABILITY" => "capability/*",
                _ => row.as_str(),
            };
            let breaks = self.rows(&[&row, kind]);
            let number = code(self.edition, error);
            self.add(
                &format!("errors/{error}/none"),
                &format!("answers NONE instead of {error}"),
                &format!("error={number};answer=0"),
                breaks.clone(),
            );
            self.add(
                &format!("errors/{error}/internal"),
                &format!("answers INTERNAL instead of {error}"),
                &format!("error={number};answer={}", code(self.edition, "INTERNAL")),
                breaks,
            );
        }
    }

    fn phases(&mut self) {
        let wrong = code(self.edition, "WRONG_PHASE");
        for phase in Phase::ALL {
            let (what, n) = (format!("phase/{phase}"), number(phase));
            let mut breaks = self.rows(&[&what]);
            if phase == Phase::Dead {
                breaks = breaks.and("universal/wrong-phase-when-done");
            }
            match self.function.phases.contains(&phase) {
                true => self.add(
                    &format!("{what}/refused"),
                    &format!("answers WRONG_PHASE in the {phase} phase"),
                    &format!("phase={n};answer={wrong};instead=1"),
                    breaks,
                ),
                false => self.add(
                    &format!("{what}/none"),
                    &format!("answers NONE instead of WRONG_PHASE in the {phase} phase"),
                    &format!("phase={n};error={wrong};answer=0"),
                    breaks,
                ),
            }
        }
    }

    fn nulls(&mut self) {
        for (index, param) in self.function.params.iter().enumerate().map(|(i, p)| (i + 1, p)) {
            let what = format!("null/{}", param.name);
            match &param.null {
                NullRule::Forbidden { error } => {
                    let breaks = self.rows(&[&what, &format!("errors/{error}*")]);
                    self.add(
                        &format!("{what}/none"),
                        &format!("answers NONE where {} is null", param.name),
                        &format!("null={index};answer=0;instead=1"),
                        breaks,
                    );
                }
                NullRule::Means { .. } => {
                    let error = invalid_error(&param.c_type).unwrap_or("NULL_POINTER");
                    let breaks = self.rows(&[&what]);
                    self.add(
                        &format!("{what}/refused"),
                        &format!("answers {error} where {} is null", param.name),
                        &format!("null={index};answer={};instead=1", code(self.edition, error)),
                        breaks,
                    );
                }
                NullRule::InvalidReference { .. } | NullRule::Inapplicable => {}
            }
        }
    }

    fn capabilities(&mut self) {
        let must = code(self.edition, "MUST_POSSESS_CAPABILITY");
        for name in &self.function.capabilities.required {
            let Some(bit) = self.edition.capability(name).map(|c| c.bit) else { continue };
            let what = format!("capability/{name}");
            let breaks = self.rows(&[&what, "errors/MUST_POSSESS_CAPABILITY*"]);
            self.add(
                &format!("{what}/none"),
                &format!("answers NONE to an environment without {name}"),
                &format!("lacks={bit};error={must};answer=0"),
                breaks,
            );
            self.add(
                &format!("{what}/refused"),
                &format!("answers MUST_POSSESS_CAPABILITY to an environment with {name}"),
                &format!("has={bit};answer={must};instead=1"),
                Rules::of(&self.function.name),
            );
        }
    }

    fn effects(&mut self) {
        let internal = code(self.edition, "INTERNAL");
        // SetSystemProperty has only the OnLoad phase.
        let live = self.function.phases.contains(&Phase::Live);
        let phase = if live { Phase::Live } else { Phase::OnLoad };
        self.add(
            "suppressed",
            &format!("does nothing in the {phase} phase and answers NONE"),
            &format!("phase={};answer=0;instead=1", number(phase)),
            Rules::of(&self.function.name),
        );
        if self.function.callback_safe {
            let breaks = self.rows(&["callback-safe"]);
            self.add(
                "callback-safe/refused",
                "answers INTERNAL in heap callbacks and in ObjectFree",
                &format!("event={OBJECT_FREE};inside=1;answer={internal};instead=1"),
                breaks,
            );
        }
    }
}
