import type { Database } from '../../database/database.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { messageOf } from '../../validation/thrown.js';

/**
 * Tells the dataset what a registry said of its names while the import ran. Whoever asked then found the rows locked, or not
 * there yet; an answer is kept before it is written back, and for an hour after it has expired, so they are here after the
 * commit (none are where the operator has answers kept for no time). Their times are the clock of who asked.
 *
 * @param importedAt PostgreSQL's text for the time of the import
 * @returns why it failed, as nothing takes the import back now; a check that finds such an answer kept writes it down too
 */
export async function writeMissedAnswers(
  database: Database,
  importedAt: string,
): Promise<string | undefined> {
  let problem: string | undefined;
  const note = (error: unknown) => {
    problem ??= messageOf(error);
  };
  const missed = await database
    .query<{ domain: string; available: boolean; checked_at: Date }>(MISSED, [importedAt])
    .catch((error: unknown) => {
      note(error);
      return [];
    });
  const domains = new DomainRepository(database);
  for (const { domain, available, checked_at: checkedAt } of missed)
    await domains.recordAvailability(domain, available, checkedAt).catch(note);
  return problem;
}

const MISSED = `
  SELECT domain, answer.state = 'available' AS available, answer.checked_at
    FROM registry_answer AS answer
    JOIN domain USING (domain)
   WHERE answer.checked_at >= $1 AND domain.available <> (answer.state = 'available')`;
