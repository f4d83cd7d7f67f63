//! Cases as matrices: what a rule makes for each member of a table (a function in each state, an edit of each class)
//! stands in one table, not in hundreds of lines.
//!
//! The id of a case tells where it stands: `threads/GetStackTrace/parked/suspended` in the row `parked` and the column
//! `suspended` of the family `threads/GetStackTrace`, `GetObjectSize#phase/live/vm-death` in the row `live` and the
//! column `vm-death` of `GetObjectSize#phase`. The families of one kind (`threads`, `#phase`) form a [`Matrix`].

use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// Where a case stands among the cases of its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell<'a> {
    /// What has the table: `threads/GetStackTrace`.
    pub family: &'a str,
    /// The row of the table: `parked`.
    pub row: &'a str,
    /// The column, which is empty in a table that is a list: `suspended`.
    pub column: &'a str,
}

impl<'a> Cell<'a> {
    /// The cell of the case with this id, if the id has parts.
    pub fn of(id: &'a str) -> Option<Cell<'a>> {
        if let Some((subject, rest)) = id.split_once('#') {
            let (group, rest) = rest.split_once('/').unwrap_or((rest, ""));
            let family = &id[..subject.len() + 1 + group.len()];
            let (row, column) = rest.split_once('/').unwrap_or((rest, ""));
            return Some(Cell { family, row, column });
        }
        let (rest, last) = id.rsplit_once('/')?;
        match rest.rsplit_once('/') {
            Some((family, row)) if family.contains('/') => Some(Cell { family, row, column: last }),
            _ => Some(Cell { family: rest, row: last, column: "" }),
        }
    }

    /// The matrix of the family, and which of its members the family is.
    fn kind(&self) -> (&'a str, &'a str) {
        match self.family.find('#') {
            Some(at) => (&self.family[at..], &self.family[..at]),
            None => self.family.rsplit_once('/').unwrap_or(("", self.family)),
        }
    }
}

/// A table of cases, one axis being the members of a kind of family (functions, classes), the other what they are
/// tested with (states, errors, edits). The longer axis runs down.
#[derive(Debug)]
pub struct Matrix {
    /// The kind: `threads`, `#phase`, `class/edits`.
    pub name: String,
    /// The heads of the rows, in the order of the cases.
    pub rows: Vec<String>,
    /// The heads of the columns, in the order of the cases.
    pub columns: Vec<String>,
    /// How many cases there are in each cell: row by row.
    pub counts: Vec<Vec<usize>>,
}

impl Matrix {
    /// The matrices that the cases with these ids form, and how many of the cases are in none of them.
    pub fn among<'a>(ids: impl IntoIterator<Item = &'a str>) -> (Vec<Matrix>, usize) {
        let mut kinds: BTreeMap<&str, Vec<Cell<'_>>> = BTreeMap::new();
        let mut all = 0;
        for id in ids {
            all += 1;
            let Some(cell) = Cell::of(id) else { continue };
            kinds.entry(cell.kind().0).or_default().push(cell);
        }
        let of_kind = |(name, cells): (&str, Vec<Cell<'_>>)| {
            let members = cells.iter().map(|cell| (cell.kind().1, cell.row)).collect::<Vec<_>>();
            Matrix::of(name, &members).map_or_else(|| Matrix::of_families(&cells), |matrix| vec![matrix])
        };
        let matrices: Vec<Matrix> = kinds.into_iter().flat_map(of_kind).collect();
        let apart = all - matrices.iter().map(Matrix::cases).sum::<usize>();
        (matrices, apart)
    }

    /// The families that are a matrix each.
    fn of_families(cells: &[Cell<'_>]) -> Vec<Matrix> {
        let mut families: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for cell in cells {
            families.entry(cell.family).or_default().push((cell.row, cell.column));
        }
        families.into_iter().filter_map(|(name, cells)| Matrix::of(name, &cells)).collect()
    }

    /// The matrix of these cells, unless they are but a list: half of what is on each axis must come more than once.
    fn of(name: &str, cells: &[(&str, &str)]) -> Option<Matrix> {
        let members = Axis::of(cells.iter().map(|(member, _)| *member));
        let tests = Axis::of(cells.iter().map(|(_, test)| *test));
        if cells.len() < TABLE || !members.is_shared() || !tests.is_shared() {
            return None;
        }
        let down = tests.len() > members.len();
        let (rows, columns) = if down { (tests, members) } else { (members, tests) };
        let mut counts = vec![vec![0; columns.len()]; rows.len()];
        for (member, test) in cells {
            let (row, column) = if down { (test, member) } else { (member, test) };
            counts[rows.places[row]][columns.places[column]] += 1;
        }
        Some(Matrix { name: name.into(), rows: rows.names(), columns: columns.names(), counts })
    }

    /// How many cases are in the matrix.
    pub fn cases(&self) -> usize {
        self.counts.iter().flatten().sum()
    }
}

/// The table for people: the heads of the columns as stairs, as they are too long to stand side by side; in each cell the
/// number of its cases, `+` from ten.
impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        writeln!(f, "{}: {} cases in {rows} rows and {columns} columns", self.name, self.cases())?;
        let width = self.rows.iter().map(|row| named(row).chars().count()).max().unwrap_or(0);
        for (step, head) in self.columns.iter().enumerate() {
            writeln!(f, "  {:width$}  {}┌ {}", "", "│".repeat(step), named(head))?;
        }
        for (row, counts) in self.rows.iter().zip(&self.counts) {
            let cells: String = counts.iter().map(|n| sign(*n)).collect();
            writeln!(f, "  {:width$}  {cells}", named(row))?;
        }
        Ok(())
    }
}

/// A rule that makes a single case for each member gives it no name.
fn named(head: &str) -> &str {
    if head.is_empty() { "(itself)" } else { head }
}

fn sign(cases: usize) -> char {
    match u32::try_from(cases).ok().and_then(|n| char::from_digit(n, 10)) {
        Some('0') => '·',
        Some(digit) => digit,
        None => '+',
    }
}

/// Fewer cases are not worth a table.
const TABLE: usize = 9;

/// The different names among cells, in the order in which they come.
struct Axis<'a> {
    places: HashMap<&'a str, usize>,
    names: Vec<&'a str>,
    /// How many of them come more than once.
    shared: usize,
}

impl<'a> Axis<'a> {
    fn of(cells: impl Iterator<Item = &'a str>) -> Axis<'a> {
        let mut axis = Axis { places: HashMap::new(), names: Vec::new(), shared: 0 };
        let mut times: Vec<usize> = Vec::new();
        for name in cells {
            let place = *axis.places.entry(name).or_insert(axis.names.len());
            if place == axis.names.len() {
                axis.names.push(name);
                times.push(0);
            }
            times[place] += 1;
        }
        axis.shared = times.iter().filter(|n| **n > 1).count();
        axis
    }

    fn len(&self) -> usize {
        self.names.len()
    }

    fn is_shared(&self) -> bool {
        self.len() >= 2 && 2 * self.shared >= self.len()
    }

    fn names(&self) -> Vec<String> {
        self.names.iter().map(|name| (*name).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(id: &str) -> (&str, &str, &str) {
        let Cell { family, row, column } = Cell::of(id).expect("the id has parts");
        (family, row, column)
    }

    #[test]
    fn an_id_tells_where_its_case_stands() {
        assert_eq!(
            cell("threads/GetStackTrace/parked/suspended"),
            ("threads/GetStackTrace", "parked", "suspended")
        );
        assert_eq!(cell("threads/GetStackTrace/parked"), ("threads/GetStackTrace", "parked", ""));
        assert_eq!(
            cell("class/edits/plain/method-added/redefine"),
            ("class/edits/plain", "method-added", "redefine")
        );
        assert_eq!(cell("GetObjectSize#phase/live/vm-death"), ("GetObjectSize#phase", "live", "vm-death"));
        assert_eq!(cell("GetObjectSize#unattached"), ("GetObjectSize#unattached", "", ""));
        assert_eq!(cell("explored/1"), ("explored", "1", ""));
        assert_eq!(Cell::of("alone"), None);
    }

    #[test]
    fn families_of_one_kind_form_a_matrix_whose_longer_axis_runs_down() {
        let ids = [
            "threads/PopFrame/parked/running",
            "threads/PopFrame/parked/suspended",
            "threads/PopFrame/sleeping/running",
            "threads/PopFrame/spinning/running",
            "threads/GetFrameCount/parked/running",
            "threads/GetFrameCount/sleeping/running",
            "threads/GetFrameCount/sleeping/suspended",
            "threads/GetFrameCount/spinning/running",
            "threads/GetFrameCount/spinning/suspended",
            "explored/1",
            "thread/get-thread-info/plain",
        ];
        let events = ["SingleStep", "Breakpoint", "Exception"];
        let nested = events.map(|outer| events.map(|inner| format!("events/nested/{outer}/{inner}")));
        let ids = ids.into_iter().chain(nested.iter().flatten().map(String::as_str));
        let (matrices, apart) = Matrix::among(ids);
        let [nested, threads] = matrices.as_slice() else { panic!("{matrices:?}") };
        assert_eq!((nested.name.as_str(), nested.cases()), ("events/nested", 9));
        assert_eq!(threads.name, "threads");
        assert_eq!(threads.columns, ["PopFrame", "GetFrameCount"]);
        assert_eq!(threads.rows, ["parked", "sleeping", "spinning"]);
        assert_eq!(threads.counts, [[2, 1], [1, 2], [1, 2]]);
        assert_eq!((threads.cases(), apart), (9, 2));
        insta::assert_snapshot!(threads, @"
        threads: 9 cases in 3 rows and 2 columns
                    ┌ PopFrame
                    │┌ GetFrameCount
          parked    21
          sleeping  12
          spinning  12
        ");
    }
}
