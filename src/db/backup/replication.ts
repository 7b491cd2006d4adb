import { Readable } from 'node:stream';
import { Client, type Connection, type Submittable } from 'pg';
import type { Queryable } from '../database.js';
import { readWalPosition, type WalPosition } from '../replicas/wal.js';

/** PostgreSQL keeps the log from the slot's position on, up to `max_slot_wal_keep_size`. */
const SLOT = 'bowerbird_backup';
const CONNECT_LIMIT_MS = 10_000;
/** Of packed bytes: the copy may not take the disk from the service. */
const MAX_COPY_KB_PER_SECOND = 65_536;

/** Where the server's log is, and how far a backup has it. */
export interface LogState {
  /** By PostgreSQL's clock. Earlier commits lie before `flushed`. */
  readonly at: Date;
  readonly flushed: WalPosition;
  readonly timeline: number;
  readonly segmentBytes: number;
  readonly databaseBytes: number;
  /** The log is kept from here on; null: there is no slot, or it is of no use any more. */
  readonly keptFrom: WalPosition | null;
}

export async function readLogState(database: Queryable): Promise<LogState> {
  const [row] = await database.query<
    Record<'flushed' | 'timeline' | 'segment' | 'size', string> & {
      at: Date;
      kept: string | null;
    }
  >(
    `SELECT clock_timestamp() AS at, pg_current_wal_flush_lsn()::text AS flushed,
            left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline,
            pg_size_bytes(current_setting('wal_segment_size'))::text AS segment,
            (SELECT sum(pg_database_size(oid)) FROM pg_database WHERE datallowconn AND has_database_privilege(oid, 'connect'))::text
              AS size,
            (SELECT restart_lsn::text FROM pg_replication_slots WHERE slot_name = $1 AND wal_status <> 'lost') AS kept`,
    [SLOT],
  );
  if (!row) throw new Error('PostgreSQL does not say where its log is');
  return {
    at: row.at,
    flushed: readWalPosition(row.flushed),
    timeline: Number.parseInt(row.timeline, 16),
    segmentBytes: Number(row.segment),
    databaseBytes: Number(row.size),
    keptFrom: row.kept === null ? null : readWalPosition(row.kept),
  };
}

/** The same in a copy of the database, and in no other one; 32 hexadecimal digits. */
export async function readInstallation(database: Queryable): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    `SELECT left(encode(sha256(convert_to('installation ' || secret, 'UTF8')), 'hex'), 32) AS id FROM list_secret`,
  );
  if (!row) throw new Error('The table list_secret is empty; a migration fills it.');
  return row.id;
}

/** Has the log kept from now on. @returns from where */
export async function createSlot(database: Queryable): Promise<WalPosition> {
  await dropSlot(database);
  const [row] = await database.query<{ lsn: string }>(
    'SELECT lsn::text FROM pg_create_physical_replication_slot($1, true)',
    [SLOT],
  );
  return readWalPosition(row?.lsn ?? null);
}

export async function dropSlot(database: Queryable): Promise<void> {
  await database.query(
    'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1',
    [SLOT],
  );
}

/** Lets PostgreSQL delete the log before the position. */
export async function advanceSlot(database: Queryable, to: WalPosition): Promise<void> {
  await database.query('SELECT pg_replication_slot_advance($1, $2::pg_lsn)', [SLOT, writeWalPosition(to)]);
}

export function writeWalPosition(position: WalPosition): string {
  return `${(position >> 32n).toString(16)}/${(position & 0xffff_ffffn).toString(16)}`.toUpperCase();
}

/** The part of the log that a copy needs to become a database. */
export interface CopiedLog {
  readonly from: WalPosition;
  readonly to: WalPosition;
  readonly timeline: number;
}

/**
 * The data folder of the server as a tar archive, gzipped by the server, with the log that makes it a database.
 *
 * @param onEnd told of that log when all is read
 */
export async function* readDataFolder(
  url: string,
  signal: AbortSignal,
  onEnd: (log: CopiedLog) => void,
): AsyncGenerator<Buffer> {
  const copy = new CopyMessages(
    `BASE_BACKUP (LABEL 'bowerbird', CHECKPOINT 'fast', WAL, MAX_RATE ${MAX_COPY_KB_PER_SECOND}, ` +
      `COMPRESSION 'gzip', COMPRESSION_DETAIL 'level=1')`,
  );
  yield* overReplication(url, signal, copy, async function* () {
    for await (const message of copy as AsyncIterable<Buffer>)
      if (kindOf(message) === 'd') yield message.subarray(1);
    const [start, ...others] = copy.rows;
    onEnd({
      from: readWalPosition(start?.[0] ?? null),
      to: readWalPosition(others.at(-1)?.[0] ?? null),
      timeline: Number(start?.[1]),
    });
  });
}

// Of a message with a part of the log: its kind, where it begins, where the log ends, the server's time, the bytes.
const FROM_AT = 1;
const BYTES_AT = 25;

/** The log from one position to the other, as it lies in the server's files. */
export async function* readLog(
  url: string,
  signal: AbortSignal,
  { from, to, timeline }: CopiedLog,
): AsyncGenerator<Buffer> {
  const copy = new CopyMessages(`START_REPLICATION PHYSICAL ${writeWalPosition(from)} TIMELINE ${timeline}`);
  yield* overReplication(url, signal, copy, async function* () {
    let at = from;
    for await (const message of copy as AsyncIterable<Buffer>) {
      if (kindOf(message) !== 'w') continue;
      const begins = message.readBigUInt64BE(FROM_AT);
      if (begins !== at)
        throw new Error(
          `PostgreSQL sent its log from ${writeWalPosition(begins)} instead of ${writeWalPosition(at)}`,
        );
      const wanted = Number(to - at);
      yield message.subarray(BYTES_AT, BYTES_AT + wanted);
      at += BigInt(message.length - BYTES_AT);
      if (at >= to) return;
    }
    throw new Error(`PostgreSQL's log ends at ${writeWalPosition(at)}`);
  });
}

const kindOf = (message: Buffer): string => String.fromCharCode(message[0] ?? 0);

async function* overReplication(
  url: string,
  signal: AbortSignal,
  copy: CopyMessages,
  read: () => AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  const address = new URL(url);
  address.searchParams.set('replication', 'true');
  const client = new Client({
    connectionString: address.href,
    application_name: 'bowerbird backup',
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  // What it says of a lost connection, the copy says as well.
  client.on('error', () => undefined);
  const cut = () =>
    copy.destroy(signal.reason instanceof Error ? signal.reason : new Error('the backup was stopped'));
  try {
    await client.connect();
    signal.addEventListener('abort', cut, { once: true });
    client.query(copy);
    yield* read();
  } finally {
    signal.removeEventListener('abort', cut);
    // While a copy is under way, this closes the socket.
    await client.end();
  }
}

/** The answer of a replication command: rows, and messages in copy mode. node-postgres knows no such query. */
class CopyMessages extends Readable implements Submittable {
  readonly rows: (string | null)[][] = [];
  private connection: Connection | undefined;

  constructor(private readonly text: string) {
    super({ objectMode: true });
  }

  submit(connection: Connection): void {
    this.connection = connection;
    connection.query(this.text);
  }

  override _read(): void {
    this.connection?.stream.resume();
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.rows.push(fields);
  }

  /** Copied: the driver uses its buffer again. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (!this.push(Buffer.from(chunk))) this.connection?.stream.pause();
  }

  handleError(error: Error): void {
    this.destroy(error);
  }

  handleReadyForQuery(): void {
    this.push(null);
  }

  handleRowDescription(): void {
    // Rows are read by their place.
  }

  handleCommandComplete(): void {
    // Several commands complete before the server is ready.
  }
}

/** What PostgreSQL says of its own archiving, which the operator of a server has set up. */
export interface Archiver {
  readonly isOn: boolean;
  readonly lastAt: Date | null;
  /** Since the last success. */
  readonly lastFailedAt: Date | null;
  /** Of the last base backup on record, without which the log is of no use; null: none, or not shown to this role. */
  readonly baseAt: Date | null;
}

export async function readArchiver(database: Queryable): Promise<Archiver> {
  const [row] = await database.query<Omit<Archiver, 'baseAt'> & { mayLook: boolean }>(
    `SELECT current_setting('archive_mode') <> 'off' AS "isOn", last_archived_time AS "lastAt",
            has_function_privilege('pg_ls_archive_statusdir()', 'EXECUTE') AS "mayLook",
            CASE WHEN last_failed_time > coalesce(last_archived_time, '-infinity') THEN last_failed_time END AS "lastFailedAt"
       FROM pg_stat_archiver`,
  );
  if (!row) throw new Error('PostgreSQL does not say how its archiving goes');
  const { mayLook, ...archiver } = row;
  if (!archiver.isOn || !mayLook) return { ...archiver, baseAt: null };
  // PostgreSQL keeps the status of the last base backup's history file, and deletes those before it.
  const [base] = await database.query<{ at: Date | null }>(
    `SELECT max(modification) AS at FROM pg_ls_archive_statusdir() WHERE name LIKE '%.backup.done'`,
  );
  return { ...archiver, baseAt: base?.at ?? null };
}
