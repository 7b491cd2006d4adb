// Mutation testing of the rules that are pure: each has its spec beside it, so that a mutant is judged in a moment.
//   npm run test:mutation                    all areas
//   npm run test:mutation -- tiers names     these areas
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AREAS } from './areas.mjs';

const STRYKER = fileURLToPath(new URL('node_modules/@stryker-mutator/core/bin/stryker.js', import.meta.url));
const CONFIG = fileURLToPath(new URL('stryker.config.mjs', import.meta.url));
const DETECTED = ['Killed', 'Timeout'];
const UNDETECTED = ['Survived', 'NoCoverage'];

const wanted = process.argv.slice(2);
const areas = wanted.length > 0 ? wanted : Object.keys(AREAS);
const rows = areas.map((area) => {
  const report = new URL(`reports/${area}.json`, import.meta.url);
  rmSync(report, { force: true });
  const { status } = spawnSync(process.execPath, [STRYKER, 'run', CONFIG], {
    env: { ...process.env, MUTATION_AREA: area },
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
  return [area, ...(existsSync(report) ? countsOf(report) : ['not run'])];
});
console.log('\n| Area | Mutants | Killed | Score |\n|---|---:|---:|---:|');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);

function countsOf(report) {
  const { files } = JSON.parse(readFileSync(report, 'utf8'));
  const mutants = Object.values(files).flatMap((file) => file.mutants);
  const count = (statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const killed = count(DETECTED);
  const all = killed + count(UNDETECTED);
  return [all, killed, `${((100 * killed) / all).toFixed(1)} %`];
}
