// The list of cases: rows made as they come near the screen, filter, keyboard, links into the page.

const $ = (id) => document.getElementById(id);
const CHUNK = 120;
let shown = [];
let made = 0;
let current = null;

document.documentElement.style.setProperty('--runs', data.runs.length);
document.documentElement.classList.toggle('many', data.runs.length > 5);
document.documentElement.classList.toggle('single', data.runs.length === 1);

function cells(make) {
  return data.runs.map((run, i) => {
    const cell = make(i);
    return el('span', cell ? 'cell' : 'cell none', el('span', 'run', run.label), cell ?? el('span'));
  });
}

function tally(rows, run) {
  const there = rows.map((r) => r.cells[run]).filter(Boolean);
  if (there.length === 0) return null;
  const bad = there.filter((c) => UNEXPECTED.has(c.status)).length;
  const other = there.filter((c) => !QUIET.has(c.status)).length - bad;
  const marks = [bad > 0 ? el('b', 'bad', '✗ ' + bad) : null, other > 0 ? el('b', 'other', '~ ' + other) : null];
  return el('span', 'tally', ...marks, bad + other > 0 ? el('span', '', 'of ' + there.length) : el('b', 'good', '✓ ' + there.length));
}

const make = {
  chapter: ({ chapter }) => el('div', 'row chapter', el('h3', '', chapter.title)),
  subject: ({ subject, rows, open }) =>
    el('div', 'row subject' + (open ? ' open' : ''), el('span', 'title', subject.title), ...cells((i) => tally(rows, i))),
  case: ({ row }) => {
    const title = el('span', 'title', el('code', '', text(row.id)), el('span', 'about', text(row.about)));
    const line = el('div', 'row case' + (row.unexpected ? ' unexpected' : ''), title,
      ...cells((i) => (row.cells[i] ? pill(row.cells[i].status) : null)));
    if (!view.detailed.has(row)) return line;
    line.classList.add('open');
    return el('div', 'opened', line, detail(row));
  },
  fold: ({ rows, open }) =>
    el('div', 'row fold' + (open ? ' open' : ''), el('span', 'title', rows.length + ' cases alike'),
      ...cells((i) => (rows[0].cells[i] ? pill(rows[0].cells[i].status) : null))),
};

function element(item) {
  const outer = make[item.kind](item);
  const line = outer.matches('.row') ? outer : outer.firstChild;
  item.line = line;
  const values = [...line.querySelectorAll('.cell > :last-child')].map((cell) => cell.textContent);
  line.classList.toggle('uniform', values.length > 1 && new Set(values).size === 1);
  if (item.kind === 'chapter') return outer;
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
  const count = shown.reduce((n, item) => n + (item.kind === 'subject' ? item.rows.length : 0), 0);
  $('shown').textContent = (count === data.cases.length ? '' : count + ' of ') + data.cases.length + ' cases';
  if (count === 0) $('rows').append(el('p', 'nothing', 'No case matches.'));
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

function activate(item) {
  if (item.kind === 'subject') {
    // While filtered everything is open.
    if (view.filtered()) return;
    flip(view.open, item.subject.key);
  }
  if (item.kind === 'fold') flip(view.unfolded, item.fold);
  if (item.kind === 'case') {
    flip(view.detailed, item.row);
    history.replaceState(null, '', view.detailed.has(item.row) ? '#' + encodeURIComponent(text(item.row.id)) : '#');
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

function move(step) {
  let index = shown.findIndex((item) => item.key === current);
  do index += step; while (shown[index]?.kind === 'chapter');
  if (!shown[index]) return;
  grow(index + CHUNK);
  select(shown[index], true);
  shown[index].line.scrollIntoView({ block: 'nearest' });
}

function go(key) {
  const index = shown.findIndex((item) => item.key === key);
  if (index < 0) return;
  grow(index + CHUNK);
  select(shown[index], false);
  shown[index].line.scrollIntoView({ block: 'start' });
}

/** Follows the address: `#chapter:id` or `#` and a case's id. */
function follow() {
  let target = '';
  try {
    target = decodeURIComponent(location.hash.slice(1));
  } catch {
    return;
  }
  if (target === '') return;
  unfilter();
  const row = data.cases.find((r) => text(r.id) === target);
  if (row) reveal(row);
  show();
  go(row ? 'r:' + target : 'c:' + target.replace(/^chapter:/, ''));
}

function unfilter() {
  $('find').value = '';
  view.words = [];
  view.statuses.clear();
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
  const button = el('button', 'chip s-' + name, el('i', 'dot s-' + name), name, ' ', el('b', '', String(count)));
  button.type = 'button';
  button.addEventListener('click', () => {
    turn();
    press();
    show();
  });
  chips.push({ button, on });
  $('chips').append(button);
}

function addChips() {
  const count = (wanted) => data.cases.filter(wanted).length;
  const all = () => [...UNEXPECTED].every((s) => view.statuses.has(s));
  const others = () => [...view.statuses].filter((s) => !UNEXPECTED.has(s));
  chip('unexpected', count((r) => r.unexpected), all, () => {
    view.statuses = new Set(all() ? others() : [...others(), ...UNEXPECTED]);
  });
  statuses.forEach((status, i) => {
    chip(status.name, count((r) => r.seen.has(i)), () => view.statuses.has(i), () => flip(view.statuses, i));
  });
  chip('differing', count((r) => r.seen.size > 1), () => view.differing, () => {
    view.differing = !view.differing;
  });
  press();
}

const keys = {
  '/': () => $('find').focus(),
  j: () => move(1),
  k: () => move(-1),
  Escape: () => {
    unfilter();
    show();
  },
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target === $('find');
  if (typing && event.key === 'Enter') {
    move(1);
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

/** Light or dark as the system says, until the reader chooses. */
function theme() {
  const root = document.documentElement;
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
  document.documentElement.style.setProperty('--tools', (sticky ? $('tools').offsetHeight : 0) + 'px');
}

let timer = 0;
$('find').addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    view.words = $('find').value.toLowerCase().split(/\s+/).filter(Boolean);
    show();
  }, 80);
});
document.addEventListener('keydown', onKey);
addEventListener('hashchange', follow);
// On paper there is no opening: print what is unexpected in full, then put things back.
let onScreen = view.detailed;
addEventListener('beforeprint', () => {
  onScreen = view.detailed;
  view.detailed = new Set([...onScreen, ...data.cases.filter((row) => row.unexpected)]);
  show();
  grow(shown.length);
});
addEventListener('afterprint', () => {
  view.detailed = onScreen;
  show();
});

theme();
addChips();
$('columns').append(el('span', 'title', 'Case'), ...data.runs.map((run) => {
  const head = el('span', 'head', run.label);
  head.title = run.label;
  return el('span', 'cell', head);
}));
for (const id of ['cases', 'theme', 'keys']) $(id).hidden = false;
measure();
new ResizeObserver(measure).observe($('tools'));
show();
follow();
