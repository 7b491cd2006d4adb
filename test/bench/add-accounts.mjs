import { randomUUID } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import pg from 'pg';

export const PASSWORD = 'correct horse battery';

/** So many accounts with that password. @returns their addresses */
export async function addAccounts(databaseUrl, count) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const password = await hashPassword(PASSWORD);
  const emails = Array.from({ length: count }, () => `somebody-${randomUUID()}@example.com`);
  for (const email of emails)
    await client.query(
      `WITH made AS (INSERT INTO account (email, email_verified, name) VALUES ($1, true, '') RETURNING id)
       INSERT INTO account_credential (account_id, provider, provider_account_id, password, created_at, updated_at)
       SELECT id, 'credential', id::text, $2, now(), now() FROM made`,
      [email, password],
    );
  await client.end();
  return emails;
}
