import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { Queryable } from '../db/database.js';
import { lifetimeOf, type RegistryAnswer, type RegistrySource } from './answer.js';
import { type KeptAnswer, RegistryRepository } from './registry.repository.js';

/**
 * Recent answers, shared by all instances. Bounded by the pace of asking: at 0.5 a second and two hours, 3,600 rows.
 */
@Injectable()
export class RegistryCache {
  constructor(
    private readonly repository: RegistryRepository,
    private readonly config: Config,
  ) {}

  /** By name. */
  find(domains: readonly string[], sources: readonly RegistrySource[]): Promise<Map<string, KeptAnswer>> {
    return this.repository.findAnswers(domains, sources);
  }

  async keep(domain: string, answer: RegistryAnswer, now: Date = answer.checkedAt): Promise<void> {
    const seconds = lifetimeOf(answer, now, this.config);
    if (seconds > 0) await this.repository.saveAnswer(domain, answer, seconds);
  }

  /** No older answer stays, even if this one is too old to be kept. */
  async replace(domain: string, answer: RegistryAnswer, now: Date, transaction: Queryable): Promise<void> {
    const seconds = lifetimeOf(answer, now, this.config);
    if (seconds > 0) await this.repository.saveAnswer(domain, answer, seconds, transaction);
    else await this.repository.deleteAnswer(domain, answer.checkedAt, transaction);
  }

  /** An expired answer is not reused, whether or not it is removed. */
  async purgeExpired(): Promise<void> {
    await this.repository.deleteExpiredAnswers();
  }
}
