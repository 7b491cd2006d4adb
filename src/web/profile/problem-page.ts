import { definePage, type PageView } from './page.js';

export interface ProblemView extends PageView {
  readonly back: string;
  readonly requestId: string;
}

/** Where there is no form to show the problem in. */
export const problemPage = definePage<ProblemView>(
  'That did not work',
  `<p><a href="<%= it.back %>">Go back</a></p>
<p class="hint">If it goes on like this, tell the operator this number: <code><%= it.requestId %></code></p>`,
);
