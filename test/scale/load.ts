import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Question } from './http.js';
import { asList, asObject, type Body, judge, type Oracle, type Verdict } from './judge.js';
import type { Names } from './names.js';

/** One request of the mix, and what must be true of a 200. */
interface Kind {
  readonly name: string;
  /** Of a hundred requests. */
  readonly share: number;
  readonly make: (chance: () => number) => { readonly question: Question; readonly oracle: Oracle };
}

export interface Seen {
  readonly kind: string;
  readonly verdict: Verdict;
  /** Since the load began, when the answer was there. */
  readonly atMs: number;
  readonly ms: number;
}

export interface LoadOptions {
  readonly base: URL;
  readonly names: Names;
  readonly key: string;
  readonly requests: number;
  readonly clients: number;
  readonly onSeen: (seen: Seen, done: number) => void;
}

/** Clients with manners do not ask again at once. */
const AFTER_AN_ERROR_MS = 250;

const MCP_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

/** Sends so many requests of all kinds from so many clients, each of which waits for its answer before it asks again. */
export async function runLoad({ base, requests, clients, onSeen, ...world }: LoadOptions): Promise<void> {
  const kinds = kindsOf(world.names, world.key);
  const chance = chances(7);
  const began = performance.now();
  let sent = 0;
  let done = 0;
  const client = async () => {
    while (sent < requests) {
      sent += 1;
      const kind = pick(kinds, chance() * 100);
      const { question, oracle } = kind.make(chance);
      const askedAt = performance.now();
      const verdict = await ask(base, question).then(
        (answer) => judge(answer, oracle),
        (error: unknown): Verdict =>
          question.method === 'POST' && String(error).includes('socket hang up')
            ? { is: 'closed' }
            : { is: 'wrong', why: `no answer: ${String(error)}` },
      );
      const now = performance.now();
      done += 1;
      onSeen({ kind: kind.name, verdict, atMs: now - began, ms: now - askedAt }, done);
      if (verdict.is === 'error') await sleep(AFTER_AN_ERROR_MS);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

function kindsOf({ free, taken }: Names, key: string): readonly Kind[] {
  const headers = { Authorization: `Bearer ${key}` };
  const known = new Set([...free, ...taken]);
  const registered = new Set(taken);
  /** Names that this caller was told are registered: never again may it be told that they can be had. */
  const told = new Set<string>();
  const get = (path: string): Question => ({ path, headers });
  const listed = (keyword: string, isSure: boolean): Oracle => {
    const toldBefore = new Set(told);
    return (body) => judgeNames(asList(body.results), { known, told: toldBefore, keyword, isSure });
  };
  const words = commonWords(free);
  const word = (chance: () => number) => words[Math.floor(chance() * words.length)] ?? 'a';
  const one = (list: readonly string[], chance: () => number) =>
    list[Math.floor(chance() * list.length)] ?? '';
  return [
    {
      name: 'suggest',
      share: 38,
      make: (chance) => {
        const q = word(chance);
        return { question: get(`/v1/suggest?q=${q}&limit=10`), oracle: listed(q, true) };
      },
    },
    {
      name: 'search',
      share: 12,
      make: (chance) => {
        const q = word(chance);
        return { question: get(`/api/v1/search?q=${q}&sort=domain&per_page=20`), oracle: listed(q, true) };
      },
    },
    {
      name: 'check',
      share: 15,
      make: (chance) => {
        const domain = one(free.slice(0, 200), chance);
        return { question: get(`/v1/domains/check?domain=${domain}`), oracle: checkIs(domain, true) };
      },
    },
    {
      name: 'check of a taken name',
      share: 2,
      make: (chance) => {
        const domain = one(taken, chance);
        return {
          question: get(`/v1/domains/check?domain=${domain}`),
          oracle: (body) => {
            const why = checkIs(domain, false)(body);
            if (why === null) told.add(domain);
            return why;
          },
        };
      },
    },
    {
      name: 'report',
      share: 6,
      make: (chance) => {
        const domain = one(chance() < 0.5 ? taken : free, chance);
        const wasTold = told.has(domain);
        return {
          question: get(`/api/v1/domains/${domain}`),
          oracle: ({ domain: said, available }) => {
            if (said !== domain) return `the report of another name than ${domain}`;
            return wasTold && available === true ? `${domain} is offered after it was told registered` : null;
          },
        };
      },
    },
    {
      name: 'stats',
      share: 10,
      make: () => ({
        question: get('/v1/stats'),
        oracle: ({ available_records: count }) =>
          typeof count === 'number' && count <= known.size + MAX_DROPS && count >= free.length - 10
            ? null
            : `available_records is ${String(count)}`,
      }),
    },
    {
      name: 'facets',
      share: 5,
      make: () => ({
        question: get('/api/v1/facets?tld=com.au'),
        oracle: ({ total }) => (Number(total) > 0 ? null : `facets of ${String(total)} names`),
      }),
    },
    {
      name: 'feed',
      share: 4,
      make: () => ({
        question: get('/api/v1/dropped?since=2000-01-01T00:00:00Z&limit=5'),
        oracle: ({ results }) => (asList(results).length > 0 ? null : 'the feed is empty'),
      }),
    },
    {
      name: 'status',
      share: 3,
      make: () => ({ question: get('/api/v1/status'), oracle: () => null }),
    },
    {
      name: 'mcp',
      share: 5,
      make: (chance) => {
        const q = word(chance);
        return {
          question: {
            ...{ method: 'POST', path: '/mcp', headers: { ...headers, ...MCP_HEADERS } },
            body: JSON.stringify({
              ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
              params: { name: 'suggest_domains', arguments: { q, limit: 5 } },
            }),
          },
          oracle: (body) => judgeToolResult(body, listed(q, true)),
        };
      },
    },
  ];
  function checkIs(domain: string, available: boolean): Oracle {
    return (body) => {
      if (body.domain !== domain) return `an answer about ${String(body.domain)}, not ${domain}`;
      if (registered.has(domain) && body.available === true) return `${domain} is called available`;
      return body.available === available ? null : `${domain}: available is ${String(body.available)}`;
    };
  }
}

/** Names that drop while the load runs. */
const MAX_DROPS = 1_000;

interface Expected {
  readonly known: ReadonlySet<string>;
  readonly told: ReadonlySet<string>;
  readonly keyword: string;
  readonly isSure: boolean;
}

function judgeNames(results: readonly Body[], { known, told, keyword, isSure }: Expected): string | null {
  if (isSure && results.length === 0) return `nothing matches ${keyword}, they say`;
  for (const { domain, available } of results) {
    if (typeof domain !== 'string') return 'a result without a name';
    if (!domain.split('.')[0]?.includes(keyword)) return `${domain} does not hold ${keyword}`;
    if (available !== true) return `${domain} is listed, and not available`;
    if (told.has(domain)) return `${domain} is offered after it was told registered`;
    if (!known.has(domain) && !DROPPING.has(domain)) return `${domain} was never in the dataset`;
  }
  return null;
}

/** Names of the lists that are purged meanwhile; filled before the load begins. */
export const DROPPING = new Set<string>();

/** A tool says errors in its result, with the code of the table in its text. */
function judgeToolResult(body: Body, oracle: Oracle): string | null {
  const result = asObject(body.result);
  if (body.error !== undefined) return `a JSON-RPC error: ${JSON.stringify(body.error)}`;
  if (result.isError === true) return null;
  return oracle(asObject(result.structuredContent));
}

const MIN_NAMES_OF_WORD = 20;
const WORD_LENGTH = 4;

/** Four letters that many labels hold, so that a question for them is never without results. */
function commonWords(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) {
    const label = name.split('.')[0] ?? '';
    for (let at = 0; at + WORD_LENGTH <= label.length; at += 1) {
      const word = label.slice(at, at + WORD_LENGTH);
      if (/^[a-z]+$/.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts].filter(([, count]) => count >= MIN_NAMES_OF_WORD).map(([word]) => word);
}

function pick(kinds: readonly Kind[], at: number): Kind {
  let left = at;
  for (const kind of kinds) {
    left -= kind.share;
    if (left < 0) return kind;
  }
  const last = kinds.at(-1);
  if (!last) throw new Error('there are no kinds of requests');
  return last;
}

/** The same numbers between 0 and 1 in every run. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
