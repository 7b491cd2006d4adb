import { type Command, InvalidArgumentError } from 'commander';
import { once } from 'node:events';
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
  const { stdout } = process;
  // `| head` closes the pipe when it has seen enough; that is no failure.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  let lines = 'domain,wayback,first_seen\n';
  let waiting = 0;
  for (const { domain, wayback, firstSeen } of generateNames(count, seed)) {
    lines += `${domain},${wayback},${firstSeen}\n`;
    waiting += 1;
    if (waiting < LINES_PER_WRITE) continue;
    if (!stdout.write(lines)) await once(stdout, 'drain');
    lines = '';
    waiting = 0;
  }
  stdout.write(lines);
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
