import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile, readFile } from 'node:fs/promises';
import { startServer } from './server.mjs';
import { makeNames } from './names.mjs';
const work = '/tmp/lc-bench';
const ROWS = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 2);
const file = await makeNames(`${work}/names-${ROWS}.csv`, ROWS);
const text = await readFile(file, 'utf8');
const scored = `${work}/scored-${ROWS}.csv`;
await writeFile(scored, text.split('\n').map((l, i) => { if (i === 0 || l === '') return l; const [d, w, f] = l.split(','); return `${d},${Number(w) + 1},${f}`; }).join('\n'));
const daily = `${work}/daily.csv`;
await writeFile(daily, 'domain,wayback,first_seen\n' + Array.from({ length: 2500 }, (_, i) => `daily-name-${i}-x.com.au,${i % 300},2026-11-10\n`).join(''));
const server = await startServer(work);
const VOUCH = ['--vouched-by', 'bench', '--confirmed-at', '2026-11-01'];
const engines = {
  before: ['/tmp/lc-base/dist/src/cli.js', []],
  after: ['/work/wt/lifecycle/dist/src/cli.js', [...VOUCH, '--events']],
  quiet: ['/work/wt/lifecycle/dist/src/cli.js', VOUCH],
};
async function run(cli, url, args) {
  const start = performance.now();
  const child = spawn(process.execPath, [cli, 'import', ...args], { env: { ...process.env, DATABASE_URL: url }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  child.stdout.on('data', (c) => (out += c)); child.stderr.on('data', (c) => (out += c));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(out);
  return ((performance.now() - start) / 1000).toFixed(1);
}
try {
  for (let round = 0; round < rounds; round++)
    for (const [name, [cli, extra]] of Object.entries(engines)) {
      const url = await server.createDatabase(`lc_${name}`);
      const r = { round, name };
      r.first = await run(cli, url, [file, ...extra]);
      r.same = await run(cli, url, [file, ...extra]);
      r.daily = await run(cli, url, [daily, ...extra]);
      r.rebuild = await run(cli, url, [scored, ...extra]);
      console.log(JSON.stringify(r));
    }
} finally { await server.close(); }
