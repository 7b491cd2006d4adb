import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../database/clock.js';
import { EXPORT_KINDS } from '../exports/export.js';
import { ExportRepository } from '../exports/export.repository.js';
import { JobStateRepository } from '../jobs/runner/job-state.repository.js';
import { TurnRepository } from '../registry/pace/turn.repository.js';
import { DeliveryRepository } from '../webhooks/deliveries/delivery.repository.js';
import { tiersWithWebhooks } from '../webhooks/webhook.js';
import { secondsBetween } from './dataset-readings.js';
import type { Reading, ReadingSource } from './gauges.js';

/** How the work stands that no request waits for, of the whole installation. */
@Injectable()
export class WorkReadings implements ReadingSource {
  readonly name = 'work';

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly jobs: JobStateRepository,
    private readonly exports: ExportRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly turns: TurnRepository,
  ) {}

  async read(): Promise<Reading[]> {
    const now = await this.clock.now();
    // One after the other, on one connection at a time: figures may not crowd out callers.
    const jobs = await this.readJobs(now);
    const exports = this.config.exports.enabled ? await this.readExports(now) : [];
    const webhooks = this.config.webhooks.enabled ? await this.readWebhooks(now) : [];
    const waiting = await this.turns.countWaiting(now);
    return [...jobs, ...exports, ...webhooks, { gauge: 'registry_line_waiting', value: waiting }];
  }

  private async readJobs(now: Date): Promise<Reading[]> {
    return (await this.jobs.list()).flatMap(({ name: label, failures, lastSuccessAt, nextDue }) => [
      { gauge: 'job_failures', label, value: failures },
      {
        ...{ gauge: 'job_last_success_seconds', label },
        value: lastSuccessAt && secondsBetween(lastSuccessAt, now),
      },
      { gauge: 'job_overdue_seconds', label, value: secondsBetween(nextDue, now) },
    ]);
  }

  private async readExports(now: Date): Promise<Reading[]> {
    const readings: Reading[] = [];
    for (const label of EXPORT_KINDS) {
      const last = await this.exports.findLast(label);
      readings.push({ gauge: 'export_age_seconds', label, value: last && secondsBetween(last.madeAt, now) });
    }
    return readings;
  }

  private async readWebhooks(now: Date): Promise<Reading[]> {
    const backlog = await this.deliveries.readBacklog(tiersWithWebhooks(this.config.tiers));
    const { oldestWaiting: oldest } = backlog;
    return [
      { gauge: 'webhook_events_waiting', value: backlog.waitingEvents },
      { gauge: 'webhook_deliveries_pending', value: backlog.pending },
      { gauge: 'webhook_oldest_seconds', value: oldest ? secondsBetween(oldest, now) : 0 },
      { gauge: 'webhook_deliveries_today', label: 'delivered', value: backlog.deliveredToday },
      { gauge: 'webhook_deliveries_today', label: 'failed', value: backlog.failedToday },
    ];
  }
}
