import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../db/database.js';

export type NetworkVerdict = 'block' | 'allow';

/** What an operator has said of a network, until it ends. */
export interface NetworkRule {
  /** In canonical form, such as `203.0.113.0/24`. */
  readonly network: string;
  readonly verdict: NetworkVerdict;
  readonly reason: string;
  readonly setBy: string;
  readonly setAt: Date;
  readonly endsAt: Date;
}

/** What a network, an account or a key took. */
export interface Taken {
  readonly taker: string;
  readonly records: number;
  readonly pages: number;
  readonly refusals: number;
}

/** More would make each look-up of a table scan long; an operator with more has a firewall to set. */
export const MAX_RULES = 1_000;
const KEPT = '48 hours';

const RULE = `network, verdict, reason, set_by AS "setBy", set_at AS "setAt", ends_at AS "endsAt"`;

/** All SQL on rules about networks, and on who takes most. Times are PostgreSQL's. */
@Injectable()
export class NetworkRepository {
  constructor(private readonly database: Database) {}

  /** Current rules, with the milliseconds left of each. */
  async listRules(): Promise<(NetworkRule & { readonly leftMs: number })[]> {
    return this.database.query(
      `SELECT ${RULE}, (extract(epoch FROM ends_at - clock_timestamp()) * 1000)::float8 AS "leftMs"
         FROM network_rule WHERE ends_at > clock_timestamp() ORDER BY network LIMIT ${MAX_RULES}`,
    );
  }

  /** Replaces the rule about the same network, and deletes expired rules. */
  async setRule(
    rule: Pick<NetworkRule, 'network' | 'verdict' | 'reason' | 'setBy'>,
    hours: number,
    transaction: Queryable,
  ): Promise<void> {
    await transaction.query('DELETE FROM network_rule WHERE ends_at <= clock_timestamp()');
    await transaction.query(
      `INSERT INTO network_rule (network, verdict, reason, set_by, set_at, ends_at)
       VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp() + $5 * interval '1 hour')
       ON CONFLICT (network) DO UPDATE
         SET verdict = excluded.verdict, reason = excluded.reason, set_by = excluded.set_by, set_at = excluded.set_at,
             ends_at = excluded.ends_at`,
      [rule.network, rule.verdict, rule.reason, rule.setBy, hours],
    );
  }

  async countRules(transaction: Queryable): Promise<number> {
    const [row] = await transaction.query<{ rules: number }>(
      'SELECT count(*)::int AS rules FROM network_rule WHERE ends_at > clock_timestamp()',
    );
    return row?.rules ?? 0;
  }

  /** @returns whether there was one */
  async removeRule(network: string, transaction: Queryable): Promise<boolean> {
    const rows = await transaction.query('DELETE FROM network_rule WHERE network = $1 RETURNING network', [
      network,
    ]);
    return rows.length > 0;
  }

  /** Adds to what other instances counted in this hour. */
  async addTaken(taken: readonly Taken[]): Promise<void> {
    await this.database.query(
      `INSERT INTO taken_hour AS known (hour, taker, records, pages, refusals)
       SELECT date_trunc('hour', clock_timestamp()), taker, records, pages, refusals
         FROM jsonb_to_recordset($1::jsonb) AS taken (taker text, records bigint, pages bigint, refusals bigint)
        ORDER BY taker
       ON CONFLICT (hour, taker) DO UPDATE
         SET records = known.records + excluded.records, pages = known.pages + excluded.pages,
             refusals = known.refusals + excluded.refusals`,
      [JSON.stringify(taken)],
    );
  }

  /** The takers with the most records, pages or refusals. */
  async listTaken(hours: number, limit: number): Promise<Taken[]> {
    return this.database.query<Taken & Record<string, unknown>>(
      `SELECT taker, records, pages, refusals
         FROM (SELECT taker, sum(records)::float8 AS records, sum(pages)::float8 AS pages,
                      sum(refusals)::float8 AS refusals,
                      least(rank() OVER (ORDER BY sum(records) DESC), rank() OVER (ORDER BY sum(pages) DESC),
                            rank() OVER (ORDER BY sum(refusals) DESC)) AS place
                 FROM taken_hour WHERE hour > clock_timestamp() - $1 * interval '1 hour' GROUP BY taker) AS ranked
        ORDER BY place, records DESC, taker LIMIT $2`,
      [hours, limit],
    );
  }

  async purge(): Promise<void> {
    await this.database.query(`DELETE FROM taken_hour WHERE hour < clock_timestamp() - interval '${KEPT}'`);
    await this.database.query('DELETE FROM network_rule WHERE ends_at <= clock_timestamp()');
  }
}
