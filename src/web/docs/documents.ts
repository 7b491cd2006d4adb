import { readFile } from 'node:fs/promises';
import { posix, join } from 'node:path';
import { PROJECT_FOLDER } from '../../config/product.js';
import { errorRows } from '../../errors/error-codes.js';
import { tierRows, type TierTable } from '../../config/tiers.js';
import { toMarkdown } from '../../validation/formats.js';
import { deprecationTable } from '../../versioning/deprecations.js';
import { once } from '../../validation/caches.js';
import { type Rendered, renderMarkdown } from './markdown.js';

/** The documents, each a Markdown file of the repository, in the order in which they are read. */
export const DOCUMENTS = [
  { name: '', menu: 'Start', file: 'docs/site/start.md' },
  { name: 'samples', menu: 'Code samples', file: 'docs/site/samples.md' },
  { name: 'api', menu: 'Endpoints in words', file: 'docs/API.md' },
  { name: 'limits', menu: 'Limits', file: 'docs/site/limits.md' },
  { name: 'errors', menu: 'Errors', file: 'docs/site/errors.md' },
  { name: 'webhooks', menu: 'Webhooks', file: 'docs/site/webhooks.md' },
  { name: 'mcp', menu: 'AI agents (MCP)', file: 'docs/site/mcp.md' },
  { name: 'changelog', menu: 'Changes', file: 'CHANGELOG.md' },
] as const;

export type DocumentName = (typeof DOCUMENTS)[number]['name'];

/** A document as the site shows it. */
export interface SiteDocument {
  readonly name: DocumentName;
  readonly address: string;
  readonly menu: string;
  readonly render: () => Rendered;
}

/** What the documents say of this installation. */
interface Installation {
  readonly baseUrl: string;
  readonly tiers: TierTable;
}

export const addressOfDocument = (name: DocumentName): string => (name === '' ? '/docs' : `/docs/${name}`);

/** All of them, each rendered for whoever first asks: they change with a release or the configuration only. */
export function readDocuments(installation: Installation): Promise<SiteDocument[]> {
  return Promise.all(
    DOCUMENTS.map(async ({ name, menu, file }) => {
      const text = await readFile(join(PROJECT_FOLDER, file), 'utf8');
      const render = once(() =>
        renderMarkdown(fill(text, installation), (href) => siteLink(href, file)),
      );
      return { name, menu, address: addressOfDocument(name), render };
    }),
  );
}

/** The tables that a document repeats are those in force here, and addresses those of this service. */
function fill(text: string, { baseUrl, tiers }: Installation): string {
  const tables = {
    tiers: () => toMarkdown(tierRows(tiers)),
    errors: () => toMarkdown(errorRows()),
    deprecations: deprecationTable,
  };
  const filled = Object.entries(tables).reduce(
    (filling, [name, table]) =>
      filling.replace(new RegExp(`<!-- ${name} -->[^]*?<!-- /${name} -->`), () => table()),
    text,
  );
  const unmarked = filled.replaceAll(/<!-- \/?[a-z]+ -->\n?/g, '');
  return unmarked.replaceAll(/http:\/\/127\.0\.0\.1:3000|https:\/\/bowerbird\.example/g, baseUrl);
}

/** A link to another document leads to its page; one to another file of the repository, which is not on the site, nowhere. */
function siteLink(href: string, from: string): string | null {
  if (/^(?:[a-z]+:|\/|#)/.test(href)) return href;
  const [path = '', place] = href.split('#');
  const file = posix.join(posix.dirname(from), path);
  const document = DOCUMENTS.find((one) => one.file === file);
  if (!document) return null;
  return addressOfDocument(document.name) + (place === undefined ? '' : `#${place}`);
}
