import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { ApiError } from '../../errors/api-error.js';
import { Tiers } from '../../config/tiers.js';
import { eta, renderLayout, siteOf } from '../layout/layout.js';
import { readDocuments, type SiteDocument } from './documents.js';

const REFERENCE = '/api/v1/docs';

const BODY = eta.compile(`
<div class="wrap main grid aside-first">
  <nav class="menu" aria-label="Documents"><ul>
    <% for (const { address, menu } of it.documents) { %><li><a href="<%= address %>"<% if (address === it.document.address) { %> aria-current="page"<% } %>><%= menu %></a></li><% } %>
    <li><a href="${REFERENCE}">Reference (OpenAPI)</a></li>
  </ul></nav>
  <main id="main" tabindex="-1" class="prose">
    <% if (it.rendered.parts.length > 6) { %><details class="filters"><summary>On this page</summary><ul><% for (const { words, id } of it.rendered.parts) { %><li><a href="#<%= id %>"><%= words %></a></li><% } %></ul></details><% } %>
<%~ it.rendered.html %>
    <% if (it.next) { %><p class="actions"><a class="btn quiet" href="<%= it.next.address %>">Next: <%= it.next.menu %></a></p><% } %>
  </main>
</div>`);

/** What callers read: written once, in the Markdown files of the repository. */
@Injectable()
export class DocsPageService implements OnModuleInit {
  private documents: readonly SiteDocument[] = [];

  constructor(
    private readonly config: Config,
    private readonly tiers: Tiers,
  ) {}

  /** A file that is not there ends the start. */
  async onModuleInit(): Promise<void> {
    const { baseUrl } = this.config.links;
    this.documents = await readDocuments({ baseUrl, tiers: this.tiers.table });
  }

  /** @throws {ApiError} not_found */
  show(name: string, signedIn: boolean): string {
    const place = this.documents.findIndex((one) => one.name === name);
    const document = this.documents[place];
    if (!document) throw new ApiError('not_found', 'There is no document of this name.');
    const { address } = document;
    const rendered = document.render();
    const { title } = rendered;
    const next = this.documents[place + 1];
    return renderLayout(siteOf(this.config), {
      title,
      description: `${title}: how programs use Bowerbird, the search for dropped .au names.`,
      canonical: address,
      section: '/docs',
      signedIn,
      body: eta.render(BODY, { documents: this.documents, document, rendered, next }),
    });
  }
}
