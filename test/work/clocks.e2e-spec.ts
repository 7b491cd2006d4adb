import { Clock } from '../../src/db/database.js';
import { dayInPurgeZone } from '../../src/domains/schema/calendar-date.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { WorkKinds } from '../../src/work/kind.js';
import { addKey } from '../support/accounts.js';
import { addDomains } from '../support/domains.js';
import { createEngine } from '../support/jobs.js';
import { PASSWORD, signedInVisitor, startAccountsApp, type AccountsApp } from '../support/visitor.js';
import { setClock } from '../support/wrong-clock.js';

const DAY_MS = 86_400_000;
const TOKEN = 'a-token-for-prometheus-of-32-characters';
const KEY = mintOperatorKey();
const NEVER = new AbortController().signal;

let test: AccountsApp;
beforeAll(async () => {
  test = await startAccountsApp({ METRICS_TOKEN: TOKEN, OPERATOR_KEY_HASH: `alice:${KEY.hash}` });
  await addDomains(
    test.database,
    Array.from({ length: 20 }, (_, place) => ({
      domain: `clock-${place}.com.au`,
      wayback: place,
      first_seen: '2026-11-01',
      available: true,
      hidden: false,
    })),
  );
});
afterAll(() => test.close());
afterEach(() => jest.useRealTimers());

/** Rows by table. */
async function countRows(): Promise<Record<string, number>> {
  const tables = await test.database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT IN ('work', 'work_process')`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await test.database.query<{ rows: number }>(`SELECT count(*)::int AS rows FROM "${name}"`);
    counts[name] = row?.rows ?? 0;
  }
  return counts;
}

async function purgeAll(): Promise<string[]> {
  const purges = test.app.get(WorkKinds).all.filter(({ name }) => name.endsWith('-purge'));
  const work = { key: '', cursor: null, failures: 0, isSlow: false };
  for (const kind of purges)
    await kind.run({ kind: kind.name, ...work }, await test.app.get(Clock).now(), NEVER, () => undefined);
  return purges.map(({ name }) => name);
}

// The first of all: figures are kept for seconds.
it('an instance whose clock is wrong says so in its metrics', async () => {
  setClock(400);
  const { text } = await test.caller().get('/metrics').auth(TOKEN, { type: 'bearer' }).expect(200);
  const [, ahead] = /^bowerbird_clock_ahead_seconds (\S+)$/m.exec(text) ?? [];
  expect(Math.abs(Number(ahead) / 86_400 - 400)).toBeLessThan(0.1);
});

describe.each([400, -400])('an instance whose clock is %i days off', (days) => {
  it('purges what is old by the clock of the database, and nothing else', async () => {
    const visitor = await signedInVisitor(test);
    await visitor.send('/profile/second-factor', { password: PASSWORD }).expect(201);
    await visitor.send('/sign-up', { email: `somebody${days}@example.com` }).expect(200);
    await test.caller().get('/v1/suggest?limit=3').expect(200);
    const { accountId } = await addKey(test.database, { expiresAt: new Date(Date.now() + DAY_MS) });
    const entry = `INSERT INTO audit_log (at, actor, action, subject, reason)
                   VALUES (now() - make_interval(days => $1), 'tests', 'test', $2, '')`;
    await test.database.query(entry, [364, `kept ${days}`]);
    await test.database.query(entry, [366, `old ${days}`]);
    // As an instance whose clock is ahead writes it: it would lock its subject out for as long.
    await test.database.query(
      `INSERT INTO account_attempt (key, points, expire)
       VALUES ($1, 99, (extract(epoch FROM now() + interval '400 days') * 1000)::bigint)`,
      [`stuck ${days}`],
    );
    await purgeAll();
    await test.database.query(entry, [366, `old again ${days}`]);
    const before = await countRows();
    setClock(days);
    const names = await purgeAll();
    jest.useRealTimers();
    expect(names).toEqual(expect.arrayContaining(['audit-purge', 'account-purge', 'budget-purge']));
    const after = await countRows();
    // What the application writes meanwhile, such as kept answers and counts of a minute, only adds rows.
    const shrunk = Object.entries(after).filter(([name, rows]) => rows < (before[name] ?? 0));
    expect(shrunk).toEqual([['audit_log', (before.audit_log ?? 0) - 1]]);
    const left = await test.database.query<{ subject: string }>(
      `SELECT subject FROM audit_log WHERE actor = 'tests' AND subject LIKE $1`,
      [`% ${days}`],
    );
    expect(left).toEqual([{ subject: `kept ${days}` }]);
    expect(await test.database.query(`SELECT FROM account_attempt WHERE key LIKE 'stuck%'`)).toEqual([]);
    expect(await test.database.query('SELECT FROM account WHERE id = $1', [accountId])).toHaveLength(1);
  });

  it('takes no lease of another, and gives its own the same time', async () => {
    let end: () => void = () => undefined;
    const kind = (run: () => Promise<object>) => ({ name: `lease-${days}`, everyMs: 1_000, run });
    const holder = createEngine(
      test.database,
      kind(() => new Promise((resolve) => (end = () => resolve({})))),
    );
    const clock = test.app.get(Clock);
    const { begun } = await holder.step(await clock.now());
    expect(begun).toHaveLength(1);
    let ran = 0;
    const other = createEngine(
      test.database,
      kind(() => Promise.resolve({ ran: (ran += 1) })),
    );
    setClock(days);
    for (let turn = 0; turn < 3; turn += 1) await other.runDue(await clock.now());
    jest.useRealTimers();
    expect(ran).toBe(0);
    end();
    await Promise.all(begun);
  });

  it('counts budgets in the minute of the database', async () => {
    const caller = test.caller();
    const ask = () => caller.get('/v1/suggest?limit=5');
    // Where a minute turns between two requests, the next two are in one.
    for (;;) {
      const minute = async () => Math.floor((await test.app.get(Clock).now()).getTime() / 60_000);
      const begun = await minute();
      await ask();
      setClock(days);
      const { status } = await ask();
      jest.useRealTimers();
      if ((await minute()) !== begun) continue;
      expect(status).toBe(429);
      return;
    }
  });

  it('means by today the day of the database', async () => {
    const { bearer } = await addKey(test.database, { tier: 'starter' });
    const before = await test.app.get(Clock).now();
    setClock(days);
    const { body } = await test
      .caller()
      .get('/api/v1/drops/upcoming?date=today')
      .set('Authorization', bearer)
      .expect(200);
    jest.useRealTimers();
    expect([before, new Date()].map((moment) => dayInPurgeZone(moment))).toContain(body.date);
  });

  it('knows keys that have expired, and those that have not', async () => {
    const inTime = await addKey(test.database, { expiresAt: new Date(Date.now() + DAY_MS) });
    const over = await addKey(test.database, { expiresAt: new Date(Date.now() - 1_000) });
    setClock(days);
    const statusOf = async ({ bearer }: { bearer: string }) =>
      (await test.caller().get('/api/v1/usage').set('Authorization', bearer)).status;
    // The second time from memory.
    expect([await statusOf(inTime), await statusOf(inTime), await statusOf(over)]).toEqual([200, 200, 401]);
  });

  it('knows by the clock of the database which beginning of the feed lies in the future', async () => {
    const { bearer } = await addKey(test.database, { tier: 'pro' });
    const since = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
    const [ahead, tooFar] = [since(2), since(30)];
    setClock(days);
    const ask = (time: string) =>
      test.caller().get(`/api/v1/dropped?since=${time}`).set('Authorization', bearer);
    const statuses = [(await ask(ahead)).status, (await ask(tooFar)).status];
    jest.useRealTimers();
    expect(statuses).toEqual([200, 400]);
  });

  it('ends no session, begins none that lasts longer, and takes none that has expired', async () => {
    const visitor = await signedInVisitor(test);
    setClock(days);
    await visitor.open('/profile').expect(200);
    const other = await signedInVisitor(test);
    await other.open('/profile').expect(200);
    jest.useRealTimers();
    await other.open('/profile').expect(200);
    const [{ days: longest } = { days: NaN }] = await test.database.query<{ days: number }>(
      `SELECT max(abs(extract(epoch FROM expires_at - now()) / 86400 - 7))::float8 AS days FROM account_session`,
    );
    expect(longest).toBeLessThan(0.1);
    await test.database.query(`UPDATE account_session SET expires_at = now() - interval '1 minute'`);
    setClock(days);
    await visitor.open('/profile').expect(303);
  });

  it('counts attempts in the windows of the database', async () => {
    const visitor = await signedInVisitor(test);
    const attempt = (status: number) =>
      visitor.send('/profile/second-factor', { password: `not ${PASSWORD}` }).expect(status);
    for (let wrong = 0; wrong < 10; wrong += 1) await attempt(401);
    setClock(days);
    await attempt(429);
    jest.useRealTimers();
    const wrong = await test.database.query(
      `SELECT key FROM account_attempt
        WHERE abs(expire - extract(epoch FROM now()) * 1000) > 2 * 3600 * 1000`,
    );
    expect(wrong).toEqual([]);
  });

  it('tells the doctor by how much', async () => {
    setClock(days);
    const { body } = await test.caller().get('/ops/v1/doctor').auth(KEY.text, { type: 'bearer' }).expect(200);
    const { checks } = body as { checks: { part: string }[] };
    const finding = `The clock of this machine is \\S+ s ${days > 0 ? 'ahead of' : 'behind'} PostgreSQL's\\.`;
    expect(checks.find(({ part }) => part === 'clock')).toMatchObject({
      ...{ state: 'problem', finding: expect.stringMatching(finding) },
    });
  });

  it('is not ready, and says by how much', async () => {
    await test.caller().get('/readyz').expect(200, { ok: true });
    setClock(days);
    const { body } = await test.caller().get('/readyz').expect(503);
    expect(body.error).toMatchObject({
      code: 'not_ready',
      message: expect.stringMatching(/^The clock of this instance is -?345\d{5} s ahead/),
    });
  });
});

it('an instance whose clock is a minute off is ready, and says so', async () => {
  setClock(1 / 1_440);
  const { body } = await test.caller().get('/readyz').expect(200);
  expect(body.clock_ahead_seconds).toBeGreaterThan(50);
  jest.useRealTimers();
});
