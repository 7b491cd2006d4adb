import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { messageOf } from '../validation/unknown-values.js';
import { isAbsence } from '../errors/database-failure.js';
import type { Log } from './embedded/embedded-postgres.js';

/** What the migrations are written for. */
const OLDEST_VERSION = 15;

const WAIT_MS = 30_000;
const RETRY_MS = 500;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Waits until the server at DATABASE_URL answers, for a database that is started together with the service may be up
 * later. Anything but absence, such as a wrong password, does not get better by waiting.
 *
 * @throws {Error} with a message for the operator that holds neither user nor password
 */
export async function waitForServer(url: string, log: Log): Promise<void> {
  const place = describe(url);
  const deadline = Date.now() + WAIT_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const version = await askVersion(url);
      if (version >= OLDEST_VERSION) return;
      throw new Error(`it is version ${version}, and ${OLDEST_VERSION} is the oldest that will do.`);
    } catch (error) {
      if (!isAbsence(error))
        throw new Error(`DATABASE_URL: PostgreSQL at ${place} cannot be used: ${messageOf(error)}`, {
          cause: error,
        });
      if (Date.now() + RETRY_MS > deadline)
        throw new Error(`DATABASE_URL: no PostgreSQL answers at ${place}: ${messageOf(error)}`, {
          cause: error,
        });
      if (attempt === 1) log.log(`Waiting for PostgreSQL at ${place}`);
    }
    await pause(RETRY_MS);
  }
}

async function askVersion(url: string): Promise<number> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS version`,
    );
    return rows[0]?.version ?? 0;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function describe(url: string): string {
  if (!URL.canParse(url)) return 'the given address';
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
