import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';

export interface UncutName {
  readonly domain: string;
  readonly name: string;
}

export interface CutName {
  readonly domain: string;
  /** As PostgreSQL reads an array. */
  readonly words: string;
}

/** Where the filling of `domain.words` is. */
export interface FillState {
  /** Whether all names were cut, by whichever lexicon. */
  readonly isComplete: boolean;
  /** The version that all names are cut by; null before that. */
  readonly lexicon: string | null;
  /** While names are cut again by another version: the last that was. */
  readonly after: string;
}

/** The column `domain.words`: which names lack it, and what it is filled with. */
@Injectable()
export class WordFillRepository {
  constructor(private readonly database: Database) {}

  async readState(source: Queryable = this.database): Promise<FillState> {
    const [state] = await source.query<FillState & Record<string, unknown>>(
      'SELECT is_complete AS "isComplete", lexicon, after FROM word_fill',
    );
    return state ?? { isComplete: false, lexicon: null, after: '' };
  }

  /** Names that are not cut yet. */
  listUncut(limit: number): Promise<UncutName[]> {
    return this.database.query(
      'SELECT domain, name FROM domain WHERE words IS NULL ORDER BY domain LIMIT $1',
      [limit],
    );
  }

  /** Names behind this one with the words that they have. */
  listBehind(after: string, limit: number): Promise<(UncutName & { words: string })[]> {
    return this.database.query(
      `SELECT domain, name, coalesce(words::text, '') AS words
         FROM domain WHERE domain > $1 ORDER BY domain LIMIT $2`,
      [after, limit],
    );
  }

  /** Fills the column of these names, and says how far the filling is. Rows that others have locked are waited for. */
  async fill(names: readonly CutName[], state: FillState): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (names.length > 0)
        await transaction.query(
          `UPDATE domain SET words = cut.words::integer[]
             FROM (SELECT locked.domain, asked.words
                     FROM domain AS locked
                     JOIN unnest($1::text[], $2::text[]) AS asked (domain, words) USING (domain)
                    ORDER BY domain FOR UPDATE OF locked) AS cut
            WHERE domain.domain = cut.domain`,
          [names.map(({ domain }) => domain), names.map(({ words }) => words)],
        );
      await transaction.query('UPDATE word_fill SET is_complete = $1, lexicon = $2, after = $3', [
        state.isComplete,
        state.lexicon,
        state.after,
      ]);
    });
  }
}
