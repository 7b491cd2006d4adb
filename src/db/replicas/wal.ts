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
