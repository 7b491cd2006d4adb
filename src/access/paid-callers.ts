import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { type Tier, Tiers } from '../config/tiers.js';
import { BoundedMap } from '../validation/caches.js';
import { messageOf } from '../validation/unknown-values.js';
import { ProcessTimers } from '../work/process-timers.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { type Caller, callerIdOfAccount } from './caller.js';

/** How long a new key, session or tier may be unknown at the door of an instance that it was not used at. */
const REFRESH_MS = 10_000;
/** The least recently used ones wait as free callers do. */
const MAX_PAID = 20_000;
const SESSION = /\bbowerbird\.session_token=([\w-]{32})\./;

/**
 * Paying callers by the hashes of their keys, access tokens and sessions, for decisions that may not read a table.
 * Entries may be seconds old: they decide who waits first, not what a caller may do.
 */
@Injectable()
export class PaidCallers implements OnApplicationBootstrap {
  private readonly logger = new Logger(PaidCallers.name);
  private known = new BoundedMap<string, Pick<Caller, 'id' | 'tier'>>(MAX_PAID);

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly tiers: Tiers,
    timers: ProcessTimers,
  ) {
    timers.every(REFRESH_MS, () => this.refresh());
  }

  onApplicationBootstrap(): Promise<void> {
    return this.refresh();
  }

  /** Never throws: while the database is away, those of the last read stay. */
  async refresh(): Promise<void> {
    const { table } = this.tiers;
    const paid = Object.values(table).filter(({ isPaid }) => isPaid);
    try {
      const rows = await this.keys.listHolders(
        paid.map(({ name }) => name),
        MAX_PAID,
      );
      const known = new BoundedMap<string, Pick<Caller, 'id' | 'tier'>>(MAX_PAID);
      for (const { hash, accountId, tier } of rows.toReversed())
        known.set(hash, { id: callerIdOfAccount(accountId), tier: table[tier] });
      this.known = known;
    } catch (error) {
      this.logger.warn(`Who pays was not read: ${messageOf(error)}`);
    }
  }

  /** @param hash of a key or token; without one, the session counts */
  find(hash: Buffer | null, headers: IncomingHttpHeaders): Pick<Caller, 'id' | 'tier'> | undefined {
    const shown = hash?.toString('hex') ?? sessionIn(headers);
    return shown === undefined ? undefined : this.known.get(shown);
  }

  /** A session was found in the table: the next request of it need not wait for the next read. */
  learn(headers: IncomingHttpHeaders, accountId: string, tier: Tier): void {
    const shown = tier.isPaid ? sessionIn(headers) : undefined;
    if (shown !== undefined && !this.known.has(shown))
      this.known.set(shown, { id: callerIdOfAccount(accountId), tier });
  }
}

/** The hash of the session's token, as the table has it. */
function sessionIn({ cookie }: IncomingHttpHeaders): string | undefined {
  const token = cookie === undefined ? undefined : SESSION.exec(cookie)?.[1];
  return token && createHash('sha256').update(token).digest('hex');
}
