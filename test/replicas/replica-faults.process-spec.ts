import { cloneTemplate, dropDatabase } from '../support/database.js';
import { addDomain } from '../support/domains.js';
import { until } from '../support/processes.js';
import { startProxy } from '../support/proxy.js';
import {
  BEGINNING,
  comings,
  expectInTurn,
  feed,
  PATIENT,
  said,
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

/** The replica by another address, and how many connections came that way. */
async function startWay() {
  let connections = 0;
  const proxy = await startProxy(pair.replicaUrl, (incoming, outgoing) => {
    connections += 1;
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
    incoming.pipe(outgoing).pipe(incoming);
  });
  return { ...proxy, count: () => connections };
}

describe('several replicas', () => {
  it('take turns', async () => {
    const ways = await Promise.all([startWay(), startWay()]);
    const reader = await startReader(pair, {
      ...PATIENT,
      DATABASE_REPLICA_URLS: ways.map(({ url }) => url).join(),
    });
    // Each is looked at on one connection, and read from on others; on a slow machine it also comes and goes by itself.
    await until('both are read from', async () => {
      expect((await reader.get('/v1/stats')).status).toBe(200);
      return ways.every(({ count }) => count() > 1);
    });
    await reader.close();
    await Promise.all(ways.map((way) => way.close()));
  });
});

it('a caller who hangs up while a replica reads does not take it out of use', async () => {
  const reader = await startReader(pair, PATIENT);
  await untilUsed(pair, reader);
  const before = comings(reader).length;
  const waiting = () =>
    pair.onReplica(`SELECT FROM pg_stat_activity WHERE state = 'active' AND wait_event_type = 'Lock'`);
  await reader.database.transaction(async (transaction) => {
    // A replica takes this lock too.
    await transaction.query('LOCK TABLE domain IN ACCESS EXCLUSIVE MODE');
    await pair.onPrimary('SELECT pg_switch_wal()');
    const request = new AbortController();
    const read = fetch(`${reader.url}/v1/suggest?limit=3`, { signal: request.signal }).catch(() => null);
    await until('it waits', async () => (await waiting()).length > 0);
    request.abort();
    expect(await read).toBeNull();
    await until('it is gone', async () => (await waiting()).length === 0);
  });
  expect((await reader.get('/v1/suggest?limit=3')).status).toBe(200);
  expect(comings(reader).slice(before)).toEqual([]);
  await reader.close();
});

describe('a replica that dies, stands still or is none', () => {
  const PATHS = [
    '/v1/stats',
    '/v1/suggest?limit=3',
    '/api/v1/search?per_page=5',
    '/api/v1/facets',
    feed(BEGINNING),
  ];

  it('costs no request: what it does not answer is asked at the primary; when it is back it is read from again', async () => {
    const strict = await startReader(pair, STRICT);
    await untilUsed(pair, strict);
    const statuses: number[] = [];
    let stopping = false;
    const callers = [...PATHS, ...PATHS].map(async (path) => {
      while (!stopping) statuses.push((await strict.get(path)).status);
    });
    const more = (what: string) => {
      const before = statuses.length;
      return until(what, () => statuses.length > before + 20);
    };
    const isSaid = (what: string) => {
      const before = comings(strict).length;
      return until(`the log says that it is ${what}`, () => comings(strict).slice(before).includes(what));
    };
    await more('answers');
    await Promise.all([isSaid('away'), pair.killReplica()]);
    await more('answers without it');
    await Promise.all([isSaid('back'), pair.startReplica()]);
    await more('answers with it');
    await Promise.all([isSaid('away'), pair.signalReplica('SIGSTOP')]);
    await more('answers while it stands still');
    await Promise.all([isSaid('back'), pair.signalReplica('SIGCONT')]);
    stopping = true;
    await Promise.all(callers);
    expect([...new Set(statuses)]).toEqual([200]);
    await untilUsed(pair, strict);
    expectInTurn(strict);
    await strict.close();
  });

  it('one that is a copy of nothing here, or the primary itself, is not read from, and the log says so without its password', async () => {
    const other = await cloneTemplate();
    const reader = await startReader(pair, {
      ...PATIENT,
      DATABASE_REPLICA_URLS: `${other},${pair.primaryUrl}`,
    });
    await until('it was said of both', () =>
      ['it is a copy of another server', 'it is no replica: it takes writes itself'].every(
        (reason) => said(reader, reason) === 1,
      ),
    );
    expect(said(reader, new URL(pair.primaryUrl).password)).toBe(0);
    const domain = await addDomain(reader.database);
    expect((await reader.get(`/api/v1/domains/${domain}`)).status).toBe(200);
    await reader.close();
    dropDatabase(other);
  });
});
