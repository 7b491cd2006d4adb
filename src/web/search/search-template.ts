const SELECT = (id: string, label: string, options: string) => `
        <div><label for="${id}">${label}</label><select id="${id}" name="${id}">
          <% for (const { value, words } of it.options.${options}) { %><option value="<%= value %>"<% if ((it.filled.${id} ?? it.options.${options}[0].value) === value) { %> selected<% } %>><%= words %></option><% } %>
        </select></div>`;

const FIELD = (id: string, label: string, attributes: string) => `
        <div><label for="${id}">${label}</label><input id="${id}" name="${id}" ${attributes} value="<%= it.filled.${id} ?? '' %>"></div>`;

const FORM = `
    <form method="get" action="/" role="search">
      <div class="q">
        <input name="q" type="search" aria-label="A word, or a whole name" placeholder="a word, or a whole name" value="<%= it.typed %>" maxlength="200" autocapitalize="none" autocomplete="off" spellcheck="false">
        <button>Search</button>
      </div>
      <details class="filters">
        <summary>Filters and order<% if (it.narrowed > 0) { %> (<%= it.narrowed %> set)<% } %></summary>
        <fieldset><legend>Suffix</legend><div class="actions">
          <% for (const tld of it.suffixes) { %><label><input type="checkbox" name="tld" value="<%= tld %>"<% if (it.tlds.includes(tld)) { %> checked<% } %>> .<%= tld %></label><% } %>
        </div></fieldset>
        <div class="fields">${SELECT('mode', 'The word stands', 'modes')}${FIELD('min_length', 'Fewest letters', 'type="number" min="2" max="63" inputmode="numeric"')}${FIELD('max_length', 'Most letters', 'type="number" min="2" max="63" inputmode="numeric"')}${SELECT('hyphens', 'Hyphens', 'presences')}${SELECT('numbers', 'Digits', 'presences')}${FIELD('min_wayback', 'Least score', 'type="number" min="0" inputmode="numeric"')}${FIELD('max_wayback', 'Greatest score', 'type="number" min="0" inputmode="numeric"')}${FIELD('first_seen_from', 'First seen from', 'type="date"')}${FIELD('first_seen_to', 'First seen until', 'type="date"')}${SELECT('sort', 'Order', 'sorts')}
        </div>
        <button class="quiet">Search with these</button>
      </details>
    </form>`;

const CHIPS = `
    <% if (it.found && it.found.chips.length > 0) { %>
    <ul class="chips" aria-label="Narrow it down">
      <% for (const { words, count, href, isOn } of it.found.chips) { %>
      <li><a href="<%= href %>"<% if (isOn) { %> aria-current="true"<% } %>><%= words %><% if (count !== null) { %> <b><%= count %></b><% } %></a></li>
      <% } %>
    </ul>
    <% if (it.found.isCapped && it.found.chips.some(({ count }) => count !== null)) { %><p class="hint">So many match that the numbers are of the best of them.</p><% } %>
    <% } %>`;

const NOTHING = `
    <h2>No name like this is on offer</h2>
    <% if (it.guesses.length > 0) { %>
    <p>It may still be free: these lists hold names that were dropped. Ask the registry about the word under every suffix, for a record each, or look at one:</p>
    <form method="post" action="/check" enctype="multipart/form-data"><textarea name="names" hidden><%= it.guesses.join('\\n') %></textarea><button>Ask the registry about all <%= it.guesses.length %></button></form>
    <ul class="chips"><% for (const name of it.guesses) { %><li><a href="/domains/<%= name %>"><%= name %></a></li><% } %></ul>
    <% } %>
    <% if (it.wider.length > 0) { %>
    <p>Or change the search:</p>
    <ul><% for (const { words, href } of it.wider) { %><li><a href="<%= href %>"><%= words %></a></li><% } %></ul>
    <% } else { %>
    <p>The lists are empty: no drop list has been taken in yet. <a href="/status">The status</a> says why.</p>
    <% } %>`;

/** The search page; \`it\` is a SearchView and what search-view.ts makes of it. */
export const SEARCH_TEMPLATE = `
<main id="main" tabindex="-1">
  <section class="hero"><div class="wrap">
    <h1>Good .au names that somebody let go</h1>
    <p class="lead"><%= it.availableWords %> dropped names, ranked by how long the web archive remembers them, and asked of the registry before they are offered.</p>
    <% if (it.problem) { %><p class="problem" role="alert"><%= it.problem %></p><% } %>${FORM}${CHIPS}
  </div></section>
  <div class="wrap">
    <p class="truth"><% for (const words of it.freshness) { %><span><%= words %></span><% } %><span><a href="/status">how this is measured</a></span><span><a href="/check">check a list of names</a></span></p>
    <% if (it.named) { %><p class="notice"><a href="/domains/<%= it.named %>">Look at <%= it.named %></a> itself, and ask the registry about it.</p><% } %>
    <% if (it.table) { %>
    <h2 class="visually-hidden">Names</h2><%~ it.table %>
    <% if (it.found.timedOut) { %><p>There are so many that the search was cut short: these are the first of them.</p><% } %>
    <div class="foot"><span><%= it.range %></span><a href="<%= it.csv %>" rel="nofollow">CSV</a><% if (it.found.next) { %><a class="btn quiet" rel="next nofollow" href="<%= it.found.next %>">Next page</a><% } %></div>
    <% if (it.found.endsAt !== null) { %>
    <p class="panel ends">These pages show you the first <%= it.found.endsAt %> names of a search. Narrow it with a filter above to see others<% if (!it.signedIn) { %>, or see more with an account<% } %>: <a href="/pricing">what each tier shows</a>.</p>
    <% } %>
    <% } else if (it.found && it.found.timedOut) { %><p>The time was over before the first name was found, so nothing is known: ask again, or narrow the search.</p>
    <% } else if (it.found) { %>${NOTHING}
    <% } %>
    <% if (it.found && it.watched !== '') { %>
    <form class="actions" method="post" action="/watch"><input type="hidden" name="question" value="<%= it.watched %>"><button class="quiet">Watch this search</button><span class="hint">and be told of every name that comes into it</span></form>
    <% } %>
    <% if (!it.problem) { %>
    <details class="filters"><summary>This search as an API call</summary>
      <% for (const { language, code } of it.samples) { %><h2><%= language %></h2><pre tabindex="0"><code><%= code %></code></pre><% } %>
      <p><a href="/api/v1/docs">The API's documents</a>. Without a key it answers with a few records a minute.</p>
    </details>
    <% } %>
  </div>
</main>`;
