import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { CdxClient } from '../../src/archive/cdx-client.js';
import { parseDomainName } from '../../src/domains/name/domain-name.js';
import { downloadList } from '../../src/ingest/lists/list-client.js';
import { AvailabilityServiceLookup } from '../../src/registry/availability-service.js';
import { QUESTION_CHANNEL, type RegistryQuestion } from '../../src/registry/guarded-lookup.js';
import { RdapLookup } from '../../src/registry/rdap-lookup.js';
import { addKey, type TestKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { setBudgetTime } from '../support/clock.js';
import {
  type Claim,
  type HostileKind,
  hostileKinds,
  type HostileUpstream,
  startHostileUpstream,
} from '../support/hostile-answers.js';
import { type Agent, connectAgent } from '../support/mcp.js';

/** How often each kind is asked at each door. HOSTILE_TIMES=20 is the long run. */
const TIMES = Number(process.env.HOSTILE_TIMES ?? 1);
const LIMIT_MS = 300;
/** Of the service, where many questions are under way at once. */
const SERVICE_LIMIT_MS = 1_000;
/** What never ends is longer than any machine is slow. The long run prints how many answers came later than this. */
const HUNG_AFTER_MS = 30_000;
const LATE_AFTER_MS = 1_000;
const AT_ONCE = 32;
/** Client and server of tools are in this process, and would wait for each other's work. */
const TOOLS_AT_ONCE = 8;
const MAX_AGAIN = 50;
const LONGEST_MS = 300_000 * TIMES;

const kinds = hostileKinds();
let upstream: HostileUpstream;
beforeAll(async () => {
  upstream = await startHostileUpstream(kinds);
});
afterAll(() => upstream.close());

it('there are more than 400 kinds, each about a name of its own', () => {
  expect(kinds.length).toBeGreaterThan(400);
  expect(new Set(kinds.map(({ domain }) => domain)).size).toBe(kinds.length);
});

const address = () => `http://127.0.0.1:${upstream.port}/`;
const CLIENTS: Record<string, (domain: string) => Promise<unknown>> = {
  'the registry': (domain) =>
    new RdapLookup('rdap', address, LIMIT_MS).ask(parseDomainName(domain), new Date()),
  'the availability service': (domain) =>
    new AvailabilityServiceLookup({ host: '127.0.0.1', port: upstream.port }, LIMIT_MS).ask(
      parseDomainName(domain),
    ),
  'the archive': (domain) =>
    new CdxClient({ cdxUrl: address(), timeoutMs: LIMIT_MS, contactUrl: 'https://bowerbird.example' }).ask(
      domain,
      new Date(),
      new AbortController().signal,
    ),
  'a list': (domain) =>
    downloadList(address() + domain, { known: null, timeoutMs: LIMIT_MS }).catch((error: unknown) => error),
};

describe.each(Object.entries(CLIENTS))('a question to %s', (door, ask) => {
  it(
    'ends, whatever comes',
    async () => {
      const { hung } = await askEach(door, LIMIT_MS, (kind, timed) => timed(() => ask(kind.domain)));
      expect(hung).toEqual([]);
    },
    LONGEST_MS,
  );
});

describe('a check', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({
      ...WITH_KEYS,
      REGISTRY_RDAP_URL: address(),
      REGISTRY_TIMEOUT_MS: String(SERVICE_LIMIT_MS),
      REGISTRY_BREAKER_FAILURES: '1000',
      TIERS: JSON.stringify({ pro: { recordsPerMinute: 100_000, requestsPerMinute: 100_000 } }),
    });
    setBudgetTime(test.app, new Date());
    // One answer that speaks of limits would keep the others from being asked.
    await test.database.query(`
      CREATE FUNCTION no_pause() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER no_pause BEFORE INSERT ON registry_pause FOR EACH ROW EXECUTE FUNCTION no_pause()`);
  });
  afterAll(() => test.close());

  type Body = { available?: boolean; registered?: boolean; registry?: { state: string } };
  const claimOf = (body: Body | undefined): Claim => {
    if (!body?.registry) return 'unknown';
    // A name that is turned down is a claim as well, and no kind makes it.
    return body.available ? 'available' : 'taken';
  };
  const remaining = async ({ bearer }: TestKey): Promise<number> =>
    (await test.caller().get('/api/v1/usage').set('Authorization', bearer)).body.rate.remaining;

  let agent: Agent;
  const openAgent = async ({ bearer }: TestKey) => {
    agent = await connectAgent(test.url, 'client 2.x, 2026-07-28', { Authorization: bearer });
  };
  const doors: [string, (key: TestKey) => Promise<void>, (domain: string, key: TestKey) => Promise<Claim>][] =
    [
      [
        'GET /api/v1/domains/check',
        () => Promise.resolve(),
        async (domain, { bearer }) => {
          const answer = await test
            .caller()
            .get('/api/v1/domains/check')
            .query({ domain })
            .set('Authorization', bearer);
          return claimOf(answer.status === 200 ? answer.body : undefined);
        },
      ],
      [
        'check_domain',
        openAgent,
        async (domain) => {
          const { isError, structured } = await agent.call('check_domain', { domain });
          return claimOf(isError ? undefined : (structured as Body));
        },
      ],
    ];

  it.each(doors)(
    'by %s concludes nothing that was not said, and charges answers only',
    async (door, open, check) => {
      const key = await addKey(test.database, { tier: 'pro' });
      await open(key);
      const before = await remaining(key);
      // The second door leads to the same service: a part will do in the short run.
      const asked = kinds.filter((_, number) => TIMES > 1 || door.startsWith('GET') || number % 7 === 0);
      const wrong: string[] = [];
      let answered = 0;
      let missed = 0;
      const judge = async (kind: HostileKind, timed: Timed) => {
        const ask = async () => (await timed(() => check(kind.domain, key))) ?? 'unknown';
        let claim = await ask();
        // A slow machine may run into the time limit; a sound answer arrives when asked again.
        for (let again = 0; claim === 'unknown' && kind.isSound && again < MAX_AGAIN; again += 1)
          claim = await ask();
        if (claim !== 'unknown') answered += 1;
        if (claim !== 'unknown' && claim !== kind.claim) wrong.push(`${kind.what}: ${claim}`);
        if (claim === 'unknown' && kind.isSound) missed += 1;
        // So that it is asked again, and not remembered.
        await test.database.query('DELETE FROM registry_answer WHERE domain = $1', [kind.domain]);
      };
      const lanes = door.startsWith('GET') ? AT_ONCE : TOOLS_AT_ONCE;
      const { hung } = await askEach(door, SERVICE_LIMIT_MS, judge, asked, lanes);
      expect({ hung, wrong }).toEqual({ hung: [], wrong: [] });
      expect(before - (await remaining(key))).toBe(answered);
      expect(missed).toBe(0);
    },
    LONGEST_MS,
  );
});

/** Takes the time of one question; undefined when it hung. */
type Timed = <Answer>(ask: () => Promise<Answer>) => Promise<Answer | undefined>;

/** Asks about each kind, many at a time. */
async function askEach(
  door: string,
  limitMs: number,
  judge: (kind: HostileKind, timed: Timed) => Promise<unknown>,
  asked = kinds,
  lanes = AT_ONCE,
): Promise<{ hung: string[] }> {
  const waiting = Array.from({ length: TIMES }, () => asked).flat();
  const hung: string[] = [];
  const late: string[] = [];
  let latestMs = 0;
  const isLate = (ms: number) => ms > limitMs + LATE_AFTER_MS;
  // What the service's own exchanges take, without the caller's queue at a door.
  const exchangeMs: number[] = [];
  const note = (message: unknown) => exchangeMs.push((message as RegistryQuestion).seconds * 1_000);
  subscribe(QUESTION_CHANNEL, note);
  const pauses = monitorEventLoopDelay();
  pauses.enable();
  const lane = async () => {
    for (let kind = waiting.pop(); kind; kind = waiting.pop()) {
      const { what } = kind;
      await judge(kind, async (ask) => {
        const began = performance.now();
        const answer = await settled(ask());
        const tookMs = performance.now() - began;
        if (answer === undefined) hung.push(what);
        if (isLate(tookMs)) late.push(`${what}, ${Math.round(tookMs)} ms`);
        latestMs = Math.max(latestMs, tookMs);
        return answer?.value;
      });
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  pauses.disable();
  unsubscribe(QUESTION_CHANNEL, note);
  const figures = [
    `${asked.length} kinds x ${TIMES}, ${hung.length} hung`,
    `latest ${Math.round(latestMs)} of ${limitMs} ms, ${late.length} later than ${limitMs + LATE_AFTER_MS} ms`,
    `${exchangeMs.length} exchanges in the service, the latest ${Math.round(Math.max(0, ...exchangeMs))} ms, ` +
      `${exchangeMs.filter(isLate).length} late`,
    `longest pause of the event loop ${Math.round(pauses.max / 1e6)} ms`,
    ...late.slice(0, SHOWN_LATE),
  ];
  if (TIMES > 1) process.stderr.write(`${door}: ${figures.join('; ')}\n`);
  return { hung };
}

const SHOWN_LATE = 10;

/** Undefined when it has not ended for so long that it never will. */
function settled<Answer>(work: Promise<Answer>): Promise<{ value: Answer } | undefined> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => done(undefined), HUNG_AFTER_MS);
    work.then((value) => done({ value }), fail).finally(() => clearTimeout(timer));
  });
}
