/**
 * Mixed load on two instances of the compiled service while one of them is killed and stopped, the clock of the other jumps, tables stand
 * still, callers hang up, more come than can be answered, and files are imported by a command that is killed as well:
 *
 *   npm run test:soak -- [--minutes 30] [--rate 20]
 *
 * At the end: what was charged is what was answered (and no more than what was cut off beside it); each change of an operator that was
 * acknowledged is in the audit log once; every row of every file is in; counters and cube agree with rows, and events have no gap; the
 * memory of the instance that was never killed does not rise, and its event loop is not late. Says so line by line, and ends with 1 where
 * one of them is not so. Half an hour or more writes the second half of test/bench/results/soak.md.
 */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { mintApiKey } from '../../dist/src/access/api-key.js';
import { EmbeddedPostgres } from '../../dist/src/db/embedded/embedded-postgres.js';
import { createDataSource } from '../../dist/src/db/data-source.js';
import { Database } from '../../dist/src/db/database.js';
import { startSandboxRegistry } from '../../dist/src/demo/sandbox-registry.js';
import { CubeCheck } from '../../dist/src/domains/search/cube/cube.repository.js';
import { describeMachine } from '../bench/machine.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, rate: { type: 'string', default: '20' } },
});
const TOTAL_MS = Number(values.minutes) * 60_000;
const EVERY_MS = 1_000 / Number(values.rate);
const NAMES = 2_000;
/** As many as the sample of names takes, so that memory does not grow with the files. */
const OTHERS = 100_000;
const ACCOUNTS = 7;
const HANGS_UP = 'soak-hangs-up@example.com';
const RECORDS = 2;
const FAULT_EVERY_MS = 10_000;
const STAND_STILL_MS = 4_000;
const REQUEST_LIMIT_MS = 15_000;
/** Callers at once, who each ask again as soon as they are answered, and for how long. */
const CROWD = 300;
const CROWD_MS = 5_000;
const CROWD_EVERY_MS = 45_000;
/** A caller hangs up within this time. */
const MAX_PATIENCE_MS = 60;
const HANG_UP_EVERY_MS = 100;
const FILE_ROWS = 4_000;
/** Rows that the files before had as well. */
const FILE_OVERLAP = 1_000;
const IMPORT_EVERY_MS = 40_000;
/** A kill costs the operator what was answered and not yet charged: 250 ms, and what an answer needs to be read here. */
const SETTLED_WITHIN_MS = 500;
const CUBE_LIMIT_MS = 300_000;
const SHOWN_FROM_MINUTES = 30;
const RESULTS = new URL('../bench/results/soak.md', import.meta.url);
const TITLE = '# Faults, overload and imports';
/** Where it is short, memory is still rising to its usual size. */
const JUDGED_FROM_MINUTES = 10;
/** Of the line through its memory, from the warm-up to the end. */
const MAX_RISE_PERCENT = 10;
/** Of ten-second stretches, how late the event loop was for one of a hundred turns; a machine that others use is late as well. */
const MAX_P99_LATE_MS = 100;
const OPERATOR = `dau_operator_${randomBytes(32).toString('hex')}`;

const folder = await mkdtemp(join(tmpdir(), 'bowerbird-soak-'));
await chmod(folder, 0o755);
const quiet = { log: () => undefined, warn: console.error, error: console.error };
const server = await EmbeddedPostgres.open(join(folder, 'data'), quiet);
const registry = await startSandboxRegistry({ port: 0 });
const database = new pg.Pool({ connectionString: server.url, max: 4 });
const instances = [];
const ledger = {
  answered: 0,
  unsure: 0,
  unsettled: 0,
  requests: 0,
  refused: 0,
  broken: 0,
  changes: 0,
  unsureChanges: 0,
  overloaded: 0,
  hungUp: 0,
  heardOut: 0,
  imports: 0,
  killedImports: 0,
  failedImports: [],
  faults: {},
};
const memory = [];
/** Of the instance that is killed: when it answered, and how many records. */
let settling = [];
const met = [];
let failed = [];
try {
  for (const _ of [0, 1]) instances.push(await startInstance());
  const [hangingUp, ...keys] = await prepare();
  const endsAt = Date.now() + TOTAL_MS;
  const work = [load, crowd].map((ask) => ask(keys, endsAt));
  const others = [operate, breakThings, importFiles, lookAtMemory].map((one) => one(endsAt));
  await Promise.all([...work, hangUp(hangingUp, endsAt), ...others]);
  failed = await judge();
} finally {
  for (const { child } of instances) child.kill('SIGCONT') && child.kill('SIGTERM');
  await Promise.all(instances.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
  await database.end();
  await registry.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
console.log(JSON.stringify(ledger));
for (const promise of met) console.log(`MET      ${promise}`);
for (const problem of failed) console.error(`NOT MET  ${problem}`);
if (Number(values.minutes) >= SHOWN_FROM_MINUTES) await show();
process.exitCode = failed.length > 0 ? 1 : 0;

async function startInstance(port, place = instances.length) {
  const own = port ?? (await freePort());
  const preloaded = ['./test/soak/shifting-clock.mjs', './test/bench/event-loop-probe.mjs'];
  const parameters = preloaded.flatMap((file) => ['--import', file]);
  const lateness = join(folder, `lateness-${place}`);
  const child = spawn(process.execPath, [...parameters, 'dist/main.js'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      PORT: String(own),
      HOST: '127.0.0.1',
      DATABASE_URL: server.url,
      AUTH: 'on',
      AUTH_SECRET: 'a-secret-of-the-soak-0123456789abcdef',
      OPERATOR_KEY_HASH: `soak:${createHash('sha256').update(OPERATOR).digest('hex')}`,
      REGISTRY_RDAP_URL: registry.url,
      REGISTRY_SOURCE: 'sandbox',
      REGISTRY_BOOTSTRAP_URL: 'off',
      REGISTRY_CANARIES: 'off',
      ARCHIVE_CDX_URL: 'off',
      SHUTDOWN_NOTICE_MS: '0',
      LOG_LEVEL: 'error',
      EVENT_LOOP_FILE: lateness,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${own}`;
  for (const limit = Date.now() + 120_000; Date.now() < limit; await sleep(100))
    if ((await fetch(`${url}/readyz`).catch(() => null))?.ok) return { child, url, port: own };
  throw new Error('an instance is not ready');
}

/** Names on offer, and accounts with a key each. */
async function prepare() {
  await database.query(
    `INSERT INTO domain (domain, name, tld, wayback, first_seen, dropped_at, state, available, confirmed_by, checked_at, announced)
     SELECT word || n || '.com.au', word || n, 'com.au', n % 2001, '2026-11-01', now(), 'available', true, 'vouched:soak', now(), true
       FROM (SELECT 'soak-' AS word, generate_series(1, ${NAMES}) AS n
             UNION ALL SELECT 'other-', generate_series(1, ${OTHERS})) AS names`,
  );
  await database.query('UPDATE dataset SET available_records = available_records + $1', [NAMES + OTHERS]);
  await withCube((cube) => cube.repair(CUBE_LIMIT_MS));
  const keys = [];
  for (let account = 0; account < ACCOUNTS; account += 1) {
    const { rows } = await database.query(
      `INSERT INTO account (email, email_verified, name, tier) VALUES ($1, true, '', 'firehose') RETURNING id`,
      [account === 0 ? HANGS_UP : `soak-${account}@example.com`],
    );
    const { text, hash, start, tail } = mintApiKey('live');
    await database.query(
      `INSERT INTO api_key (account_id, hash, kind, start, tail, name, scopes, submission)
       VALUES ($1, $2, 'live', $3, $4, 'soak', '{read}', gen_random_uuid())`,
      [rows[0].id, hash, start, tail],
    );
    keys.push(text);
  }
  return keys;
}

/** A steady rate; whoever is not answered yet does not hold up the next. */
async function load(keys, endsAt) {
  const underWay = new Set();
  for (let turn = 0; Date.now() < endsAt; turn += 1) {
    const { url } = instances[turn % 2];
    const request = ask(turn, url, keys[turn % keys.length]).finally(() => underWay.delete(request));
    underWay.add(request);
    await sleep(EVERY_MS);
  }
  await Promise.all(underWay);
}

/** By its turn: seven suggestions, a check, a bulk check and a call of a tool. */
function requestOf(turn) {
  const name = `soak-${(turn % NAMES) + 1}.com.au`;
  const min_wayback = (turn % NAMES) >> 1;
  const post = (path, body, sentIn) => ({ path, method: 'POST', body: JSON.stringify(body), sentIn });
  switch (turn % 10) {
    case 7:
      return post(
        '/api/v1/domains/check',
        { domains: [name, `other-${(turn % NAMES) + 1}.com.au`] },
        ({ answered, pending }) => {
          // Charged when they are fetched, which nobody does.
          ledger.unsure += pending;
          return answered;
        },
      );
    case 8:
      return post(
        '/mcp',
        {
          ...{ jsonrpc: '2.0', id: turn, method: 'tools/call' },
          params: { name: 'suggest_domains', arguments: { q: 'soak', limit: RECORDS, min_wayback } },
        },
        ({ result }) => (result.isError ? 0 : result.structuredContent.count),
      );
    case 9:
      return { path: `/v1/domains/check?domain=${name}`, sentIn: () => 1 };
    default:
      return {
        path: `/v1/suggest?q=soak&limit=${RECORDS}&min_wayback=${min_wayback}`,
        sentIn: ({ count }) => count,
      };
  }
}

async function ask(turn, url, key) {
  const { path, sentIn, ...request } = requestOf(turn);
  ledger.requests += 1;
  try {
    const answer = await fetch(url + path, {
      ...request,
      headers: {
        Authorization: `Bearer ${key}`,
        Accept: 'application/json, text/event-stream',
        ...(request.body && { 'Content-Type': 'application/json' }),
      },
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    const text = await answer.text();
    // Tools may answer by an event.
    const body = JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text);
    const sent = answer.status === 200 ? sentIn(body) : 0;
    if (answer.status === 200) ledger.answered += sent;
    else ledger.refused += 1;
    if (answer.status === 200 && url === instances[0].url) {
      const now = performance.now();
      settling = settling.filter(({ at }) => now - at < SETTLED_WITHIN_MS);
      settling.push({ at: now, sent });
    }
    if (body.error?.code === 'overloaded') ledger.overloaded += 1;
    return answer.status;
  } catch {
    // Nobody knows whether it was charged.
    ledger.broken += 1;
    ledger.unsure += RECORDS;
  }
}

/** More callers than can be answered, now and then. */
async function crowd(keys, endsAt) {
  for (let from = Date.now() + CROWD_EVERY_MS; from + CROWD_MS < endsAt; from += CROWD_EVERY_MS) {
    await sleep(Math.max(0, from - Date.now()));
    await Promise.all(
      Array.from({ length: CROWD }, async (_, place) => {
        for (let turn = place; Date.now() < from + CROWD_MS; turn += CROWD) {
          const status = await ask(turn, instances[turn % 2].url, keys[turn % keys.length]);
          // Whoever is refused asks no sooner than a tenth of a second later.
          if (status !== 200) await sleep(100);
        }
      }),
    );
  }
}

/** Callers who ask and are gone before the answer, mostly. They have an account of their own. */
async function hangUp(key, endsAt) {
  for (let turn = 0; Date.now() < endsAt; turn += 1) {
    const { port } = instances[turn % 2];
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk));
    socket.on('error', () => undefined);
    socket.write(
      `GET /v1/suggest?q=soak&limit=${RECORDS}&min_wayback=${turn % (NAMES >> 1)} HTTP/1.1\r\nHost: soak\r\n` +
        `Authorization: Bearer ${key}\r\n\r\n`,
    );
    await sleep(Math.random() * MAX_PATIENCE_MS);
    socket.destroy();
    if (text.includes('"rate"')) ledger.heardOut += 1;
    else ledger.hungUp += 1;
    await sleep(HANG_UP_EVERY_MS);
  }
}

/** One file after the other, each with new names and some of the file before; every third import is killed and begun again. */
async function importFiles(endsAt) {
  for (let turn = 1; ; turn += 1) {
    await sleep(IMPORT_EVERY_MS);
    if (Date.now() + IMPORT_EVERY_MS > endsAt) return;
    const first = (turn - 1) * (FILE_ROWS - FILE_OVERLAP);
    const lines = Array.from({ length: FILE_ROWS }, (_, row) => `list-${first + row}.com.au,${turn}\n`);
    const file = join(folder, `list-${turn}.csv`);
    await writeFile(file, `domain,wayback\n${lines.join('')}`);
    if (turn % 3 === 0) ledger.killedImports += Number((await importFile(file, turn, true)).isKilled);
    const { code, output } = await importFile(file, turn, false);
    if (code === 0) ledger.imports += 1;
    else ledger.failedImports.push(output.slice(-400));
    ledger.names = Math.max(ledger.names ?? 0, first + FILE_ROWS);
  }
}

async function importFile(file, turn, isToBeKilled) {
  const confirmedAt = new Date(Date.UTC(2026, 0, 1) + turn * 60_000).toISOString();
  const words = ['import', file, '--vouched-by', 'soak', '--confirmed-at', confirmedAt, '--events'];
  const child = spawn(process.execPath, ['dist/cli.js', ...words], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, DATABASE_URL: server.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = once(child, 'close');
  while (isToBeKilled && child.exitCode === null) {
    const { rows } = await database.query(`SELECT (counts->>'added')::int AS added FROM import_run`);
    if ((rows[0]?.added ?? 0) > FILE_ROWS / 4) child.kill('SIGKILL');
    await Promise.race([ended, sleep(20)]);
    if (child.signalCode !== null) break;
  }
  const [code, signal] = await ended;
  return { code, output, isKilled: signal === 'SIGKILL' };
}

/** Hides and shows a name, over and over. */
async function operate(endsAt) {
  for (let turn = 0; Date.now() < endsAt; turn += 1) {
    const word = turn % 2 ? 'unhide' : 'hide';
    const url = `${instances[1].url}/ops/v1/dataset/soak-${NAMES}.com.au/${word}`;
    const headers = { Authorization: `Bearer ${OPERATOR}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ reason: 'a soak' });
    try {
      const signal = AbortSignal.timeout(REQUEST_LIMIT_MS);
      const answer = await fetch(url, { method: 'POST', headers, body, signal });
      if (answer.status === 200 && (await answer.json()).changed) ledger.changes += 1;
    } catch {
      ledger.unsureChanges += 1;
    }
    await sleep(500);
  }
}

async function breakThings(endsAt) {
  const faults = { kill, standStill, clockJump, lockedTable };
  for (let turn = 0; ; turn += 1) {
    await sleep(FAULT_EVERY_MS);
    if (Date.now() + STAND_STILL_MS > endsAt) return;
    const [name, fault] = Object.entries(faults)[turn % 4];
    ledger.faults[name] = (ledger.faults[name] ?? 0) + 1;
    await fault();
  }
}

async function kill() {
  const [{ child, port }] = instances;
  const since = performance.now() - SETTLED_WITHIN_MS;
  child.kill('SIGKILL');
  ledger.unsettled += settling.reduce((sum, { at, sent }) => sum + (at < since ? 0 : sent), 0);
  await once(child, 'exit');
  instances[0] = await startInstance(port, 0);
}

async function standStill() {
  instances[0].child.kill('SIGSTOP');
  await sleep(STAND_STILL_MS);
  instances[0].child.kill('SIGCONT');
}

async function clockJump() {
  instances[1].child.kill('SIGWINCH');
}

async function lockedTable() {
  const client = await database.connect();
  await client.query('BEGIN; LOCK TABLE domain IN ACCESS EXCLUSIVE MODE');
  await sleep(STAND_STILL_MS);
  await client.query('ROLLBACK');
  client.release();
}

async function lookAtMemory(endsAt) {
  while (Date.now() < endsAt) {
    const status = await readFile(`/proc/${instances[1].child.pid}/status`, 'utf8');
    memory.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024);
    await sleep(1_000);
  }
}

async function judge() {
  const problems = [];
  const expectThat = (isSo, promise) => (isSo ? met : problems).push(promise);
  const one = async (sql) => Number(Object.values((await database.query(sql)).rows[0])[0]);
  const chargedTo = (condition) =>
    one(
      `SELECT coalesce(sum(records), 0) FROM usage_day JOIN account ON account.id = account_id WHERE email ${condition}`,
    );
  const charged = await chargedTo(`<> '${HANGS_UP}'`);
  const chargedHangUps = await chargedTo(`= '${HANGS_UP}'`);
  const { answered, unsure, changes, unsureChanges, hungUp, heardOut, names = 0 } = ledger;
  Object.assign(ledger, { charged, chargedHangUps });
  expectThat(
    charged >= answered - ledger.unsettled,
    `nothing lost: ${answered} records answered, ${charged} charged; ${ledger.unsettled} were answered right before a kill`,
  );
  expectThat(
    charged <= answered + unsure,
    `nothing charged twice: ${charged} charged, ${answered} answered and ${unsure} cut off`,
  );
  expectThat(
    chargedHangUps >= RECORDS * heardOut * 0.99 && chargedHangUps <= RECORDS * (heardOut + hungUp),
    `who hangs up: ${heardOut} were answered before and ${hungUp} gone, ${chargedHangUps} records charged`,
  );
  expectThat(
    ledger.overloaded > 0 || Number(values.minutes) * 60_000 < 2 * CROWD_EVERY_MS,
    `what is too much is refused: ${ledger.overloaded} times`,
  );
  const imported = await one(`SELECT count(*) FROM domain WHERE domain LIKE 'list-%'`);
  expectThat(
    imported === names && ledger.failedImports.length === 0,
    `${ledger.imports} files imported, ${ledger.killedImports} times killed before: ${imported} names of ${names}; failures: ${JSON.stringify(ledger.failedImports)}`,
  );
  const unsaid = await one(
    `SELECT count(*) FROM domain WHERE domain LIKE 'list-%' AND NOT EXISTS (
       SELECT FROM domain_event WHERE domain_event.domain = domain.domain AND type = 'domain.dropped')`,
  );
  const twice = await one(
    `SELECT count(*) FROM (SELECT FROM domain_event WHERE domain LIKE 'list-%' AND type = 'domain.dropped'
                            GROUP BY domain HAVING count(*) > 1) AS repeated`,
  );
  expectThat(unsaid + twice === 0, `each imported name is an event once: ${unsaid} none, ${twice} several`);
  const audited = await one(`SELECT count(*) FROM audit_log WHERE reason = 'a soak'`);
  expectThat(
    audited >= changes && audited <= changes + unsureChanges,
    `no change lost or done twice: ${changes} acknowledged, ${unsureChanges} cut off, ${audited} in the audit log`,
  );
  const drift = await one(
    `SELECT (SELECT available_records FROM dataset) - (SELECT count(*) FROM domain WHERE available AND NOT hidden)`,
  );
  expectThat(drift === 0, `counters agree with rows: off by ${drift}`);
  const gap = await one('SELECT (SELECT last_event FROM dataset) - (SELECT count(*) FROM domain_event)');
  expectThat(gap === 0, `no event missing: ${gap}`);
  const cube = await withCube((check) => check.findDrift(CUBE_LIMIT_MS));
  expectThat(cube === null, `the cube agrees with rows: ${JSON.stringify(cube)}`);
  const isJudged = Number(values.minutes) >= JUDGED_FROM_MINUTES;
  const { risePercent, megabytes } = riseOf(memory.slice(Math.floor(memory.length / 6)));
  expectThat(
    !isJudged || risePercent <= MAX_RISE_PERCENT,
    `memory flat: ${risePercent.toFixed(1)} % from the warm-up to the end, at ${megabytes.toFixed(0)} MB${isJudged ? '' : ' (too short to be judged)'}`,
  );
  const p99 = await lateness();
  Object.assign(ledger, { risePercent, megabytes, p99LateMs: p99 });
  expectThat(
    p99 !== null && p99 <= MAX_P99_LATE_MS,
    `event loop: p99 ${p99 === null ? 'was not written' : `${p99.toFixed(1)} ms late`}, the median of ten-second stretches`,
  );
  return problems;
}

async function withCube(work) {
  const source = await createDataSource(server.url, 1, () => undefined).initialize();
  const result = await work(new CubeCheck(new Database(source)));
  await source.destroy();
  return result;
}

/** Of the straight line that is nearest to what was measured: garbage makes single values jump by a tenth. */
function riseOf(list) {
  const middle = (list.length - 1) / 2;
  const mean = list.reduce((sum, value) => sum + value, 0) / list.length;
  const spread = list.reduce((sum, _, place) => sum + (place - middle) ** 2, 0);
  const slope = list.reduce((sum, value, place) => sum + (place - middle) * (value - mean), 0) / spread;
  const first = mean - slope * middle;
  return { risePercent: (100 * slope * (list.length - 1)) / first, megabytes: mean };
}

/** Of the instance that was never killed. */
async function lateness() {
  const lines = (await readFile(join(folder, 'lateness-1'), 'utf8').catch(() => ''))
    .split('\n')
    .filter(Boolean);
  const sorted = lines.map((line) => JSON.parse(line).p99).sort((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? null;
}

async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  listener.close();
  await once(listener, 'close');
  return port;
}

async function show() {
  const [first] = (await readFile(RESULTS, 'utf8')).split(TITLE);
  const lines = [...met.map((line) => `| yes | ${line} |`), ...failed.map((line) => `| **no** | ${line} |`)];
  const faults = Object.entries(ledger.faults).map(([name, count]) => `${count} × ${name}`);
  await writeFile(
    RESULTS,
    `${first.trimEnd()}

${TITLE}

${describeMachine()}; ${new Date().toISOString().slice(0, 10)}; \`npm run test:soak -- --minutes ${values.minutes}\`, with other work on the machine.
${ledger.requests.toLocaleString('en')} requests to two instances, ${ledger.refused.toLocaleString('en')} refused; faults: ${faults.join(', ')}.

| met | |
|---|---|
${lines.join('\n')}
`,
  );
}
