import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ERROR_CODES } from '../src/errors/error-codes.js';
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
  const tiers = Object.values(TIERS);
  const yes = (value: boolean) => (value ? 'yes' : 'no');
  return toMarkdown([
    ['', ...tiers.map(({ name }) => name)],
    ['key', ...tiers.map(({ keyRequired }) => yes(keyRequired))],
    ['records a minute', ...tiers.map(({ recordsPerMinute }) => recordsPerMinute.toLocaleString('en-AU'))],
    [
      'records a longer period',
      ...tiers.map(({ quota }) =>
        quota
          ? `${quota.records.toLocaleString('en-AU')} ${quota.period === 'hour' ? 'an' : 'a'} ${quota.period}`
          : 'no cap',
      ),
    ],
    ['requests a minute', ...tiers.map(({ requestsPerMinute }) => String(requestsPerMinute))],
    ['records a page', ...tiers.map(({ pageSize }) => String(pageSize))],
    ['further pages', ...tiers.map(({ paging }) => yes(paging))],
    ['fields', ...tiers.map(({ fields }) => fields)],
    ['feed of drops', ...tiers.map(({ feed }) => yes(feed))],
    ['webhooks', ...tiers.map(({ webhooks }) => yes(webhooks))],
    ['bulk export', ...tiers.map((tier) => yes(tier.export))],
  ]);
}

function toMarkdown([head = [], ...rows]: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
