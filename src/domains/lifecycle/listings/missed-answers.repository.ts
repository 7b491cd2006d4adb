import type { Database } from '../../../db/database.js';
import { messageOf } from '../../../validation/unknown-values.js';
import type { Lifecycle } from '../lifecycle.js';
import type { RegistryState } from '../../schema/states.js';

/**
 * Observes what registries said of names while an import ran, or before it brought them: those checks found the
 * rows locked, or not there yet. An answer is kept before it is written back, and for an hour after it has expired,
 * so it is here after the commit (none is where the operator has answers kept for no time).
 *
 * @returns why it failed, as nothing takes the import back now; a check that finds such an answer kept writes it
 * down too
 */
export async function observeMissedAnswers(
  database: Database,
  lifecycle: Lifecycle,
): Promise<string | undefined> {
  let problem: string | undefined;
  const note = (error: unknown) => {
    problem ??= messageOf(error);
  };
  const missed = await database.query<MissedRow>(MISSED).catch((error: unknown) => {
    note(error);
    return [];
  });
  for (const row of missed) await observe(lifecycle, row).catch(note);
  return problem;
}

/**
 * Observes once more what registries said of names that the dataset still offers, and that cannot be had; and that
 * names which an operator holds back are reserved.
 *
 * @returns how many those were, `limit` at most
 * @throws as Lifecycle.observeAnswer does; those behind it are left for the next time
 */
export async function observeContradictions(
  database: Database,
  lifecycle: Lifecycle,
  limit: number,
): Promise<number> {
  const rows = await database.query<MissedRow>(CONTRADICTIONS, [limit]);
  for (const row of rows) await observe(lifecycle, row);
  return rows.length;
}

const observe = (lifecycle: Lifecycle, { domain, state, source, checked_at: checkedAt }: MissedRow) =>
  lifecycle.observeAnswer(domain, { state, source, checkedAt, registeredAt: null });

interface MissedRow {
  readonly domain: string;
  readonly state: RegistryState;
  readonly source: string;
  readonly checked_at: Date;
}

// A name that was caught after its purge differs from a rescued one by the day of its registration, which is not
// kept: such a name is asked about again.
const MISSED = `
  SELECT domain, answer.state, answer.source, answer.checked_at
    FROM registry_answer AS answer
    JOIN domain USING (domain)
   WHERE coalesce(domain.checked_at < answer.checked_at, true)
     AND NOT (domain.state IN ('listed', 'delisted', 'purged') AND answer.state IN ('registered', 'expired_hold'))`;

const CONTRADICTIONS = `
  SELECT domain, answer.state, answer.source, answer.checked_at
    FROM registry_answer AS answer
    JOIN domain USING (domain)
   WHERE answer.state <> 'available' AND domain.available AND domain.checked_at < answer.checked_at
   UNION ALL
  SELECT domain, 'reserved', 'reserved_names', now()
    FROM name_hold JOIN domain USING (domain)
   WHERE domain.available
   LIMIT $1`;
