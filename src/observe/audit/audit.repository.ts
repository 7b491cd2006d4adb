import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { Database, type Queryable } from '../../db/database.js';

/** An action and its accountable actor. */
export interface Deed {
  /** Who, such as `operator:alice`. */
  readonly actor: string;
  /** What, such as `domain.hide`. */
  readonly action: string;
  /** To what, such as `domain:surf.com.au`. */
  readonly subject: string;
  readonly reason: string;
  /** The network it came from, shortened; null where there is none. */
  readonly from: string | null;
}

export interface AuditEntry extends Deed {
  readonly id: number;
  readonly at: Date;
}

/** Which entries: a property that is left out does not filter. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  /** Older than the entry with this id. */
  readonly before?: number | undefined;
}

type Row = Omit<AuditEntry, 'id'> & { id: string };

/** The audit log: entries are added, and deleted by their age; those of an account go with the account. */
@Injectable()
export class AuditRepository {
  constructor(private readonly database: Database) {}

  /** @param transaction of the change itself, so that change and entry commit together */
  async record({ actor, action, subject, reason, from }: Deed, transaction?: Queryable): Promise<void> {
    await (transaction ?? this.database).query(
      `INSERT INTO audit_log (actor, action, subject, reason, "from") VALUES ($1, $2, $3, $4, $5)`,
      [actor, action, subject, reason, from],
    );
  }

  /**
   * Skips it when the hour has `most` such entries of this subject and actor. Concurrent calls do not see each
   * other.
   */
  async recordFew({ actor, action, subject, reason, from }: Deed, most: number): Promise<void> {
    await this.database.query(
      `INSERT INTO audit_log (actor, action, subject, reason, "from") SELECT $1, $2, $3, $4, $5
        WHERE (SELECT count(*) FROM audit_log
                WHERE subject = $3 AND action = $2 AND at > now() - interval '1 hour' AND actor = $1) < $6`,
      [actor, action, subject, reason, from, most],
    );
  }

  /** Skips it when the hour has the same entry from the same network. */
  async recordOnceAnHour({ actor, action, subject, reason, from }: Deed): Promise<void> {
    await this.database.query(
      `INSERT INTO audit_log (actor, action, subject, reason, "from") SELECT $1, $2, $3, $4, $5
        WHERE NOT EXISTS (SELECT FROM audit_log
                           WHERE subject = $3 AND action = $2 AND at > now() - interval '1 hour' AND reason = $4
                             AND "from" IS NOT DISTINCT FROM $5)`,
      [actor, action, subject, reason, from],
    );
  }

  /** The newest first. */
  async list({ actor, action, subject, before }: AuditFilter, limit: number): Promise<AuditEntry[]> {
    const rows = await this.database.query<Row>(
      `SELECT id, at, actor, action, subject, reason, "from" FROM audit_log
        WHERE ($1::text IS NULL OR actor = $1) AND ($2::text IS NULL OR action = $2)
          AND ($3::text IS NULL OR subject = $3) AND ($4::bigint IS NULL OR id < $4)
        ORDER BY id DESC LIMIT $5`,
      [actor, action, subject, before, limit],
    );
    return rows.map((row) => ({ ...row, id: Number(row.id) }));
  }

  async deleteBefore(at: Date): Promise<void> {
    await this.database.query('DELETE FROM audit_log WHERE at < $1', [at]);
  }
}

const IPV4_BITS = 24;
const IPV6_BITS = 48;

/** The network of an address, /24 or /48; the address itself is not stored. @returns null for an invalid address */
export function networkOf(address: string | undefined): string | null {
  if (address === undefined || !ipaddr.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4')
    return `${ipaddr.IPv4.networkAddressFromCIDR(`${parsed.toString()}/${IPV4_BITS}`).toString()}/${IPV4_BITS}`;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${IPV6_BITS}`);
  return `${network.toRFC5952String()}/${IPV6_BITS}`;
}
