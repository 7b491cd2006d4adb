import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresKeys } from '../access/requirements.js';
import { API_PREFIXES, type ApiPrefix, documentPath, DESCRIPTION, VERSION } from '../config/product.js';
import { Config } from '../config/config.js';
import { CHANGELOG_PATH, DEPRECATIONS, type Deprecation, VERSIONING_RULE } from '../access/deprecations.js';
import { renderLayout, type SiteView, siteOf } from './layout/layout.js';
import { prefersHtml, setPageHeaders } from './layout/page-requests.js';
import { template } from './layout/templates.js';
import { SearchPageService } from './search/search-page.service.js';

@ApiExcludeController()
@IgnoresKeys()
@Controller()
export class EntryController {
  private readonly entry: Entry;
  private readonly site: SiteView;

  constructor(
    config: Config,
    private readonly search: SearchPageService,
  ) {
    const { auth, links } = config;
    this.site = siteOf(config);
    this.entry = describeEntry(links.baseUrl, auth.enabled);
  }

  @Get()
  @Header('Cache-Control', 'public, max-age=3600')
  showEntry(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Entry | Promise<string> {
    response.vary('Accept');
    return prefersHtml(request) ? this.search.show(request, response) : this.entry;
  }

  @Get('changelog')
  showChangelog(@Res({ passthrough: true }) response: Response): string {
    setPageHeaders(response);
    return renderChangelog(this.site);
  }
}

interface EntryLink {
  readonly name: string;
  readonly href: string;
  readonly what: string;
}

/** All doors of the service: the short form of llms.txt. */
interface Entry {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly links: readonly EntryLink[];
}

function describeEntry(baseUrl: string, hasKeys: boolean): Entry {
  const link = (name: string, path: string, what: string): EntryLink => ({
    name,
    href: `${baseUrl}${path}`,
    what,
  });
  const apis = API_PREFIXES.flatMap((prefix: ApiPrefix) => {
    const name = prefix.replace('/', '-');
    return [
      link(`openapi-${name}`, documentPath(prefix), `The REST API below /${prefix}, as OpenAPI 3.1`),
      link(`docs-${name}`, `/${prefix}/docs`, `The same to read and to try`),
    ];
  });
  return {
    name: 'Bowerbird',
    description: DESCRIPTION,
    version: VERSION,
    links: [
      ...apis,
      link('mcp', '/mcp', 'The tool server for AI agents (Streamable HTTP, POST)'),
      link('llms.txt', '/llms.txt', 'All of it in one text, for language models'),
      link('server.json', '/server.json', 'The entry for the MCP registry'),
      link('stats', '/v1/stats', 'What the dataset holds'),
      link('status', '/api/v1/status', 'How true and how fresh it is, measured'),
      link('changelog', `/${CHANGELOG_PATH}`, 'What is deprecated, and how the API changes'),
      ...(hasKeys ? [link('sign-up', '/sign-up', 'An account, for API keys')] : []),
    ],
  };
}

interface ChangelogView {
  readonly heading: string;
  readonly summary: string;
  readonly rows: readonly Deprecation[];
}

const changelog = template<ChangelogView>('changelog');

/** The page that every Deprecation header links to. */
function renderChangelog(site: SiteView): string {
  const heading = `Changes of the API, version ${VERSION}`;
  const rows = DEPRECATIONS.map((row) => ({ ...row, instead: withoutMarks(row.instead) }));
  const body = changelog({ heading, summary: withoutMarks(VERSIONING_RULE), rows });
  return renderLayout(site, { title: heading, body });
}

// The texts are Markdown.
function withoutMarks(text: string): string {
  return text.replaceAll('`', '');
}
