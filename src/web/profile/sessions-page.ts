import { definePage, type PageView } from './page.js';
import { dayInWords, momentInWords } from '../words.js';
import { deviceInWords } from './device-words.js';
import type { Session } from './session.repository.js';

export interface SessionsView extends PageView {
  readonly sessions: readonly Session[];
  readonly currentId: string;
}

export function sessionsPage({ sessions, currentId, notice }: SessionsView): string {
  const rows = sessions.map(({ id, userAgent, createdAt, usedAt, endsAt }) => ({
    id,
    device: deviceInWords(userAgent),
    began: momentInWords(createdAt),
    used: dayInWords(usedAt.toISOString().slice(0, 10)),
    ends: dayInWords(endsAt.toISOString().slice(0, 10)),
    isCurrent: id === currentId,
  }));
  return page({ rows, notice });
}

interface View extends PageView {
  readonly rows: readonly {
    id: string;
    device: string;
    began: string;
    used: string;
    ends: string;
    isCurrent: boolean;
  }[];
}

const page = definePage<View>(
  'Sessions',
  `<p>Browsers that are signed in to your account. Do you not know one? End it, and <a href="/profile">change your password</a>.</p>
<div class="table" role="region" aria-label="Sessions" tabindex="0">
<table class="cards">
  <thead><tr><th scope="col">Browser</th><th scope="col">Signed in</th><th scope="col">Last used</th><th scope="col">Ends</th><th scope="col">Change</th></tr></thead>
  <tbody>
  <% for (const row of it.rows) { %>
  <tr>
    <th scope="row"><%= row.device %></th>
    <td data-label="Signed in"><%= row.began %></td>
    <td data-label="Last used"><%= row.used %></td>
    <td data-label="Ends"><%= row.ends %></td>
    <td><% if (row.isCurrent) { %><span class="chip free">this browser</span><% } else { %><form method="post" action="/profile/sessions/<%= row.id %>/end"><button class="quiet small">End<span class="visually-hidden"> the session of <%= row.device %>, <%= row.began %></span></button></form><% } %></td>
  </tr>
  <% } %>
  </tbody>
</table>
</div>
<% if (it.rows.length > 1) { %><form method="post" action="/profile/sessions/end-others"><button class="danger">End all others</button></form>
<% } else { %><p>No other browser is signed in. One that is shows here, and can be signed out from here.</p><% } %>`,
  { signedIn: true, section: '/profile/sessions' },
);
