// Comforts only: every page works without this file. It asks this site alone, and what it is given replaces what is there.

// Of the catalogue: the service writes them here.
const texts = TEXTS;
const fillIn = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

const main = () => document.querySelector('main');

/** Tells those who do not see what changed. */
function say(words) {
  let status = document.querySelector('#said');
  if (!status) {
    status = document.createElement('p');
    status.id = 'said';
    status.className = 'visually-hidden';
    status.setAttribute('role', 'status');
    document.body.append(status);
  }
  status.textContent = words;
}

async function load(address, options = {}) {
  const answer = await fetch(address, { ...options, headers: { Accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  if (!page.querySelector('[data-work]')) return page;
  // It opens by itself once its task is solved.
  location.assign(answer.url);
  return new Promise(() => {});
}

/** Shows the content of another page in the place of this one's. */
function replaceMain(page) {
  const next = page.querySelector('main');
  if (!next) throw new Error('no page');
  main().replaceWith(next);
  document.title = page.title;
  enhance();
}

// A live check in place.
function askInPlace(form) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    button.textContent = texts.asking;
    try {
      replaceMain(await load(form.action, { method: 'POST' }));
      say(
        document.querySelector('h1')?.textContent +
          ': ' +
          (document.querySelector('.chip')?.textContent ?? ''),
      );
      main().querySelector('[data-ask], .btn')?.focus();
    } catch {
      form.submit();
    }
  });
}

// More rows below these, in the place of another page.
function loadMore(link) {
  link.textContent = texts.more;
  link.addEventListener('click', async (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    link.setAttribute('aria-disabled', 'true');
    try {
      const page = await load(link.href);
      const rows = [...page.querySelectorAll('main .rows > .row:not(.head)')];
      if (rows.length === 0) throw new Error('no rows');
      document.querySelector('main .rows').append(...rows);
      const foot = page.querySelector('.pager');
      document.querySelector('.pager').replaceWith(foot, ...page.querySelectorAll('.pager ~ .panel.ends'));
      star(rows);
      for (const next of foot.querySelectorAll('a[rel~=next]')) loadMore(next);
      say(fillIn(texts.added, { count: rows.length }));
      rows[0].querySelector('a')?.focus();
    } catch {
      location.assign(link.href);
    }
  });
}

// What is still to come of a checked list, until all of it is there.
const MOST_LOOKS = 60;
function lookAgain(link, looks = 0) {
  const seconds = Math.min(10, Math.max(2, Number(link.dataset.again)));
  setTimeout(async () => {
    if (!link.isConnected || looks >= MOST_LOOKS) return;
    try {
      const page = await load(link.href);
      replaceMain(page);
      const next = document.querySelector('[data-again]');
      if (next) lookAgain(next, looks + 1);
      else say(document.querySelector('h1')?.textContent ?? '');
    } catch {
      lookAgain(link, looks + 1);
    }
  }, seconds * 1000);
}

// Until a purge: by the second in the last day.
function countDown(time) {
  const end = Date.parse(time.dateTime);
  const tick = () => {
    const left = Math.round((end - Date.now()) / 1000);
    if (!time.isConnected || left < 0 || left > 86_400) return;
    const two = (number) => String(number).padStart(2, '0');
    const hours = Math.floor(left / 3600);
    const minutes = Math.floor(left / 60) % 60;
    time.textContent = hours > 0 ? fillIn(texts.left, { hours, minutes }) : `${minutes}:${two(left % 60)}`;
    setTimeout(tick, 1000 - (Date.now() % 1000));
  };
  tick();
}

// A copy button beside a new key.
function copyField(field) {
  field.addEventListener('focus', () => field.select());
  if (!navigator.clipboard) return;
  const button = document.createElement('button');
  const said = document.createElement('span');
  button.type = 'button';
  button.textContent = texts.copyKey;
  said.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = ` ${texts.keyCopied}`;
    } catch {
      field.select();
      said.textContent = ` ${texts.selected}`;
    }
  });
  field.after(button, said);
}

// What the server would say of a new password, at each pause of its typing.
const PAUSE_MS = 600;
function sayStrength(field) {
  const said = document.createElement('p');
  said.className = 'hint';
  said.setAttribute('role', 'status');
  field.after(said);
  const judge = async () => {
    const { value: password, form, minLength } = field;
    const missing = minLength - password.length;
    if (password === '') return '';
    if (missing > 0) return fillIn(missing === 1 ? texts.missingOne : texts.missing, { count: missing });
    const { token, username } = form.elements;
    const body = new URLSearchParams({
      password,
      token: token?.value ?? '',
      username: username?.value ?? '',
    });
    const answer = await fetch('/password-strength', { method: 'POST', body });
    return answer.ok ? (await answer.json()).words : '';
  };
  let timer;
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const judged = field.value;
      const words = await judge().catch(() => '');
      if (field.value === judged) said.textContent = words;
    }, PAUSE_MS);
  });
}

// The sheet opens at a field that is wrong. Without script a browser could not show that, so there the service does.
for (const form of document.querySelectorAll('#search')) form.noValidate = false;
for (const field of document.querySelectorAll('.sheet [autofocus]')) {
  const sheet = field.closest('.sheet');
  sheet.popover = 'auto';
  sheet.showPopover();
  field.focus();
}
document.addEventListener('invalid', ({ target }) => target.closest('[popover]')?.showPopover(), true);

// A choice beside the search box is a search; the sheet has a button of its own.
document.addEventListener('change', ({ target }) => {
  if (target.matches('select.pick')) target.form.requestSubmit();
});

// An address says what differs from the empty form: each select begins with what is usual.
document.addEventListener('formdata', ({ target, formData }) => {
  if (target.id !== 'search') return;
  for (const { name, value, selectedIndex } of target.elements)
    if (name !== '' && (value === '' || selectedIndex === 0)) formData.delete(name);
});

// Results while typing, each a list page, at its pauses: a pause is longer than the keys before it were apart.
const TYPED_MS = 120;
const SLOWEST_MS = 600;
const WINDOW_MS = 2_000;
const MOST_TYPED = 4;
function findWhileTyping(box) {
  const sent = [];
  let timer;
  let asked = new AbortController();
  let [apart, last, refusedUntil] = [TYPED_MS, -SLOWEST_MS, 0];
  const find = async () => {
    const now = Date.now();
    while (sent.length > 0 && now - sent[0] >= WINDOW_MS) sent.shift();
    if (sent.length >= MOST_TYPED) {
      timer = setTimeout(find, WINDOW_MS - (now - sent[0]));
      return;
    }
    const fields = new URLSearchParams(new FormData(box.form)).toString();
    const address = fields === '' ? '/' : `/?${fields}`;
    if (address === location.pathname + location.search || now < refusedUntil) return;
    sent.push(now);
    asked = new AbortController();
    const { signal } = asked;
    try {
      const answer = await fetch(address, { signal, headers: { Accept: 'text/html' } });
      if (answer.status >= 500) return box.removeEventListener('input', type);
      if (answer.status === 429)
        refusedUntil = Date.now() + 1_000 * (answer.headers.get('Retry-After') ?? 60);
      // Enter says what is wrong.
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const found = page.querySelector('#found');
      document.querySelector('#found').replaceWith(found);
      document.title = page.title;
      const heading = document.querySelector('h1.visually-hidden');
      if (heading) heading.textContent = page.querySelector('h1').textContent;
      history.replaceState(null, '', address);
      enhance();
      say(found.querySelector('h2')?.textContent ?? '');
    } catch {
      // Another letter came, or the network is away.
    }
  };
  const stop = () => {
    clearTimeout(timer);
    asked.abort();
  };
  const type = ({ timeStamp }) => {
    stop();
    if (timeStamp - last < SLOWEST_MS) apart = (apart + timeStamp - last) / 2;
    last = timeStamp;
    timer = setTimeout(find, Math.max(TYPED_MS, 2 * apart));
  };
  box.addEventListener('input', type);
  box.form.addEventListener('submit', stop);
}

// Rows in sight are checked live while somebody wants it: each answer costs a record, one that was cancelled none.
const AT_ONCE = 3;
function checkInSight(place) {
  const [box, said] = [place.querySelector('input'), place.querySelector('[role=status]')];
  // No more than was promised: rows that are loaded below these are not among them.
  const rows = document.querySelectorAll('#found .row:not(.head)');
  const waiting = new Set();
  const asked = new Map();
  let used = 0;
  const sight = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes)
        if (isIntersecting) waiting.add(target);
        else if (!waiting.delete(target)) asked.get(target)?.abort();
      next();
    },
    { threshold: 0.6 },
  );
  const stop = () => {
    sight.disconnect();
    waiting.clear();
    for (const one of asked.values()) one.abort();
    box.checked = false;
  };
  const ask = async (row) => {
    const cancel = new AbortController();
    asked.set(row, cancel);
    try {
      const answer = await fetch(`/check/row/${nameOf(row)}`, { method: 'POST', signal: cancel.signal });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      if (answer.ok) {
        show(row, page);
        said.textContent = fillIn(texts.used, { count: (used += 1) });
        sight.unobserve(row);
      } else if (box.checked) {
        stop();
        const message = page.querySelector('main p')?.textContent ?? '';
        said.textContent = fillIn(texts.liveEnded, { message, count: used });
      }
    } catch {
      // Out of sight, or the network is away: it is asked when it comes into sight again.
    }
    asked.delete(row);
    next();
  };
  const next = () => {
    if (!place.isConnected) return stop();
    for (const row of waiting) {
      if (asked.size >= AT_ONCE) return;
      if (asked.has(row)) continue;
      waiting.delete(row);
      ask(row);
    }
  };
  box.addEventListener('change', () => {
    if (!box.checked) return stop();
    for (const row of rows) if (row.dataset.checked === undefined) sight.observe(row);
  });
  place.hidden = false;
}
function show(row, page) {
  for (const part of ['.r-state', '.r-act']) {
    const found = page.querySelector(part);
    if (part === '.r-act') found.append(...row.querySelectorAll('.star'));
    row.querySelector(part).replaceWith(found);
  }
  row.dataset.checked = '';
}

// A copy button beside each sample.
function copyCode(place) {
  if (!navigator.clipboard) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain small';
  button.textContent = texts.copy;
  button.addEventListener('click', async () => {
    const code = [...place.parentElement.querySelectorAll('pre')].find((one) => one.checkVisibility());
    await navigator.clipboard.writeText(code.textContent.trimEnd());
    button.textContent = texts.copied;
    say(texts.copied);
  });
  place.append(button);
}

// Names that a visitor keeps, the newest first: on this device, or in the account, of which this tab has a copy.
const KEPT = 'shortlist';
const MOST_KEPT = 50;
const isSignedIn = Boolean(document.querySelector('#menu a[href="/profile"]'));
function namesOf(area) {
  try {
    const names = JSON.parse(window[area].getItem(KEPT) ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}
const kept = () => namesOf(isSignedIn ? 'sessionStorage' : 'localStorage');
function keep(names) {
  try {
    const store = isSignedIn ? sessionStorage : localStorage;
    store.setItem(KEPT, JSON.stringify(names.slice(0, MOST_KEPT)));
  } catch {
    say(texts.noShortlist);
  }
}
async function keepInAccount(change) {
  const body = new URLSearchParams(change);
  const { type } = await fetch('/shortlist', { method: 'POST', redirect: 'manual', body });
  if (type !== 'opaqueredirect') throw new Error('not saved');
}
async function bringShortlist() {
  if (!isSignedIn) return sessionStorage.removeItem(KEPT);
  const here = namesOf('localStorage');
  if (here.length === 0 && sessionStorage.getItem(KEPT) !== null) return;
  if (here.length > 0) {
    await keepInAccount({ add: here.join(',') });
    localStorage.removeItem(KEPT);
  }
  const answer = await fetch('/shortlist.json');
  keep((await answer.json()).names);
  countKept();
  for (const button of document.querySelectorAll('button[data-name]'))
    button.setAttribute('aria-pressed', String(kept().includes(button.dataset.name)));
}
const STAR =
  '<svg class="i" viewBox="0 0 24 24" aria-hidden="true"><path d="m12 4 2.5 5.1 5.5.8-4 3.9 1 5.6-5-2.7-5 2.7 1-5.6-4-3.9 5.5-.8z"/></svg>';
function starOf(name, className, words) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = className;
  button.innerHTML = STAR;
  if (words) button.append(` ${words}`);
  else button.setAttribute('aria-label', fillIn(texts.shortlistName, { name }));
  button.dataset.name = name;
  button.setAttribute('aria-pressed', String(kept().includes(name)));
  button.addEventListener('click', () => {
    const others = kept().filter((one) => one !== name);
    const isKept = others.length < kept().length;
    keep(isKept ? others : [name, ...others]);
    button.setAttribute('aria-pressed', String(!isKept));
    say(fillIn(isKept ? texts.off : texts.on, { name }));
    countKept();
    if (isSignedIn)
      keepInAccount(isKept ? { remove: name } : { add: name }).catch(() =>
        say(fillIn(texts.unsaved, { name })),
      );
  });
  return button;
}
// What is no name has no link.
const nameOf = (row) => row.querySelector('a.name')?.getAttribute('href').slice('/domains/'.length);
function star(rows) {
  for (const row of rows)
    if (nameOf(row) && !row.querySelector('.star'))
      row.querySelector('.r-act').append(starOf(nameOf(row), 'star'));
}

// The link to the shortlist stands in the menu while there is one.
function countKept() {
  const names = kept();
  let link = document.querySelector('#menu .kept');
  if (names.length === 0) return link?.remove();
  if (!link) {
    link = document.createElement('a');
    link.className = 'kept';
    document.querySelector('#menu')?.append(link);
  }
  link.href = isSignedIn ? '/shortlist' : `/shortlist?names=${names.join(',')}`;
  link.textContent = fillIn(texts.kept, { count: names.length });
}

// Keys for those who read lists all day; `?` shows them.
function showKeys() {
  const dialog = document.createElement('dialog');
  dialog.className = 'panel';
  dialog.setAttribute('aria-label', texts.keysTitle);
  const list = document.createElement('dl');
  list.className = 'facts';
  for (const [key, words] of Object.entries(texts.keys)) {
    const term = document.createElement('dt');
    const code = document.createElement('kbd');
    code.textContent = key;
    term.append(code);
    const text = document.createElement('dd');
    text.textContent = words;
    list.append(term, text);
  }
  dialog.append(list);
  dialog.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
function move(by) {
  const links = [...document.querySelectorAll('main .row a.name')];
  if (links.length === 0) return false;
  const row = document.activeElement?.closest('.row');
  const place = row ? links.findIndex((link) => row.contains(link)) : by > 0 ? -1 : links.length;
  links[Math.min(links.length - 1, Math.max(0, place + by))].focus();
  return true;
}
function checkNow(name) {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = `/domains/${name}`;
  document.body.append(form);
  form.submit();
  return true;
}
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest?.('input, select, textarea, dialog, [popover]:popover-open')) return;
  const row = document.activeElement?.closest('.row');
  const press = (button) => (button ? (button.click(), true) : false);
  const acts = {
    '/': () => {
      const box = document.querySelector('input[type=search]');
      box?.select();
      return Boolean(box);
    },
    j: () => move(1),
    k: () => move(-1),
    // Without a list in use the arrows scroll the page.
    ArrowDown: () => Boolean(row) && move(1),
    ArrowUp: () => Boolean(row) && move(-1),
    o: () => press(row?.querySelector('a.name')),
    s: () => press(row ? row.querySelector('.star') : document.querySelector('[data-shortlist] button')),
    c: () => (row && nameOf(row) ? checkNow(nameOf(row)) : press(document.querySelector('[data-ask]'))),
    '?': () => (showKeys(), true),
  };
  const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (act?.()) event.preventDefault();
});

function enhance() {
  document.querySelectorAll('button[data-ask]').forEach(({ form }) => askInPlace(form));
  document.querySelectorAll('.pager a[rel~=next]').forEach(loadMore);
  document.querySelectorAll('time[data-countdown]').forEach(countDown);
  star(document.querySelectorAll('main .row:not(.head)'));
  document.querySelectorAll('[data-live][hidden]').forEach(checkInSight);
  const sort = document.querySelector('#found .bar select');
  if (sort && !sort.parentElement.querySelector('.seg')) sort.after(lookSwitch('rows'));
  document.querySelectorAll('.code > .cap:not(:has(button))').forEach(copyCode);
  for (const place of document.querySelectorAll('[data-shortlist]'))
    place.replaceChildren(starOf(place.dataset.shortlist, 'btn quiet', texts.shortlist));
}

enhance();
countKept();
bringShortlist().catch(() => {});
// The shortlist of this device has its names in its address.
if (document.querySelector('[data-names="0"]') && !isSignedIn && kept().length > 0)
  location.replace(document.querySelector('#menu .kept').href);
document.querySelectorAll('[data-again]').forEach((link) => lookAgain(link));
document.querySelectorAll('[data-copy]').forEach(copyField);
document.querySelectorAll('#search input[type=search]').forEach(findWhileTyping);
document.querySelectorAll('[data-strength]').forEach(sayStrength);
