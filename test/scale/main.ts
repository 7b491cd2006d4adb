import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile, chmod } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { mintApiKey } from '../../src/access/api-key.js';
import { sandboxListAt, soonPurgeTimes, startSandboxLists } from '../../src/demo/sandbox-lists.js';
import { startSandboxRegistry } from '../../src/demo/sandbox-registry.js';
import { freePort } from '../support/processes.js';
import { closeConnections } from './http.js';
import { DROPPING, runLoad } from './load.js';
import { chooseNames } from './names.js';
import { balancerPart, instancePart, type Part, redisPart, runCommand } from './parts.js';
import { type Burst, burst, DEMO_RECORDS, FeedReader, judgeFeed, timeRevocation } from './probes.js';
import { findPrograms } from './programs.js';
import { Report } from './report.js';
import { primaryPart, replicaPart } from './servers.js';

// npm run test:scale: three instances behind a balancer, with Redis, a primary and a replica, all of them real and on loopback,
// are asked everything while one part after the other is killed and comes back. Ends with the table of what each death cost.

const WHOLE = 200_000;
/** A shorter trial is a look and not the result. */
const REQUESTS = Number(process.env.SCALE_REQUESTS ?? WHOLE);
const CLIENTS = 24;
const FREE_NAMES = 20_000;
const TAKEN_NAMES = 600;
const BURST_EVERY_MS = 20_000;
/** Connections without an answer, of all requests that an instance had when it was killed. */
const MAX_CLOSED = 5;
const RESULT = new URL('../../../test/bench/results/scale.md', import.meta.url);

const programs = findPrograms({ 'redis-server': 'redis-server', haproxy: 'haproxy' });
if (programs) process.exitCode = await trial(programs);
else console.log('Skipped: redis-server and haproxy are not here and could not be installed.');

async function trial({
  'redis-server': redisServer,
  haproxy,
}: NonNullable<typeof programs>): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-scale-'));
  // Root's server runs as another user, who must get through.
  await chmod(folder, 0o755);
  const running: Part[] = [];
  const registry = await startSandboxRegistry({ port: 0 });
  const purgeTimes = soonPurgeTimes(new Date());
  const lists = await startSandboxLists({
    port: 0,
    listAt: (kind, now) => sandboxListAt(kind, now, purgeTimes),
  });
  for (const kind of ['deleted', 'expired'] as const)
    for (const domain of sandboxListAt(kind, new Date(), purgeTimes).text.match(
      /[a-z0-9-]+(\.[a-z]+)?\.au/g,
    ) ?? [])
      DROPPING.add(domain);
  try {
    const start = async <One extends Part>(part: One): Promise<One> => {
      running.unshift(part);
      await part.start();
      return part;
    };
    const primary = await start(await primaryPart(join(folder, 'primary'), await freePort()));
    const redisPort = await freePort();
    const environment = {
      ...{ DATABASE_URL: primary.url, REDIS_URL: `redis://127.0.0.1:${redisPort}` },
      ...{ AUTH: 'on', AUTH_SECRET: randomUUID(), LOG_LEVEL: 'error', TRUST_PROXY: '1' },
      ...{ REGISTRY_RDAP_URL: registry.url, REGISTRY_SOURCE: 'sandbox', REGISTRY_BOOTSTRAP_URL: 'off' },
      ...{ REGISTRY_RATE_PER_SECOND: '200', REGISTRY_BURST: '200', REGISTRY_MAX_FLIPS_PER_HOUR: '100000' },
      ...{ LIST_DELETED_URLS: lists.urls.deleted, LIST_EXPIRED_URLS: lists.urls.expired },
      ...{ LIST_PURGE_TIME_DELETED: purgeTimes.deleted, LIST_PURGE_TIME_EXPIRED: purgeTimes.expired },
      ...{ ARCHIVE_CDX_URL: 'off', SAMPLE_PER_DAY: '0' },
      TIERS: JSON.stringify({
        demo: { recordsPerMinute: DEMO_RECORDS, requestsPerMinute: 100_000 },
        firehose: { recordsPerMinute: 1e9, requestsPerMinute: 1e9 },
      }),
    };
    const names = chooseNames(FREE_NAMES, TAKEN_NAMES, DROPPING);
    await writeFile(join(folder, 'names.csv'), names.csv);
    const vouched = ['--vouched-by', 'sandbox', '--confirmed-at', new Date().toISOString().slice(0, 10)];
    await runCommand(['import', join(folder, 'names.csv'), ...vouched, '--events'], environment);
    await primary.kill('SIGTERM');
    const replica = await replicaPart(primary, join(folder, 'replica'), await freePort());
    await primary.start();
    await start(replica);
    const redis = await start(redisPart(redisServer, redisPort));
    const withReplica = { ...environment, DATABASE_REPLICA_URLS: replica.url };
    const instances = [];
    for (const name of ['one', 'two', 'three'])
      instances.push(await start(instancePart(`instance ${name}`, await freePort(), withReplica)));
    const urls = instances.map(({ url }) => url);
    const port = await freePort();
    await start(balancerPart(haproxy, port, urls));
    const base = new URL(`http://127.0.0.1:${port}`);
    const [one, two] = instances;
    if (!one || !two) throw new Error('there are no instances');

    const key = await addKey(primary.url, 'load@example.com');
    const report = new Report();
    const storeChanges = new Set<number>();
    const minute = () => Math.floor(Date.now() / 60_000);
    const bursts: (Burst & { phase: string })[] = [];
    const revocations: { phase: string; ms: number }[] = [];
    const reader = new FeedReader(base, key);
    let phase = '';
    let began = performance.now();
    const enter = (name: string) => {
      phase = name;
      report.begin(name, performance.now() - began);
      console.log(`${new Date().toISOString()} ${name}`);
    };
    const timeRevoked = async () => {
      const email = `revoked-${revocations.length}@example.com`;
      const revoked = await addKey(primary.url, email);
      const at = phase;
      const ms = await timeRevocation(urls, revoked, () =>
        runCommand(['account', 'revoke-keys', email, '--reason', 'the test of scale'], environment),
      );
      revocations.push({ phase: at, ms });
    };
    const storeChange = async (change: Promise<void>) => {
      storeChanges.add(minute());
      await change;
      storeChanges.add(minute());
    };
    const timeline: { at: number; name: string; act: () => Promise<void> }[] = [
      { at: 0.05, name: 'all parts are there', act: timeRevoked },
      { at: 0.12, name: 'instance two is killed', act: () => two.kill('SIGKILL') },
      { at: 0.2, name: 'it comes back', act: () => two.start() },
      { at: 0.27, name: 'Redis is killed', act: () => storeChange(redis.kill('SIGKILL')) },
      { at: 0.33, name: 'Redis is away', act: timeRevoked },
      { at: 0.4, name: 'it comes back', act: () => storeChange(redis.start()) },
      { at: 0.48, name: 'the replica is killed', act: () => replica.kill('SIGKILL') },
      { at: 0.56, name: 'it comes back', act: () => replica.start() },
      { at: 0.64, name: 'the primary is killed', act: () => primary.kill('SIGKILL') },
      { at: 0.67, name: 'it comes back', act: () => primary.start() },
      { at: 0.8, name: 'instance one is told to stop', act: () => one.kill('SIGTERM') },
      { at: 0.87, name: 'it comes back', act: () => one.start() },
      { at: 0.93, name: 'all parts are there again', act: timeRevoked },
    ];
    let acting: Promise<void> = Promise.resolve();
    const failures: unknown[] = [];
    let isOver = false;
    const bursting = (async () => {
      for (let number = 1; !isOver; number += 1) {
        bursts.push({ ...(await burst(base, number, () => storeChanges.has(minute()))), phase });
        for (let waited = 0; waited < BURST_EVERY_MS && !isOver; waited += 500) await sleep(500);
      }
    })();
    reader.start();
    began = performance.now();
    enter('it begins');
    await runLoad({
      ...{ base, names, key, requests: REQUESTS, clients: CLIENTS },
      onSeen: (seen, done) => {
        report.add(seen);
        while (timeline[0] && done / REQUESTS >= timeline[0].at) {
          const { name, act } = timeline.shift() ?? { name: '', act: () => Promise.resolve() };
          acting = acting
            .then(() => enter(name))
            .then(act)
            .catch((error: unknown) => void failures.push(error));
        }
      },
    });
    const seconds = (performance.now() - began) / 1000;
    isOver = true;
    await acting;
    await Promise.all([bursting, reader.stop()]);
    const feed = await judgeFeed(reader, primary.url);
    const unjust = bursts.filter(
      ({ granted, failed, storeChanged }) =>
        granted > (storeChanged ? 2 : 1) * DEMO_RECORDS || (granted < DEMO_RECORDS && failed === 0),
    );
    const slowRevocations = revocations.filter(({ ms }) => ms > 1_000);
    const text = `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}; ${new Date().toISOString().slice(0, 10)}. ${report.requests} requests from ${CLIENTS} clients in ${Math.round(seconds)} s,
all parts and the clients on one machine.

${report.table()}
- Bursts of 200 requests at once from a fresh address, 5 records a minute: ${describeBursts(bursts)}.
- A revoked key was refused by all instances after ${revocations.map(({ phase: at, ms }) => `${Math.round(ms)} ms (${at})`).join(', ')}.
- The feed: ${reader.numbers.length} events read through the balancer; ${feed ?? 'each came once, in order, and none is missing'}.
`;
    process.stdout.write(`\n${text}`);
    if (REQUESTS >= WHOLE) await writeFile(RESULT, text);
    const faults = [
      ...[...new Set(report.wrong)].slice(0, 20),
      ...(report.closed > MAX_CLOSED ? [`${report.closed} connections were closed without an answer`] : []),
      ...failures.map(String),
      ...unjust.map((one) => `a burst went wrong: ${JSON.stringify(one)}`),
      ...slowRevocations.map(({ ms }) => `a revocation took ${Math.round(ms)} ms`),
      ...(feed === null ? [] : [`the feed: ${feed}`]),
    ];
    for (const fault of faults) console.error(`!! ${fault}`);
    return faults.length > 0 ? 1 : 0;
  } finally {
    closeConnections();
    for (const part of running) await part.kill('SIGTERM').catch((error: unknown) => console.error(error));
    await Promise.all([registry.close(), lists.close()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

function describeBursts(bursts: readonly Burst[]): string {
  const counts = new Map<string, number>();
  for (const { granted, failed, storeChanged } of bursts) {
    const what = `${granted} granted${failed > 0 ? ` (${failed} failed)` : ''}${storeChanged ? ' in a minute in which the store changed' : ''}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, count]) => `${count} times ${what}`).join(', ');
}

async function addKey(databaseUrl: string, email: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { text, hash, start, tail } = mintApiKey('live');
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO account (email, email_verified, name, tier) VALUES ($1, true, 'Trial', 'firehose') RETURNING id`,
    [email],
  );
  await client.query(
    `INSERT INTO api_key (account_id, hash, kind, start, tail, name, scopes, submission)
     VALUES ($1, $2, 'live', $3, $4, 'Trial', '{read}', gen_random_uuid())`,
    [rows[0]?.id, hash, start, tail],
  );
  await client.end();
  return text;
}
