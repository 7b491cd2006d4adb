import { ADVISORY_LOCKS } from '../../config/product.js';
import { Socket } from 'node:net';
import { Client } from 'pg';

/**
 * Held shared by every process that uses the server, for as long as it does. A leaving process that gets it
 * exclusively is the last one. PostgreSQL releases it with the connection, so a killed process leaves nothing
 * behind.
 */
const PRESENCE_LOCK = ADVISORY_LOCKS.presence;

const CONNECT_TIMEOUT_MS = 5_000;

/** One process's place in the server: an open connection, so that the server's death is known at once. */
export class Presence {
  /** Resolves when the server is gone, or was gone already. */
  readonly lost: Promise<void>;

  private constructor(
    private readonly client: Client,
    private readonly socket: Socket,
  ) {
    this.lost = new Promise((resolve) => client.once('end', resolve));
  }

  /** Waits while the last process that used the server is stopping it, and then fails with the connection. */
  static async take(url: string): Promise<Presence> {
    const socket = new Socket();
    const client = new Client({
      connectionString: url,
      application_name: 'bowerbird presence',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      stream: () => socket,
    });
    // Without a listener an error on an idle connection would end the process; 'end' follows and is what counts.
    client.on('error', () => undefined);
    const presence = new Presence(client, socket);
    try {
      await client.connect();
      await client.query('SELECT pg_advisory_lock_shared($1)', [PRESENCE_LOCK]);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    // Being present is no reason to go on living: a process whose start failed elsewhere shall end.
    socket.unref();
    return presence;
  }

  /** Gives up a place that turned out to be none. */
  async drop(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }

  /** Releases the place. @param last runs when no other process is present; none can join until it is done */
  async leave(last: () => Promise<void>): Promise<void> {
    this.socket.ref();
    try {
      // First out, then alone: two that leave together cannot both keep the other from being the last.
      await this.client.query('SELECT pg_advisory_unlock_shared($1)', [PRESENCE_LOCK]);
      const { rows } = await this.client.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [
        PRESENCE_LOCK,
      ]);
      if (rows[0]?.last) await last();
    } finally {
      await this.drop();
    }
  }
}
