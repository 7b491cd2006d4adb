import type { Quota, TierTable } from './tiers.js';

/** What people compare tiers by: a row for each thing, a column for each tier, names first. */
export function tierRows(table: TierTable): string[][] {
  const tiers = Object.values(table);
  return [
    ['tier', ...tiers.map(({ name }) => name)],
    ['key', ...tiers.map(({ keyRequired }) => yesOrNo(keyRequired))],
    ['records a minute', ...tiers.map(({ recordsPerMinute }) => inDigits(recordsPerMinute))],
    ['records a longer period', ...tiers.map(({ quota }) => quotaInWords(quota))],
    ['requests a minute', ...tiers.map(({ requestsPerMinute }) => inDigits(requestsPerMinute))],
    ['records a page', ...tiers.map(({ pageSize }) => inDigits(pageSize))],
    ['further pages', ...tiers.map(({ paging }) => yesOrNo(paging))],
    ['rows of a list on web pages', ...tiers.map(({ listRows }) => inDigits(listRows))],
    ['list pages in ten minutes', ...tiers.map(({ listPages }) => inDigits(listPages))],
    ['watched names', ...tiers.map(({ watchedNames }) => inDigits(watchedNames))],
    ['saved searches', ...tiers.map(({ savedSearches }) => inDigits(savedSearches))],
    ['fields', ...tiers.map(({ fields }) => fields)],
    ['feed of drops', ...tiers.map(({ feed }) => yesOrNo(feed))],
    ['webhooks', ...tiers.map(({ webhooks }) => yesOrNo(webhooks))],
    ['bulk export, daily diffs', ...tiers.map((tier) => yesOrNo(tier.export))],
  ];
}

export function toMarkdown([head = [], ...rows]: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function quotaInWords(quota: Quota | null): string {
  if (!quota) return 'no cap';
  return `${inDigits(quota.records)} ${quota.period === 'hour' ? 'an' : 'a'} ${quota.period}`;
}

function inDigits(count: number): string {
  return count.toLocaleString('en-AU');
}
