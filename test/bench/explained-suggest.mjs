/**
 * Suggestions by several keywords beside the sum of their parts, which are the plain questions of suggest: one for each keyword, and
 * one for the longest text between the wildcards of a glob.
 *
 *   node explained-suggest.mjs [--rows 1000000] [--work FOLDER] [--repeats 5]
 *
 * Both are asked of the repository, in turns, so that a busy moment meets both; a part by itself, the request as the service asks
 * it. Prints a table and writes results/explained-suggest.md.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import 'reflect-metadata';
import { ExplainedSuggestService } from '../../dist/src/api/suggest/explained/explained-suggest.service.js';
import { Bowerbird, openRepository } from './engines/bowerbird.mjs';
import { describeMachine } from './machine.mjs';
import { makeNames } from './names.mjs';
import { startServer } from './server.mjs';
import { ms, percentiles } from './tables.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    work: { type: 'string', default: '/tmp/bowerbird-explained' },
    repeats: { type: 'string', default: '5' },
  },
});
const work = resolve(values.work);
const WORDS = ['coffee', 'solar', 'melbourne', 'homes', 'fitness', 'kangaroo', 'ing', '24', 'group', 'zq'];
const PAIRS = WORDS.flatMap((one, place) => WORDS.slice(place + 1).map((other) => [one, other]));
const ADDED = {
  'two keywords': {},
  'without two texts': { exclude: ['shop', 'online'] },
  'like a glob': { glob: '*e*s' },
  'of 6 to 12 characters': { min_length: 6, max_length: 12 },
  'on offer under two suffixes': { available_in: ['com.au', 'au'] },
  'all of it': { exclude: ['shop'], glob: '*e*', max_length: 16, available_in: ['com.au', 'net.au'] },
};
const GLOBS = ['*shop*24', 'my*online', '*coffee*', '*solar?', 'the*house', '*-*-*', 'best*perth*'];

await mkdir(work, { recursive: true });
const file = await makeNames(join(work, `names-${values.rows}.csv`), Number(values.rows));
const server = await startServer(work);
const data = values.rows;
if (!(await server.hasDatabase(`bowerbird_${data}`))) await Bowerbird.load({ file, data, server });
const { repository, close } = await openRepository(
  server.urlOf(`bowerbird_${data}`),
  resolve(import.meta.dirname, '../..'),
);

// Everything is paid for: what is measured is the search.
const budget = { charge: async (_caller, records) => ({ granted: records, left: {} }) };
const service = new ExplainedSuggestService(budget, repository, {
  links: { baseUrl: 'http://localhost', registerUrlTemplate: 'http://localhost/{domain}' },
});
const requests = Object.entries(ADDED).map(([what, more]) => [
  what,
  PAIRS.map((keywords) => ({ mode: 'contains', min_wayback: 0, limit: 10, keywords, ...more })),
]);
requests.push(['a glob alone', GLOBS.map((glob) => ({ mode: 'contains', min_wayback: 0, limit: 10, glob }))]);

const lines = [
  `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}; ${Number(data).toLocaleString('en-AU')} names. Milliseconds; the median of ${values.repeats} rounds counts, after one to warm up.`,
  '',
  '| request | questions | p50 | p95 | max | sum of its parts p50 | p95 | max | slower than the sum | cut short |',
  '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
];
for (const [what, list] of requests) {
  const times = { whole: [], parts: [] };
  let [slower, cut] = [0, 0];
  for (const request of list) {
    const whole = [];
    const parts = [];
    for (let round = 0; round <= Number(values.repeats); round += 1) {
      const sum = await sumOfParts(request);
      const began = performance.now();
      const answer = await service.suggestDomains(request, {});
      const took = performance.now() - began;
      if (round === 0) continue;
      parts.push(sum);
      whole.push(took);
      if (answer.timed_out && round === 1) cut += 1;
    }
    times.whole.push(median(whole));
    times.parts.push(median(parts));
    if (median(whole) > median(parts)) slower += 1;
  }
  const [one, other] = [percentiles(times.whole), percentiles(times.parts)];
  const cells = [
    what,
    list.length,
    ms(one.p50),
    ms(one.p95),
    ms(one.max),
    ms(other.p50),
    ms(other.p95),
    ms(other.max),
  ];
  lines.push(`| ${[...cells, `${slower} of ${list.length}`, cut].join(' | ')} |`);
}
await close();
await server.close();
const text = `${lines.join('\n')}\n`;
process.stdout.write(text);
await writeFile(new URL('results/explained-suggest.md', import.meta.url), text);

async function sumOfParts({ keywords = [], glob, mode, tld, available_in: offered = [] }) {
  const suffixes = tld ?? offered;
  const piece = glob?.split(/[*?]+/).sort((one, other) => other.length - one.length)[0];
  const began = performance.now();
  for (const q of [...keywords, ...(piece ? [piece] : [])])
    await repository.discoverOffers({ q, mode, suffixes, minWayback: 0, limit: 10 });
  return performance.now() - began;
}

function median(times) {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
}
