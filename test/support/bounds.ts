import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type LimitName, LIMITS, mostOf, SHARES, timesOf } from '../../src/access/limits.js';
import { TIERS } from '../../src/config/tiers.js';
import { toMarkdown } from '../../src/validation/formats.js';

const SOURCES = resolve(__dirname, '../../src');

/** A number as a source file has it, by the name of its constant or field. */
function bound(file: string, name: string, times = 1): string {
  const text = readFileSync(resolve(SOURCES, file), 'utf8');
  const [, product] =
    new RegExp(`\\b${name}(?:: number)?(?: =|:) ([\\d_]+(?: \\* [\\d_]+)*)[;, ]`).exec(text) ?? [];
  if (product === undefined) throw new Error(`${file} has no number called ${name}`);
  const factors = product.split(' * ').map((factor) => Number(factor.replaceAll('_', '')));
  return factors.reduce((whole, factor) => whole * factor, times).toLocaleString('en-AU');
}

const IN_SECONDS = 1 / 1_000;

type Part = string | readonly [source: string, times?: number];
type Row = readonly [what: string, bound: readonly Part[], whenFull: string];

/** What a process keeps in memory, with the numbers of the code: texts, and places of numbers with a factor. */
const ROWS: readonly Row[] = [
  [
    'connections; to `OPS_PORT`',
    [['app/http-adapter.ts maxConnections'], '; ', ['app/operators-port.ts MAX_CONNECTIONS']],
    'an idle one of the network closes, else the new',
  ],
  [
    'passwords being hashed, and waiting',
    [['accounts/attempt-limit.ts AT_ONCE'], ', ', ['accounts/attempt-limit.ts MAX_WAITING']],
    '503; strangers give way to who is known',
  ],
  [
    'time of a request; bodies on their way',
    [
      ...[['app/http-adapter.ts requestMs', IN_SECONDS] as const, ' s from first to last byte; '],
      ...[['access/held-bodies.ts MAX_OF_CALLER'] as const, ' of a caller'],
    ],
    '408, connection closed',
  ],
  [
    'requests in work, and waiting',
    ['`ADMISSION_LIMIT`, ', ['access/gate.ts MAX_WAITING']],
    '503 `overloaded`',
  ],
  ['free callers who were refused', [['access/gate.ts MAX_PAUSED'], ', 1 s, or 5 s'], 'the oldest is heard'],
  [
    'pipelined requests; time without a byte; all unread answers',
    [
      ...[['app/shutdown.ts MAX_PIPELINED'] as const, '; '],
      ...[['app/http-adapter.ts silentMs', IN_SECONDS] as const, ' s; '],
      ...[['app/unread-answers.ts MAX_UNREAD_BYTES'] as const, ' bytes'],
    ],
    'connection closed',
  ],
  [
    'requests of a minute, unknown keys, list pages, records, tickets by network',
    [['redis/memory-counter.ts MAX_KEYS'], ' callers each'],
    'the oldest counter restarts',
  ],
  [
    'who took how much; rules about networks',
    [
      ...[['access/network-rules.ts MAX_TAKERS'] as const, ' in 10 s; '],
      ['access/network.repository.ts MAX_RULES'],
    ],
    'the least recent is not counted; 409',
  ],
  [
    'callers with a spent budget',
    [['access/record-budget.ts MAX_CALLERS']],
    'the oldest is forgotten; PostgreSQL refuses instead',
  ],
  [
    'holds and charges waiting for a statement',
    ['one a request, ', ['access/budget-holds.ts MAX_ROWS', 2], ' callers a statement'],
    'grows with connections',
  ],
  [
    'known API keys; paid ones, and sessions',
    [['access/api-key-cache.ts MAX_KNOWN'], '; ', ['access/paid-callers.ts MAX_PAID']],
    'the least recently used goes',
  ],
  [
    'last uses of keys',
    [
      ['access/api-keys.service.ts MAX_USES'],
      ' in ',
      ['access/api-keys.service.ts WRITE_EVERY_MS', IN_SECONDS],
      ' s',
    ],
    'written with a later use',
  ],
  ['refused uses of keys', [['access/key-networks.ts MAX_REFUSED'], ' in 5 s'], 'the oldest goes'],
  [
    'commands to Redis',
    ['two a request, ', ['redis/bounded-redis.ts ANSWER_LIMIT_MS'], ' ms each'],
    'the connection ends and all fail',
  ],
  [
    'callers waiting for a registry turn',
    ['what fits in `REGISTRY_MAX_WAIT_MS`; ', ['registry/fair-queue.ts MAX_HOLDERS'], ' holders'],
    '503 with the time to return',
  ],
  [
    'answers to be kept, and their texts',
    [['registry/answer-log.ts MAX_WAITING'], ', ', ['registry/answer-log.ts MAX_TEXTS']],
    'not kept, and counted; read again',
  ],
  ['names asked about of late', [['registry/question.job.ts MAX_REMEMBERED']], 'the oldest goes'],
  ['bulk checks of a process', [['api/check/bulk-check.worker.ts MAX_RUNS']], 'another process takes over'],
  [
    'deliveries in progress',
    [
      ['notify/webhooks/webhook-worker.ts MAX_WEBHOOKS'],
      ' webhooks, ',
      ['notify/webhooks/webhook-worker.ts MAX_SLOW'],
      ' of them slow; ',
      ['notify/webhooks/webhook-worker.ts MAX_AT_ONCE'],
      ' each',
    ],
    'the rest waits in PostgreSQL',
  ],
  [
    'service-level counts to be written',
    [['observe/request-counts.ts MAX_KEPT_COUNTS']],
    'the oldest is lost',
  ],
  ['counted days of drops', [['web/drops/drops-view.ts MAX_KEPT']], 'counted again'],
  [
    'pictures; being drawn',
    [['web/names/name-picture.ts MAX_PICTURES'], ', ', ['web/names/name-picture.ts MAX_DRAWING']],
    'the oldest goes; the common picture',
  ],
  [
    'positions of the primary',
    ['of twice `REPLICA_MAX_LAG_MS`, ', ['db/replicas/wal.ts MIN_GAP_MS'], ' ms apart'],
    'the oldest goes',
  ],
  ['questions read as words', [['domains/schema/filters/reading-filter.ts MAX_KEPT']], 'read again'],
  ['prepared statement names', [['db/database.ts MAX_NAMES']], 'computed again'],
  ['days of an import', [['domains/lifecycle/listings/listing.ts MAX_DAYS']], 'computed again'],
  [
    'rejected rows shown',
    ['the first ', ['ingest/import/rejects.ts SHOWN_REJECTS']],
    'counted, and written to the file',
  ],
  ['connections to PostgreSQL', ['`DATABASE_POOL_SIZE` a pool'], 'a wait of `DATABASE_TIMEOUT_MS`, then 503'],
  [
    'searches of watches as filters',
    [['notify/watches/notification-matcher.ts MAX_FILTERS']],
    'the oldest is read again',
  ],
  [
    'session cookies to be renewed',
    [['accounts/session-cookies.ts MAX_NEW']],
    'the oldest must sign in again',
  ],
  [
    'reservations known to Redis',
    [['access/redis-budget.ts MAX_REMEMBERED']],
    'the oldest is not charged while Redis is away',
  ],
  [
    'quotes; name, token, texts of an order',
    [
      ...[['orders/order/quote-token.ts QUOTE_MS', IN_SECONDS] as const, ' s; '],
      ...[['orders/api/orders.dto.ts MAX_NAME_LENGTH'] as const, ', '],
      ...[['orders/order/quote-token.ts MAX_TOKEN_LENGTH'] as const, ' characters, '],
      ['orders/api/orders.dto.ts MAX_ACCEPTED'],
    ],
    '400',
  ],
  ['months of programs', [['orders/mandates/program-orders.ts MAX_PROGRAMS']], 'summed again'],
  [
    'registrants, mandates, orders to approve of an account',
    [
      ...[['orders/registrants/registrant.repository.ts MAX_REGISTRANTS'] as const, ', '],
      ...[['orders/mandates/mandate.ts MAX_MANDATES'] as const, ', '],
      ['orders/order/order-desk.ts MAX_AWAITING'],
    ],
    'refused',
  ],
  [
    'EPP frame, depth, messages a run, uses of a session',
    [
      ...[['orders/registrar/epp/framing.ts MAX_FRAME_BYTES'] as const, ' bytes, '],
      ...[['orders/registrar/epp/xml.ts MAX_DEPTH'] as const, ', '],
      ...[['orders/registrar/epp/epp-registrar.ts MAX_MESSAGES'] as const, ', '],
      ['orders/registrar/epp/epp-client.ts MAX_USES'],
    ],
    'connection closed; later',
  ],
  [
    "evidence; registers', resellers' answers; ABNs",
    [
      ...[['orders/registrar/exchange-evidence.repository.ts MAX_KEPT_CHARACTERS'] as const, ' characters; '],
      ...[['orders/eligibility/abn-lookup.ts MAX_BYTES'] as const, ', '],
      ...[['orders/registrar/dreamscape/reseller-client.ts MAX_BYTES'] as const, ' bytes; '],
      ['orders/eligibility/abn-lookup.ts MAX_RECENT'],
    ],
    'cut; unknown',
  ],
  [
    'orders in work, sendings; notices, renewals, late executions a run; early card events',
    [
      ...[
        ['orders/order/order-work.ts atOnce'] as const,
        ', ',
        ['orders/order/order-work.ts MAX_SENDS'] as const,
      ],
      ...['; ', ['orders/notices/order-notices.ts TOLD_AT_ONCE'] as const, ', '],
      ...[['orders/order/renewals.ts RENEWED_AT_ONCE'] as const, ', '],
      ...[['orders/order/registrar-reconcile.ts ENDED_ASKED_AN_HOUR'] as const, '; '],
      ['orders/topup/top-up.repository.ts MAX_WAITING'],
    ],
    'later; the registrar is asked',
  ],
];

/** THE table of limits, with the numbers of the demo tier. */
export function limitsTable(): string {
  const groups = new Map<string, string[]>();
  for (const name of Object.keys(LIMITS) as LimitName[]) {
    const { what, of, seconds } = LIMITS[name];
    const most = mostOf(name, TIERS.demo);
    const numbers = of === 'network' ? SHARES.map((share) => timesOf(name, share) * most) : [most];
    const group = `${of}, ${seconds === null ? 'at once' : `${seconds} s`}`;
    groups.set(group, [...(groups.get(group) ?? []), `${what} ${numbers.join('/')}`]);
  }
  return [...groups].map(([group, limits]) => `- ${group}: ${limits.join(', ')}`).join('\n');
}

export function boundsTable(): string {
  const rows = ROWS.map(([what, parts, whenFull]) => [what, parts.map(textOf).join(''), whenFull]);
  return toMarkdown([['What', 'Bound', 'When full'], ...rows]);
}

function textOf(part: Part): string {
  if (typeof part === 'string') return part;
  const [source, times] = part;
  const [file = '', name = ''] = source.split(' ');
  return bound(file, name, times);
}

/** Constants that bound maps, as `file CONSTANT`, and have no row. */
export function unlistedBounds(): string[] {
  const listed = ROWS.flatMap(([, parts]) =>
    parts.filter((part) => typeof part !== 'string').map(([one]) => one),
  );
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
  );
  const used = files.flatMap((file) =>
    [...readFileSync(resolve(SOURCES, file), 'utf8').matchAll(/new BoundedMap(?:<.*>)?\((\w+)\)/g)].map(
      ([, name]) => `${file} ${name}`,
    ),
  );
  return [...new Set(used)].filter((one) => !listed.includes(one));
}
