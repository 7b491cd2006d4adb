import type { Request } from 'express';
import { API_PREFIXES } from '../../config/product.js';
import type { ApiError } from '../../errors/api-error.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { NameRefused } from '../names/name-refused.js';
import { eta, renderLayout, type SiteView } from '../layout/layout.js';
import { saidOfText } from '../words.js';

/** What people are told first; other failures are told by their message alone. */
const HEADINGS: Partial<Record<ErrorCode, string>> = {
  not_found: 'There is no page at this address',
  domain_missing: 'There is no name to look at',
  domain_invalid: 'This is not a .au name',
  domain_suffix_unsupported: 'This is not one of the suffixes looked at here',
  domain_not_registrable: 'This is not a name that anybody registers',
  method_not_allowed: 'This address is for programs',
  key_required: 'This is for accounts',
  tier_required: 'That is as far as these pages go',
  budget_exhausted: 'You have asked as often as you can for the moment',
  too_many_requests: 'That was a lot of pages',
  registry_unavailable: 'The registry does not answer',
  database_unavailable: 'The service is resting for a moment',
  not_ready: 'The service is resting for a moment',
  internal_error: 'Something broke on our side',
};

interface WayOn {
  readonly words: string;
  readonly href: string;
}

const MORE: readonly WayOn[] = [{ words: 'What each tier shows', href: '/pricing' }];
const WAYS_ON: Partial<Record<ErrorCode, readonly WayOn[]>> = {
  key_required: MORE,
  tier_required: MORE,
  budget_exhausted: MORE,
  too_many_requests: MORE,
  registry_unavailable: [{ words: 'How the registry is doing', href: '/status' }],
};

const BODY = eta.compile(`
<main id="main" tabindex="-1" class="wrap main">
  <h1><%= it.heading %></h1>
  <p><%= it.message %></p>
  <div class="actions">
    <% if (it.retry) { %><a class="btn" href="<%= it.retry %>">Try again<% if (it.waitSeconds) { %> in <%= it.waitSeconds %> s<% } %></a><% } %>
    <% if (it.registrable) { %><a class="btn" href="/domains/<%= it.registrable %>">Look at <%= it.registrable %></a><% } %>
    <% if (it.back) { %><a class="btn" href="<%= it.back %>">Go back</a><% } %>
    <% for (const { words, href } of it.waysOn) { %><a class="btn quiet" href="<%= href %>"><%= words %></a><% } %>
    <% if (it.offersAccount) { %><a class="btn quiet" href="/sign-up">Make an account</a><% } %>
    <% if (it.isApi) { %><a class="btn quiet" href="/api/v1/docs">The documents of the API</a><% } %>
  </div>
  <form method="get" action="/" role="search" class="text">
    <div class="q"><input name="q" type="search" aria-label="A word, or a whole name" placeholder="a word, or a whole name" maxlength="200" autocapitalize="none" autocomplete="off" spellcheck="false"><button>Search</button></div>
  </form>
  <p class="hint">Should it go on like this, tell the operator this number: <code><%= it.requestId %></code></p>
</main>`);

/** A failure as people read it: what it is, and the next step first. */
export function renderErrorPage(site: SiteView, error: ApiError, request: Request): string {
  const { code, message, status, retryAfterSeconds } = error;
  const heading = HEADINGS[code] ?? 'That did not work';
  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  const body = eta.render(BODY, {
    heading,
    message: sentenceOf(code, message),
    retry: isSafe && (status >= 500 || status === 429) ? onThisSite(request.originalUrl) : null,
    registrable: error instanceof NameRefused ? error.registrable : null,
    back: isSafe ? null : onThisSite(request.path),
    waitSeconds: retryAfterSeconds,
    waysOn: WAYS_ON[code] ?? [],
    offersAccount: site.hasAccounts && MORE === WAYS_ON[code],
    isApi: API_PREFIXES.some((prefix) => request.path.startsWith(`/${prefix}/`)),
    requestId: request.requestId,
  });
  return renderLayout(site, { title: heading, body });
}

// An address that begins with two slashes names another host.
const onThisSite = (address: string): string => address.replace(/^[/\\]+/, '/');

// Where nothing is, programs are told of their document.
function sentenceOf(code: ErrorCode, message: string): string {
  if (code === 'not_found' && message.startsWith('There is nothing at this address'))
    return 'It may have been mistyped, or what was here is gone.';
  return saidOfText(message);
}
