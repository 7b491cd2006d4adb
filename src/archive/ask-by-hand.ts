import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../db/database.js';
import type { ArchiveAnswer, ArchiveClient } from './archive-client.js';
import type { ArchiveTurns } from './archive-turns.repository.js';

/** Longest wait of an operator at a terminal, as jobs may take turns first. */
const MAX_WAIT_MS = 60_000;

export interface Asker {
  readonly client: ArchiveClient;
  readonly turns: ArchiveTurns;
  readonly clock: Clock;
}

/**
 * Asks about one name as soon as the installation's pace has a turn.
 *
 * @throws when the archive rests, or no turn comes within MAX_WAIT_MS
 */
export async function askByHand(
  { client, turns, clock }: Asker,
  domain: string,
  signal: AbortSignal,
): Promise<{ answer: ArchiveAnswer; askedAt: Date }> {
  const giveUpAt = (await clock.now()).getTime() + MAX_WAIT_MS;
  for (;;) {
    const now = await clock.now();
    const turn = await turns.take(now);
    if (turn.granted) return { answer: await client.ask(domain, now, signal), askedAt: now };
    const again = new Date(now.getTime() + turn.againInMs);
    if (turn.isResting)
      throw new Error(`The archive wants to be left alone until ${again.toISOString()}; it was not asked.`);
    if (again.getTime() > giveUpAt)
      throw new Error('Others ask the archive all the time; no turn came. Try again.');
    await sleep(turn.againInMs, undefined, { signal });
  }
}
