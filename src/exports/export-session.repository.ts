import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { ADVISORY_LOCKS } from '../config/product.js';
import { readInstallation } from '../db/backup/replication.js';
import { passFence, queryableOf } from '../db/database.js';
import type { Fence } from '../db/scope.js';
import { isSqlState } from '../errors/database-failure.js';
import { ExportRepository } from './export.repository.js';
import { COPY_COLUMNS, COPY_EVENTS, COPY_FIELDS, textsOf } from './exported-rows.js';
import { typesInDiff } from '../domains/schema/events.js';

/** Memory of the server for sorting the names; more would not save it a pass over ten million. */
const WORK_MEM = '64MB';
const INVALID_PARAMETER_VALUE = '22023';
/** The connections of runs; those of operators are not ended. */
const RUN = 'bowerbird export run';
const END_LOST_RUNS = `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND objid = $1 AND pg_locks.granted AND application_name = $2
    AND pg_stat_activity.datname = current_database()`;

/**
 * The connection of the one process that makes exports: its end releases the lock and rolls back. All reads see one
 * moment of the dataset.
 */
export class ExportSession {
  readonly exports: ExportRepository;

  private constructor(
    private readonly client: Client,
    private readonly fence: Fence | undefined,
  ) {
    this.exports = new ExportRepository(queryableOf(client));
  }

  /**
   * @param url of the server itself, not of a pool that hands out connections by transaction
   * @param fence of the run that makes exports; left out: an operator does
   * @returns null while another process makes exports
   */
  static async open(url: string, fence?: Fence, signal?: AbortSignal): Promise<ExportSession | null> {
    const client = new Client({ connectionString: url, application_name: fence ? RUN : 'bowerbird export' });
    // The caller of a statement gets the error; nothing else needs it.
    client.on('error', () => undefined);
    signal?.addEventListener('abort', () => void client.end(), { once: true });
    await client.connect();
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [
      ADVISORY_LOCKS.export,
    ]);
    if (rows[0]?.mine) return new ExportSession(client, fence);
    // One run at a time has the work: another that keeps the lock has lost it, frozen perhaps.
    if (fence) await client.query(END_LOST_RUNS, [ADVISORY_LOCKS.export, RUN]);
    await client.end();
    return null;
  }

  /** From here to the publication all reads see the dataset as it is now. */
  async begin(): Promise<void> {
    await this.noticeLostClient();
    await this.client.query(
      `SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET work_mem = '${WORK_MEM}';
       SET TimeZone = 'UTC'; SET DateStyle = 'ISO'`,
    );
    await this.client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  }

  /** The last event there is, and about how many names. */
  async readDataset(): Promise<{ lastEvent: number; names: number }> {
    const { rows } = await this.client.query<{ last_event: string; names: number }>(
      `SELECT last_event, (SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = 'domain'::regclass)::float8 AS names
         FROM dataset`,
    );
    const [row] = rows;
    if (!row) throw new Error('dataset has lost its row');
    return { lastEvent: Number(row.last_event), names: row.names };
  }

  readInstallation(): Promise<string> {
    return readInstallation(queryableOf(this.client));
  }

  /** All names that are shown, sorted, with their events in the range. @param range null: without events */
  copyNames(range: { after: number; upTo: number } | null): AsyncIterable<Buffer> {
    return this.copy(
      range
        ? `SELECT ${COPY_COLUMNS}, happened.events FROM domain
          LEFT JOIN (${eventsOf(range)}) AS happened USING (domain)`
        : `SELECT ${COPY_COLUMNS}, NULL FROM domain`,
    );
  }

  /** Names with such events, and names withheld or forgotten by one, whose other columns are empty. */
  copyChangedNames(range: { after: number; upTo: number }): AsyncIterable<Buffer> {
    return this.client.query(
      copyTo(
        `COPY (SELECT happened.domain, ${COPY_FIELDS}, happened.events
                 FROM (${eventsOf(range)}) AS happened
                 LEFT JOIN domain ON domain.domain = happened.domain AND NOT domain.hidden
                WHERE domain.domain IS NOT NULL OR happened.was_removed
                ORDER BY happened.domain) TO STDOUT`,
      ),
    );
  }

  /**
   * Writes rows, in a transaction that begins with the fence.
   *
   * @throws {LeaseLostError} when another process makes them by now
   */
  async publish<Result>(write: (exports: ExportRepository) => Promise<Result>): Promise<Result> {
    await this.client.query('COMMIT; BEGIN');
    await passFence(queryableOf(this.client), this.fence);
    const result = await write(this.exports);
    await this.client.query('COMMIT');
    return result;
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  private copy(select: string): AsyncIterable<Buffer> {
    return this.client.query(copyTo(`COPY (${select} WHERE NOT hidden ORDER BY domain.domain) TO STDOUT`));
  }

  // Without it the server goes on sorting for a killed process. Windows servers refuse the setting.
  private async noticeLostClient(): Promise<void> {
    try {
      await this.client.query(`SET client_connection_check_interval = '1s'`);
    } catch (error) {
      if (!isSqlState(error, INVALID_PARAMETER_VALUE)) throw error;
    }
  }
}

const LOOKED_AT = textsOf(typesInDiff('named', 'unnamed'));

// COPY takes no parameters; these are numbers and words of ours.
function eventsOf({ after, upTo }: { after: number; upTo: number }): string {
  return `SELECT domain, ${COPY_EVENTS} AS events, bool_or(type = 'domain.removed') AS was_removed FROM domain_event
           WHERE number > ${Math.trunc(after)} AND number <= ${Math.trunc(upTo)} AND type IN (${LOOKED_AT})
             GROUP BY domain`;
}
