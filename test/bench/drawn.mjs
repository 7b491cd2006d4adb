/**
 * Questions that are drawn and not chosen, asked of this checkout and of others on one database with the same names:
 *
 *   node drawn.mjs [--beside FOLDER,FOLDER] [--rows 10000000] [--work FOLDER] [--seeds N,N] [--questions 1000] [--samples 20] [--warm 1] [--plans]
 *
 * FOLDERs are built checkouts; the names lie in the database bowerbird_ROWS, which discovery.mjs loads. Each side is a process of its
 * own (drawn-side.mjs), so that none collects another's garbage. Each question is asked of every side before the next is, in turns, so
 * that a busy moment meets them all. Measured is the CPU time of the side's process and of its session of PostgreSQL. Ranked questions,
 * pages with filters, pages with their count, pages with filters of words, each first asked; answers are
 * compared. `nothing` is a statement without a table: what measuring itself takes. The dearest questions are asked twice more: `max
 * again` takes the middle of the three, so that it tells the question and not a collection of garbage. Then estimates are judged by full counts, with as many samples as asked for. `--warm 0.3` warms
 * up with fewer questions, `--plans` prints how this checkout asks the dearest. Prints the seeds, so that a run can be repeated.
 */
import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { describeMachine } from './machine.mjs';
import { makeNames, readNames } from './names.mjs';
import { drawer, generator } from './questions.mjs';
import { startServer } from './server.mjs';
import { ms, percentiles } from './tables.mjs';

const HERE = resolve(import.meta.dirname, '../..');
const MAX_JUDGED = 40;
/** Asked of each side before it is measured: of its first thousands of questions one in sixty waits for its code to be compiled. */
const WARM_UP = {
  nothing: 3_000,
  ranked: 8_000,
  filtered: 2_000,
  'page and count': 2_000,
  'further filters': 500,
};
/** Of the slowest questions so many are printed, with what every side took. */
const WORST = 10;

const { values } = parseArgs({
  options: {
    beside: { type: 'string', default: '' },
    rows: { type: 'string', default: '10000000' },
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    seeds: { type: 'string', default: String(randomInt(1_000_000)) },
    questions: { type: 'string', default: '1000' },
    samples: { type: 'string', default: '0' },
    warm: { type: 'string', default: '1' },
    plans: { type: 'boolean', default: false },
  },
});
const rows = Number(values.rows);
const count = Number(values.questions);
const server = await startServer(values.work);
const url = server.urlOf(`bowerbird_${rows}`);
const folders = [...values.beside.split(',').filter(Boolean), HERE];
const sides = [];
try {
  for (const folder of folders) sides.push(await openSide(folder));
  const labels = (await readNames(await makeNames(join(values.work, `names-${rows}.csv`), rows), 50_000)).map(
    (name) => name.split('.')[0],
  );
  let random = generator(0);
  const draw = drawer(labels, () => random());
  const lines = [
    `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}; ${rows.toLocaleString('en-AU')} names; CPU ms of node and PostgreSQL.`,
    '',
    '| questions | seed | side | p50 | p95 | p99 | max | max again | mean | timed out | answers that differ |',
    '|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|',
  ];
  const kinds = [
    ['nothing', count, () => null],
    ['ranked', count, draw.ranked],
    ['filtered', count >> 1, draw.filtered],
    ['page and count', count >> 1, draw.filtered],
    ['further filters', count >> 1, draw.further],
  ];
  for (const [name, , drawOne] of kinds)
    for (let warm = 0; warm < values.warm * WARM_UP[name]; warm += 1) {
      const query = drawOne();
      for (const side of sidesFor(name)) await side.ask({ ask: name, query });
    }
  for (const kind of kinds)
    for (const seed of values.seeds.split(',')) {
      random = generator(Number(seed));
      lines.push(...(await measure(seed, ...kind)));
      console.error(lines.slice(-sidesFor(kind[0]).length).join('\n'));
    }
  if (Number(values.samples) > 0) lines.push('', await judge(draw.filtered, Number(values.samples)));
  const text = `${lines.join('\n')}\n`;
  await writeFile(new URL('results/drawn.md', import.meta.url), text);
  process.stdout.write(text);
} finally {
  for (const side of sides) await side.close();
  await server.close();
}

async function openSide(folder) {
  const child = fork(join(import.meta.dirname, 'drawn-side.mjs'), [resolve(folder), url]);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${folder}: the side ended with ${code}`);
  });
  ended.catch(() => undefined);
  const answer = async () => (await Promise.race([once(child, 'message'), ended]))[0];
  return {
    ...(await answer()),
    ask(message) {
      child.send(message);
      return answer();
    },
    async close() {
      child.disconnect();
      await ended.catch(() => undefined);
    },
  };
}

/** An early checkout has no search. */
function sidesFor(name) {
  if (name === 'further filters') return sides.filter(({ hasWords }) => hasWords);
  return sides.filter(({ hasSearch }) => hasSearch || name === 'nothing' || name === 'ranked');
}

async function measure(seed, name, questions, drawOne) {
  const asked = sidesFor(name);
  const costs = new Map(asked.map((side) => [side, []]));
  const wrong = new Map(asked.map((side) => [side, 0]));
  const late = new Map(asked.map((side) => [side, 0]));
  const slow = [];
  for (let place = 0; place < questions; place += 1) {
    const query = drawOne();
    const answers = new Map();
    for (const side of place % 2 === 0 ? asked : asked.toReversed()) {
      const answer = await side.ask({ ask: name, query });
      costs.get(side).push(answer.cost);
      answers.set(side, answer);
      if (answer.timedOut) late.set(side, late.get(side) + 1);
    }
    slow.push({ query, all: asked.map((side) => answers.get(side)) });
    const first = answers.get(asked[0]);
    for (const side of asked) {
      const { names, timedOut } = answers.get(side);
      if (!timedOut && !first.timedOut && names !== first.names) wrong.set(side, wrong.get(side) + 1);
    }
  }
  const worst = slow.toSorted((one, other) => other.all.at(-1).cost - one.all.at(-1).cost).slice(0, WORST);
  if (name !== 'nothing')
    for (const { all, query } of worst) {
      const each = all.map(({ cost, node }) => `${cost.toFixed(1)} (node ${node.toFixed(1)})`).join(' / ');
      console.error(`${name} ${each} ms ${JSON.stringify(query)}`);
      if (values.plans) console.error(`  ${await sides.at(-1).ask({ planned: query })}`);
    }
  const again = new Map();
  for (const side of asked) again.set(side, await askAgain(side, name, costs.get(side), slow));
  return asked.map((side) => {
    const all = costs.get(side);
    const { p50, p95, p99, max } = percentiles(all);
    const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
    const figures = [p50, p95, p99, max, again.get(side), mean].map(ms).join(' | ');
    return `| ${name}, ${questions} | ${seed} | ${side === sides.at(-1) ? 'this' : side.name} | ${figures} | ${late.get(side)} | ${wrong.get(side)} |`;
  });
}

/** The most that a question costs where the dearest are asked twice more. */
async function askAgain(side, name, costs, questions) {
  const dearest = [...costs.keys()].toSorted((one, other) => costs[other] - costs[one]);
  let most = costs[dearest[WORST]] ?? 0;
  for (const place of dearest.slice(0, WORST)) {
    const three = [costs[place]];
    for (let time = 0; time < 2; time += 1)
      three.push((await side.ask({ ask: name, query: questions[place].query })).cost);
    most = Math.max(most, three.toSorted((one, other) => one - other)[1]);
  }
  return most;
}

/** Estimates of as many samples beside full counts. */
async function judge(drawOne, samples) {
  const side = sides.at(-1);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const judged = [];
  while (judged.length < MAX_JUDGED) {
    const query = drawOne();
    if (!(await side.ask({ isEstimated: query }))) continue;
    judged.push({ query, truth: await fullCount(client, query) });
  }
  await client.end();
  let [covered, intervals] = [0, 0];
  const errors = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const guesses = await side.ask({ guess: judged.map(({ query }) => query) });
    for (const [place, { total, low, high }] of guesses.entries()) {
      const { truth } = judged[place];
      intervals += 1;
      if (low <= truth && truth <= high) covered += 1;
      errors.push((100 * Math.abs(total - truth)) / truth);
    }
  }
  const { p50, p95, max } = percentiles(errors);
  return `Estimates: ${judged.length} filters, ${samples} samples: error p50 ${p50.toFixed(1)} %, p95 ${p95.toFixed(1)} %, max ${max.toFixed(1)} %; ${((100 * covered) / intervals).toFixed(1)} % of the 95 % intervals hold the truth.`;
}

/** One plain statement that knows of no index. */
async function fullCount(client, query) {
  const conditions = ['available', 'NOT hidden'];
  const given = [];
  const add = (condition, value) =>
    value !== undefined && conditions.push(condition.replace('?', `$${given.push(value)}`));
  if (query.q !== undefined)
    add(
      'name LIKE ?',
      { contains: `%${query.q}%`, prefix: `${query.q}%`, suffix: `%${query.q}` }[query.mode],
    );
  if (query.suffixes.length > 0) add('tld = ANY (?)', query.suffixes);
  add('wayback >= ?', query.minWayback);
  add('wayback <= ?', query.maxWayback);
  add('length >= ?', query.minLength);
  add('length <= ?', query.maxLength);
  add('first_seen >= ?::date', query.firstSeenFrom);
  add('first_seen <= ?::date', query.firstSeenTo);
  for (const [column, wanted] of [
    ['hyphens', query.hyphens],
    ['digits', query.numbers],
  ])
    if (wanted === 'only' || wanted === 'exclude')
      conditions.push(`${column} ${wanted === 'only' ? '>' : '='} 0`);
  const answer = await client.query(
    `SELECT count(*)::int AS count FROM domain WHERE ${conditions.join(' AND ')}`,
    given,
  );
  return answer.rows[0].count;
}
