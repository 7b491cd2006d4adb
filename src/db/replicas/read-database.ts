import { Global, Injectable, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import { Config } from '../../config/config.js';
import { RequestEnded } from '../../errors/database-failure.js';
import { Database, keptAs, type PoolUse, type PreparedStatement, type Queryable } from '../database.js';
import { CappedPool, type CappedRows } from '../time-cap.js';
import { traced } from '../traced.js';
import { PrimaryWatch, readWalPosition, type WalPosition } from './wal.js';
import { PrimaryReads, type ReadServer } from './read-servers.js';
import { Replica } from './replica.js';

/** What a reader got, and how far the server was when it had got it; null where there are no replicas. */
export interface Seen<Result> {
  readonly result: Result;
  readonly position: string | null;
}

/**
 * Where reads of the dataset go that may be slightly behind: to fresh replicas in turn, otherwise to the primary.
 * A read that fails at a replica is repeated at the primary. Without replicas only the primary's pools are used.
 * Code that writes, or decides what to write, reads from Database.
 */
@Injectable()
export class ReadDatabase implements Queryable, OnApplicationShutdown {
  private turn = 0;
  private readonly lostListeners: (() => void)[] = [];

  constructor(
    private readonly primary: PrimaryReads,
    private readonly watch: PrimaryWatch,
    private readonly replicas: readonly Replica[],
    private readonly maxLagMs: number,
  ) {
    for (const replica of replicas) replica.watch();
  }

  /** @param onIdleError told when an idle connection to the primary dies; the pool replaces it by itself */
  static open(
    database: Database,
    config: Pick<Config, 'database' | 'suggest'>,
    onIdleError: (error: Error) => void,
  ): ReadDatabase {
    const { replicaUrls, replicaMaxLagMs, poolSize, timeoutMs } = config.database;
    const capMs = config.suggest.timeCapMs;
    const onLost = (error: Error) => {
      onIdleError(error);
      for (const tell of reads.lostListeners) tell();
    };
    const waits = { connectTimeoutMs: timeoutMs };
    const searches = new CappedPool(database.directUrl, capMs, poolSize, onLost, waits);
    // A replica out of use may be compared with what the primary was before the longest lag.
    const watch = new PrimaryWatch(database.url, 2 * replicaMaxLagMs);
    const settings = { size: poolSize, timeoutMs, capMs };
    const replicas = replicaUrls.map((url) => new Replica(url, settings, watch, replicaMaxLagMs));
    const primary = new PrimaryReads(database, searches);
    const reads = new ReadDatabase(primary, watch, replicas, replicaMaxLagMs);
    return reads;
  }

  /** @throws {DatabaseUnavailable} */
  query<Row extends QueryResultRow>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> {
    return this.read(({ rows }) => rows.query<Row>(sql, parameters));
  }

  /** @throws {DatabaseUnavailable} */
  prepared<Row extends QueryResultRow>(statement: PreparedStatement): Promise<Row[]> {
    return this.read(({ rows }) => rows.prepared<Row>(statement));
  }

  /** @throws {DatabaseUnavailable} */
  kept<Row extends QueryResultRow>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> {
    return this.prepared<Row>(keptAs(sql, parameters));
  }

  /** Runs a statement under the time cap of searches. @throws {DatabaseUnavailable} */
  capped<Row extends QueryResultRow>(statement: PreparedStatement): Promise<CappedRows<Row>> {
    return traced('search', { 'db.system.name': 'postgresql' }, () =>
      this.read((server) => server.capped<Row>(statement)),
    );
  }

  /**
   * The same with another cap, for what found nothing under the usual one: at the primary. @throws
   * {DatabaseUnavailable}
   */
  cappedLonger<Row extends QueryResultRow>(
    statement: PreparedStatement,
    longerMs: number,
  ): Promise<CappedRows<Row>> {
    return this.primary.capped<Row>(statement, longerMs);
  }

  /** When the primary goes away, idle search connections tell. */
  whenSearchesAreLost(listener: () => void): void {
    this.lostListeners.push(listener);
  }

  /**
   * A read for a caller that must not see an older dataset than it has seen before.
   *
   * @param seen the position that came with the earlier answer; null when unknown
   * @throws {DatabaseUnavailable}
   */
  readBehind<Result>(
    seen: string | null,
    work: (server: Queryable) => Promise<Result>,
  ): Promise<Seen<Result>> {
    return this.read(
      async (server) => ({
        result: await work(server.rows),
        position: this.replicas.length > 0 ? await server.position() : null,
      }),
      seen === null ? null : readWalPosition(seen),
    );
  }

  /**
   * To be awaited before a change is published: resolves once no instance reads older data, so that subscribers
   * can ask any instance next. It takes the time of the slowest replica, usually milliseconds and at most the
   * longest lag.
   *
   * @param position behind the change; without it, all commits until now
   */
  async untilReadable(position?: string): Promise<void> {
    if (this.replicas.length === 0) return;
    const now = performance.now();
    const change = position === undefined ? await this.markNow() : readWalPosition(position);
    // Where the primary does not answer this instance, others may be better off.
    if (change === null) await pause(Math.max(0, now + this.maxLagMs - performance.now()));
    else await Promise.all(this.replicas.map((replica) => replica.passes(change, now, now + this.maxLagMs)));
  }

  /**
   * The same for a change of that time by the database's clock: one that is older than the longest lag is
   * everywhere.
   */
  async untilReadableSince(changedAt: Date): Promise<void> {
    if (this.replicas.length > 0 && this.watch.ageOf(changedAt) <= this.maxLagMs) await this.untilReadable();
  }

  private markNow(): Promise<WalPosition | null> {
    const mark = this.watch.mark().then(
      ({ position }) => position,
      () => null,
    );
    return Promise.race([mark, pause(this.maxLagMs, null, { ref: false })]);
  }

  get searchUse(): PoolUse {
    return this.primary.searches.use;
  }

  async onApplicationShutdown(): Promise<void> {
    this.watch.close();
    await Promise.all(this.replicas.map((replica) => replica.close()));
    await this.primary.searches.close();
  }

  private async read<Result>(
    work: (server: ReadServer) => Promise<Result>,
    seen: WalPosition | null = null,
  ): Promise<Result> {
    const replica = this.replicas.length > 0 ? this.next(seen) : undefined;
    if (!replica) return work(this.primary);
    try {
      return await work(replica.pools);
    } catch (error) {
      // No fault of the replica, and no read that anyone waits for.
      if (error instanceof RequestEnded) throw error;
      replica.fail(error);
      return work(this.primary);
    }
  }

  private next(seen: WalPosition | null): Replica | undefined {
    const { length } = this.replicas;
    for (let step = 0; step < length; step += 1) {
      this.turn = (this.turn + 1) % length;
      const replica = this.replicas[this.turn];
      if (replica?.serves(seen)) return replica;
    }
    return undefined;
  }
}

@Global()
@Module({
  providers: [
    {
      provide: ReadDatabase,
      inject: [Database, Config],
      useFactory: (database: Database, config: Config) => {
        const logger = new Logger('Database');
        return ReadDatabase.open(database, config, (error) =>
          logger.warn(`A search connection was lost: ${error.message}`),
        );
      },
    },
  ],
  exports: [ReadDatabase],
})
export class ReplicasModule {}
