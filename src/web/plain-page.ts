import { eta, renderLayout, type SiteView } from './layout/layout.js';

const TOP = `
  <main id="main" tabindex="-1" class="wrap main">
    <h1><%= it.heading %></h1>
    <p><%= it.summary %></p>
`;

/** What a plain page begins with. */
export interface PlainView {
  readonly heading: string;
  readonly summary: string;
}

/** A page that is a heading, a summary and some content: an Eta template over the view, called `it` there. */
// The view's type is what its callers are held to.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function definePlainPage<View extends PlainView>(
  content: string,
): (site: SiteView, view: View) => string {
  const compiled = eta.compile(`${TOP}${content}\n  </main>`);
  return (site, view) => renderLayout(site, { title: view.heading, body: eta.render(compiled, view) });
}
