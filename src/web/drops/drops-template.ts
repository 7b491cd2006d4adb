/** The page of a day; \`it\` is what drops-view.ts makes of it. */
export const DROPS_TEMPLATE = `
<main id="main" tabindex="-1">
  <section class="hero"><div class="wrap">
    <h1><%= it.title %></h1>
    <p class="lead"><% for (const [place, { words, iso, distance }] of it.runTimes.entries()) { %><% if (place > 0) { %>; <% } %><%= words %>, <time datetime="<%= iso %>" data-countdown><%= distance %></time><% } %><% if (it.runTimes.length > 0) { %>. Until then their holders can still rescue them.<% } else { %><%= it.lead %><% } %></p>
    <ul class="chips" aria-label="Days"><% for (const { href, words, isOn } of it.days) { %><li><a href="<%= href %>"<% if (isOn) { %> aria-current="date"<% } %>><%= words %></a></li><% } %></ul>
    <dl class="count"><% for (const { words, value } of it.figures) { %><div><dt><%= words %></dt><dd><%= value %></dd></div><% } %></dl>
  </div></section>
  <div class="wrap main">
    <h2>Best of the day</h2>
    <ul class="chips" aria-label="What happened"><% for (const { href, words, isOn } of it.tabs) { %><li><a href="<%= href %>"<% if (isOn) { %> aria-current="true"<% } %>><%= words %></a></li><% } %></ul>
    <% if (it.table) { %><%~ it.table %>
    <div class="foot"><span></span><% if (it.names.next) { %><a class="btn quiet" rel="next nofollow" href="<%= it.names.next %>">Next page</a><% } %></div>
    <% if (it.names.endsAt !== null) { %><p class="panel ends">These pages show you the first <%= it.names.endsAt %> names of a day<% if (!it.signedIn) { %>; an account shows more<% } %>: <a href="/pricing">what each tier shows</a>.</p><% } %>
    <% } else if (it.names.timedOut) { %><p>So much happened on this day that it cannot be put in order in time. <a href="/?sort=first_seen">The newest names</a> are in the search.</p>
    <% } else { %><p>No name is <%= it.listWords %> on this day. Try another list above, another day, or <a href="/">search</a> what is on offer.</p><% } %>
    <% if (it.chart) { %>
    <h2>Thirty days</h2>
    <%~ it.chart %>
    <details class="filters"><summary>The numbers</summary>
      <table><thead><tr><th scope="col">Day</th><th scope="col" class="n">Names that dropped</th></tr></thead>
      <tbody><% for (const { label, value } of it.bars) { %><tr><th scope="row"><%= label %></th><td class="n"><%= value %></td></tr><% } %></tbody></table>
    </details>
    <% } %>
    <h2><%= it.month.name %></h2>
    <table class="month"><caption class="visually-hidden">Days of the month</caption>
      <thead><tr><th scope="col">Mo</th><th scope="col">Tu</th><th scope="col">We</th><th scope="col">Th</th><th scope="col">Fr</th><th scope="col">Sa</th><th scope="col">Su</th></tr></thead>
      <tbody><% for (const week of it.month.weeks) { %><tr><% for (const one of week) { %><td><% if (one) { %><a href="<%= one.href %>"<% if (one.isOn) { %> aria-current="date"<% } %>><%= one.date %><span class="visually-hidden"><%= one.rest %></span><small<% if (one.isDue) { %> class="due"<% } %>><%= one.names %><span class="visually-hidden"><%= one.what %></span></small></a><% } %></td><% } %></tr><% } %></tbody>
    </table>
    <p class="hint">The small number is how many names dropped that day, or <span class="due">are due</span>.</p>
    <p class="actions"><a href="<%= it.month.before %>">The month before</a><a href="<%= it.month.behind %>">The month after</a></p>
    <h2>Take it with you</h2>
    <p class="actions"><a class="btn quiet small" href="/drops.csv?date=<%= it.day %>&amp;list=<%= it.list %>" rel="nofollow">This list as CSV</a><a class="btn quiet small" href="/drops.atom">The last days as a feed (Atom)</a><a class="btn quiet small" href="/api/v1/drops/upcoming.ics?date=<%= it.day %>" rel="nofollow">What is due that day, for your calendar (ICS)</a><a class="btn quiet small" href="/api/v1/drops/upcoming.ics" rel="nofollow">All that is due, to subscribe to (ICS)</a></p>
    <p class="hint">CSV is for accounts and costs one record a name; the calendar costs the names it names. The feed is free.</p>
  </div>
</main>`;
