import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database, type Queryable } from '../db/database.js';
import { messageOf } from '../validation/unknown-values.js';
import { normalise } from './rdap-wordings.js';

/** How often each process reads what operators have added. */
export const WORDINGS_EVERY_MS = 30_000;

/** A whole text that says "not found", or nothing about the name; an operator has read it in a real answer. */
export interface LearnedWording {
  readonly text: string;
  /** Where it was read, or who confirmed it. */
  readonly source: string;
  readonly addedBy: string;
  readonly addedAt: Date;
}

/** Wordings beside those of the release: of REGISTRY_NOT_FOUND_WORDINGS, and of operators. */
@Injectable()
export class LearnedWordings implements OnApplicationBootstrap {
  private readonly logger = new Logger(LearnedWordings.name);
  private readonly configured: readonly string[];
  private compared: ReadonlySet<string>;

  constructor(
    private readonly database: Database,
    { registry }: Config,
  ) {
    this.configured = registry.notFoundWordings.map(normalise);
    this.compared = new Set(this.configured);
  }

  /** Normalised, as of the last reading. */
  get all(): ReadonlySet<string> {
    return this.compared;
  }

  onApplicationBootstrap(): Promise<void> {
    return this.refresh();
  }

  /** Never throws: while the database is away, the wordings of the last read hold. */
  async refresh(): Promise<void> {
    try {
      const rows = await this.database.query<{ compared: string }>('SELECT compared FROM registry_wording');
      this.compared = new Set([...this.configured, ...rows.map(({ compared }) => compared)]);
    } catch (error) {
      this.logger.warn(`Wordings that operators have added were not read: ${messageOf(error)}`);
    }
  }

  /** The newest first. */
  list(): Promise<LearnedWording[]> {
    return this.database.query<LearnedWording & Record<string, unknown>>(
      `SELECT text, source, added_by AS "addedBy", added_at AS "addedAt"
         FROM registry_wording ORDER BY added_at DESC, compared`,
    );
  }

  /** @returns whether it was not there yet */
  async add({ text, source, addedBy, addedAt }: LearnedWording, transaction: Queryable): Promise<boolean> {
    const rows = await transaction.query(
      `INSERT INTO registry_wording (compared, text, source, added_by, added_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING RETURNING compared`,
      [normalise(text), text, source, addedBy, addedAt],
    );
    return rows.length > 0;
  }

  /** @returns whether it was there */
  async remove(text: string, transaction: Queryable): Promise<boolean> {
    const rows = await transaction.query(
      'DELETE FROM registry_wording WHERE compared = $1 RETURNING compared',
      [normalise(text)],
    );
    return rows.length > 0;
  }
}
