import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ERROR_CODES } from '../src/errors/error-codes.js';
import { tierRows, toMarkdown, yesOrNo } from '../src/tiers/tier-table.js';
import { TIERS } from '../src/tiers/tiers.js';

// The README repeats two tables of the code and one of measurements; this keeps them the same (npm run contract writes them
// anew).
const README = resolve(__dirname, '../README.md');

describe('README.md', () => {
  it.each([
    ['errors', errorTable()],
    ['tiers', tierTable()],
    ['speed', measured('discovery.md')],
  ])('its table of %s is the one that it repeats', (name, table) => {
    const text = readFileSync(README, 'utf8');
    const section = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`);
    const expected = text.replace(section, `$1\n${table}\n\n$2`);
    if (process.env.UPDATE_CONTRACT) writeFileSync(README, expected);
    expect(readFileSync(README, 'utf8')).toBe(expected);
  });
});

/** What the benchmarks wrote. */
function measured(file: string): string {
  return readFileSync(resolve(__dirname, 'bench/results', file), 'utf8').trim();
}

function errorTable(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { status, meaning }]) => [
    `\`${code}\``,
    String(status),
    meaning,
  ]);
  return toMarkdown([['Code', 'Status', 'Meaning'], ...rows]);
}

function tierTable(): string {
  const inBulk = Object.values(TIERS).map((tier) => yesOrNo(tier.export));
  return toMarkdown([...tierRows(TIERS), ['bulk export (planned, not served yet)', ...inBulk]]);
}
