import { PrimaryWatch, parseWalPosition } from '../../src/db/replicas/wal.js';
import { countWaiting } from '../support/database.js';
import { addDomain, settle } from '../support/domains.js';
import { until } from '../support/processes.js';
import {
  BEGINNING,
  comings,
  expectInTurn,
  feed,
  PATIENT,
  startReader,
  STRICT,
  untilUsed,
} from '../support/reader.js';
import { type Pair, startPair } from '../support/streaming-replica.js';

/** A busy machine takes its time; a replica that may lag for fifty times as long as allowed takes longer. */
const LEFT_WITHIN_MS = 20 * Number(STRICT.REPLICA_MAX_LAG_MS);

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
});
afterAll(() => pair.close());
afterEach(() => pair.resumeReplay());

describe('a replica that is further behind', () => {
  it('is not read from, and is again when it has caught up; each is said once', async () => {
    const strict = await startReader(pair, STRICT);
    await untilUsed(pair, strict);
    const before = comings(strict).length;
    await pair.pauseReplay();
    const domain = await addDomain(strict.database);
    const addedAt = performance.now();
    await until('the primary answers', async () => {
      const { status } = await strict.get(`/api/v1/domains/${domain}`);
      return status === 200;
    });
    expect(performance.now() - addedAt).toBeLessThan(LEFT_WITHIN_MS);
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
