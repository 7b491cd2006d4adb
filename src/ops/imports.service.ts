import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip, createGzip } from 'node:zlib';
import { AuditRepository } from '../observe/audit.repository.js';
import { IdempotentRequests, type Remember, senderOfOperator } from '../access/idempotent-requests.js';
import { ProcessTimers } from '../work/process-timers.js';
import { Config } from '../config/config.js';
import { Clock, Database } from '../db/database.js';
import { withoutStatementTimeout } from '../db/open-database.js';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import { ApiError } from '../errors/api-error.js';
import type { ImportReport } from '../ingest/import/import-report.js';
import { UncertainImportError } from '../ingest/import/reading/import-error.js';
import { importNames } from '../ingest/import/importer.js';
import type { Vouch } from '../ingest/import/vouch.js';
import { openImportFile } from '../ingest/import/reading/import-source.js';
import { REJECTS_HEADER } from '../ingest/import/rejects.js';
import { hasCode, messageOf } from '../validation/unknown-values.js';
import type { ListKind } from '../config/product.js';
import { discardUnfinishedImport } from '../ingest/import/import-run.repository.js';
import { type AnswerOf, done, type Done, type OperatorCommand } from './answers.js';
import { type ImportPlace, type ImportReportDto, OperatorImportRepository } from './operators.repository.js';

/** What an upload says about its file. */
interface UploadQuery {
  readonly file: string;
  readonly dry_run: 'true' | 'false';
  readonly kind?: ListKind | undefined;
  readonly vouched_by?: string | undefined;
  readonly confirmed_at?: Date | undefined;
  readonly max_rejects_percent: number;
}

/** A received file, in a folder of its own. */
interface Upload {
  readonly folder: string;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  remove(): Promise<void>;
}

const TOUCH_EVERY_MS = 1_000;
const MAX_PROBLEM_LENGTH = 2_000;

/** Imports of uploaded lists, one at a time. Every instance knows them; the one that received the file runs them. */
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
    private readonly timers: ProcessTimers,
    private readonly requests: IdempotentRequests,
  ) {}

  /**
   * Takes a file and begins to import it; the same file with the same key, once.
   *
   * @throws {ApiError} invalid_parameter, body_too_large, idempotency_conflict; limit_reached while another import of
   * an operator is under way
   */
  async upload(
    body: Readable,
    query: UploadQuery,
    given: OperatorCommand,
  ): Promise<AnswerOf<'ImportDetails'>> {
    const command = { ...given, reason: reasonOf(given, vouchOf(query)) };
    const { actor, reason, requestKey: key } = command;
    const upload = await receiveUpload(body, this.config.operators.maxUploadBytes);
    const begun: string[] = [];
    try {
      return await this.requests.once(
        {
          by: senderOfOperator(actor),
          ...{ key, content: ['import', query, reason, upload.sha256] },
        },
        async (remember) => {
          const id = await this.begin(upload, query, command, remember);
          begun.push(id);
          return this.show(id);
        },
        (id) => this.show(id),
      );
    } finally {
      if (begun.length === 0) await upload.remove();
    }
  }

  /** @returns its id; it runs from then on, and removes its upload. @throws {ApiError} limit_reached */
  private async begin(
    upload: Upload,
    query: UploadQuery,
    command: OperatorCommand,
    remember: Remember,
  ): Promise<string> {
    const id = randomUUID();
    const { file, dry_run: dryRun } = query;
    const isDry = dryRun === 'true';
    const { actor, from, reason, action } = command;
    const row = { id, file, bytes: upload.bytes, dryRun: isDry, actor, reason };
    const entry = {
      actor,
      from,
      reason,
      action: isDry ? `${action}.dry-run` : action,
      subject: `import:${id}`,
    };
    const isFirst = await this.imports.begin(row, async (transaction) => {
      await this.audit.record(entry, transaction);
      await remember(id, transaction);
    });
    if (!isFirst) throw new ApiError('limit_reached', 'Another import is under way; there is one at a time.');
    const work = this.run(id, upload, query, command).finally(() => this.underWay.delete(work));
    this.underWay.add(work);
    return id;
  }

  /** Forgets where an import ended early. */
  async discard(command: OperatorCommand): Promise<Done> {
    return this.database.transaction(async (transaction) => {
      const source = await discardUnfinishedImport(transaction);
      if (source !== null) await this.audit.record({ ...command, subject: `import:${source}` }, transaction);
      return done(source !== null);
    });
  }

  async list(): Promise<AnswerOf<'Imports'>> {
    return { ok: true, imports: await this.imports.list() };
  }

  /** @throws {ApiError} not_found */
  async show(id: string): Promise<AnswerOf<'ImportDetails'>> {
    const found = await this.imports.find(id);
    if (!found) throw new ApiError('not_found', `There is no import ${id}; they are kept for 30 days.`);
    return { ok: true, ...found };
  }

  /** The rows that were not imported, as CSV. @throws {ApiError} not_found when there are none */
  async readRejects(id: string): Promise<Readable> {
    const rejects = await this.imports.readRejects(id);
    if (!rejects) throw new ApiError('not_found', `There are no rows that the import ${id} has rejected.`);
    const text = createGunzip();
    text.end(rejects);
    return text;
  }

  /** Ends what runs. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort(new Error('The service was stopped.'));
    await Promise.all(this.underWay);
  }

  private async run(id: string, upload: Upload, query: UploadQuery, command: OperatorCommand): Promise<void> {
    const rejectsFile = join(upload.folder, 'rejects.csv');
    const place: { now: ImportPlace } = { now: { step: 'waiting', rows: 0, readBytes: 0 } };
    const endTouches = this.timers.every(TOUCH_EVERY_MS, () => this.touch(id, place.now));
    try {
      const report = await this.import(upload, query, rejectsFile, (now) => (place.now = now));
      this.logger.log(`Import ${id}: ${report.read} rows, ${report.rejected} rejected`);
      // The names are in: a failure from here on must not be reported as a failed import.
      let rejects: Buffer | null = null;
      await this.note(id, async () => void (rejects = await packed(rejectsFile)));
      await this.note(id, () => this.recordDone(id, report, rejects, command));
    } catch (error) {
      // Without a heartbeat it becomes `interrupted`; `failed` would claim that the names are not in.
      if (error instanceof UncertainImportError) {
        this.logger.warn(`Import ${id}: ${error.message}`);
        return;
      }
      const problem = messageOf(error).slice(0, MAX_PROBLEM_LENGTH);
      this.logger.warn(`Import ${id} failed: ${problem}`);
      await this.note(id, async () => this.imports.fail(id, problem, await packed(rejectsFile)));
    } finally {
      endTouches();
      await this.note(id, () => upload.remove());
    }
  }

  private async recordDone(
    id: string,
    report: ImportReport,
    rejects: Buffer | null,
    command: OperatorCommand,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.imports.finish(id, toReport(report), rejects, transaction);
      const entry = { ...command, action: `${command.action}.done`, subject: `import:${id}` };
      if (!report.dryRun) await this.audit.record(entry, transaction);
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
        revision: { of: 'files', ifImplausible: 'keep' },
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
      // A connection that cannot be closed afterwards rolls nothing back.
      if (!report) throw error;
      this.logger.warn(`After an import: ${messageOf(error)}`);
      return report;
    });
  }

  private touch(id: string, place: ImportPlace): Promise<void> {
    return this.note(id, () => this.imports.touch(id, place));
  }

  /** A failure to record progress must not end the import. */
  private async note(id: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.logger.warn(`Import ${id}: ${messageOf(error)}`));
  }
}

/** @throws {ApiError} invalid_parameter */
function vouchOf({ vouched_by, confirmed_at }: UploadQuery): Vouch | undefined {
  if (vouched_by === undefined && confirmed_at === undefined) return undefined;
  if (vouched_by === undefined || confirmed_at === undefined)
    throw new ApiError('invalid_parameter', 'vouched_by and confirmed_at go together: who said so, and when');
  return { by: vouched_by, at: confirmed_at };
}

/** The audit log names the source that vouches for the names. */
function reasonOf({ reason }: OperatorCommand, vouch: Vouch | undefined): string {
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

/**
 * Writes the body to a temporary file, up to the limit.
 *
 * @throws {ApiError} body_too_large, bad_request
 */
async function receiveUpload(body: Readable, maxBytes: number): Promise<Upload> {
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-import-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'list');
  let bytes = 0;
  const hash = createHash('sha256');
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      // The stream stays open, so that a caller who sends too much gets the answer instead of a reset.
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        const part = chunk as Buffer;
        bytes += part.length;
        if (bytes > maxBytes)
          throw new ApiError('body_too_large', `The file is larger than ${maxBytes} bytes, packed or not.`);
        hash.update(part);
        await file.write(part);
      }
    } finally {
      await file.close();
    }
    if (bytes === 0) throw new ApiError('bad_request', 'The body is empty: it has to be the file.');
    return { folder, path, bytes, sha256: hash.digest('hex'), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
