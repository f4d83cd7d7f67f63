// A statement in full: what the specification says, and each case about it: what was done, expected and observed, on
// which JVM, and how to repeat it.

/** An element with a class and children; a child that is a string becomes text, never markup. */
function el(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter((c) => c !== null && c !== undefined && c !== ''));
  return element;
}

const toned = (name) => 's-' + name.replace(' ', '-');

/** Colour alone does not tell. */
const GLYPHS = {
  held: '✓', pass: '✓', broken: '✗', fail: '✗', crash: '‼', timeout: '⧖', permitted: '~', known: 'k', fixed: '↑',
  inapplicable: '–', error: '!', untested: '○', untestable: '∅', 'not stated': '',
};

/** A name with its sign. */
function pill(name) {
  return el('span', 'pill ' + toned(name), el('i', 'glyph', GLYPHS[name]), name);
}

function link(href, label) {
  const a = el('a', '', label);
  a.href = href;
  a.rel = 'noreferrer noopener';
  a.target = '_blank';
  return a;
}

function copied(command) {
  const pre = el('pre', 'again', command);
  pre.title = 'The command that reproduces this verdict';
  return pre;
}

const names = (runs) => runs.map((i) => data.runs[i].label).join(' · ');

/** The JVMs by what is the same on them, the gravest first. */
function grouped(letters, order) {
  const groups = new Map();
  [...letters].forEach((letter, i) => {
    if (letter !== UNSTATED) groups.set(letter, [...(groups.get(letter) ?? []), i]);
  });
  return [...groups].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
}

function pages(row) {
  const stated = data.runs.filter((_, i) => row.states[i] !== UNSTATED);
  const pages = new Map((stated.length > 0 ? stated : data.runs).map((run) => [run.spec, run]));
  const sorted = [...pages.values()].sort((a, b) => a.release - b.release);
  return sorted.map((run) => link(run.spec + '#' + encodeURIComponent(text(row.anchor)), 'JDK ' + run.release));
}

function statement(row) {
  const id = text(row.id);
  // What it says is the row's title.
  if (!text(row.text)) return el('p', 'small', id ? 'A case cites this statement, but it is not registered.' : 'Cases that cite no statement of these releases.');
  const anchor = el('a', 'self', el('code', '', id));
  anchor.href = '#' + encodeURIComponent(id);
  return el(
    'div', 'says',
    el('p', 'ref', text(data.chapters[row.chapter][1]), text(row.subject) ? ' › ' + text(row.subject) : ''),
    el('p', 'ref', el('span', 'strength', text(row.strength)), anchor, 'specification: ',
      ...pages(row).flatMap((a, i) => (i > 0 ? [' · ', a] : [a]))),
    row.untestable === undefined ? null : el('p', 'small', 'Cannot be tested: ' + text(row.untestable)),
  );
}

function pair(name, value, className) {
  return value ? [el('dt', '', name), el('dd', className ?? '', value)] : [];
}

/** The text, with the names of reports in OpenJDK's tracker as links to them. */
function tracked(words) {
  const parts = words.split(/\b(JDK-\d{6,8})\b/);
  return parts.map((part, i) => (i % 2 === 1 ? link('https://bugs.openjdk.org/browse/' + part, part) : part));
}

function finding([place, expected, observed]) {
  if (text(place).endsWith('known deviation')) return el('p', 'listed', el('b', '', 'Listed as known: '), ...tracked(text(observed)));
  return el(
    'dl', 'finding',
    ...pair('at', text(place), 'mono'),
    ...pair('expected', text(expected), 'mono expected'),
    ...pair(text(expected) ? 'observed' : 'reason', text(observed), text(expected) ? 'mono observed' : 'observed'),
  );
}

const SETUP = /^(turn \d+ (begins|ends)|\$[\w.]+ is |fact ")/;

/** What kind of line it is: of the scenario, a call, a call's result, or an event. */
function kindsOf(story) {
  const answered = new Set(story.map(([, , t]) => /^(\S+) → /.exec(text(t))?.[1]).filter(Boolean));
  return story.map(([, , t]) => {
    const line = text(t);
    if (SETUP.test(line)) return 'setup';
    if (/^\S+ → /.test(line)) return 'result';
    const name = /^([\w.]+)\(/.exec(line)?.[1];
    if (!name) return 'aside';
    return answered.has(name) ? 'call' : 'event';
  });
}

/** Which lines a finding is about: the call that it names, with its result. */
function suspects(story, findings) {
  const plain = (s) => s.replaceAll('JVMTI_', '');
  const places = new Set(findings.map(([place]) => plain(text(place))).filter(Boolean));
  const found = new Set();
  story.forEach(([, thread, t], i) => {
    if (!places.has(plain(text(t)))) return;
    found.add(i);
    const name = text(t).split('(')[0];
    const result = story.findIndex(([, who, u], j) => j > i && who === thread && text(u).startsWith(name + ' → '));
    if (result > i) found.add(result);
  });
  return found;
}

/** Calls, results and events in their order, a lane for each thread. */
function timeline(story, findings, whose) {
  const kinds = kindsOf(story);
  const marked = suspects(story, findings);
  const threads = [...new Set(story.map(([, thread]) => thread).filter((t) => text(t)))];
  const table = el('div', 'timeline');
  table.style.setProperty('--lanes', Math.min(threads.length, 8));
  table.style.setProperty('--who', Math.min(Math.max(...threads.map((t) => text(t).length), 1), 18) + 'ch');
  const line = ([at, thread, t], i) => {
    const lane = el('span', 'lane', el('i', 'mark'));
    lane.style.setProperty('--at', Math.min(Math.max(threads.indexOf(thread), 0), 7));
    return el('div', 'line ' + kinds[i] + (marked.has(i) ? ' suspect' : ''),
      el('span', 'at', (at / 1000).toFixed(3)), lane, el('span', 'who', text(thread)), el('span', 'what mono', text(t)));
  };
  for (let i = 0; i < story.length; i++) {
    let end = i;
    while (kinds[end] === 'setup') end++;
    if (end - i < 3) {
      table.append(line(story[i], i));
      continue;
    }
    const hidden = el('details', 'setup', el('summary', '', end - i + ' lines of the scenario'));
    for (; i < end; i++) hidden.append(line(story[i], i));
    i--;
    table.append(hidden);
  }
  return el('div', 'story',
    el('h5', '', 'Calls, results and events', whose ? el('small', '', ' on ' + whose) : null, el('small', '', ' · ms since the probe was loaded, and thread')),
    table);
}

function commands(one, runs, again) {
  const command = (i) => (again === undefined ? data.runs[i].again.replace('{case}', () => text(one.id)) : text(again));
  const all = [...new Set(runs.map(command))].filter(Boolean);
  const [first, ...others] = all.map(copied);
  if (!first) return [];
  if (others.length === 0) return [first];
  return [first, el('details', 'more', el('summary', '', others.length + ' more for other JVMs'), ...others)];
}

/** One block for all runs in which the same came. */
function outcome(one, came) {
  const name = statuses.get(came.status);
  const runs = data.runs.length > 1 ? el('span', 'runs', names(came.runs)) : null;
  const quiet = name === 'inapplicable';
  return el(
    'section', 'outcome ' + toned(name),
    el('h5', 'head', pill(name), runs, came.micros > 0 ? el('small', '', (came.micros / 1000).toFixed(2) + ' ms') : null),
    ...came.findings.map(finding),
    came.story?.length ? timeline(came.story, came.findings, came.runs.length > 1 ? data.runs[came.runs[0]].label : '') : null,
    ...(quiet ? [] : commands(one, came.runs, came.again)),
    came.trace === undefined ? null : el('p', 'small', 'Trace: ', el('code', '', text(came.trace))),
  );
}

function caseBlock(one) {
  const passed = [...one.statuses].flatMap((s, i) => (s === 'p' ? [i] : []));
  const outcomes = (one.outcomes ?? []).slice().sort((a, b) => RANK.indexOf(a.status) - RANK.indexOf(b.status));
  const block = el('article', 'case',
    el('h4', '', el('code', '', text(one.id))),
    el('p', 'about', text(one.about)),
    ...outcomes.map((came) => outcome(one, came)));
  if (passed.length > 0) {
    const on = data.runs.length > 1 ? el('span', 'runs', passed.length > 6 ? passed.length + ' JVMs' : names(passed)) : null;
    block.append(el('details', 'passed', el('summary', '', pill('pass'), ' ', on), ...commands(one, passed)));
  }
  const facts = [text(one.source), one.asserted > 0 ? one.asserted + (one.asserted === 1 ? ' assertion' : ' assertions') : ''];
  block.append(el('p', 'small', facts.filter(Boolean).join(' · ')));
  return block;
}

/** Statuses, the gravest first. */
const RANK = 'ctfekmxip';
const worstOf = (one) => Math.min(...[...one.statuses].map((s) => RANK.indexOf(s)).filter((r) => r >= 0), RANK.length);
const CASES = 12;
/** As many cases of one family are a table. */
const TABLE = 6;

const isUnexpected = (one) => 'ctfe'.includes(RANK[worstOf(one)]);

/**
 * Families of many cases, in the order of the case files, and the cases to show in full, the gravest first: those in no family,
 * and the unexpected ones.
 */
function families(cases) {
  const all = new Map();
  for (const one of cases) {
    const family = one.cell?.[0];
    if (family !== undefined) all.set(family, [...(all.get(family) ?? []), one]);
  }
  const tables = [...all].filter(([, members]) => members.length >= TABLE);
  const tabled = new Set(tables.flatMap(([, members]) => members));
  const others = cases.filter((one) => !tabled.has(one) || isUnexpected(one)).sort((a, b) => worstOf(a) - worstOf(b));
  return { tables, others };
}

const statusOf = (one) => statuses.get(RANK[worstOf(one)]) ?? 'inapplicable';

/**
 * The cases of a family as a table, open if the reader came for one of them. A cell has the gravest outcome and the number of
 * JVMs with it, and shows its case below.
 */
function matrix(family, cases) {
  const counts = new Map();
  for (const one of cases) counts.set(statusOf(one), (counts.get(statusOf(one)) ?? 0) + 1);
  const sum = [...counts].flatMap(([name, n]) => [pill(name), ' ' + n + ' ']);
  const fold = el('details', 'matrix', el('summary', '', el('code', '', text(family)), el('small', '', ' ' + cases.length + ' cases '), ...sum));
  const fill = () => {
    if (fold.open && fold.children.length === 1) fold.append(grid(cases));
  };
  fold.addEventListener('toggle', fill);
  fold.open = cases.includes(view.chosen);
  fill();
  return fold;
}

function grid(cases) {
  const columns = [...new Set(cases.map((one) => one.cell[2]))];
  const rows = new Map();
  for (const one of cases) {
    if (!rows.has(one.cell[1])) rows.set(one.cell[1], new Map());
    rows.get(one.cell[1]).set(one.cell[2], one);
  }
  const place = el('div', 'chosen');
  const head = el('tr', '', el('td', ''), ...columns.map((c) => el('th', '', el('span', '', text(c)))));
  const body = [...rows].map(([row, cells]) => el('tr', '', el('th', '', text(row)), ...columns.map((c) => {
    const one = cells.get(c);
    return one ? el('td', '', square(one, place)) : el('td', 'none', '·');
  })));
  const table = el('table', '', ...(columns.some(text) ? [head] : []), ...body);
  if (cases.includes(view.chosen)) place.append(caseBlock(view.chosen));
  return el('div', '', el('div', 'scroll', table), place);
}

function square(one, place) {
  const name = statusOf(one);
  const alike = [...one.statuses].filter((letter) => statuses.get(letter) === name).length;
  const count = data.runs.length > 1 && name !== 'pass' ? String(alike) : null;
  const button = el('button', 'square ' + toned(name), el('i', 'glyph', GLYPHS[name]), count);
  button.type = 'button';
  const where = grouped(one.statuses.replaceAll('.', UNSTATED), RANK).map(([s, runs]) => statuses.get(s) + (data.runs.length > 1 ? ': ' + names(runs) : ''));
  button.title = [text(one.id), ...where].join('\n');
  button.addEventListener('click', () => place.replaceChildren(caseBlock(one)));
  return button;
}

function detail(row) {
  const panel = el('div', 'detail', statement(row));
  if (data.runs.length > 1) {
    panel.append(el('dl', 'where', ...grouped(row.states, GRAVITY).flatMap(([letter, runs]) =>
      [el('dt', '', pill(states.get(letter).name)), el('dd', '', runs.length === data.runs.length ? 'on all JVMs' : names(runs))])));
  }
  const { tables, others } = families(row.cases);
  panel.append(...others.slice(0, CASES).map(caseBlock));
  if (others.length > CASES) {
    const more = el('button', 'chip', others.length - CASES + ' more cases');
    more.type = 'button';
    more.addEventListener('click', () => more.replaceWith(...others.slice(CASES).map(caseBlock)));
    panel.append(more);
  }
  panel.append(...tables.map(([family, cases]) => matrix(family, cases)));
  if (row.cases.length === 0 && row.untestable === undefined) panel.append(el('p', 'small', 'No case cites this statement.'));
  return panel;
}
