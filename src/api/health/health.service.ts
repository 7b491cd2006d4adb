import { BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';

const RETRY_AFTER_SECONDS = 5;

@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(private readonly database: Database) {}

  /** From now on the balancer should look elsewhere. */
  announceStop(): void {
    this.stopping = true;
  }

  beforeApplicationShutdown(): void {
    this.announceStop();
  }

  /**
   * Answers when requests can be served: the database is there (migrations ran before the server listened) and the
   * process is not stopping.
   *
   * @throws {ApiError} not_ready
   * @throws {DatabaseUnavailable}
   */
  async assertReady(): Promise<{ ok: true }> {
    if (this.stopping)
      throw new ApiError('not_ready', 'The service is stopping.', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    await this.database.query('SELECT 1');
    return { ok: true };
  }
}
