use jvmti_cases::source::SourceFile;
use jvmti_cases::{CaseSet, built_in};

use super::*;
use crate::coverage::Reached;
use crate::finding::Key;
use crate::generate::{Generator, Offered};
use crate::model::Breach;
use crate::sequence::Place;

/// The place of some call in a callback, or of the last step.
fn some_place(sequence: &Sequence) -> Place {
    let step = sequence.steps.len() - 1;
    let is_call = |step: &Move| matches!(step, Move::Call(_));
    let handlers = sequence.handlers.iter().enumerate();
    let mut inside = handlers
        .filter_map(|(index, handler)| handler.moves.iter().position(is_call).map(|action| (index, action)));
    Place { step, inside: inside.next() }
}

fn finding(tables: &Tables, sequence: Sequence, crashes: bool) -> Finding {
    let place = some_place(&sequence);
    let what = step_name(tables, &sequence, place);
    let kind = match crashes || what.starts_with("Java") || what.starts_with("an edit") {
        true => Kind::Crash { how: String::new() },
        false => Kind::Breach(Breach {
            cites: vec![format!("{what}#phase/live")],
            must: true,
            of: "error".to_owned(),
            expected: "NONE".to_owned(),
            observed: String::new(),
        }),
    };
    let key = Key { what, did: "did".to_owned(), permitted: false };
    Finding { key, kind, sequence, before: vec![], place, rate: (1, 1), times: 1 }
}

#[test]
fn every_sequence_is_a_case() {
    let tables = Tables::new(Release(25));
    let all = tables.edition.capabilities.iter().fold(0, |set, c| set | 1 << c.bit);
    let offered = Offered { all, ..Offered::default() };
    let generator = Generator::new(&tables, offered, &[], false, 3);
    let mut in_callbacks = 0;
    let mut edits = 0;
    for number in 0..400 {
        let sequence = generator.sequence(number, Moment::Checkpoint, &Reached::default());
        if sequence.steps.is_empty() {
            continue;
        }
        in_callbacks += sequence.handlers.len();
        edits += sequence.steps.iter().filter(|step| matches!(step, Move::Edit { .. })).count();
        let text = file(&tables, &finding(&tables, sequence, number % 2 == 0), "explored/it");
        let scenarios = built_in::text("scenarios.yaml").unwrap_or_default().to_owned();
        let files = [("scenarios.yaml", scenarios), ("explored/it.yaml", text.clone())]
            .map(|(name, text)| SourceFile { name: name.to_owned(), text });
        if let Err(faults) = CaseSet::read(files) {
            panic!("{text}\n{faults:?}");
        }
    }
    assert!(in_callbacks > 20 && edits > 5, "{in_callbacks} {edits}");
}
