import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Config } from '../config/config.js';
import { messageOf } from '../validation/unknown-values.js';
import { lifetimeOf, type RegistryAnswer, type RegistrySource } from './answer.js';
import { type KeptAnswer, RegistryRepository } from './registry.repository.js';

/** Recent answers, shared by all instances. Bounded by the pace of asking: at 0.5 a second and two hours, 3,600 rows. */
@Injectable()
export class RegistryCache {
  private readonly logger = new Logger(RegistryCache.name);

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

  /** Never throws: what is not purged now is purged later, and is not reused meanwhile. */
  @Cron(CronExpression.EVERY_10_MINUTES)
  async purgeExpired(): Promise<void> {
    try {
      await this.repository.deleteExpiredAnswers();
    } catch (error) {
      this.logger.warn(`Expired registry answers were not removed: ${messageOf(error)}`);
    }
  }
}
