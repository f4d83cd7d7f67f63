//! Errors that a JVM need not detect, and errors that it may return wherever it is unable.

use std::collections::BTreeSet;

use jvmti_spec::Strength;
use jvmti_spec::derived::{
    condition, error_strength, may_be_unable, may_be_unable_if_virtual, need_not_keep, tells_of_the_vm,
};
use jvmti_spec::edition::{Function, NullRule, Phase};

use super::Variants;
use crate::mutant::Numbers;
use crate::mutation::Mutation;

/// Adds all of them.
pub(super) fn add(of: &mut Variants<'_>, function: &Function) {
    undetected(of, function);
    nulls(of, function);
    phases(of, function);
    capabilities(of, function);
    first(of, function);
    unable(of, function);
    unable_to_change(of, function);
}

fn call(function: &Function) -> Mutation {
    Mutation::default().function(function.slot.into())
}

fn undetected(of: &mut Variants<'_>, function: &Function) {
    let errors: BTreeSet<&str> = function.errors.iter().map(|row| row.error.as_str()).collect();
    let internal = of.edition.code("INTERNAL");
    // What a JVM is unable to do it cannot overlook.
    let need_not_be_detected = |error: &&str| {
        error_strength(of.edition, error) == Strength::Should && !tells_of_the_vm(function, error)
    };
    for error in errors.into_iter().filter(need_not_be_detected) {
        let code = of.edition.code(error);
        let does = format!("does not detect {error}");
        of.add_undetected(&format!("undetected/{error}"), &does, call(function).error(code).answer(0));
        let does = format!("returns INTERNAL instead of {error}, which it need not detect");
        let mutation = call(function).error(code).answer(internal);
        of.add_undetected(&format!("undetected/{error}/internal"), &does, mutation);
    }
}

fn nulls(of: &mut Variants<'_>, function: &Function) {
    for (argument, param) in (1..).zip(&function.params) {
        if matches!(param.null, NullRule::Forbidden { .. }) {
            let (what, does) =
                (format!("null/{}", param.name), format!("does not detect that {} is null", param.name));
            of.add_undetected(&what, &does, call(function).null(argument).answer_instead(0));
        }
    }
}

fn phases(of: &mut Variants<'_>, function: &Function) {
    let wrong = of.edition.code("WRONG_PHASE");
    for phase in Phase::ALL {
        let number = of.edition.phase(phase);
        let in_phase = call(function).phase(number);
        match function.phases.contains(&phase) {
            false => {
                let does = format!("does not detect the {phase} phase");
                of.add_undetected(&format!("phase/{phase}"), &does, in_phase.error(wrong).answer(0));
            }
            // A JVM on which GetPhase fails in the dead phase never tells that it is in that phase, as it has to.
            true if phase == Phase::Dead && function.name != "GetPhase" => {
                let does = "returns WRONG_PHASE in the dead phase";
                of.add_undetected("phase/dead", does, in_phase.answer_instead(wrong));
            }
            true => {}
        }
    }
}

fn capabilities(of: &mut Variants<'_>, function: &Function) {
    let must = of.edition.code("MUST_POSSESS_CAPABILITY");
    for name in &function.capabilities.required {
        let Some(bit) = of.edition.capability(name).map(|c| c.bit.into()) else { continue };
        let does = format!("does not detect that the environment lacks {name}");
        let mutation = call(function).lacks(bit).error(must).answer(0);
        of.add_undetected(&format!("capability/{name}"), &does, mutation);
    }
}

/// Where several errors are right, the text does not say which one is returned: that a pointer is null, that a number is negative or
/// that a capability is missing is found before anything else.
fn first(of: &mut Variants<'_>, function: &Function) {
    let live = of.edition.phase(Phase::Live);
    for (argument, param) in (1..).zip(&function.params) {
        if let NullRule::Forbidden { error } = &param.null {
            let code = of.edition.code(error);
            let does = format!("finds first of all that {} is null", param.name);
            let found = call(function).phase(live).null(argument).answer_instead(code);
            of.add_undetected(&format!("first/{}", param.name), &does, found);
        }
        let negative = format!("{}<0", param.name);
        let is_negative = |c: &String| condition(c) == negative;
        for row in function.errors.iter().filter(|row| row.conditions.iter().any(is_negative)) {
            let code = of.edition.code(&row.error);
            let does = format!("finds first of all that {} is negative", param.name);
            let found = call(function).phase(live).is(argument, -1).answer_instead(code);
            of.add_undetected(&format!("first/{negative}"), &does, found);
        }
    }
    let must = of.edition.code("MUST_POSSESS_CAPABILITY");
    for name in &function.capabilities.required {
        let Some(bit) = of.edition.capability(name).map(|c| i64::from(c.bit)) else { continue };
        for phase in Phase::ALL.into_iter().filter(|phase| !function.phases.contains(phase)) {
            let does = format!("finds in the {phase} phase that {name} is missing before it finds the phase");
            let found = call(function).phase(of.edition.phase(phase)).lacks(bit).answer_instead(must);
            of.add_undetected(&format!("first/{name}/{phase}"), &does, found);
        }
    }
}

/// Only for queries: a library cannot undo what another function has done before it answers otherwise.
fn unable(of: &mut Variants<'_>, function: &Function) {
    if !function.name.starts_with("Get") {
        return;
    }
    let mut add = |error: &str, does: &str| {
        let code = of.edition.code(error);
        of.add(&format!("unable/{error}"), does, vec![call(function).error(0).answer(code)]);
    };
    let errors: BTreeSet<&str> = function.errors.iter().map(|row| row.error.as_str()).collect();
    for error in errors.into_iter().filter(|error| may_be_unable(function, error)) {
        add(error, &format!("is unable wherever it is called, and returns {error}"));
    }
    if need_not_keep(&function.name) {
        add("ABSENT_INFORMATION", "finds no such information in any class");
    }
}

/// For what changes a frame: the function is not called where the frame is there and its thread stands still.
fn unable_to_change(of: &mut Variants<'_>, function: &Function) {
    let position =
        |name: &str| (1..).zip(&function.params).find(|(_, param)| param.name == name).map(|(i, _)| i);
    let (false, Some(thread)) = (function.name.starts_with("Get"), position("thread")) else { return };
    let opaque = of.edition.code("OPAQUE_FRAME");
    let still = call(function).frame(thread, position("depth").unwrap_or(0)).answer_instead(opaque);
    if may_be_unable(function, "OPAQUE_FRAME") {
        let does = "is unable to change any frame, and returns OPAQUE_FRAME";
        of.add("unable/OPAQUE_FRAME", does, vec![still]);
    } else if may_be_unable_if_virtual(function, "OPAQUE_FRAME") {
        let does = "is unable to change frames of suspended virtual threads, and returns OPAQUE_FRAME";
        of.add("unable/OPAQUE_FRAME/virtual", does, vec![still.vthread(thread)]);
    }
}
