import { MATCH_MODES, SUFFIXES } from '../../domains/schema/domain.js';
import { type FormField, TRI_STATES } from '../../domains/schema/filters/filter.js';
import type { Facets } from '../../api/facets/facets.module.js';
import type { Status } from '../../api/status/status.dto.js';
import { soughtInWords, strictQuestion, strictText } from '../../domains/words/read-as.js';
import { isEmptyReading } from '../../domains/words/reading.js';
import { renderLayout, type SiteView } from '../layout/layout.js';
import { template } from '../layout/templates.js';
import { counted, fillIn, percent, t } from '../../texts/texts.js';
import { distanceInWords, registryStateOf } from '../layout/words.js';
import type { SearchHints } from './search-hints.js';
import { type RowHead, rowHeads, type NameRow } from '../names/name-row.js';
import {
  addressOf,
  askedOf,
  ageOptions,
  type ApiSample,
  type Fault,
  type Field,
  type Filled,
  lengthOptions,
  PAGE_PARAMETERS,
  readingOf,
  scoreTags,
  setTags,
  suffixOptions,
} from './search-form.js';

export interface Found {
  readonly rows: readonly NameRow[];
  /** Names that do not match, and are close to it. */
  readonly near: readonly NameRow[];
  readonly hints: SearchHints;
  /** Number of the first row, from 1. */
  readonly from: number;
  readonly total: number;
  readonly isExact: boolean;
  readonly timedOut: boolean;
  /** Null where there was no time to count. */
  readonly facets: Facets | null;
  readonly next: string | null;
  /** Rows that the visitor's tier shows; null at the true end of the list. */
  readonly endsAt: number | null;
}

export interface SearchView {
  readonly typed: string;
  readonly named: string | null;
  readonly filled: Filled;
  readonly signedIn: boolean;
  readonly available: number;
  /** What a dataset with few offers waits for; null where enough are on offer. */
  readonly wait: string | null;
  readonly freshness: readonly string[];
  readonly samples: readonly ApiSample[];
  readonly problem: string | null;
  /** Fields that were left out, as they cannot be read. */
  readonly faults: readonly Fault[];
  /** Whether titles of former sites are read here. */
  readonly hasTitles: boolean;
  readonly found: Found | null;
  readonly now: Date;
}

/** Orders of the page; the API has more. */
const SORTS = t.search.sorts;
/** Fields beside the search box; the others are in the sheet. */
const IN_SIGHT = ['max_length', 'first_seen_from'];
const YES_NO = [
  { value: '', words: t.search.yesNo.any },
  { value: 'true', words: t.search.yesNo.yes },
  { value: 'false', words: t.search.yesNo.no },
];

export const TITLE = 'former_title' satisfies Field;

/** The fields of the form, in the order of the table. */
const FIELDS = PAGE_PARAMETERS.flatMap(({ parameter: id, field }) =>
  field && !IN_SIGHT.includes(id)
    ? [{ id, label: field.label, kind: field.kind, limits: limitsOf(field) }]
    : [],
);

const searchPage = template('search');

export function renderSearchPage(site: SiteView, view: SearchView): string {
  const { found, filled, faults } = view;
  const isHome = Object.keys(filled).length === 0;
  const set = setTags(filled);
  const inSheet = FIELDS.find(({ id }) => faults.some(({ field }) => field === id))?.id;
  const body = searchPage({
    ...view,
    isHome,
    heading: headingOf(view, isHome),
    watched: site.hasAccounts ? watchedOf(filled) : '',
    availableWords: counted(view.available, 'droppedName'),
    range: found && rangeOf(found),
    csv: addressOf(filled).replace('/', '/search.csv'),
    noMatch: noMatchOf(filled),
    cards: found ? cardsOf(found.hints) : [],
    guesses: guessesOf(filled),
    reading: readingViewOf(filled),
    set,
    inSheet: FIELDS.filter(({ id }) => filled[id as Field] !== undefined).length,
    cleared: addressOf({ ...(filled.q !== undefined && { q: filled.q }) }),
    picks: [
      { id: 'tld', label: t.search.suffix, options: suffixOptions(filled, found?.facets ?? null) },
      { id: 'max_length', label: t.search.length, options: lengthOptions(filled) },
      { id: 'first_seen_from', label: t.search.added, options: ageOptions(filled, view.now) },
    ],
    scores: found?.facets ? scoreTags(filled, found.facets) : [],
    fields: FIELDS.filter(({ id }) => view.hasTitles || id !== TITLE).map((field) => {
      const { value, words: fault } = faults.find((one) => one.field === field.id) ?? {
        value: filled[field.id as Field],
        words: null,
      };
      return { ...field, value, fault, isFirst: field.id === inSheet };
    }),
    isOpen: inSheet !== undefined,
    faulty: faults.map(({ field }) => field),
    options: {
      mode: MATCH_MODES.map((value) => ({ value, words: t.search.modes[value] })),
      yesno: YES_NO,
      tristate: TRI_STATES.map((value) => ({ value, words: t.search.triState[value] })),
      sorts: Object.entries(SORTS).map(([value, words]) => ({ value, words })),
    },
    heads: headsOf(view),
  });
  return renderLayout(site, {
    title: isHome ? t.search.homeTitle : fillIn(t.search.title, { typed: view.typed || t.search.names }),
    description: t.search.description,
    canonical: isHome && found?.from === 1 ? '/' : undefined,
    section: '/',
    signedIn: view.signedIn,
    scripted: true,
    body,
  });
}

function headingOf({ found, filled }: SearchView, isHome: boolean): string {
  if (isHome) return t.search.best;
  const total = found && counted(found.total, 'name');
  const names =
    total === null ? t.search.names : found?.isExact ? total : fillIn(t.search.about, { names: total });
  const { q } = filled;
  if (q === undefined) return names;
  const reading = readingOf(filled);
  const isAsTyped =
    !reading ||
    reading.name !== null ||
    (reading.without.length + reading.globs.length === 0 &&
      reading.terms.every(({ reading: how }) => how !== 'spelling'));
  if (isAsTyped) return fillIn(t.search.namesWith, { names, q });
  return fillIn(t.search.namesSought, { names, words: soughtInWords(reading) });
}

/** The columns that a search can be sorted by: again, the other way round. */
function headsOf({ filled, now }: SearchView): RowHead[] {
  const order = filled.sort ?? 'wayback';
  const by = (usual: string, other: string, arrows: readonly ['↑' | '↓', '↑' | '↓']) => {
    const place = [usual, other].indexOf(order);
    const next = place === 0 ? other : usual;
    const sort = next === 'wayback' ? '' : next;
    return { href: addressOf(filled, { sort }), arrow: arrows[place] ?? ('' as const) };
  };
  return rowHeads(now.getUTCFullYear(), {
    name: by('domain', 'domain_desc', ['↑', '↓']),
    score: by('wayback', 'wayback_asc', ['↓', '↑']),
  });
}

function limitsOf({ kind, min, max }: FormField): string {
  if (kind === 'text') return ` maxlength="${max}"`;
  return `${min === undefined ? '' : ` min="${min}"`}${max === undefined ? '' : ` max="${max}"`}`;
}

/** The search as a watch takes it; empty without filters. */
function watchedOf(filled: Filled): string {
  const fields = Object.entries(askedOf(filled)).filter(([field]) => field !== 'sort' && field !== 'stale');
  const isNarrowed = fields.some(([field]) => field !== 'mode' && field !== 'match');
  return isNarrowed ? new URLSearchParams(fields).toString() : '';
}

function rangeOf({ rows, from, total, isExact }: Found): object {
  const to = from + rows.length - 1;
  const text = isExact ? t.search.range : t.search.rangeAbout;
  return { text, slots: { from, to, names: counted(total, 'name') } };
}

function noMatchOf(filled: Filled): string {
  const { q, ...filters } = filled;
  return q === undefined || Object.keys(filters).length > 0
    ? t.search.noMatch
    : fillIn(t.search.noneWith, { q });
}

const CARDS = ['spellings', 'parts', 'related', 'due', 'wider'] as const;

/** What to look for instead, by the kind of reason. */
function cardsOf(hints: SearchHints): object[] {
  return CARDS.map((kind) => ({ ...t.search.hints[kind], hints: hints[kind] })).filter(
    (card) => card.hints.length > 0,
  );
}

/** The word under every suffix. */
function guessesOf(filled: Filled): string[] {
  const reading = readingOf(filled);
  const label = (reading ? strictText(reading) : filled.q)?.replace(/^-+|-+$/g, '');
  return label === undefined || label === '' ? [] : SUFFIXES.map((tld) => `${label}.${tld}`);
}

/** How the words were read, and the way to the same search without other words; null without words. */
function readingViewOf(
  filled: Filled,
): { words: string; leftOut: string; strict: string | null; href: string } | null {
  const reading = readingOf(filled);
  if (!reading || reading.name !== null || isEmptyReading(reading)) return null;
  const text = strictText(reading);
  const question = text === null ? strictQuestion(reading) : null;
  return {
    words: soughtInWords(reading),
    leftOut: reading.leftOut.join(', '),
    strict: text ?? (question && reading.terms.map(({ typed }) => typed).join(' ')),
    href: addressOf(filled, text === null ? { q: question ?? '' } : { q: text, match: 'text' }),
  };
}

/** How true and new the names are. @param importedAt the last import, by hand or of a fetched list */
export function freshnessOf(
  { truth, lists, registries, writes_stopped: stopped }: Status,
  importedAt: Date | null,
  now: Date,
): string[] {
  return [
    wrongOf(truth),
    listsOf(lists, importedAt, now),
    registryOf(registries, now),
    ...(stopped ? [t.search.notWritten] : []),
  ];
}

function wrongOf({ days, offers }: Status['truth']): string {
  const { sampled, share, low, high } = offers;
  if (share === null || low === null || high === null) return t.search.noSample;
  const shares = { share: percent(share), low: percent(low), high: percent(high) };
  return fillIn(t.search.wrong, { ...shares, sampled, days });
}

function listsOf(lists: Status['lists'], importedAt: Date | null, now: Date): string {
  const times = lists.flatMap(({ last_imported_at: at }) => (at === null ? [] : [Date.parse(at)]));
  if (times.length > 0)
    return fillIn(t.search.lastList, { when: distanceInWords(new Date(Math.max(...times)), now) });
  return importedAt
    ? fillIn(t.search.lastImport, { when: distanceInWords(importedAt, now) })
    : t.search.noList;
}

function registryOf(registries: Status['registries'], now: Date): string {
  const states = registries.map(registryStateOf);
  const times = registries.flatMap(({ last_answered_at: at }) => (at === null ? [] : [Date.parse(at)]));
  if (states.includes('answered'))
    return fillIn(t.search.registryAnswered, { when: distanceInWords(new Date(Math.max(...times)), now) });
  return states.includes('silent') ? t.search.registryNotYet : t.search.registrySilent;
}
