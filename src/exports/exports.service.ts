import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AccountAuditLog } from '../observe/audit.repository.js';
import { accountOf, type Caller, actorOf } from '../access/caller.js';
import { IdempotentRequests, senderOf } from '../access/idempotent-requests.js';
import { assertScope } from '../access/requirements.js';
import { TierGate } from '../access/tier-gate.js';
import { Config } from '../config/config.js';
import { Clock } from '../db/database.js';
import { pageOf, readCursor, writeCursor } from '../domains/schema/page-cursor.js';
import { ApiError } from '../errors/api-error.js';
import { type Export, EXPORT_ID, type ExportPlace, ExportRepository } from './export.repository.js';
import { dailyAt, HOURLY, nextExportAt } from './exporter.js';
import type { ExportBucket } from './export-bucket.js';
import { manifestOf, urlOfFile } from './manifest.js';
import { readLink, LINK_MS, STORE_ADDRESS_SECONDS, writeLink, sendExportedFile } from './downloads.js';
import {
  DEFAULT_LIMIT,
  type ExportAddress,
  type ExportFileAddress,
  type ExportsQuery,
  type ExportDto,
  type ExportLinks,
  type ExportList,
  type ExportStatus,
  type LastExportDto,
  type LatestExportQuery,
} from './exports.dto.js';

@Injectable()
export class ExportsService {
  /** Where the files are, when they are not in the folder. The library of the store takes half a second to load. */
  private readonly bucket: Promise<ExportBucket> | null;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly gate: TierGate,
    private readonly exports: ExportRepository,
    private readonly auditLog: AccountAuditLog,
    private readonly requests: IdempotentRequests,
  ) {
    const { folder, bucket } = config.exports;
    this.bucket = bucket
      ? import('./export-bucket.js').then((module) => new module.ExportBucket(bucket, folder))
      : null;
  }

  /** Costs nothing. @throws {ApiError} invalid_parameter */
  async listExports({ kind, limit = DEFAULT_LIMIT, cursor }: ExportsQuery): Promise<ExportList> {
    const list = `exports ${kind ?? 'all'}`;
    const after = cursor === undefined ? null : placeIn(list, cursor);
    const found = await this.exports.list(kind ?? null, after, limit + 1);
    const { rows, next_cursor } = pageOf(found, limit, ({ madeAt, id }) =>
      writeCursor(list, [madeAt.toISOString(), id]),
    );
    return {
      ok: true,
      results: rows.map((one) => manifestOf(one, this.config.links.baseUrl)),
      count: rows.length,
      next_cursor,
    };
  }

  /** The manifest that lies beside the files. Costs nothing. @throws {ApiError} not_found */
  async readManifest({ id }: ExportAddress): Promise<ExportDto> {
    return manifestOf(await this.find(id), this.config.links.baseUrl);
  }

  /** The manifest of the newest export of a kind. Costs nothing. @throws {ApiError} not_found */
  async readLatest({ kind = 'snapshot' }: LatestExportQuery): Promise<ExportDto> {
    const last = await this.exports.findLast(kind);
    if (!last)
      throw notFound(
        `There is no export of the kind ${kind} yet; /api/v1/exports/status says when one is due.`,
      );
    return manifestOf(last, this.config.links.baseUrl);
  }

  /**
   * Addresses of all files that need no key; the same ones for the same key, while they are good. Costs nothing.
   *
   * @throws {ApiError} not_found, idempotency_conflict
   */
  async makeLinks({ id }: ExportAddress, caller: Caller, key: string | undefined): Promise<ExportLinks> {
    const found = await this.find(id);
    const now = await this.clock.now();
    return this.requests.once(
      { by: senderOf(caller), key, content: ['export.links', id] },
      async (remember) => {
        const endsAt = new Date(now.getTime() + LINK_MS);
        endsAt.setMilliseconds(0);
        await this.note(caller, 'export.links', id);
        await remember(endsAt.toISOString());
        return this.linksTo(found, caller, endsAt);
      },
      async (ends) => {
        const endsAt = new Date(ends);
        return endsAt > now ? this.linksTo(found, caller, endsAt) : null;
      },
    );
  }

  private linksTo({ id, files }: Export, caller: Caller, endsAt: Date): ExportLinks {
    const { secret } = this.config.auth;
    const { baseUrl } = this.config.links;
    const accountId = accountOf(caller) ?? '';
    const linkTo = (name: string) => writeLink(secret, { file: `${id}/${name}`, accountId }, endsAt);
    return {
      ok: true,
      expires_at: endsAt.toISOString(),
      links: files.map(({ name }) => ({
        name,
        url: `${urlOfFile(baseUrl, id, name)}?link=${linkTo(name)}`,
      })),
    };
  }

  /**
   * Sends a file, or a range of it, to a caller with a key or a link. Costs nothing.
   *
   * @throws {ApiError} key_required, tier_required, scope_required, link_invalid, not_found, range_not_satisfiable
   */
  async sendFile(
    { id, file }: ExportFileAddress,
    link: string | undefined,
    caller: Caller,
    response: Response,
  ): Promise<void> {
    if (link === undefined) this.assertMayFetch(caller);
    else await this.assertGoodLink(link, `${id}/${file}`);
    const { files, madeAt } = await this.find(id);
    const exported = files.find(({ name }) => name === file);
    if (!exported)
      throw notFound(`This export has no file ${JSON.stringify(file)}; its manifest names them.`);
    // Who came by a link is not known; who made it is.
    if (link === undefined) await this.note(caller, 'export.download', `${id}/${file}`);
    if (this.bucket) {
      const store = await this.bucket;
      const times = { from: await this.clock.now(), seconds: STORE_ADDRESS_SECONDS };
      const url = await store.linkTo(id, file, response.req.method, times);
      response.set('Cache-Control', 'no-store').redirect(url);
      return;
    }
    await sendExportedFile(response, this.config.exports.folder, id, exported, madeAt);
  }

  /** What there is and when there is more, for everybody. @throws {DatabaseUnavailable} */
  async readStatus(): Promise<ExportStatus> {
    const { time, hourly } = this.config.exports;
    const now = await this.clock.now();
    const snapshot = await this.exports.findLast('snapshot');
    const changes = await this.exports.findLast('changes');
    return {
      ok: true,
      snapshot: lastOf(snapshot),
      diff: lastOf(await this.exports.findLast('diff')),
      changes: lastOf(changes),
      next_snapshot_at: nextExportAt(dailyAt(time), snapshot, now).toISOString(),
      next_changes_at: hourly ? nextExportAt(HOURLY, changes, now).toISOString() : null,
    };
  }

  // A download that breaks off and goes on, or comes in parts, is one.
  private async note(
    caller: Caller,
    action: 'export.links' | 'export.download',
    what: string,
  ): Promise<void> {
    const accountId = accountOf(caller);
    if (accountId !== null) await this.auditLog.recordOnceAnHour(actorOf(caller, accountId), action, what);
  }

  private assertMayFetch(caller: Caller): void {
    this.gate.assertIncluded(caller, (tier) => tier.export);
    if (caller.key) assertScope(caller.key.scopes, 'export');
  }

  /** A link ends with its account, which may be removed or disabled meanwhile. */
  private async assertGoodLink(link: string, file: string): Promise<void> {
    const accountId = readLink(link, this.config.auth.secrets, file, await this.clock.now());
    const isGood = accountId === '' || (accountId !== null && (await this.exports.hasAccount(accountId)));
    if (!isGood)
      throw new ApiError(
        'link_invalid',
        'The link is over, or it is not one to this file. POST /api/v1/exports/{id}/links makes others.',
      );
  }

  private async find(id: string): Promise<Export> {
    const found = await this.exports.find(id);
    if (!found)
      throw notFound('There is no such export, or not any more; GET /api/v1/exports lists those there are.');
    return found;
  }
}

function notFound(message: string): ApiError {
  return new ApiError('not_found', message);
}

function lastOf(last: Export | null): LastExportDto | null {
  return (
    last && { id: last.id, made_at: last.madeAt.toISOString(), rows: last.rows, last_event: last.lastEvent }
  );
}

/** @throws {ApiError} invalid_parameter */
function placeIn(list: string, cursor: string): ExportPlace {
  const [time, id] = readCursor(list, cursor) ?? [];
  if (
    typeof time !== 'string' ||
    Number.isNaN(Date.parse(time)) ||
    typeof id !== 'string' ||
    !EXPORT_ID.test(id)
  )
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier page of the same kind',
    );
  return { madeAt: new Date(time), id };
}
