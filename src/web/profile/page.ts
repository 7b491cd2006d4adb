import { eta, renderLayout, type SiteView } from '../layout/layout.js';

const BODY = eta.compile(`
  <main id="main" tabindex="-1" class="wrap main">
    <% if (it.places.length > 0) { %><nav class="places" aria-label="Account"><% for (const { path, name } of it.places) { %><a href="<%= path %>"<% if (path === it.section) { %> aria-current="page"<% } %>><%= name %></a><% } %></nav><% } %>
    <h1><%= it.title %></h1>
    <% if (it.problem) { %><p class="problem" role="alert"><%= it.problem %></p><% } %>
    <% if (it.notice) { %><p class="notice" role="status"><%= it.notice %></p><% } %>
<%~ it.content %>
  </main>`);

// No page of an account has an address to share, and none of them shows what a registry said.
const SITE: SiteView = { baseUrl: '', hasAccounts: true, isSandbox: false };

/** Pages of an account. */
const PLACES = [
  { path: '/profile', name: 'Account' },
  { path: '/profile/usage', name: 'Usage' },
  { path: '/profile/api-keys', name: 'API keys' },
  { path: '/profile/webhooks', name: 'Webhooks' },
  { path: '/profile/security', name: 'Security' },
  { path: '/profile/sessions', name: 'Sessions' },
];

/** What any page can show beside its own content. */
export interface PageView {
  /** Why the form that was sent is not done. */
  readonly problem?: string | undefined;
  /** What was done. */
  readonly notice?: string | undefined;
}

interface PageOptions {
  readonly signedIn: boolean;
  /** Path of the entry of the header that it belongs to. */
  readonly section?: string;
  /** Whether the script for passkeys belongs to it. */
  readonly takesPasskeys?: boolean;
}

/** A page: its content is an Eta template over the view, called `it` there. */
// The view's type is what its callers are held to.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function definePage<View extends PageView>(
  title: string,
  content: string,
  { signedIn, section, takesPasskeys = false }: PageOptions = { signedIn: false, section: '/sign-in' },
): (view: View) => string {
  const compiled = eta.compile(content);
  return (view) => {
    const { problem, notice } = view;
    const places = section?.startsWith('/profile') ? PLACES : [];
    const page = { title, problem, notice, section, places };
    const body = eta.render(BODY, { ...page, content: eta.render(compiled, view) });
    return renderLayout(SITE, { title, signedIn, section, scripted: true, takesPasskeys, body });
  };
}
