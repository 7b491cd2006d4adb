import { type Command, InvalidArgumentError } from 'commander';
import { generateNames, MAX_GENERATED_NAMES } from '../generate/name-generator.js';

const LINES_PER_WRITE = 2_000;

/** `bowerbird generate-names 10000000 --seed 7 > names.csv` */
export function registerGenerateNames(program: Command): void {
  program
    .command('generate-names')
    .description(
      'Write made-up .au names to standard output, as CSV that import reads: to try the service at size.',
    )
    .argument('<count>', 'how many names', wholeNumber(1, MAX_GENERATED_NAMES))
    .option(
      '--seed <number>',
      'the same seed gives the same names',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
      1,
    )
    .action(async (count: number, { seed }: { seed: number }) => writeNames(count, seed));
}

async function writeNames(count: number, seed: number): Promise<void> {
  let lines = 'domain,wayback,first_seen\n';
  let waiting = 0;
  for (const { domain, wayback, firstSeen } of generateNames(count, seed)) {
    lines += `${domain},${wayback},${firstSeen}\n`;
    waiting += 1;
    if (waiting < LINES_PER_WRITE) continue;
    if (!(await isTaken(lines))) return;
    lines = '';
    waiting = 0;
  }
  await isTaken(lines);
}

/** Writes, and tells whether there is a use in writing more. Why not is said by whoever hears the output. */
function isTaken(lines: string): Promise<boolean> {
  return new Promise((resolve) => process.stdout.write(lines, (error) => resolve(!error)));
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
