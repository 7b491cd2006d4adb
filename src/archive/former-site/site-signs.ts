import { lexicon, plainOf } from '../../domains/words/lexicon.js';
import type { ReadPage } from './former-site.repository.js';

/** What a buyer of the name should know of its former site. */
export const WARNINGS = ['spam', 'parking', 'gambling', 'practice'] as const;
export type Warning = (typeof WARNINGS)[number];

/** A warning with what it rests on. */
export interface Sign {
  readonly warning: Warning;
  /** Words as they were found, with the year of the page. */
  readonly evidence: readonly { readonly year: number; readonly words: readonly string[] }[];
}

export interface SiteSigns {
  readonly topics: readonly string[];
  readonly signs: readonly Sign[];
}

const MAX_TOPICS = 5;
/** A topic is mentioned so often; once is chance. */
const MIN_MENTIONS = 2;
const MAX_WORDS = 4;

/** Phrases, and how many different ones a page must have; one in its title is enough. */
const PHRASES: Readonly<Record<Warning, { readonly least: number; readonly phrases: readonly string[] }>> = {
  spam: {
    least: 2,
    phrases: [
      ...['viagra', 'cialis', 'levitra', 'tramadol', 'replica watches', 'replica handbags', 'cheap jordans'],
      ...[
        'payday loan',
        'payday loans',
        'essay writing service',
        'write my essay',
        'forex signals',
        'binary options',
      ],
      ...[
        'buy followers',
        'backlinks',
        'seo links',
        'louis vuitton outlet',
        'ugg boots outlet',
        'xxx',
        'porn',
        'escorts',
      ],
      ...['激安', 'コピー', '偽物', 'ブランド', '通販', '色情', '成人'],
    ],
  },
  parking: {
    least: 1,
    phrases: [
      ...['domain is for sale', 'domain name is for sale', 'domain may be for sale', 'buy this domain'],
      ...[
        'this domain is parked',
        'domain has been parked',
        'parked free',
        'parked domain',
        'domain parking',
      ],
      ...[
        'sponsored listings',
        'related searches',
        'future home of',
        'domain has expired',
        'domain name has expired',
      ],
    ],
  },
  gambling: {
    least: 2,
    phrases: [
      ...['casino', 'online casino', 'pokies', 'poker', 'roulette', 'blackjack', 'baccarat', 'sportsbook'],
      ...[
        'free spins',
        'no deposit bonus',
        'slot machine',
        'online slots',
        'sports betting',
        'betting odds',
        'bookmaker',
      ],
      ...['judi', 'togel', 'slot gacor', 'slot online', 'bandar', '赌场', '博彩', '娱乐城', 'カジノ'],
    ],
  },
  practice: {
    least: 2,
    phrases: [
      ...[
        'medical centre',
        'general practice',
        'general practitioner',
        'our patients',
        'patients',
        'bulk billing',
      ],
      ...['dentist', 'dental', 'psychologist', 'psychology', 'counselling', 'physiotherapy', 'clinic', 'dr'],
      ...[
        'solicitor',
        'solicitors',
        'lawyer',
        'lawyers',
        'barrister',
        'conveyancing',
        'law firm',
        'our clients',
      ],
      ...['accountant', 'accountants', 'tax agent', 'bookkeeping', 'financial planner', 'financial adviser'],
      ...['mortgage broker', 'migration agent', 'pharmacy', 'referral', 'appointment'],
    ],
  },
};

/** What the pages of a former site are about, and what they warn of: by their words alone, so it may be wrong. */
export function readSigns(pages: readonly ReadPage[]): SiteSigns {
  return {
    topics: topicsOf(pages),
    signs: WARNINGS.flatMap((warning) => {
      const evidence = pages.flatMap((page) => {
        const words = foundIn(page, warning);
        return words.length > 0 ? [{ year: page.year, words: words.slice(0, MAX_WORDS) }] : [];
      });
      return evidence.length > 0 ? [{ warning, evidence }] : [];
    }),
  };
}

function foundIn({ title, text }: ReadPage, warning: Warning): string[] {
  const { least, phrases } = PHRASES[warning];
  const [inTitle, inAll] = [spaced(title), spaced(`${title} ${text}`)];
  const has = (where: string, phrase: string) =>
    where.includes(isSpaced(phrase) ? ` ${phrase} ` : plainOf(phrase));
  const found = phrases.filter((phrase) => has(inAll, phrase));
  const isNamed = warning !== 'practice' && found.some((phrase) => has(inTitle, phrase));
  return found.length >= least || isNamed ? found : [];
}

/** Japanese and Chinese have no spaces between words. */
function isSpaced(phrase: string): boolean {
  return /^[a-z ]+$/.test(phrase);
}

function spaced(text: string): string {
  return ` ${wordsOf(text).join(' ')} `;
}

function wordsOf(text: string): string[] {
  return plainOf(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Trades by how often their words occur, the most frequent first. */
function topicsOf(pages: readonly ReadPage[]): string[] {
  const counts = new Map<string, number>();
  for (const { title, text } of pages)
    for (const word of wordsOf(`${title} ${text}`))
      for (const topic of lexicon().tradesOf(word)) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= MIN_MENTIONS)
    .sort(([one, ones], [other, others]) => others - ones || one.localeCompare(other))
    .slice(0, MAX_TOPICS)
    .map(([topic]) => topic);
}
