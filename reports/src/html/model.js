'use strict';
// The data, and which of it is to be seen. Nothing in here touches the page.

const data = JSON.parse(document.getElementById('data').textContent);
const text = (index) => data.texts[index] ?? '';
const statuses = data.statuses;
const UNEXPECTED = new Set(statuses.flatMap((s, i) => (s.unexpected ? [i] : [])));
const QUIET = new Set(statuses.flatMap((s, i) => (s.name === 'pass' || s.name === 'inapplicable' ? [i] : [])));

for (const row of data.cases) {
  row.seen = new Set(row.cells.filter(Boolean).map((c) => c.status));
  row.unexpected = [...row.seen].some((s) => UNEXPECTED.has(s));
  row.quiet = [...row.seen].every((s) => QUIET.has(s));
  row.vector = row.cells.map((c) => (c ? c.status : '-')).join();
  row.group = row.chapter + '/' + (row.subject ?? '');
}

/** Chapters in order, each with its subjects, each with its cases. */
const tree = (() => {
  const chapters = data.chapters.map(([id, title]) => ({ id: text(id), title: text(title), subjects: new Map() }));
  for (const row of data.cases) {
    const { subjects } = chapters[row.chapter];
    if (!subjects.has(row.group)) {
      subjects.set(row.group, { key: row.group, title: text(row.subject ?? 0) || 'General', rows: [] });
    }
    subjects.get(row.group).rows.push(row);
  }
  return chapters.filter((c) => c.subjects.size > 0);
})();

/** What the reader asked for. */
const view = {
  words: [],
  statuses: new Set(),
  /** Only cases that came out differently on different JVMs. */
  differing: false,
  open: new Set(data.cases.filter((r) => r.unexpected).map((r) => r.group)),
  unfolded: new Set(),
  detailed: new Set(),
  filtered() {
    return this.words.length > 0 || this.statuses.size > 0 || this.differing;
  },
};

function searchable(row) {
  row.search ??= [row.id, row.about, row.subject ?? 0, data.chapters[row.chapter][1], row.source]
    .map(text)
    .concat(row.cells.flatMap((c) => (c?.findings ?? []).map((f) => text(f.observed) + ' ' + text(f.expected))))
    .join('\n')
    .toLowerCase();
  return row.search;
}

function matches(row) {
  const wanted = view.statuses;
  if (view.differing && row.seen.size < 2) return false;
  if (wanted.size > 0 && ![...row.seen].some((s) => wanted.has(s))) return false;
  return view.words.length === 0 || view.words.every((w) => searchable(row).includes(w));
}

/** The lines to show, flat: chapters, subjects, cases, and folds that stand for cases with equal outcomes. */
function lines() {
  const out = [];
  for (const chapter of tree) {
    const inChapter = [];
    for (const subject of chapter.subjects.values()) {
      const rows = subject.rows.filter(matches);
      if (rows.length === 0) continue;
      const open = view.filtered() || view.open.has(subject.key);
      inChapter.push({ kind: 'subject', key: 's:' + subject.key, subject, rows, open });
      if (open) inChapter.push(...casesOf(subject, rows));
    }
    if (inChapter.length > 0) out.push({ kind: 'chapter', key: 'c:' + chapter.id, chapter }, ...inChapter);
  }
  return out;
}

function casesOf(subject, rows) {
  const one = (row) => ({ kind: 'case', key: 'r:' + text(row.id), row });
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

/** Brings a case into view's lines: opens its subject, its fold and itself. */
function reveal(row) {
  view.open.add(row.group);
  view.unfolded.add(row.group + '=' + row.vector);
  view.detailed.add(row);
}
