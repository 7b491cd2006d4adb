import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { mintApiKey } from '../../dist/src/access/api-key.js';

/** An account of that tier. @returns its key */
export async function addKey(databaseUrl, tier) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { text, hash, start, tail } = mintApiKey('live');
  const { rows } = await client.query(
    `INSERT INTO account (email, email_verified, name, tier) VALUES ($1, true, 'Bench', $2) RETURNING id`,
    [`${randomUUID()}@example.com`, tier],
  );
  await client.query(
    `INSERT INTO api_key (account_id, hash, kind, start, tail, name, scopes, submission)
     VALUES ($1, $2, 'live', $3, $4, 'Bench', '{read}', gen_random_uuid())`,
    [rows[0].id, hash, start, tail],
  );
  await client.end();
  return text;
}
