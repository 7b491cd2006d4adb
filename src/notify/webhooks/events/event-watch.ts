import { Injectable, Logger } from '@nestjs/common';
import { Socket } from 'node:net';
import { Client } from 'pg';
import { Database } from '../../../db/database.js';
import { OutageLogger } from '../../../errors/outage.js';

const CHANNEL = 'domain_event';
const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_TIMEOUT_MS = 3_000;
/** How long a server may take to say goodbye. */
const END_GRACE_MS = 1_000;

/**
 * Wakes whoever waits for events as soon as some are committed. Notifications can be lost with the
 * connection, and nobody waits for one to be made: callers wake when their time is over, too.
 */
@Injectable()
export class EventWatch {
  private readonly outage = new OutageLogger(
    new Logger('Webhooks'),
    'Events are looked for by the clock, as they cannot be listened to',
  );
  /** Ends the connection that there is, or that is being made. */
  private end: (() => Promise<void>) | null = null;
  private isClosed = false;
  private isAwake = false;
  private ring: () => void = () => undefined;

  constructor(private readonly database: Database) {}

  wake(): void {
    this.isAwake = true;
    this.ring();
  }

  /** Resolves when something was told since the last time, or when the time is over. */
  async wait(ms: number): Promise<void> {
    if (!this.end && !this.isClosed) void this.listen();
    if (!this.isAwake)
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, ms);
        this.ring = () => {
          clearTimeout(limit);
          resolve();
        };
      });
    this.isAwake = false;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.end?.();
  }

  private async listen(): Promise<void> {
    const socket = new Socket();
    const client = new Client({
      connectionString: this.database.directUrl,
      application_name: 'bowerbird webhooks',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      stream: () => socket,
    });
    const end = () => endSoon(client, socket);
    const forget = () => {
      if (this.end === end) this.end = null;
    };
    this.end = end;
    client.on('notification', () => this.wake());
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.outage.end();
      // Of what was committed until now nobody was told.
      this.wake();
    } catch (error) {
      if (!this.isClosed) this.outage.begin(error);
      await end();
      forget();
    }
  }
}

/** Ends a connection, and does not wait for a server that stands still. */
async function endSoon(client: Client, socket: Socket): Promise<void> {
  const limit = setTimeout(() => socket.destroy(), END_GRACE_MS);
  await client.end().catch(() => undefined);
  clearTimeout(limit);
}
