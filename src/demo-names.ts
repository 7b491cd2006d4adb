import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { generateNames, MAX_GENERATED_NAMES } from './demo/name-generator.js';
import { hasCode, messageOf } from './validation/unknown-values.js';

const USAGE = `Usage: npm run demo:names -- COUNT [--seed NUMBER] > names.csv

Writes made-up .au names as CSV that import reads, to try the service at size: \
COUNT of them, up to ${MAX_GENERATED_NAMES}.
The same seed gives the same names.
`;
const NAMES_PER_WRITE = 2_000;

try {
  await pipeline(Readable.from(readOrder()), process.stdout, { end: false });
} catch (error) {
  // `| head` closes the pipe when it has seen enough; that is no failure.
  if (!hasCode(error, 'EPIPE')) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

function readOrder(): Iterable<string> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seed: { type: 'string', default: '1' } },
  });
  const [count = '', ...more] = positionals;
  if (more.length > 0 || !isWholeNumber(count, MAX_GENERATED_NAMES) || Number(count) === 0)
    throw new Error(USAGE);
  if (!isWholeNumber(values.seed, Number.MAX_SAFE_INTEGER)) throw new Error(USAGE);
  return csvOf(Number(count), Number(values.seed));
}

function isWholeNumber(text: string, max: number): boolean {
  return /^\d+$/.test(text) && Number(text) <= max;
}

function* csvOf(count: number, seed: number): Generator<string> {
  let lines = 'domain,wayback,first_seen\n';
  let waiting = 0;
  for (const { domain, wayback, firstSeen } of generateNames(count, seed)) {
    lines += `${domain},${wayback},${firstSeen}\n`;
    waiting += 1;
    if (waiting < NAMES_PER_WRITE) continue;
    yield lines;
    lines = '';
    waiting = 0;
  }
  yield lines;
}
