import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SeededRandom } from '../random.js';
import { ByScoreOrder, FormerOrder, type Order } from './orders.js';
import { type Measured, play } from './play.js';
import { Names, TURN_WORLDS, type TurnWorld, WARM_UP_DAYS } from './turn-world.js';
import { WorthOrder } from './worth-order.js';

// node dist/test/simulation/turns/main.js [WORLDS [SEEDS]]: spends the turns of some days in made-up worlds by three
// orders and writes test/bench/results/turns.md.
const RESULTS = 'test/bench/results';
const DAYS = 4;
const START = -WARM_UP_DAYS;
/** Of the turns, what the sample and the canaries take. */
const OUTSIDE = 0.036;
/** About what repeats take. */
const REPEATS = 0.3;

const worlds: Readonly<Record<string, TurnWorld>> = TURN_WORLDS;
const [keys = Object.keys(worlds).join(','), seeds = '7,8,9'] = process.argv.slice(2);

const ORDERS: Readonly<Record<string, (names: Names, seed: number, share: number) => Order>> = {
  'by score': (names, seed, share) => new ByScoreOrder(names, new SeededRandom(seed), share, START),
  former: (names, seed, share) => new FormerOrder(names, new SeededRandom(seed), share, START),
  worth: (names, seed, share) =>
    new WorthOrder(names, new SeededRandom(seed), Math.max(0.1, share - REPEATS), START, { earlyFactor: 1 }),
  'worth, belief / 3': (names, seed, share) =>
    new WorthOrder(names, new SeededRandom(seed), Math.max(0.1, share - REPEATS), START, {
      earlyFactor: 1 / 3,
    }),
  'worth, belief x 3': (names, seed, share) =>
    new WorthOrder(names, new SeededRandom(seed), Math.max(0.1, share - REPEATS), START, { earlyFactor: 3 }),
};

const rows = keys.split(',').flatMap((key) => {
  const world = worlds[key];
  if (!world) throw new Error(`no such world: ${key}`);
  const measured = new Map<string, Measured[]>();
  for (const seed of seeds.split(',').map(Number)) {
    const names = new Names(world, DAYS + WARM_UP_DAYS, seed);
    const drops = (world.dropsPerDay * 1.02) / (86_400 * world.ratePerSecond);
    for (const [title, order] of Object.entries(ORDERS)) {
      if (title.includes('belief') && key !== 'plain') continue;
      const one = play(names, order(names, seed, Math.max(0.1, 1 - world.callers - OUTSIDE - drops)), seed);
      measured.set(title, [...(measured.get(title) ?? []), one]);
      process.stderr.write(`${key} ${seed} ${title}: ${JSON.stringify(one)}\n`);
    }
  }
  const before = measured.get('by score') ?? [];
  return [...measured].map(([title, runs]) => row(world.title, title, runs, before));
});
mkdirSync(RESULTS, { recursive: true });
const seconds = Math.round(process.cpuUsage().user / 1e6);
// The measured part of the file stays as it is.
const known = readFileSync(`${RESULTS}/turns.md`, 'utf8');
const cost = known.slice(known.indexOf('\n## What a decision costs'));
writeFileSync(
  `${RESULTS}/turns.md`,
  `# Whose turn it is: three orders in made-up worlds

\`npm run simulate:turns\`, seeds ${seeds}, Node ${process.version}, ${seconds} s of one processor. The decision is \`nextTurn\` of src/domains/freshness, callers,
canaries and the sample included. "by score" is release 364bcdb: first answers by score, then retries, then re-checks. "former" is what
\`REGISTRY_POLICY=former\` brings back. "worth" is what the service does. ${DAYS} days count, after ${WARM_UP_DAYS} in which each order finds its feet.

- confirmed: minutes until 98 % of a day's drops had an answer, the slowest day of all seeds
- retries late: minutes, 99.9 %
- caught: minutes until a first-day catch of score >= 10 is noticed, of those outside the drop hour and the 45 minutes before it: median and 99.9 % by the world's own chances, and the latest of those that came
- new, top, all: false among the first 100 of the day's drops, the first 100 of all offers, and all as shown, in %, by the world's own chances; in brackets top and all as a part of "by score"
- a day: names of the backlog asked about a day, where one waited

| world | order | confirmed | retries late | caught | new | top | all | a day | repeats, re-checks, idle % |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|
${rows.join('\n')}
${cost}`,
);

function row(world: string, title: string, runs: readonly Measured[], before: readonly Measured[]): string {
  const most = (of: (one: Measured) => number) => Math.max(...runs.map(of));
  const mean = (of: (one: Measured) => number, all = runs) =>
    all.reduce((sum, one) => sum + of(one), 0) / all.length;
  const share = (of: (one: Measured) => number) =>
    `${(100 * mean(of)).toFixed(4)} (${(mean(of) / mean(of, before)).toFixed(2)})`;
  const part = (kind: string) => (100 * mean((one) => one.turns[kind] ?? 0)).toFixed(0);
  return `| ${[
    world,
    title,
    most(({ confirmed }) => confirmed).toFixed(0),
    most(({ retryLate }) => retryLate.p999).toFixed(1),
    `${mean(({ noticed }) => noticed.median).toFixed(0)}, ${most(({ noticed }) => noticed.p999).toFixed(0)}, ${most(({ noticed }) => noticed.max).toFixed(0)}`,
    (100 * mean(({ falseNew }) => falseNew)).toFixed(3),
    share(({ falseTop }) => falseTop),
    share(({ falseAll }) => falseAll),
    mean(({ backlogPerDay }) => backlogPerDay)
      .toFixed(0)
      .replace('NaN', ''),
    `${part('repeat')}, ${part('recheck')}, ${part('idle')}`,
  ].join(' | ')} |`;
}
