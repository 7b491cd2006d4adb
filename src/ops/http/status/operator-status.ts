import { Injectable } from '@nestjs/common';
import { Clock } from '../../../db/clock.js';
import { VERSION } from '../../../config/product.js';
import { StatusService } from '../../../api/status/status.service.js';
import { Tiers } from '../../../config/tiers.js';
import { DeliveryRepository } from '../../../notify/webhooks/deliveries/delivery.repository.js';
import { tiersWithWebhooks } from '../../../notify/webhooks/webhook.js';
import { OperatorsAccountRepository } from '../accounts/operators-account.repository.js';
import type { JobDto, Jobs } from '../jobs/jobs.dto.js';
import { OperatorJobs } from '../jobs/operator-jobs.js';
import type { JobsAtAGlance, OperatorsStatus, WebhooksAtAGlance } from './operator-status.dto.js';

const LATE_AFTER_MS = 5 * 60_000;

/** What an operator looks at first. */
@Injectable()
export class OperatorStatus {
  constructor(
    private readonly clock: Clock,
    private readonly status: StatusService,
    private readonly jobs: OperatorJobs,
    private readonly deliveries: DeliveryRepository,
    private readonly accounts: OperatorsAccountRepository,
    private readonly tiers: Tiers,
  ) {}

  async read(): Promise<OperatorsStatus> {
    const now = await this.clock.now();
    return {
      ok: true,
      version: VERSION,
      as_of: now.toISOString(),
      jobs: atAGlance(await this.jobs.list(), now),
      webhooks: await this.readWebhooks(),
      accounts: await this.accounts.count(),
      dataset: await this.status.readStatus(),
    };
  }

  private async readWebhooks(): Promise<WebhooksAtAGlance> {
    const backlog = await this.deliveries.readBacklog(tiersWithWebhooks(this.tiers.table));
    return {
      enabled: backlog.enabled,
      waiting_events: backlog.waitingEvents,
      pending: backlog.pending,
      held: backlog.held,
      delivered_today: backlog.deliveredToday,
      failed_today: backlog.failedToday,
      oldest_waiting: backlog.oldestWaiting?.toISOString() ?? null,
    };
  }
}

function atAGlance({ holder, jobs }: Jobs, now: Date): JobsAtAGlance {
  const named = (test: (job: JobDto) => boolean) => jobs.filter(test).map(({ name }) => name);
  return {
    are_done: holder !== null,
    failing: named(({ failures }) => failures > 0),
    paused: named(({ paused }) => paused !== null),
    late: named(
      ({ is_due, next_due }) => is_due && now.getTime() - new Date(next_due).getTime() > LATE_AFTER_MS,
    ),
  };
}
