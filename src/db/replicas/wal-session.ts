import { Socket } from 'node:net';
import { Client, type QueryResultRow } from 'pg';

/** A server that has not answered by then is not asked again for a while. It is no measure of how fresh it is. */
const ANSWER_TIMEOUT_MS = 3_000;

/**
 * One connection on which a server is only asked where it stands: not one of a pool, whose statements it would have to wait for
 * when there are many. Made when it is needed, and made anew after it was lost.
 */
export class WalSession {
  private client: Promise<Client> | null = null;
  private socket: Socket | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private isEnded = false;

  /** @param onLost told when the connection ends for whatever reason */
  constructor(
    private readonly url: string,
    private readonly onLost: () => void = () => undefined,
  ) {}

  /** Connects where there is no connection. */
  async open(): Promise<void> {
    await (this.client ??= this.connect());
  }

  /** Runs a statement that gives one row. One at a time: what has failed has ended the connection, and the next begins anew. */
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
