import { Injectable } from '@nestjs/common';
import { Tiers } from '../config/tiers.js';
import { toPublishedTier } from '../access/tier.dto.js';
import { StatusService } from '../api/status/status.service.js';
import { Config } from '../config/config.js';
import { VERSION } from '../config/product.js';
import { Clock, Database } from '../db/database.js';
import { ExportRepository } from '../exports/export.repository.js';
import { type ListFetch, ListFetchRepository } from '../ingest/lists/list-fetch.repository.js';
import { DeliveryRepository } from '../notify/webhooks/delivery.repository.js';
import { tiersWithWebhooks } from '../notify/webhooks/webhook.js';
import { type AuditFilter, AuditRepository } from '../observe/audit/audit.repository.js';
import { ProgressWatch } from '../observe/progress.js';
import type { AnswerOf, Fetch, Job } from './answers.js';
import { OperatorJobs } from './jobs.service.js';
import { OperatorsRepository } from './operators.repository.js';

const LATE_AFTER_MS = 5 * 60_000;

/** The state of the service, and its records. */
@Injectable()
export class OperatorRecords {
  private readonly exports: ExportRepository;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly status: StatusService,
    private readonly jobs: OperatorJobs,
    private readonly deliveries: DeliveryRepository,
    private readonly operators: OperatorsRepository,
    private readonly audit: AuditRepository,
    private readonly fetches: ListFetchRepository,
    private readonly tiers: Tiers,
    private readonly progress: ProgressWatch,
    database: Database,
  ) {
    this.exports = new ExportRepository(database);
  }

  /** What an operator looks at first. */
  async readStatus(): Promise<AnswerOf<'OperatorsStatus'>> {
    const now = await this.clock.now();
    return {
      ok: true,
      version: VERSION,
      as_of: now.toISOString(),
      stalled: await this.progress.findStalls(),
      jobs: atAGlance(await this.jobs.list(), now),
      webhooks: await this.readBacklog(),
      accounts: await this.operators.countAccounts(),
      dataset: await this.status.readStatus(),
    };
  }

  async readWebhooks(): Promise<AnswerOf<'Webhooks'>> {
    return { ok: true, ...(await this.readBacklog()) };
  }

  async listAudit({ limit, ...filter }: AuditFilter & { limit: number }): Promise<AnswerOf<'Audit'>> {
    const entries = await this.audit.list(filter, limit);
    return { ok: true, entries: entries.map(({ at, ...entry }) => ({ ...entry, at: at.toISOString() })) };
  }

  async listLists(): Promise<AnswerOf<'Lists'>> {
    const lists: AnswerOf<'Lists'>['lists'] = [];
    for (const { url, kind } of this.config.lists.addresses) {
      const { latest, lastImported, failuresInRow } = await this.fetches.readState(url);
      lists.push({
        address: url,
        kind,
        failures: failuresInRow,
        latest: latest && toFetch(latest),
        last_imported: lastImported && toFetch(lastImported),
      });
    }
    return { ok: true, lists };
  }

  async listFetches(limit: number): Promise<AnswerOf<'Fetches'>> {
    return { ok: true, fetches: (await this.fetches.listNewest(limit)).map(toFetch) };
  }

  async listExports(limit: number): Promise<AnswerOf<'MadeExports'>> {
    const made = await this.exports.list(null, null, limit);
    return {
      ok: true,
      exports: made.map(({ id, kind, madeAt, rows, files }) => ({
        id,
        kind,
        made_at: madeAt.toISOString(),
        rows,
        files: files.length,
        bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      })),
    };
  }

  readTiers(): AnswerOf<'TiersInForce'> {
    const tiers = Object.values(this.tiers.table).map((tier) => [tier.name, toPublishedTier(tier)] as const);
    return { ok: true, tiers: Object.fromEntries(tiers) };
  }

  private async readBacklog() {
    const backlog = await this.deliveries.readBacklog(tiersWithWebhooks(this.tiers.table));
    return {
      all: backlog.webhooks,
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

function atAGlance({ holder, jobs }: AnswerOf<'Jobs'>, now: Date): AnswerOf<'OperatorsStatus'>['jobs'] {
  const named = (test: (job: InstanceType<typeof Job>) => boolean) =>
    jobs.filter(test).map(({ name }) => name);
  return {
    are_done: holder !== null,
    failing: named(({ failures }) => failures > 0),
    paused: named(({ paused }) => paused !== null),
    late: named(
      ({ is_due, next_due }) => is_due && now.getTime() - new Date(next_due).getTime() > LATE_AFTER_MS,
    ),
  };
}

export function toFetch(fetch: ListFetch): InstanceType<typeof Fetch> {
  const { id, address, kind, outcome, detail, rows, rejected, ahead, bytes } = fetch;
  const started_at = fetch.startedAt.toISOString();
  const finished_at = fetch.finishedAt?.toISOString() ?? null;
  return { id, address, kind, started_at, finished_at, outcome, detail, rows, rejected, ahead, bytes };
}
