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

/** Exchanges that are written at once. */
const MAX_TOGETHER = 8;
const MAX_KEPT_CHARACTERS = 16_384;
/** Exchanges of one attempt that an operator is shown, the newest. */
const MAX_SHOWN = 100;

/** All SQL on the exchanges with registrars. */
@Injectable()
export class ExchangeEvidenceRepository {
  private readonly logger = new Logger('Registrars');
  private readonly waiting: ExchangeEvidence[] = [];
  private written: Promise<void> = Promise.resolve();

  constructor(private readonly database: Database) {}

  /**
   * Exchanges that end while others are being written are written together, in their order. Never throws: what the
   * registrar did is known, with or without evidence. It is so too after the lease of the run has gone to another
   * process.
   *
   * @returns once it is committed
   */
  record(exchange: ExchangeEvidence): Promise<void> {
    this.waiting.push(exchange);
    this.written = this.written.then(() => unscoped(() => this.write(this.waiting.splice(0, MAX_TOGETHER))));
    return this.written;
  }

  private async write(exchanges: readonly ExchangeEvidence[]): Promise<void> {
    if (exchanges.length === 0) return;
    const values = exchanges.flatMap(
      ({ registrar, clTRID, command, sentAt, tookMs, request, reply, result }) => [
        ...[registrar, clTRID, command, sentAt, Math.round(tookMs)],
        ...[keepable(request), reply && keepable(reply), result],
      ],
    );
    const places = values.map((_, place) => `$${place + 1}`);
    const rows = exchanges.map(() => `(${places.splice(0, values.length / exchanges.length).join()})`);
    try {
      await this.database.kept(
        `INSERT INTO registrar_exchange (registrar, cltrid, command, sent_at, took_ms, request, reply, result)
         VALUES ${rows.join()}`,
        values,
      );
    } catch (error) {
      const lost = exchanges.map(
        ({ registrar, command, result }) => `${command} at ${registrar} (${result})`,
      );
      this.logger.warn(`Evidence of ${lost.join(', ')} was not kept: ${messageOf(error)}`);
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
