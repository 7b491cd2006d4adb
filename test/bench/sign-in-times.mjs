/**
 * Whether an address has an account shows in no time, also while others keep the turns for hashing busy:
 *
 *   node sign-in-times.mjs [--work FOLDER] [--samples 60]
 *
 * Sign-ins with a wrong password and requests for a new one, for addresses with and without an account in turn: with nobody else there,
 * with as many strangers signing in as make everybody wait, and with more than there is room for. Prints a table and writes it to
 * results/sign-in-times.md.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { addAccounts } from './add-accounts.mjs';
import { describeMachine } from './machine.mjs';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';
import { ms, percentiles } from './tables.mjs';

const DATABASE = 'bowerbird_sign_in_times';
/** An hour, 100 attempts at one account and five mails to it. */
const ACCOUNTS = 60;
/** Two hash and eight wait (hashing-turns.ts): one place is left for who is measured, or none. */
const LOADS = { nobody: 0, 'all turns but one taken': 9, 'more than there is room for': 24 };
const FORMS = {
  'sign-in': (email) => ({ email, password: 'not the password' }),
  'forgotten-password': (email) => ({ email }),
};
const WARM_UP = 2;
/** A sign-in takes a second and a half at most with every turn taken. */
const ANSWER_LIMIT_MS = 20_000;

const { values } = parseArgs({
  options: {
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    samples: { type: 'string', default: '60' },
  },
});
await mkdir(values.work, { recursive: true });
const server = await startServer(values.work);
let service;
let networks = 0;
try {
  const databaseUrl = await server.createDatabase(DATABASE);
  service = await startService({
    ...{ DATABASE_URL: databaseUrl, AUTH: 'on', AUTH_SECRET: 'a-secret-of-the-benchmark-0123456789' },
    ...{ TRUST_PROXY: '1', DATASET_JOBS: 'off' },
  });
  const known = await addAccounts(databaseUrl, ACCOUNTS);
  const lines = [
    `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. ${values.samples} of each kind of address in turn, for each line of the table; each from a network of its own. Client, service and PostgreSQL share the machine.`,
    '',
    '| form | strangers | answer | known: count | p50, ms | p95, ms | unknown: count | p50, ms | p95, ms | known / unknown at p50 |',
    '|---|---|---:|---:|---:|---:|---:|---:|---:|---:|',
  ];
  for (const [form, fieldsOf] of Object.entries(FORMS))
    for (const [load, strangers] of Object.entries(LOADS))
      lines.push(...(await compare(form, fieldsOf, load, strangers, known)));
  const text = `${lines.join('\n')}\n`;
  process.stdout.write(text);
  await writeFile(new URL('results/sign-in-times.md', import.meta.url), text);
} finally {
  await service?.stop();
  await server.dropDatabase(DATABASE);
  await server.close();
}

/** @returns a line for each status that came */
async function compare(form, fieldsOf, load, strangers, known) {
  const crowd = keepBusy(strangers);
  const times = { known: {}, unknown: {} };
  for (let sample = -WARM_UP; sample < Number(values.samples); sample += 1) {
    const addresses = { known: known[Math.abs(sample) % known.length], unknown: stranger() };
    // Who is first changes.
    const kinds = sample % 2 === 0 ? ['known', 'unknown'] : ['unknown', 'known'];
    for (const kind of kinds) {
      const began = performance.now();
      const status = await send(form, fieldsOf(addresses[kind]));
      if (sample >= 0) (times[kind][status] ??= []).push(performance.now() - began);
    }
  }
  await crowd.end();
  const statuses = [...new Set([...Object.keys(times.known), ...Object.keys(times.unknown)])].sort();
  return statuses.map((status) => {
    const [one, other] = [times.known, times.unknown].map((kind) => kind[status] ?? []);
    const [a, b] = [one, other].map((list) => (list.length > 0 ? percentiles(list) : null));
    const ratio = a && b ? (a.p50 / b.p50).toFixed(3) : '–';
    const cells = [form, load, status, one.length, a ? ms(a.p50) : '–', a ? ms(a.p95) : '–'];
    return `| ${[...cells, other.length, b ? ms(b.p50) : '–', b ? ms(b.p95) : '–', ratio].join(' | ')} |`;
  });
}

/** So many strangers who sign in one time after the other. */
function keepBusy(count) {
  let isOver = false;
  const turns = Array.from({ length: count }, async () => {
    while (!isOver) await send('sign-in', FORMS['sign-in'](stranger()));
  });
  // What fails is told at the end.
  const all = Promise.all(turns);
  all.catch(() => undefined);
  return { end: () => ((isOver = true), all) };
}

async function send(path, fields) {
  networks += 1;
  const from = `10.${(networks >> 16) & 255}.${(networks >> 8) & 255}.${networks & 255}`;
  const answer = await fetch(`${service.url}/${path}`, {
    ...{ method: 'POST', redirect: 'manual', signal: AbortSignal.timeout(ANSWER_LIMIT_MS) },
    headers: { 'X-Forwarded-For': from },
    body: new URLSearchParams(fields),
  });
  await answer.arrayBuffer();
  return answer.status;
}

function stranger() {
  return `nobody-${randomUUID()}@example.com`;
}
