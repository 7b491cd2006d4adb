import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { Database } from '../../database/database.js';
import { openPool } from '../../database/open-pool.js';

/** A sign-in takes a scrypt hash of 60 ms and more, so few of them ask at the same time. */
const MAX_CONNECTIONS = 3;
const QUERY_TIMEOUT_MS = 3_500;

/** The accounts library brings its own statements and wants a pool of pg for them, which TypeORM keeps to itself. */
@Injectable()
export class AccountConnections implements OnApplicationShutdown {
  private readonly logger = new Logger('Accounts');
  readonly pool: Pool;

  constructor({ url }: Database) {
    this.pool = openPool({
      url,
      size: MAX_CONNECTIONS,
      queryTimeoutMs: QUERY_TIMEOUT_MS,
      onIdleError: ({ message }) => this.logger.warn(`A connection to PostgreSQL was lost: ${message}`),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
