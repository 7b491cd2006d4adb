import { definePage, type PageView } from './page.js';
import { dayInWords, momentInWords } from '../words.js';
import type { Tier } from '../../config/tiers.js';
import { noticeInWords } from '../../notify/watches/mails/watch-mails.js';
import {
  kindsOf,
  type MailMode,
  type Watch,
  type Watched,
  WATCHED_KINDS,
} from '../../notify/watches/watch.js';
import type { Watching } from '../../notify/watches/watches.service.js';
import { questionInWords } from './question-words.js';

/** What can be told of a name. */
const KIND_WORDS: Readonly<Record<Watched, string>> = {
  listed: 'is about to be purged',
  dropped: 'drops, as the official list has it',
  confirmed: 'is confirmed as free',
  gone: 'is registered again, or kept by its holder',
};
const MAIL_WORDS: Readonly<Record<MailMode, string>> = {
  at_once: 'as soon as something happens, one mail in ten minutes at most',
  daily: 'once a day, at 07:00 AEST',
  off: 'not by mail',
};

export interface WatchPageView extends PageView {
  readonly watching: Watching;
  readonly tier: Tier;
  readonly email: string;
  /** What was chosen on another page, to be watched or not. */
  readonly chosen: { readonly name?: string | undefined; readonly question?: string | undefined };
}

export function watchPage({ watching, tier, email, chosen, notice }: WatchPageView): string {
  const names = watching.watches.filter(({ domain }) => domain !== null);
  const searches = watching.watches.filter(({ question }) => question !== null);
  return page({
    notice,
    problem: watching.problem ?? undefined,
    email,
    chosen: { name: chosen.name, question: chosen.question, words: questionInWords(chosen.question ?? '') },
    names: names.map(toRow),
    searches: searches.map(toRow),
    room: { names: tier.watchedNames, searches: tier.savedSearches },
    kinds: WATCHED_KINDS.map((value) => ({ value, words: KIND_WORDS[value] })),
    mailModes: Object.entries(MAIL_WORDS).map(([value, words]) => ({ value, words })),
    mails: watching.mails,
    feedUrl: watching.feedUrl,
    notices: watching.notices.map((told) => ({
      href: `/domains/${told.domain}`,
      domain: told.domain,
      words: noticeInWords(told).slice(told.domain.length),
      at: momentInWords(told.occurredAt),
      iso: told.occurredAt.toISOString(),
    })),
    hasWebhooks: tier.webhooks,
  });
}

interface Row {
  readonly id: string;
  readonly href: string;
  readonly what: string;
  readonly told: string;
  readonly since: string;
  readonly isBeyondTier: boolean;
}

function toRow({ id, domain, question, eventTypes, createdAt, isBeyondTier }: Watch): Row {
  return {
    id,
    href: domain === null ? `/?${question ?? ''}` : `/domains/${domain}`,
    what: domain ?? questionInWords(question ?? ''),
    told: kindsOf(eventTypes)
      .map((kind) => KIND_WORDS[kind])
      .join('; '),
    since: dayInWords(createdAt.toISOString().slice(0, 10)),
    isBeyondTier,
  };
}

interface View extends PageView {
  readonly email: string;
  readonly chosen: { name: string | undefined; question: string | undefined; words: string };
  readonly names: readonly Row[];
  readonly searches: readonly Row[];
  readonly room: { names: number; searches: number };
  readonly kinds: readonly { value: string; words: string }[];
  readonly mailModes: readonly { value: string; words: string }[];
  readonly mails: MailMode;
  readonly feedUrl: string;
  readonly notices: readonly { href: string; domain: string; words: string; at: string; iso: string }[];
  readonly hasWebhooks: boolean;
}

const KINDS = `<fieldset><legend>Tell me when it</legend>
    <% for (const { value, words } of it.kinds) { %><label><input type="checkbox" name="on" value="<%= value %>" checked> <%= words %></label><% } %>
  </fieldset>`;

const CHOSEN = `<% if (it.chosen.name) { %>
<form class="stack panel" method="post" action="/watch">
  <h2>Watch <%= it.chosen.name %>?</h2>
  <input type="hidden" name="domain" value="<%= it.chosen.name %>">
  ${KINDS}
  <button>Watch <%= it.chosen.name %></button>
</form>
<% } else if (it.chosen.question) { %>
<form class="stack panel" method="post" action="/watch">
  <h2>Watch this search?</h2>
  <input type="hidden" name="question" value="<%= it.chosen.question %>">
  <p>Names <%= it.chosen.words %>.</p>
  <button>Watch this search</button>
</form>
<% } %>`;

const TABLE = (rows: string, caption: string, head: string) => `
<div class="table" role="region" aria-label="${caption}" tabindex="0">
<table class="cards">
  <thead><tr><th scope="col">${head}</th><th scope="col">You are told when it</th><th scope="col">Since</th><th scope="col">Change</th></tr></thead>
  <tbody>
  <% for (const row of it.${rows}) { %>
  <tr>
    <th scope="row"><a href="<%= row.href %>"><%= row.what %></a><% if (row.isBeyondTier) { %> <span class="chip wait">beyond your tier</span><% } %></th>
    <td data-label="You are told when it"><%= row.told %></td>
    <td data-label="Since"><%= row.since %></td>
    <td><form method="post" action="/watch/<%= row.id %>/remove"><button class="quiet small">Remove<span class="visually-hidden"> <%= row.what %></span></button></form></td>
  </tr>
  <% } %>
  </tbody>
</table>
</div>
<% if (it.${rows}.some(({ isBeyondTier }) => isBeyondTier)) { %><p class="hint">What is beyond your tier is kept, and you are not told of it: <a href="/pricing">what each tier includes</a>.</p><% } %>`;

const page = definePage<View>(
  'Watch',
  `${CHOSEN}
<h2>Names <small><%= it.names.length %> of <%= it.room.names %></small></h2>
<% if (it.names.length > 0) { %>${TABLE('names', 'Names that you watch', 'Name')}
<% } else { %><p>You watch no name yet. One that you watch is listed here, and you are told when it is about to be purged, when it drops, when it is confirmed as free, and when somebody has it again.</p><% } %>
<details class="filters"<% if (it.names.length === 0) { %> open<% } %>><summary>Watch a name</summary>
<form class="stack" method="post" action="/watch">
  <label for="domain">Name</label>
  <input id="domain" name="domain" required maxlength="300" placeholder="example.com.au" autocapitalize="none" autocomplete="off" spellcheck="false">
  ${KINDS}
  <button>Watch it</button>
</form>
</details>

<h2>Searches <small><%= it.searches.length %> of <%= it.room.searches %></small></h2>
<% if (it.searches.length > 0) { %>${TABLE('searches', 'Searches that you watch', 'Names')}
<% } else { %><p>You watch no search yet. <a href="/">Search</a>, narrow it to what you would register, and choose “Watch this search”: you are told of every name that comes into it.</p><% } %>

<h2>What happened</h2>
<% if (it.notices.length > 0) { %>
<ol class="time"><% for (const told of it.notices) { %><li><time datetime="<%= told.iso %>"><%= told.at %></time> <a href="<%= told.href %>"><%= told.domain %></a><%= told.words %></li><% } %></ol>
<% } else { %><p>Nothing yet. What you are told by mail is listed here as well, for 30 days.</p><% } %>

<h2>How you are told</h2>
<form class="stack" method="post" action="/watch/mails">
  <fieldset><legend>Mail to <%= it.email %></legend>
    <% for (const { value, words } of it.mailModes) { %><label><input type="radio" name="mails" value="<%= value %>"<% if (it.mails === value) { %> checked<% } %>> <%= words %></label><% } %>
  </fieldset>
  <button>Save</button>
</form>
<form class="stack key" method="post" action="/watch/feed">
  <label for="feed">Feed (Atom)</label>
  <input id="feed" readonly value="<%= it.feedUrl %>" autocomplete="off" spellcheck="false">
  <p class="hint">For a feed reader. Whoever has this address can read what you are told: a new one ends it.</p>
  <button class="quiet">Make a new address</button>
</form>
<p><% if (it.hasWebhooks) { %>For programs: a <a href="/profile/webhooks">webhook</a> can be told of what you watch, and of nothing else.<% } else { %>Programs can be told by webhook, <a href="/pricing">where the tier has them</a>.<% } %> They read and change what you watch at <a href="/docs">/api/v1/watches</a>.</p>`,
  { signedIn: true, section: '/watch' },
);

interface UnsubscribeView extends PageView {
  readonly token: string;
}

/** A button and not the link alone: programs that look into mail follow links. */
export const unsubscribePage = definePage<UnsubscribeView>(
  'No more mails of what you watch?',
  `<p>You go on watching, and the page and your feed tell you; the mails end.</p>
<form class="stack" method="post" action="/watch/unsubscribe?token=<%= it.token %>"><button>End the mails</button></form>`,
);

export const unsubscribedPage = definePage(
  'The mails have ended',
  `<p>You get no more mails of what you watch. <a href="/watch">Change that, or what you watch</a>.</p>`,
);
