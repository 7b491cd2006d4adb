import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';

/** A name that has not failed for longer starts again at one. */
const KEPT = '7 days';

/** All SQL on how often in a row the registry gave no answer about a name. */
@Injectable()
export class QuestionFailureRepository {
  constructor(private readonly database: Database) {}

  /** Counts one more. @returns how many there are in a row now */
  async count(domain: string, now: Date): Promise<number> {
    return this.database.transaction(async (transaction) => {
      await transaction.query(
        `DELETE FROM question_failure WHERE failed_at < $1::timestamptz - interval '${KEPT}'`,
        [now],
      );
      const [row] = await transaction.query<{ failures: number }>(
        `INSERT INTO question_failure AS known (domain, failures, failed_at) VALUES ($1, 1, $2)
         ON CONFLICT (domain) DO UPDATE SET failures = known.failures + 1, failed_at = excluded.failed_at
         RETURNING failures`,
        [domain, now],
      );
      return row?.failures ?? 1;
    });
  }

  /** The name was answered for. */
  async forget(domain: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query('DELETE FROM question_failure WHERE domain = $1', [domain]);
    });
  }
}
