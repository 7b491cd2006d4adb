import { OperatorsPort } from '../../src/app/operators-port.js';
import type { CommandEntry } from '../../src/ops/command.js';
import { COMMANDS } from '../../src/ops/commands.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { PAGES } from '../../src/ops/pages/pages.js';
import { addKey } from '../support/accounts.js';
import { type Client, startTestApp } from '../support/app.js';
import { addDomain } from '../support/domains.js';
import { until } from '../support/processes.js';
import { type AccountsApp, fieldOf, startAccountsApp } from '../support/visitor.js';

const KEY = mintOperatorKey();
const LOOKER = mintOperatorKey();
const FORMER = mintOperatorKey();
const OPERATORS = {
  OPERATOR_KEY_HASH: [
    `alice:${KEY.hash}`,
    `dora:${LOOKER.hash}:look:2999-12-31`,
    `emil:${FORMER.hash}:act:2026-01-31`,
  ].join(','),
  OPS_UPLOAD_MAX_MB: '1',
};
const REASON = 'asked for by its owner';
const SCRIPT = '<script>alert(1)</script>';

let test: AccountsApp;
beforeAll(async () => {
  test = await startAccountsApp(OPERATORS);
});
afterAll(() => test.close());

/** A browser at the sign-in form. @returns the token of its forms */
async function formToken(browser: Client): Promise<string> {
  const { text } = await browser.get('/ops/sign-in').expect(200);
  return fieldOf(text, 'form_token');
}

async function signedIn(key = KEY.text): Promise<Client> {
  const browser = test.caller();
  const form = { form_token: await formToken(browser), key };
  await browser.post('/ops/sign-in').type('form').send(form).expect(303);
  return browser;
}

/** Sends the form of a command as its page has it. */
async function act(browser: Client, command: string, fields: Record<string, string>) {
  const token = await formToken(browser);
  return browser
    .post(`/ops/do/${command}`)
    .type('form')
    .send({ form_token: token, ...fields });
}

const audit = (subject: string) =>
  test.database.query<{ actor: string; action: string; reason: string; from: string | null }>(
    'SELECT actor, action, reason, "from" FROM audit_log WHERE subject = $1 ORDER BY id DESC',
    [subject],
  );

describe('signing in', () => {
  it('takes a key of an operator, keeps a hash of the session alone, and is on record', async () => {
    const browser = test.caller();
    const { headers: away } = await browser.get('/ops/jobs').expect(303);
    expect(away.location).toBe('/ops/sign-in?back=%2Fops%2Fjobs');
    const form = { form_token: await formToken(browser), key: KEY.text, back: '/ops/jobs' };
    const { headers } = await browser.post('/ops/sign-in').type('form').send(form).expect(303);
    expect(headers.location).toBe('/ops/jobs');
    const cookie = String(headers['set-cookie']);
    expect(cookie).toMatch(
      /^bowerbird_ops=[\w-]{43}; Max-Age=28800; Path=\/ops;.* HttpOnly; SameSite=Strict$/,
    );
    const rows = await test.database.query('SELECT * FROM operator_session');
    expect(JSON.stringify(rows)).not.toContain(/=([\w-]{43})/.exec(cookie)?.[1]);
    const { text } = await browser.get('/ops').expect(200);
    expect(text).toContain('alice');
    const [entry] = await audit('operators');
    expect(entry).toMatchObject({ actor: 'operator:alice', action: 'operator.sign-in' });
    expect(entry?.from).toMatch(/^198\.18\.\d+\.0\/24$/);
  });

  it('is refused with a wrong key in the same form, and with every key after ten of them', async () => {
    const browser = test.caller();
    const form = { form_token: await formToken(browser), key: 'a-guess' };
    const send = (fields: object) => browser.post('/ops/sign-in').type('form').send(fields);
    const { text } = await send(form).expect(401);
    expect(text).toContain('This is no operator&#39;s key that works.');
    expect(text).not.toContain('a-guess');
    for (let guess = 1; guess < 10; guess += 1) await send(form).expect(401);
    const { headers } = await send({ ...form, key: KEY.text }).expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await browser.get('/ops').expect(303);
  });

  it.each(['https://elsewhere.example/ops', '//elsewhere.example', '/ops/../sign-in', '/drops'])(
    'leads to these pages only, not to %s',
    async (back) => {
      const browser = test.caller();
      const form = { form_token: await formToken(browser), key: KEY.text, back };
      const { headers } = await browser.post('/ops/sign-in').type('form').send(form).expect(303);
      expect(headers.location).toBe('/ops');
    },
  );

  it('ends with the sign-out, and a stolen cookie with it', async () => {
    const browser = await signedIn();
    const stolen = browser.jar.getCookies({
      path: '/ops',
      domain: '127.0.0.1',
      secure: false,
      script: false,
    });
    const cookie = stolen.map(({ name, value }) => `${name}=${value}`).join('; ');
    const token = await formToken(browser);
    await browser.post('/ops/sign-out').type('form').send({ form_token: token }).expect(303);
    await browser.get('/ops').expect(303);
    await test.caller().get('/ops').set('Cookie', cookie).expect(303);
  });

  it('is not looked for after a hundred cookies without one', async () => {
    const browser = await signedIn();
    const stranger = test.caller();
    const look = (client: Client) => client.get('/ops/jobs').set('X-Forwarded-For', '203.0.113.77');
    const cookie = `bowerbird_ops=${'x'.repeat(43)}`;
    for (let miss = 0; miss < 100; miss += 1) await look(stranger).set('Cookie', cookie).expect(303);
    const { headers, text } = await look(browser).expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(text).toContain('100 requests without a session');
    await browser.get('/ops/jobs').expect(200);
  });

  it('ends after eight hours', async () => {
    const browser = await signedIn();
    const age = (hours: number) =>
      test.database.query('UPDATE operator_session SET ends_at = ends_at - make_interval(hours => $1)', [
        hours,
      ]);
    await age(7);
    await browser.get('/ops/more').expect(200);
    await age(1);
    await browser.get('/ops/more').expect(303);
  });

  it('ends when the key ends, or is gone from the configuration', async () => {
    const browser = await signedIn();
    await browser.get('/ops/more').expect(200);
    for (const [operator, hash] of [
      ['emil', FORMER.hash],
      ['alice', '0'.repeat(64)],
      ['bob', KEY.hash],
    ]) {
      await test.database.query('UPDATE operator_session SET operator = $1, key_hash = $2', [operator, hash]);
      await browser.get('/ops/more').expect(303);
    }
  });

  it('is not there where no operator has a key', async () => {
    const without = await startTestApp();
    for (const path of ['/ops', '/ops/sign-in', '/ops/jobs']) await without.caller().get(path).expect(404);
    await without.close();
  });

  it('is at the port of operators alone, with what its pages load', async () => {
    const apart = await startTestApp({ ...OPERATORS, OPS_PORT: '0' });
    const own = `http://127.0.0.1:${apart.app.get(OperatorsPort).listensAt}`;
    const ask = async (url: string) => (await fetch(url)).status;
    const page = await (await fetch(`${own}/ops/sign-in`)).text();
    const style = /href="(\/assets\/site\.css[^"]*)"/.exec(page)?.[1] ?? '';
    expect([
      await ask(own + style),
      await ask(`${apart.url}/ops/sign-in`),
      await ask(`${own}/drops`),
    ]).toEqual([200, 404, 404]);
    await apart.close();
  });
});

describe('forms', () => {
  let browser: Client;
  beforeAll(async () => {
    browser = await signedIn();
  });

  it.each([
    ['without a token', {}, {}],
    ['with the token of another browser', { form_token: 'other' }, {}],
    ['from another site', { form_token: 'own' }, { 'Sec-Fetch-Site': 'cross-site' }],
    ['from another origin', { form_token: 'own' }, { Origin: 'https://elsewhere.example' }],
  ])('%s change nothing', async (_, given: { form_token?: string }, headers: Record<string, string>) => {
    const domain = await addDomain(test.database);
    const token = given.form_token && (await formToken(given.form_token === 'own' ? browser : test.caller()));
    const form = { domain, reason: REASON, ...(token && { form_token: token }) };
    await browser.post('/ops/do/hideName').set(headers).type('form').send(form).expect(400);
    expect(await audit(`domain:${domain}`)).toEqual([]);
  });

  it('change nothing without a session, nor by an address', async () => {
    const domain = await addDomain(test.database);
    const stranger = test.caller();
    const form = { form_token: await formToken(stranger), domain, reason: REASON };
    await stranger.post('/ops/do/hideName').type('form').send(form).expect(303);
    const { text } = await browser.get('/ops/do/hideName').query({ domain, reason: REASON }).expect(200);
    expect(text).toContain(`<dd>${domain}</dd>`);
    await browser.get('/ops/show/hideName').query({ domain, reason: REASON }).expect(404);
    expect(await audit(`domain:${domain}`)).toEqual([]);
  });

  it('run the command with the reason, once, and the audit log has it', async () => {
    const domain = await addDomain(test.database);
    const back = `/ops/names?domain=${domain}`;
    const { headers } = await act(browser, 'hideName', { domain, reason: REASON, back });
    expect(headers.location).toBe(`${back}&done=hideName`);
    const { text } = await browser.get(headers.location ?? '').expect(200);
    expect(text).toContain('Withhold a name: done.');
    expect(text).toContain(REASON);
    expect(await audit(`domain:${domain}`)).toMatchObject([
      { actor: 'operator:alice', action: 'domain.hide', reason: REASON },
    ]);
    const again = await act(browser, 'hideName', { domain, reason: REASON, back });
    expect(again.headers.location).toBe(`${back}&same=hideName`);
  });

  it('come back with what was typed and the field that is wrong', async () => {
    const { id } = await accountOf('member');
    const { status, text } = await act(browser, 'setTier', { id, tier: 'pro', reason: '' });
    expect(status).toBe(400);
    expect(text).toMatch(/name="reason"[^>]*aria-invalid="true" autofocus/);
    expect(text).toContain('Reason must be 1 to 500 characters.');
    expect(text).toContain('<option selected>pro</option>');
    expect(fieldOf(text.replace(/type="text"[^>]*value/, 'value'), 'back')).toBe('/ops');
    expect(await audit(`account:${id}`)).toEqual([]);
  });

  it('are not shown to a key that may only look, and are refused to it', async () => {
    const dora = await signedIn(LOOKER.text);
    const domain = await addDomain(test.database);
    await dora.get('/ops/names').query({ domain }).expect(200);
    const { text } = await dora.get('/ops/do/hideName').query({ domain }).expect(200);
    expect(text).toContain('Your key is read-only.');
    expect(text).not.toContain('name="reason"');
    expect((await act(dora, 'hideName', { domain, reason: REASON })).status).toBe(403);
    expect(await audit(`domain:${domain}`)).toEqual([]);
  });
});

async function accountOf(tier: 'member' | 'pro', name = 'a key') {
  const { accountId, bearer } = await addKey(test.database, { tier, name });
  return { id: accountId, secret: bearer.replace('Bearer ', '') };
}

describe('pages', () => {
  let browser: Client;
  beforeAll(async () => {
    browser = await signedIn();
  });

  it.each(Object.entries(PAGES))(
    '/ops/%s is there, is kept by nobody, and loads nothing of others',
    async (path, { title }) => {
      const { text, headers } = await browser.get(`/ops/${path}`).expect(200);
      expect(text).toContain(`<h1>${title}</h1>`);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['content-security-policy']).toContain("script-src 'self'");
      expect(text).not.toMatch(/<script|style=|(?:src|href)="(?!\/)(?!#main)/);
      for (const secret of [KEY.text, KEY.hash, LOOKER.hash, 'AUTH_SECRET='])
        expect(text).not.toContain(secret);
    },
  );

  const COMMAND_PAGES = Object.entries<CommandEntry>(COMMANDS).flatMap(([name, entry]) =>
    'route' in entry && entry.file === undefined
      ? [[entry.action === undefined ? 'show' : 'do', name] as const]
      : [],
  );
  it.each(COMMAND_PAGES)('/ops/%s/%s is there', async (door, name) => {
    const { headers } = await browser.get(`/ops/${door}/${name}`).expect(200);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('that are none are told so', async () => {
    for (const path of [
      'nothing',
      'show/nothing',
      'do/readStatus',
      'imports/nothing',
      'accounts/1',
      'file/nothing',
    ])
      await browser.get(`/ops/${path}`).set('Accept', 'text/html').expect(404);
  });

  it('show what others wrote as text', async () => {
    const domain = await addDomain(test.database);
    const { id } = await accountOf('pro', SCRIPT);
    await act(browser, 'hideName', { domain, reason: SCRIPT });
    await test.database.query(
      `WITH kind AS (INSERT INTO work_kind (kind) VALUES ('stale') ON CONFLICT DO NOTHING)
       INSERT INTO work (kind, key, due_at, failures, last_error) VALUES ('stale', '', now(), 3, $1)`,
      [SCRIPT],
    );
    for (const path of ['', '/jobs', '/audit', `/names?domain=${domain}`, `/accounts/${id}`]) {
      const { text } = await browser.get(`/ops${path}`).expect(200);
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(text).not.toContain('<script');
    }
    const { text } = await browser.get('/ops/names').query({ domain: SCRIPT }).expect(400);
    expect(text).not.toContain('<script');
  });

  it('today tells what failed and what is paused, and leads to what to do', async () => {
    await test.database.query(
      `WITH kind AS (INSERT INTO work_kind (kind) VALUES ('export') ON CONFLICT DO NOTHING)
       INSERT INTO work (kind, key, due_at, failures, last_error) VALUES ('export', '', now(), 3, 'no room')`,
    );
    await act(browser, 'pauseJob', { name: 'export', reason: 'until there is room' });
    const { text } = await browser.get('/ops').expect(200);
    expect(text).toContain('export, by operator:alice: until there is room');
    expect(text).toContain('/ops/do/resumeJob?name=export&amp;back=%2Fops');
    expect(text).toContain('no room');
    await act(browser, 'resumeJob', { name: 'export', reason: 'there is room' });
    expect((await audit('job:export')).map(({ action }) => action)).toEqual(['job.resume', 'job.pause']);
  });

  it('the doctor names each part with what to do', async () => {
    const { text } = await browser.get('/ops/doctor').expect(200);
    expect(text).toContain('LIST_DELETED_URLS and LIST_EXPIRED_URLS are empty');
    expect(text).toMatch(/<td data-label="What to do">Read docs\/operations/);
    expect(text).toMatch(/its time is \d+ \w+ \d{4}, [\d:]+ AEST \([\d:]+ UTC\)\./);
    expect(text).not.toMatch(/\d{4}-\d\d-\d\dT/);
  });
});

describe('a list', () => {
  const LIST = `domain,wayback,first_seen\ndropped-in.com.au,12,2026-11-01\nnot a name,1,2026-11-01\n`;

  it('is tried, its rejects are a file, and it is imported', async () => {
    const browser = await signedIn();
    const send = async (isDry: string, text: string | Buffer = LIST) => {
      const token = await formToken(browser);
      const fields = { form_token: token, reason: 'the list of the day', dry_run: isDry, vouched_by: '' };
      return browser
        .post('/ops/do/uploadList')
        .field(fields)
        .attach('list', Buffer.from(text), 'list<1>.csv');
    };
    const ended = (path: string) =>
      until('the import ends', async () => {
        const { text } = await browser.get(path).expect(200);
        return text.includes('<dd>running</dd>') ? undefined : text;
      });
    const dry = await send('true');
    const [path = ''] = String(dry.headers.location).split('?');
    expect(path).toMatch(/^\/ops\/imports\/[\da-f-]{36}$/);
    const tried = await ended(path);
    expect(tried).toContain('What an import would do');
    expect(tried).toContain('list_1_.csv');
    const { text: rejects } = await browser
      .get('/ops/file/downloadRejects')
      .query({ id: path.split('/')[3] })
      .expect(200);
    expect(rejects).toMatch(/^line,domain,reason\n3,not a name,/);
    expect((await browser.get('/ops/names?domain=dropped-in.com.au')).status).toBe(404);

    const done = await send('false');
    expect(await ended(String(done.headers.location).split('?')[0] ?? '')).toContain('What it did');
    await browser.get('/ops/names?domain=dropped-in.com.au').expect(200);

    expect((await send('true', Buffer.alloc(1_100_000, 'x'))).status).toBe(413);
    const token = await formToken(browser);
    const without = await browser.post('/ops/do/uploadList').field({ form_token: token, reason: REASON });
    expect([without.status, without.text.includes('Choose a file.')]).toEqual([400, true]);
  });
});
