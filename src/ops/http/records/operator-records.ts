import { Injectable } from '@nestjs/common';
import { AuditRepository } from '../../../observe/audit/audit.repository.js';
import { Database } from '../../../db/database.js';
import type { ListFetch } from '../../../ingest/list-records/list-fetch.js';
import { ListFetchRepository } from '../../../ingest/list-records/list-fetch.repository.js';
import { ExportRepository } from '../../../exports/export.repository.js';
import { toPublishedTier } from '../../../access/tier.dto.js';
import { Tiers } from '../../../config/tiers.js';
import type { Audit, AuditQuery, Fetches, FetchDto, MadeExports, TiersInForce } from './records.dto.js';

/** What is on record, and what is in force. */
@Injectable()
export class OperatorRecords {
  private readonly exports: ExportRepository;

  constructor(
    database: Database,
    private readonly audit: AuditRepository,
    private readonly fetches: ListFetchRepository,
    private readonly tiers: Tiers,
  ) {
    this.exports = new ExportRepository(database);
  }

  async listAudit({ limit, ...filter }: AuditQuery): Promise<Audit> {
    const entries = await this.audit.list(filter, limit);
    return { ok: true, entries: entries.map(({ at, ...entry }) => ({ ...entry, at: at.toISOString() })) };
  }

  async listFetches(limit: number): Promise<Fetches> {
    return { ok: true, fetches: (await this.fetches.listNewest(limit)).map(toFetch) };
  }

  async listExports(limit: number): Promise<MadeExports> {
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

  readTiers(): TiersInForce {
    const tiers = Object.values(this.tiers.table).map((tier) => [tier.name, toPublishedTier(tier)] as const);
    return { ok: true, tiers: Object.fromEntries(tiers) };
  }
}

function toFetch(fetch: ListFetch): FetchDto {
  const { id, address, kind, outcome, detail, rows, rejected, ahead, bytes } = fetch;
  return {
    id,
    address,
    kind,
    started_at: fetch.startedAt.toISOString(),
    finished_at: fetch.finishedAt?.toISOString() ?? null,
    outcome,
    detail,
    rows,
    rejected,
    ahead,
    bytes,
  };
}
