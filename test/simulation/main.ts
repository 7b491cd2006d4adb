import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { SWEPT_AT_ONCE } from '../../src/domains/freshness/next-ask.js';
import { type Contestant, contestants } from './contest.js';
import { makePopulation, type Scale } from './population.js';
import { type Figures, meanFrom, simulate } from './simulate.js';
import { type World, WORLDS } from './world.js';

// npm run simulate: plays the choice of the next question through made-up worlds and writes test/bench/results/freshness.*.

const SEED = 20_260_301;
const RESULTS = 'test/bench/results';
/** Before it, a policy that begins with everything just confirmed looks better than it is. */
const FIRST_DAY_COUNTED = 30;
const LONG_RUN_FIRST_DAY_COUNTED = 180;

const SCALE: Scale = {
  names: 700_000,
  dropsPerDay: 2_000,
  days: 90,
  questionsPerDay: 38_000,
  sweptAtOnce: SWEPT_AT_ONCE,
};
const LARGE: Scale = { ...SCALE, names: 5_000_000 };
const SIMPLE: readonly Contestant[] = [
  'nothing is asked',
  'youngest first',
  'best rank first',
  'round robin',
];
const OURS = 'interval, learned';
const RIVALS: readonly Contestant[] = ['round robin', OURS];
const KNOWLEDGE: readonly Contestant[] = ['interval, prior only', OURS, 'interval, true rates'];

interface Run {
  readonly world: World;
  readonly names: number;
  readonly days: number;
  readonly falseShown: Partial<Record<Contestant, number>>;
  readonly hidden: Partial<Record<Contestant, Figures['hidden']>>;
}

const worlds = Object.values<World>(WORLDS);
const runs = worlds.map((world) => run(world, SCALE, [...SIMPLE, OURS], FIRST_DAY_COUNTED));
const knowing = [WORLDS.base, WORLDS.flat, WORLDS.wave].map((world) =>
  run(world, SCALE, KNOWLEDGE, FIRST_DAY_COUNTED),
);
// The worlds in which the size matters most.
const large = [WORLDS.base, WORLDS.flat, WORLDS.wave, WORLDS.bursts].map((world: World) =>
  run(world, LARGE, [...RIVALS, 'interval, true rates'], FIRST_DAY_COUNTED),
);
const long = [SCALE, LARGE].map((scale) =>
  run(WORLDS.base, { ...scale, days: 240 }, RIVALS, LONG_RUN_FIRST_DAY_COUNTED),
);
// Of the processor: how long it takes depends on who else is at work.
const seconds = Math.round(process.cpuUsage().user / 1e6);
mkdirSync(RESULTS, { recursive: true });
writeFileSync(
  `${RESULTS}/freshness.json`,
  `${JSON.stringify({ seed: SEED, runs, knowing, large, long }, null, 2)}\n`,
);
writeFileSync(`${RESULTS}/freshness.md`, report());

function run(world: World, scale: Scale, policies: readonly Contestant[], from: number): Run {
  const population = makePopulation(world, scale, SEED);
  const falseShown: Partial<Record<Contestant, number>> = {};
  const hidden: Partial<Record<Contestant, Figures['hidden']>> = {};
  for (const title of policies) {
    const figures = simulate(population, scale, contestants(world, scale.sweptAtOnce)[title]);
    falseShown[title] = meanFrom(from, figures);
    hidden[title] = figures.hidden;
    process.stderr.write(`${scale.names} names, ${world.title}, ${title}: ${percent(falseShown[title])}\n`);
  }
  return { world, names: scale.names, days: scale.days, falseShown, hidden };
}

function report(): string {
  return `# Which names to ask again: the policy in made-up worlds

\`npm run simulate\`, seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${seconds} s of one processor. The simulated code is
src/domains/freshness/ itself; the worlds are in test/simulation/. Everything is confirmed on day 0; then 2,000 names drop a day, ${SCALE.questionsPerDay.toLocaleString('en')}
questions a day are left for re-checks, and a name that is found taken leaves. Shares of offers shown that are false, each
name counted as often as it is shown, mean of the ends of days ${FIRST_DAY_COUNTED} to ${SCALE.days}.

## 700,000 names

${table([...SIMPLE, OURS], runs)}

What knowing the rates is worth: "prior only" never learns, "learned" is what the service runs (the prior at first, then its own
answers), "true rates" knows from the beginning what nobody can know.

${table(KNOWLEDGE, knowing, false)}

## 5,000,000 names

With 38,000 questions a day each name would be asked every 130 days.

${table([...RIVALS, 'interval, true rates'], large)}

## What OFFER_MAX_AGE_DAYS=120 hides

The base world for 240 days; false offers are the mean of days ${LONG_RUN_FIRST_DAY_COUNTED} to 240, with the hidden names still counted. Hidden is what nobody asked about for 120
days at the end: of the names, and of what would be shown.

| names | policy | false offers | hidden names | hidden of what would be shown |
|---:|---|---:|---:|---:|
${long.flatMap((one) => RIVALS.map((title) => `| ${one.names.toLocaleString('en')} | ${title} | ${percent(one.falseShown[title])} | ${percent(one.hidden[title]?.names)} | ${percent(one.hidden[title]?.shown)} |`)).join('\n')}
`;
}

function table(policies: readonly Contestant[], rows: readonly Run[], compares = true): string {
  const more = compares ? [' fewer than round robin |', '---:|'] : ['', ''];
  const lines = rows.map((one) => {
    const shares = policies.map((title) => percent(one.falseShown[title])).join(' | ');
    return `| ${one.world.title} | ${shares} |${compares ? ` ${ratio(one)} |` : ''}`;
  });
  return [
    `| world | ${policies.join(' | ')} |${more[0]}`,
    `|---|${policies.map(() => '---:|').join('')}${more[1]}`,
    ...lines,
  ].join('\n');
}

function ratio({ falseShown }: Run): string {
  const [theirs, ours] = [falseShown['round robin'] ?? NaN, falseShown[OURS] ?? NaN];
  return `${(theirs / ours).toFixed(1)} times`;
}

function percent(share: number | undefined): string {
  return share === undefined ? '' : `${(share * 100).toFixed(3)} %`;
}
