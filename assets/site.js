// Comforts only: every page works without this file. It asks this site alone, and what it is given replaces what is there.

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
    button.textContent = 'Asking the registry …';
    try {
      replaceMain(await load(form.action, { method: 'POST' }));
      say(
        document.querySelector('h1')?.textContent +
          ': ' +
          (document.querySelector('.chip')?.textContent ?? ''),
      );
      main().querySelector('.actions :is(a, button)')?.focus();
    } catch {
      form.submit();
    }
  });
}

// More rows below these, in the place of another page.
function loadMore(link) {
  link.textContent = 'Show more';
  link.addEventListener('click', async (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    link.setAttribute('aria-disabled', 'true');
    try {
      const page = await load(link.href);
      const rows = [...page.querySelectorAll('table.names tbody tr')];
      if (rows.length === 0) throw new Error('no rows');
      document.querySelector('table.names tbody').append(...rows);
      const foot = page.querySelector('.foot');
      document.querySelector('.foot').replaceWith(foot, ...page.querySelectorAll('.foot ~ .panel.ends'));
      for (const next of foot.querySelectorAll('a[rel~=next]')) loadMore(next);
      say(`${rows.length} more names`);
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
    time.textContent = `in ${hours}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
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
  button.textContent = 'Copy the key';
  said.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = ' Copied.';
    } catch {
      field.select();
      said.textContent = ' It is selected: copy it with your keyboard.';
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
    if (missing > 0) return `${missing} more ${missing === 1 ? 'character' : 'characters'}.`;
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

function enhance() {
  document.querySelectorAll('button[data-ask]').forEach(({ form }) => askInPlace(form));
  document.querySelectorAll('.foot a[rel~=next]').forEach(loadMore);
  document.querySelectorAll('time[data-countdown]').forEach(countDown);
}

enhance();
document.querySelectorAll('[data-again]').forEach((link) => lookAgain(link));
document.querySelectorAll('[data-copy]').forEach(copyField);
document.querySelectorAll('[data-strength]').forEach(sayStrength);
