import { eta } from '../layout/layout.js';

export interface AtomEntry {
  /** The same for the same entry for ever, and no other's. */
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly updated: Date;
  /** More than the title, where there is more to say. */
  readonly summary?: string;
}

export interface AtomFeed {
  readonly title: string;
  readonly subtitle?: string;
  /** Its own address. */
  readonly selfUrl: string;
  /** The page that says the same. */
  readonly pageUrl: string;
  /** Of a feed without entries. */
  readonly since: Date;
  /** The newest first. */
  readonly entries: readonly AtomEntry[];
}

const FEED = eta.compile(`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-AU">
  <id><%= it.selfUrl %></id>
  <title><%= it.title %></title>
  <% if (it.subtitle) { %><subtitle><%= it.subtitle %></subtitle><% } %>
  <updated><%= (it.entries[0]?.updated ?? it.since).toISOString() %></updated>
  <author><name>Bowerbird</name></author>
  <link rel="self" type="application/atom+xml" href="<%= it.selfUrl %>"/>
  <link rel="alternate" type="text/html" href="<%= it.pageUrl %>"/>
  <% for (const { id, title, url, updated, summary } of it.entries) { %>
  <entry>
    <id><%= id %></id>
    <title><%= title %></title>
    <updated><%= updated.toISOString() %></updated>
    <link rel="alternate" type="text/html" href="<%= url %>"/>
    <summary><%= summary ?? title %></summary>
  </entry>
  <% } %>
</feed>
`);

/** An Atom feed (RFC 4287). */
export function renderAtom(feed: AtomFeed): string {
  return eta.render(FEED, feed);
}
