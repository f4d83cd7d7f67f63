//! Several folders of case files as one set: what a later folder has replaces what an earlier one has by the same name.

use std::collections::{HashMap, HashSet};

use super::set::Selection;
use super::source::SourceFile;

/// The files that count, each with the number of its folder. Files with the names in `merged` are kept of every folder:
/// what they list is put together.
pub(super) fn settled(layers: Vec<Vec<SourceFile>>, merged: &[&str]) -> (Vec<SourceFile>, Vec<usize>) {
    let mut later: HashSet<String> = HashSet::new();
    let mut kept: Vec<(SourceFile, usize)> = Vec::new();
    for (number, files) in layers.into_iter().enumerate().rev() {
        let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        let counts = |file: &SourceFile| merged.contains(&file.name.as_str()) || !later.contains(&file.name);
        kept.splice(0..0, files.into_iter().filter(counts).map(|file| (file, number)));
        later.extend(names);
    }
    kept.into_iter().unzip()
}

/// Leaves of cases with one id that of the last folder. `layers` has the folder of each file by its name.
pub(super) fn drop_replaced(selection: &mut Selection, layers: &HashMap<String, usize>, last: usize) {
    let layer = |file: &str| layers.get(file).copied().unwrap_or(last);
    let mut newest: HashMap<String, usize> = HashMap::new();
    for case in &selection.cases {
        let here = layer(&case.source.file);
        newest.entry(case.id.clone()).and_modify(|known| *known = here.max(*known)).or_insert(here);
    }
    selection
        .cases
        .retain(|case| newest.get(&case.id).is_none_or(|known| layer(&case.source.file) == *known));
    selection.inapplicable.retain(|case| newest.get(&case.id).is_none_or(|known| *known == 0));
}

#[cfg(test)]
mod tests {
    use jvmti_spec::{Release, Spec};

    use crate::CaseSet;
    use crate::source::SourceFile;

    fn file(name: &str, ids: &[&str]) -> SourceFile {
        let case = |id: &&str| {
            format!(
                "- {{id: {id}, about: {name} {id}, at: vm_init, call: GetPhase, expect: {{error: NONE}}, \
                 cites: GetPhase#slot}}\n"
            )
        };
        let cases: String = ids.iter().map(case).collect();
        SourceFile { name: name.into(), text: format!("chapter: general\ncases:\n{cases}") }
    }

    #[test]
    fn a_later_folder_replaces_files_and_cases_of_the_same_name() {
        let first = vec![file("a.yaml", &["one", "two"]), file("b.yaml", &["three"])];
        let second = vec![file("b.yaml", &["four"]), file("c.yaml", &["two", "five"])];
        let set = CaseSet::read_layers(vec![first, second]).unwrap();
        assert!(!set.check().has_errors(), "{:?}", set.check());
        let mut cases = set.for_release(&Spec::embedded().at(Release(25))).unwrap().cases;
        cases.sort_by(|a, b| a.id.cmp(&b.id));
        let found: Vec<&str> = cases.iter().map(|case| case.about.as_str()).collect();
        assert_eq!(found, ["c.yaml five", "b.yaml four", "a.yaml one", "c.yaml two"]);
    }

    #[test]
    fn within_one_folder_an_id_is_unique() {
        let set = CaseSet::read(vec![file("a.yaml", &["one"]), file("b.yaml", &["one"])]).unwrap();
        assert!(set.check().0.iter().any(|fault| fault.message.contains("a second case")));
    }
}
