import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { hashOfToken } from './link-token.js';

/** Sign-ups that wait for their confirmation. */
@Injectable()
export class SignUpRepository {
  constructor(private readonly database: Database) {}

  /** Whether the address has an account that works. */
  async hasAccount(email: string): Promise<boolean> {
    const rows = await this.database.query('SELECT FROM account WHERE email = $1 AND email_verified', [
      email,
    ]);
    return rows.length > 0;
  }

  /** The link before, if there is one, works no longer. */
  async keep(email: string, token: string, seconds: number): Promise<void> {
    await this.database.query(
      `INSERT INTO account_sign_up (email, token_hash, expires_at) VALUES ($1, $2, now() + make_interval(secs => $3))
       ON CONFLICT (email) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at`,
      [email, hashOfToken(token), seconds],
    );
  }

  /** Whose link it is, while it works. */
  async findEmail(token: string): Promise<string | null> {
    const [row] = await this.database.query<{ email: string }>(
      'SELECT email FROM account_sign_up WHERE token_hash = $1 AND expires_at > now()',
      [hashOfToken(token)],
    );
    return row?.email ?? null;
  }

  /**
   * Uses the link up, with what somebody left who signed up with the address and never confirmed it.
   *
   * @returns whether it worked until now
   */
  async use(token: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<{ email: string }>(
        'DELETE FROM account_sign_up WHERE token_hash = $1 AND expires_at > now() RETURNING email',
        [hashOfToken(token)],
      );
      if (row)
        await transaction.query('DELETE FROM account WHERE email = $1 AND NOT email_verified', [row.email]);
      return row !== undefined;
    });
  }

  /** @returns the account's id; null when it is gone by now */
  async confirm(email: string): Promise<string | null> {
    const change = 'UPDATE account SET email_verified = true WHERE email = $1 RETURNING id';
    const [row] = await this.database.query<{ id: string }>(change, [email]);
    return row?.id ?? null;
  }

  async deleteEndedBefore(at: Date): Promise<void> {
    await this.database.query('DELETE FROM account_sign_up WHERE expires_at < $1', [at]);
  }
}
