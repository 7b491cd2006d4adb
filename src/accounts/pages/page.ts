import { eta, renderLayout, type SiteView } from '../../pages/layout/layout.js';

const BODY = eta.compile(`
  <main id="main" tabindex="-1" class="wrap main">
    <h1><%= it.title %></h1>
    <% if (it.problem) { %><p class="problem" role="alert"><%= it.problem %></p><% } %>
    <% if (it.notice) { %><p class="notice" role="status"><%= it.notice %></p><% } %>
<%~ it.content %>
  </main>`);

// No page of an account has an address to share, and none of them shows what a registry said.
const SITE: SiteView = { baseUrl: '', hasAccounts: true, isSandbox: false };

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
}

/** A page: its content is an Eta template over the view, called `it` there. */
// The view's type is what its callers are held to.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function definePage<View extends PageView>(
  title: string,
  content: string,
  { signedIn, section }: PageOptions = { signedIn: false, section: '/sign-in' },
): (view: View) => string {
  const compiled = eta.compile(content);
  return (view) => {
    const { problem, notice } = view;
    const body = eta.render(BODY, { title, problem, notice, content: eta.render(compiled, view) });
    return renderLayout(SITE, { title, signedIn, section, scripted: true, body });
  };
}
