import { writeCursor } from '../../src/domains/schema/page-cursor.js';
import { LIST_HEADER } from '../../src/demo/sandbox-lists.js';
import { boundsOfDay, calendarDateOf, dayInPurgeZone } from '../../src/domains/schema/calendar-date.js';
import { addKey, type KeySeed, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { holdMinute } from '../support/clock.js';
import { addDomain } from '../support/domains.js';
import { importText } from '../support/import.js';

interface Listed {
  domain: string;
  purge_at: string;
  wayback: number;
  list_kind: string | null;
  purge_approximate: boolean;
  hidden: boolean;
  state: string;
}

const PATH = '/api/v1/drops/upcoming';
/** Far ahead, whatever the clock says. */
const FIRST = '2099-01-05T03:00:00.000Z';
const SECOND = '2099-01-05T03:30:00.000Z';
const NEXT_DAY = '2099-01-06T03:00:00.000Z';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp(WITH_KEYS);
  holdMinute(test);
});
afterAll(() => test.close());
beforeEach(() => test.database.query('DELETE FROM domain'));

async function list(...rows: Partial<Listed>[]): Promise<void> {
  const usual = {
    wayback: 0,
    purge_at: FIRST,
    list_kind: 'deleted',
    purge_approximate: false,
    hidden: false,
    state: 'listed',
  };
  await test.database.query(
    `INSERT INTO domain (domain, name, tld, wayback, first_seen, state, hidden, list_kind, listed_at, purge_at, purge_approximate)
     SELECT domain, split_part(domain, '.', 1), substr(domain, strpos(domain, '.') + 1), wayback, '2099-01-04', state, hidden,
            list_kind, '2099-01-04T01:00:00Z', purge_at, purge_approximate
       FROM jsonb_to_recordset($1::jsonb) AS seed (domain text, wayback int, purge_at timestamptz, list_kind text,
            purge_approximate boolean, hidden boolean, state text)`,
    [JSON.stringify(rows.map((row) => ({ ...usual, ...row })))],
  );
}

async function withKey(tier: KeySeed['tier']) {
  const { bearer } = await addKey(test.database, { tier });
  return (path: string) => test.caller().get(path).set('Authorization', bearer);
}

interface Page {
  results: { purge_at: string; kind: string | null; data: { domain: string } }[];
  has_more: boolean;
  next_cursor: string | null;
}
const namesIn = ({ results }: Page) => results.map(({ data }) => data.domain.split('.')[0]);

it('takes today, tomorrow and yesterday, of AEST, and says which day that was, on each page', async () => {
  const get = await withKey('starter');
  const now = Date.now();
  // Around midnight the word may mean the day before or behind.
  for (const away of [0, 1, 2]) {
    const { to } = boundsOfDay(dayInPurgeZone(new Date(now), away));
    const purge_at = new Date(to.getTime() - 3_600_000).toISOString();
    for (const place of [1, 2, 3]) await list({ domain: `day-${away}-${place}.com.au`, purge_at });
  }
  const { body } = await get(`${PATH}?date=tomorrow&limit=2`).expect(200);
  expect([1, 2].map((away) => dayInPurgeZone(new Date(now), away))).toContain(body.date);
  const asDay = await get(`${PATH}?date=${body.date}&limit=2`).expect(200);
  expect(body.results).toEqual(asDay.body.results);
  expect(body.results).toHaveLength(2);
  const next = await get(`${PATH}?cursor=${body.next_cursor}`).expect(200);
  expect(next.body).toMatchObject({ date: body.date, count: 1 });
  expect((await get(PATH).expect(200)).body).not.toHaveProperty('date');
  expect((await get(`${PATH}?date=someday`).expect(400)).body.error.message).toContain('today');
});

describe(`GET ${PATH}`, () => {
  describe('200', () => {
    it('lists what is about to be purged: the next purge first, and in each the best score', async () => {
      await list(
        { domain: 'later.com.au', wayback: 900, purge_at: NEXT_DAY },
        { domain: 'low.com.au', wayback: 1 },
        { domain: 'high.com.au', wayback: 50 },
        { domain: 'expired.com.au', wayback: 70, purge_at: SECOND, list_kind: 'expired' },
        { domain: 'also-high.com.au', wayback: 50 },
        { domain: 'withheld.com.au', hidden: true },
        { domain: 'gone.com.au', state: 'purged' },
        { domain: 'past.com.au', purge_at: '2020-01-05T03:00:00Z' },
      );
      await addDomain(test.database, { domain: 'offered.com.au' });
      const get = await withKey('pro');
      const { body } = await get(PATH).expect(200);
      expect(namesIn(body)).toEqual(['also-high', 'high', 'low', 'expired', 'later']);
      expect(body).toMatchObject({
        ok: true,
        time_zone: 'Australia/Brisbane',
        count: 5,
        has_more: false,
        next_cursor: null,
      });
      expect(body.rate.limit_per_min - body.rate.remaining).toBe(5);
    });

    it('says when in UTC and in AEST, from which part of the list, and whether it may be a day earlier', async () => {
      await list(
        { domain: 'sure.com.au' },
        { domain: 'unsure.com.au', purge_at: SECOND, list_kind: 'expired', purge_approximate: true },
        { domain: 'untold.com.au', purge_at: NEXT_DAY, list_kind: null },
      );
      const get = await withKey('pro');
      const { body } = await get(PATH);
      expect(body.results).toMatchObject([
        { purge_at: FIRST, purge_at_local: '2099-01-05T13:00:00+10:00', kind: 'deleted', approximate: false },
        { purge_at: SECOND, purge_at_local: '2099-01-05T13:30:00+10:00', kind: 'expired', approximate: true },
        { purge_at: NEXT_DAY, purge_at_local: '2099-01-06T13:00:00+10:00', kind: null, approximate: false },
      ]);
    });

    it('shows the nine fields to small tiers and all to others, and calls nothing available', async () => {
      await list({ domain: 'coffee.com.au', wayback: 12 });
      const full = (await (await withKey('starter'))(PATH)).body.results[0].data;
      const restricted = (await (await withKey('member'))(PATH)).body.results[0].data;
      expect(Object.keys(restricted)).toHaveLength(9);
      expect(restricted).toMatchObject({
        domain: 'coffee.com.au',
        wayback: 12,
        available: false,
        register_url: null,
      });
      expect(full).toMatchObject({ ...restricted, hyphens: 0, archive: { status: 'pending' } });
    });

    it.each([
      ['date=2099-01-05', ['b-deleted', 'a-expired']],
      ['date=2099-01-06', ['c-next']],
      ['date=2099-01-07', []],
      ['kind=expired', ['a-expired']],
      ['tld=net.au,org.au', ['b-deleted']],
      ['tld=net.au&tld=com.au', ['b-deleted', 'a-expired', 'c-next']],
      ['q=ex', ['a-expired', 'c-next']],
      ['min_wayback=20', ['a-expired', 'c-next']],
      ['q=ex&date=2099-01-06&min_wayback=30&kind=deleted&tld=com.au', ['c-next']],
    ])('?%s chooses', async (query, names) => {
      await list(
        { domain: 'b-deleted.net.au', wayback: 10 },
        { domain: 'a-expired.com.au', wayback: 20, purge_at: SECOND, list_kind: 'expired' },
        { domain: 'c-next.com.au', wayback: 30, purge_at: NEXT_DAY },
      );
      const { body } = await (await withKey('pro'))(`${PATH}?${query}`).expect(200);
      expect(namesIn(body)).toEqual(names);
    });

    it("a day is the registry's: it ends at 14:00 UTC", async () => {
      await list(
        { domain: 'evening.com.au', purge_at: '2099-01-05T13:59:59Z' },
        { domain: 'midnight.com.au', purge_at: '2099-01-05T14:00:00Z' },
      );
      const get = await withKey('pro');
      expect(namesIn((await get(`${PATH}?date=2099-01-05`)).body)).toEqual(['evening']);
      expect(namesIn((await get(`${PATH}?date=2099-01-06`)).body)).toEqual(['midnight']);
    });

    it('goes on by cursor, to every name once', async () => {
      const rows = Array.from({ length: 23 }, (_, place) => ({
        domain: `name-${place}.com.au`,
        wayback: place % 3,
        purge_at: [FIRST, SECOND, NEXT_DAY][place % 3],
      }));
      await list(...rows.map(({ purge_at = FIRST, ...row }) => ({ ...row, purge_at })));
      const get = await withKey('pro');
      const whole = namesIn((await get(`${PATH}?limit=100`)).body);
      const walked: (string | undefined)[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { body }: { body: Page } = await get(`${PATH}?limit=4${cursor && `&cursor=${cursor}`}`).expect(
          200,
        );
        expect(body.has_more).toBe(body.next_cursor !== null);
        walked.push(...namesIn(body));
        cursor = body.next_cursor;
      }
      expect(walked).toEqual(whole);
      expect(new Set(walked).size).toBe(23);
    });

    it('gives the demo one name, and a member ten, and no cursor', async () => {
      await list(...Array.from({ length: 12 }, (_, place) => ({ domain: `name-${place}.com.au` })));
      const demo = (await test.caller().get(PATH).expect(200)).body;
      expect(demo).toMatchObject({ count: 1, has_more: true, next_cursor: null });
      const member = (await (await withKey('member'))(PATH).expect(200)).body;
      expect(member).toMatchObject({ count: 10, has_more: true, next_cursor: null });
    });

    it('has what an import of a list brought', async () => {
      const tomorrow = calendarDateOf(new Date(), 1);
      const text = `${LIST_HEADER}\n${tomorrow},01:00:00,coffee.com.au\n${tomorrow},03:15:00,tea.com.au\n`;
      await importText(test.database, text, { now: new Date(), listKind: 'expired' });
      const { body } = await (await withKey('pro'))(PATH).expect(200);
      expect(body.results).toMatchObject([
        {
          purge_at: `${tomorrow}T03:30:00.000Z`,
          kind: 'expired',
          approximate: false,
          data: { domain: 'coffee.com.au' },
        },
        {
          purge_at_local: expect.stringMatching(/T13:30:00\+10:00$/),
          approximate: true,
          data: { domain: 'tea.com.au' },
        },
      ]);
    });

    it('goes on by the cursor alone, with the filters and the number of names that it was made for', async () => {
      await list(
        ...['one', 'two', 'three'].map((name) => ({ domain: `${name}.com.au`, list_kind: 'expired' })),
        { domain: 'other.com.au', list_kind: 'deleted', purge_at: SECOND },
      );
      const get = await withKey('pro');
      const first = await get(`${PATH}?kind=expired&tld=com.au&limit=2`).expect(200);
      const cursor = first.body.next_cursor;
      expect(first.headers.link).toBe(`<https://bowerbird.example${PATH}?cursor=${cursor}>; rel="next"`);
      const { body, headers } = await get(`${PATH}?cursor=${cursor}`).expect(200);
      expect([namesIn(body), body.has_more, headers.link]).toEqual([['two'], false, undefined]);
      await get(`${PATH}?kind=deleted&cursor=${cursor}`).expect(400);
      // What a forged cursor says is judged as if it had been sent.
      const forged = writeCursor('any', [FIRST, 1, 'one.com.au', 'kind=purged']);
      const refused = await get(`${PATH}?cursor=${forged}`).expect(400);
      expect(refused.body.error.message).toBe('kind must be one of deleted, expired');
    });

    it('nothing listed costs nothing', async () => {
      const { body } = await test.caller().get(PATH).expect(200);
      expect(body).toMatchObject({ results: [], count: 0, has_more: false, rate: { remaining: 5 } });
    });
  });

  describe('400', () => {
    it.each([
      ['date=2099-02-30', 'date must be a day'],
      ['date=someday', 'date must be a day'],
      ['kind=purged', 'kind must be one of deleted, expired'],
      ['tld=com', 'tld must be one or more of'],
      ['q=a%25', 'q must be 1 to 64 characters'],
      ['min_wayback=-1', 'min_wayback'],
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['cursor=bWFkZS11cA', 'cursor must be the next_cursor'],
      ['page=2', 'page'],
    ])('?%s', async (query, message) => {
      const { body } = await (await withKey('pro'))(`${PATH}?${query}`).expect(400);
      expect(body.error).toMatchObject({
        code: 'invalid_parameter',
        message: expect.stringContaining(message),
      });
    });

    it('a cursor of other filters', async () => {
      await list({ domain: 'one.com.au' }, { domain: 'two.com.au' });
      const get = await withKey('pro');
      const { body } = await get(`${PATH}?limit=1`);
      const answer = await get(`${PATH}?limit=1&kind=deleted&cursor=${body.next_cursor}`).expect(400);
      expect(answer.body.error.message).toContain('with the same filters');
    });
  });

  it('401: more than the demo has needs a key, and the key must be one', async () => {
    const { body } = await test.caller().get(`${PATH}?limit=2`).expect(401);
    expect(body.error.code).toBe('key_required');
    await test.caller().get(PATH).set('Authorization', 'Bearer nonsense').expect(401);
  });

  it('403: a tier that does not include it, which says which does', async () => {
    const get = await withKey('member');
    const { body } = await get(`${PATH}?limit=11`).expect(403);
    expect(body.error).toMatchObject({ code: 'tier_required', message: expect.stringContaining('starter') });
    await get(`${PATH}?cursor=bWFkZS11cA`).expect(403);
  });

  it('429: a spent budget, with the time to wait', async () => {
    await list(...Array.from({ length: 6 }, (_, place) => ({ domain: `name-${place}.com.au` })));
    const caller = test.caller();
    for (let times = 0; times < 5; times++) await caller.get(PATH).expect(200);
    const { body, headers } = await caller.get(PATH).expect(429);
    expect(body.error.code).toBe('budget_exhausted');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await caller.get(`${PATH}.ics`).expect(429);
  });
});

describe(`GET ${PATH}.ics`, () => {
  const unfolded = (text: string) => text.replaceAll(/\r\n[ \t]/g, '');
  const valuesOf = (text: string, property: string) =>
    [...unfolded(text).matchAll(new RegExp(`^${property}[:;](.*)\r$`, 'gm'))].map(([, value]) => value);

  it('200: one event a run, with its number and the best names', async () => {
    await list(
      { domain: 'best.com.au', wayback: 90 },
      { domain: 'good.com.au', wayback: 50 },
      {
        domain: 'expired.com.au',
        wayback: 70,
        purge_at: SECOND,
        list_kind: 'expired',
        purge_approximate: true,
      },
    );
    const get = await withKey('pro');
    const { text, headers } = await get(`${PATH}.ics`).expect(200);
    expect(headers).toMatchObject({
      'content-type': 'text/calendar; charset=utf-8',
      'cache-control': 'private, no-cache',
    });
    expect(Number(headers['x-ratelimit-limit']) - Number(headers['x-ratelimit-remaining'])).toBe(3);
    expect(valuesOf(text, 'DTSTART')).toEqual(['19700101T000000', '20990105T030000Z', '20990105T033000Z']);
    expect(valuesOf(text, 'SUMMARY')).toEqual([
      '2 deleted .au names to be purged',
      '1 expired .au name to be purged',
    ]);
    expect(valuesOf(text, 'DESCRIPTION')).toEqual([
      expect.stringContaining(
        '13:00 AEST (Australia/Brisbane\\, UTC+10)\\, 03:00 UTC.\\nBest archive scores: best.com.au (90)\\, good.com.au (50).',
      ),
      expect.stringContaining('1 of them may go a day earlier.'),
    ]);
  });

  it('304, which costs nothing, until the calendar changes', async () => {
    await list({ domain: 'kept.com.au', wayback: 90 });
    const get = await withKey('pro');
    const { headers } = await get(`${PATH}.ics`).expect(200);
    const again = () => get(`${PATH}.ics`).set('If-None-Match', headers.etag ?? '');
    const same = await again().expect(304);
    expect(same.headers['x-ratelimit-remaining']).toBe(headers['x-ratelimit-remaining']);
    await get(`${PATH}.ics`).set('If-None-Match', '*').expect(200);
    await list({ domain: 'better.com.au', wayback: 95 });
    expect((await again().expect(200)).text).toContain('better.com.au');
  });

  it('200: every line and every event is as RFC 5545 has it', async () => {
    await list(
      ...Array.from({ length: 30 }, (_, place) => ({
        domain: `${'long-'.repeat(10)}${place}.com.au`,
        purge_at: place % 2 ? FIRST : NEXT_DAY,
      })),
    );
    const { text } = await (await withKey('pro'))(`${PATH}.ics`);
    expect(text).toMatch(/^BEGIN:VCALENDAR\r\n.*END:VCALENDAR\r\n$/s);
    const lines = text.slice(0, -2).split('\r\n');
    expect(lines.filter((line: string) => Buffer.byteLength(line) > 75 || /[\r\n]/.test(line))).toEqual([]);
    const open: string[] = [];
    for (const line of unfolded(text).trimEnd().split('\r\n')) {
      expect(line).toMatch(/^[A-Z-]+[:;]/);
      const [, edge, component = ''] = /^(BEGIN|END):(.*)$/.exec(line) ?? [];
      if (edge === 'BEGIN') open.push(component);
      if (edge === 'END') expect(open.pop()).toBe(component);
    }
    expect(open).toEqual([]);
    for (const event of unfolded(text).match(/BEGIN:VEVENT.*?END:VEVENT/gs) ?? [])
      for (const property of ['UID', 'DTSTAMP', 'DTSTART', 'DURATION', 'SUMMARY'])
        expect(event.match(new RegExp(`^${property}:`, 'gm'))).toHaveLength(1);
  });

  it('200: the UID of a run stays, whatever its names are by now; filters make another calendar', async () => {
    await list({ domain: 'one.com.au' }, { domain: 'next.com.au', purge_at: NEXT_DAY });
    const get = await withKey('pro');
    const before = valuesOf((await get(`${PATH}.ics`)).text, 'UID');
    await list({ domain: 'two.com.au', wayback: 5 });
    const after = valuesOf((await get(`${PATH}.ics?limit=1`)).text, 'UID');
    expect(after).toEqual(before);
    expect(new Set(before).size).toBe(2);
    expect(before[0]).toMatch(/^purge-20990105T030000Z-deleted-\w{12}@bowerbird\.example$/);
    expect(valuesOf((await get(`${PATH}.ics?q=one`)).text, 'UID')).not.toEqual([before[0]]);
  });

  it('200: names the best of every run before any second one, ten a run at most', async () => {
    await list(
      ...Array.from({ length: 12 }, (_, place) => ({
        domain: `first-${place}.com.au`,
        wayback: 100 - place,
      })),
      { domain: 'second.com.au', purge_at: SECOND, list_kind: 'expired' },
    );
    const get = await withKey('pro');
    const two = valuesOf((await get(`${PATH}.ics?limit=2`)).text, 'DESCRIPTION');
    expect(two).toEqual([
      expect.stringContaining('first-0.com.au (100).'),
      expect.stringContaining('second.com.au (0).'),
    ]);
    const all = valuesOf((await get(`${PATH}.ics`)).text, 'DESCRIPTION')[0];
    expect(all).toContain('first-9.com.au');
    expect(all).not.toContain('first-10.com.au');
  });

  it('200: is a calendar too while nothing is listed, and costs nothing then', async () => {
    const { text, headers } = await test.caller().get(`${PATH}.ics`).expect(200);
    expect(text).toContain('BEGIN:VTIMEZONE\r\nTZID:Australia/Brisbane\r\n');
    expect(headers['x-ratelimit-remaining']).toBe('5');
  });

  it('200: is what the list gives to those who accept a calendar rather than JSON', async () => {
    await list({ domain: 'one.com.au' });
    const get = await withKey('pro');
    const asked = await get(PATH).set('Accept', 'text/calendar').expect(200);
    expect(asked.headers).toMatchObject({
      'content-type': 'text/calendar; charset=utf-8',
      vary: expect.stringContaining('Accept'),
    });
    for (const accept of ['*/*', 'application/json, text/calendar;q=0.5', 'text/html'])
      expect((await get(PATH).set('Accept', accept)).headers['content-type']).toContain('json');
    const { body } = await get(`${PATH}?cursor=bWFkZS11cA`).set('Accept', 'text/calendar').expect(400);
    expect(body.error.message).toContain('cursor has no meaning for a calendar');
  });

  it('400, 401, 403: as the list', async () => {
    await test.caller().get(`${PATH}.ics?cursor=bWFkZS11cA`).expect(400);
    await test.caller().get(`${PATH}.ics?date=never`).expect(400);
    await test.caller().get(`${PATH}.ics?limit=2`).expect(401);
    await (await withKey('member'))(`${PATH}.ics?limit=11`).expect(403);
  });
});
