//! Mutants of functions: their errors, phases, nulls, capabilities, and whether they do anything at all.

use std::collections::BTreeSet;

use jvmti_spec::ctype::invalid_error;
use jvmti_spec::edition::{NullRule, Phase};

use crate::mutant::Numbers;
use crate::of_function::OfFunction;
use crate::rules::Rules;

/// Adds all of them.
pub(crate) fn add(of: &mut OfFunction<'_>) {
    errors(of);
    phases(of);
    nulls(of);
    capabilities(of);
    effects(of);
}

fn errors(of: &mut OfFunction<'_>) {
    let errors: BTreeSet<&str> = of.function.errors.iter().map(|row| row.error.as_str()).collect();
    let internal = of.edition.code("INTERNAL");
    for error in errors {
        let row = format!("errors/{error}*");
        // Nulls and missing capabilities have rows of their own.
        let kind = match error {
            "NULL_POINTER" => "null/*",
            "MUST_POSSESS_CAPABILITY" => "capability/*",
            _ => row.as_str(),
        };
        let breaks = of.rows(&[&row, kind]);
        let code = of.edition.code(error);
        for (id, name, instead) in [("none", "NONE", 0), ("internal", "INTERNAL", internal)] {
            of.add(
                &format!("errors/{error}/{id}"),
                &format!("answers {name} instead of {error}"),
                |m| m.error(code).answer(instead),
                breaks.clone(),
            );
        }
    }
}

fn phases(of: &mut OfFunction<'_>) {
    let wrong = of.edition.code("WRONG_PHASE");
    for phase in Phase::ALL {
        let (what, number) = (format!("phase/{phase}"), of.edition.phase(phase));
        let mut breaks = of.rows(&[&what]);
        if phase == Phase::Dead {
            breaks = breaks.and("universal/wrong-phase-when-done");
        }
        match of.function.phases.contains(&phase) {
            true => of.add(
                &format!("{what}/refused"),
                &format!("answers WRONG_PHASE in the {phase} phase"),
                |m| m.phase(number).answer_instead(wrong),
                breaks,
            ),
            false => of.add(
                &format!("{what}/none"),
                &format!("answers NONE instead of WRONG_PHASE in the {phase} phase"),
                |m| m.phase(number).error(wrong).answer(0),
                breaks,
            ),
        }
    }
}

fn nulls(of: &mut OfFunction<'_>) {
    for (argument, param) in (1..).zip(&of.function.params) {
        let what = format!("null/{}", param.name);
        match &param.null {
            NullRule::Forbidden { error } => {
                let breaks = of.rows(&[&what, &format!("errors/{error}*")]);
                of.add(
                    &format!("{what}/none"),
                    &format!("answers NONE where {} is null", param.name),
                    |m| m.null(argument).answer_instead(0),
                    breaks,
                );
            }
            NullRule::Means { .. } => {
                let error = invalid_error(&param.c_type).unwrap_or("NULL_POINTER");
                let (breaks, code) = (of.rows(&[&what]), of.edition.code(error));
                of.add(
                    &format!("{what}/refused"),
                    &format!("answers {error} where {} is null", param.name),
                    |m| m.null(argument).answer_instead(code),
                    breaks,
                );
            }
            NullRule::InvalidReference { .. } | NullRule::Inapplicable => {}
        }
    }
}

fn capabilities(of: &mut OfFunction<'_>) {
    let must = of.edition.code("MUST_POSSESS_CAPABILITY");
    for name in &of.function.capabilities.required {
        let Some(bit) = of.edition.capability(name).map(|c| c.bit.into()) else { continue };
        let what = format!("capability/{name}");
        let breaks = of.rows(&[&what, "errors/MUST_POSSESS_CAPABILITY*"]);
        of.add(
            &format!("{what}/none"),
            &format!("answers NONE to an environment without {name}"),
            |m| m.lacks(bit).error(must).answer(0),
            breaks,
        );
        of.add(
            &format!("{what}/refused"),
            &format!("answers MUST_POSSESS_CAPABILITY to an environment with {name}"),
            |m| m.has(bit).answer_instead(must),
            Rules::of(&of.function.name),
        );
    }
}

fn effects(of: &mut OfFunction<'_>) {
    let internal = of.edition.code("INTERNAL");
    // SetSystemProperty has only the OnLoad phase.
    let live = of.function.phases.contains(&Phase::Live);
    let phase = if live { Phase::Live } else { Phase::OnLoad };
    let number = of.edition.phase(phase);
    of.add(
        "suppressed",
        &format!("does nothing in the {phase} phase and answers NONE"),
        |m| m.phase(number).answer_instead(0),
        Rules::of(&of.function.name),
    );
    if of.function.callback_safe
        && let Some(event) = of.edition.event("ObjectFree")
    {
        let (breaks, index) = (of.rows(&["callback-safe"]), of.edition.callback(event.number));
        of.add(
            "callback-safe/refused",
            "answers INTERNAL in heap callbacks and in ObjectFree",
            |m| m.event(index).inside(1).answer_instead(internal),
            breaks,
        );
    }
}
