import { Injectable } from '@nestjs/common';
import { Database } from './database.js';

/**
 * The clock of the dataset: PostgreSQL's, the one clock that all instances have in common. Tests hand in another provider,
 * so what happens to a name in a year is played in a second. Statements about the life of a name take the time as a
 * parameter and never ask clock_timestamp() themselves.
 */
@Injectable()
export class Clock {
  constructor(private readonly database: Database) {}

  /** @throws {DatabaseUnavailable} */
  async now(): Promise<Date> {
    const [row] = await this.database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    if (!row) throw new Error('the clock gave no row');
    return row.now;
  }
}
