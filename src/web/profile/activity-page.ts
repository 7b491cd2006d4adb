import { IsOptional } from 'class-validator';
import { IsIntegerFrom } from '../../validation/numbers.js';
import type { AuditEntry } from '../../observe/audit/audit.repository.js';
import { ACCOUNT_ACTIONS } from '../../observe/audit/account-audit-log.js';
import { definePage, type PageView } from './page.js';

const WORDS = new Map<string, string>(Object.entries(ACCOUNT_ACTIONS));

export class ActivityQuery {
  @IsOptional()
  @IsIntegerFrom(1, Number.MAX_SAFE_INTEGER)
  before?: number;
}

interface ActivityView extends PageView {
  readonly entries: readonly { at: string; words: string; from: string }[];
  /** The last one, where there are older ones. */
  readonly next: number | null;
}

const page = definePage<ActivityView>(
  'Activity',
  `<p>What was done with your account in the last year, the newest first; of watches and webhooks 20 of a kind in an hour. Of the address only the network is kept. Something that you
  did not do? <a href="/profile">Change the password</a>, which ends every other session, and look at <a href="/profile/api-keys">your keys</a>
  and <a href="/profile/security">your passkeys</a>: a new password removes none, so revoke and remove those that are not yours.</p>
<% if (it.entries.length > 0) { %>
<div class="table" role="region" aria-label="Activity" tabindex="0">
<table class="cards">
  <thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">From</th></tr></thead>
  <tbody>
  <% for (const { at, words, from } of it.entries) { %>
  <tr><td data-label="When"><time datetime="<%= at %>"><%= at.slice(0, 16).replace('T', ' ') %> UTC</time></td>
    <td data-label="What"><%= words %></td><td data-label="From"><%= from %></td></tr>
  <% } %>
  </tbody>
</table>
</div>
<% if (it.next !== null) { %><p class="actions"><a class="btn quiet" rel="next" href="/profile/activity?before=<%= it.next %>">Older</a></p><% } %>
<% } else { %><p>Nothing yet.</p><% } %>`,
  { signedIn: true, section: '/profile' },
);

export function activityPage({
  entries,
  next,
}: {
  entries: readonly AuditEntry[];
  next: number | null;
}): string {
  return page({
    next,
    entries: entries.map((entry) => ({
      at: entry.at.toISOString(),
      words: wordsOf(entry),
      from: entry.from ?? (entry.actor.startsWith('account:') ? 'not known' : 'the operator'),
    })),
  });
}

function wordsOf({ action, actor, reason }: AuditEntry): string {
  const known = WORDS.get(action);
  // Why an operator did something is for operators.
  if (known === undefined) return actor.startsWith('account:') ? action : `By the operator: ${action}`;
  return reason === '' ? known : `${known}: ${reason}`;
}
