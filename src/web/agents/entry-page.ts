import type { SiteView } from '../layout/layout.js';
import { definePlainPage, type PlainView } from '../plain-page.js';
import { type ApiPrefix, documentPath, DESCRIPTION, VERSION } from '../../config/product.js';
import {
  CHANGELOG_PATH,
  DEPRECATIONS,
  type Deprecation,
  VERSIONING_RULE,
} from '../../versioning/deprecations.js';

/** Somewhere to go from here. */
interface EntryLink {
  readonly name: string;
  readonly href: string;
  readonly what: string;
}

/** What there is, at the address where everybody begins: the short form of llms.txt. */
export interface Entry {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly links: readonly EntryLink[];
}

/** @param prefixes of the APIs that the installation opens to its callers */
export function describeEntry(baseUrl: string, prefixes: readonly ApiPrefix[], hasKeys: boolean): Entry {
  const link = (name: string, path: string, what: string): EntryLink => ({
    name,
    href: `${baseUrl}${path}`,
    what,
  });
  const apis = prefixes.flatMap((prefix) => {
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

interface ChangelogView extends PlainView {
  readonly rows: readonly Deprecation[];
}

const changelogPage = definePlainPage<ChangelogView>(`
    <h2>Deprecated</h2>
    <div class="table" role="region" aria-label="What is deprecated" tabindex="0">
    <table>
      <thead><tr><th scope="col">What</th><th scope="col">Since</th><th scope="col">Ends</th><th scope="col">Instead</th></tr></thead>
      <tbody>
      <% for (const { operation, parameter, since, sunset, instead } of it.rows) { %>
      <tr><td><% if (parameter) { %><%= parameter %> of <% } %><%= operation %></td><td><%= since %></td><td><%= sunset ?? 'with its prefix' %></td><td><%= instead %></td></tr>
      <% } %>
      </tbody>
    </table>
    </div>
`);

/** The page that every Deprecation header links to. */
export function renderChangelog(site: SiteView, rows: readonly Deprecation[] = DEPRECATIONS): string {
  return changelogPage(site, {
    heading: `Changes of the API, version ${VERSION}`,
    summary: withoutMarks(VERSIONING_RULE),
    rows: rows.map((row) => ({ ...row, instead: withoutMarks(row.instead) })),
  });
}

// The documents have them as Markdown.
function withoutMarks(text: string): string {
  return text.replaceAll('`', '');
}
