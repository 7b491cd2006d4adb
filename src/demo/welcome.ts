import { SANDBOX_ENTRIES } from './sandbox-abn-lookup.js';
import { SANDBOX_LABELS } from './sandbox-names.js';

/** What the demo prints when it answers: the addresses and three things to try. */
export function welcome(address: string, hasAccounts: boolean, takesOrders = false): string {
  const labels = SANDBOX_LABELS.slice(0, 6).map(
    ({ label, meaning }) => `    ${`${label}.com.au`.padEnd(32)}${meaning}`,
  );
  const account = hasAccounts ? `  An account       ${address}/sign-up (mail goes into the log below)\n` : '';
  const holders = SANDBOX_ENTRIES.map(
    ({ Abn, EntityName }) => `    ${`ABN ${Abn}`.padEnd(32)}${EntityName}\n`,
  );
  const registrants = takesOrders
    ? `\nHolders in the made-up business register, for registrants of yours:\n\n${holders.join('')}`
    : '';
  const accounts = hasAccounts ? 'It has accounts' : 'With AUTH=on it has accounts';
  return `
Bowerbird's demo answers at ${address}

  Search           ${address}/
${account}  Documents        ${address}/docs
  Reference        ${address}/api/v1/docs

Three things to try:

  curl '${address}/v1/suggest?q=coffee&limit=2'
  curl '${address}/v1/domains/check?domain=sandbox-available.com.au'
  curl '${address}/v1/stats'

Names on two drop lists that are made up are purged a minute, and a minute and a half, after the start. \
Watch them come, be
confirmed and be offered:

  curl '${address}/api/v1/drops/upcoming'
  curl '${address}/v1/stats'
  curl '${address}/api/v1/status'

What is known of a name, by whose word and since when, is at ${address}/domains/ with the name behind it. ${accounts}, \
and the
feed /api/v1/dropped for those whom \`npm run bowerbird -- account set-tier\` lets read it;
with WEBHOOKS=on besides it tells receivers, and with ORDERS=on names can be registered, with made-up money.

The names and the registry behind it are made up ("source": "sandbox"). Names whose answer is known beforehand:

${labels.join('\n')}
${registrants}
The demo tier holds 5 records a minute. Stop with Ctrl+C.
`;
}
