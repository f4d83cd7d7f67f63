// A case in full: what the specification says, what was done, expected and observed, on which JVM, and how to repeat.

/** An element with a class and children; a child that is a string becomes text, never markup. */
function el(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter((c) => c !== null && c !== undefined && c !== ''));
  return element;
}

/** Where there is no room for a name; colour alone does not tell. */
const GLYPHS = {
  pass: '✓', fail: '✗', crash: '‼', timeout: '…', permitted: '~', known: 'k', fixed: '↑', inapplicable: '–', error: '!',
};

function pill(status) {
  const { name } = statuses[status];
  const element = el('span', 'pill s-' + name, el('i', 'dot s-' + name), el('span', 'glyph', GLYPHS[name]), el('span', 'name', name));
  element.title = name;
  return element;
}

function link(href, label) {
  const a = el('a', '', label);
  a.href = href;
  a.rel = 'noreferrer noopener';
  a.target = '_blank';
  return a;
}

function statement(cite, runs) {
  if (cite < 0) return el('li', '', el('code', '', text(-1 - cite)));
  const assertion = data.assertions[cite];
  const pages = new Map(runs.map((r) => [r.spec, r]));
  const links = [...pages.values()].map((run) =>
    link(run.spec + '#' + encodeURIComponent(text(assertion.anchor)), 'JDK ' + run.release));
  return el(
    'li', '',
    el('span', 'strength', text(assertion.strength)), ' ', text(assertion.text), ' ',
    el('span', 'ref', el('code', '', text(assertion.id)), ...links.flatMap((a) => [' · ', a])),
  );
}

function pair(name, value, className) {
  return value ? [el('dt', '', name), el('dd', className ?? '', value)] : [];
}

function finding(f) {
  return el(
    'dl', 'finding',
    ...pair('at', text(f.place), 'mono'),
    ...pair('expected', text(f.expected), 'mono expected'),
    ...pair(text(f.expected) ? 'observed' : 'reason', text(f.observed), 'mono observed'),
  );
}

function story(lines) {
  const row = ([at, thread, what]) =>
    el('tr', '', el('td', 'n', (at / 1000).toFixed(3)), el('td', 'who', text(thread)), el('td', 'mono', text(what)));
  return el('div', 'story', el('h4', '', 'What was done (ms, thread)'), el('table', '', el('tbody', '', ...lines.map(row))));
}

/** One block for all runs in which the same came. */
function outcome(cell, runs, agains) {
  return el(
    'section', 'outcome s-' + statuses[cell.status].name,
    el('h3', '', pill(cell.status), ' ', runs.map((r) => r.label).join(', '), ' ',
      el('small', '', (cell.micros / 1000).toFixed(2) + ' ms')),
    ...(cell.story?.length ? [story(cell.story)] : []),
    ...(cell.findings ?? []).map(finding),
    ...[...agains].filter(Boolean).map((again) => el('pre', 'again', again)),
    cell.trace === undefined ? null : el('p', 'small', 'Trace: ', el('code', '', text(cell.trace))),
  );
}

function detail(row) {
  const groups = new Map();
  row.cells.forEach((cell, i) => {
    if (!cell) return;
    const same = JSON.stringify([cell.status, cell.findings, cell.story]);
    if (!groups.has(same)) groups.set(same, [cell, [], new Set()]);
    const [, runs, agains] = groups.get(same);
    runs.push(data.runs[i]);
    agains.add(text(cell.again));
  });
  const ordered = [...groups.values()].sort((a, b) => UNEXPECTED.has(b[0].status) - UNEXPECTED.has(a[0].status));
  const runs = ordered.flatMap(([, r]) => r);
  return el(
    'div', 'detail',
    el('p', 'about', text(row.about)),
    row.cites.length > 0 ? el('h4', '', 'What the specification says') : null,
    el('ul', 'says', ...row.cites.map((c) => statement(c, runs))),
    ...ordered.map((group) => outcome(...group)),
    el('p', 'small', 'Case: ', el('code', '', text(row.source)), ' · ',
      row.asserted + (row.asserted === 1 ? ' statement' : ' statements') + ' asserted'),
  );
}
