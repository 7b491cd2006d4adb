/** What to check; \`it\` is what check-view.ts makes of it. */
export const FORM_TEMPLATE = `
<main id="main" tabindex="-1">
  <section class="hero"><div class="wrap">
    <h1>Check a list of names</h1>
    <p class="lead">Paste up to <%= it.max %> .au names. The registry is asked about each of them at its own pace, and you see what it said, and when.</p>
    <% if (it.problem) { %><p class="problem" role="alert"><%= it.problem.message %></p><% } %>
    <form method="post" action="/check" enctype="multipart/form-data" class="text">
      <label for="names">Names, one a line, or the text of a CSV</label>
      <textarea id="names" name="names" rows="10" maxlength="16000" autocapitalize="none" autocomplete="off" spellcheck="false" placeholder="coffeecart.com.au&#10;coffeecart.net.au&#10;coffeecart.au"><%= it.text %></textarea>
      <label for="file">Or a file, as text or CSV</label>
      <input id="file" name="file" type="file" accept=".csv,.txt,text/csv,text/plain">
      <p class="hint">Of a CSV the column “domain” is read, or else the first.</p>
      <p class="actions"><button>Check them</button></p>
      <p class="hint">A name costs one record when it is answered, and nothing when it is not. You have <%= it.left %> left now; more in <%= it.rate.reset_in %> s.<% if (it.site.hasAccounts && !it.signedIn) { %> <a href="/pricing">An account has more</a>.<% } %></p>
    </form>
  </div></section>
</main>`;

/** What the registry said of them. */
export const ANSWERS_TEMPLATE = `
<main id="main" tabindex="-1">
  <section class="hero"><div class="wrap">
    <h1><%= it.title %></h1>
    <dl class="count"><% for (const { words, value } of it.figures) { %><div><dt><%= words %></dt><dd><%= value %></dd></div><% } %></dl>
    <% if (it.pending > 0) { %>
    <p class="lead">The registry is asked one name after the other, for everybody in turn. The rest is likely to be there in about <%= it.seconds %> s, and this page can be closed and opened again for an hour.</p>
    <p class="actions"><a class="btn" href="/check/<%= it.token %>?more" data-again="<%= it.seconds %>">See what has come since</a></p>
    <% } %>
    <% if (it.leftOut.length > 0) { %>
    <p class="lead">Your records were enough for the names before. Those that were left out were not asked about and cost nothing; you have <%= it.left %> now, and more in <%= it.resetIn %> s.<% if (it.site.hasAccounts && !it.signedIn) { %> <a href="/pricing">An account has more</a>.<% } %></p>
    <form method="post" action="/check" enctype="multipart/form-data"><textarea name="names" hidden><%= it.leftOut.join('\\n') %></textarea><button<% if (it.pending > 0) { %> class="quiet"<% } %>>Check those that were left out</button></form>
    <% } %>
    <p class="actions"><a class="btn quiet" href="/check/<%= it.token %>.csv">All of it as CSV</a><a class="btn quiet" href="/check">Another list</a></p>
  </div></section>
  <div class="wrap main">
    <table class="cards names">
      <caption class="visually-hidden">Names in the order in which they were pasted</caption>
      <thead><tr><th scope="col">Name</th><th scope="col">State, and when it was said</th><th scope="col">By whom, and what else</th><th scope="col" class="n">Archive score</th><th scope="col"><span class="visually-hidden">What to do</span></th></tr></thead>
      <tbody><% for (const row of it.rows) { %>
      <tr>
        <th scope="row"><% if (row.name) { %><a class="name" href="/domains/<%= row.domain %>"><%= row.name.label %><wbr><i><%= row.name.suffix %></i></a><% } else { %><%= row.domain %><% } %></th>
        <td class="said"><span class="chip <%= row.chip.tone %>"><%= row.chip.words %></span><% if (row.said) { %> <small><time datetime="<%= row.said.iso %>" title="<%= row.said.full %>"><%= row.said.words %></time></small><% } %></td>
        <td class="wide"><small><%= row.remark %></small></td>
        <td class="n hide"><%= row.score %></td>
        <td class="n do"><% if (row.registerUrl) { %><a class="btn quiet small" rel="nofollow" href="<%= row.registerUrl %>">Register<span class="visually-hidden"> <%= row.domain %></span></a><% } %></td>
      </tr><% } %>
      </tbody>
    </table>
  </div>
</main>`;
