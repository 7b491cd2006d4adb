import { Injectable } from '@nestjs/common';
import { Tiers } from '../config/tiers.js';
import { toPublishedTier } from '../access/tier.dto.js';
import { describeBackups, readBackupState } from '../backup/backup-state.js';
import { StatusService } from '../api/status/status.service.js';
import { Config } from '../config/config.js';
import { VERSION } from '../config/product.js';
import { Clock, Database } from '../db/database.js';
import { ExportRepository } from '../exports/export.repository.js';
import { findUnfinishedImport } from '../ingest/import/import-run.repository.js';
import { type ListFetch, ListFetchRepository } from '../ingest/lists/list-fetch.repository.js';
import { DeliveryRepository } from '../notify/webhooks/delivery.repository.js';
import { tiersWithWebhooks } from '../notify/webhooks/webhook.js';
import { type AuditFilter, AuditRepository } from '../observe/audit.repository.js';
import { ProgressWatch } from '../observe/readings.js';
import type { AnswerOf, Fetch, Job } from './answers.js';
import { OperatorJobs } from './jobs.service.js';
import { OperatorsRepository, type ChargedDays } from './operators.repository.js';
import { ApiError } from '../errors/api-error.js';
import { daysOf } from '../api/usage/usage.module.js';
import { csvLine } from '../validation/formats.js';

/** Rows of a page. */
const PAGE_ROWS = 500;

/** Days (YYYY-MM-DD), of one account or of all. */
interface UsageQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly account?: string | undefined;
}

/** Lines of one file. It is made in memory: 100,000 lines are about 15 MB. */
const MAX_CSV_ROWS = 100_000;
const COLUMNS = ['day', 'account', 'email', 'tier', 'key_id', 'key_name', 'records'] as const;

/** What the budgets charged, by account, key and day: the source of invoices. */
@Injectable()
export class OperatorUsage {
  constructor(
    private readonly operators: OperatorsRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws {ApiError} invalid_parameter */
  async list(query: UsageQuery & { readonly page: number }): Promise<AnswerOf<'Charged'>> {
    const days = await this.daysOf(query);
    const [rows, records] = await Promise.all([
      this.operators.listCharged(days, PAGE_ROWS + 1, (query.page - 1) * PAGE_ROWS),
      this.operators.countCharged(days),
    ]);
    const { from, to } = days;
    const results = rows.slice(0, PAGE_ROWS);
    return { ok: true, from, to, records, results, has_more: rows.length > PAGE_ROWS };
  }

  /** The same days as CSV. @throws {ApiError} invalid_parameter, limit_reached */
  async write(query: UsageQuery): Promise<string> {
    const rows = await this.operators.listCharged(await this.daysOf(query), MAX_CSV_ROWS + 1, 0);
    if (rows.length > MAX_CSV_ROWS)
      throw new ApiError(
        'limit_reached',
        `A file has ${MAX_CSV_ROWS} lines at most; ask for fewer days, or for one account`,
      );
    return csvLine([...COLUMNS]) + rows.map((row) => csvLine(COLUMNS.map((column) => row[column]))).join('');
  }

  private async daysOf({ from, to, account }: UsageQuery): Promise<ChargedDays> {
    return { ...daysOf({ from, to }, await this.clock.now()), account: account ?? null };
  }
}

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
    private readonly database: Database,
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
      backups: await this.readBackups(),
      unfinished_import: await this.readUnfinishedImport(),
      dataset: await this.status.readStatus(),
    };
  }

  private async readBackups(): Promise<AnswerOf<'OperatorsStatus'>['backups']> {
    const state = await readBackupState(this.database, this.config);
    const { lastAt, restoredAt, safeUntil } = state;
    return {
      last_at: lastAt?.toISOString() ?? null,
      restored_at: restoredAt?.toISOString() ?? null,
      safe_until: safeUntil?.toISOString() ?? null,
      finding: describeBackups(state),
    };
  }

  private async readUnfinishedImport(): Promise<AnswerOf<'OperatorsStatus'>['unfinished_import']> {
    const unfinished = await findUnfinishedImport(this.database);
    return unfinished && { ...unfinished, at: unfinished.at.toISOString() };
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
