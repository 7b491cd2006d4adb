import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { messageOf } from '../../validation/unknown-values.js';
import { AuditRepository } from './audit.repository.js';

const DAY_MS = 86_400_000;
const KEPT_DAYS = 365;

/** Keeps the audit log for a year. Several instances may do it at once. */
@Injectable()
export class AuditPurge {
  private readonly logger = new Logger(AuditPurge.name);

  constructor(private readonly audit: AuditRepository) {}

  @Cron(CronExpression.EVERY_HOUR)
  async run(): Promise<void> {
    try {
      await this.purge(new Date());
    } catch (error) {
      this.logger.warn(`Old entries were not removed, the next hour will: ${messageOf(error)}`);
    }
  }

  async purge(now: Date): Promise<void> {
    await this.audit.deleteBefore(new Date(now.getTime() - KEPT_DAYS * DAY_MS));
  }
}
