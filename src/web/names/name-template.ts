const TIME = `<% const time = (view) => '<time datetime="' + view.iso + '" title="' + view.full + '">' + view.words + '</time>'; %>`;

const HERO = `
  <section class="hero"><div class="wrap">
    <p><span class="chip <%= it.badge.tone %>"><%= it.badge.words %></span> <% if (it.said) { %><small><%= it.saidBy ?? 'somebody' %> said so <%~ time(it.said) %></small><% } %></p>
    <h1><%= it.name.name %><wbr><i>.<%= it.name.tld %></i></h1>
    <p class="lead"><%= it.meaning %><% if (it.words) { %> In its words: “<%= it.words %>”.<% } %> <%= it.lead %></p>
    <% if (it.caution) { %><p class="problem"><%= it.caution %></p><% } %>
    <div class="actions">
      <% for (const [place, { href, at, earns }] of it.handOffs.entries()) { %><a class="btn<% if (place > 0) { %> quiet<% } %>" rel="nofollow<% if (earns) { %> sponsored<% } %>" href="<%= href %>">Register at <%= at %></a><% } %>
      <% if (it.canAsk) { %><form method="post" action="/domains/<%= it.name.domain %>"><button data-ask<% if (it.handOffs.length > 0) { %> class="quiet"<% } %>>Ask the registry <%= it.handOffs.length > 0 ? 'again' : 'now' %></button></form><% } else { %><a class="btn" href="/?q=<%= it.name.name %>">Look for another name</a><% } %>
      <% if (it.canWatch) { %><form method="post" action="/watch"><input type="hidden" name="domain" value="<%= it.name.domain %>"><% for (const kind of ['listed', 'dropped', 'gone']) { %><input type="hidden" name="on" value="<%= kind %>"><% } %><button class="quiet">Watch</button></form><% } %>
      <a class="btn quiet" rel="nofollow" href="<%= it.waybackUrl %>">Web archive</a>
    </div>
    <% if (it.handOffs.length > 0) { %><p class="hint">Nothing is bought here: the registrar has the name or not, and asks who you are. <% if (it.earning.length > 0) { %>Registering at <%= it.earning.join(' or ') %> earns the operator of this site money.<% } else { %>These links earn nobody here money.<% } %></p><% } else if (it.canAsk) { %><p class="hint">Asking costs one record of your budget, and nothing when the registry gives no answer.</p><% } %>
  </div></section>`;

const HISTORY = `
    <% if (it.chart) { %>
    <h2>Years in the archive</h2>
    <%~ it.chart %>
    <details class="filters"><summary>The numbers</summary>
      <table><thead><tr><th scope="col">Year</th><th scope="col" class="n">Days with a capture</th></tr></thead>
      <tbody><% for (const { label, value } of it.years) { %><tr><th scope="row"><%= label %></th><td class="n"><%= value %></td></tr><% } %></tbody></table>
    </details>
    <% } %>
    <% if (it.steps.length > 0) { %><details class="filters"><summary>How the score came about</summary><ol><% for (const step of it.steps) { %><li><%= step %></li><% } %></ol></details><% } %>
    <h2>What happened</h2>
    <% if (it.events.length > 0) { %>
    <ol class="time"><% for (const { what, at, day } of it.events) { %><li><b><% if (at) { %><time datetime="<%= at.iso %>"><%= at.full %></time><% } else { %><%= day %><% } %></b> <%= what %></li><% } %></ol>
    <% } else { %><p>Nothing that anybody told of here.</p><% } %>
    <h2>The same label elsewhere</h2>
    <ul class="sib"><% for (const { tld, domain, isThis, at, badge } of it.siblings) { %><li><% if (isThis) { %><b>.<%= tld %></b><% } else { %><a href="/domains/<%= domain %>">.<%= tld %></a><% } %><span class="chip <%= badge.tone %>"><%= badge.words %></span><% if (at) { %><small><time datetime="<%= at.iso %>" title="<%= at.full %>"><%= at.words %></time></small><% } %></li><% } %></ul>`;

const ASIDE = `
    <section class="panel"><h2>Facts</h2><dl><% for (const [what, value] of it.facts) { %><dt><%= what %></dt><dd><%= value %></dd><% } %></dl></section>
    <section class="panel"><h2>Who may hold a .<%= it.name.tld %> name</h2><p><%= it.eligibility.who %></p><p><%= it.eligibility.names %></p><% if (it.eligibility.link) { %><p><a href="<%= it.eligibility.link %>">The rule</a></p><% } %></section>
    <section class="panel"><h2>For programs</h2><p><a href="<%= it.apiUrl %>">As JSON</a></p><pre tabindex="0"><code>curl '<%= it.checkUrl %>'</code></pre></section>`;

/** The page of a name; \`it\` is what name-view.ts makes of what is known. */
export const NAME_TEMPLATE = `${TIME}
<main id="main" tabindex="-1">${HERO}
  <div class="wrap main grid"><div>${HISTORY}
  </div><aside aria-label="Facts">${ASIDE}
  </aside></div>
</main>`;
