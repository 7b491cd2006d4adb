import { mkdirSync, writeFileSync } from 'node:fs';
import { newcomersAlarms, recheckAlarms, recheckNoticedAfter } from './rechecks.js';
import { ALL_OFFERS, type Coverage, coverageOf, falseAlarms, FIRST_SHOWN, noticedAfter } from './measure.js';

// node dist/test/simulation/truth/main.js: how well the published shares cover the truth of a known world, how often
// chance is called a change and how soon a change is noticed. Writes test/bench/results/truth.md.
const RESULTS = 'test/bench/results';
const WINDOWS = 40;
const SEED = 27;
const SEEDS = 10;
const YEARS = 40;
const TRIALS = 200;
const NEWCOMERS = 100;

const started = process.cpuUsage();
const own = coverageOf(SEED, WINDOWS);
const many = Array.from({ length: SEEDS }, (_, seed) => coverageOf(100 + seed, WINDOWS));

const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
const total = (rows: Coverage[], of: (row: Coverage) => number) =>
  rows.reduce((sum, row) => sum + of(row), 0);

const coverage = own.map((row) => {
  const same = many.flatMap((rows) => rows.filter(({ hours, of }) => hours === row.hours && of === row.of));
  const windows = total(same, (one) => one.windows);
  const mean = (of: (one: Coverage) => number) => (row.windows === 0 ? '–' : percent(of(row) / row.windows));
  return [
    `${row.hours} h`,
    row.of,
    row.windows === 0 ? '–' : Math.round(row.sampled / row.windows),
    mean((one) => one.truth),
    mean((one) => one.width),
    `${row.covered} of ${row.windows}`,
    row.tooFew,
    windows === 0 ? '–' : `${percent(total(same, (one) => one.covered) / windows)} of ${windows}`,
  ];
});

const alarms = [0.001, 0.01, 0.03, 0.1].map((share) => [
  percent(share),
  (falseAlarms(SEED, YEARS, share) / YEARS).toFixed(2),
]);

const medianOf = (hours: number[]) => hours.sort((one, other) => one - other)[Math.floor(hours.length / 2)];

const rechecks = [25, 50, 100, 200, 500].map((takenPerDay) => [
  takenPerDay,
  (recheckAlarms(SEED, YEARS / 4, takenPerDay) / (YEARS / 4)).toFixed(2),
  ...[1.5, 2, 0.5].flatMap((factor) => {
    const hours = recheckNoticedAfter(SEED, TRIALS, { takenPerDay, factor }).filter((one) => one !== null);
    const median = medianOf(hours);
    return [percent(hours.length / TRIALS), median === undefined ? '–' : `${median} h`];
  }),
]);

const newcomers = [1, 1 / 3, 3].flatMap((first) =>
  (first === 1 ? [1] : [3, 30]).map((days) => [
    first.toFixed(2),
    first === 1 ? '–' : `${days} days`,
    ...[50, 200].map((taken) =>
      (newcomersAlarms(SEED, NEWCOMERS, taken, { first, days }) / NEWCOMERS).toFixed(2),
    ),
  ]),
);

const jumps = (
  [
    ['all', 0.01, 0.02],
    ['all', 0.01, 0.03],
    ['all', 0.01, 0.04],
    ['all', 0.01, 0.05],
    ['all', 0.001, 0.01],
    ['all', 0.03, 0.01],
    ['all', 0.05, 0.01],
    ['first 100', 0.01, 0.05],
    ['first 100', 0.01, 0.1],
    ['first 100', 0.01, 0.15],
    ['first 100', 0.15, 0.01],
  ] as const
).map(([of, from, to]) => {
  const strata = of === 'all' ? ALL_OFFERS : FIRST_SHOWN;
  const hours = noticedAfter(SEED, TRIALS, { from, to, of: strata }).filter((one) => one !== null);
  const median = medianOf(hours);
  return [
    of,
    percent(from),
    percent(to),
    percent(hours.length / TRIALS),
    median === undefined ? '–' : `${median} h`,
  ];
});

const table = (head: string[], rows: (string | number)[][]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const { user, system } = process.cpuUsage(started);
const text = `# Published shares of false offers, in a known world

\`npm run simulate:truth\`, Node ${process.version}, ${Math.round((user + system) / 1e6)} s of one processor. 3,000 offers are caught, noticed and replaced; the share
of false ones rises and falls with waves of buyers, days without re-checks, hours without samples and days with few. SAMPLE_PER_DAY is
1,000. The estimator and the test are src/domains/truth/ itself.

## Windows that cover the truth

${WINDOWS} windows of each length that share no sample (seed ${SEED}), and ${SEEDS * WINDOWS} more of other seeds. The truth is the share of offers that were
false, averaged over the hours that were sampled. "Too few": windows whose sample counts for fewer than 50, which tell no share.

${table(['window', 'offers', 'sampled', 'truth', 'width of the interval', 'covered', 'too few', 'covered, other seeds'], coverage)}

## Chance that is called a change

The last day against the 30 before, 48 times a day, all offers and the first 100 together, ${YEARS} years at a share that never changes.

${table(['share', 'alarms a year'], alarms)}

## Changes that are noticed within a day

${TRIALS} jumps of each size. A smaller change than these is not told from chance in a day's sample; the windows show it later.
From 1 to 2 % is noticed 9 times in 10 with 3,000 samples a day, which are 7 % of the turns at 0.5 a second: no turns are idle to lend.
No test of the samples alone can do it: of m taken a day, twice as many are noticed 9 times in 10, at a chance of 1 in 1,000, where
2 (√2m - √m) is 3.29 + 1.28: m is 30 then, and a day has 10.5 where 1 % are false.

${table(['offers', 'from', 'to', 'noticed within a day', 'median'], jumps)}

## Names that are taken faster or slower, as re-checks find out

The same, of what re-checks found beside what the learned rates expected of them (src/domains/truth/recheck-change.ts), looked at each hour. A day's
rate of taking is off by 10 %, and weekends have a fifth less. 2,000 drops a day at the prior rates make about 200 found taken a day.
A share also rises because re-checks come later: their queue tells that.

${table(['found taken a day', 'alarms a year', '1.5 times', 'median', 'twice', 'median', 'half', 'median'], rechecks)}

A new installation believes rates that are made up. Alarms in the first 120 days of ${NEWCOMERS} of them, by what was believed at first as a part of
the truth, and how soon two thirds of the error is learned:

${table(['believed', 'learned in', 'alarms, 50 taken a day', 'alarms, 200'], newcomers)}
`;
mkdirSync(RESULTS, { recursive: true });
writeFileSync(`${RESULTS}/truth.md`, text);
process.stdout.write(text);
