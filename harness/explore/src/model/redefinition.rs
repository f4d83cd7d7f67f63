//! What redefinitions with edited class files have to come to.

use super::conditions::Calling;
use super::rows::Condition;
use super::state::int;
use super::{Allowed, Model};
use crate::edits;
use crate::sequence::Move;

impl<'t> Model<'t> {
    /// The rows of RedefineClasses that only the edit of the class file can tell.
    pub(super) fn by_edit(&self, calling: Calling<'_>, allowed: &mut Allowed<'t>) {
        if calling.function.name != "RedefineClasses" || int(calling.arg(0)) != Some(1) {
            return;
        }
        let is_reply = |step: &Move| matches!(step, Move::Reply(_));
        if self.handlers.iter().any(|handler| handler.moves.iter().any(is_reply)) {
            // Another class file takes its place.
            return;
        }
        let definition = edits::definition(calling.arg(1));
        let known = definition
            .and_then(|(class, save)| self.state.edited.get(save).filter(|edited| edited.class == class));
        let Some(edited) = known else { return };
        match edited.error {
            // Which classes are modifiable is up to the JVM.
            None => {
                allowed
                    .possible
                    .retain(|row| row.when != Condition::Open || row.name == "UNMODIFIABLE_CLASS");
            }
            Some(error) => {
                let rows = self.tables.rows(calling.function).iter();
                allowed.due.extend(rows.filter(|row| row.name == error && row.when == Condition::Open));
            }
        }
    }
}
