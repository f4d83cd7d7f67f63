// The list of statements: rows made as they come near the screen, filter, keyboard, links into the page.

const $ = (id) => document.getElementById(id);
const CHUNK = 120;
const root = document.documentElement;
const single = data.runs.length === 1;
let shown = [];
let made = 0;
let current = null;

root.style.setProperty('--runs', data.runs.length);
root.classList.toggle('single', single);
root.classList.toggle('many', data.runs.length > 4);

/** Numbers of the JVMs shown. */
const visible = () => data.runs.map((_, i) => i).filter((i) => !hidden.has(i));

/** A square for each JVM, and for narrow screens what they come to. */
function squares(row) {
  if (single) return [el('span', 'cell', pill(states.get(row.states[0]).name))];
  const cells = visible().map((i) => {
    const { name } = states.get(row.states[i]);
    const cell = el('span', 'cell square ' + toned(name), el('i', 'glyph', GLYPHS[name]), el('span', 'name', name));
    cell.title = data.runs[i].label + ': ' + name;
    return cell;
  });
  const sum = grouped(row.vector, GRAVITY).map(([letter, runs]) => el('span', '', pill(states.get(letter).name), ' ' + runs.length));
  return [...cells, el('span', 'sum', ...sum)];
}

/** How many of the statements came out how on that JVM; only what is worth looking at, if anything is. */
function tally(rows, run) {
  const counts = new Map();
  for (const row of rows) counts.set(row.states[run], (counts.get(row.states[run]) ?? 0) + 1);
  counts.delete(UNSTATED);
  const total = [...counts.values()].reduce((a, b) => a + b, 0);
  if (total === 0) return { letter: UNSTATED, label: '', title: 'not stated' };
  const letter = gravest(new Set(counts.keys()));
  const title = [...counts].map(([l, n]) => n + ' ' + states.get(l).name).join(', ');
  return { letter, label: QUIET.has(letter) ? GLYPHS[states.get(letter).name] : String(counts.get(letter)), title, counts, total };
}

function tallies(rows) {
  return visible().map((i) => {
    const run = data.runs[i];
    const { letter, label, title, counts, total } = tally(rows, i);
    const { name } = states.get(letter);
    if (!single) {
      const cell = el('span', 'cell square ' + toned(name), label);
      cell.title = run.label + ': ' + title;
      return cell;
    }
    if (!counts) return el('span', 'cell');
    const marks = [...GRAVITY].filter((l) => counts.has(l) && !QUIET.has(l));
    const held = counts.get('h') ?? 0;
    return el('span', 'cell tally', ...marks.map((l) => el('b', 'tone ' + toned(states.get(l).name), counts.get(l) + ' ' + states.get(l).name)),
      el('span', held === total ? 'tone s-held' : 'small', held === total ? '✓ ' + total : held + '/' + total + ' held'));
  });
}

function shortened(row) {
  const id = text(row.id);
  const subject = text(row.subject);
  return subject && id.startsWith(subject + '#') ? id.slice(subject.length) : id;
}

const make = {
  chapter: ({ chapter, rows, open }) =>
    el('div', 'row chapter' + (open ? ' open' : ''), el('h3', 'title', chapter.title, el('small', '', ' ' + rows.length)), ...tallies(rows)),
  subject: ({ subject, rows, open }) =>
    el('div', 'row subject' + (open ? ' open' : ''), el('span', 'title', subject.title, el('small', '', ' ' + rows.length)), ...tallies(rows)),
  statement: ({ row }) => {
    const says = text(row.text) || (text(row.id) ? '' : 'Cases that cite no statement of these releases');
    const title = el('span', 'title', el('span', 'words', says), el('code', '', shortened(row)));
    const line = el('div', 'row statement' + (row.unexpected ? ' unexpected' : ''), title, ...squares(row));
    if (!view.detailed.has(row)) return line;
    line.classList.add('open');
    return el('div', 'opened', line, detail(row));
  },
  fold: ({ rows, open }) =>
    el('div', 'row fold' + (open ? ' open' : ''), el('span', 'title', rows.length + ' statements with equal outcomes'), ...squares(rows[0])),
};

function element(item) {
  const outer = make[item.kind](item);
  const line = outer.matches('.row') ? outer : outer.firstChild;
  item.line = line;
  line.tabIndex = -1;
  line.setAttribute('role', 'button');
  line.setAttribute('aria-expanded', String(line.classList.contains('open')));
  line.addEventListener('click', () => {
    // Marking text with the mouse is not a click on the row.
    if (!String(getSelection())) activate(item);
  });
  line.addEventListener('focus', () => select(item, false));
  return outer;
}

/** Makes rows until that many are there. */
function grow(count) {
  const end = Math.min(Math.max(count, made), shown.length);
  $('rows').append(...shown.slice(made, end).map(element));
  made = end;
}

/** Makes more rows when the end of those made comes near; watched anew each time, as only changes are told. */
const nearEnd = new IntersectionObserver((seen) => {
  if (made >= shown.length || !seen.some((s) => s.isIntersecting)) return;
  grow(made + CHUNK);
  watchEnd();
}, { rootMargin: '1500px' });

function watchEnd() {
  nearEnd.unobserve($('more'));
  nearEnd.observe($('more'));
}

function show() {
  shown = lines();
  made = 0;
  $('rows').replaceChildren();
  const stated = (rows) => rows.filter((row) => row.text !== 0).length;
  const count = shown.reduce((n, item) => n + (item.kind === 'chapter' ? stated(item.rows) : 0), 0);
  const all = stated(data.assertions);
  $('shown').textContent = (count === all ? '' : count + ' of ') + all + ' statements';
  if (shown.length === 0) $('rows').append(el('p', 'nothing', 'No statement matches.'));
  grow(CHUNK);
  watchEnd();
}

/** Shows again without moving what the reader looks at. */
function refresh(key) {
  const find = () => shown.findIndex((item) => item.key === key);
  const top = () => shown[find()]?.line?.getBoundingClientRect().top ?? 0;
  const [before, had] = [top(), made];
  show();
  grow(Math.max(had, find() + CHUNK));
  scrollBy({ top: top() - before, behavior: 'instant' });
  select(shown[find()], true);
}

function flip(set, value) {
  if (!set.delete(value)) set.add(value);
}

/** Puts the filters and the choice of JVMs into the address, so that it can be passed on. */
function remember() {
  const params = new URLSearchParams();
  if (view.words.length > 0) params.set('find', view.words.join(' '));
  if (view.states.size > 0) params.set('outcomes', [...view.states].map((s) => states.get(s).name).join('.'));
  if (view.differing) params.set('differing', '');
  if (hidden.size > 0) params.set('jvms', visible().join('.'));
  const all = String(params);
  history.replaceState(null, '', '#' + (all ? '?' + all : ''));
}

/** Sets filters and JVMs as such an address says. */
function recall(query) {
  const params = new URLSearchParams(query);
  $('find').value = params.get('find') ?? '';
  view.words = $('find').value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = (params.get('outcomes') ?? '').split('.');
  view.states = new Set(data.states.filter((s) => wanted.includes(s.name)).map((s) => s.letter));
  view.differing = params.has('differing');
  hidden.clear();
  const kept = params.get('jvms')?.split('.').map(Number).filter((i) => data.runs[i]);
  if (kept?.length > 0) data.runs.forEach((_, i) => kept.includes(i) || hidden.add(i));
  press();
  choose();
}

function address(hash) {
  history.replaceState(null, '', '#' + encodeURIComponent(hash));
}

function activate(item) {
  if (item.kind === 'chapter' || item.kind === 'subject') {
    // While filtered everything is open.
    if (view.filtered()) return;
    flip(view.open, item.kind === 'chapter' ? item.chapter.id : item.subject.key);
  }
  if (item.kind === 'fold') flip(view.unfolded, item.fold);
  if (item.kind === 'statement') {
    flip(view.detailed, item.row);
    address(view.detailed.has(item.row) ? text(item.row.id) : '');
  }
  refresh(item.key);
}

function select(item, focus) {
  for (const old of document.querySelectorAll('.row.current')) {
    old.classList.remove('current');
    old.tabIndex = -1;
  }
  current = item?.key ?? null;
  if (!item?.line) return;
  item.line.classList.add('current');
  item.line.tabIndex = 0;
  if (focus) item.line.focus({ preventScroll: true });
}

function step(by) {
  const index = shown.findIndex((item) => item.key === current) + by;
  if (!shown[index]) return;
  grow(index + CHUNK);
  select(shown[index], true);
  shown[index].line.scrollIntoView({ block: 'nearest' });
}

/** Opens or shuts what is current, as in a file manager. */
function turn(open) {
  const item = shown.find((i) => i.key === current);
  if (!item) return;
  const isOpen = item.kind === 'statement' ? view.detailed.has(item.row) : item.open;
  if (isOpen !== open) activate(item);
}

function go(key) {
  const index = shown.findIndex((item) => item.key === key);
  if (index < 0) return;
  grow(index + CHUNK);
  select(shown[index], false);
  shown[index].line.scrollIntoView({ block: 'start' });
}

/**
 * Follows the address: `#chapter:id`, `#outcome:name`, or `#` and the id of a statement, of a case, or the name of a
 * function or event.
 */
function follow() {
  let target = '';
  try {
    target = decodeURIComponent(location.hash.slice(1));
  } catch {
    return;
  }
  if (location.hash.startsWith('#?')) {
    recall(location.hash.slice(2));
    $('statements').scrollIntoView();
    return;
  }
  // The page's own parts are the browser's to find.
  if (target === '' || document.getElementById(target)) return;
  unfilter();
  const outcome = data.states.find((s) => 'outcome:' + s.name === target);
  if (outcome) {
    // What the front page counts as broken has several faces.
    const broken = outcome.name === 'broken' ? ['f', 'c', 't'] : [];
    for (const letter of [outcome.letter, ...broken]) view.states.add(letter);
    press();
    show();
    $('statements').scrollIntoView();
    return;
  }
  const one = data.cases.find((c) => text(c.id) === target);
  view.chosen = one;
  const row = data.assertions.find((r) => text(r.id) === target) ?? data.assertions[one?.cites[0] ?? -1];
  const subject = data.assertions.find((r) => text(r.subject) === target);
  const chapter = tree.find((c) => 'chapter:' + c.id === target);
  if (row) reveal(row);
  else if (subject) view.open.add(text(data.chapters[subject.chapter][0])).add(subject.group);
  else if (chapter) view.open.add(chapter.id);
  show();
  if (row) go('r:' + row.index);
  else if (subject) go('s:' + subject.group);
  else if (chapter) go('c:' + chapter.id);
}

function unfilter() {
  $('find').value = '';
  view.words = [];
  view.states.clear();
  view.differing = false;
  press();
}

/** Buttons above the list, each with whether it is on and what it does. */
const chips = [];

function press() {
  for (const { button, on } of chips) button.setAttribute('aria-pressed', String(on()));
}

function chip(name, count, on, turn) {
  if (count === 0) return;
  const button = el('button', 'chip ' + toned(name), el('i', 'dot ' + toned(name)), name, ' ', el('b', '', String(count)));
  button.type = 'button';
  button.addEventListener('click', () => {
    turn();
    press();
    remember();
    show();
  });
  chips.push({ button, on });
  $('chips').append(button);
}

function addChips() {
  const count = (wanted) => data.assertions.filter(wanted).length;
  const bad = data.states.filter((s) => s.unexpected).map((s) => s.letter);
  const all = () => bad.every((s) => view.states.has(s));
  const others = () => [...view.states].filter((s) => !bad.includes(s));
  chip('unexpected', count((r) => r.unexpected), all, () => {
    view.states = new Set(all() ? others() : [...others(), ...bad]);
  });
  for (const { letter, name } of data.states) {
    chip(name, count((r) => r.seen.has(letter)), () => view.states.has(letter), () => flip(view.states, letter));
  }
  chip('differing', count((r) => r.differs), () => view.differing, () => {
    view.differing = !view.differing;
  });
  press();
}

/** All chapters open, or shut. */
function addOpener() {
  const button = $('open');
  const label = () => (view.open.size > 0 ? 'Close all' : 'Open all');
  button.textContent = label();
  button.addEventListener('click', () => {
    if (view.open.size > 0) {
      view.open.clear();
      view.detailed.clear();
      view.unfolded.clear();
    } else {
      for (const chapter of tree) view.open.add(chapter.id);
    }
    button.textContent = label();
    show();
  });
}

const keys = {
  '/': () => $('find').focus(),
  j: () => step(1),
  k: () => step(-1),
  ArrowRight: () => turn(true),
  ArrowLeft: () => turn(false),
  Escape: () => {
    unfilter();
    remember();
    show();
  },
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target === $('find');
  if (typing && event.key === 'Enter') {
    step(1);
  } else if (typing && event.key === 'Escape') {
    unfilter();
    show();
    $('find').blur();
  } else if (!typing && (event.key === 'Enter' || event.key === ' ') && event.target.matches?.('.row')) {
    const item = shown.find((i) => i.line === event.target);
    if (item) activate(item);
  } else if (!typing && keys[event.key]) {
    keys[event.key]();
  } else {
    return;
  }
  event.preventDefault();
}

/** The heads of the columns, one for each JVM shown. */
function columns() {
  const heads = visible().map((i) => {
    const head = el('span', 'head', data.runs[i].label);
    head.title = data.runs[i].label;
    return el('span', 'cell', head);
  });
  $('columns').replaceChildren(el('span', 'title', 'Statement of the specification'), ...heads);
  root.style.setProperty('--runs', heads.length);
  root.classList.toggle('many', heads.length > 4);
}

/** Shows the chosen JVMs only, in the list and in the matrix of deviations. */
function choose() {
  data.assertions.forEach(settle);
  for (const [i, box] of boxes.entries()) box.checked = !hidden.has(i);
  data.runs.forEach((_, i) => {
    for (const cell of document.querySelectorAll('.run-' + i)) cell.hidden = hidden.has(i);
  });
  for (const row of document.querySelectorAll('.causes tbody tr')) {
    row.hidden = hidden.size > 0 && !row.querySelector('.has:not([hidden])');
  }
  columns();
  show();
}

const boxes = [];

/** A box for each JVM; two of them and `differing` compare them. */
function addChoice() {
  if (single) return;
  data.runs.forEach((run, i) => {
    const box = el('input', '');
    box.type = 'checkbox';
    box.checked = true;
    box.addEventListener('change', () => {
      flip(hidden, i);
      // Nobody wants to see none.
      if (hidden.size === data.runs.length) hidden.clear();
      choose();
      remember();
    });
    boxes.push(box);
    $('boxes').append(el('label', '', box, run.label));
  });
  const all = el('button', 'chip', 'all JVMs');
  all.type = 'button';
  all.addEventListener('click', () => {
    if (hidden.size > 0) hidden.clear();
    else data.runs.forEach((_, i) => i > 0 && hidden.add(i));
    all.textContent = hidden.size > 0 ? 'all JVMs' : 'only the first';
    choose();
    remember();
  });
  all.textContent = 'only the first';
  $('boxes').append(all);
  $('choice').hidden = false;
}

/** Light or dark as the system says, until the reader chooses. */
function theme() {
  // Some browsers refuse storage to pages from a file.
  const stored = (f) => {
    try {
      return f();
    } catch {
      return null;
    }
  };
  const set = (name) => {
    if (name === 'light' || name === 'dark') root.dataset.theme = name;
  };
  set(stored(() => localStorage.getItem('theme')));
  $('theme').addEventListener('click', () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    set(dark ? 'light' : 'dark');
    stored(() => localStorage.setItem('theme', root.dataset.theme));
  });
}

/** How much of the window's top the tools hide; jumps stop below. */
function measure() {
  const sticky = getComputedStyle($('tools')).position === 'sticky';
  root.style.setProperty('--tools', (sticky ? $('tools').offsetHeight : 0) + 'px');
}

let timer = 0;
$('find').addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    view.words = $('find').value.toLowerCase().split(/\s+/).filter(Boolean);
    remember();
    show();
  }, 80);
});
document.addEventListener('keydown', onKey);
addEventListener('hashchange', follow);
// On paper there is no opening: print what is unexpected in full, then put things back.
let onScreen = view.detailed;
let onPaper = [];
addEventListener('beforeprint', () => {
  onPaper = [...document.querySelectorAll('.causes details:not([open])')];
  for (const one of onPaper) one.open = true;
  onScreen = view.detailed;
  view.detailed = new Set([...onScreen, ...data.assertions.filter((row) => row.unexpected)]);
  show();
  grow(shown.length);
});
addEventListener('afterprint', () => {
  for (const one of onPaper) one.open = false;
  view.detailed = onScreen;
  show();
});

theme();
addChips();
addOpener();
addChoice();
columns();
// A report on agents has a front of its own, and no statements.
for (const id of $('agents') ? ['theme'] : ['statements', 'theme', 'keys']) $(id).hidden = false;
measure();
new ResizeObserver(measure).observe($('tools'));
show();
follow();
