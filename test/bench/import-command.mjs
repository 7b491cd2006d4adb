import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const LOOK_EVERY_MS = 200;

/** Offers the names of a file on somebody's word, and announces them whatever their age. */
export const VOUCHED = ['--vouched-by', 'bench', '--confirmed-at', '2026-01-01', '--events'];

/**
 * Runs the product's import command.
 *
 * @param text given to standard input, when there is any
 * @returns how long it took from start to end, the most memory it had, and what it printed. Memory: Linux only, else null
 */
export async function runImport(url, args, text) {
  const start = performance.now();
  const child = spawn(process.execPath, [CLI, 'import', ...args], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: [text ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  let report = '';
  let progress = '';
  child.stdout.on('data', (chunk) => (report += chunk));
  child.stderr.on('data', (chunk) => (progress += chunk));
  let residentMb = null;
  const timer = setInterval(async () => {
    const found = await highWaterMb(child.pid);
    if (found !== null) residentMb = found;
  }, LOOK_EVERY_MS);
  const fed = text && pipeline(Readable.from(text), child.stdin);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`the import ended with ${code}: ${progress}`);
  await fed;
  return { seconds: (performance.now() - start) / 1000, residentMb, report, progress };
}

/** The most memory that a process has had so far, in MB; Linux only, else null. */
export async function highWaterMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
  return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024);
}
