import { Eta } from 'eta';

// Escapes what it writes; `<%~` is for the layout's own use.
const eta = new Eta({ autoEscape: true });

const LAYOUT = eta.compile(`<!doctype html>
<html lang="en-AU">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="robots" content="noindex">
  <title><%= it.title %> · Bowerbird</title>
  <link rel="stylesheet" href="/assets/accounts.css">
  <script src="/assets/accounts.js" defer></script>
</head>
<body>
  <a class="skip" href="#main">Skip to the content</a>
  <header>
    <strong>Bowerbird</strong>
    <nav aria-label="Account">
      <% if (it.signedIn) { %>
      <a href="/profile/api-keys">API keys</a>
      <a href="/profile">Account</a>
      <form method="post" action="/sign-out"><button class="plain">Sign out</button></form>
      <% } else { %>
      <a href="/sign-in">Sign in</a>
      <a href="/sign-up">Sign up</a>
      <% } %>
    </nav>
  </header>
  <main id="main" tabindex="-1">
    <h1><%= it.title %></h1>
    <% if (it.problem) { %><p class="problem" role="alert"><%= it.problem %></p><% } %>
    <% if (it.notice) { %><p class="notice" role="status"><%= it.notice %></p><% } %>
<%~ it.body %>
  </main>
</body>
</html>
`);

/** What any page can show beside its own content. */
export interface PageView {
  /** Why the form that was sent is not done. */
  readonly problem?: string | undefined;
  /** What was done. */
  readonly notice?: string | undefined;
}

/** A page: its content is an Eta template over the view, called `it` there. */
// The view's type is what its callers are held to.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function definePage<View extends PageView>(
  title: string,
  content: string,
  { signedIn }: { signedIn: boolean } = { signedIn: false },
): (view: View) => string {
  const compiled = eta.compile(content);
  return (view) => {
    const { problem, notice } = view;
    return eta.render(LAYOUT, { title, problem, notice, signedIn, body: eta.render(compiled, view) });
  };
}
