import { createHash } from 'node:crypto';
import { readConfig } from '../../src/config/read-config.js';
import { createDataSource } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { type ListBehaviour, LIST_HEADER } from '../../src/demo/sandbox-lists.js';
import { type ListFetch, ListFetchRepository } from '../../src/ingest/lists/list-fetch.repository.js';
import { createListFetcher } from '../../src/ingest/lists/list-fetcher.js';
import { readDataset } from '../support/import.js';
import { listOf, type ListsTest, namesOf, startListsTest } from '../support/lists.js';
import { until } from '../support/processes.js';

const DAY = '2026-11-20';
const NOW = new Date('2026-11-20T05:00:00Z');
const HOUR_MS = 3_600_000;
const later = (hours: number) => new Date(NOW.getTime() + hours * HOUR_MS);
const dayAfter = (days: number) =>
  later(days * 24)
    .toISOString()
    .slice(0, 10);

let test: ListsTest;
beforeEach(async () => {
  test = await startListsTest();
});
afterEach(() => test.close());

const publish = (text: string, at = NOW) => test.lists.publish('deleted', text, at);
const readNames = async () => (await readDataset(test.database)).rows.map(({ domain }) => domain);

async function fetchAt(hours: number, fetcher = test.fetcher()): Promise<ListFetch> {
  const fetch = await fetcher.fetchDue(later(hours));
  if (!fetch) throw new Error('no list was due');
  return fetch;
}

describe('a list that is due', () => {
  it('is imported, and what it was is on record', async () => {
    const text = listOf(DAY, ['coffee.com.au', 'tea.com.au', 'a.com.au']);
    publish(text);
    const fetch = await fetchAt(0);
    expect(await readNames()).toEqual(['coffee.com.au', 'tea.com.au']);
    expect(fetch).toMatchObject({
      address: test.lists.urls.deleted,
      kind: 'deleted',
      startedAt: NOW,
      httpStatus: 200,
      etag: expect.stringMatching(/^"\w{16}"$/),
      lastModified: NOW.toUTCString(),
      bytes: text.length,
      header: 'date,eligible purge time,domain name',
      rows: 3,
      rejected: 1,
      sha256: createHash('sha256').update(text).digest('hex'),
      outcome: 'imported',
      detail: null,
    });
    expect(fetch.finishedAt?.getTime()).toBeGreaterThanOrEqual(NOW.getTime());
    expect(await test.fetches.listFetches(test.lists.urls.deleted, 10)).toEqual([fetch]);
  });

  it('is asked for once an hour, and not before', async () => {
    publish(listOf(DAY, ['coffee.com.au']));
    await fetchAt(0);
    expect(await test.fetcher().fetchDue(later(0.99))).toBeNull();
    expect(await fetchAt(1)).toMatchObject({ outcome: 'unchanged', httpStatus: 304, rows: null });
    expect(test.lists.asked).toMatchObject([
      { ifNoneMatch: undefined, ifModifiedSince: undefined, status: 200 },
      { ifNoneMatch: expect.any(String), ifModifiedSince: NOW.toUTCString(), status: 304 },
    ]);
  });

  it('may be one of several, of both parts, each at its own time', async () => {
    const { deleted, expired } = test.lists.urls;
    const fetcher = test.fetcher({
      LIST_DELETED_URLS: `${deleted},${deleted}/second`,
      LIST_EXPIRED_URLS: expired,
    });
    publish(listOf(DAY, ['deleted.com.au']));
    test.lists.publish('expired', listOf(DAY, ['expired.com.au']), NOW);
    const fetches = [await fetchAt(0, fetcher), await fetchAt(0, fetcher), await fetchAt(0, fetcher)];
    expect(fetches.map(({ address, kind }) => [address, kind])).toEqual([
      [deleted, 'deleted'],
      [`${deleted}/second`, 'deleted'],
      [expired, 'expired'],
    ]);
    expect(await fetcher.fetchDue(NOW)).toBeNull();
    expect(await readNames()).toEqual(['deleted.com.au', 'expired.com.au']);
  });

  it('is none where no address is configured', async () => {
    expect(await test.fetcher({}).fetchDue(NOW)).toBeNull();
    expect(await test.fetcher({}).fetchAll(NOW)).toEqual([]);
  });

  it.each<ListBehaviour>(['gzip_file', 'without_validators', 'redirect'])(
    'is read from a server with %s, and known again as the same',
    async (behaviour) => {
      publish(listOf(DAY, ['coffee.com.au', 'tea.com.au']));
      test.lists.behave('deleted', behaviour);
      expect(await fetchAt(0)).toMatchObject({ outcome: 'imported', rows: 2 });
      expect(await fetchAt(1)).toMatchObject({ outcome: 'unchanged' });
      expect(await readNames()).toEqual(['coffee.com.au', 'tea.com.au']);
    },
  );

  it('holds names twice, and is the same list in another order', async () => {
    publish(listOf(DAY, ['coffee.com.au', 'tea.com.au', 'coffee.com.au']));
    expect(await fetchAt(0)).toMatchObject({ outcome: 'imported', rows: 3, rejected: 0 });
    publish(listOf(DAY, ['tea.com.au', 'coffee.com.au', 'coffee.com.au']), later(1));
    expect(await fetchAt(1)).toMatchObject({ outcome: 'unchanged', httpStatus: 200 });
    expect(await readNames()).toEqual(['coffee.com.au', 'tea.com.au']);
  });

  it('may write its dates in both ways', async () => {
    publish(listOf('20/11/2026', ['slashes.com.au']));
    await fetchAt(0);
    publish(listOf(DAY, ['dashes.com.au', 'more.com.au']));
    await fetchAt(1);
    const rows = await test.database.query(
      'SELECT domain, first_seen::text AS day FROM domain ORDER BY domain',
    );
    expect(rows).toEqual(
      ['dashes', 'more', 'slashes'].map((name) => ({ domain: `${name}.com.au`, day: DAY })),
    );
  });

  it('taken in again changes nothing', async () => {
    publish(listOf(DAY, namesOf(DAY, 20)));
    await fetchAt(0);
    const before = await readDataset(test.database);
    const again = await test.fetcher().fetchAll(later(30), { acceptsAlarms: true });
    expect(again).toMatchObject([
      { outcome: 'imported', rows: 20, detail: expect.stringContaining('by hand') },
    ]);
    expect(await readDataset(test.database)).toEqual(before);
  });
});

it('the record of fetches keeps the last import of each address, and others for a while', async () => {
  const past = (days: number) => new Date(NOW.getTime() - days * 86_400_000);
  await test.database.query('DELETE FROM list_fetch');
  for (const [address, outcome, days] of [
    ['https://a.example', 'imported', 1_000],
    ['https://a.example', 'imported', 900],
    ['https://b.example', 'imported', 900],
    ['https://b.example', 'imported', 500],
    ['https://b.example', 'unchanged', 91],
    ['https://b.example', 'failed', 91],
    ['https://b.example', 'alarm', 89],
  ] as const)
    await test.database.query(
      `INSERT INTO list_fetch (address, kind, started_at, finished_at, outcome) VALUES ($1, 'deleted', $3, $3, $2)`,
      [address, outcome, past(days)],
    );
  await new ListFetchRepository(test.database).deleteOld(NOW);
  const kept = await test.database.query<{ fetch: string }>(
    `SELECT concat_ws(' ', address, outcome, extract(day FROM $1::timestamptz - started_at)) AS fetch
       FROM list_fetch ORDER BY id`,
    [NOW],
  );
  expect(kept.map(({ fetch }) => fetch)).toEqual([
    'https://a.example imported 900',
    'https://b.example imported 500',
    'https://b.example alarm 89',
  ]);
});

describe('the purge of a name', () => {
  interface Row extends Record<string, unknown> {
    state: string;
    purge_at: string;
    is_approximate: boolean;
  }
  const readRows = async () => {
    const rows = await test.database.query<Row>(
      `SELECT domain, state, list_kind, list_source, purge_approximate AS is_approximate,
              to_char(purge_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI') AS purge_at FROM domain ORDER BY domain`,
    );
    return Object.fromEntries(rows.map(({ domain, ...row }) => [String(domain).split('.')[0], row]));
  };
  const rowsAt = (...times: string[]) =>
    `${LIST_HEADER}\n${times.map((time) => `2026-11-20,${time},at-${time.replaceAll(':', '-')}.com.au\n`).join('')}`;

  it('lies ahead or has passed, by the day and the kind of the list, to the second', async () => {
    const fetcher = test.fetcher({
      LIST_DELETED_URLS: test.lists.urls.deleted,
      LIST_EXPIRED_URLS: test.lists.urls.expired,
    });
    publish(rowsAt('02:59:59', '03:00:00'));
    test.lists.publish('expired', rowsAt('02:59:58', '03:00:01', '03:29:59', '03:30:00'), NOW);
    expect([await fetchAt(0, fetcher), await fetchAt(0, fetcher)]).toMatchObject([
      { kind: 'deleted', rows: 2, ahead: 1 },
      { kind: 'expired', rows: 4, ahead: 3 },
    ]);
    const [deleted, expired] = [
      { list_kind: 'deleted', list_source: test.lists.urls.deleted, is_approximate: false },
      { list_kind: 'expired', list_source: test.lists.urls.expired },
    ];
    expect(await readRows()).toEqual({
      'at-02-59-59': { ...deleted, state: 'purged', purge_at: '11-20 03:00' },
      'at-03-00-00': { ...deleted, state: 'listed', purge_at: '11-21 03:00' },
      'at-02-59-58': { ...expired, state: 'purged', purge_at: '11-20 03:30', is_approximate: false },
      // Whether the second run of a day takes names that became due after the first is not published.
      'at-03-00-01': { ...expired, state: 'listed', purge_at: '11-21 03:30', is_approximate: true },
      'at-03-29-59': { ...expired, state: 'listed', purge_at: '11-21 03:30', is_approximate: true },
      'at-03-30-00': { ...expired, state: 'listed', purge_at: '11-21 03:30', is_approximate: false },
    });
  });

  it('that passed while nothing could be fetched is caught up with', async () => {
    publish(rowsAt('05:00:00'));
    test.lists.behave('deleted', 'hang');
    const impatient = test.fetcher({ LIST_DELETED_URLS: test.lists.urls.deleted, LIST_TIMEOUT_MS: '50' });
    expect(await fetchAt(0, impatient)).toMatchObject({ outcome: 'failed' });
    test.lists.behave('deleted', 'well');
    expect(await fetchAt(24)).toMatchObject({ outcome: 'imported', ahead: 0 });
    expect(await readRows()).toMatchObject({ 'at-05-00-00': { state: 'purged', purge_at: '11-21 03:00' } });
  });

  it('is at another time where the operator says so', async () => {
    publish(rowsAt('05:30:00', '06:00:00'));
    const urls = { LIST_DELETED_URLS: test.lists.urls.deleted };
    await fetchAt(0, test.fetcher({ ...urls, LIST_PURGE_TIME_DELETED: '06:00:00' }));
    expect(await readRows()).toMatchObject({
      'at-05-30-00': { state: 'listed', purge_at: '11-20 06:00' },
      'at-06-00-00': { state: 'listed', purge_at: '11-21 06:00' },
    });
  });
});

describe('an alarm, and no import', () => {
  const NAMES = namesOf(DAY, 10);

  it.each<[ListBehaviour, RegExp]>([
    ['shrunk', /^It shrank: 5 rows, and 10 in the list before\.$/],
    ['other_header', /^The header is "domain,purge", not /],
    ['html', /^The header is "<!doctype html>/],
    ['header_only', /^There is no row/],
  ])('follows on a list that is %s', async (behaviour, why) => {
    publish(listOf(DAY, NAMES));
    await fetchAt(0);
    const before = await readDataset(test.database);
    publish(listOf(dayAfter(1), namesOf(dayAfter(1), 10)), later(24));
    test.lists.behave('deleted', behaviour);
    const fetch = await fetchAt(24);
    expect(fetch).toMatchObject({ outcome: 'alarm', detail: expect.stringMatching(why), rejected: null });
    expect(await readDataset(test.database)).toEqual(before);
    // It is sounded again until the list is as it should be, which is taken then.
    expect(await fetchAt(25)).toMatchObject({ outcome: 'alarm' });
    test.lists.behave('deleted', 'well');
    expect(await fetchAt(26)).toMatchObject({ outcome: 'imported', rows: 10 });
  });

  it.each<ListBehaviour>(['well', 'without_validators', 'not_modified'])(
    'follows on a list that is there for more than a day, from a server with %s',
    async (behaviour) => {
      publish(listOf(DAY, NAMES));
      await fetchAt(0);
      test.lists.behave('deleted', behaviour);
      for (const hour of [1, 12, 24]) expect(await fetchAt(hour)).toMatchObject({ outcome: 'unchanged' });
      expect(await fetchAt(25)).toMatchObject({
        outcome: 'alarm',
        detail: expect.stringContaining('It holds what it held on 2026-11-20T05:00:00.000Z'),
      });
      test.lists.behave('deleted', 'well');
      publish(listOf(dayAfter(1), namesOf(dayAfter(1), 10)), later(26));
      expect(await fetchAt(26)).toMatchObject({ outcome: 'imported' });
    },
  );

  it('follows on a list of earlier days that comes again', async () => {
    publish(listOf(DAY, NAMES));
    await fetchAt(0);
    publish(listOf(dayAfter(1), namesOf(dayAfter(1), 10)), later(24));
    await fetchAt(24);
    publish(listOf(DAY, NAMES), later(25));
    expect(await fetchAt(25)).toMatchObject({
      outcome: 'alarm',
      detail: expect.stringContaining('older list'),
    });
  });

  it('of a list that an operator accepted ends at the next fetch, if it is still that list', async () => {
    publish(listOf(DAY, NAMES));
    await fetchAt(0);
    const short = (rows: number) => listOf(dayAfter(1), namesOf(dayAfter(1), rows));
    publish(short(3), later(24));
    const { id } = await fetchAt(24);
    const accept = (one: number) =>
      test.database.transaction((transaction) => test.fetches.accept(one, transaction));
    expect(await accept(id - 1)).toBe(false);
    expect(await accept(id)).toBe(true);
    publish(short(2), later(24.1));
    const other = await fetchAt(24.1);
    expect(other).toMatchObject({ outcome: 'alarm', rows: 2 });
    expect(await accept(id)).toBe(false);
    expect(await accept(other.id)).toBe(true);
    // As the command line fetches.
    expect(await test.fetcher().fetchAll(later(24.2), { acceptsAlarms: false })).toMatchObject([
      { outcome: 'imported', detail: expect.stringMatching(/^Accepted by hand: It shrank/) },
    ]);
    expect(await test.fetcher().fetchDue(later(24.3))).toBeNull();
  });

  it('is over when an operator accepts the list, which is the measure from then on', async () => {
    publish(listOf(DAY, NAMES));
    await fetchAt(0);
    publish(listOf(dayAfter(1), namesOf(dayAfter(1), 3)), later(24));
    expect(await fetchAt(24)).toMatchObject({ outcome: 'alarm' });
    expect(await test.fetcher().fetchAll(later(24.5), { acceptsAlarms: true })).toMatchObject([
      { outcome: 'imported', rows: 3, detail: expect.stringContaining('It shrank') },
    ]);
    publish(listOf(dayAfter(2), namesOf(dayAfter(2), 3)), later(48));
    expect(await fetchAt(48)).toMatchObject({ outcome: 'imported', rows: 3 });
  });
});

describe('a failure', () => {
  it.each<[ListBehaviour, number | null, string]>([
    ['server_error', 500, 'The server answered HTTP 500.'],
    ['not_modified', 304, 'The server answered HTTP 304.'],
    ['huge', 200, 'It has more than 33554432 bytes.'],
    ['bomb', null, 'Unpacked, it has more than 33554432 bytes.'],
    ['cut_off', 200, 'It could not be read: '],
    ['damaged_gzip', null, 'The gzip data ends in the middle'],
    ['zip', null, 'It is a zip archive. Unpack it and import the CSV file in it.'],
    ['redirect_forever', 302, 'It is redirected more than 3 times.'],
    ['redirect_away', 302, 'It is redirected to where no list is read from.'],
    ['reset', null, 'It could not be read: '],
  ])('of the kind %s is on record and changes nothing', async (behaviour, httpStatus, detail) => {
    publish(listOf(DAY, ['coffee.com.au']));
    test.lists.behave('deleted', behaviour);
    expect(await fetchAt(0)).toMatchObject({
      outcome: 'failed',
      httpStatus,
      detail: expect.stringContaining(detail),
    });
    expect(await readNames()).toEqual([]);
  });

  it.each<ListBehaviour>(['hang', 'trickle'])('is a server that takes too long: %s', async (behaviour) => {
    test.lists.behave('deleted', behaviour);
    const fetcher = test.fetcher({ LIST_DELETED_URLS: test.lists.urls.deleted, LIST_TIMEOUT_MS: '100' });
    expect(await fetchAt(0, fetcher)).toMatchObject({
      outcome: 'failed',
      detail: 'It was not there within 100 ms.',
    });
  });

  it('is a server that is not there', async () => {
    await test.lists.close();
    expect(await fetchAt(0)).toMatchObject({ detail: expect.stringContaining('ECONNREFUSED') });
  });

  it('is a list of which every row is refused, and says why', async () => {
    publish(listOf(DAY, ['a.com.au', 'xn--b.com.au']));
    expect(await fetchAt(0)).toMatchObject({
      outcome: 'failed',
      rows: 2,
      detail: expect.stringContaining('All 2 rows were rejected.'),
    });
  });

  it('is tried again after a minute, then after longer and longer; a day of it is caught up with', async () => {
    test.lists.behave('deleted', 'server_error');
    const fetcher = test.fetcher();
    const asked: number[] = [];
    // It is hourly from the third hour on.
    for (let minute = 0; minute < 24 * 60; minute += minute < 200 ? 1 : 30)
      if (await fetcher.fetchDue(later(minute / 60))) asked.push(minute);
    expect(asked.slice(0, 9)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    expect(await readNames()).toEqual([]);
    publish(listOf(DAY, ['coffee.com.au']));
    test.lists.behave('deleted', 'well');
    expect(await fetchAt(25)).toMatchObject({ outcome: 'imported' });
    expect(await readNames()).toEqual(['coffee.com.au']);
  });

  it('is a fetch that was told to stop', async () => {
    test.lists.behave('deleted', 'hang');
    const stopping = new AbortController();
    const fetching = test.fetcher().fetchDue(NOW, { signal: stopping.signal });
    stopping.abort(new Error('The service stops.'));
    expect(await fetching).toMatchObject({ outcome: 'failed', detail: 'The service stops.' });
  });
});

describe('several processes', () => {
  it('fetch one at a time', async () => {
    publish(listOf(DAY, ['coffee.com.au']));
    const other = test.fetcher();
    await test.fetches.alone(async () => {
      expect(await other.fetchDue(NOW)).toBeNull();
      expect(await other.fetchAll(NOW)).toBeNull();
    });
    const all = await Promise.all(Array.from({ length: 4 }, () => test.fetcher().fetchDue(NOW)));
    expect(all.filter((fetch) => fetch !== null)).toHaveLength(1);
    expect(test.lists.asked).toHaveLength(1);
  });
});

it('an import takes its time, whatever the limit of the statements of a service', async () => {
  publish(listOf(DAY, ['coffee.com.au']));
  const limited = await createDataSource(test.url, 3, () => undefined, 500).initialize();
  const config = readConfig({ LIST_DELETED_URLS: test.lists.urls.deleted });
  const fetcher = createListFetcher(new Database(limited), config);
  const fetching = await test.database.withClient(async (client) => {
    await client.query('BEGIN');
    await client.query('LOCK TABLE import_run');
    const fetch = fetcher.fetchDue(NOW);
    await until('its import has waited for longer than that', async () => {
      const waiting = await test.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            AND clock_timestamp() - query_start > interval '1.2 s'`,
      );
      return waiting.length > 0;
    });
    await client.query('COMMIT');
    return fetch;
  });
  await limited.destroy();
  expect(fetching).toMatchObject({ outcome: 'imported' });
});
