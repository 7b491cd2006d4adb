import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';

/** More than the registrations between two runs. */
const YIELDED_AT_ONCE = 100;

/** An app, as the consent page shows it. */
export interface App {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** An app that an account has connected. */
export interface ConnectedApp {
  readonly clientId: string;
  readonly name: string;
  readonly connectedAt: Date;
  /** When it last got a token; null: never. */
  readonly renewedAt: Date | null;
}

/** SQL on apps, beside the statements of the accounts library. */
@Injectable()
export class AppRepository {
  constructor(private readonly database: Database) {}

  async findApp(clientId: string): Promise<App | null> {
    const [row] = await this.database.query<App>(
      `SELECT name, redirect_uris::jsonb AS "redirectUris" FROM oauth_client WHERE client_id = $1`,
      [clientId],
    );
    return row ?? null;
  }

  /** Makes room for one more app: deletes the oldest unconnected ones if there are `limit` or more. */
  async makeRoom(limit: number): Promise<void> {
    await this.database.query(
      `DELETE FROM oauth_client
        WHERE client_id IN (SELECT client_id ${UNCONNECTED}
                             ORDER BY created_at DESC, client_id OFFSET $1 LIMIT ${YIELDED_AT_ONCE})
          AND NOT EXISTS (SELECT FROM oauth_consent WHERE client_id = oauth_client.client_id)`,
      [limit - 1],
    );
  }

  /** The account's connected apps, newest first. */
  async listConnected(accountId: string): Promise<ConnectedApp[]> {
    return this.database.query<ConnectedApp>(
      `SELECT oauth_client.client_id AS "clientId", oauth_client.name, oauth_consent.created_at AS "connectedAt",
              (SELECT max(created_at) FROM oauth_access_token
                WHERE client_id = oauth_client.client_id AND account_id = $1) AS "renewedAt"
         FROM oauth_consent JOIN oauth_client USING (client_id)
        WHERE oauth_consent.account_id = $1
        ORDER BY oauth_consent.created_at DESC, oauth_client.client_id`,
      [accountId],
    );
  }

  /** Revokes everything the account granted the app. @returns its name; null if it was not connected */
  async disconnect(accountId: string, clientId: string): Promise<string | null> {
    const [app] = await this.database.query<{ name: string }>(
      `WITH consent AS (DELETE FROM oauth_consent WHERE account_id = $1 AND client_id = $2 RETURNING client_id),
            access AS (DELETE FROM oauth_access_token WHERE account_id = $1 AND client_id = $2),
            refresh AS (DELETE FROM oauth_refresh_token WHERE account_id = $1 AND client_id = $2),
            -- Codes that are not exchanged yet are stored among the links and begin like this.
            code AS (DELETE FROM account_link
                      WHERE CASE WHEN value LIKE '{"type":"authorization_code"%'
                                 THEN value::jsonb ->> 'userId' = $1::text
                                  AND value::jsonb -> 'query' ->> 'client_id' = $2 END)
       SELECT name FROM consent JOIN oauth_client USING (client_id)`,
      [accountId, clientId],
    );
    return app?.name ?? null;
  }

  /** Revokes everything the account granted to any app. @returns the account and the names of its apps */
  async disconnectAll(email: string): Promise<{ accountId: string; names: string[] } | null> {
    const [row] = await this.database.query<{ accountId: string; names: string[] }>(
      `WITH owner AS (SELECT id FROM account WHERE email = lower($1)),
            consent AS (DELETE FROM oauth_consent WHERE account_id = (SELECT id FROM owner) RETURNING client_id),
            access AS (DELETE FROM oauth_access_token WHERE account_id = (SELECT id FROM owner)),
            refresh AS (DELETE FROM oauth_refresh_token WHERE account_id = (SELECT id FROM owner)),
            code AS (DELETE FROM account_link
                      WHERE CASE WHEN value LIKE '{"type":"authorization_code"%'
                                 THEN value::jsonb ->> 'userId' = (SELECT id::text FROM owner) END)
       SELECT id AS "accountId",
              ARRAY(SELECT name FROM consent JOIN oauth_client USING (client_id) ORDER BY name) AS names
         FROM owner`,
      [email],
    );
    return row ?? null;
  }

  /**
   * Deletes expired tokens and replay answers, and apps registered before `unconnectedSince` that no account connected.
   */
  async deleteEnded(at: Date, unconnectedSince: Date): Promise<void> {
    await this.database.query('DELETE FROM oauth_access_token WHERE expires_at < $1', [at]);
    await this.database.query('DELETE FROM oauth_refresh_token WHERE expires_at < $1', [at]);
    await this.database.query(
      `UPDATE oauth_refresh_token SET rotation_replay_response = NULL
        WHERE rotation_replay_expires_at < $1 AND rotation_replay_response IS NOT NULL`,
      [at],
    );
    await this.database.query(
      `DELETE FROM oauth_client
        WHERE created_at < $1 AND NOT EXISTS (SELECT FROM oauth_consent WHERE client_id = oauth_client.client_id)`,
      [unconnectedSince],
    );
  }
}

const UNCONNECTED = `FROM oauth_client
  WHERE NOT EXISTS (SELECT FROM oauth_consent WHERE client_id = oauth_client.client_id)`;
