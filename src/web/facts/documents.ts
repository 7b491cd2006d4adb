import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import MarkdownIt, { type PluginSimple, type Token } from 'markdown-it';
import { tierRows, Tiers, type TierTable } from '../../config/tiers.js';
import { toMarkdown } from '../../validation/formats.js';
import { Config } from '../../config/config.js';
import { PROJECT_FOLDER } from '../../config/product.js';
import { ApiError } from '../../errors/api-error.js';
import { errorRows } from '../../errors/error-codes.js';
import { once } from '../../validation/caches.js';
import { deprecationTable, VERSIONING_RULE } from '../../access/deprecations.js';
import { fillIn, t } from '../../texts/texts.js';
import { renderAtom, renderLayout, siteOf } from '../layout/layout.js';
import { escaped, template } from '../layout/templates.js';
import { changeEntries, changesForCallers } from './changes.js';

/** The address of a link on the site; null: the words are no link, as the site has no such page. */
type Linker = (href: string) => string | null;

interface Rendered {
  /** The first heading; empty without one. */
  readonly title: string;
  /** Headings of the second level with their ids. */
  readonly parts: readonly { readonly words: string; readonly id: string }[];
  readonly html: string;
}

/** Renders Markdown under our policy: HTML in it is escaped, and pictures are left out. */
export function renderMarkdown(text: string, linkTo: Linker): Rendered {
  const markdown = new MarkdownIt({ html: false }).disable('image').use(forPages(linkTo));
  const tokens = markdown.parse(text, {});
  const headings = tokens.flatMap((token, place) =>
    token.type === 'heading_open'
      ? [{ level: token.tag, words: plain(tokens[place + 1]?.content ?? '') }]
      : [],
  );
  return {
    title: headings.find(({ level }) => level === 'h1')?.words ?? '',
    parts: headings.filter(({ level }) => level === 'h2').map(({ words }) => ({ words, id: idOf(words) })),
    html: markdown.renderer.render(tokens, markdown.options, {}),
  };
}

function forPages(linkTo: Linker): PluginSimple {
  return ({ renderer: { rules } }) => {
    let isLink = true;
    rules.heading_open = (tokens, place) => {
      const tag = tokens[place]?.tag ?? 'h2';
      return `<${tag} id="${idOf(plain(tokens[place + 1]?.content ?? ''))}">`;
    };
    rules.heading_close = (tokens, place) => {
      const tag = tokens[place]?.tag ?? 'h2';
      const words = plain(tokens[place - 1]?.content ?? '');
      const label = escaped(fillIn(t.docs.linkTo, { heading: words }));
      return tag === 'h1'
        ? '</h1>\n'
        : `<a class="anchor" href="#${idOf(words)}" aria-label="${label}">#</a></${tag}>\n`;
    };
    rules.fence = (tokens, place) =>
      tokens[place - 1]?.type === 'fence' ? '' : codeOf(fencesFrom(tokens, place), place);
    rules.table_open = (tokens, place) => {
      const number = tokens.slice(0, place + 1).filter(({ type }) => type === 'table_open').length;
      return `<div class="table" role="region" aria-label="${escaped(fillIn(t.docs.table, { number }))}" tabindex="0"><table>\n`;
    };
    rules.table_close = () => '</table></div>\n';
    rules.th_open = () => '<th scope="col">';
    rules.link_open = (tokens, place, options, _env, self) => {
      const token = tokens[place];
      const address = linkTo(token?.attrGet('href') ?? '');
      // Links are never nested.
      isLink = address !== null;
      if (address === null) return '';
      token?.attrSet('href', address);
      return self.renderToken(tokens, place, options);
    };
    rules.link_close = () => (isLink ? '</a>' : '');
  };
}

/** Code without text in between: the same in several languages. */
function fencesFrom(tokens: readonly Token[], place: number): readonly Token[] {
  const end = tokens.findIndex(({ type }, at) => at > place && type !== 'fence');
  return tokens.slice(place, end === -1 ? undefined : end);
}

/** A language that code is fenced with, as people call it. The style sheet knows those of tabs. */
const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  js: 'JavaScript',
  ts: 'TypeScript',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
  json: 'JSON',
  http: 'HTTP',
};

/** One sample, or tabs that work without a script. Focusable, so that wide ones can be scrolled with the keyboard. */
function codeOf(fences: readonly Token[], place: number): string {
  const samples = fences.map(({ info, content }) => {
    const language = Object.hasOwn(LANGUAGES, info) ? info : '';
    return { language, words: LANGUAGES[language] ?? t.docs.code, code: escaped(content) };
  });
  const cap = samples.map(({ language, words }, at) =>
    samples.length === 1
      ? `<span class="soft">${words}</span>`
      : `<label><input type="radio" name="code-${place}" value="${language}"` +
        `${at === 0 ? ' checked' : ''}>${words}</label>`,
  );
  const parts = samples.map(
    ({ language, code }) =>
      `<pre${samples.length === 1 ? '' : ` class="alt ${language}"`} tabindex="0"><code>${code}</code></pre>`,
  );
  const group = samples.length === 1 ? '' : ` role="group" aria-label="${escaped(t.docs.languages)}"`;
  return `<div class="code"${group}><div class="cap">${cap.join('')}</div>${parts.join('')}</div>\n`;
}

// GitHub's rule, so that a link works there and here.
function idOf(words: string): string {
  return words
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}

const plain = (text: string): string => text.replaceAll(/[`*]/g, '');

const CHANGELOG = 'CHANGELOG.md';

/** Markdown files of the repository, in reading order, by the group of the menu. */
const DOCUMENTS = [
  { name: '', group: 'start', menu: t.docs.menu.start, file: 'docs/site/start.md' },
  { name: 'samples', group: 'start', menu: t.docs.menu.samples, file: 'docs/site/samples.md' },
  { name: 'limits', group: 'start', menu: t.docs.menu.limits, file: 'docs/site/limits.md' },
  { name: 'api', group: 'names', menu: t.docs.menu.api, file: 'docs/API.md' },
  { name: 'ordering', group: 'names', menu: t.docs.menu.ordering, file: 'docs/site/ordering.md' },
  { name: 'webhooks', group: 'events', menu: t.docs.menu.webhooks, file: 'docs/site/webhooks.md' },
  { name: 'errors', group: 'more', menu: t.docs.menu.errors, file: 'docs/site/errors.md' },
  { name: 'mcp', group: 'more', menu: t.docs.menu.mcp, file: 'docs/site/mcp.md' },
  { name: 'changelog', group: 'more', menu: t.docs.menu.changelog, file: CHANGELOG },
] as const;

type Group = keyof typeof t.docs.groups;

/** Entries of the menu beside the documents: parts of one that are looked for on their own. */
const PARTS: Readonly<Record<Group, readonly (readonly [menu: string, address: string])[]>> = {
  start: [],
  names: [
    [t.docs.menu.search, '/docs/api#search'],
    [t.docs.menu.checkList, '/docs/api#many-names-at-once'],
    [t.docs.menu.drops, '/docs/api#upcoming-drops'],
  ],
  events: [[t.docs.menu.watches, '/docs/api#watches']],
  more: [[t.docs.referenceOpenapi, '/api/v1/docs']],
};

type Documents = readonly (typeof DOCUMENTS)[number][];
type DocumentName = Documents[number]['name'];

interface SiteDocument {
  readonly name: DocumentName;
  readonly group: Group;
  readonly address: string;
  readonly menu: string;
  readonly render: () => Rendered;
}

/** Values of this installation that documents show. */
interface Installation {
  readonly baseUrl: string;
  readonly tiers: TierTable;
}

const addressOfDocument = (name: DocumentName): string => (name === '' ? '/docs' : `/docs/${name}`);

/** Characters; with the script a longer document would weigh over 20 kB. */
const MAX_SCRIPTED = 15_000;

const docs = template('docs');

@Injectable()
export class DocsPageService implements OnModuleInit {
  private documents: readonly SiteDocument[] = [];

  constructor(
    private readonly config: Config,
    private readonly tiers: Tiers,
  ) {}

  /** A missing file stops the start. */
  async onModuleInit(): Promise<void> {
    const { links, orders } = this.config;
    const shown = DOCUMENTS.filter(({ name }) => name !== 'ordering' || orders.enabled);
    this.documents = await readDocuments(shown, { baseUrl: links.baseUrl, tiers: this.tiers.table });
  }

  /** The releases, as far as callers must know of them. */
  async writeChangeFeed(): Promise<string> {
    const pageUrl = this.config.links.baseUrl + addressOfDocument('changelog');
    const changelog = await readFile(join(PROJECT_FOLDER, CHANGELOG), 'utf8');
    const entries = changeEntries(changelog, pageUrl);
    return renderAtom({
      title: t.docs.changesFeed,
      selfUrl: `${pageUrl}.atom`,
      pageUrl,
      entries,
    });
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
      description: fillIn(t.docs.about, { title }),
      canonical: address,
      section: '/docs',
      signedIn,
      // For the button that copies; long documents weigh enough without it.
      scripted: rendered.html.includes('class="code"') && rendered.html.length <= MAX_SCRIPTED,
      body: docs({ groups: groupsOf(this.documents), document, rendered, next }),
    });
  }
}

function groupsOf(documents: readonly SiteDocument[]): object[] {
  return Object.entries(t.docs.groups).map(([group, title]) => ({
    title,
    entries: [
      ...documents.filter((one) => one.group === group).map(({ menu, address }) => ({ menu, address })),
      ...PARTS[group as Group].map(([menu, address]) => ({ menu, address })),
    ],
  }));
}

/** Renders each document at its first request: they change with a release or the configuration only. */
function readDocuments(shown: Documents, installation: Installation): Promise<SiteDocument[]> {
  return Promise.all(
    shown.map(async ({ name, group, menu, file }) => {
      const whole = await readFile(join(PROJECT_FOLDER, file), 'utf8');
      const text = file === CHANGELOG ? changesForCallers(whole, VERSIONING_RULE) : whole;
      const linkTo = (href: string) => siteLink(href, file, shown);
      const render = once(() => renderMarkdown(fill(text, installation), linkTo));
      return { name, group, menu, address: addressOfDocument(name), render };
    }),
  );
}

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

/** A link to another document leads to its page. Other files of the repository are not on the site. */
function siteLink(href: string, from: string, shown: Documents): string | null {
  if (/^(?:[a-z]+:|\/|#)/.test(href)) return href;
  const [path = '', place] = href.split('#');
  const file = posix.join(posix.dirname(from), path);
  const document = shown.find((one) => one.file === file);
  if (!document) return null;
  return addressOfDocument(document.name) + (place === undefined ? '' : `#${place}`);
}

export const OPERATOR_PAGES = ['about', 'terms', 'privacy'] as const;
export type OperatorPage = (typeof OPERATOR_PAGES)[number];

const prose = template('prose');

/** Texts of the operator as Markdown; samples, marked as such, until the operator gives files. */
@Injectable()
export class OperatorPagesService implements OnModuleInit {
  private readonly pages = new Map<OperatorPage, () => Rendered>();

  constructor(private readonly config: Config) {}

  /** An unreadable file stops the start. */
  async onModuleInit(): Promise<void> {
    for (const page of OPERATOR_PAGES) {
      const file = this.config.site.files[page] ?? join(PROJECT_FOLDER, 'docs', 'site', `${page}.md`);
      const text = await readFile(file, 'utf8');
      this.pages.set(
        page,
        once(() => renderMarkdown(text, (href) => href)),
      );
    }
  }

  show(page: OperatorPage, signedIn: boolean): string {
    const { title = '', html = '' } = this.pages.get(page)?.() ?? {};
    const isSample = this.config.site.files[page] === undefined;
    return renderLayout(siteOf(this.config), {
      title: title || page,
      description: fillIn(t.docs.ofSite, { title }),
      canonical: isSample ? undefined : `/${page}`,
      signedIn,
      body: prose({ html }),
    });
  }
}
