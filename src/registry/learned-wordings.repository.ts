import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database, type Queryable } from '../db/database.js';
import { messageOf } from '../validation/unknown-values.js';
import { comparedWording, type Learned, type LearnedMeaning } from './rdap-wordings.js';

/** How often each process reads what operators have added. */
export const WORDINGS_EVERY_MS = 30_000;

/** A whole text, which an operator has read in a real answer. */
export interface LearnedWording {
  readonly text: string;
  readonly meaning: LearnedMeaning;
  /** Where it was read, or who confirmed it. */
  readonly source: string;
  readonly addedBy: string;
  readonly addedAt: Date;
}

/** Wordings beside those of the release: of REGISTRY_NOT_FOUND_WORDINGS, and of operators. */
@Injectable()
export class LearnedWordings implements OnApplicationBootstrap {
  private readonly logger = new Logger(LearnedWordings.name);
  private readonly configured: Learned;
  private known: Learned;

  constructor(
    private readonly database: Database,
    { registry }: Config,
  ) {
    this.configured = new Map(registry.notFoundWordings.map((text) => [comparedWording(text), 'not_found']));
    this.known = this.configured;
  }

  /** As of the last reading. */
  get all(): Learned {
    return this.known;
  }

  onApplicationBootstrap(): Promise<void> {
    return this.refresh();
  }

  /** Never throws: while the database is away, the wordings of the last read hold. */
  async refresh(): Promise<void> {
    try {
      const rows = await this.database.query<{ text: string; meaning: LearnedMeaning }>(
        'SELECT text, meaning FROM registry_wording',
      );
      const added = rows.map(({ text, meaning }) => [comparedWording(text), meaning] as const);
      this.known = new Map([...this.configured, ...added]);
    } catch (error) {
      this.logger.warn(`Wordings that operators have added were not read: ${messageOf(error)}`);
    }
  }

  /** The newest first. */
  list(): Promise<LearnedWording[]> {
    return this.database.query<LearnedWording & Record<string, unknown>>(
      `SELECT text, meaning, source, added_by AS "addedBy", added_at AS "addedAt"
         FROM registry_wording ORDER BY added_at DESC, compared`,
    );
  }

  /** @returns whether it was not there yet with this meaning */
  async add(wording: LearnedWording, transaction: Queryable): Promise<boolean> {
    const { text, meaning, source, addedBy, addedAt } = wording;
    const rows = await transaction.query(
      `INSERT INTO registry_wording AS known (compared, text, meaning, source, added_by, added_at)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (compared) DO UPDATE
         SET text = excluded.text, meaning = excluded.meaning, source = excluded.source,
             added_by = excluded.added_by, added_at = excluded.added_at
         WHERE known.meaning <> excluded.meaning
       RETURNING compared`,
      [comparedWording(text), text, meaning, source, addedBy, addedAt],
    );
    return rows.length > 0;
  }

  /** @returns whether it was there */
  async remove(text: string, transaction: Queryable): Promise<boolean> {
    const rows = await transaction.query(
      'DELETE FROM registry_wording WHERE compared = $1 RETURNING compared',
      [comparedWording(text)],
    );
    return rows.length > 0;
  }
}
