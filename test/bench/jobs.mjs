/**
 * What it takes PostgreSQL to find out what each job of the dataset does next, and to gather the figures of /api/v1/status and of
 * /api/v1/drops/upcoming, in the product's own statements:
 *
 *   node jobs.mjs [--rows 10000000] [--work FOLDER] [--rounds 10] [--plans]
 *
 * Every statement runs under EXPLAIN ANALYZE in a transaction that is rolled back; its time is planning and execution, the least of
 * all rounds, and its CPU time that of its process, the median. With --plans also prints the plans. The names that wait are made by
 * waiting-names.mjs, out of those that discovery.mjs has loaded. Writes results/jobs.md.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ArchiveQueue } from '../../dist/src/archive/archive-queue.repository.js';
import { UpcomingDropRepository } from '../../dist/src/domains/feed/upcoming-drop.repository.js';
import { RecheckMomentRepository } from '../../dist/src/domains/freshness/recheck-moment.repository.js';
import { MAX_DUE_LOOKED_AT, SWEPT_AT_ONCE } from '../../dist/src/domains/freshness/threshold.js';
import {
  findUnscheduled,
  markPurged,
  markStale,
} from '../../dist/src/domains/lifecycle/expiry.repository.js';
import { QuestionQueue } from '../../dist/src/domains/lifecycle/question-queue.repository.js';
import { OfferSampler } from '../../dist/src/domains/truth/offer-sampler.repository.js';
import { TruthSampleRepository } from '../../dist/src/domains/truth/truth-sample.repository.js';
import { StatusRepository } from '../../dist/src/api/status/status.repository.js';
import { ExplainedDatabase } from './explained.mjs';
import { describeMachine } from './machine.mjs';
import { startServer } from './server.mjs';
import { ms } from './tables.mjs';
import { prepareWaitingNames } from './waiting-names.mjs';

const RESULTS = new URL('results/', import.meta.url);
const DAY_MS = 86_400_000;
/** Names in a batch of work of the jobs that take many at once, as src/jobs has them. */
const BATCHES = { purge: 500, stale: 200, sweep: 1_000 };
const ANY = { day: undefined, suffixes: [], kind: undefined, q: undefined, minWayback: 0 };

/** Puts off the names of the queues that come first, and back again. */
const PUT_OFF = {
  confirmed: `UPDATE domain SET ask_at = 'infinity' WHERE state = 'purged'`,
  asked: `UPDATE domain SET ask_at = 'infinity' WHERE state = 'unconfirmed' AND ask_at IS NOT NULL`,
};
const PUT_BACK = `
  UPDATE domain SET ask_at = CASE state WHEN 'unconfirmed' THEN $1::timestamptz - length * interval '1 minute' END
   WHERE ask_at = 'infinity' AND NOT available`;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    rounds: { type: 'string', default: '10' },
    plans: { type: 'boolean', default: false },
  },
});
const server = await startServer(values.work);
const { url, now } = await prepareWaitingNames(server, values.rows);
const client = new pg.Client({ connectionString: url });
try {
  await client.connect();
  const database = await ExplainedDatabase.of(client);
  await client.query(PUT_BACK, [now]);
  const measured = [];
  for (const [group, what, limitMs, work] of cases(database))
    measured.push({ group, what, limitMs, ...(await measure(database, work)) });
  await client.query(PUT_BACK, [now]);
  await mkdir(RESULTS, { recursive: true });
  const table = toTable(measured);
  await writeFile(new URL('jobs.md', RESULTS), table);
  process.stdout.write(table);
} finally {
  await client.end();
  await server.close();
}

/** Group, what it is, the limit in ms, and the work on the database. */
function cases(database) {
  const questions = (isRecheckTurn) => {
    const queue = new QuestionQueue(database);
    queue.isRecheckTurn = isRecheckTurn;
    return queue.next(now);
  };
  const without = (names, isRecheckTurn) => {
    let isPutOff = false;
    return async () => {
      if (!isPutOff) await client.query(PUT_OFF[names]);
      isPutOff = true;
      return questions(isRecheckTurn);
    };
  };
  const sampler = new OfferSampler(database);
  const moments = new RecheckMomentRepository(database);
  const drops = new UpcomingDropRepository(database);
  const status = new StatusRepository(database);
  const archive = new ArchiveQueue(database);
  const daysAgo = (days) => new Date(now.getTime() - days * DAY_MS);
  const inTransaction = (work) => () => database.transaction(work);
  let draw = 0;
  const random = () => ((draw += 1) * 0.618_033_988_75) % 1;
  return [
    ['choice', 'question: to be confirmed', 5, () => questions(true)],
    ['choice', 'question: to be asked again', 5, without('confirmed', true)],
    ['choice', 'question: re-check', 5, without('asked', true)],
    ['choice', 'question: unconfirmed', 5, without('asked', false)],
    ['choice', 'score', 5, () => archive.next(now)],
    ['choice', 'sample, of all offers', 5, () => sampler.drawFromAll(random)],
    ['choice', 'sample, of the first 100', 5, () => sampler.drawFromTop(100, random)],
    ['choice', 'sample, of the first 10,000', 5, () => sampler.drawFromTop(10_000, random)],
    ['choice', 'first moment of the re-checks', 5, () => moments.findFirstMoment()],
    [
      'batch',
      `${BATCHES.purge} purges that have passed`,
      null,
      inTransaction((one) => markPurged(one, now, BATCHES.purge)),
    ],
    [
      'batch',
      `${BATCHES.stale} names that go stale`,
      null,
      inTransaction((one) => markStale(one, now, BATCHES.stale)),
    ],
    ['batch', 'no name goes stale', 5, inTransaction((one) => markStale(one, daysAgo(365), BATCHES.stale))],
    [
      'batch',
      `${BATCHES.sweep} names looked over for the schedule`,
      null,
      () => findUnscheduled(database, 'm', BATCHES.sweep),
    ],
    [
      'batch',
      `${MAX_DUE_LOOKED_AT} due names looked over`,
      null,
      () => moments.listDue(now, MAX_DUE_LOOKED_AT),
    ],
    [
      'batch',
      `${SWEPT_AT_ONCE} other moments looked over`,
      null,
      () => moments.listBehind('m', SWEPT_AT_ONCE),
    ],
    ['status', 'offers and stale names', null, () => status.countOffers()],
    ['status', 'time to confirmation', null, () => status.readConfirmationTimes(daysAgo(7))],
    ['status', 'queue of purges', null, () => status.readPurgeQueue(now)],
    ['status', 'queues of questions', null, () => new QuestionQueue(database).sizes(now)],
    ['status', 'queue of scores', null, () => archive.size(now)],
    ['status', 'samples of 30 days', null, () => new TruthSampleRepository(database).count(daysAgo(30))],
    ['drops/upcoming', 'a page of 50', null, () => drops.listDrops(ANY, now, null, 50)],
    [
      'drops/upcoming',
      'a page of 50, a rare pattern',
      null,
      () => drops.listDrops({ ...ANY, q: 'zq' }, now, null, 50),
    ],
    ['drops/upcoming', 'runs', null, () => drops.listRuns(ANY, now)],
    ['drops/upcoming', 'the best of each run', null, () => drops.listBest(ANY, now, 10, 50)],
  ];
}

async function measure(database, work) {
  const rounds = [];
  // The first warms up.
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    await work();
    rounds.push(database.take());
  }
  const sum = (statements, ...keys) =>
    statements.reduce((total, one) => total + keys.reduce((own, key) => own + one[key], 0), 0);
  const warm = rounds.slice(1);
  const cpus = warm.map((statements) => sum(statements, 'cpu')).toSorted((one, other) => one - other);
  if (values.plans) for (const { sql, plan } of rounds[0]) process.stdout.write(`\n${sql}\n${outline(plan)}`);
  return {
    least: Math.min(...warm.map((statements) => sum(statements, 'planning', 'execution'))),
    cpu: cpus[cpus.length >> 1],
  };
}

function outline(plan, depth = 0) {
  const {
    'Node Type': node,
    'Index Name': index = '',
    'Actual Total Time': time,
    'Actual Rows': rows,
  } = plan;
  const own = `${'  '.repeat(depth)}${node} ${index} ${rows} rows, ${time} ms\n`;
  return own + (plan.Plans ?? []).map((part) => outline(part, depth + 1)).join('');
}

function toTable(measured) {
  const lines = measured.map(({ group, what, limitMs, least, cpu }) => {
    const verdict = limitMs === null ? '' : least <= limitMs ? `under ${limitMs}` : `OVER ${limitMs}`;
    return `| ${group} | ${what} | ${ms(least)} | ${ms(cpu)} | ${verdict} |`;
  });
  return `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. ${Number(values.rows).toLocaleString('en-AU')} names; planning and execution by EXPLAIN ANALYZE in ms, the least of ${values.rounds}, and the CPU time of PostgreSQL for it.

| | what | time | CPU | limit |
|---|---|---:|---:|---|
${lines.join('\n')}
`;
}
