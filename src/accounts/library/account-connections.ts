import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { Config } from '../../config/config.js';
import { Database } from '../../db/database.js';
import { openPool } from '../../db/open-pool.js';

/** A sign-in takes a scrypt hash of 60 ms and more, so few of them ask at the same time. */
const MAX_CONNECTIONS = 3;
/** Beyond the time limit of a statement: a server that has not answered by then is taken for gone. */
const ANSWER_GRACE_MS = 500;
/** Behind a burst of sign-ins, whose hashes keep every processor busy, a free connection may be long in coming. */
const CONNECT_TIMEOUT_MS = 15_000;

/** The accounts library brings its own statements and wants a pool of pg for them, which TypeORM keeps to itself. */
@Injectable()
export class AccountConnections implements OnApplicationShutdown {
  private readonly logger = new Logger('Accounts');
  readonly pool: Pool;

  constructor({ url }: Database, config: Config) {
    this.pool = openPool({
      url,
      size: MAX_CONNECTIONS,
      queryTimeoutMs: config.database.timeoutMs + ANSWER_GRACE_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      onIdleError: ({ message }) => this.logger.warn(`A connection to PostgreSQL was lost: ${message}`),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
