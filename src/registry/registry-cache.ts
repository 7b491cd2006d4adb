import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Config } from '../config/config.js';
import type { RegistryAnswer, RegistrySource, RegistryState } from './registry-lookup.js';
import { RegistryRepository } from './registry.repository.js';

/**
 * Recent answers, shared by all instances. A registration lasts, so "registered" may be reused for long; a free name can be
 * gone the next minute. The table is bounded by the pace of asking: at 0.5 a second and two hours, 3,600 rows.
 */
@Injectable()
export class RegistryCache {
  private readonly logger = new Logger(RegistryCache.name);

  constructor(
    private readonly repository: RegistryRepository,
    private readonly config: Config,
  ) {}

  find(domain: string, sources: readonly RegistrySource[]): Promise<RegistryAnswer | null> {
    return this.repository.findAnswer(domain, sources);
  }

  async keep(domain: string, answer: RegistryAnswer): Promise<void> {
    await this.keepFor(this.secondsFor(answer.state), domain, answer);
  }

  /** For an answer that should be asked for again soon, whatever it says. */
  async keepBriefly(domain: string, answer: RegistryAnswer): Promise<void> {
    const seconds = Math.min(this.secondsFor(answer.state), this.config.registry.cacheAvailableSeconds);
    // Also for no time at all: it may be kept for longer already.
    await this.repository.saveAnswer(domain, answer, seconds);
  }

  /** Never throws: what is not purged now is purged later, and is not reused meanwhile. */
  @Cron(CronExpression.EVERY_10_MINUTES)
  async purgeExpired(): Promise<void> {
    try {
      await this.repository.deleteExpiredAnswers();
    } catch (error) {
      this.logger.warn(`Expired registry answers were not removed: ${String(error)}`);
    }
  }

  private async keepFor(seconds: number, domain: string, answer: RegistryAnswer): Promise<void> {
    if (seconds > 0) await this.repository.saveAnswer(domain, answer, seconds);
  }

  private secondsFor(state: RegistryState): number {
    const { cacheAvailableSeconds, cacheRegisteredSeconds } = this.config.registry;
    return state === 'available' || state === 'reserved' ? cacheAvailableSeconds : cacheRegisteredSeconds;
  }
}
