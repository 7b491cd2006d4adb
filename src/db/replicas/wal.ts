import { Socket } from 'node:net';
import { Client, type QueryResultRow } from 'pg';

/** A place in the write-ahead log, as a number that grows. */
export type WalPosition = bigint;

const LSN = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/;
const LOW_BITS = 32n;

/** @param text as PostgreSQL writes it, such as 16/B374D848. @returns null when it is none */
export function parseWalPosition(text: string): WalPosition | null {
  const [, high, low] = LSN.exec(text) ?? [];
  return high !== undefined && low !== undefined
    ? (BigInt(`0x${high}`) << LOW_BITS) | BigInt(`0x${low}`)
    : null;
}

/** The same for what a server said of itself. */
export function readWalPosition(text: string | null): WalPosition {
  const position = text === null ? null : parseWalPosition(text);
  if (position === null) throw new Error(`the server says that it stands at ${text}`);
  return position;
}

/** A server that has not answered by then is not asked again for a while. It is no measure of how fresh it is. */
const ANSWER_TIMEOUT_MS = 3_000;

/**
 * One connection for asking a server for its position. A connection of a pool would have to wait for statements
 * under load. Made when needed, and again after a loss.
 */
export class WalSession {
  private client: Promise<Client> | null = null;
  private socket: Socket | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private isEnded = false;

  /** @param onLost called when the connection ends for any reason */
  constructor(
    private readonly url: string,
    private readonly onLost: () => void = () => undefined,
  ) {}

  async open(): Promise<void> {
    await (this.client ??= this.connect());
  }

  /**
   * Runs a statement that gives one row, one at a time. A failure ends the connection, and the next call makes a
   * new one.
   */
  ask<Row extends QueryResultRow>(sql: string): Promise<Row> {
    const answer = this.last.then(() => this.run<Row>(sql));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  /** Ends the connection; the next question makes another. */
  close(): void {
    const { socket } = this;
    this.client = null;
    this.socket = null;
    // A server that stands still would never say goodbye.
    socket?.destroy();
  }

  /** Ends it for good. */
  end(): void {
    this.isEnded = true;
    this.close();
  }

  private async run<Row extends QueryResultRow>(sql: string): Promise<Row> {
    try {
      await this.open();
      const client = await this.client;
      const [row] = (await client?.query<Row>(sql))?.rows ?? [];
      if (!row) throw new Error('the connection was closed');
      return row;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  private async connect(): Promise<Client> {
    if (this.isEnded) throw new Error('the service ends');
    const socket = new Socket();
    this.socket = socket;
    const client = new Client({
      connectionString: this.url,
      application_name: 'bowerbird replicas',
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      stream: () => socket,
    });
    const forget = () => {
      // Of one that was closed here there is nothing to tell.
      if (this.socket !== socket) return;
      this.close();
      this.onLost();
    };
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (this.socket === socket) this.close();
      throw error;
    }
  }
}

/** How far the primary was at a moment. */
export interface Mark {
  /**
   * In milliseconds of performance.now(), before it was asked: all that was committed by then lies before the
   * position.
   */
  readonly takenAt: number;
  readonly position: WalPosition;
  /** Which cluster it is: a copy of it says the same. */
  readonly system: string;
}

/** Where a server that writes stands. */
export const WRITTEN = `
  SELECT (place - CASE WHEN begun = 40 THEN 40 WHEN begun % 8192 = 24 THEN 24 ELSE 0 END)::text AS position
    FROM (SELECT pg_current_wal_insert_lsn() AS place) AS log,
         LATERAL (SELECT (pg_walfile_name_offset(place)).file_offset AS begun) AS file`;
// The place of the next record is behind the header of a page (24 bytes, the first of a segment 40) where the last
// record ended with the page before, and there a replica has nothing to replay until the next record comes: an idle
// primary would look like one ahead.

const STANDING = `
  SELECT position, clock_timestamp() AS now, (SELECT system_identifier::text FROM pg_control_system()) AS system
    FROM (${WRITTEN}) AS written`;

/** Marks closer to each other tell no more. */
const MIN_GAP_MS = 10;

/** What the replicas are compared with: how far the primary was, at moments of the last while. */
export class PrimaryWatch {
  private readonly session: WalSession;
  private readonly marks: Mark[] = [];
  /** How far the primary's clock is ahead of this machine's. */
  private aheadMs = 0;

  /** @param keptMs how long marks are of use */
  constructor(
    url: string,
    private readonly keptMs: number,
  ) {
    this.session = new WalSession(url);
  }

  /** Asks how far the primary is now. @throws when it does not answer, or is none */
  async mark(): Promise<Mark> {
    const takenAt = performance.now();
    const row = await this.session.ask<{ position: string; now: Date; system: string }>(STANDING);
    this.aheadMs = row.now.getTime() - Date.now();
    const mark = { takenAt, position: readWalPosition(row.position), system: row.system };
    if (takenAt - (this.marks.at(-1)?.takenAt ?? -Infinity) >= MIN_GAP_MS) this.marks.push(mark);
    while ((this.marks[0]?.takenAt ?? Infinity) < takenAt - this.keptMs) this.marks.shift();
    return mark;
  }

  /** The latest moment up to which every commit is known to lie before the position. */
  momentOf(position: WalPosition): number {
    return this.marks.findLast((mark) => mark.position <= position)?.takenAt ?? -Infinity;
  }

  /** Whether a commit of so long ago is certainly missing before the position. */
  isBehind(position: WalPosition, ms: number): boolean {
    const then = performance.now() - ms;
    return this.marks.some((mark) => mark.takenAt < then && mark.position > position);
  }

  /** How long ago a time of the database was. */
  ageOf(time: Date): number {
    return Date.now() + this.aheadMs - time.getTime();
  }

  get size(): number {
    return this.marks.length;
  }

  close(): void {
    this.session.end();
  }
}
