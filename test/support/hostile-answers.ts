import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { ROOT } from './processes.js';

/** What a server does with one connection, byte for byte. */
export interface Script {
  readonly steps: readonly {
    readonly send?: Uint8Array;
    readonly waitMs?: number;
    readonly repeat?: number;
  }[];
  readonly end: 'fin' | 'reset' | 'open';
}

/** The most that may be concluded from an answer. */
export type Claim = 'available' | 'taken' | 'unknown';

export interface HostileKind {
  readonly what: string;
  readonly domain: string;
  readonly script: Script;
  /** `unknown` is always right, except where the answer is sound. */
  readonly claim: Claim;
  /** Whether nothing is wrong with it, so that `unknown` would be wrong too. */
  readonly isSound: boolean;
  /** Whether the registry is left alone afterwards. */
  readonly pauses: boolean;
}

const RDAP = 'application/rdap+json';
const FIRST = 1000;

type Name = string;
type Body = (domain: Name) => string;
interface Parts {
  readonly what: string;
  readonly status?: number;
  readonly body: string;
  readonly headers?: readonly string[];
  /** Media type; null for none. */
  readonly type?: string | null;
  readonly claim: Claim;
  readonly isSound?: boolean;
  readonly pauses?: boolean;
}

const FOUND: Body = (ldhName) =>
  JSON.stringify({
    rdapConformance: ['rdap_level_0'],
    objectClassName: 'domain',
    ldhName,
    status: ['active'],
  });
const NOT_FOUND: Body = () =>
  JSON.stringify({ rdapConformance: ['rdap_level_0'], errorCode: 404, title: 'Not Found' });
const notice = (title: string, description: string, type?: string): Body => {
  return () =>
    `${NOT_FOUND('').slice(0, -1)},"notices":[${JSON.stringify({ title, type, description: [description] })}]}`;
};

/** Bodies, and with which status they say something: no other may. */
const BODIES: Record<string, { body: Body; says?: { status: number; claim: Claim }; pauses?: boolean }> = {
  'a domain object': { body: FOUND, says: { status: 200, claim: 'taken' } },
  'a "not found"': { body: NOT_FOUND, says: { status: 404, claim: 'available' } },
  nothing: { body: () => '' },
  'a web page': { body: () => '<html><title>404 Not Found</title>Domain not found</html>' },
  'a list': { body: (domain) => `[${FOUND(domain)}]` },
  'another name': { body: () => FOUND('other.com.au') },
  'a limit': { body: () => '{"notices":[{"title":"Rate limit exceeded"}]}', pauses: true },
  'a legal notice about the name': { body: notice('Legal Notice', 'Registration is suspended by a court.') },
  'status codes that hold the name': { body: notice('Status Codes', 'HELD: allocation is pending.') },
  'a disclaimer that holds the name': { body: notice('Disclaimer', 'Contested; applications are closed.') },
  'terms of use that hold the name': { body: notice('Terms of Use', 'Withdrawn until further notice.') },
  'a type of notice alone': { body: notice('', '', 'object truncated due to authorization') },
  'an error code twice': { body: () => '{"errorCode":429,"title":"Not Found","errorCode":404}' },
  'a title twice': { body: () => '{"errorCode":404,"title":"On hold","title":"Not Found"}' },
  'a class twice': { body: (domain) => FOUND(domain).replace('{', '{"objectClassName":"entity",') },
  'a status twice': { body: (domain) => FOUND(domain).replace('{', '{"status":["free"],') },
  'an escaped key twice': { body: () => '{"errorCode":404,"titl\\u0065":"On hold","title":"Not Found"}' },
  'two documents': { body: (domain) => NOT_FOUND(domain) + NOT_FOUND(domain) },
};

const STATUSES = [
  200, 201, 202, 203, 204, 205, 206, 226, 300, 301, 304, 307, 400, 401, 403, 404, 410, 418, 421,
];
const MORE_STATUSES = [422, 429, 451, 500, 501, 502, 503, 504, 520, 599];

function* statuses(domain: () => Name): Generator<[Name, Parts]> {
  for (const status of [...STATUSES, ...MORE_STATUSES])
    for (const [what, { body, says, pauses = false }] of Object.entries(BODIES)) {
      const name = domain();
      const claim = says?.status === status ? says.claim : 'unknown';
      // No body goes with these; what is sent all the same is a second answer of no meaning.
      yield [
        name,
        {
          ...{ what: `${status} with ${what}`, status, body: body(name), claim },
          ...{ isSound: claim !== 'unknown', pauses: pauses || status === 429 },
        },
      ];
    }
}

function* types(domain: () => Name): Generator<[Name, Parts]> {
  const unmarked = '{"errorCode":404,"title":"Not Found"}';
  for (const type of [
    null,
    '',
    'application/json',
    'text/html',
    'text/plain',
    `x-${RDAP}`,
    `${RDAP}, text/html`,
  ]) {
    const [one, two, three] = [domain(), domain(), domain()];
    yield [one, { what: `an object as ${type}`, body: FOUND(one), status: 200, type, claim: 'taken' }];
    yield [two, { what: `a "not found" as ${type}`, body: NOT_FOUND(two), type, claim: 'available' }];
    yield [three, { what: `an unmarked "not found" as ${type}`, body: unmarked, type, claim: 'unknown' }];
  }
}

function* headers(domain: () => Name): Generator<[Name, Parts]> {
  const ago = (hours: number) => `Date: ${new Date(Date.now() - hours * 3_600_000).toUTCString()}`;
  // The lines, and whether a free name and a taken one may be believed with them.
  const lines: [string[], boolean, boolean][] = [
    [['Age: 0'], true, true],
    [['Age: 600'], false, true],
    [['Age: 5000'], false, false],
    [['Age: 86399'], false, false],
    [['Age: 86401'], false, false],
    [['Age: 99999999999'], false, false],
    [['Age: 0', 'Age: 86000'], false, false],
    [['Age: 0, 86000'], false, false],
    [['Age: 86000', 'Age: x'], false, false],
    [[ago(0.5)], false, true],
    [[ago(3)], false, false],
    [[ago(-3)], true, true],
    [[ago(0), ago(3)], false, false],
    [['Date: yesterday'], true, true],
    [['X-Cache: HIT', 'Warning: 110 - "stale"'], true, true],
    [['Content-Length: 3'], false, false],
    [['Content-Length: 100000'], false, false],
    [['Content-Length: -1'], false, false],
    [['Content-Length: 9x'], false, false],
    [['Transfer-Encoding: gzip'], false, false],
    [['Transfer-Encoding: chunked'], false, false],
    [['Transfer-Encoding: chunked, identity'], false, false],
    [['Content-Encoding: identity'], true, true],
    [['Content-Encoding: none'], false, false],
    [['Content-Encoding: zstd'], false, false],
    [[`X-Large: ${'x'.repeat(40_000)}`], false, false],
    [['No colon in this line'], false, false],
    [['X-Nul: \0'], false, false],
    [['X-Folded: a\r\n b'], true, true],
  ];
  for (const [extra, mayBeFree, mayBeTaken] of lines) {
    const [one, two] = [domain(), domain()];
    const shown = extra.join('; ').slice(0, 40);
    yield [
      one,
      {
        what: `free, ${shown}`,
        body: NOT_FOUND(one),
        headers: extra,
        claim: mayBeFree ? 'available' : 'unknown',
      },
    ];
    yield [
      two,
      {
        what: `taken, ${shown}`,
        status: 200,
        body: FOUND(two),
        headers: extra,
        claim: mayBeTaken ? 'taken' : 'unknown',
      },
    ];
  }
}

/** How a body can be packed, and whether it can be unpacked. */
const PACKINGS: [what: string, encoding: string, pack: (body: Buffer) => Buffer, isSound: boolean][] = [
  ['gzip', 'gzip', gzipSync, true],
  ['gzip in capitals', 'GZIP', gzipSync, true],
  ['x-gzip', 'x-gzip', gzipSync, true],
  ['brotli', 'br', brotliCompressSync, true],
  ['deflate', 'deflate', deflateSync, true],
  ['raw deflate', 'deflate', deflateRawSync, true],
  [
    'two members',
    'gzip',
    (body) => Buffer.concat([gzipSync(body.subarray(0, 9)), gzipSync(body.subarray(9))]),
    true,
  ],
  ['gzip that is plain', 'gzip', (body) => body, false],
  ['brotli that is plain', 'br', (body) => body, false],
  ['deflate that is plain', 'deflate', (body) => body, false],
  ['empty gzip', 'gzip', () => Buffer.alloc(0), false],
  ['gzip of nothing', 'gzip', () => gzipSync(''), false],
  ['one byte of gzip', 'gzip', (body) => gzipSync(body).subarray(0, 1), false],
  ['the head of gzip', 'gzip', (body) => gzipSync(body).subarray(0, 10), false],
  ['half of gzip', 'gzip', (body) => cut(gzipSync(body), 0.5), false],
  ['gzip without its check', 'gzip', (body) => gzipSync(body).subarray(0, -8), false],
  ['gzip without its last byte', 'gzip', (body) => gzipSync(body).subarray(0, -1), false],
  ['gzip with a wrong check', 'gzip', (body) => damaged(gzipSync(body), -6), false],
  ['damaged gzip', 'gzip', (body) => damaged(gzipSync(body), 14), false],
  [
    'a gzip head and rubbish',
    'gzip',
    () => Buffer.concat([gzipSync('').subarray(0, 10), rubbish(400)]),
    false,
  ],
  ['rubbish as gzip', 'gzip', () => rubbish(400), false],
  ['rubbish as brotli', 'br', () => rubbish(400), false],
  ['rubbish as deflate', 'deflate', () => rubbish(400), false],
  ['half of brotli', 'br', (body) => cut(brotliCompressSync(body), 0.5), false],
  ['half of deflate', 'deflate', (body) => cut(deflateSync(body), 0.5), false],
  ['half of raw deflate', 'deflate', (body) => cut(deflateRawSync(body), 0.5), false],
  ['gzip as brotli', 'br', gzipSync, false],
  ['a bomb', 'gzip', () => BOMB, false],
];

const cut = (bytes: Buffer, share: number) => bytes.subarray(0, Math.floor(bytes.length * share));
const BOMB = gzipSync(Buffer.alloc(20_000_000, 0x20));

function damaged(bytes: Buffer, place: number): Buffer {
  const at = place < 0 ? bytes.length + place : place;
  bytes.writeUInt8((bytes[at] ?? 0) ^ 0xff, at);
  return bytes;
}

/** Always the same, and no packing begins like it. */
function rubbish(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, place) => (place * 73 + 197) % 251));
}

const LINE = '\r\n';
const bytesOf = (text: string) => Buffer.from(text, 'latin1');

function head(status: number, type: string | null, ...lines: string[]): Buffer {
  const typed = type === null ? [] : [`Content-Type: ${type}`];
  return bytesOf([`HTTP/1.1 ${status} x`, ...typed, ...lines, '', ''].join(LINE));
}

function chunk(bytes: Buffer): Buffer {
  return Buffer.concat([bytesOf(bytes.length.toString(16) + LINE), bytes, bytesOf(LINE)]);
}

function whole({ status = 404, type = RDAP, headers: lines = [], body }: Parts): Script {
  const bytes = Buffer.from(body);
  const isFramed = lines.some((line) => /^(content-length|transfer-encoding):/i.test(line));
  const length = isFramed ? [] : [`Content-Length: ${bytes.length}`];
  return { steps: [{ send: Buffer.concat([head(status, type, ...lines, ...length), bytes]) }], end: 'fin' };
}

type Framing = (start: (...lines: string[]) => Buffer, body: Buffer) => Script;
const send = (end: Script['end'], ...parts: Buffer[]): Script => ({
  steps: [{ send: Buffer.concat(parts) }],
  end,
});

/** How a body can be sent so that its end is seen, and how so that it is not. */
const FRAMINGS: Record<string, { frame: Framing; ends: boolean }> = {
  length: { frame: (start, body) => send('open', start(`Content-Length: ${body.length}`), body), ends: true },
  chunks: {
    frame: (start, body) => ({
      steps: [
        { send: start('Transfer-Encoding: chunked') },
        { send: chunk(body.subarray(0, 5)), waitMs: 5 },
        {
          send: Buffer.concat(
            [chunk(body.subarray(5)), bytesOf(`0${LINE}${LINE}`)].filter(() => body.length > 5),
          ),
          waitMs: 5,
        },
        ...(body.length > 5 ? [] : [{ send: bytesOf(`0${LINE}${LINE}`) }]),
      ],
      end: 'open',
    }),
    ends: true,
  },
  'the close': { frame: (start, body) => send('fin', start('Connection: close'), body), ends: true },
  'chunks without end': {
    frame: (start, body) => send('open', start('Transfer-Encoding: chunked'), chunk(body)),
    ends: false,
  },
  'chunks that break off': {
    frame: (start, body) => send('reset', start('Transfer-Encoding: chunked'), chunk(body)),
    ends: false,
  },
};

function* packed(domain: () => Name): Generator<[Name, Parts & { script: Script }]> {
  for (const [what, encoding, pack, isSound] of PACKINGS)
    for (const [framing, { frame, ends }] of Object.entries(FRAMINGS))
      for (const status of [200, 404]) {
        const name = domain();
        const body = status === 200 ? FOUND(name) : NOT_FOUND(name);
        const start = (...lines: string[]) => head(status, RDAP, `Content-Encoding: ${encoding}`, ...lines);
        // An empty chunk would be the last one.
        const bytes = pack(Buffer.from(body));
        const script =
          bytes.length === 0 && framing.startsWith('chunks') ? send('open', start()) : frame(start, bytes);
        const said = status === 200 ? 'taken' : 'available';
        const claim = isSound && ends ? said : 'unknown';
        yield [
          name,
          { what: `${what}, ${status}, by ${framing}`, body, claim, isSound: claim !== 'unknown', script },
        ];
      }
}

/** What becomes of a body that is not packed. */
const CUTS: Record<string, Framing> = {
  'nothing after the head, open': (start) => send('open', start('Content-Length: 50')),
  'nothing after the head, ended': (start) => send('fin', start('Content-Length: 50')),
  'half a head': (start) => send('open', start().subarray(0, 20)),
  'half a head, ended': (start) => send('fin', start().subarray(0, 20)),
  silence: () => ({ steps: [], end: 'open' }),
  'an end without a word': () => ({ steps: [], end: 'fin' }),
  'a reset without a word': () => ({ steps: [], end: 'reset' }),
  'half, open': (start, body) => send('open', start(`Content-Length: ${body.length}`), cut(body, 0.5)),
  'half, ended': (start, body) => send('fin', start(`Content-Length: ${body.length}`), cut(body, 0.5)),
  'half, reset': (start, body) => send('reset', start(`Content-Length: ${body.length}`), cut(body, 0.5)),
  'all but a byte': (start, body) =>
    send('fin', start(`Content-Length: ${body.length}`), body.subarray(0, -1)),
  'all, and more announced': (start, body) => send('fin', start(`Content-Length: ${body.length + 1}`), body),
  'all, and more announced, open': (start, body) =>
    send('open', start(`Content-Length: ${body.length + 1}`), body),
  'half until the close': (start, body) => send('fin', start(), cut(body, 0.5)),
  'a wrong size of chunk': (start, body) =>
    send('fin', start('Transfer-Encoding: chunked'), bytesOf('zz\r\n'), body),
  'a chunk shorter than its size': (start, body) =>
    send('fin', start('Transfer-Encoding: chunked'), bytesOf('fff\r\n'), body),
  'a chunk longer than its size': (start, body) =>
    send('fin', start('Transfer-Encoding: chunked'), bytesOf('3\r\n'), body),
  'two lengths': (start, body) =>
    send('fin', start('Content-Length: 2', `Content-Length: ${body.length}`), body),
  'length and chunks': (start, body) =>
    send('fin', start('Content-Length: 2', 'Transfer-Encoding: chunked'), chunk(body), bytesOf('0\r\n\r\n')),
  'no HTTP': (_start, body) => send('fin', body),
  'a banner': () => send('fin', bytesOf('SSH-2.0-OpenSSH_9.2\r\n')),
  'another protocol': () =>
    send('open', bytesOf('HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')),
  'early hints without end': () => ({
    steps: [{ send: bytesOf('HTTP/1.1 103 x\r\n\r\n'), waitMs: 20, repeat: 5_000 }],
    end: 'open',
  }),
  'a body that trickles': (start) => ({
    steps: [{ send: start('Content-Length: 90000') }, { send: bytesOf(' '), waitMs: 20, repeat: 5_000 }],
    end: 'open',
  }),
  'chunks that trickle': (start) => ({
    steps: [
      { send: start('Transfer-Encoding: chunked') },
      { send: bytesOf('1\r\n \r\n'), waitMs: 20, repeat: 5_000 },
    ],
    end: 'open',
  }),
  'a head that trickles': (start) => ({
    steps: [{ send: start().subarray(0, -2) }, { send: bytesOf('X-A: b\r\n'), waitMs: 20, repeat: 5_000 }],
    end: 'open',
  }),
  'a body that is too large': (start) =>
    send('open', start('Content-Length: 900000'), Buffer.alloc(900_000, 0x20)),
};

function* cuts(domain: () => Name): Generator<[Name, Parts & { script: Script }]> {
  for (const [what, frame] of Object.entries(CUTS))
    for (const status of [200, 404]) {
      const name = domain();
      const body = status === 200 ? FOUND(name) : NOT_FOUND(name);
      const script = frame((...lines) => head(status, RDAP, ...lines), Buffer.from(body));
      yield [name, { what: `${status}, ${what}`, body, claim: 'unknown', script }];
    }
}

/** Every kind of answer, about a name of its own. */
export function hostileKinds(): HostileKind[] {
  let number = FIRST;
  const domain = () => `k${number++}.com.au`;
  const all = [statuses, types, headers, packed, cuts].flatMap(
    (kinds): [Name, Parts & { script?: Script }][] => [...kinds(domain)],
  );
  return all.map(([name, parts]) => ({
    ...{ what: parts.what, domain: name, script: parts.script ?? whole(parts), claim: parts.claim },
    ...{ isSound: parts.isSound ?? false, pauses: parts.pauses ?? false },
  }));
}

export interface HostileUpstream {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts the server that answers a question about a kind's name, at whatever address, as the kind does. */
export async function startHostileUpstream(kinds: readonly HostileKind[]): Promise<HostileUpstream> {
  const child = fork(join(ROOT, 'test/support/hostile-upstream.mjs'), {
    serialization: 'advanced',
    execArgv: [],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  for (const { domain, script } of kinds) child.send({ number: Number(/\d+/.exec(domain)?.[0]), script });
  return {
    port,
    close: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
