import { Injectable } from '@nestjs/common';
import { Client } from 'pg';
import { ADVISORY_LOCKS, APPLICATION_NAME } from '../../../config/product.js';
import { Database } from '../../../db/database.js';

/** The right to one session at the registry. It ends with its connection to PostgreSQL. */
export interface SessionSlot {
  readonly isHeld: boolean;
  release(): Promise<void>;
}

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Slots of all instances, so that together they never have more sessions than the registry allows: one advisory lock
 * a slot.
 */
@Injectable()
export class SessionSlots {
  constructor(private readonly database: Database) {}

  /**
   * @param cap sessions of all instances
   * @param limitMs the longest wait while all are taken
   * @returns null when none got free
   * @throws {DatabaseUnavailable}
   */
  async take(cap: number, limitMs: number): Promise<SessionSlot | null> {
    const client = new Client({
      connectionString: this.database.directUrl,
      application_name: `${APPLICATION_NAME} epp`,
    });
    let isHeld = true;
    client.on('error', () => (isHeld = false));
    client.on('end', () => (isHeld = false));
    const release = () => client.end().catch(() => undefined);
    try {
      await this.database.guard(() => client.connect());
      const isTaken = await this.database.guard(() => takeOne(client, cap, limitMs));
      if (isTaken) {
        return {
          get isHeld() {
            return isHeld;
          },
          release,
        };
      }
    } catch (error) {
      await release();
      throw error;
    }
    await release();
    return null;
  }
}

async function takeOne(client: Client, cap: number, limitMs: number): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>(
    `SELECT true AS mine FROM (SELECT pg_try_advisory_lock($1, slot) AS mine FROM generate_series(1, $2::int) AS slot
      OFFSET 0) AS tried WHERE mine LIMIT 1`,
    [ADVISORY_LOCKS.eppSession, cap],
  );
  if (rows.length > 0) return true;
  try {
    await client.query(`SET lock_timeout = ${Math.max(1, Math.round(limitMs))}; SET statement_timeout = 0`);
    await client.query('SELECT pg_advisory_lock($1, 1 + $2::int % $3::int)', [
      ADVISORY_LOCKS.eppSession,
      process.pid,
      cap,
    ]);
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE;
}
