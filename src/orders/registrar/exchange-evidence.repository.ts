import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { unscoped } from '../../db/scope.js';
import { messageOf } from '../../validation/unknown-values.js';

/** One exchange with a registrar, kept as evidence. */
export interface ExchangeEvidence {
  readonly registrar: string;
  /** Of the attempt or renewal; null for an exchange about none. */
  readonly clTRID: string | null;
  readonly command: string;
  readonly sentAt: Date;
  readonly tookMs: number;
  /** Redacted. */
  readonly request: string;
  /** Redacted; null when none came. */
  readonly reply: string | null;
  /** The result code, or why no reply came. */
  readonly result: string;
}

export interface KeptExchange extends ExchangeEvidence {
  readonly id: string;
}

const MAX_KEPT_CHARACTERS = 16_384;
/** Exchanges of one attempt that an operator is shown, the newest. */
const MAX_SHOWN = 100;

/** All SQL on the exchanges with registrars. */
@Injectable()
export class ExchangeEvidenceRepository {
  private readonly logger = new Logger('Registrars');

  constructor(private readonly database: Database) {}

  /**
   * Never throws: what the registrar did is known, with or without evidence. It is so too after the lease of the run
   * has gone to another process.
   */
  async record(exchange: ExchangeEvidence): Promise<void> {
    const { registrar, clTRID, command, sentAt, tookMs, request, reply, result } = exchange;
    try {
      await unscoped(() =>
        this.database.kept(
          `INSERT INTO registrar_exchange (registrar, cltrid, command, sent_at, took_ms, request, reply, result)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [
            ...[registrar, clTRID, command, sentAt, Math.round(tookMs)],
            ...[keepable(request), reply && keepable(reply), result],
          ],
        ),
      );
    } catch (error) {
      this.logger.warn(
        `Evidence of ${command} at ${registrar} (${result}) was not kept: ${messageOf(error)}`,
      );
    }
  }

  /** The exchanges of an attempt, in the order in which they began. */
  async list(clTRID: string): Promise<KeptExchange[]> {
    return this.database.kept<KeptExchange & Record<string, unknown>>(
      `SELECT * FROM (
         SELECT id::text, registrar, cltrid AS "clTRID", command, sent_at AS "sentAt", took_ms AS "tookMs", request,
                reply, result
           FROM registrar_exchange WHERE cltrid = $1 ORDER BY registrar_exchange.id DESC LIMIT $2) AS newest
        ORDER BY newest.id::bigint`,
      [clTRID, MAX_SHOWN],
    );
  }

  async deleteBefore(day: Date): Promise<void> {
    await this.database.kept('DELETE FROM registrar_exchange WHERE sent_at < $1', [day]);
  }
}

// PostgreSQL keeps no zero character.
function keepable(text: string): string {
  return text.replaceAll('\0', '').slice(0, MAX_KEPT_CHARACTERS);
}
