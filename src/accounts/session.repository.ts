import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';

/** A session of a browser. */
export interface Session {
  readonly id: string;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  /** To the day. */
  readonly usedAt: Date;
  readonly endsAt: Date;
}

/** Sessions, which the accounts library stores. */
@Injectable()
export class SessionRepository {
  constructor(private readonly database: Database) {}

  /** Unexpired sessions, last used first. */
  async listSessions(accountId: string): Promise<Session[]> {
    return this.database.query<Session>(
      `SELECT id, user_agent AS "userAgent", created_at AS "createdAt", updated_at AS "usedAt", expires_at AS "endsAt"
         FROM account_session WHERE account_id = $1 AND expires_at > now()
        ORDER BY updated_at DESC, id LIMIT 100`,
      [accountId],
    );
  }

  /** @returns whether the account had such a session */
  async endSession(accountId: string, id: string): Promise<boolean> {
    const rows = await this.database.query(
      'DELETE FROM account_session WHERE account_id = $1 AND id = $2 RETURNING id',
      [accountId, id],
    );
    return rows.length > 0;
  }

  async isProvenWithin(id: string, minutes: number): Promise<boolean> {
    const rows = await this.database.query(
      'SELECT FROM account_session WHERE id = $1 AND proven_at > now() - make_interval(mins => $2)',
      [id, minutes],
    );
    return rows.length > 0;
  }

  async prove(id: string): Promise<void> {
    await this.database.query('UPDATE account_session SET proven_at = now() WHERE id = $1', [id]);
  }

  async endOthers(accountId: string, id: string): Promise<void> {
    await this.database.query('DELETE FROM account_session WHERE account_id = $1 AND id <> $2', [
      accountId,
      id,
    ]);
  }
}
