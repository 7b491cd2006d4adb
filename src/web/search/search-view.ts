import { MATCH_MODES, SUFFIXES } from '../../domains/schema/domain.js';
import { PRESENCES } from '../../domains/search/discovery-query.js';
import { eta, renderLayout, type SiteView } from '../layout/layout.js';
import { type NameRow, renderNames } from '../names/name-rows.js';
import { counted, grouped } from '../words.js';
import type { ApiSample } from './api-samples.js';
import type { Chip } from './facet-chips.js';
import { addressOf, type Filled } from './search-form.js';
import { SEARCH_TEMPLATE } from './search-template.js';

export interface Found {
  readonly rows: readonly NameRow[];
  /** Place of the first row, from 1. */
  readonly from: number;
  readonly total: number;
  readonly isCapped: boolean;
  readonly timedOut: boolean;
  readonly chips: readonly Chip[];
  readonly next: string | null;
  /** How many rows the visitor sees, where there would be more; else null. */
  readonly endsAt: number | null;
}

export interface SearchView {
  readonly typed: string;
  readonly named: string | null;
  readonly filled: Filled;
  readonly signedIn: boolean;
  readonly available: number;
  readonly freshness: readonly string[];
  readonly samples: readonly ApiSample[];
  readonly problem: string | null;
  readonly found: Found | null;
}

/** The orders that people ask for; the API has more. */
const SORTS = { wayback: 'highest score', first_seen: 'newest', length: 'shortest', domain: 'A to Z' };
const MODE_WORDS = { contains: 'anywhere', prefix: 'at the beginning', suffix: 'at the end' };
const PRESENCE_WORDS = { allow: 'as you like', exclude: 'none', only: 'only with' };
const FILTER_WORDS: Readonly<Record<keyof Filled, string>> = {
  q: 'the word',
  mode: 'where the word stands',
  tld: 'the suffix',
  min_length: 'the least length',
  max_length: 'the greatest length',
  hyphens: 'the rule on hyphens',
  numbers: 'the rule on digits',
  min_wayback: 'the least score',
  max_wayback: 'the greatest score',
  first_seen_from: 'the first day',
  first_seen_to: 'the last day',
  stale: 'names that were not asked about for long',
  sort: 'the order',
};

const BODY = eta.compile(SEARCH_TEMPLATE);

export function renderSearchPage(site: SiteView, view: SearchView): string {
  const { found, filled } = view;
  const isHome = Object.keys(filled).length === 0;
  const body = eta.render(BODY, {
    ...view,
    isHome,
    watched: site.hasAccounts ? watchedOf(filled) : '',
    availableWords: grouped(view.available),
    table: found && found.rows.length > 0 ? renderNames(found.rows, 'Names that were found') : '',
    range: found && rangeOf(found),
    csv: addressOf(filled).replace('/', '/search.csv'),
    wider: widerOf(filled),
    guesses: guessesOf(filled),
    narrowed: Object.keys(filled).filter((field) => field !== 'q').length,
    tlds: filled.tld?.split(',') ?? [],
    suffixes: SUFFIXES,
    options: {
      modes: MATCH_MODES.map((value) => ({ value, words: MODE_WORDS[value] })),
      presences: PRESENCES.map((value) => ({ value, words: PRESENCE_WORDS[value] })),
      sorts: Object.entries(SORTS).map(([value, words]) => ({ value, words })),
    },
  });
  return renderLayout(site, {
    title: isHome ? 'Dropped .au names, best first' : `${view.typed || 'Names'}: dropped .au names`,
    description:
      'Search the .au domain names that somebody let go, ranked by their years in the web archive and asked of the registry before they are offered.',
    canonical: isHome && found?.from === 1 ? '/' : undefined,
    section: '/',
    signedIn: view.signedIn,
    scripted: true,
    body,
  });
}

/** The search as it can be watched; empty where it is not narrowed. */
function watchedOf(filled: Filled): string {
  const fields = Object.entries(filled).filter(([field]) => field !== 'sort' && field !== 'stale');
  const isNarrowed = fields.some(([field]) => field !== 'mode');
  return isNarrowed ? new URLSearchParams(fields).toString() : '';
}

function rangeOf({ rows, from, total, isCapped }: Found): string {
  const to = from + rows.length - 1;
  return `${grouped(from)} to ${grouped(to)} of ${isCapped ? 'more than ' : ''}${counted(total, 'name')}`;
}

/** Where nothing was found: the same search without one of its filters. */
function widerOf(filled: Filled): { words: string; href: string }[] {
  const fields = Object.keys(filled).filter((field): field is keyof Filled => field !== 'sort');
  return fields.map((field) => ({
    words: `Leave out ${FILTER_WORDS[field]}`,
    href: addressOf(filled, { [field]: '' }),
  }));
}

/** Whole names that the word would make. */
function guessesOf({ q }: Filled): string[] {
  return q === undefined ? [] : SUFFIXES.map((tld) => `${q}.${tld}`);
}
