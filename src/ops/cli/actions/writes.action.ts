import { userInfo } from 'node:os';
import type { Config } from '../../../config/config.js';
import { Clock } from '../../../db/clock.js';
import type { Database } from '../../../db/database.js';
import { createLifecycle } from '../../../domains/domains.module.js';
import type { GuardState, ResumedWrites } from '../../../domains/lifecycle/guard.repository.js';
import { RESUME_COMMAND } from '../../../domains/lifecycle/lifecycle.js';
import { withDatabase } from '../with-database.js';

/** @param maxListed former stops that are printed as well */
export function writes(resume: boolean, by: string = userInfo().username, maxListed: number): Promise<void> {
  return withDatabase((database, config) =>
    resume ? resumeWrites(database, config, by) : printWrites(database, config, maxListed),
  );
}

async function resumeWrites(database: Database, config: Config, by: string): Promise<void> {
  const resumed = await createLifecycle(database, config).resumeWrites(by, await new Clock(database).now());
  process.stdout.write(
    resumed ? `Answers are written again.\n  ${describeResumed(resumed)}` : 'Answers were not stopped.\n',
  );
}

async function printWrites(database: Database, config: Config, maxListed: number): Promise<void> {
  const lifecycle = createLifecycle(database, config);
  process.stdout.write(describeGuard(await lifecycle.readGuard(), config.lifecycle.maxFlipsPerHour));
  for (const resumed of await lifecycle.listResumedWrites(maxListed))
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
