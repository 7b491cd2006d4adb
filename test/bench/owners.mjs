/**
 * Whether an owner can sign in while bots guess passwords:
 *
 *   node owners.mjs [--work FOLDER] [--bots 200] [--owners 30] [--pauses 0,1000] [--haproxy deploy/haproxy.cfg]
 *
 * Each bot has an address of its own and tries the owners' accounts with wrong passwords in a closed loop, in a process of its own;
 * with a pause of 0 it comes again at once, whatever it is told. An owner signs in from a network where he signed in before, one
 * after the other, and where he is refused comes again after the time that he is told. With --haproxy all of them come through
 * HAProxy with this configuration. Prints a table and writes it to results/owners.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { addAccounts, PASSWORD } from './add-accounts.mjs';
import { startBalancer } from './balancer.mjs';
import { describeMachine } from './machine.mjs';
import { startServer } from './server.mjs';
import { startService } from './service.mjs';
import { ms, percentiles } from './tables.mjs';

const DATABASE = 'bowerbird_owners';
/** What is wanted of a sign-in. */
const LIMIT_MS = 2_000;
/** An owner gives up. */
const PATIENCE_MS = 10_000;
/** The first seconds are not counted: the bots use up their attempts. */
const WARM_UP_MS = 5_000;

const { values } = parseArgs({
  options: {
    work: { type: 'string', default: '/tmp/bowerbird-bench' },
    bots: { type: 'string', default: '200' },
    owners: { type: 'string', default: '30' },
    pauses: { type: 'string', default: '0,1000' },
    haproxy: { type: 'string' },
    // Of the process of bots.
    url: { type: 'string' },
    pause: { type: 'string' },
    emails: { type: 'string' },
  },
});

if (values.url === undefined) await measure();
else await guess(values.url, Number(values.pause), values.emails.split(','));

async function measure() {
  await mkdir(values.work, { recursive: true });
  const server = await startServer(values.work);
  const lines = [
    `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}. ${values.bots} bots, ${values.owners} owners one after the other${values.haproxy ? `, through ${values.haproxy}` : ''}.`,
    '',
    `| bots come again after | bots' requests a second | of them refused with 429, 503 | owners in | within ${LIMIT_MS / 1_000} s | p50, ms | max, ms |`,
    '|---:|---:|---:|---:|---:|---:|---:|',
  ];
  try {
    for (const between of values.pauses.split(',')) lines.push(await besideBots(server, between));
  } finally {
    await server.close();
  }
  const text = `${lines.join('\n')}\n`;
  process.stdout.write(text);
  await writeFile(new URL('results/owners.md', import.meta.url), text);
}

async function besideBots(server, between) {
  const databaseUrl = await server.createDatabase(DATABASE);
  const service = await startService({
    ...{ DATABASE_URL: databaseUrl, AUTH: 'on', AUTH_SECRET: 'a-secret-of-the-benchmark-0123456789' },
    ...{ TRUST_PROXY: '1', DATASET_JOBS: 'off' },
  });
  const balancer = values.haproxy && (await startBalancer(service, values.haproxy));
  const { url } = balancer || service;
  let bots;
  try {
    const emails = await addAccounts(databaseUrl, Number(values.owners));
    for (const [place, email] of emails.entries()) {
      const { status } = await signIn(url, undefined, addressOf(place), email, PASSWORD);
      if (status !== 303) throw new Error(`without bots an owner got ${status}`);
    }
    const own = [
      ...['--url', url, '--pause', between, '--emails', emails.join(','), '--bots', values.bots],
      ...(values.haproxy ? ['--haproxy', values.haproxy] : []),
    ];
    bots = spawn(process.execPath, [fileURLToPath(import.meta.url), ...own], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let told = '';
    bots.stdout.on('data', (text) => (told += text));
    await pause(WARM_UP_MS);
    const times = [];
    for (const [place, email] of emails.entries()) times.push(await signInPatiently(url, place, email));
    bots.stdin.end();
    await once(bots, 'close');
    const { perSecond, refused } = JSON.parse(told);
    const inTime = times.filter((time) => time <= LIMIT_MS);
    const all = times.filter((time) => time < Infinity);
    const { p50 = NaN } = all.length > 0 ? percentiles(all) : {};
    const cells = [
      `${between} ms`,
      perSecond.toFixed(0),
      `${(refused * 100).toFixed(1)} %`,
      `${all.length} of ${times.length}`,
    ];
    return `| ${[...cells, inTime.length, ms(p50), ms(Math.max(...all))].join(' | ')} |`;
  } finally {
    bots?.kill();
    await balancer?.stop();
    await service.stop();
    await server.dropDatabase(DATABASE);
  }
}

/** @returns milliseconds until the owner was in; infinite where he was not */
async function signInPatiently(url, place, email) {
  const began = performance.now();
  for (;;) {
    const { status, retryAfter } = await signIn(url, undefined, addressOf(place), email, PASSWORD);
    const tookMs = performance.now() - began;
    if (status === 303) return tookMs;
    if (status !== 503 || tookMs > PATIENCE_MS) {
      console.error(`an owner got ${status} after ${ms(tookMs)} ms`);
      return Infinity;
    }
    await pause(1_000 * (retryAfter || 1));
  }
}

function addressOf(place) {
  return values.haproxy ? `127.203.${place}.7` : `203.0.${place}.7`;
}

/** Until its input ends. Prints how many requests there were a second, and the share of those that were refused. */
async function guess(url, between, emails) {
  const agent = new Agent({ keepAlive: true });
  let isOver = false;
  process.stdin.resume().once('end', () => (isOver = true));
  const began = performance.now();
  const count = { all: 0, refused: 0 };
  const bot = async (number) => {
    for (let turn = number; !isOver; turn += 1) {
      const { status } = await signIn(
        url,
        agent,
        `${values.haproxy ? 127 : 10}.${number}.1.${number}`,
        emails[turn % emails.length],
        'a guess of a bot',
      );
      count.all += 1;
      if (status === 429 || status === 503) count.refused += 1;
      await pause(between);
    }
  };
  await Promise.all(Array.from({ length: Number(values.bots) }, (_, number) => bot(number)));
  agent.destroy();
  const seconds = (performance.now() - began) / 1_000;
  process.stdout.write(
    JSON.stringify({ perSecond: count.all / seconds, refused: count.refused / count.all }),
  );
}

function signIn(url, agent, from, email, password) {
  const body = new URLSearchParams({ email, password }).toString();
  return new Promise((done, failed) => {
    const headers = {
      ...{ 'X-Forwarded-For': from, 'Content-Type': 'application/x-www-form-urlencoded' },
      'Content-Length': Buffer.byteLength(body),
    };
    // HAProxy goes by the address of the connection.
    const source = values.haproxy && { localAddress: from };
    request(`${url}/sign-in`, { method: 'POST', agent, headers, ...source }, (answer) => {
      answer
        .resume()
        .once('end', () =>
          done({ status: answer.statusCode, retryAfter: Number(answer.headers['retry-after']) }),
        );
    })
      .once('error', failed)
      .end(body);
  });
}
