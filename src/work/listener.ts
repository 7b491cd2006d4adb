import { Logger } from '@nestjs/common';
import { Socket } from 'node:net';
import { Client } from 'pg';
import { OutageLogger } from '../errors/outage.js';

const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_TIMEOUT_MS = 3_000;
/** Time that a server gets to end a connection. */
const END_GRACE_MS = 1_000;

/**
 * Reports notifications of PostgreSQL. They can be lost with the connection, so its user looks by the clock as well.
 */
export class Listener {
  private readonly outage = new OutageLogger(
    new Logger('Work'),
    'Events are looked for by the clock, as they cannot be listened to',
  );
  /** Ends the connection that exists or is being made. */
  private end: (() => Promise<void>) | null = null;
  private isClosed = false;

  /** @param onNotice also called for each channel when a connection was made: earlier notifications are lost */
  constructor(
    private readonly url: string,
    private readonly channels: readonly string[],
    private readonly onNotice: (channel: string) => void,
  ) {}

  /** Connects where there is no connection. */
  ensure(): void {
    if (!this.end && !this.isClosed) void this.listen();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.end?.();
  }

  private async listen(): Promise<void> {
    const socket = new Socket();
    const client = new Client({
      connectionString: this.url,
      application_name: 'bowerbird work',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      stream: () => socket,
    });
    const end = () => endSoon(client, socket);
    const forget = () => {
      if (this.end === end) this.end = null;
    };
    this.end = end;
    client.on('notification', ({ channel }) => this.onNotice(channel));
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
      await client.query(this.channels.map((channel) => `LISTEN ${channel}`).join('; '));
      this.outage.end();
      for (const channel of this.channels) this.onNotice(channel);
    } catch (error) {
      if (!this.isClosed) this.outage.begin(error);
      await end();
      forget();
    }
  }
}

/** Ends a connection, and does not wait for a server that does not answer. */
async function endSoon(client: Client, socket: Socket): Promise<void> {
  const limit = setTimeout(() => socket.destroy(), END_GRACE_MS);
  await client.end().catch(() => undefined);
  clearTimeout(limit);
}
