import { Lifecycle } from '../../src/domains/lifecycle/lifecycle.js';
import { addKey, type KeySeed, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { holdMinute } from '../support/clock.js';
import { addInState, settle as settleIn } from '../support/domains.js';
import { importVouched } from '../support/import.js';
import { DomainEventRepository } from '../../src/domains/feed/domain-event.repository.js';
import { feedCursorBehind } from '../../src/domains/feed/feed-cursor.js';
import { writeCursor } from '../../src/domains/schema/page-cursor.js';
import { FEED_TYPES, USUAL_TYPES } from '../../src/domains/schema/events.js';
import { WEBHOOK_DEFAULTS } from '../../src/notify/webhooks/webhook.dto.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({
    ...WITH_KEYS,
    TIERS: JSON.stringify({ firehose: { recordsPerMinute: 1_000_000, requestsPerMinute: 1_000_000 } }),
  });
  holdMinute(test);
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.database.query('DELETE FROM domain_event');
  await test.database.query('DELETE FROM domain');
  await test.database.query('UPDATE dataset SET available_records = 0');
});

interface Answer {
  results: {
    number: number;
    type: string;
    timestamp: string;
    data: { domain: string; available: boolean };
  }[];
  count: number;
  has_more: boolean;
  next_cursor: string;
}

async function withKey(seed: Partial<KeySeed> = { tier: 'firehose' }) {
  const { bearer } = await addKey(test.database, seed);
  return (path: string) => test.caller().get(path).set('Authorization', bearer);
}

const drop = (...names: string[]) =>
  importVouched(test.database, `domain,first_seen\n${names.map((name) => `${name},2026-11-01\n`).join('')}`, {
    now: new Date(),
  });
const settle = (name: string, available: boolean, at = new Date()) =>
  settleIn(test.database, name, available, at);
const said = ({ results }: Answer) => results.map(({ type, data }) => `${type} ${data.domain}`);

describe('GET /api/v1/dropped', () => {
  it('says in words that a cursor points at events that are no longer kept, and begins with those that are', async () => {
    const get = await withKey();
    await drop('long-ago.com.au', 'old.com.au', 'kept.com.au');
    const [first] = await test.database.query<{ number: number }>(
      'SELECT min(number)::int AS number FROM domain_event',
    );
    const place = (number: number) => feedCursorBehind({ number, seen: null });
    const [from, now] = [first?.number ?? 0, new Date()];
    // A month more than the feed keeps, and a month less.
    for (const [months, numbers] of [
      [26, [from, from + 1]],
      [24, [from + 2]],
    ] as const)
      await test.database.query(
        `UPDATE domain_event SET occurred_at = $1::timestamptz - make_interval(months => $2) WHERE number = ANY ($3)`,
        [now, months, numbers],
      );
    const events = test.app.get(DomainEventRepository);
    expect([
      await events.deleteOld(now, 1),
      await events.deleteOld(now, 10),
      await events.deleteOld(now, 10),
    ]).toEqual([1, 1, 0]);
    for (const number of [0, from]) {
      const { body } = await get(`/api/v1/dropped?cursor=${place(number)}`).expect(410);
      expect(body.error).toMatchObject({
        code: 'gone',
        message: expect.stringMatching(/kept for 25 months.*begin with since/),
      });
    }
    const [oldest] = await test.database.query<{ at: Date }>(
      'SELECT min(occurred_at) AS at FROM domain_event',
    );
    const keptFrom = oldest?.at.toISOString() ?? '';
    for (const [start, missingBefore] of [
      [`cursor=${place(from + 1)}`, undefined],
      ['since=2020-01-01T00:00:00Z', keptFrom],
      [`since=${keptFrom}`, undefined],
    ]) {
      const { body } = await get(`/api/v1/dropped?${start}`).expect(200);
      expect(said(body)).toEqual([expect.stringContaining('domain.dropped ')]);
      expect([start, body.missing_before]).toEqual([start, missingBefore]);
    }
    await test.database.query('UPDATE dataset SET first_event = 1');
  });

  it('moves the cursor on past events that its reader does not ask for, so that it outlives them', async () => {
    const get = await withKey();
    await drop('one.com.au', 'two.com.au');
    const since = 'since=2026-11-01T00:00:00Z&types=domain.restored';
    const { body } = await get(`/api/v1/dropped?${since}`).expect(200);
    expect([said(body), body.has_more]).toEqual([[], false]);
    await test.database.query('UPDATE dataset SET first_event = last_event + 1');
    await test.database.query('DELETE FROM domain_event');
    const later = await get(`/api/v1/dropped?cursor=${body.next_cursor}`).expect(200);
    expect(later.body).toMatchObject({ results: [], has_more: false });
    await test.database.query('UPDATE dataset SET first_event = 1');
  });

  it('tells of what is about to drop, and what was saved from it, only to those who ask', async () => {
    await addInState(test.database, [
      { domain: 'ahead.com.au', state: 'listed' },
      { domain: 'saved.com.au', state: 'rescued' },
    ]);
    await test.database.query(`
      INSERT INTO domain_event (number, type, domain, occurred_at) VALUES
        (900001, 'domain.listed', 'ahead.com.au', '2026-11-02T00:00:00Z'),
        (900002, 'domain.listed', 'saved.com.au', '2026-11-02T00:00:00Z'),
        (900003, 'domain.rescued', 'saved.com.au', '2026-11-03T00:00:00Z')`);
    await test.database.query('UPDATE dataset SET last_event = 900003');
    const get = await withKey();
    const since = 'since=2026-11-01T00:00:00Z';
    expect((await get(`/api/v1/dropped?${since}`).expect(200)).body.results).toEqual([]);
    // Without seconds it is taken, and given back as a time that schemas know.
    const short = await get('/api/v1/dropped?since=2026-11-01T00:00Z').expect(200);
    expect(short.body.since).toBe('2026-11-01T00:00:00.000Z');
    const { body } = await get(`/api/v1/dropped?${since}&types=domain.listed,domain.rescued&limit=2`).expect(
      200,
    );
    expect(said(body)).toEqual(['domain.listed ahead.com.au', 'domain.listed saved.com.au']);
    expect(body.has_more).toBe(true);
    const rest = await get(`/api/v1/dropped?types=domain.rescued&cursor=${body.next_cursor}`).expect(200);
    expect(said(rest.body)).toEqual(['domain.rescued saved.com.au']);
    const alone = await get(`/api/v1/dropped?cursor=${body.next_cursor}`).expect(200);
    expect(said(alone.body)).toEqual(['domain.rescued saved.com.au']);
    const refused = await get(`/api/v1/dropped?${since}&types=domain.gone`).expect(400);
    expect(refused.body.error.message).toMatch(/^types must be one or more of domain.dropped/);
  });

  it('tells what dropped and what was taken again, oldest first, with whole records', async () => {
    await drop('first.com.au', 'second.com.au');
    await settle('first.com.au', false);
    await settle('first.com.au', true);
    const get = await withKey();
    const { body } = await get('/api/v1/dropped?since=2026-11-01T00:00:00Z').expect(200);
    expect(said(body)).toEqual([
      'domain.dropped first.com.au',
      'domain.dropped second.com.au',
      'domain.taken first.com.au',
      'domain.dropped first.com.au',
    ]);
    expect(body).toMatchObject({ ok: true, count: 4, has_more: false, next_cursor: expect.any(String) });
    expect(body.results[0].data).toMatchObject({ length: 5, hyphens: 0, archive: { status: 'pending' } });
    expect(body.rate.limit_per_min - body.rate.remaining).toBe(4);
  });

  it('a tombstone shows the name as it is now', async () => {
    await drop('gone.com.au');
    await settle('gone.com.au', false);
    const get = await withKey();
    const { body } = await get('/api/v1/dropped?since=2026-11-01T00:00:00Z');
    expect(body.results.map(({ data }: Answer['results'][0]) => [data.available])).toEqual([
      [false],
      [false],
    ]);
  });

  it('begins at the time asked for, to the microsecond, at any place of the feed', async () => {
    for (let place = 0; place < 12; place += 1) await drop(`name-${place}.com.au`);
    // Gaps, as numbers may have them.
    await test.database.query('DELETE FROM domain_event WHERE number % 5 = 2');
    const times = await test.database.query<{ time: string; number: string }>(
      `SELECT number, to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS time FROM domain_event ORDER BY number`,
    );
    const events = test.app.get(DomainEventRepository);
    for (const [place, { time }] of times.entries()) {
      const before = await events.findStart(time);
      const { result } = await events.listEventsAfter(before, 100, FEED_TYPES);
      expect(result.events.map(({ number }) => String(number))).toEqual(
        times.slice(place).map(({ number }) => number),
      );
    }
  });

  it('a new event of the table is sent only to those who ask for it', () => {
    expect(USUAL_TYPES).toEqual(['domain.dropped', 'domain.taken']);
    expect(WEBHOOK_DEFAULTS.events).toEqual(['domain.dropped']);
  });

  it('the database takes every event of the table, and no other', async () => {
    const [row] = await test.database.query<{ rule: string }>(
      `SELECT pg_get_constraintdef(oid) AS rule FROM pg_constraint WHERE conname = 'domain_event_type_check'`,
    );
    const types = [...(row?.rule ?? '').matchAll(/'(domain\.\w+)'/g)].map(([, type]) => type);
    expect(types.sort()).toEqual([...FEED_TYPES].sort());
  });

  it('a page that ends with the last event says that there are no more', async () => {
    await drop('a1.com.au', 'a2.com.au');
    const get = await withKey();
    const { body } = await get('/api/v1/dropped?since=2026-11-01T00:00:00Z&limit=2').expect(200);
    expect([said(body).length, body.has_more]).toEqual([2, false]);
  });

  it('goes on by cursor, also when nothing has followed yet', async () => {
    await drop('a1.com.au', 'a2.com.au', 'a3.com.au');
    const get = await withKey();
    const first: Answer = (await get('/api/v1/dropped?since=2026-11-01T00:00:00Z&limit=2')).body;
    expect([said(first).length, first.has_more]).toEqual([2, true]);
    const { body: second, headers } = await get(`/api/v1/dropped?limit=2&cursor=${first.next_cursor}`);
    expect([said(second), second.has_more]).toEqual([['domain.dropped a3.com.au'], false]);
    // The feed has a cursor at its end too; a link there would be followed for ever.
    expect(headers).not.toHaveProperty('link');
    const third: Answer = (await get(`/api/v1/dropped?cursor=${second.next_cursor}`)).body;
    expect([said(third), third.next_cursor]).toEqual([[], second.next_cursor]);
    await drop('a4.com.au');
    const fourth: Answer = (await get(`/api/v1/dropped?cursor=${third.next_cursor}`)).body;
    expect(said(fourth)).toEqual(['domain.dropped a4.com.au']);
  });

  it('says nothing of names that the operator withholds, and tells them when they are shown', async () => {
    await importVouched(test.database, 'domain,hidden\nsecret.com.au,true\nopen.com.au,false\n');
    const get = await withKey();
    const first: Answer = (await get('/api/v1/dropped?since=2026-11-01T00:00:00Z')).body;
    expect(said(first)).toEqual(['domain.dropped open.com.au']);
    await importVouched(test.database, 'domain,hidden\nsecret.com.au,false\n');
    const second: Answer = (await get(`/api/v1/dropped?cursor=${first.next_cursor}`)).body;
    expect(said(second)).toEqual(['domain.dropped secret.com.au']);
  });

  it('tells who keeps a copy what to leave out of it and what belongs in again, each once, and nothing else of it', async () => {
    await importVouched(test.database, 'domain,wayback\nkept-copy.com.au,77\nforgotten.com.au,5\n');
    const get = await withKey();
    const types = 'domain.dropped,domain.taken,domain.removed,domain.restored';
    const first: Answer = (await get(`/api/v1/dropped?since=2026-11-01T00:00:00Z&types=${types}`)).body;
    const lifecycle = test.app.get(Lifecycle);
    const nothing = async () => undefined;
    await lifecycle.observeHidden('kept-copy.com.au', true, new Date(), nothing);
    await lifecycle.forget('forgotten.com.au', new Date(), nothing);
    const { body: second } = await get(`/api/v1/dropped?cursor=${first.next_cursor}`);
    expect(said(second)).toEqual(['domain.removed kept-copy.com.au', 'domain.removed forgotten.com.au']);
    expect(second.results[0].data).toMatchObject({
      wayback: 0,
      first_seen: null,
      available: false,
      state: 'unconfirmed',
    });
    await settle('kept-copy.com.au', false);
    await lifecycle.observeHidden('kept-copy.com.au', false, new Date(), nothing);
    const { body: third } = await get(`/api/v1/dropped?cursor=${second.next_cursor}`);
    expect(said(third)).toEqual(['domain.restored kept-copy.com.au']);
    expect(third.results[0].data).toMatchObject({ wayback: 77, state: 'taken' });
    expect(said((await get(`/api/v1/dropped?cursor=${third.next_cursor}`)).body)).toEqual([]);
    const usual: Answer = (await get('/api/v1/dropped?since=2026-11-01T00:00:00Z')).body;
    expect(said(usual).filter((line) => /removed|restored|forgotten/.test(line))).toEqual([]);
    const { body: report } = await get('/api/v1/domains/kept-copy.com.au');
    expect(JSON.stringify(report)).not.toMatch(/domain\.re(moved|stored)/);
  });

  it('tells of removals for 30 days, and goes on past those that are older', async () => {
    await drop('old-removal.com.au', 'late-removal.com.au', 'stays.com.au');
    const get = await withKey();
    const lifecycle = test.app.get(Lifecycle);
    for (const [name, days] of [
      ['old-removal.com.au', 31],
      ['late-removal.com.au', 29],
    ]) {
      await lifecycle.forget(String(name), new Date(), async () => undefined);
      await test.database.query(
        `UPDATE domain_event SET occurred_at = now() - $2 * interval '1 day'
          WHERE domain = $1 AND type = 'domain.removed'`,
        [name, days],
      );
    }
    await drop('after-removals.com.au');
    // As who reads from the beginning has it.
    const types = 'domain.dropped,domain.removed';
    const cursor = feedCursorBehind({ number: 0, seen: null });
    const read: string[] = [];
    for (let next = cursor, hasMore = true; hasMore;) {
      const { body } = await get(`/api/v1/dropped?limit=1&types=${types}&cursor=${next}`);
      const page: Answer = body;
      read.push(...said(page));
      [next, hasMore] = [page.next_cursor, page.has_more];
    }
    expect(read.filter((line) => line.includes('removed'))).toEqual(['domain.removed late-removal.com.au']);
    expect(read).toContain('domain.dropped after-removals.com.au');
    const alone: Answer = (await get(`/api/v1/dropped?types=domain.removed&cursor=${cursor}`)).body;
    expect(said(alone)).toEqual(['domain.removed late-removal.com.au']);
  });

  it('times never step back, whatever the clock does', async () => {
    await drop('before.com.au');
    await test.database.query(`UPDATE dataset SET last_event_at = now() + interval '1 hour'`);
    await drop('after.com.au');
    await settle('after.com.au', false);
    const rows = await test.database.query<{ ahead: boolean }>(
      `SELECT occurred_at > now() + interval '59 minutes' AS ahead FROM domain_event ORDER BY number`,
    );
    expect(rows.map(({ ahead }) => ahead)).toEqual([false, true, true]);
    await test.database.query('UPDATE dataset SET last_event_at = now()');
  });
});

it('misses nothing and tells nothing twice while imports and registry answers write', async () => {
  const names = Array.from({ length: 60 }, (_, place) => `busy-${place}.com.au`);
  await drop(...names);
  const get = await withKey();
  let writing = true;
  const importer = async (from: number) => {
    for (let round = 0; round < 8; round += 1)
      await drop(...Array.from({ length: 9 }, (_, place) => `new-${from}-${round}-${place}.net.au`));
  };
  const settler = async (from: number) => {
    for (let round = 0; round < 40; round += 1) {
      const name = names[(from * 20 + round) % names.length] ?? '';
      await settle(name, round % 2 === 1);
    }
  };
  const reader = async (limit: number) => {
    const seen: string[] = [];
    let address = 'since=2026-11-01T00:00:00Z';
    // Once more after the last writer has ended, to the end.
    for (let isLast = false, hasMore = true; !isLast || hasMore;) {
      isLast = !writing;
      const { body }: { body: Answer } = await get(`/api/v1/dropped?${address}&limit=${limit}`);
      seen.push(...body.results.map(({ number, type, data }) => `${number} ${type} ${data.domain}`));
      address = `cursor=${body.next_cursor}`;
      hasMore = body.has_more;
    }
    return seen;
  };
  const readers = [1, 7, 100].map(reader);
  await Promise.all([importer(1), importer(2), settler(0), settler(1), settler(2)]);
  writing = false;
  const written = await test.database.query<{ event: string }>(
    `SELECT number || ' ' || type || ' ' || domain AS event FROM domain_event ORDER BY number`,
  );
  expect(written.length).toBeGreaterThan(60 + 2 * 8 * 9);
  for (const seen of await Promise.all(readers)) expect(seen).toEqual(written.map(({ event }) => event));
});

describe('who may read the feed', () => {
  it('the demo is told which tier does, and so is a member', async () => {
    const demo = await test.caller().get('/api/v1/dropped?since=2026-11-01T00:00:00Z').expect(401);
    expect(demo.body.error).toMatchObject({
      code: 'key_required',
      message: expect.stringContaining('starter'),
    });
    const get = await withKey({ tier: 'member' });
    const member = await get('/api/v1/dropped?since=2026-11-01T00:00:00Z').expect(403);
    expect(member.body.error).toMatchObject({
      code: 'tier_required',
      message: expect.stringContaining('starter'),
    });
  });

  it('more at once than the tier has is refused, naming the one that has it', async () => {
    const get = await withKey({ tier: 'starter' });
    const { body } = await get('/api/v1/dropped?since=2026-11-01T00:00:00Z&limit=26').expect(403);
    expect(body.error.message).toContain('The tier pro does');
  });
});

describe('what is wrong is said, and costs nothing', () => {
  it.each([
    ['', 'since or cursor is needed'],
    ['since=', 'since must be an ISO 8601 time'],
    ['since=2026-11-01', 'since must be an ISO 8601 time'],
    ['since=2026-11-01T00:00:00', 'with its offset (at most 14:00), such as'],
    ['since=lastweek', 'since must be an ISO 8601 time'],
    ['since=1762000000', 'since must be an ISO 8601 time'],
    ['since=0000-01-01T00:00:00Z', 'since must be an ISO 8601 time from 1970 on'],
    ['since=0001-01-01T00:00:00Z', 'since must be an ISO 8601 time from 1970 on'],
    ['since=2026-02-30T00:00:00Z', 'since must be an ISO 8601 time'],
    ['since=2026-11-01T25:00:00Z', 'since must be an ISO 8601 time'],
    ['since=2026-11-01T00:00:00+99:00', 'since must be an ISO 8601 time'],
    ['since=2026-11-01T00:00:00%2B14:01', 'with its offset (at most 14:00)'],
    ['since=2026-11-01T00:00:00-16:00', 'with its offset (at most 14:00)'],
    ['since=2026-11-01T00:00:00%2B23:59', 'with its offset (at most 14:00)'],
    ['since=9999-01-01T00:00:00Z', 'since must not lie in the future'],
    ['since=2026-11-01T00:00:00Z&since=2026-11-01T00:00:00Z', 'since must be given once'],
    ['since=2026-11-01T00:00:00Z&cursor=abc', 'since and cursor exclude each other'],
    ['cursor=abc', 'cursor must be the next_cursor of an earlier answer'],
    ['cursor=', 'cursor must be the next_cursor of an earlier answer'],
    ['since=2026-11-01T00:00:00Z&limit=0', 'limit must be an integer from 1 to 100'],
    ['since=2026-11-01T00:00:00Z&limit=101', 'limit must be an integer from 1 to 100'],
    ['since=2026-11-01T00:00:00Z&page=2', 'page is not a parameter here'],
  ])('%s', async (parameters, message) => {
    const get = await withKey({ tier: 'starter' });
    const { body } = await get(`/api/v1/dropped?${parameters}`).expect(400);
    expect(body.error).toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining(message),
    });
    expect((await get('/api/v1/usage')).body.rate.remaining).toBe(120);
  });

  it.each([
    '1970-01-01T00:00:00Z',
    '2026-11-01T11:00:00%2B11:00',
    '2026-11-01T14:00:00%2B14:00',
    '2026-10-31T10:00:00-14:00',
    // A plus sign that nobody encoded.
    '2026-11-01T11:00:00+11:00',
    '2026-11-01T00:00Z',
    '2026-11-01T00:00:00.123456Z',
  ])('but %s is a time', async (since) => {
    await drop('name.com.au');
    const get = await withKey();
    const { body } = await get(`/api/v1/dropped?since=${since}`).expect(200);
    expect(body.count).toBe(1);
  });

  it('a cursor of a search, one that was altered, and one that was forged', async () => {
    await drop('name.com.au', 'other.com.au');
    const get = await withKey();
    const search = (await get('/api/v1/search?per_page=1')).body.next_cursor;
    const own = (await get('/api/v1/dropped?since=2026-11-01T00:00:00Z')).body.next_cursor;
    const forged = [1.5, 1e300, -1].map((number) => writeCursor('dropped', [number]));
    for (const cursor of [search, own.slice(2), `${own}AA`, ...forged])
      await get(`/api/v1/dropped?cursor=${cursor}`).expect(400);
  });
});
