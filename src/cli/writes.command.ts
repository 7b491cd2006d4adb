import { type Command, InvalidArgumentError } from 'commander';
import { userInfo } from 'node:os';
import type { Config } from '../config/config.js';
import { Clock } from '../database/clock.js';
import type { Database } from '../database/database.js';
import { createLifecycle } from '../domains/domains.module.js';
import type { GuardState, ResumedWrites } from '../domains/lifecycle/guard.repository.js';
import { RESUME_COMMAND } from '../domains/lifecycle/lifecycle.js';
import { withDatabase } from './with-database.js';

interface WritesFlags {
  readonly resume?: boolean;
  readonly by?: string;
}

const MAX_LISTED = 10;
const MAX_NAME_LENGTH = 100;

/** `bowerbird writes`, `bowerbird writes --resume` */
export function registerWrites(program: Command): void {
  program
    .command('writes')
    .description(
      `Print whether answers of the registry are written, and if not since when and why; and the last ${MAX_LISTED} times that they were resumed.`,
    )
    .option(
      '--resume',
      'let them be written again, when you have looked whether the registry can be believed',
    )
    .option('--by <name>', 'who resumes them, for the record; without it, the user of this process', nameOf)
    .action(({ resume = false, by }: WritesFlags) =>
      withDatabase((database, config) =>
        resume ? resumeWrites(database, config, by ?? userInfo().username) : printWrites(database, config),
      ),
    );
}

async function resumeWrites(database: Database, config: Config, by: string): Promise<void> {
  const resumed = await createLifecycle(database, config).resumeWrites(by, await new Clock(database).now());
  process.stdout.write(
    resumed ? `Answers are written again.\n  ${describeResumed(resumed)}` : 'Answers were not stopped.\n',
  );
}

async function printWrites(database: Database, config: Config): Promise<void> {
  const lifecycle = createLifecycle(database, config);
  process.stdout.write(describeGuard(await lifecycle.readGuard(), config.lifecycle.maxFlipsPerHour));
  for (const resumed of await lifecycle.listResumedWrites(MAX_LISTED))
    process.stdout.write(describeResumed(resumed));
}

function describeGuard({ hour, flips, writesStoppedAt, reason }: GuardState, maxFlips: number): string {
  const counted = `${flips} in the hour from ${hour?.toISOString() ?? 'none yet'}; more than ${maxFlips} stop all writes`;
  if (!writesStoppedAt) return `Answers are written.\ncontradictions  ${counted}\n`;
  return `STOPPED since ${writesStoppedAt.toISOString()}: ${reason}\ncontradictions  ${counted}\nWhen the registry can be believed again: ${RESUME_COMMAND}\n`;
}

function describeResumed({ stoppedAt, resumedAt, resumedBy, flips, reason }: ResumedWrites): string {
  return `resumed         ${resumedAt.toISOString()} by ${resumedBy}; stopped since ${stoppedAt.toISOString()} after ${flips}: ${reason}\n`;
}

function nameOf(text: string): string {
  if (text.trim() !== '' && text.length <= MAX_NAME_LENGTH) return text.trim();
  throw new InvalidArgumentError(`A name has 1 to ${MAX_NAME_LENGTH} characters.`);
}
