import { randomUUID } from 'node:crypto';
import { KeyMisuse } from '../../src/access/key-networks.js';
import { addKey } from '../support/accounts.js';
import { holdMinute } from '../support/clock.js';
import { addDomain } from '../support/domains.js';
import { until } from '../support/processes.js';
import {
  accountsAppOfFile,
  fieldOf,
  mailsTo,
  makeKey,
  PASSWORD,
  signedInVisitor,
  type Visitor,
  visitorOf,
} from '../support/visitor.js';

const test = accountsAppOfFile({ TIERS: '{"member":{"quota":{"period":"hour","records":7}}}' });
beforeAll(async () => {
  holdMinute(test);
  for (let count = 0; count < 12; count += 1) await addDomain(test.database);
});

const ask = (key: string, path = '/v1/suggest?limit=5') =>
  test.caller().get(path).set('Authorization', `Bearer ${key}`);
const listOf = async (visitor: Visitor) => (await visitor.open('/profile/api-keys').expect(200)).text;
// At once, by the instance that it was taken back at; by others within a second: see auth.e2e-spec.ts.
const refused = (key: string) => ask(key, '/v1/stats').expect(401);

describe('a key from its making to its end', () => {
  it('is made, used, runs into the limit, says so, is revoked and refused', async () => {
    const visitor = await signedInVisitor(test);
    expect(await listOf(visitor)).toContain('You have no keys yet.');
    const { text, id } = await makeKey(visitor, { name: 'Shop <1>' });
    expect(text).toMatch(/^dau_live_[0-9A-Za-z]{36}$/);

    const first = await ask(text).expect(200);
    expect(first.body).toMatchObject({
      count: 5,
      // The least that any window leaves.
      rate: { limit_per_min: 100, remaining: 2 },
      quota: { period: 'hour', limit: 7, remaining: 2, resets_at: expect.stringMatching(/:00:00\.000Z$/) },
    });
    expect(first.headers['ratelimit-policy']).toContain('"member";q=100;w=60, "member-hour";q=7;w=3600');
    const second = await ask(text).expect(200);
    expect(second.body).toMatchObject({ count: 2, quota: { remaining: 0 } });
    expect(second.body.note).toContain(second.body.quota.resets_at);
    const third = await ask(text).expect(429);
    expect(third.body.error.message).toContain('7 domain records an hour');

    const usage = await ask(text, '/api/v1/usage').expect(200);
    expect(usage.body).toMatchObject({
      ok: true,
      tier: 'member',
      scopes: ['read'],
      includes: { page_size: 10, paging: false, fields: 'restricted', feed: false },
      quota: { limit: 7, remaining: 0 },
    });
    expect((await ask(text, '/api/v1/usage')).body.quota).toEqual(usage.body.quota);

    const page = await listOf(visitor);
    expect(page).toContain('Shop &lt;1&gt;');
    expect(page).toContain('<strong>0</strong> of 7 this hour');

    await visitor.send(`/profile/api-keys/${id}/revoke`, {}).expect(303);
    await refused(text);
    expect(await listOf(visitor)).toMatch(/revoked [^<]+ AEST \([\d:]+ UTC\)/);
  });

  const NEVER_USED = /<td [^>]*>never<\/td>/;

  it('shows its last use', async () => {
    const visitor = await signedInVisitor(test);
    const { text } = await makeKey(visitor);
    expect(await listOf(visitor)).toMatch(NEVER_USED);
    await ask(text, '/v1/stats').expect(200);
    expect(await listOf(visitor)).not.toMatch(NEVER_USED);
  });

  it('gets another name', async () => {
    const visitor = await signedInVisitor(test);
    const { id } = await makeKey(visitor, { name: 'Old name' });
    await visitor.send(`/profile/api-keys/${id}/rename`, { name: ' New name ' }).expect(303);
    const page = await listOf(visitor);
    expect(page).toContain('<th scope="row">New name</th>');
    expect(page).not.toContain('Old name');
  });

  it('is replaced by another, and both work until the time is up', async () => {
    const visitor = await signedInVisitor(test);
    const old = await makeKey(visitor, { name: 'Rotated', kind: 'test', scopes: ['read', 'webhooks'] });
    const replaced = await replace(visitor, old.id, '24').expect(201);
    const next = /value="(dau_[^"]+)"/.exec(replaced.text)?.[1] ?? '';
    expect(next).toMatch(/^dau_test_/);
    expect(next).not.toBe(old.text);
    for (const key of [old.text, next]) await ask(key, '/v1/stats').expect(200);
    const keys = await test.database.query(
      `SELECT name, kind, scopes, round(extract(epoch FROM expires_at - now()) / 3600)::int AS hours
         FROM api_key WHERE name = 'Rotated' ORDER BY created_at`,
    );
    expect(keys).toEqual([
      { name: 'Rotated', kind: 'test', scopes: ['read', 'webhooks'], hours: 24 },
      { name: 'Rotated', kind: 'test', scopes: ['read', 'webhooks'], hours: 720 },
    ]);
  });

  it('is replaced at once, and the old one is refused', async () => {
    const visitor = await signedInVisitor(test);
    const old = await makeKey(visitor);
    await ask(old.text, '/v1/stats').expect(200);
    await replace(visitor, old.id, '0').expect(201);
    await refused(old.text);
    await replace(visitor, old.id, '24').expect(409);
  });

  it('is replaced once: the change-over shortens its life, and not that of the next key', async () => {
    const visitor = await signedInVisitor(test);
    const { id } = await makeKey(visitor);
    await replace(visitor, id, '1').expect(201);
    const again = await replace(visitor, id, '1').expect(409);
    expect(again.text).toContain('replaced before');
    const page = await listOf(visitor);
    expect(page).toContain('replaced, works until');
    expect(page).not.toContain(`${id}/rotate`);
    expect(page).toContain(`${id}/revoke`);
  });

  it('is replaced once also when it is asked for several times at the same moment', async () => {
    const visitor = await signedInVisitor(test);
    const { id } = await makeKey(visitor, { name: 'Raced' });
    const answers = await Promise.all([1, 2, 3].map(() => replace(visitor, id, '1')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await test.database.query(`SELECT id FROM api_key WHERE name = 'Raced'`)).toHaveLength(2);
  });

  it('can be replaced at once by who has as many as can be', async () => {
    const visitor = await signedInVisitor(test);
    const [first, second] = [await makeKey(visitor), await makeKey(visitor)];
    const [account] = await test.database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      visitor.email,
    ]);
    for (let count = 2; count < 20; count += 1) await addKey(test.database, { accountId: account?.id });
    await replace(visitor, first.id, '1').expect(201);
    const full = await replace(visitor, second.id, '1').expect(409);
    expect(full.text).toContain('20 keys work already');
    await replace(visitor, second.id, '0').expect(201);
    await refused(second.text);
  });

  it('stops working with its account', async () => {
    const visitor = await signedInVisitor(test);
    const { text } = await makeKey(visitor);
    await ask(text, '/v1/stats').expect(200);
    await visitor.send('/profile/delete', { password: PASSWORD }).expect(303);
    await refused(text);
  });

  const replace = (visitor: Visitor, id: string, hours: string) =>
    visitor.send(`/profile/api-keys/${id}/rotate`, { submission: randomUUID(), overlap_hours: hours });
});

describe('the text of a key', () => {
  it('stands on one page, once, and nowhere else', async () => {
    const visitor = await signedInVisitor(test);
    const submission = fieldOf(await listOf(visitor), 'submission');
    const form = { submission, name: 'Once', kind: 'live', scopes: 'read', expires_days: '0' };
    const made = await visitor.send('/profile/api-keys', form).expect(201);
    const text = /value="(dau_[^"]+)"/.exec(made.text)?.[1] ?? '';
    expect(made.headers['cache-control']).toBe('no-store');
    expect(made.headers.location).toBeUndefined();
    await ask(text, '/v1/stats').expect(200);

    const secret = text.slice(13, -4);
    const again = await visitor.send('/profile/api-keys', form).expect(409);
    for (const page of [again.text, await listOf(visitor), (await visitor.open('/profile')).text])
      expect(page).not.toContain(secret);
    expect(test.log.join('')).not.toContain(secret);
    expect(JSON.stringify(test.mail.mails)).not.toContain(secret);
    for (const table of [
      'api_key',
      'account_session',
      'account_link',
      'account_credential',
      'record_budget',
    ]) {
      const rows = await test.database.query(`SELECT * FROM ${table}`);
      expect(JSON.stringify(rows)).not.toContain(secret);
    }
  });
});

describe('the form of a new key', () => {
  it('that is sent twice at the same moment makes one key', async () => {
    const visitor = await signedInVisitor(test);
    const form = { submission: randomUUID(), name: 'Twice', kind: 'live', scopes: 'read', expires_days: '0' };
    const answers = await Promise.all([1, 2, 3].map(() => visitor.send('/profile/api-keys', form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it('makes twenty working keys at most, also at the same moment', async () => {
    const visitor = await signedInVisitor(test);
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        visitor.send('/profile/api-keys', {
          submission: randomUUID(),
          name: `Key ${index}`,
          kind: 'live',
          scopes: 'read',
          expires_days: '0',
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const refusal = answers.find(({ status }) => status === 409);
    expect(refusal?.text).toContain('20 keys work already');
  });

  it.each([
    ['no name', { name: '' }, 'A name has 1 to 60 characters'],
    ['a long name', { name: 'x'.repeat(61) }, 'A name has 1 to 60 characters'],
    ['a name with control characters', { name: 'a\u0000b' }, 'A name has no control characters'],
    [
      'a name with invisible characters',
      { name: '\u{1f469}\u200d\u{1f680}' },
      'A name has no control characters',
    ],
    ['an unknown scope', { scopes: 'admin' }, 'not complete'],
    ['no scope', { scopes: [] }, 'Choose at least one scope'],
    ['an unknown kind', { kind: 'root' }, 'not complete'],
    ['a life that never ends', { expires_days: '100000' }, 'Works for must be an integer from 0 to 365'],
    ['a network that is none', { networks: '203.0.113.0/24, everywhere' }, 'Enter at most 10 networks'],
    [
      'too many networks',
      { networks: Array.from({ length: 11 }, (_, n) => `10.0.${n}.0/24`).join(' ') },
      'at most 10',
    ],
    ['no submission', { submission: '' }, 'not complete'],
    ['a field too many', { account_id: randomUUID() }, 'account_id is not a parameter here'],
  ])('with %s is a 400 that says so', async (_, wrong, message) => {
    const visitor = await signedInVisitor(test);
    const form = {
      submission: randomUUID(),
      name: 'Wrong',
      kind: 'live',
      scopes: 'read',
      expires_days: '30',
    };
    const { text } = await visitor.send('/profile/api-keys', { ...form, ...wrong }).expect(400);
    expect(text).toContain(message);
    expect(await listOf(visitor)).toContain('You have no keys yet.');
  });
});

describe('the keys of others', () => {
  it('are neither seen nor touched', async () => {
    const owner = await signedInVisitor(test);
    const { text, id } = await makeKey(owner, { name: 'Not yours' });
    const other = await signedInVisitor(test);
    expect(await listOf(other)).not.toContain('Not yours');
    const submission = randomUUID();
    await other.send(`/profile/api-keys/${id}/revoke`, {}).expect(404);
    await other.send(`/profile/api-keys/${id}/rename`, { name: 'Mine' }).expect(404);
    await other.send(`/profile/api-keys/${id}/rotate`, { submission, overlap_hours: '1' }).expect(404);
    await other.send(`/profile/api-keys/1 OR 1=1/revoke`, {}).expect(400);
    await ask(text, '/v1/stats').expect(200);
    expect(await listOf(owner)).toContain('Not yours');
  });
});

it('actions of an account are on its activity page, and changes of keys are mailed', async () => {
  const visitor = await signedInVisitor(test);
  const { email } = visitor;
  await visitor
    .send('/sign-in', { email, password: PASSWORD })
    .set('X-Forwarded-For', '203.0.113.77')
    .expect(303);
  const { id } = await makeKey(visitor, { name: 'For <the> trail' });
  await visitor.send(`/profile/api-keys/${id}/revoke`, {}).expect(303);
  const { text } = await visitor.open('/profile/activity').expect(200);
  const told = ['A key was revoked', 'A key was made: For &lt;the&gt; trail', 'Signed in'].map((words) =>
    text.indexOf(words),
  );
  expect(told).toEqual([...told].sort((one, other) => one - other));
  expect(Math.min(...told)).toBeGreaterThan(0);
  expect(text).toMatch(/<time datetime="[^"]+Z">[^<]+ AEST \([\d:]+ UTC\)<\/time>/);
  expect(await listOf(visitor)).toMatch(/data-label="Made"><time datetime="[^"]+Z" title="[^"]+">just now</);
  expect(text).toContain('203.0.113.0/24');
  expect(text).not.toContain('203.0.113.77');
  await until(
    'two mails',
    () => mailsTo(test, email).filter(({ subject }) => subject.startsWith('A key')).length === 2,
  );
  const other = await signedInVisitor(test);
  expect((await other.open('/profile/activity').expect(200)).text).not.toContain('A key was');
  await visitorOf(test).open('/profile/activity').expect(303);
});

it('a key that is bound to networks is refused elsewhere, and its owner hears of each network once', async () => {
  const visitor = await signedInVisitor(test);
  const { text } = await makeKey(visitor, { name: 'Bound', networks: '198.51.100.0/24 2001:db8:7::/48' });
  const from = (address: string) => ask(text, '/v1/stats').set('X-Forwarded-For', address);
  await from('198.51.100.9').expect(200);
  await from('2001:db8:7:1::9').expect(200);
  const { body } = await from('203.0.113.9').expect(401);
  // What a key that nobody has gets: it tells a thief nothing.
  const { body: unknown } = await ask(text.replace(/.$/, 'x'), '/v1/stats').expect(401);
  expect({ ...body.error, request_id: '' }).toEqual({ ...unknown.error, request_id: '' });
  const misuse = test.app.get(KeyMisuse);
  await misuse.write();
  await from('203.0.113.10').expect(401);
  await misuse.write();
  expect(await listOf(visitor)).toContain('only from 198.51.100.0/24, 2001:db8:7::/48');
  expect((await visitor.open('/profile/activity').expect(200)).text).toContain(
    'A key was refused outside its networks',
  );
  await until('the mail', () =>
    mailsTo(test, visitor.email).some(({ text: words }) => words.includes('used from 203.0.113.0/24')),
  );
  const warnings = mailsTo(test, visitor.email).filter(({ subject }) =>
    subject.includes('outside its networks'),
  );
  expect(warnings).toHaveLength(1);
  // A key that takes its place is bound as well.
  const { text: page } = await visitor.open('/profile/api-keys').expect(200);
  const [, id = ''] = /api-keys\/([0-9a-f-]{36})\/rotate/.exec(page) ?? [];
  const replaced = await visitor
    .send(`/profile/api-keys/${id}/rotate`, { submission: randomUUID(), overlap_hours: '1' })
    .expect(201);
  const next = /value="(dau_[^"]+)"/.exec(replaced.text)?.[1] ?? '';
  await ask(next, '/v1/stats').set('X-Forwarded-For', '203.0.113.9').expect(401);
  await ask(next, '/v1/stats').set('X-Forwarded-For', '198.51.100.9').expect(200);
});
