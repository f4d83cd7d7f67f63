'use strict';
// The data, and which of it is to be seen. Nothing in here touches the page.

const data = JSON.parse(document.getElementById('data').textContent);
const text = (index) => data.texts[index] ?? '';
const UNSTATED = '.';
const states = new Map(data.states.map((s) => [s.letter, s]));
states.set(UNSTATED, { letter: UNSTATED, name: 'not stated', unexpected: false });
const statuses = new Map(data.statuses);
/** Nothing to look at. */
const QUIET = new Set(['h', 'i', 'n', 'u', UNSTATED]);
/** The gravest first. */
const GRAVITY = 'ctfekmxhinu' + UNSTATED;

const gravest = (letters) => [...GRAVITY].find((letter) => letters.has(letter)) ?? UNSTATED;

/** JVMs that the reader has hidden, by number. */
const hidden = new Set();

/** What the row comes to on the JVMs shown. */
function settle(row) {
  row.vector = [...row.states].filter((_, i) => !hidden.has(i)).join('');
  row.seen = new Set(row.vector);
  row.unexpected = [...row.seen].some((s) => states.get(s).unexpected);
  row.quiet = [...row.seen].every((s) => QUIET.has(s));
  row.differs = new Set([...row.seen].filter((s) => s !== UNSTATED)).size > 1;
}

for (const [index, row] of data.assertions.entries()) {
  row.index = index;
  row.cases = [];
  settle(row);
  row.group = row.chapter + '/' + row.subject;
}
for (const one of data.cases) for (const cite of one.cites) data.assertions[cite].cases.push(one);

/** Chapters in order, each with its subjects, each with its statements. */
const tree = (() => {
  const chapters = data.chapters.map(([id, title]) => ({ id: text(id), title: text(title), rows: [], subjects: new Map() }));
  for (const row of data.assertions) {
    const { subjects, rows } = chapters[row.chapter];
    rows.push(row);
    if (!subjects.has(row.group)) {
      subjects.set(row.group, { key: row.group, title: text(row.subject) || 'In general', rows: [] });
    }
    subjects.get(row.group).rows.push(row);
  }
  return chapters.filter((c) => c.rows.length > 0);
})();

/** What the reader asked for. */
const view = {
  words: [],
  states: new Set(),
  /** Only statements that came out differently on different JVMs. */
  differing: false,
  /** Ids of chapters and keys of subjects. */
  open: new Set(),
  unfolded: new Set(),
  detailed: new Set(),
  /** The case that the address names. */
  chosen: undefined,
  filtered() {
    return this.words.length > 0 || this.states.size > 0 || this.differing;
  },
};
for (const row of data.assertions) {
  if (row.unexpected) view.open.add(text(data.chapters[row.chapter][0])).add(row.group);
}

function searchable(row) {
  row.search ??= [row.id, row.text, row.subject, data.chapters[row.chapter][1]]
    .concat(row.cases.flatMap((c) => [c.id, c.about, c.source, ...c.outcomes?.flatMap((o) => o.findings.flat()) ?? []]))
    .map(text)
    .join('\n')
    .toLowerCase();
  return row.search;
}

function matches(row) {
  if (view.differing && !row.differs) return false;
  if (view.states.size > 0 && ![...row.seen].some((s) => view.states.has(s))) return false;
  return view.words.length === 0 || view.words.every((w) => searchable(row).includes(w));
}

/** The lines to show, flat: chapters, subjects, statements, and folds that stand for statements with equal outcomes. */
function lines() {
  const out = [];
  const all = view.filtered();
  for (const chapter of tree) {
    const rows = all ? chapter.rows.filter(matches) : chapter.rows;
    if (rows.length === 0) continue;
    const open = all || view.open.has(chapter.id);
    out.push({ kind: 'chapter', key: 'c:' + chapter.id, chapter, rows, open });
    if (!open) continue;
    const wanted = new Set(rows);
    for (const subject of chapter.subjects.values()) {
      const rows = subject.rows.filter((row) => wanted.has(row));
      if (rows.length === 0) continue;
      const open = all || view.open.has(subject.key);
      out.push({ kind: 'subject', key: 's:' + subject.key, subject, rows, open });
      if (open) out.push(...statementsOf(subject, rows));
    }
  }
  return out;
}

function statementsOf(subject, rows) {
  const one = (row) => ({ kind: 'statement', key: 'r:' + row.index, row });
  if (view.filtered()) return rows.map(one);
  const out = rows.filter((r) => !r.quiet).map(one);
  const folds = new Map();
  for (const row of rows.filter((r) => r.quiet)) {
    if (!folds.has(row.vector)) folds.set(row.vector, []);
    folds.get(row.vector).push(row);
  }
  const fewestFirst = [...folds].sort(([, a], [, b]) => a.length - b.length);
  for (const [vector, same] of fewestFirst) {
    const key = subject.key + '=' + vector;
    if (same.length < 3) {
      out.push(...same.map(one));
    } else {
      const open = view.unfolded.has(key);
      out.push({ kind: 'fold', key: 'f:' + key, fold: key, rows: same, open });
      if (open) out.push(...same.map(one));
    }
  }
  return out;
}

/** Brings a statement into view's lines: opens its chapter, its subject, its fold and itself. */
function reveal(row) {
  view.open.add(text(data.chapters[row.chapter][0])).add(row.group);
  view.unfolded.add(row.group + '=' + row.vector);
  view.detailed.add(row);
}
