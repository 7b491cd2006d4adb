/**
 * What an answer of a registry costs PostgreSQL, through the product's own writer:
 *
 *   node confirmation.mjs [--rows 10000000] [--work FOLDER] [--names 300]
 *
 * CPU time of the process that serves the connection, over the whole transaction from BEGIN to COMMIT: the row's lock, the guard, the
 * row with all its indexes, the schedule of re-checks, the event, the counters of the dataset; and the bytes of WAL that it writes. The
 * names are those of waiting-names.mjs, and are changed for good: another run takes others. Writes results/confirmation.md.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { readConfig } from '../../dist/src/config/read-config.js';
import { createDataSource } from '../../dist/src/db/data-source.js';
import { Database } from '../../dist/src/db/database.js';
import { Freshness } from '../../dist/src/domains/freshness/freshness.js';
import { RecheckMomentRepository } from '../../dist/src/domains/freshness/recheck-moment.repository.js';
import { TakenRateRepository } from '../../dist/src/domains/freshness/taken-rate.repository.js';
import { filePending } from '../../dist/src/db/read-ahead.js';
import { SEARCH_INDEXES } from '../../dist/src/domains/schema/filters/score-bands.js';
import { Lifecycle } from '../../dist/src/domains/lifecycle/lifecycle.js';
import { cpuMsOfBackend } from './backend-cpu.mjs';
import { describeMachine } from './machine.mjs';
import { startServer } from './server.mjs';
import { ms, percentiles } from './tables.mjs';
import { prepareWaitingNames } from './waiting-names.mjs';

const LIMIT_MS = 2;
const RESULTS = new URL('results/', import.meta.url);

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    names: { type: 'string', default: '300' },
  },
});
const count = Number(values.names);
const server = await startServer(values.work);
const { url, now } = await prepareWaitingNames(server, values.rows);
// One connection, so that its process is known.
const dataSource = createDataSource(url, 1, () => undefined);
try {
  await dataSource.initialize();
  const database = new Database(dataSource);
  const [{ pid }] = await database.query('SELECT pg_backend_pid() AS pid');
  const config = readConfig({});
  const schedule = new Freshness(
    new TakenRateRepository(database),
    new RecheckMomentRepository(database),
    config,
  );
  await schedule.refresh();
  // All answers come within one hour of this clock, and many contradict what was known: the guard has to let them.
  const lifecycle = new Lifecycle(database, { ...config.lifecycle, maxFlipsPerHour: 1_000_000 }, schedule);

  const cases = [
    ['purged, free: to available, with its event', `state = 'purged'`, 'available'],
    ['purged, registered: rescued', `state = 'purged'`, 'registered'],
    ['available, free as before', `available AND wayback >= 100`, 'available'],
    ['available, registered: taken, with its event', `available AND wayback < 100`, 'registered'],
  ];
  const measured = [];
  await filePending(database, SEARCH_INDEXES);
  let filing = '';
  for (const [what, condition, state] of cases) {
    const domains = await drawNames(database, condition);
    measured.push({
      what,
      names: domains.length,
      ...(await observe(database, pid, lifecycle, domains, state)),
    });
    // What the names that came on offer cost later, when their grams are filed together.
    if (measured.length > 1) continue;
    const before = await cpuMsOfBackend(pid);
    await filePending(database, SEARCH_INDEXES);
    filing = `Filing the grams of the first ${domains.length} together, later: ${ms(((await cpuMsOfBackend(pid)) - before) / domains.length)} ms of CPU time a name.`;
  }
  const table = `${toTable(measured)}\n${filing}\n`;
  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL('confirmation.md', RESULTS), table);
  process.stdout.write(table);
} finally {
  await dataSource.destroy();
  await server.close();
}

async function drawNames(database, condition) {
  const rows = await database.query(
    `SELECT domain FROM domain TABLESAMPLE SYSTEM (10) WHERE ${condition} AND NOT hidden ORDER BY hashtext(domain) LIMIT $1`,
    [count],
  );
  return rows.map(({ domain }) => domain);
}

async function observe(database, pid, lifecycle, domains, state) {
  const cpu = [];
  const times = [];
  const moves = new Map();
  let walBytes = 0;
  for (const [place, domain] of domains.entries()) {
    const answer = {
      state,
      source: 'rdap',
      checkedAt: new Date(now.getTime() + place * 1_000),
      registeredAt: null,
    };
    const [{ lsn }] = await database.query('SELECT pg_current_wal_insert_lsn() AS lsn');
    const cpuBefore = await cpuMsOfBackend(pid);
    const start = performance.now();
    const outcome = await lifecycle.observeAnswer(domain, answer);
    times.push(performance.now() - start);
    cpu.push((await cpuMsOfBackend(pid)) - cpuBefore);
    const [{ bytes }] = await database.query(
      'SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::float8 AS bytes',
      [lsn],
    );
    walBytes += bytes;
    const move = `${outcome.from} → ${outcome.to}${outcome.event ? `, ${outcome.event}` : ''}`;
    moves.set(move, (moves.get(move) ?? 0) + 1);
  }
  const mean = cpu.reduce((sum, one) => sum + one, 0) / cpu.length;
  return {
    cpu: { mean, ...percentiles(cpu) },
    times: percentiles(times),
    wal: walBytes / domains.length,
    moves,
  };
}

function toTable(measured) {
  const lines = measured.map(({ what, names, cpu, times, wal, moves }) => {
    const verdict = cpu.mean <= LIMIT_MS ? `under ${LIMIT_MS}` : `OVER ${LIMIT_MS}`;
    const came = [...moves].map(([move, times]) => `${move}: ${times}`).join('; ');
    return `| ${what} | ${names} | ${ms(cpu.mean)} | ${ms(cpu.p50)} | ${ms(cpu.p99)} | ${verdict} | ${ms(times.p50)} | ${Math.round(wal).toLocaleString('en-AU')} | ${came} |`;
  });
  return `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. ${Number(values.rows).toLocaleString('en-AU')} names; ms of CPU time of PostgreSQL for a whole transaction, BEGIN to COMMIT; and bytes of WAL, whole pages after a checkpoint included.

| answer | names | CPU mean | p50 | p99 | limit | time p50 | WAL | what came of it |
|---|---:|---:|---:|---:|---|---:|---:|---|
${lines.join('\n')}
`;
}
