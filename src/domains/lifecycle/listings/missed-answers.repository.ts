import type { Database } from '../../../database/database.js';
import { messageOf } from '../../../validation/thrown.js';
import type { Lifecycle } from '../lifecycle.js';
import type { RegistryState } from '../registry-state.js';

/**
 * Observes what registries said of names while an import ran, or before it brought them: whoever asked then found the rows
 * locked, or not there yet. An answer is kept before it is written back, and for an hour after it has expired, so it is here
 * after the commit (none is where the operator has answers kept for no time).
 *
 * @returns why it failed, as nothing takes the import back now; a check that finds such an answer kept writes it down too
 */
export async function observeMissedAnswers(
  database: Database,
  lifecycle: Lifecycle,
): Promise<string | undefined> {
  let problem: string | undefined;
  const note = (error: unknown) => {
    problem ??= messageOf(error);
  };
  const missed = await database
    .query<{ domain: string; state: RegistryState; source: string; checked_at: Date }>(MISSED)
    .catch((error: unknown) => {
      note(error);
      return [];
    });
  for (const { domain, state, source, checked_at: checkedAt } of missed)
    await lifecycle.observeAnswer(domain, { state, source, checkedAt, registeredAt: null }).catch(note);
  return problem;
}

// A name that was caught after its purge is told from a rescued one by the day of its registration, which is not kept: such a
// name is asked about again.
const MISSED = `
  SELECT domain, answer.state, answer.source, answer.checked_at
    FROM registry_answer AS answer
    JOIN domain USING (domain)
   WHERE coalesce(domain.checked_at < answer.checked_at, true)
     AND NOT (domain.state IN ('listed', 'purged') AND answer.state IN ('registered', 'expired_hold'))`;
