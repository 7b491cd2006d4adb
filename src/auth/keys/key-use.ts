import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { ApiKeyRepository } from './api-key.repository.js';

const WRITE_EVERY_MS = 5_000;
/** Keys of five seconds; the use of one more is written the next time. */
const MAX_USES = 10_000;

/** Remembers when keys were used, and writes it down in batches: no request waits for it. */
@Injectable()
export class KeyUse implements OnApplicationShutdown {
  private readonly logger = new Logger(KeyUse.name);
  private uses = new Map<string, Date>();

  constructor(private readonly keys: ApiKeyRepository) {}

  note(keyId: string, at: Date): void {
    if (this.uses.size < MAX_USES || this.uses.has(keyId)) this.uses.set(keyId, at);
  }

  /** Keys whose use is not written yet. */
  get size(): number {
    return this.uses.size;
  }

  @Interval(WRITE_EVERY_MS)
  async write(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = this.uses;
    this.uses = new Map();
    try {
      await this.keys.recordUse(uses);
    } catch (error) {
      // A date that the owner looks at now and then: the key's next use brings it up to date.
      this.logger.warn(`The last use of ${uses.size} keys was not written: ${String(error)}`);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.write();
  }
}
