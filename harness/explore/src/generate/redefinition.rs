//! Redefinitions with edited class files.

use jvmti_wire::plan::{Arg, OnThread};

use crate::chance::Chance;
use crate::edits::{EDITS, Edit, REDEFINABLE, Redefinable};
use crate::model::Tables;
use crate::sequence::{Call, EventHandler, Move, file_of};

/// An edit of the class file of some class.
pub fn edit(chance: &mut Chance, saved: &mut u32) -> (Redefinable, Move, String) {
    let class = REDEFINABLE[[0, 0, 0, 1, 1, 2][chance.below(6)]];
    let fits = |edit: &&Edit| !edit.of_target || class == REDEFINABLE[0];
    let fitting: Vec<&Edit> = EDITS.iter().filter(fits).collect();
    *saved += 1;
    let save = format!("e{saved}");
    let step = Move::Edit { file: class.file, by: chance.pick(&fitting).by, save: save.clone() };
    (class, step, save)
}

/// Edits a class file and redefines its class with it.
pub fn redefine(tables: &Tables, environment: u8, chance: &mut Chance, saved: &mut u32) -> Vec<Move> {
    let (class, step, save) = edit(chance, saved);
    vec![step].into_iter().chain(redefinition(tables, environment, class, &save)).collect()
}

/// A call of RedefineClasses with a class file that was saved.
pub fn redefinition(tables: &Tables, environment: u8, class: Redefinable, save: &str) -> Option<Move> {
    let function = tables.edition.function("RedefineClasses")?.slot;
    let (bytes, length) = file_of(save);
    let fields = [("klass", class_of(class)), ("class_byte_count", length), ("class_bytes", bytes)];
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let args = vec![Arg::Int(1), Arg::List(vec![Arg::Struct(fields)])];
    Some(Move::Call(Call { environment, function, args, on: OnThread::Current, save: None }))
}

/// Retransforms a class while a handler replies to its event with an edited class file.
pub fn retransform(
    tables: &Tables,
    chance: &mut Chance,
    saved: &mut u32,
) -> Option<(Vec<Move>, EventHandler)> {
    /// Index of the parameter `class_being_redefined`.
    const CLASS: u16 = 1;
    let (class, step, save) = edit(chance, saved);
    let event = tables.edition.event("ClassFileLoadHook")?.number;
    let call = |name: &str, args| {
        let function = tables.edition.function(name)?.slot;
        Some(Move::Call(Call { environment: 0, function, args, on: OnThread::Current, save: None }))
    };
    let list = vec![class_of(class)];
    let steps = [
        Some(step),
        call("SetEventNotificationMode", vec![Arg::Int(1), Arg::Int(event.into()), Arg::Null]),
        call("RetransformClasses", vec![Arg::Int(1), Arg::List(list)]),
    ];
    let handler = EventHandler {
        event,
        callback: None,
        only: vec![(CLASS, class_of(class))],
        times: 1 + chance.below(2) as u32,
        moves: vec![Move::Reply(save)],
    };
    Some((steps.into_iter().flatten().collect(), handler))
}

fn class_of(class: Redefinable) -> Arg {
    Arg::Class(class.class.to_owned())
}
