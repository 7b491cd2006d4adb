import type { Facets } from '../../api/facets/facets.dto.js';
import { grouped, scoresInWords } from '../layout/words.js';
import { addressOf, type Field, type Filled, PAGE_PARAMETERS } from './search-form.js';

/** A filter as a link, with the number of names that match. */
export interface Chip {
  readonly words: string;
  readonly count: string | null;
  readonly href: string;
  readonly isOn: boolean;
}

/** Lengths as people think of them. */
const LENGTHS = [
  { words: 'up to 5 letters', min: '', max: '5' },
  { words: '6 to 8 letters', min: '6', max: '8' },
  { words: '9 to 12 letters', min: '9', max: '12' },
  { words: '13 letters and more', min: '13', max: '' },
] as const;

/** Filters that narrow the search; a chosen one leads back. @param isCounted whether there was time to count */
export function chipsOf(filled: Filled, facets: Facets, isCounted: boolean): Chip[] {
  const ofScores = scores(filled, facets);
  const hasScores = ofScores.some(({ isOn }) => isOn);
  const chips = [
    ...suffixes(filled, facets),
    ...lengths(filled, facets),
    ...ofScores,
    ...plain(filled, facets),
    ...others(filled, hasScores),
  ];
  return isCounted ? chips : chips.map((chip) => ({ ...chip, count: null }));
}

function suffixes(filled: Filled, { tld: counts }: Facets): Chip[] {
  if (filled.tld !== undefined)
    return [
      { words: 'all suffixes', count: null, href: addressOf(filled, { tld: '' }), isOn: false },
      ...filled.tld.split(',').map((tld) => ({
        words: `.${tld}`,
        count: countIn(counts.filter((facet) => facet.tld === tld)),
        href: addressOf(filled, { tld: '' }),
        isOn: true,
      })),
    ];
  return counts.map(({ tld, count }) => ({
    words: `.${tld}`,
    count: grouped(count),
    href: addressOf(filled, { tld }),
    isOn: false,
  }));
}

function lengths(filled: Filled, { length: counts }: Facets): Chip[] {
  const { min_length: min = '', max_length: max = '' } = filled;
  return LENGTHS.flatMap((range) => {
    const within = counts.filter(
      ({ length }) => length >= Number(range.min) && length <= (Number(range.max) || Infinity),
    );
    const isOn = range.min === min && range.max === max;
    if (within.length === 0 && !isOn) return [];
    const { min: min_length, max: max_length } = isOn ? { min: '', max: '' } : range;
    const href = addressOf(filled, { min_length, max_length });
    return [{ words: range.words, count: countIn(within), href, isOn }];
  });
}

function scores(filled: Filled, { wayback: bands }: Facets): Chip[] {
  return bands.flatMap(({ min_wayback: from, max_wayback: to, count }) => {
    const range = { min_wayback: String(from || ''), max_wayback: to === null ? '' : String(to) };
    const isOn =
      (filled.min_wayback ?? '') === range.min_wayback && (filled.max_wayback ?? '') === range.max_wayback;
    const words = scoresInWords(from, to);
    const href = addressOf(filled, isOn ? { min_wayback: '', max_wayback: '' } : range);
    return [{ words, count: grouped(count), href, isOn }];
  });
}

function plain(filled: Filled, facets: Facets): Chip[] {
  const withoutHyphens = facets.hyphens.filter(({ hyphens }) => hyphens === 'exclude');
  const withoutDigits = facets.numbers.filter(({ numbers }) => numbers === 'exclude');
  const hyphensOff = filled.hyphens === 'exclude';
  const digitsOff = filled.numbers === 'exclude';
  return [
    {
      words: 'no hyphens',
      count: countIn(withoutHyphens),
      href: addressOf(filled, { hyphens: hyphensOff ? '' : 'exclude' }),
      isOn: hyphensOff,
    },
    {
      words: 'no digits',
      count: countIn(withoutDigits),
      href: addressOf(filled, { numbers: digitsOff ? '' : 'exclude' }),
      isOn: digitsOff,
    },
  ];
}

/** Chosen filters without a counted chip: each chip removes its filter. */
function others(filled: Filled, hasScores: boolean): Chip[] {
  const counted = new Set(['q', 'mode', 'tld', 'stale']);
  if (LENGTHS.some(({ min, max }) => min === (filled.min_length ?? '') && max === (filled.max_length ?? '')))
    counted.add('min_length').add('max_length');
  if (hasScores) counted.add('min_wayback').add('max_wayback');
  if (filled.hyphens === 'exclude') counted.add('hyphens');
  if (filled.numbers === 'exclude') counted.add('numbers');
  return PAGE_PARAMETERS.flatMap(({ parameter, words }) => {
    const value = filled[parameter as Field];
    if (value === undefined || counted.has(parameter)) return [];
    return [
      { words: words(value, ''), count: null, href: addressOf(filled, { [parameter]: '' }), isOn: true },
    ];
  });
}

function countIn(facets: readonly { readonly count: number }[]): string {
  return grouped(facets.reduce((sum, { count }) => sum + count, 0));
}
