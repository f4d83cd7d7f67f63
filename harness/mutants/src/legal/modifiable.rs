//! Classes and modules that agents cannot modify: which ones these are is up to the JVM.

use jvmti_spec::{Edition, Release};

use super::Variant;
use crate::mutant::Numbers;
use crate::mutation::{Mutation, Place};

/// Functions that modify classes: the capability that each needs, and the bytes of an element of its list.
const OF_CLASSES: [(&str, &str, i64); 2] =
    [("RedefineClasses", "can_redefine_classes", 24), ("RetransformClasses", "can_retransform_classes", 8)];

/// Functions that update modules.
const OF_MODULES: [&str; 5] =
    ["AddModuleReads", "AddModuleExports", "AddModuleOpens", "AddModuleUses", "AddModuleProvides"];

/// Adds those of a release. Before 9 all classes are modifiable in some environments, and there are no modules.
pub(super) fn add(edition: &Edition, out: &mut Vec<Variant>) {
    if edition.release < Release(9) {
        return;
    }
    let (live, refused) =
        (edition.phase(jvmti_spec::edition::Phase::Live), edition.code("UNMODIFIABLE_CLASS"));
    let refuse = |(name, needs, bytes): &(&str, &str, i64)| {
        let bit = edition.capability(needs)?.bit.into();
        let called = Mutation::default().function(edition.slot(name)).phase(live).has(bit);
        Some(called.classes(1, 2, *bytes).answer_instead(refused))
    };
    let names = OF_CLASSES.iter().map(|(name, ..)| *name);
    let mut mutations = vec![says_no(edition, "IsModifiableClass")];
    mutations.extend(OF_CLASSES.iter().filter_map(refuse));
    out.push(variant("classes", "no class is modifiable", mutations, names.chain(["IsModifiableClass"])));

    let refused = edition.code("UNMODIFIABLE_MODULE");
    let refuse = |name: &&str| {
        Mutation::default().function(edition.slot(name)).phase(live).named(1).answer_instead(refused)
    };
    let mut mutations = vec![says_no(edition, "IsModifiableModule").named(1)];
    mutations.extend(OF_MODULES.iter().map(refuse));
    let names = OF_MODULES.into_iter().chain(["IsModifiableModule"]);
    out.push(variant("modules", "no module with a name is modifiable", mutations, names));
}

/// What the function returns by its second parameter is false.
fn says_no(edition: &Edition, function: &str) -> Mutation {
    let place = Place { argument: 2, dereferences: 0, offset: 0 };
    Mutation::default().function(edition.slot(function)).place(place).zero(1)
}

fn variant<'a>(
    what: &str,
    does: &str,
    mutations: Vec<Mutation>,
    touches: impl Iterator<Item = &'a str>,
) -> Variant {
    let touches = touches.map(str::to_owned).collect();
    Variant { touches, ..Variant::new(format!("unmodifiable/{what}"), does, mutations) }
}
