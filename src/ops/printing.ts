import type { AccountReference } from './accounts.service.js';
import type { AnswerOf, Fetch } from './answers.js';

// The answers of commands as the command line prints them.

export const NO_LISTS = 'No list is fetched: LIST_DELETED_URLS and LIST_EXPIRED_URLS are empty.\n';

export function describeBacklog(backlog: AnswerOf<'Webhooks'>): string {
  const { oldest_waiting } = backlog;
  const age = oldest_waiting && `${Math.round((Date.now() - Date.parse(oldest_waiting)) / 1_000)} s old`;
  const lines = [
    ['webhooks', `${backlog.all}, ${backlog.enabled} of them on`],
    ['events not delivered', backlog.waiting_events],
    ['deliveries pending', backlog.pending],
    ['the oldest of them', age ?? 'nothing waits'],
    [
      'deliveries held',
      `${backlog.held}, of accounts in a tier without webhooks, or to hosts that are not proven`,
    ],
    ['delivered within a day', backlog.delivered_today],
    ['failed within a day', backlog.failed_today],
  ];
  return lines.map(([name, value]) => `${String(name).padEnd(24)}${value}\n`).join('');
}

export function describeLists({ lists }: AnswerOf<'Lists'>): string {
  if (lists.length === 0) return NO_LISTS;
  return lists
    .map(({ kind, address, latest, last_imported, failures }) => {
      const lines = latest ? [`last fetch   ${describeFetch(latest)}`] : ['never fetched'];
      if (failures > 1) lines.push(`failures     ${failures} in a row`);
      if (latest && last_imported?.id !== latest.id)
        lines.push(`last import  ${last_imported ? describeFetch(last_imported) : 'never'}`);
      return `${kind}  ${address}\n${lines.map((line) => `  ${line}\n`).join('')}`;
    })
    .join('');
}

export function describeFetch(fetch: InstanceType<typeof Fetch>): string {
  const { started_at, outcome, rows, rejected, ahead, bytes, detail } = fetch;
  const counts =
    outcome === 'imported'
      ? `: ${rows} rows, ${rejected} rejected, ${ahead} with their purge ahead, ${bytes} bytes`
      : '';
  const word = outcome === 'alarm' ? 'ALARM, not imported' : (outcome ?? 'running, or killed');
  return `${started_at}  ${word}${counts}${detail === null ? '' : `. ${detail}`}`;
}

export function describeCircuit({
  flips,
  hour,
  max_flips,
  stopped_at,
  reason,
  lifted,
}: AnswerOf<'Circuit'>): string {
  const counted =
    `contradictions  ${flips} in the hour from ${hour ?? 'none yet'}; ` +
    `more than ${max_flips} stop all writes\n`;
  const state = stopped_at
    ? `STOPPED since ${stopped_at}: ${reason}\n${counted}` +
      'When the registry can be believed again: npm run bowerbird -- circuit reset --reason TEXT\n'
    : `Answers are written.\n${counted}`;
  return state + lifted.map(describeLifted).join('');
}

export function describeLifted({ stopped_at, resumed_at, resumed_by, flips, reason }: Lifted): string {
  return `reset           ${resumed_at} by ${resumed_by}; stopped since ${stopped_at} after ${flips}: ${reason}\n`;
}
type Lifted = AnswerOf<'Circuit'>['lifted'][number];

export function describeAccount(account: AnswerOf<'Accounts'>['accounts'][number]): string {
  const { email, confirmed, disabled_at, tier, working_keys, created_at } = account;
  const state = disabled_at ? `${tier}, disabled` : tier;
  return `${[email, confirmed ? state : 'not confirmed', working_keys, created_at].join('\t')}\n`;
}

export function describeKey(key: AnswerOf<'Keys'>['keys'][number]): string {
  const { id: keyId, email, name, shown, works, last_used_at } = key;
  return `${[keyId, email, shown, works ? 'works' : 'ended', last_used_at ?? 'never used', name].join('\t')}\n`;
}

export function describeTakers({ takers }: AnswerOf<'Takers'>): string {
  if (takers.length === 0) return 'No usage.\n';
  const rows = takers.map(({ taker, records, pages, refusals }) =>
    [taker, records, pages, refusals].join('\t'),
  );
  return `${['taker\trecords\tpages\trefusals', ...rows].join('\n')}\n`;
}

export const asItWas = (changed: boolean): string => (changed ? '' : ', as it was');

export const nameOf = (account: AccountReference): string =>
  'email' in account ? account.email : account.id;
