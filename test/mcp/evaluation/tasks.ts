import type { Answer } from '../../support/mcp.js';
import type { Step, Task } from './task.js';

/** Names of a made-up dataset, best first, and what the made-up registry says of some. */
export const NAMES: [domain: string, wayback: number, firstSeen: string | null][] = [
  ['melbournecoffee.com.au', 900, '2026-11-01'],
  ['coffeecart.net.au', 410, '2026-11-10'],
  ['mycoffee.com.au', 60, '2026-11-12'],
  ['coffee-to-go.com.au', 35, null],
  ['coffee24.au', 12, '2026-11-15'],
  ['plumberperth.com.au', 300, '2026-11-03'],
  ['perthplumber.net.au', 20, '2026-11-04'],
  ['yoga.id.au', 75, '2026-11-05'],
  ['reefcare.org.au', 640, '2026-10-01'],
  ['reefcare.asn.au', 4, '2026-10-02'],
  ['sandbox-available.com.au', 50, '2026-11-06'],
];
export const AHEAD: [domain: string, wayback: number, purgeAt: string, kind: string][] = [
  ['tidyhomes.com.au', 5, '2099-01-05T03:00:00.000Z', 'deleted'],
  ['surfschool.com.au', 220, '2099-01-05T03:00:00.000Z', 'expired'],
  ['surfclub.net.au', 90, '2099-01-06T03:00:00.000Z', 'expired'],
];

const SINCE = '2026-11-01T00:00:00Z';
const call = (tool: string, given: Step['given'] = {}): Step => ({ tool, given });
const mistake = (tool: string, given: Step['given']): Step => ({ tool, given, isMistake: true });
const rows = (answer: Answer | undefined) =>
  (answer?.results ?? []) as { domain: string; wayback: number; checked_at?: string }[];
const names = (answer: Answer | undefined) => rows(answer).map(({ domain }) => domain);
const code = ([answer]: readonly Answer[], [failed]: readonly boolean[]) => [failed, answer?.code];

const FIND: Omit<Task, 'kind'>[] = [
  {
    ask: 'Which free name with coffee has the most history?',
    as: 'demo',
    steps: [call('suggest_domains', { q: 'coffee', limit: 1, compact: true })],
    answer: ([a]) => names(a),
    expected: ['melbournecoffee.com.au'],
  },
  {
    ask: 'Two free names that begin with coffee, please.',
    as: 'demo',
    steps: [call('suggest_domains', { q: 'coffee', mode: 'prefix', limit: 2, compact: true })],
    answer: ([a]) => names(a),
    expected: ['coffeecart.net.au', 'coffee-to-go.com.au'],
  },
  {
    ask: 'Is there anything free for a plumber under .net.au?',
    as: 'demo',
    steps: [call('suggest_domains', { q: 'plumber', tld: 'net.au', limit: 1 })],
    answer: ([a]) => names(a),
    expected: ['perthplumber.net.au'],
  },
  {
    ask: 'How many names does this dataset have, and does it cover id.au?',
    as: 'demo',
    steps: [call('dataset_stats')],
    answer: ([a]) => [a?.available_records, (a?.tlds as string[]).includes('id.au')],
    expected: [11, true],
  },
  {
    ask: 'A short name with coffee, no hyphen, no digits, at most 8 letters.',
    as: 'pro',
    steps: [call('search_domains', { q: 'coffee', max_length: 8, hyphens: 'exclude', numbers: 'exclude' })],
    answer: ([a]) => names(a),
    expected: ['mycoffee.com.au'],
  },
  {
    ask: 'How many free names end in .org.au or .asn.au?',
    as: 'pro',
    steps: [call('search_domains', { tld: ['org.au', 'asn.au'], per_page: 1 })],
    answer: ([a]) => a?.total,
    expected: 2,
  },
  {
    ask: 'Which suffix has the most free coffee names?',
    as: 'pro',
    steps: [call('list_filters', { q: 'coffee' })],
    answer: ([a]) => most(a),
    expected: 'com.au',
  },
  {
    ask: 'The newest free name with a known first day and a score of 50 at least.',
    as: 'pro',
    steps: [call('search_domains', { min_wayback: 50, sort: 'first_seen', per_page: 1 })],
    answer: ([a]) => names(a),
    expected: ['mycoffee.com.au'],
  },
  {
    ask: 'All free names with a score above 300, two at a time.',
    as: 'pro',
    steps: [
      call('search_domains', { min_wayback: 301, per_page: 2 }),
      call('search_domains', ([a]) => ({ cursor: a?.next_cursor })),
    ],
    answer: (all) => all.flatMap(names),
    expected: ['melbournecoffee.com.au', 'reefcare.org.au', 'coffeecart.net.au'],
  },
];

const COMPARE: Omit<Task, 'kind'>[] = [
  {
    ask: 'Which has more history, plumberperth.com.au or yoga.id.au?',
    as: 'pro',
    steps: [
      call('domain_report', { domain: 'plumberperth.com.au' }),
      call('domain_report', { domain: 'yoga.id.au' }),
    ],
    answer: (all) => all.toSorted(byScore)[0]?.domain,
    expected: 'plumberperth.com.au',
  },
  {
    ask: 'Is reefcare known under other suffixes too?',
    as: 'pro',
    steps: [call('domain_report', { domain: 'reefcare.org.au' })],
    answer: ([a]) =>
      (a?.siblings as { domain: string; known: boolean }[])
        .filter(({ known }) => known)
        .map(({ domain }) => domain)
        .sort(),
    expected: ['reefcare.asn.au', 'reefcare.org.au'],
  },
  {
    ask: 'Who may hold reefcare.org.au?',
    as: 'pro',
    steps: [call('domain_report', { domain: 'reefcare.org.au' })],
    answer: ([a]) => typeof Object(a?.eligibility).who,
    expected: 'string',
  },
  {
    ask: 'Are there more free names with hyphens or with digits?',
    as: 'pro',
    steps: [
      call('search_domains', { hyphens: 'only', per_page: 1 }),
      call('search_domains', { numbers: 'only', per_page: 1 }),
    ],
    answer: ([a, b]) => [a?.total, b?.total],
    expected: [2, 1],
  },
  {
    ask: 'Which of sandbox-available.com.au, sandbox-registered.com.au and sandbox-reserved.com.au can I have?',
    as: 'pro',
    steps: [
      call('check_domains', {
        domains: ['sandbox-available.com.au', 'sandbox-registered.com.au', 'sandbox-reserved.com.au'],
      }),
    ],
    answer: ([a]) => [
      rows(a).map(({ checked_at: at, ...row }) => ({
        ...row,
        isDated: !Number.isNaN(Date.parse(String(at))),
      })),
      a?.pending,
      a?.token,
    ],
    expected: [
      [
        {
          domain: 'sandbox-available.com.au',
          state: 'available',
          available: true,
          wayback: 50,
          isDated: true,
        },
        { domain: 'sandbox-registered.com.au', state: 'registered', available: false, isDated: true },
        {
          domain: 'sandbox-reserved.com.au',
          state: 'reserved',
          reason: 'reserved',
          available: false,
          isDated: true,
        },
      ],
      0,
      null,
    ],
  },
  {
    ask: 'Which of the two coffee names under com.au without a hyphen is better?',
    as: 'demo',
    steps: [call('suggest_domains', { q: 'coffee', tld: 'com.au', limit: 2, compact: true })],
    answer: ([a]) => names(a)[0],
    expected: 'melbournecoffee.com.au',
  },
];

const WATCH: Omit<Task, 'kind'>[] = [
  {
    ask: 'Which name is purged next?',
    as: 'demo',
    steps: [call('upcoming_drops', { limit: 1 })],
    answer: ([a]) => rows(a),
    expected: [{ domain: 'surfschool.com.au', wayback: 220, purge: '2099-01-05T03:00' }],
  },
  {
    ask: 'Is anything with surf about to drop under net.au?',
    as: 'pro',
    steps: [call('upcoming_drops', { q: 'surf', tld: ['net.au'] })],
    answer: ([a]) => names(a),
    expected: ['surfclub.net.au'],
  },
  {
    ask: 'What drops on 5 January 2099 because it was deleted?',
    as: 'pro',
    steps: [call('upcoming_drops', { date: '2099-01-05', kind: 'deleted' })],
    answer: ([a]) => names(a),
    expected: ['tidyhomes.com.au'],
  },
  {
    ask: 'What has dropped since the first of November 2026?',
    as: 'pro',
    steps: [call('dropped_since', { since: SINCE, types: ['domain.dropped'] })],
    answer: ([a]) => names(a),
    expected: ['fresh-one.com.au', 'fresh-two.com.au'],
  },
  {
    ask: 'And what was taken again?',
    as: 'pro',
    steps: [call('dropped_since', { since: SINCE, types: ['domain.taken'] })],
    answer: ([a]) => names(a),
    expected: ['fresh-one.com.au'],
  },
  {
    ask: 'Tell me of each event once, one at a time, until there is none.',
    as: 'pro',
    steps: [
      call('dropped_since', { since: SINCE, limit: 2 }),
      call('dropped_since', ([a]) => ({ cursor: a?.next_cursor })),
      call('dropped_since', ([, b]) => ({ cursor: b?.next_cursor })),
    ],
    answer: (all) => all.map((one) => rows(one).length),
    expected: [2, 1, 0],
  },
  {
    ask: 'How many records may I still spend this minute?',
    as: 'pro',
    steps: [call('usage')],
    answer: ([a]) => [a?.tier, Object(a?.rate).limit_per_min],
    expected: ['pro', 600],
  },
];

const HAND_OVER: Omit<Task, 'kind'>[] = [
  {
    ask: 'Register sandbox-available.com.au for me.',
    as: 'demo',
    steps: [call('register_domain', { domain: 'sandbox-available.com.au' })],
    answer: ([a]) => [
      String(a?.register_url).endsWith('sandbox-available.com.au'),
      a?.registered_by_this_call,
    ],
    expected: [true, false],
  },
  {
    ask: 'Find a free name with sandbox and give me its checkout.',
    as: 'demo',
    steps: [
      call('suggest_domains', { q: 'sandbox', limit: 1, compact: true }),
      call('register_domain', ([a]) => ({ domain: names(a)[0] })),
    ],
    answer: ([, b]) => String(b?.register_url).endsWith('sandbox-available.com.au'),
    expected: true,
  },
  {
    ask: 'I want sandbox-registered.com.au.',
    as: 'demo',
    steps: [call('register_domain', { domain: 'sandbox-registered.com.au' })],
    answer: ([a]) => [a?.register_url, String(a?.what_next).includes('suggest_domains')],
    expected: [null, true],
  },
];

const BE_REFUSED: Omit<Task, 'kind'>[] = [
  {
    ask: 'Is example.com free?',
    as: 'demo',
    steps: [call('check_domain', { domain: 'example.com' })],
    answer: code,
    expected: [true, 'domain_suffix_unsupported'],
  },
  {
    ask: 'Check yoga.id.au (an agent that guesses the name of the parameter).',
    as: 'demo',
    steps: [mistake('check_domain', { name: 'yoga.id.au' }), call('check_domain', { domain: 'yoga.id.au' })],
    answer: ([a, b]) => [String(a?.message).split(';')[0], b?.domain],
    expected: ['domain is missing', 'yoga.id.au'],
  },
  {
    ask: 'Ten coffee names, without a key.',
    as: 'demo',
    steps: [
      call('suggest_domains', { q: 'coffee', limit: 5, compact: true }),
      call('check_domain', { domain: 'yoga.id.au' }),
    ],
    answer: ([a, b], [, failed]) => [a?.count, failed, b?.code, typeof b?.retry_after_seconds],
    expected: [5, true, 'budget_exhausted', 'number'],
  },
  {
    ask: 'The feed, with a free account.',
    as: 'member',
    steps: [call('dropped_since', { since: SINCE })],
    answer: code,
    expected: [true, 'tier_required'],
  },
  {
    ask: 'The report on a name that nobody has seen.',
    as: 'pro',
    steps: [
      call('domain_report', { domain: 'nobody-knows-this.com.au' }),
      call('check_domain', { domain: 'nobody-knows-this.com.au' }),
    ],
    answer: ([a, b]) => [a?.code, b?.known],
    expected: ['not_found', false],
  },
];

export const TASKS: readonly Task[] = [
  ...FIND.map((task) => ({ ...task, kind: 'find' as const })),
  ...COMPARE.map((task) => ({ ...task, kind: 'compare' as const })),
  ...WATCH.map((task) => ({ ...task, kind: 'watch' as const })),
  ...HAND_OVER.map((task) => ({ ...task, kind: 'hand over' as const })),
  ...BE_REFUSED.map((task) => ({ ...task, kind: 'be refused' as const })),
];

/** The suffix that comes first, as the description of the counts has it: most names first. */
function most(answer: Answer | undefined): unknown {
  const { tld } = Object(answer?.facets) as { tld: { tld: string }[] };
  return tld[0]?.tld;
}

const byScore = (one: Answer, other: Answer) => Number(other.wayback) - Number(one.wayback);
