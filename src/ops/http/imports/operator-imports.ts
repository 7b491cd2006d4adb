import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { AuditRepository } from '../../../observe/audit/audit.repository.js';
import { Config } from '../../../config/config.js';
import { Clock } from '../../../db/clock.js';
import { Database } from '../../../db/database.js';
import { withoutStatementTimeout } from '../../../db/without-statement-timeout.js';
import { Lifecycle } from '../../../domains/lifecycle/lifecycle.js';
import { ApiError } from '../../../errors/api-error.js';
import type { ImportReport } from '../../../ingest/import/import-report.js';
import { UncertainImportError } from '../../../ingest/import/import-error.js';
import { importNames } from '../../../ingest/import/importer.js';
import type { Vouch } from '../../../ingest/import/vouch.js';
import { openImportFile } from '../../../ingest/import/reading/import-source.js';
import { REJECTS_HEADER } from '../../../ingest/import/rejects.js';
import { hasCode, messageOf } from '../../../validation/unknown-values.js';
import type { Order } from '../order.js';
import type { ImportDetails, ImportReportDto, Imports, UploadQuery } from './imports.dto.js';
import { type ImportPlace, OperatorImportRepository } from './operator-import.repository.js';
import { receiveUpload, type Upload } from './upload.js';

const TOUCH_EVERY_MS = 1_000;
const MAX_PROBLEM_LENGTH = 2_000;

/** Imports of lists that operators upload, one at a time. They are known on every instance, and run on the one that was asked. */
@Injectable()
export class OperatorImports implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Imports');
  private readonly stopping = new AbortController();
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly lifecycle: Lifecycle,
    private readonly imports: OperatorImportRepository,
    private readonly audit: AuditRepository,
  ) {}

  /**
   * Takes a file and begins to import it.
   *
   * @throws {ApiError} invalid_parameter, body_too_large; limit_reached while another import of an operator is under way
   */
  async upload(body: Readable, query: UploadQuery, ordered: Order): Promise<ImportDetails> {
    const order = { ...ordered, reason: reasonOf(query, vouchOf(query)) };
    const upload = await receiveUpload(body, this.config.operators.maxUploadBytes);
    const id = randomUUID();
    const { file, dry_run: dryRun } = query;
    const isDry = dryRun === 'true';
    const { actor, reason } = order;
    const row = { id, file, bytes: upload.bytes, dryRun: isDry, actor, reason };
    try {
      if (!(await this.imports.begin(row)))
        throw new ApiError('limit_reached', 'Another import is under way; there is one at a time.');
      await this.audit.record({
        ...order,
        action: isDry ? 'import.dry-run' : 'import',
        subject: `import:${id}`,
      });
    } catch (error) {
      await upload.remove();
      throw error;
    }
    const work = this.run(id, upload, query, order).finally(() => this.underWay.delete(work));
    this.underWay.add(work);
    return this.show(id);
  }

  async list(): Promise<Imports> {
    return { ok: true, imports: await this.imports.list() };
  }

  /** @throws {ApiError} not_found */
  async show(id: string): Promise<ImportDetails> {
    const found = await this.imports.find(id);
    if (!found) throw new ApiError('not_found', `There is no import ${id}; they are kept for 30 days.`);
    return { ok: true, ...found };
  }

  /** The rows that were not imported: CSV, packed with gzip. @throws {ApiError} not_found when there are none */
  async readRejects(id: string): Promise<Buffer> {
    const rejects = await this.imports.readRejects(id);
    if (!rejects) throw new ApiError('not_found', `There are no rows that the import ${id} has rejected.`);
    return rejects;
  }

  /** What is under way is taken back. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort(new Error('The service was stopped; nothing was imported.'));
    await Promise.all(this.underWay);
  }

  private async run(id: string, upload: Upload, query: UploadQuery, order: Order): Promise<void> {
    const rejectsFile = join(upload.folder, 'rejects.csv');
    const place: { now: ImportPlace } = { now: { step: 'waiting', rows: 0, readBytes: 0 } };
    const ticking = setInterval(() => void this.touch(id, place.now), TOUCH_EVERY_MS);
    try {
      const report = await this.import(upload, query, rejectsFile, (now) => (place.now = now));
      this.logger.log(`Import ${id}: ${report.read} rows, ${report.rejected} rejected`);
      // The names are in: whatever fails from here on must not say that they are not.
      let rejects: Buffer | null = null;
      await this.note(id, async () => void (rejects = await packed(rejectsFile)));
      await this.note(id, () => this.recordDone(id, report, rejects, order));
    } catch (error) {
      // It is told as interrupted once nobody touches it: to call it failed would be to say that the names are not in.
      if (error instanceof UncertainImportError) {
        this.logger.warn(`Import ${id}: ${error.message}`);
        return;
      }
      const problem = messageOf(error).slice(0, MAX_PROBLEM_LENGTH);
      this.logger.warn(`Import ${id} failed: ${problem}`);
      await this.note(id, async () => this.imports.fail(id, problem, await packed(rejectsFile)));
    } finally {
      clearInterval(ticking);
      await this.note(id, () => upload.remove());
    }
  }

  private async recordDone(
    id: string,
    report: ImportReport,
    rejects: Buffer | null,
    order: Order,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.imports.finish(id, toReport(report), rejects, transaction);
      const deed = { ...order, action: 'import.done', subject: `import:${id}` };
      if (!report.dryRun) await this.audit.record(deed, transaction);
    });
  }

  private async import(
    { path }: Upload,
    query: UploadQuery,
    rejectsFile: string,
    onProgress: (place: ImportPlace) => void,
  ): Promise<ImportReport> {
    const source = { ...(await openImportFile(path)), name: query.file };
    const now = await this.clock.now();
    let report: ImportReport | undefined;
    const importing = withoutStatementTimeout(this.database, async (database) => {
      report = await importNames(database, source, {
        lifecycle: this.lifecycle,
        now,
        vouch: vouchOf(query),
        listKind: query.kind,
        purgeTimes: this.config.lists.purgeTimes,
        asksAgain: true,
        dryRun: query.dry_run === 'true',
        rejectsFile,
        maxRejectsPercent: query.max_rejects_percent,
        signal: this.stopping.signal,
        onProgress,
      });
      return report;
    });
    return importing.catch((error: unknown) => {
      // Connections that cannot be closed afterwards take nothing back.
      if (!report) throw error;
      this.logger.warn(`After an import: ${messageOf(error)}`);
      return report;
    });
  }

  private touch(id: string, place: ImportPlace): Promise<void> {
    return this.note(id, () => this.imports.touch(id, place));
  }

  /** What only tells of the import must not end it. */
  private async note(id: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.logger.warn(`Import ${id}: ${messageOf(error)}`));
  }
}

/** @throws {ApiError} invalid_parameter */
function vouchOf({ vouched_by, confirmed_at }: UploadQuery): Vouch | undefined {
  if (vouched_by === undefined && confirmed_at === undefined) return undefined;
  if (vouched_by === undefined || confirmed_at === undefined)
    throw new ApiError('invalid_parameter', 'vouched_by and confirmed_at go together: who said so, and when');
  return { by: vouched_by, at: new Date(confirmed_at) };
}

/** The audit log has whose word names are offered on. */
function reasonOf({ reason }: UploadQuery, vouch: Vouch | undefined): string {
  return vouch ? `${reason} (vouched by ${vouch.by} at ${vouch.at.toISOString()})` : reason;
}

/** @returns null when nothing was rejected */
async function packed(file: string): Promise<Buffer | null> {
  const size = await stat(file).then(
    ({ size: bytes }) => bytes,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return 0;
      throw error;
    },
  );
  return size > REJECTS_HEADER.length ? buffer(createReadStream(file).pipe(createGzip())) : null;
}

function toReport(report: ImportReport): ImportReportDto {
  const { read, added, changed, unchanged, absent, rejected, repeated, seconds } = report;
  const rejects = report.rejects.map(({ line, text, reason }) => `line ${line}, ${text}: ${reason}`);
  return { read, added, changed, unchanged, absent, rejected, repeated, seconds, rejects };
}
