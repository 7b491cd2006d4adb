import { createHash } from 'node:crypto';
import { Eta } from 'eta';
import type { Config } from '../../config/config.js';
import { documentPath } from '../../config/product.js';
import { MARK } from './mark.js';
import { PASSKEY_SCRIPT, SCRIPT } from './script.js';
import { STYLESHEET } from './stylesheet.js';

/** Escapes what it writes; `<%~` is for markup of ours. */
export const eta = new Eta({ autoEscape: true });

/** The site as every page shows it. */
export interface SiteView {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly hasAccounts: boolean;
  /** Whether names and registry are made up. */
  readonly isSandbox: boolean;
}

export function siteOf({ auth, links, registry }: Config): SiteView {
  return {
    baseUrl: links.baseUrl,
    hasAccounts: auth.enabled,
    isSandbox: registry.source === 'sandbox',
  };
}

/** A page but for what all pages have in common. */
export interface Page {
  readonly title: string;
  /** Said to search engines and where a link is shared. */
  readonly description?: string | undefined;
  /** Path of the one address of what is shown; left out: the page is no search engine's business. */
  readonly canonical?: string | undefined;
  /** Path of the entry of the header that it belongs to. */
  readonly section?: string | undefined;
  readonly signedIn?: boolean | undefined;
  /** Whether something on the page is nicer with the script. */
  readonly scripted?: boolean | undefined;
  /** Whether the script for passkeys belongs to it as well. */
  readonly takesPasskeys?: boolean | undefined;
  /** Markup. Content stands in a `<main>`. */
  readonly body: string;
}

const versionOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);
const STYLESHEET_URL = `/assets/site.css?v=${versionOf(STYLESHEET)}`;
const SCRIPT_URL = `/assets/site.js?v=${versionOf(SCRIPT)}`;
const PASSKEY_SCRIPT_URL = `/assets/passkeys.js?v=${versionOf(PASSKEY_SCRIPT)}`;

/** Places of the header. */
export const SECTIONS = [
  { path: '/', name: 'Search' },
  { path: '/drops', name: 'Drops' },
  { path: '/watch', name: 'Watch' },
  { path: '/docs', name: 'API' },
  { path: '/pricing', name: 'Pricing' },
  { path: '/status', name: 'Status' },
] as const;

const LAYOUT = eta.compile(`<!doctype html>
<html lang="en-AU">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title><%= it.title %> · Bowerbird</title>
  <% if (it.canonical) { %>
  <link rel="canonical" href="<%= it.site.baseUrl + it.canonical %>">
  <meta property="og:title" content="<%= it.title %>">
  <meta property="og:type" content="website">
  <meta property="og:site_name" content="Bowerbird">
  <meta property="og:image" content="<%= it.site.baseUrl %>/assets/open-graph.png">
  <meta property="og:image:width" content="1200">
  <meta property="og:image:height" content="630">
  <meta property="og:image:alt" content="Bowerbird: good .au names that somebody let go">
  <meta name="twitter:card" content="summary_large_image">
  <meta property="og:url" content="<%= it.site.baseUrl + it.canonical %>">
  <% if (it.description) { %>
  <meta name="description" content="<%= it.description %>">
  <meta property="og:description" content="<%= it.description %>">
  <% } %>
  <% } else { %>
  <meta name="robots" content="noindex">
  <% } %>
  <link rel="icon" href="/assets/mark.svg" type="image/svg+xml">
  <% if (it.section === '/drops') { %><link rel="alternate" type="application/atom+xml" href="/drops.atom" title="Dropped .au names, day by day"><% } %>
  <link rel="stylesheet" href="${STYLESHEET_URL}">
  <% if (it.scripted) { %><script src="${SCRIPT_URL}" defer></script><% } %>
  <% if (it.takesPasskeys) { %><script src="${PASSKEY_SCRIPT_URL}" defer></script><% } %>
</head>
<body>
  <a class="skip" href="#main">Skip to the content</a>
  <header class="top"><div class="wrap">
    <a class="brand" href="/">${MARK}Bowerbird</a>
    <nav aria-label="Main">
      <% for (const { path, name } of it.sections) { %>
      <a href="<%= path %>"<% if (path === it.section) { %> aria-current="page"<% } %>><%= name %></a>
      <% } %>
      <% if (it.signedIn) { %>
      <a href="/profile/api-keys"<% if (it.section === '/profile/api-keys') { %> aria-current="page"<% } %>>API keys</a>
      <a href="/profile"<% if (it.section === '/profile') { %> aria-current="page"<% } %>>Account</a>
      <form method="post" action="/sign-out"><button class="plain">Sign out</button></form>
      <% } else if (it.site.hasAccounts) { %>
      <a href="/sign-in"<% if (it.section === '/sign-in') { %> aria-current="page"<% } %>>Sign in</a>
      <% } %>
    </nav>
  </div></header>
  <% if (it.site.isSandbox) { %>
  <aside class="sandbox" aria-label="Sandbox"><p class="wrap">Sandbox: the registry behind these pages is invented, and so are its answers.</p></aside>
  <% } %>
<%~ it.body %>
  <footer><div class="wrap">
    <span>Names that were dropped, checked at the registry. Nothing is bought here.</span>
    <a href="/check">Check a list of names</a>
    <a href="/about">About</a>
    <a href="/terms">Terms</a>
    <a href="/privacy">Privacy</a>
    <a href="/docs/changelog">Changes</a>
    <a href="${documentPath('api/v1')}">OpenAPI</a>
    <a href="/llms.txt">llms.txt</a>
  </div></footer>
</body>
</html>
`);

/** The whole page. */
export function renderLayout(site: SiteView, page: Page): string {
  const sections = SECTIONS.filter(({ path }) => site.hasAccounts || path !== '/watch');
  return eta.render(LAYOUT, { ...page, site, sections });
}
