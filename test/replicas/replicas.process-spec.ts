import { MATCH_MODES, SUFFIXES } from '../../src/domains/schema/domain.js';
import { orderOf, SORTS } from '../../src/api/search/search.dto.js';
import { PrimaryWatch } from '../../src/db/replicas/primary-watch.js';
import { parseWalPosition } from '../../src/db/replicas/wal.js';
import { countWaiting } from '../support/database.js';
import { discover, passing } from '../support/discovery-oracle.js';
import { addDomain, addDomains, type DomainSeed, settle } from '../support/domains.js';
import { until } from '../support/processes.js';
import {
  type Answer,
  BEGINNING,
  comings,
  expectInTurn,
  feed,
  PATIENT,
  type Reader,
  startReader,
  STRICT,
  untilUsed,
} from '../support/reader.js';
import { type Pair, startPair } from '../support/streaming-replica.js';

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
});
afterAll(() => pair.close());
afterEach(() => pair.resumeReplay());

const ROWS: DomainSeed[] = Array.from({ length: 120 }, (_, place) => ({
  domain: `${['shop', 'cafe-', 'c0ffee', 'a'][place % 4]}${place}.${SUFFIXES[place % 6]}`,
  wayback: place % 3 === 0 ? 0 : (place * 37) % 1500,
  first_seen: place % 9 === 0 ? null : `2026-11-${String(1 + (place % 19)).padStart(2, '0')}`,
  available: place % 20 !== 11,
  hidden: place % 20 === 12,
}));
const namesOf = ({ results }: Answer) => results.map(({ domain }) => domain);

describe('a replica that is no further behind than allowed', () => {
  let patient: Reader;
  beforeAll(async () => {
    patient = await startReader(pair, PATIENT);
  });
  afterAll(() => patient.close());

  it('answers searches and suggestions as a look at every row does', async () => {
    await addDomains(patient.database, ROWS);
    await pair.caughtUp();
    await untilUsed(pair, patient);
    await pair.pauseReplay();
    // The first of every list, were the primary asked.
    await addDomain(patient.database, {
      domain: 'a-shop-0.com.au',
      wayback: 99_999,
      first_seen: '2026-11-21',
    });
    for (const mode of MATCH_MODES)
      for (const q of ['shop', '0', 'e']) {
        const filter = { q, mode, suffixes: [], minWayback: 0 };
        for (const sort of SORTS) {
          const { body } = await patient.get(`/api/v1/search?q=${q}&mode=${mode}&sort=${sort}&per_page=100`);
          expect(namesOf(body)).toEqual(discover(ROWS, { ...filter, sort: orderOf(sort), limit: 100 }));
          expect(body.total).toBe(passing(ROWS, filter).length);
        }
        const { body } = await patient.get(`/v1/suggest?q=${q}&mode=${mode}&limit=50`);
        expect(namesOf(body)).toEqual(discover(ROWS, { ...filter, limit: 50 }));
      }
  });

  it('answers suggest, search, report, feed, stats, facets and pages', async () => {
    await pair.caughtUp();
    await untilUsed(pair, patient);
    const before = (await patient.get('/v1/stats')).body.available_records;
    await pair.pauseReplay();
    await addDomain(patient.database, { domain: 'unseen.com.au', wayback: 900 });
    await settle(patient.database, 'unseen.com.au', false);

    expect((await patient.get('/v1/stats')).body.available_records).toBe(before);
    expect((await patient.get('/v1/suggest?q=unseen')).body.count).toBe(0);
    expect((await patient.get('/api/v1/search?q=unseen&state=taken')).body.count).toBe(0);
    expect((await patient.get('/api/v1/facets')).body.total).toBe(before);
    expect((await patient.get(feed(BEGINNING))).body.results).toEqual([]);
    for (const path of ['/api/v1/domains/unseen.com.au', '/domains/unseen.com.au'])
      expect((await patient.get(path)).status).toBe(404);

    await pair.resumeReplay();
    await pair.caughtUp();
    expect((await patient.get('/api/v1/domains/unseen.com.au')).status).toBe(200);
  });

  it('says how many names there are for it, whatever the instance remembers', async () => {
    const totalOf = async () => (await patient.get('/api/v1/search?q=remembered')).body.total;
    await addDomain(patient.database, { domain: 'remembered-1.com.au' });
    await pair.caughtUp();
    await untilUsed(pair, patient);
    for (const names of [1, 2, 3]) {
      expect([await totalOf(), await totalOf()]).toEqual([names, names]);
      await pair.pauseReplay();
      await addDomain(patient.database, { domain: `remembered-${names + 1}.com.au` });
      expect([await totalOf(), await totalOf()]).toEqual([names, names]);
      await pair.resumeReplay();
      await pair.caughtUp();
    }
    await settle(patient.database, 'remembered-1.com.au', false);
    await pair.caughtUp();
    expect(await totalOf()).toBe(3);
  });
});

describe('a replica that is further behind', () => {
  it('is not read from, and is again when it has caught up; each is said once', async () => {
    const strict = await startReader(pair, STRICT);
    await untilUsed(pair, strict);
    const before = comings(strict).length;
    await pair.pauseReplay();
    const domain = await addDomain(strict.database);
    await until('the primary answers', async () => {
      const { status } = await strict.get(`/api/v1/domains/${domain}`);
      return status === 200;
    });
    await until('it was said', () => comings(strict)[before] === 'away');
    // For as long as it lags.
    for (let number = 0; number < 20; number += 1)
      expect((await strict.get(`/api/v1/domains/${domain}`)).status).toBe(200);
    await pair.resumeReplay();
    await untilUsed(pair, strict);
    expectInTurn(strict);
    await strict.close();
  });

  it('is not what an idle primary makes of it, nor one that has begun another file of its log', async () => {
    // However often it is asked, marks are ten milliseconds apart, and none is older than it is of use.
    const short = new PrimaryWatch(pair.primaryUrl, 100);
    for (const end = performance.now() + 300; performance.now() < end;) {
      await short.mark();
      expect(short.size).toBeLessThanOrEqual(11);
    }
    short.close();
    const watch = new PrimaryWatch(pair.primaryUrl, 1_000);
    await pair.onPrimary('SELECT pg_switch_wal()');
    const { position } = await watch.mark();
    await until('all of it is replayed', async () => {
      const [row] = await pair.onReplica<{ at: string }>('SELECT pg_last_wal_replay_lsn()::text AS at');
      return (parseWalPosition(row?.at ?? '') ?? 0n) >= position;
    });
    watch.close();
  });
});

describe('whoever was told of something reads nothing older', () => {
  it('of an event: the cursor says how far the log was, on every instance', async () => {
    const [patient, strict] = await Promise.all([startReader(pair, PATIENT), startReader(pair, STRICT)]);
    const domain = await addDomain(strict.database);
    await settle(strict.database, domain, false);
    await pair.caughtUp();
    await untilUsed(pair, patient);
    await untilUsed(pair, strict);
    const start = (await patient.get(feed(BEGINNING))).body;
    expect(start.results.at(-1)?.data).toMatchObject({ domain, available: false });

    await pair.pauseReplay();
    await settle(strict.database, domain, true, new Date());
    const ahead = await until('the primary tells of it', async () => {
      const { body } = await strict.get(feed(`cursor=${start.next_cursor}`));
      return body.count > 0 ? body : undefined;
    });
    expect(ahead.results.map(({ data }) => data)).toEqual([
      expect.objectContaining({ domain, available: true }),
    ]);
    await settle(strict.database, domain, false, new Date());

    // What the replica shows is behind both cursors; the one was made there, the other on the primary.
    expect((await patient.get(feed(`cursor=${start.next_cursor}`))).body.results).toEqual([]);
    const asked = await patient.database.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE domain_event');
      const answer = patient.get(feed(`cursor=${ahead.next_cursor}`));
      await until('it is read at the primary', async () => (await countWaiting(patient.database)) > 0);
      return { answer };
    });
    // Told it is when the replica has it, too.
    await pair.resumeReplay();
    const next = (await asked.answer).body;
    expect(next.results.map(({ type, data }) => `${type} ${data.domain}`)).toEqual([
      `domain.taken ${domain}`,
    ]);
    await Promise.all([patient.close(), strict.close()]);
  });

  it('of a check or a live report: it is told when no instance reads what was before', async () => {
    const [here, there] = await Promise.all([startReader(pair, STRICT), startReader(pair, STRICT)]);
    for (const [domain, path] of [
      ['sandbox-registered.net.au', '/v1/domains/check?domain=sandbox-registered.net.au'],
      ['sandbox-registered.org.au', '/api/v1/domains/sandbox-registered.org.au?live=true'],
    ] as const) {
      await addDomain(here.database, { domain });
      await pair.caughtUp();
      await Promise.all([untilUsed(pair, here), untilUsed(pair, there)]);
      await pair.pauseReplay();
      // Two callers at once: the second is told what the first one's question brought.
      await Promise.all(
        [here, there].map(async (instance) => {
          expect((await instance.get(path)).body.available).toBe(false);
          for (const other of [there, here])
            expect((await other.get(`/api/v1/domains/${domain}`)).body.state).toBe('taken');
        }),
      );
      await pair.resumeReplay();
    }
    await Promise.all([here.close(), there.close()]);
  });
});
