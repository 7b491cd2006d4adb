import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { makeSecret, sealSecret } from '../../dist/src/notify/webhooks/webhook-secret.js';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const KEY = Buffer.alloc(32, 7).toString('base64');

/** `bowerbird worker`, once it is at it; whoever starts it stops it. */
export async function startWorker(databaseUrl) {
  const child = spawn(process.execPath, [CLI, 'worker'], {
    env: {
      ...process.env,
      ...{ DATABASE_URL: databaseUrl, AUTH: 'on', AUTH_SECRET: 'a-secret-of-the-benchmark-0123456789' },
      ...{
        WEBHOOKS: 'on',
        WEBHOOK_SECRET_KEY: KEY,
        WEBHOOK_ALLOW_LOOPBACK: 'on',
        WEBHOOK_UNPROVEN_PACE_SECONDS: '0',
      },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes('"msg":"working"')) break;
  }
  if (child.exitCode !== null) throw new Error(`the worker ended with ${child.exitCode}: ${text}`);
  child.stdout.resume();
  return {
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** As the service would write them down. @param filters url, q, suffixes, maxLength of each */
export async function addWebhooks(client, filters) {
  const { rows } = await client.query(
    `INSERT INTO account (email, email_verified, name, tier) VALUES ($1, true, 'Bench', 'firehose') RETURNING id`,
    [`${randomUUID()}@example.com`],
  );
  await client.query(
    'INSERT INTO webhook_outbox (last_event) SELECT last_event FROM dataset ON CONFLICT DO NOTHING',
  );
  for (const { url, q = null, suffixes = [], maxLength = null } of filters) {
    const id = randomUUID();
    await client.query(
      `INSERT INTO webhook (id, account_id, url, description, event_types, suffixes, q, mode, min_wayback, max_length,
                            batch_size, secret, enabled, after_event)
       SELECT $1, $2, $3, 'Bench', '{domain.dropped}', $4, $5, 'contains', 0, $6, 1, $7, true, last_event FROM dataset`,
      [id, rows[0].id, url, suffixes, q, maxLength, sealSecret(makeSecret(), id, KEY)],
    );
  }
}
