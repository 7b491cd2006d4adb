import { t } from '../../texts/texts.js';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { documentPath, PROJECT_FOLDER } from '../../config/product.js';
import type { Config } from '../../config/config.js';
import { SCRIPTS, template } from './templates.js';

export interface SiteView {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly hasAccounts: boolean;
  /** Whether names and registry are made up. */
  readonly isSandbox: boolean;
}

export function siteOf({ auth, links, registry }: Config): SiteView {
  return {
    baseUrl: links.baseUrl,
    hasAccounts: auth.enabled,
    isSandbox: registry.source === 'sandbox',
  };
}

export interface Page {
  readonly title: string;
  /** For search engines and link previews. */
  readonly description?: string | undefined;
  /** Path of the page's one address; without it the page asks search engines not to index it. */
  readonly canonical?: string | undefined;
  /** Path of its own picture for sharing, and its alternative text; null: that of the site. */
  readonly picture?: { readonly path: string; readonly words: string | null } | undefined;
  /** What the page is about, for search engines (schema.org). */
  readonly about?: object | undefined;
  /** Path of its entry in the header. */
  readonly section?: string | undefined;
  readonly signedIn?: boolean | undefined;
  /** Whether the page loads site.js. */
  readonly scripted?: boolean | undefined;
  /** Whether the page loads passkeys.js. */
  readonly takesPasskeys?: boolean | undefined;
  /** Whether the page loads work.js. */
  readonly provesWork?: boolean | undefined;
  /** Markup. Content stands in a `<main>`. */
  readonly body: string;
}

const SECTIONS = [
  { path: '/', name: t.menu.search },
  { path: '/drops', name: t.menu.drops },
  { path: '/check', name: t.menu.checkAList },
  { path: '/watch', name: t.menu.watch },
  { path: '/docs', name: t.menu.api },
  { path: '/pricing', name: t.menu.pricing },
  { path: '/status', name: t.menu.status },
] as const;

const FOOTER = [
  {
    title: t.menu.find,
    links: [
      [t.menu.search, '/'],
      [t.menu.dropsByDay, '/drops'],
      [t.menu.checkAList, '/check'],
      [t.menu.watch, '/watch'],
    ],
  },
  {
    title: t.menu.build,
    links: [
      [t.menu.apiDocs, '/docs'],
      [t.menu.openapi, documentPath('api/v1')],
      [t.menu.aiAgentsMcp, '/docs/mcp'],
      [t.menu.status, '/status'],
    ],
  },
  {
    title: t.menu.bowerbird,
    links: [
      [t.menu.pricing, '/pricing'],
      [t.menu.about, '/about'],
      [t.menu.help, '/help'],
      [t.menu.contact, '/help#contact'],
      [t.menu.changelog, '/docs/changelog'],
    ],
  },
  {
    title: t.menu.legal,
    links: [
      [t.menu.terms, '/terms'],
      [t.menu.privacy, '/privacy'],
      [t.menu.reportAbuse, '/help#abuse'],
    ],
  },
] as const;

// As the package ships it for browsers; its main file is beside that.
const WEBAUTHN = join(
  dirname(createRequire(import.meta.url).resolve('@simplewebauthn/browser')),
  '../dist/bundle/index.umd.min.js',
);

/** The parts of site.css, in the order in which they override each other. */
const STYLES = ['base', 'controls', 'parts', 'lists', 'accounts', 'screens'];

const { looks, ...others } = t.script;

/** Files that pages load, read at the start. Every page works without the scripts. */
export const ASSETS = {
  style: assetOf(
    'site.css',
    STYLES.map((name) => readAsset(`styles/${name}.css`))
      .join('')
      .replace(/\/\*.*?\*\//gs, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([{};,]) ?/g, '$1')
      .replaceAll(': ', ':'),
  ),
  script: scriptOf('site.js', others),
  look: scriptOf('look.js', looks),
  passkeys: assetOf('passkeys.js', `${readFileSync(WEBAUTHN, 'utf8')}\n${readAsset('passkeys.js')}`),
  work: assetOf('work.js', readAsset('work.js')),
};
const ASSET_URLS = {
  ...{ style: ASSETS.style.url, script: ASSETS.script.url, look: ASSETS.look.url },
  ...{ passkeys: ASSETS.passkeys.url, work: ASSETS.work.url },
};

export function readAsset(name: string): string {
  return readFileSync(join(PROJECT_FOLDER, 'assets', name), 'utf8');
}

/** With its texts, and without comments and indents. */
function scriptOf(name: string, texts: object): { text: string; url: string } {
  const text = readFileSync(join(SCRIPTS, name), 'utf8').replace(/^ *\/[/*].*\n|^ +/gm, '');
  return assetOf(
    name,
    text.replace('TEXTS', () => JSON.stringify(texts)),
  );
}

/** The address holds a version, so a new release is loaded at once. */
function assetOf(name: string, text: string): { text: string; url: string } {
  const version = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return { text, url: `/assets/${name}?v=${version}` };
}

/** The mark inside a page, in the page's colours; mark.svg is the file. */
export const MARK = template('mark')({});

interface LayoutView extends Omit<Page, 'about'> {
  /** JSON. */
  readonly about: string | undefined;
  readonly site: SiteView;
  readonly sections: readonly { readonly path: string; readonly name: string }[];
  readonly assets: typeof ASSET_URLS;
  readonly footer: readonly {
    readonly title: string;
    readonly links: readonly (readonly [name: string, path: string])[];
  }[];
}

const layout = template<LayoutView>('layout');
const NOTHING = {
  description: undefined,
  canonical: undefined,
  picture: { path: '/assets/open-graph.png', words: null },
  about: undefined,
  section: '',
  signedIn: false,
  scripted: false,
  takesPasskeys: false,
  provesWork: false,
};

export function renderLayout(site: SiteView, page: Page): string {
  const mayShow = (path: string) => site.hasAccounts || path !== '/watch';
  const sections = SECTIONS.filter(({ path }) => mayShow(path));
  const footer = FOOTER.map(({ title, links }) => ({
    title,
    links: links.filter(([, path]) => mayShow(path)),
  }));
  // "<" ends no script where it is not there.
  const about = page.about && JSON.stringify(page.about).replaceAll('<', '\\u003c');
  const picture = page.picture ?? NOTHING.picture;
  return `${layout({ ...NOTHING, ...page, picture, about, site, sections, assets: ASSET_URLS, footer })}\n`;
}

export interface AtomEntry {
  /** Unique and permanent. */
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly updated: Date;
  readonly summary?: string;
}

export interface AtomFeed {
  readonly title: string;
  readonly subtitle?: string;
  /** Address of the feed itself. */
  readonly selfUrl: string;
  /** Address of the page with the same content. */
  readonly pageUrl: string;
  /** Newest first. Without any, the feed is of 1970: it is as new as its newest entry, never as the request. */
  readonly entries: readonly AtomEntry[];
}

const atom = template<AtomFeed & { readonly updated: Date }>('atom');

export function renderAtom(feed: AtomFeed): string {
  const updated = new Date(Math.max(0, ...feed.entries.map((entry) => entry.updated.getTime())));
  return `${atom({ subtitle: '', ...feed, updated })}\n`;
}
